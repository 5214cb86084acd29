"""From examples to traces and rules: the symbolic learner. Pure Python; nothing here imports torch."""
