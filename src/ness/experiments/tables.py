"""The paper's tables with our figures in them, and tables of every seed."""

from collections.abc import Callable, Iterable, Sequence

from ness.experiments import paper
from ness.experiments.datasets import SAMPLE
from ness.experiments.experiments import ABLATED_SPLITS, COGS_SETS, SAMPLE_SIZES, SPLITS, ablation_names
from ness.experiments.explanations import Deviation, deviation, explained
from ness.experiments.learned_rules import category_tables, rule_tables
from ness.experiments.parsing_tables import parsing_tables
from ness.experiments.spec import NESS, SYSTEMS
from ness.experiments.summary import Measurement, Results
from ness.experiments.systems.registry import knows_more
from ness.experiments.table import BASELINE, OURS, PAPER, Row, Table
from ness.experiments.table_parts import BY_TITLE, answering, figure_of, kind_of, with_published

_SEEDS = ("mean", "min", "every seed", "train s", "test s")
_SPLIT_NAMES = {"length": "Length", "around_right": "Around right", "jump": "Jump", "simple": "Simple"}
_MEASURED = "Measured here (percent of outputs that are exactly right)"


def tables_of(name: str, results: Results) -> list[Table]:
    """Make the tables that go by a name."""
    return _TABLES[name](results)


def _scan(results: Results) -> list[Table]:
    names = with_published([f"scan/{split}" for split in SPLITS], paper.SCAN, results)
    rows = []
    notes = [
        "Beside each figure of ours, the mean over all seeds, the paper's. Knows more: what a system is told beyond "
        "the training set."
    ]
    found: list[Deviation | None] = []
    detailed = []
    for name in names:
        system = BY_TITLE.get(name, "")
        cells = []
        for split in SPLITS:
            one = results.measured(system, f"scan/{split}")
            published = paper.SCAN.get(name, {}).get(split)
            cells += [one.mean, figure_of(published)]
            found.append(deviation(one, published))
            if one.shares:
                detailed.append((f"{name}: {_SPLIT_NAMES[split]}", one))
        run = system in results.systems()
        kind = OURS if run and system == NESS else BASELINE if run else PAPER
        rows.append(Row((name, knows_more(system) or "—", *cells), kind))
    columns = ("system", "knows more", *(cell for split in SPLITS for cell in (_SPLIT_NAMES[split], "paper")))
    rules = [(f"NeSS, rules alone: {_SPLIT_NAMES[split]}", _rules(results, f"scan/{split}")) for split in SPLITS]
    notes += [*answering(one for _, one in detailed), *explained(found)]
    detailed += [pair for pair in rules if pair[1].shares]
    return [
        Table("scan", "SCAN: test accuracy", columns, rows, tuple(notes), 2),
        _seeds_table("scan-seeds", f"SCAN: {_MEASURED.lower()}", detailed),
    ]


def _fewshot(results: Results) -> list[Table]:
    measured = [(SYSTEMS[system], results.measured(system, "fewshot")) for system in results.systems("fewshot")]
    title = "Few-shot learning of instructions: test accuracy"
    return [_against("fewshot", title, paper.FEWSHOT, measured, answering(one for _, one in measured))]


def _translation(results: Results) -> list[Table]:
    semantic = _translated(results, "semantic")
    exact = _translated(results, "exact")
    published = {name: sum(values) / len(values) for name, values in paper.TRANSLATION_EXACT.items()}
    runs = ", ".join(figure_of(value) for value in paper.TRANSLATION_EXACT["NeSS"])
    who = answering(one for name, one in exact if name == SYSTEMS[NESS])
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


def _translated(results: Results, figure: str) -> list[tuple[str, Measurement]]:
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
        *answering(one for label, one in measured if label.startswith("NeSS:")),
    )
    return [_seeds_table("efficiency", "Efficiency: accuracy on the rest of SCAN", measured, notes)]


_TABLES: dict[str, Callable[[Results], list[Table]]] = {
    "scan": _scan,
    "fewshot": _fewshot,
    "translation": _translation,
    "cfg": parsing_tables,
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
    measured: Sequence[tuple[str, Measurement]],
    notes: tuple[str, ...] = (),
) -> Table:
    """Set published figures and ours in one table, with a column for every seed."""
    told = any(knows_more(one.system) for _, one in measured)
    ours = dict(measured)
    rows = []
    found: list[Deviation | None] = []
    for system in [*ours, *(one for one in published if one not in ours)]:
        one = ours.get(system)
        known = ((knows_more(one.system) if one else "") or "—",) if told else ()
        figures = _seeds(one) if one else ("—",) * len(_SEEDS)
        rows.append(Row((system, *known, figure_of(published.get(system)), *figures), kind_of(one) if one else PAPER))
        found.append(deviation(one, published.get(system)) if one else None)
    columns = ("system", *(("knows more",) if told else ()), "paper", *_SEEDS)
    return Table(name, title, columns, rows, (*notes, *explained(found)), 1 + told)


def _seeds_table(
    name: str, title: str, measured: Iterable[tuple[str, Measurement]], notes: tuple[str, ...] = ()
) -> Table:
    rows: list[Row] = []
    starts = set()
    before = ""
    for label, one in measured:
        head = label.split(":")[0]
        if before and head != before:
            starts.add(len(rows))
        before = head
        rows.append(Row((label, f"{one.n:,}" if one.n else "—", *_seeds(one)), kind_of(one)))
    folded = name.endswith("-seeds")
    return Table(name, title, ("system and set", "tests", *_SEEDS), rows, notes, 1, frozenset(starts), folded)


def _seeds(one: Measurement) -> tuple[str, ...]:
    return one.mean, one.least, one.each, one.trained, one.tested


def _rules(results: Results, task: str) -> Measurement:
    return results.measured(NESS, task, part="rules")
