"""NeSS: exact sequence-to-sequence translation, learned from examples."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ness.transducer import Transducer

__version__ = "0.1.0"

__all__ = ["Transducer", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Transducer":  # late, so that `import ness` and the command line stay quick
        from ness.transducer import Transducer

        return Transducer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
