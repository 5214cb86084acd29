"""NeSS: exact sequence-to-sequence translation, learned from examples."""

__version__ = "0.1.0"

__all__ = ["__version__"]
