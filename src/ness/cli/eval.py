"""`ness eval`: accuracy of a run on test sets."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ness.answer.engine import AnyEngine
    from ness.answer.evaluation import Mistake
    from ness.data import Example
    from ness.model.model import Model

ENGINES = "Who answers: controller (the neural network), rules, or both, compared (default: see `ness train`)."
EXTENDED = "daxy-48"


def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a trained model.")],
    source: Annotated[
        str | None, typer.Argument(metavar="[TASK-or-FILE]", help="By default what the model was trained on.")
    ] = None,
    engine: Annotated[str | None, typer.Option(metavar="controller|rules|both", help=ENGINES)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    show: Annotated[int, typer.Option(min=0, help="How many wrong samples to list of each set.")] = 10,
    limit: Annotated[int | None, typer.Option(min=1, help="Use at most that many examples of each set.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", metavar="SET", help="Just this test set.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    data_dir: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="Where the files of translation or COGS are.")
    ] = None,
    extended: Annotated[
        bool, typer.Option("--extended", help="Translation: also the 48 sentences with daxy in all subject forms.")
    ] = False,
) -> None:
    """Measure exact matches on the test sets of a task, or on a file.

    \b
    ness eval runs/scan-length
    ness eval runs/my my-test.tsv --engine both
    ness eval runs/cfg-while --only test-10 --limit 100 --json
    """
    from ness.cli.sources import choose_engine, engine_name, printable, say
    from ness.model.run_folder import load_run

    model = load_run(run)
    name = engine_name(model, engine, both=True)
    task, sets = _sets(model, source, data_dir)
    if extended:
        sets = {**sets, EXTENDED: _extended(task)}
    sets = {set_name: examples[:limit] for set_name, examples in _chosen(sets, only).items()}
    _, first = choose_engine(model, name, device)
    second = model.engine("rules") if name == "both" else None
    rows = []
    for set_name, examples in sets.items():
        row, wrong = _measure(first, second, set_name, examples, semantic=task == "translation")
        rows.append(row)
        if not as_json:
            print(_line(row))
        for text in wrong[:show]:
            (say if as_json else print)(printable(f"  {text}"))
        if len(wrong) > show:
            (say if as_json else print)(f"  and {len(wrong) - show} more; --show {len(wrong)} lists all")
    if as_json:
        print(json.dumps({"task": task, "engine": name, "sets": rows}, ensure_ascii=False))


def _sets(model: "Model", source: str | None, data_dir: Path | None) -> tuple[str, Mapping[str, Sequence["Example"]]]:
    """Return the name of the task and its test sets; a file is a set of its own."""
    from ness.cli.sources import load_source, short_name
    from ness.errors import DataError

    name = source or model.summary.task
    if name == "-" and source is None:
        raise DataError(f"{model.path} was trained on standard input; name a file to evaluate on")
    task = load_source(name, model.config.seed, data_dir, model.spelling)
    if task.tests:
        return task.name, task.tests
    return name, {"train" if source is None else short_name(name): task.train}


def _extended(task: str) -> list["Example"]:
    """Return the 48 sentences, each with one of its references."""
    from ness.data import Example
    from ness.data.translation_tests import extended_daxy
    from ness.errors import ConfigError

    if task != "translation":
        raise ConfigError(f"--extended is for the task translation, not {task}; leave it out")
    return [Example(question.source, max(question.references)) for question in extended_daxy()]


def _chosen(sets: Mapping[str, Sequence["Example"]], only: list[str] | None) -> Mapping[str, Sequence["Example"]]:
    from ness.errors import DataError

    for name in only or ():
        if name not in sets:
            raise DataError(f"there is no test set '{name}'; sets: {', '.join(sets)}")
    return {name: examples for name, examples in sets.items() if not only or name in only}


def _measure(
    first: "AnyEngine", second: "AnyEngine | None", name: str, examples: Sequence["Example"], semantic: bool
) -> tuple[dict[str, Any], list[str]]:
    """Evaluate one set; return its figures, and what went wrong in words."""
    from ness.answer.evaluation import compare
    from ness.answer.evaluation import evaluate as evaluate_engine

    found = evaluate_engine(first, examples)
    errors = [mistake for mistake in found.errors if mistake.answer.output not in _references(mistake, name)]
    row: dict[str, Any] = {
        "name": name,
        "n": found.n,
        "exact": 1 - len(errors) / found.n if found.n else 1.0,
        "errors": len(errors),
        "seconds": round(found.seconds, 3),
    }
    wrong = [f"wrong: {mistake}" for mistake in errors]
    if semantic:
        alternative = [_means_the_same(mistake, name) for mistake in errors]
        row["semantic"] = 1 - alternative.count(False) / found.n if found.n else 1.0
        wrong = [
            f"{'alternative' if same else 'wrong'}: {mistake}"
            for same, mistake in sorted(zip(alternative, errors, strict=True), key=lambda pair: pair[0])
        ]
    if second is not None:
        row["rules_exact"] = evaluate_engine(second, examples).exact
        different = compare(first, second, [example.source for example in examples])
        row["disagreements"] = len(different)
        wrong += [f"controller and rules disagree: {one}" for one in different]
    return row, wrong


def _references(mistake: "Mistake", set_name: str) -> set[tuple[str, ...]]:
    """Return all the right answers: the target, and for the extended sentences all that French leaves open."""
    from ness.data.translation_tests import extended_daxy

    if set_name != EXTENDED:
        return {mistake.target}
    asked = mistake.answer.source
    return {one for question in extended_daxy() if question.source == asked for one in question.references}


def _means_the_same(mistake: "Mistake", set_name: str) -> bool:
    """Tell whether an answer is right but for the form of "you"."""
    from ness.data.equivalence import accepted

    source, output = mistake.answer.source, mistake.answer.output
    return any(output in accepted(source, reference) for reference in _references(mistake, set_name))


def _line(row: dict[str, Any]) -> str:
    extra = [f", {row['semantic']:.2%} semantic"] if "semantic" in row else []
    if "disagreements" in row:
        extra.append(f", rules {row['rules_exact']:.2%}, {row['disagreements']} disagreements")
    right = row["n"] - row["errors"]
    return f"{row['name']:12} {row['exact']:8.2%} exact ({right} of {row['n']}, {row['seconds']:.1f} s){''.join(extra)}"
