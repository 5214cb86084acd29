"""The summary at the end of training: what was learned, what was not, and what to do about it."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ness.answer.engine import translate
from ness.answer.explain import refuse_unsupported
from ness.data import Example, is_task
from ness.rules.advice import advise

if TYPE_CHECKING:
    from ness.model.model import Model

_SHOWN = 5  # examples of each kind
_LINE = 110  # characters of an example
_ASKED = 1000  # unsolved examples that are asked again


def print_summary(model: "Model", folder: Path, data_dir: Path | None = None) -> None:
    """Print what a person can act on; `data_dir` is where the files of a task are, if it was named."""
    summary, table = model.summary, model.table
    print(f"solved         {summary.solved} of {summary.examples} examples, in {summary.seconds:.1f} s")
    weighed = model.weighed
    given_up = "no rules were found that give these targets" if summary.complete else "no rules were found so far"
    reason = "the likeliest translation is another one" if weighed else given_up
    _list("unsolved", summary.unsolved, reason)
    _list("by heart", summary.memorised, "learned as they are; they teach nothing about other inputs")
    if not summary.complete:
        print("search         ended by the time limit; go on with --resume and a larger --time-limit")
    if (summary.unsolved or summary.memorised) and not weighed:
        for number, line in enumerate(_what_to_expect(model)):
            print(f"{'' if number else 'so':14} {line}")
        otherwise = "" if summary.complete else "if that does not help: "
        print(
            f"to mend        {otherwise}add shorter examples of the same constructs, one at a time (docs/own-data.md);"
        )
        longest = model.config.search.max_reduce_length
        print(f"{'':14} if a word stands for more than {longest} tokens: --set search.max_reduce_length={longest + 2};")
        print(f"{'':14} what stays unsolved however short it is, the machine may not be able to express")
    _list("contradictory", summary.contradictory, "left out: the same source has another target too")
    classes = table.categories.classes
    print(f"categories     {len(classes)}" + "".join(f"  {{{_cut(' '.join(words), 40)}}}" for words in classes[:6]))
    operators = len({table.categories.status(status) for status in table.operators})
    print(f"rules          {operators} for operators, {len(table.reduce)} for REDUCE, {len(table.concat)} for CONCAT")
    if model.network_note:
        print(f"network        {model.network_note}")
    _print_advice(model)
    print(f"model          {folder}")
    print(f"next           {_next(model, folder, data_dir)}")


def _list(name: str, examples: Sequence[Example], meaning: str) -> None:
    """Print examples of one kind, if there are any."""
    if not examples:
        return
    print(f"{name:14} {len(examples)}, {meaning}")
    for source, target in examples[:_SHOWN]:
        print(f"  {_cut(' '.join(source))} -> {_cut(' '.join(target))}")
    if len(examples) > _SHOWN:
        print(f"  and {len(examples) - _SHOWN} more, in summary.json")


def _what_to_expect(model: "Model") -> list[str]:
    """Say how far a model is useful that does not solve all its examples."""
    summary, lines = model.summary, []
    if summary.unsolved:
        use = "partly useful" if summary.solved else "of no use yet"
        lines.append(f"this model is {use}: its rules are right on {summary.solved} of {summary.examples} examples")
        lines.append(_what_is_refused(model, summary.unsolved[:_ASKED]))
    if summary.memorised:
        lines.append("what was learned by heart is right as it stands, but refused or wrong in longer inputs")
    return lines


def _what_is_refused(model: "Model", examples: Sequence[Example]) -> str:
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


def _print_advice(model: "Model") -> None:
    """Name what rests on little evidence, with the examples concerned."""
    if model.weighed:
        return  # in ambiguous data nearly everything is ambiguous
    advice = advise(model.table, model.traces())
    if not advice:
        return
    print("to add         examples like these: what they teach was seen once or is ambiguous (● is a translated part)")
    for one in advice[:_SHOWN]:
        print(f"  {'; '.join(_cut(' '.join(source), 60) for source in one.sources)}")
        print(f"    {_cut(one.problem)}")
    if len(advice) > _SHOWN:
        print(f"  and {len(advice) - _SHOWN} more; ness rules shows all counts")


def _next(model: "Model", folder: Path, data_dir: Path | None) -> str:
    run = shlex.quote(str(folder))
    if not model.summary.solved:
        return "check the examples: short ones first, one construct at a time (docs/own-data.md)"
    if is_task(model.summary.task):
        return f"ness eval {run}" + (f" --data {shlex.quote(str(data_dir))}" if data_dir else "")
    source = next(iter(model.traces()))[0]
    return f"ness predict {run} {shlex.quote(' '.join(source))}"


def _cut(text: str, width: int = _LINE) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
