"""Synth (Nye et al. 2020): a network reads examples and writes a grammar; the training examples decide."""
