"""What imitates the traces and answers: encoders, predictors, batches, gradient training. Its modules import torch."""
