"""Options on how texts are cut into tokens."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ness.data import Spelling

_KINDS = "words|characters|punctuation"
Tokens = Annotated[str | None, typer.Option("--tokens", metavar=_KINDS, help="How texts are cut (default: words).")]
TargetTokens = Annotated[
    str | None, typer.Option("--target-tokens", metavar=_KINDS, help="How targets are cut, where that differs.")
]
Lowercase = Annotated[bool, typer.Option("--lowercase", help="Read inputs in capitals as others.")]


def chosen_spelling(
    tokens: str | None, target_tokens: str | None, lowercase: bool, run: Path | None = None
) -> "Spelling":
    """Return the spelling that the options ask for; without any, that of a run to go on from."""
    from ness.data.spelling import KINDS, PLAIN, Spelling
    from ness.errors import ConfigError
    from ness.model.run_folder import RunFolder

    if tokens is None and target_tokens is None and not lowercase:
        return PLAIN if run is None else RunFolder(run).spelling()
    for kind in (tokens, target_tokens):
        if kind is not None and kind not in KINDS:
            raise ConfigError(f"Unknown kind of tokens '{kind}'; use {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    return Spelling(tokens or "words", target_tokens or tokens or "words", lowercase)
