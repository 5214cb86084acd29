"""How learning went, in words: what was learned, what not, and what to do about it. No torch here."""

from collections.abc import Mapping, Sequence

from ness.answer.engine import translate
from ness.answer.explain import refuse_unsupported
from ness.data.example import Example
from ness.machine import without_boundaries
from ness.model.hand_rules import contradictions
from ness.model.model import Model
from ness.model.obstacles import obstacles
from ness.model.summary import Summary
from ness.rules.advice import advise

Lines = Mapping[Example, int]  # where each example stands in its file

_SHOWN = 5  # examples of each kind
_SUSPECTS = 50  # lines that are probably wrong
_LINE = 110  # characters of an example
_ASKED = 1000  # unsolved examples that are asked again


def headline(summary: Summary) -> str:
    """Say first what was learned, or that it is next to nothing."""
    counts = outcome(summary)
    return f"next to nothing was learned: {counts}" if summary.next_to_nothing else f"learned        {counts}"


def outcome(summary: Summary) -> str:
    """Count what was learned, what only by heart, and what not at all."""
    parts = [f"{summary.learned} of {summary.examples} examples"]
    parts += [f"{len(summary.memorised)} by heart"] if summary.memorised else []
    parts += [f"{len(summary.unsolved)} unsolved"] if summary.unsolved else []
    parts += [f"{len(summary.suspicious)} suspicious"] if summary.suspicious else []
    return f"{', '.join(parts)}, in {summary.seconds:.1f} s"


def report(model: Model, lines: Lines | None = None) -> list[str]:
    """Say what a person can act on."""
    summary, table = model.summary, model.table
    lines = lines or {}
    found = [headline(summary)]
    given_up = "no rules were found that give these targets" if summary.complete else "no rules were found so far"
    reason = "the likeliest translation is another one" if model.weighed else given_up
    found += _listed("unsolved", summary.unsolved, reason, lines)
    found += _listed("by heart", summary.memorised, "learned as they are; they teach nothing about other inputs", lines)
    found += _suspects(summary, lines)
    if not summary.complete:
        found.append("search         ended by the time limit; go on with --resume and a larger --time-limit")
    if (summary.unsolved or summary.memorised) and not model.weighed:
        found += _block("so", _what_to_expect(model))
        if summary.complete:
            missing = [obstacle.text for obstacle in obstacles(model)]
            found += _block("missing", [*missing, "what the machine cannot express is in docs/limits.md"])
    found += _against_rules(model, lines)
    found += _listed("contradictory", summary.contradictory, "left out: the same source has another target too", lines)
    classes = table.categories.classes
    shown = "".join(f"  {{{cut(' '.join(words), 40)}}}" for words in classes[:6])
    found.append(f"categories     {len(classes)}{shown}")
    operators = len({table.categories.status(status) for status in table.operators})
    found.append(
        f"rules          {operators} for operators, {len(table.reduce)} for REDUCE, {len(table.concat)} for CONCAT"
    )
    if not model.weighed and model.config.machine == "extended":
        found.append(f"machine        {machine_used(summary)}")
    if model.network_note:
        found.append(f"network        {model.network_note}")
    if model.has_controller:
        chosen = model.default_engine
        who = "the network" if chosen.name == "controller" else "the rules"
        found.append(f"answers        {who}: {chosen.reason}")
    return found + _advice(model, lines)


def machine_used(summary: Summary) -> str:
    """Say which freedom the rules use, and how the others that solved the examples compare."""
    names = {"paper": "the paper's", "templates": "with templates", "long templates": "with long templates"}
    names |= {f"{name}, enclosed": f"{said}, inside what encloses every output" for name, said in names.items()}
    names["boundaries"] = "with templates, begin and end of the input as words"
    names["words"] = "with templates that name words, whose classes decide them"
    names["word positions"] = "with templates that name words, found by search"
    nats = {name: f"{length:.0f} nats" for name, length in summary.compared.items()}
    chosen = f" ({nats[summary.freedom]})" if summary.freedom in nats else ""
    others = "".join(f"; {names[name]}: {length}" for name, length in nats.items() if name != summary.freedom)
    return f"{names[summary.freedom]}{chosen}{others}"


def _listed(name: str, examples: Sequence[Example], meaning: str, lines: Lines) -> list[str]:
    """Show examples of one kind, if there are any."""
    if not examples:
        return []
    found = [f"{name:14} {len(examples)}, {meaning}"]
    found += [f"  {_place(example, lines)}{_pair(example)}" for example in examples[:_SHOWN]]
    return found + ([f"  and {len(examples) - _SHOWN} more, in summary.json"] if len(examples) > _SHOWN else [])


def _against_rules(model: Model, lines: Lines) -> list[str]:
    """Name the examples that rules by hand contradict."""
    against = contradictions(model)
    if not against:
        return []
    found = [f"against rules  {len(against)} examples, which rules by hand contradict"]
    found += [f"  {_place(each.example, lines)}{each}" for each in against[:_SHOWN]]
    return found + ([f"  and {len(against) - _SHOWN} more"] if len(against) > _SHOWN else [])


def _suspects(summary: Summary, lines: Lines) -> list[str]:
    """Name all lines that are probably wrong, in their order, each with the output that is expected."""
    if not summary.suspicious:
        return []
    ordered = sorted(summary.suspicious, key=lambda suspect: lines.get(suspect.example, 0))
    found = [f"suspicious     {len(ordered)}, probably wrong and not learned; --clean FILE writes the examples mended"]
    for suspect in ordered[:_SUSPECTS]:
        found.append(f"  {_place(suspect.example, lines)}{_pair(suspect.example)}")
        found.append(f"    expected: {cut(' '.join(suspect.expected))}")
    return found + ([f"  and {len(ordered) - _SUSPECTS} more, in summary.json"] if len(ordered) > _SUSPECTS else [])


def _place(example: Example, lines: Lines) -> str:
    return f"line {lines[example]}: " if example in lines else ""


def _pair(example: Example) -> str:
    return f"{cut(' '.join(example.source))} -> {cut(' '.join(example.target))}"


def _block(name: str, texts: Sequence[str]) -> list[str]:
    return [f"{'' if number else name:14} {text}" for number, text in enumerate(texts)]


def _what_to_expect(model: Model) -> list[str]:
    """Say how far a model is useful that does not solve all its examples."""
    summary, found = model.summary, []
    if summary.unsolved:
        use = "of hardly any use" if summary.next_to_nothing else "partly useful"
        found.append(f"this model is {use}: its rules are right on {summary.solved} of {summary.examples} examples")
        found.append(what_is_refused(model, summary.unsolved[:_ASKED]))
    if summary.memorised:
        found.append("what was learned by heart is right as it stands, but refused or wrong in longer inputs")
    return found


def what_is_refused(model: Model, examples: Sequence[Example]) -> str:
    """Ask unsolved examples again; count who refuses how many."""
    engine = model.engine()
    answers = translate(engine, [example.source for example in examples])
    refused = sum(answer.output is None for answer in answers)
    right = sum(answer.output == example.target for answer, example in zip(answers, examples, strict=True))
    answered = f"{len(examples) - refused - right} wrongly" + (f" and {right} rightly" if right else "")
    others = {"--strict": sum(refuse_unsupported(engine, answer).output is None for answer in answers)}
    if model.default_engine.name == "controller":
        by_rules = translate(model.engine("rules"), [example.source for example in examples])
        others["--engine rules"] = sum(answer.output is None for answer in by_rules)
    return (
        f"of {len(examples)} unsolved examples it refuses {refused} with a reason and answers {answered}; "
        f"{', '.join(f'with {how} it refuses {n}' for how, n in others.items())}"
    )


def _advice(model: Model, lines: Lines) -> list[str]:
    """Name what rests on little evidence, with the examples concerned; not where nearly everything does."""
    if model.weighed or model.summary.next_to_nothing:
        return []
    by_heart = {example.source for example in model.summary.memorised}
    traces = [trace for trace in model.traces() if without_boundaries(trace[0]) not in by_heart]
    advice = advise(model.table, traces)
    if not advice:
        return []
    places = {example.source: f"line {number}: " for example, number in lines.items()}
    found = ["to add         examples like these, with other words: what they teach rests on too few"]
    for one in advice[:_SHOWN]:
        sources = [without_boundaries(source) for source in one.sources]
        found += [f"  {places.get(source, '')}{cut(model.spelling.join_source(source))}" for source in sources]
        found.append(f"    {one.problem}")
    return found + ([f"  and {len(advice) - _SHOWN} more; ness rules shows all counts"] if len(advice) > _SHOWN else [])


def cut(text: str, width: int = _LINE) -> str:
    """Shorten a text to a line."""
    return text if len(text) <= width else text[: width - 1] + "…"
