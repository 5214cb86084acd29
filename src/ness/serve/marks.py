"""What is to be said about each line of examples: incomplete, repeated, contradictory, suspicious, by heart."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ness.answer.engine import AnyEngine, translate
from ness.answer.rule_engine import RuleEngine, known_words
from ness.data.example import Example
from ness.data.spelling import PLAIN, Spelling
from ness.machine import Word, without_boundaries
from ness.model.model import Model
from ness.rules.categories import equivalence_classes
from ness.rules.table import Categories, RuleTable
from ness.serve.pins import Pin
from ness.serve.rule_list import Traces, examples_behind, rules_used

_CHECKED = 20_000  # traces read again, all in all, to find suspicious lines
_LONGEST = 1_000  # tokens of what was expected


@dataclass(frozen=True, slots=True)
class Line:
    """An example as a person typed it; it keeps its number while lines around it come and go."""

    id: int
    source: str
    target: str

    def example(self, spelling: Spelling) -> Example | None:
        """Return the example; None while one side is missing."""
        source, target = spelling.split(self.source), spelling.split_target(self.target)
        return Example(source, target) if source and target else None


@dataclass(frozen=True, slots=True)
class Mark:
    """A remark on a line, with its reason in words."""

    kind: str  # "incomplete", "repeated", "contradictory", "suspicious", "unsolved", "by heart" or "against a rule"
    reason: str


Marks = dict[int, list[Mark]]


def marks_of_text(lines: Sequence[Line], spelling: Spelling = PLAIN) -> Marks:
    """Find what can be seen without learning."""
    marks: Marks = defaultdict(list)
    places: dict[tuple[Word, ...], dict[tuple[str, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, line in enumerate(lines, 1):
        example = line.example(spelling)
        if example is None:
            if line.source.strip() or line.target.strip():
                missing = "output" if line.source.strip() else "input"
                marks[line.id].append(Mark("incomplete", f"The {missing} is missing; the line is not learned."))
            continue
        if earlier := places[example.source][example.target]:
            marks[line.id].append(Mark("repeated", f"The same as line {earlier[0]}."))
        earlier.append(place)
    for targets in places.values():
        if len(targets) > 1:
            for target, numbers in targets.items():
                others = [(other, rival) for rival, found in targets.items() if rival != target for other in found]
                said = " and ".join(f"“{spelling.join(rival)}” on line {other}" for other, rival in others[:2])
                for number in numbers:
                    reason = f"The same input has the output {said}."
                    marks[lines[number - 1].id].append(Mark("contradictory", reason))
    return marks


def marks_of_model(lines: Sequence[Line], model: Model, pinned: AnyEngine, pins: Sequence[Pin]) -> Marks:
    """Find what learning tells about the lines that it was given."""
    summary = model.summary
    marks: Marks = defaultdict(list)
    if summary is None:
        return marks
    unsolved, memorised = set(summary.unsolved), set(summary.memorised)
    expected = _expected(model, {example.source for example in (*unsolved, *memorised)})
    expected |= {suspect.example.source: suspect.expected for suspect in summary.suspicious}
    for line in lines:
        example = line.example(model.spelling)
        if example is None:
            continue
        said = expected.get(example.source)
        if said and said != example.target:
            reason = f"The other examples lead to “{model.spelling.join(said)}”. Is this line right?"
            marks[line.id].append(Mark("suspicious", reason))
        if example in unsolved:
            reason = "No rules were found that give this output and those of the other lines."
            marks[line.id].append(Mark("unsolved", reason))
        elif example in memorised:
            reason = "Learned as a whole: it does not follow from parts, and teaches nothing about other inputs."
            marks[line.id].append(Mark("by heart", reason))
    for line_id, reason in _against_pins(lines, model, pinned, pins):
        marks[line_id].append(Mark("against a rule", reason))
    return marks


def _expected(model: Model, odd: set[tuple[Word, ...]]) -> dict[tuple[Word, ...], tuple[str, ...]]:
    """Say what the rules of all other examples give, where they give anything that examples support.

    Asked about odd sources, and about those that alone stand behind one of their rules: a wrong line needs its own.
    """
    traces = list(model.traces())
    behind = examples_behind(model.table, traces)
    alone = {without_boundaries(sources[0]) for sources in behind.values() if len(sources) == 1}
    expected = {}
    for source in sorted(odd | alone)[: _CHECKED // max(1, len(traces))]:
        others = [trace for trace in traces if without_boundaries(trace[0]) != source]
        (answer,) = translate(RuleEngine(_table_of(others, bool(model.table.contexts))), [source], _LONGEST)
        if answer.output is not None and answer.support > 0:
            expected[source] = answer.output
    return expected


def _table_of(traces: Traces, contextual: bool) -> RuleTable:
    """Read rules and categories off traces: a wrong line may have kept its words out of their category."""
    table = RuleTable.from_traces(traces, Categories())
    decisions = {
        status: max(counts, key=lambda operator: counts[operator]) for status, counts in table.operators.items()
    }
    groups: dict[Word, list[Word]] = defaultdict(list)
    for word, representative in equivalence_classes(decisions, set(known_words(table))).items():
        groups[representative].append(word)
    return RuleTable.from_traces(traces, Categories(groups.values()), contextual)


def _against_pins(lines: Sequence[Line], model: Model, pinned: AnyEngine, pins: Sequence[Pin]) -> list[tuple[int, str]]:
    """Name the examples that were solved, and whose output a pinned or forbidden rule changes."""
    if not pins:
        return []
    traces = {without_boundaries(source): (source, program) for source, program in model.traces()}
    complete = [
        (line, example) for line in lines if (example := line.example(model.spelling)) and example.source in traces
    ]
    answers = translate(pinned, [example.source for _, example in complete])
    found = []
    for (line, example), answer in zip(complete, answers, strict=True):
        if answer.output == example.target:
            continue
        used = {key[:2] for key in rules_used(model.table, *traces[example.source])}
        guilty = [pin for pin in pins if (pin.kind, pin.left) in used]
        if guilty:
            done = "pinned" if guilty[0].action == "pin" else "forbidden"
            said = "refused" if answer.output is None else f"“{model.spelling.join(answer.output)}”"
            found.append((line.id, f"With the {done} rule “{guilty[0]}” this input is {said}."))
    return found
