"""The whole at a glance: one line for each task."""

from collections.abc import Container, Iterator
from dataclasses import dataclass

from ness.data.parsing import LANGUAGES
from ness.experiments import paper
from ness.experiments.datasets import SAMPLE
from ness.experiments.experiments import SPLITS, cfg_task
from ness.experiments.rivals import OURS
from ness.experiments.spec import NESS, SYSTEMS
from ness.experiments.summary import Results
from ness.experiments.table import Row, Table

_SYSTEMS = (NESS, *OURS)
_HERE = tuple(SYSTEMS[system] for system in _SYSTEMS)
_COLUMNS = ("task", *_HERE, "NeSS in the paper", "seeds", "seconds")
_LENGTHS = (10, 1000, 5000)
_SAMPLED = (50, 200)


@dataclass(frozen=True, slots=True)
class _Line:
    title: str
    table: str
    task: str
    published: float | None
    test: str = "test"
    figure: str = "exact"


def overview_table(results: Results, tables: Container[str]) -> Table:
    """List the tasks of some tables."""
    rows = []
    for line in _lines():
        ours, *others = (results.measured(one, line.task, line.test, figure=line.figure) for one in _SYSTEMS)
        if ours.shares and line.table in tables:
            published = "—" if line.published is None else f"{line.published:g}"
            figures = (*(one.mean for one in (ours, *others)), published)
            title = line.title + (" (rules alone)" if ours.engine == "rules" else "")
            rows.append(Row((title, *figures, str(len(ours.shares)), ours.trained)))
    notes = (
        "Percent of right outputs, the mean over all seeds. Parsing is learned from 150 inputs of about 10 tokens. "
        "Seeds and seconds (search and training of one run) are those of NeSS.",
    )
    return Table("overview", "At a glance", _COLUMNS, rows, notes)


def _lines() -> Iterator[_Line]:
    for split in SPLITS:
        yield _Line(f"SCAN, {split.replace('_', ' ')}", "scan", f"scan/{split}", paper.SCAN["NeSS"][split])
    yield _Line("few-shot instructions", "fewshot", "fewshot", paper.FEWSHOT["NeSS"])
    meant = paper.TRANSLATION_SEMANTIC["NeSS"]
    yield _Line("translation, by meaning", "translation", "translation", meant, figure="semantic")
    for language in LANGUAGES:
        for length in _LENGTHS:
            test = f"test-{length}"
            published = paper.CFG[language, "curriculum"][test][0]
            title = f"{language.capitalize()}-Lang, {length:,} tokens"
            yield _Line(title, "cfg", cfg_task(language, "curriculum"), published, test)
    for size in _SAMPLED:
        yield _Line(f"SCAN from {size} short commands", "efficiency", f"{SAMPLE}{size}", None)
