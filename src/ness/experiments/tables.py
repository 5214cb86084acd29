"""The paper's tables with our figures in them, and tables of every seed."""

from collections.abc import Callable, Iterable, Sequence

from ness.data.parsing import LANGUAGES, TEST_LENGTHS, VARIANTS
from ness.experiments import paper
from ness.experiments.datasets import SAMPLE
from ness.experiments.experiments import ABLATED_SPLITS, COGS_SETS, SAMPLE_SIZES, SPLITS, ablation_names, cfg_task
from ness.experiments.explanations import differences
from ness.experiments.learned import category_tables, rule_tables
from ness.experiments.spec import NESS, SYSTEMS
from ness.experiments.summary import Measured, Results
from ness.experiments.systems.registry import knows_more
from ness.experiments.table import BASELINE, OURS, PAPER, Row, Table

_BY_TITLE = {title: name for name, title in SYSTEMS.items()}
_SEEDS = ("mean", "min", "every seed", "train s", "test s")
_SPLIT_NAMES = {"length": "Length", "around_right": "Around right", "jump": "Jump", "simple": "Simple"}
_VARIANT_NAMES = {"curriculum": "Curriculum", "std-10": "Std-10", "std-50": "Std-50"}
_MEASURED = "Measured here (percent of outputs that are exactly right)"


def tables_of(name: str, results: Results) -> list[Table]:
    """Make the tables that go by a name."""
    return _TABLES[name](results)


def _scan(results: Results) -> list[Table]:
    names = _with_published([f"scan/{split}" for split in SPLITS], paper.SCAN, results)
    rows = []
    notes = [
        "Beside each figure of ours, the mean over all seeds, the paper's. Knows more: what a system is told beyond "
        "the training set."
    ]
    detailed = []
    for name in names:
        system = _BY_TITLE.get(name, "")
        cells = []
        for split in SPLITS:
            one = results.measured(system, f"scan/{split}")
            published = paper.SCAN.get(name, {}).get(split)
            cells += [one.mean, _figure(published)]
            notes += differences(one, published)
            if one.shares:
                detailed.append((f"{name}: {_SPLIT_NAMES[split]}", one))
        run = system in results.systems()
        kind = OURS if run and system == NESS else BASELINE if run else PAPER
        rows.append(Row((name, knows_more(system) or "—", *cells), kind))
    columns = ("system", "knows more", *(cell for split in SPLITS for cell in (_SPLIT_NAMES[split], "paper")))
    rules = [(f"NeSS, rules alone: {_SPLIT_NAMES[split]}", _rules(results, f"scan/{split}")) for split in SPLITS]
    notes += _answering(one for _, one in detailed)
    detailed += [pair for pair in rules if pair[1].shares]
    return [
        Table("scan", "SCAN: test accuracy", columns, rows, tuple(notes), 2),
        _seeds_table("scan-seeds", f"SCAN: {_MEASURED.lower()}", detailed),
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


def _cogs(results: Results) -> list[Table]:
    """The sets of COGS, and what is published on the one that it is judged by."""
    measured = [(f"NeSS: {name}", results.measured(NESS, "cogs", name)) for name in COGS_SETS]
    published = ", ".join(f"{name} {figure:g}" for name, figure in paper.COGS.items())
    notes = (
        "COGS without variables, learned from its training file. Own: generalisation tests made here from its "
        "development set (words in new roles, modifiers at the subject, one, two and five levels deeper).",
        f"Published on the generalisation set, gen (Kim & Linzen 2020): {published}; structured or augmented systems "
        "since then 80 to 99. It is measured where gen.tsv lies beside the other files.",
    )
    return [_seeds_table("cogs", "COGS: sentences to logical forms", measured, notes)]


def _cfg(results: Results) -> list[Table]:
    return [_cfg_table(results, main=True), _cfg_table(results, main=False), _cfg_seeds(results)]


def _cfg_table(results: Results, main: bool) -> Table:
    rows: list[Row] = []
    explained: list[str] = []
    starts = set()
    published_systems = paper.CFG_MAIN_SYSTEMS if main else paper.CFG_SYSTEMS
    names = _with_published(_cfg_tasks(), published_systems, results)
    for language in ("while",) if main else tuple(LANGUAGES):
        for variant in ("curriculum",) if main else VARIANTS:
            starts.add(len(rows))
            for test in paper.CFG_MAIN_ROWS if main else _cfg_tests():
                printed = paper.CFG[language, variant].get(test, ())
                published = dict(zip(paper.CFG_SYSTEMS, printed, strict=False))
                task = cfg_task(language, variant)
                cells = []
                for name in names:
                    one = results.measured(_BY_TITLE.get(name, ""), task, test)
                    cells.append(f"{one.mean} ({_figure(published[name])})" if name in published else one.mean)
                    explained += differences(one, published.get(name))
                rows.append(Row((f"{language.capitalize()}-Lang", _VARIANT_NAMES[variant], _set_name(test), *cells)))
    title = "Parsing: main table" if main else "Parsing: all training and test sets"
    more = [f"{name} {known}" for name in names if (known := knows_more(_BY_TITLE.get(name, "")))]
    curriculum = results.measured(NESS, cfg_task("while", "curriculum"), "test-10")
    notes = (
        "The mean over all seeds, and the paper's figure in brackets, where it has one. The table of every seed says "
        "how many inputs are behind each figure.",
        *((f"Knows more: {'; '.join(more)}.",) if more else ()),
        *_answering([curriculum]),
        *explained,
    )
    columns = ("language", "training", "test", *names)
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
    "cogs": _cogs,
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
    told = any(knows_more(one.system) for _, one in measured)
    ours = dict(measured)
    rows = []
    explained: list[str] = []
    for system in [*ours, *(one for one in published if one not in ours)]:
        one = ours.get(system)
        known = ((knows_more(one.system) if one else "") or "—",) if told else ()
        figures = _seeds(one) if one else ("—",) * len(_SEEDS)
        rows.append(Row((system, *known, _figure(published.get(system)), *figures), _kind(one) if one else PAPER))
        explained += differences(one, published.get(system)) if one else ()
    columns = ("system", *(("knows more",) if told else ()), "paper", *_SEEDS)
    return Table(name, title, columns, rows, (*notes, *explained), 1 + told)


def _with_published(tasks: Sequence[str], published: Iterable[str], results: Results) -> list[str]:
    """Name the systems of a table: NeSS, ours, then those of the paper in its order, then what only we have."""
    here = [SYSTEMS[system] for system in results.systems(*tasks)]
    first = [name for name in here if name == SYSTEMS[NESS] or name not in published]
    return list(dict.fromkeys([*first, *published]))


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
