"""`ness suggest`: which inputs to label next, and why."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ness.answer.suggest import Suggestion
    from ness.data import Spelling


def suggest(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a trained model.")],
    pool: Annotated[
        Path | None, typer.Option("--pool", metavar="FILE", help="Inputs to choose from, one a line (or '-').")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="How many at most.")] = 10,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One JSON object a line.")] = False,
) -> None:
    """Name the inputs whose outputs would teach most: unknown words, guesses, rules that disagree.

    Each comes with the reason and with the outputs that it may have, the model's own first. Without a pool, inputs
    are made of parts of the training examples.

    \b
    ness suggest runs/my
    ness suggest runs/my --pool inputs.txt -n 5
    """
    from ness.cli.sources import say
    from ness.model.questions import suggest as suggest_inputs
    from ness.model.run_folder import load_run

    model = load_run(run)
    inputs = None if pool is None else [tokens for line in _lines(pool) if (tokens := model.spelling.split(line))]
    found = suggest_inputs(model, inputs, n)
    for one in found:
        print(_record(one, model.spelling) if jsonl else _text(one, model.spelling))
    if not found:
        say("nothing to ask: the examples show every step of these inputs")


def _lines(path: Path) -> list[str]:
    import sys

    from ness.errors import DataError

    if str(path) == "-":
        return sys.stdin.read().splitlines()
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text ({error.reason}); save it as UTF-8") from None


def _record(one: "Suggestion", spelling: "Spelling") -> str:
    outputs = [spelling.join(output) for output in one.candidates]
    return json.dumps(
        {"input": spelling.join_source(one.input), "candidates": outputs, "why": one.why}, ensure_ascii=False
    )


def _text(one: "Suggestion", spelling: "Spelling") -> str:
    outputs = [f"  -> {spelling.join(output)}" for output in one.candidates]
    lines = [spelling.join_source(one.input), f"  {one.why}", *outputs]
    return "\n".join(lines)
