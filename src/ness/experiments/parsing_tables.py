"""The tables of parsing: all systems on all sets, and every seed."""

from collections.abc import Sequence

from ness.data.parsing import LANGUAGES, TEST_LENGTHS, VARIANTS
from ness.experiments import paper
from ness.experiments.experiments import cfg_task
from ness.experiments.explanations import Deviation, deviation, explained
from ness.experiments.spec import NESS, SYSTEMS
from ness.experiments.summary import Measurement, Results
from ness.experiments.systems.registry import knows_more
from ness.experiments.table import BASELINE, OURS, Row, Table
from ness.experiments.table_parts import BY_TITLE, answering, figure_of, with_published

_VARIANT_NAMES = {"curriculum": "Curriculum", "std-10": "Std-10", "std-50": "Std-50"}
_TESTS = ("train", *(f"test-{length}" for length in TEST_LENGTHS))
_TASKS = [cfg_task(language, variant) for language in LANGUAGES for variant in VARIANTS]


def parsing_tables(results: Results) -> list[Table]:
    """Make the table of the paper with our figures, and the one of every seed."""
    return [_means(results), _every_seed(results)]


def _means(results: Results) -> Table:
    rows: list[Row] = []
    found: list[Deviation | None] = []
    starts = set()
    names = with_published(_TASKS, paper.CFG_SYSTEMS, results)
    for language in LANGUAGES:
        for variant in VARIANTS:
            starts.add(len(rows))
            for test in _TESTS:
                printed = paper.CFG[language, variant].get(test, ())
                published = dict(zip(paper.CFG_SYSTEMS, printed, strict=False))
                cells = []
                for name in names:
                    one = results.measured(BY_TITLE.get(name, ""), cfg_task(language, variant), test)
                    cells.append(f"{one.mean} ({figure_of(published[name])})" if name in published else one.mean)
                    found.append(deviation(one, published.get(name)))
                rows.append(Row((f"{language.capitalize()}-Lang", _VARIANT_NAMES[variant], _set_name(test), *cells)))
    more = [f"{name} {known}" for name in names if (known := knows_more(BY_TITLE.get(name, "")))]
    notes = (
        "The mean over all seeds, and the paper's figure in brackets, where it has one.",
        *((f"Knows more: {'; '.join(more)}.",) if more else ()),
        *answering([results.measured(NESS, cfg_task("while", "curriculum"), "test-10")]),
        *explained(found),
    )
    columns = ("language", "training", "test", *names)
    return Table("cfg", "Parsing: test accuracy", columns, rows, notes, 3, frozenset(starts - {0}))


def _every_seed(results: Results) -> Table:
    """One row for all sets that a system was tested on after one training."""
    rows: list[Row] = []
    tested: dict[str, str] = {}  # how many inputs the sets of NeSS and of other systems have
    starts = set()
    for system in results.systems(*_TASKS):
        starts.add(len(rows))
        for language in LANGUAGES:
            for variant in VARIANTS:
                measured = [results.measured(system, cfg_task(language, variant), test) for test in _TESTS]
                if measured[0].shares:
                    title = f"{language.capitalize()}, {_VARIANT_NAMES[variant]}"
                    cells = (SYSTEMS[system], title, *map(_seeds, measured), measured[0].trained)
                    rows.append(Row(cells, OURS if system == NESS else BASELINE))
                    tested.setdefault("NeSS" if system == NESS else "other systems", _counts(measured[1:]))
    notes = (
        "Where all seeds have the same figure, it stands once.",
        *((f"Inputs of the test sets: {'; '.join(f'{who} {many}' for who, many in tested.items())}.",) * bool(tested)),
    )
    columns = ("system", "training", "Training", *map(_set_name, _TESTS[1:]), "train s")
    return Table("cfg-seeds", "Parsing: every seed", columns, rows, notes, 2, frozenset(starts - {0}), folded=True)


def _seeds(one: Measurement) -> str:
    if len(one.shares) < 2 or len(set(one.shares.values())) > 1:
        return one.each
    return f"{one.mean} ({len(one.shares)} seeds)"


def _counts(measured: Sequence[Measurement]) -> str:
    return ", ".join(f"{one.n:,}" for one in measured if one.n)


def _set_name(test: str) -> str:
    return "Training" if test == "train" else test.capitalize()
