"""What is kept: a model, its run folder and summary; and training, which makes one."""
