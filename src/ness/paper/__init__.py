"""The paper's own loop (Algorithm 1), with all that only it needs."""
