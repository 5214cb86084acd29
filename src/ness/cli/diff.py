"""`ness diff`: what changed between two runs."""

from pathlib import Path
from typing import Annotated

import typer


def diff(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="The folder of a trained model.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="The folder of another one.")],
    inputs: Annotated[
        Path | None,
        typer.Argument(metavar="[INPUTS]", help="A file of inputs; by default the examples of both runs."),
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="How many differences to list of each kind.")] = 10,
) -> None:
    """Show what two models answer differently, and where their rules differ; the exit code is 1 if answers do.

    \b
    ness diff runs/before runs/after
    ness diff runs/before runs/after inputs.csv
    """
    from ness.data.files import read_texts
    from ness.model.difference import different_answers, different_categories, different_rules, examples_of_run
    from ness.model.run_folder import load_run

    models = [load_run(first), load_run(second)]
    if inputs is None:
        sources = [model.spelling.join_source(each.source) for model in models for each in examples_of_run(model)]
    else:
        sources = read_texts(inputs)
    texts = list(dict.fromkeys(sources))
    answers = different_answers(models[0], models[1], texts)
    print(f"answers        {len(answers)} of {len(texts)} inputs are answered differently")
    _list([str(each) for each in answers], show)
    gone, new = different_categories(models[0].table, models[1].table)
    print(f"categories     {len(gone)} only in {first}, {len(new)} only in {second}")
    _list([*(f"- {group}" for group in gone), *(f"+ {group}" for group in new)], show)
    rules = different_rules(models[0].table, models[1].table)
    print(f"rules          {len(rules)} differ")
    _list([str(each) for each in rules], show)
    if answers:
        raise typer.Exit(1)


def _list(lines: list[str], show: int) -> None:
    from ness.cli.sources import printable

    for line in lines[:show]:
        print(printable(f"  {line}"))
    if len(lines) > show:
        print(f"  and {len(lines) - show} more; --show {len(lines)} lists all")
