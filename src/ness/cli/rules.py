"""`ness rules`: what a run has learned, readable."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ness.model.edited_rules import CheckedRules


def rules(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a trained model.")],
    form: Annotated[str, typer.Option("--format", metavar="text|json", help="How to print.")] = "text",
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="controller|rules", help="rules: the table alone; controller: read off the neural network."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write them to a file, to be edited.")
    ] = None,
    use: Annotated[
        Path | None, typer.Option("--use", metavar="FILE", help="Take the rules of an edited file into the model.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only say whether an edited rules.json is sound.")] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Take an edited rules.json into the model.")] = False,
) -> None:
    """Show the categories and rules, with the number of training traces behind each.

    Where there is a network, also where its decisions differ from the table.

    \b
    ness rules runs/scan-length
    ness rules runs/my --format json > rules.json
    ness rules runs/my --out rules.txt
    ness rules runs/my --use rules.txt
    """
    from ness.answer.extraction import differences, extract_rules
    from ness.cli.sources import engine_name, say
    from ness.errors import ConfigError
    from ness.files import write_output
    from ness.model.run_folder import load_run
    from ness.rules.serialise import to_json
    from ness.rules.text import format_rules

    if form not in ("text", "json"):
        raise ConfigError(f"Unknown format '{form}'; use text or json")
    if check or accept:
        _check(run, accept)
        return
    if use is not None:
        _use(run, use)
        return
    model = load_run(run)
    table = model.table
    notes: list[str] = []
    name = engine_name(model, engine)
    if name == "controller" or (engine is None and model.has_controller):
        sources = [source for source, _ in model.traces()]
        extracted = extract_rules(model.engine("controller", device), table, sources)
        found = differences(extracted, table)
        notes = [f"network and table differ in {len(found)} rules", *(f"{one}" for one in found)]
        table = table if engine is None else extracted
    if form == "json":
        text = json.dumps(to_json(table), ensure_ascii=False, indent=1)
        for note in notes:
            say(note)
    else:
        text = format_rules(table, model.hand) + "".join(f"\n# {note}" for note in notes)
    if out is None:
        print(text)
    else:
        write_output(out, text.encode())
        say(f"wrote {out}; edit it, then: ness rules {run} --use {out}, or: ness train FILE --rules {out}")


def _use(run: Path, path: Path) -> None:
    """Take the rules of a file into the model: the whole table, or a few that are put over what was learned."""
    from ness.model.edited_rules import use_rules
    from ness.model.hand_rules import read_hand

    checked, left_out = use_rules(run, read_hand(path))
    _print_checked(checked, path)
    _say_accepted(left_out)


def _check(run: Path, accept: bool) -> None:
    """Validate the rules as they are now on disk; take them into the model if asked to."""
    from ness.model.edited_rules import accept_rules, check_rules

    checked = check_rules(run)
    _print_checked(checked, checked.path)
    if accept:
        _say_accepted(accept_rules(run))


def _print_checked(checked: "CheckedRules", path: Path) -> None:
    rest = checked.traces - checked.as_before
    print(f"{path} is sound: {checked.as_before} of {checked.traces} training examples are answered as before")
    for one in checked.changed[:5]:
        print(f"  changed: {one}")
    if rest > 5:
        print(f"  and {rest - 5} more")


def _say_accepted(left_out: bool) -> None:
    from ness.cli.sources import say

    say(f"accepted{'; the network, which imitates the old rules, is left out' if left_out else ''}")
