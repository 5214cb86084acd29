"""The paper's tables with our figures in them, and tables of every seed."""

from collections.abc import Callable, Iterable, Sequence

from ness.data.parsing import LANGUAGES, TEST_LENGTHS, VARIANTS
from ness.experiments import paper
from ness.experiments.datasets import SAMPLE
from ness.experiments.experiments import ABLATED_SPLITS, SAMPLE_SIZES, SPLITS, ablation_names, cfg_task
from ness.experiments.learned import category_tables, rule_tables
from ness.experiments.spec import NESS, SYSTEMS
from ness.experiments.summary import Measured, Results
from ness.experiments.table import BASELINE, OURS, PAPER, Row, Table

_SEEDS = ("mean", "min", "every seed", "train s", "test s")
_SPLIT_NAMES = {"length": "Length", "around_right": "Around right", "jump": "Jump", "simple": "Simple"}
_VARIANT_NAMES = {"curriculum": "Curriculum", "std-10": "Std-10", "std-50": "Std-50"}
_MEASURED = "Measured here (percent of outputs that are exactly right)"


def tables_of(name: str, results: Results) -> list[Table]:
    """Make the tables that go by a name."""
    return _TABLES[name](results)


def _scan(results: Results) -> list[Table]:
    rows = [
        Row((system, "paper", *(_figure(figures[split]) for split in SPLITS)))
        for system, figures in sorted(paper.SCAN.items(), key=lambda item: item[0] in paper.MORE_DATA)
    ]
    starts = {len(rows), sum(system not in paper.MORE_DATA for system in paper.SCAN)}
    systems = results.systems(*(f"scan/{split}" for split in SPLITS))
    measured = [[results.measured(system, f"scan/{split}") for split in SPLITS] for system in systems]
    rows += [Row((each[0].name, "measured here", *(one.mean for one in each)), _kind(each[0])) for each in measured]
    columns = ("system", "source", *(_SPLIT_NAMES[split] for split in SPLITS))
    notes = (
        "The second block of systems was trained with additional data. Measured here: the mean over all seeds.",
        *_answering(one for each in measured for one in each),
    )
    detailed = [
        (f"{one.name}: {_SPLIT_NAMES[split]}", one)
        for each in measured
        for split, one in zip(SPLITS, each, strict=True)
        if one.shares
    ]
    rules = [(f"NeSS, rules alone: {_SPLIT_NAMES[split]}", _rules(results, f"scan/{split}")) for split in SPLITS]
    rules = [(label, one) for label, one in rules if one.shares]
    return [
        Table("scan", "SCAN: test accuracy", columns, rows, notes, 2, frozenset(starts)),
        _seeds_table("scan-seeds", f"SCAN: {_MEASURED.lower()}", [*detailed, *rules]),
    ]


def _fewshot(results: Results) -> list[Table]:
    measured = [(SYSTEMS[system], results.measured(system, "fewshot")) for system in results.systems("fewshot")]
    title = "Few-shot learning of instructions: test accuracy"
    return [_against("fewshot", title, paper.FEWSHOT, measured, _answering(one for _, one in measured))]


def _translation(results: Results) -> list[Table]:
    semantic = _translated(results, "semantic")
    exact = _translated(results, "exact")
    published = {name: sum(values) / len(values) for name, values in paper.TRANSLATION_EXACT.items()}
    runs = ", ".join(_figure(value) for value in paper.TRANSLATION_EXACT["NeSS"])
    who = _answering(one for _, one in exact)
    return [
        _against(
            "translation-semantic",
            "Translation: semantic equivalence",
            paper.TRANSLATION_SEMANTIC,
            semantic,
            ('English "you" is "tu" or "vous"; both count as right, in all words that go with it.', *who),
        ),
        _against(
            "translation-exact",
            "Translation: exact match with the one reference",
            published,
            exact,
            (f"The paper's five NeSS runs: {runs}.", *who),
        ),
    ]


def _translated(results: Results, figure: str) -> list[tuple[str, Measured]]:
    """Collect the systems; the rules of NeSS on their own, where a network answers for it."""
    systems = results.systems("translation")
    measured = [(SYSTEMS[one], results.measured(one, "translation", figure=figure)) for one in systems]
    rules = results.measured(NESS, "translation", figure=figure, part="rules")
    return measured[:1] + ([("NeSS, rules alone", rules)] if rules.shares else []) + measured[1:]


def _cfg(results: Results) -> list[Table]:
    return [_cfg_table(results, main=True), _cfg_table(results, main=False), _cfg_seeds(results)]


def _cfg_table(results: Results, main: bool) -> Table:
    rows: list[Row] = []
    starts = set()
    published_systems = paper.CFG_MAIN_SYSTEMS if main else paper.CFG_SYSTEMS
    systems = results.systems(*_cfg_tasks())
    for language in ("while",) if main else tuple(LANGUAGES):
        for variant in ("curriculum",) if main else VARIANTS:
            starts.add(len(rows))
            for test in paper.CFG_MAIN_ROWS if main else _cfg_tests():
                published = paper.CFG[language, variant].get(test)
                task = cfg_task(language, variant)
                ours = [results.measured(system, task, test).mean for system in systems]
                places = range(len(published_systems))
                figures = [_figure(published[place] if published else None) for place in places]
                names = (f"{language.capitalize()}-Lang", _VARIANT_NAMES[variant], _set_name(test))
                rows.append(Row((*names, *ours, *figures)))
    columns = (
        *("language", "training", "test"),
        *(f"{SYSTEMS[system]} (here)" for system in systems),
        *(f"{system} (paper)" for system in published_systems),
    )
    title = "Parsing: main table" if main else "Parsing: all training and test sets"
    curriculum = results.measured(NESS, cfg_task("while", "curriculum"), "test-10")
    notes = (
        "Here: the mean over all seeds. — in a column of the paper: no such figure there.",
        "The table of every seed says how many inputs are behind each figure.",
        *_answering([curriculum]),
    )
    return Table("cfg-main" if main else "cfg", title, columns, rows, notes, 3, frozenset(starts - {0}))


def _cfg_seeds(results: Results) -> Table:
    measured = [
        (f"{SYSTEMS[system]}: {language.capitalize()}, {_VARIANT_NAMES[variant]}, {_set_name(test)}", one)
        for system in results.systems(*_cfg_tasks())
        for language in LANGUAGES
        for variant in VARIANTS
        for test in _cfg_tests()
        if (one := results.measured(system, cfg_task(language, variant), test)).shares
    ]
    return _seeds_table("cfg-seeds", f"Parsing: {_MEASURED.lower()}", measured)


def _ablations(results: Results) -> list[Table]:
    measured = []
    for variant in ablation_names():
        for split in ABLATED_SPLITS:
            one = results.measured(NESS, f"scan/{split}", variant=variant)
            if one.shares:
                measured.append((f"{variant or 'NeSS as it is'}: {_SPLIT_NAMES[split]}", one))
    notes = (
        f"The paper, length split: 100 in 5 runs with category predictors; {paper.WITHOUT_CATEGORIES} without.",
        "The variants imitate traces that the same search found, and are tested on random commands of the test set, "
        "since they are slow. The paper preset is the paper's own loop with 64 units and 7 minutes.",
    )
    return [_seeds_table("ablations", "Ablations: SCAN test accuracy of the network", measured, notes)]


def _efficiency(results: Results) -> list[Table]:
    measured = [
        (f"{SYSTEMS[system]}: {size} commands", results.measured(system, f"{SAMPLE}{size}"))
        for system in results.systems(*(f"{SAMPLE}{size}" for size in SAMPLE_SIZES))
        for size in SAMPLE_SIZES
    ]
    measured += [(f"NeSS, rules alone: {size} commands", _rules(results, f"{SAMPLE}{size}")) for size in SAMPLE_SIZES]
    measured = [(label, one) for label, one in measured if one.shares]
    notes = (
        "Trained on random commands of at most five words, the six one-phrase commands among them; tested on all "
        "other SCAN commands. The paper has no such table.",
        *_answering(one for label, one in measured if label.startswith("NeSS:")),
    )
    return [_seeds_table("efficiency", "Efficiency: accuracy on the rest of SCAN", measured, notes)]


_TABLES: dict[str, Callable[[Results], list[Table]]] = {
    "scan": _scan,
    "fewshot": _fewshot,
    "translation": _translation,
    "cfg": _cfg,
    "categories": category_tables,
    "rules": rule_tables,
    "ablations": _ablations,
    "efficiency": _efficiency,
}


def _against(
    name: str,
    title: str,
    published: paper.Figures,
    measured: Sequence[tuple[str, Measured]],
    notes: tuple[str, ...] = (),
) -> Table:
    """Set published figures and ours in one table, with a column for every seed."""
    rows = [Row((system, "paper", _figure(value), *["—"] * 4)) for system, value in published.items()]
    start = len(rows)
    rows += [Row((label, "measured here", *_seeds(one)), _kind(one)) for label, one in measured]
    return Table(name, title, ("system", "source", *_SEEDS), rows, notes, 2, frozenset([start]))


def _seeds_table(name: str, title: str, measured: Iterable[tuple[str, Measured]], notes: tuple[str, ...] = ()) -> Table:
    rows: list[Row] = []
    starts = set()
    before = ""
    for label, one in measured:
        head = label.split(":")[0]
        if before and head != before:
            starts.add(len(rows))
        before = head
        rows.append(Row((label, f"{one.n:,}" if one.n else "—", *_seeds(one)), _kind(one)))
    folded = name.endswith("-seeds")
    return Table(name, title, ("system and set", "tests", *_SEEDS), rows, notes, 1, frozenset(starts), folded)


def _seeds(one: Measured) -> tuple[str, ...]:
    return one.mean, one.least, one.each, one.trained, one.tested


def _answering(ours: Iterable[Measured]) -> tuple[str, ...]:
    """Say who answers for NeSS."""
    engines = {one.engine for one in ours if one.system == NESS and one.shares}
    notes = {
        "controller": "NeSS answers by its network alone, greedily, without search.",
        "rules": "NeSS answers by its weighed rules here; no network was trained on them.",
    }
    return tuple(notes[engine] for engine in sorted(engines & notes.keys()))


def _rules(results: Results, task: str) -> Measured:
    return results.measured(NESS, task, part="rules")


def _kind(one: Measured) -> str:
    return OURS if one.system == NESS else BASELINE if one.system in SYSTEMS else PAPER


def _cfg_tasks() -> list[str]:
    return [cfg_task(language, variant) for language in LANGUAGES for variant in VARIANTS]


def _cfg_tests() -> tuple[str, ...]:
    return "train", *(f"test-{length}" for length in TEST_LENGTHS)


def _set_name(test: str) -> str:
    return "Training" if test == "train" else test.capitalize()


def _figure(value: float | None) -> str:
    """Show a figure as the paper prints it."""
    return "—" if value is None else f"{value:g}"
