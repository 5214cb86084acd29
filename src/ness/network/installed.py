"""Whether what a network needs is installed: a light install learns and answers by rules. No torch here."""

from importlib.util import find_spec

from ness.errors import MissingDependency

_NEEDED = ("torch", "safetensors")


def missing() -> list[str]:
    """List the packages that a network needs and that are not installed."""
    return [name for name in _NEEDED if find_spec(name) is None]


def require_network(what: str) -> None:
    """Say in one line how to install what is missing."""
    if absent := missing():
        raise MissingDependency(
            f"{what} needs {' and '.join(absent)}: pip install 'ness-machine[network]'; rules alone need nothing more "
            "(--rules-only, --engine rules)"
        )
