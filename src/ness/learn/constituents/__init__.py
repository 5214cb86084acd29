"""Structure from counting: content words by their own tokens, constituents by what can replace what."""
