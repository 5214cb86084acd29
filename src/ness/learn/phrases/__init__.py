"""The same for noisy corpora: pairs cut into phrases, rules that are weighed."""
