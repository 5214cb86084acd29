"""A trace as plain data, and that data drawn in the terminal; the web page draws the same data."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ness.answer.answers import Answer
from ness.answer.engine import AnyEngine
from ness.answer.explain import explain
from ness.machine import (
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Item,
    Reduce,
    State,
    TraceStep,
    status_of,
    step,
    why_illegal,
    without_kind,
    word_positions,
)
from ness.machine.instructions import OWN

Json = dict[str, Any]

MAX_TOKENS = 8  # of a phrase; a longer one loses its middle
MAX_ITEMS = 8  # of a frame or the input; what is left is counted
MAX_FRAMES = 4  # of the stack, from the top
_NARROWEST = 60  # columns of a terminal; where there are fewer, the terminal breaks lines, not we words


def trace_json(
    source: Sequence[str], steps: Iterable[TraceStep], reasons: Iterable[Mapping[str, Any] | None] | None = None
) -> Json:
    """Return the trace as JSON-ready data; `reasons` says why each instruction was chosen.

    `output` is None where the trace does not end with FINAL, as after an illegal instruction.
    """
    trace = list(steps)
    rows = [_step_json(done, reason) for done, reason in zip(trace, reasons or repeat(None), strict=False)]
    return {"source": list(source), "output": _output(trace), "steps": rows}


def answer_json(engine: AnyEngine, answer: Answer, limit: int | None = None) -> Json:
    """Return an answer with its steps, at most `limit` of them, as data; of a refusal also where it stopped and why."""
    steps, reasons = explain(engine, answer, limit)
    data = trace_json(answer.source, steps, reasons)
    data["output"] = None if answer.output is None else list(answer.output)
    if answer.error is not None:
        data["error"] = answer.error
        if len(steps) == answer.steps:
            data["stopped"] = _state_json(step(*steps[-1]) if steps else State(answer.source))
    return data


def _output(trace: Sequence[TraceStep]) -> list[str] | None:
    if not trace or not isinstance(trace[-1].instruction, Final) or why_illegal(*trace[-1]):
        return None
    return list(trace[-1].state.stack[-1][0])


def _step_json(done: TraceStep, reason: Mapping[str, Any] | None) -> Json:
    state, instruction = done
    data = {
        **_state_json(state),
        "instruction": str(instruction),
        "operator": str(instruction.operator),
        "argument": _argument(instruction),
        "reason": None if reason is None else dict(reason),
    }
    if isinstance(instruction, ConcatS) and instruction.own:  # what the words that it names stand for, by position
        named = word_positions(status_of(state).top, instruction.parts)
        data["own"] = {str(place): list(phrase) for place, phrase in zip(named, instruction.own, strict=False)}
    return data


def _state_json(state: State) -> Json:
    return {
        "position": state.position,
        "stack": [[_item_json(item) for item in frame] for frame in state.stack],
        "memory": [_item_json(phrase) for phrase in state.memory],
    }


def _item_json(item: Item) -> Json:
    if isinstance(item, str):
        return {"word": item}
    kind = getattr(item, "kind", 0)
    return {"phrase": list(item), "kind": kind} if kind else {"phrase": list(item)}


def _argument(instruction: Instruction) -> list[str] | list[int | str]:
    match instruction:
        case Reduce(phrase):
            return list(phrase)
        case ConcatM(parts) | ConcatS(parts):
            return list(without_kind(parts))
    return []


def draw_trace(console: Console, trace: Json) -> None:
    """Draw each step: what is left of the input, the stack (top frame first), the memory, the instruction."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("step", justify="right", style="dim", no_wrap=True)
    for heading, ratio in (("input", 3), ("stack, top first", 5), ("memory", 4), ("instruction", 4)):
        table.add_column(heading, ratio=ratio, overflow="fold")
    for number, row in enumerate(trace["steps"], start=1):
        table.add_row(
            str(number),
            _input(trace["source"][row["position"] :]),
            _stack(row["stack"]),
            _frame(row["memory"]),
            _instruction(row),
        )
    console.width = max(_NARROWEST, console.width)
    console.print(table)
    if trace["output"] is not None:
        console.print(
            Text.assemble(("output ", "dim"), (" ".join(map(show_token, trace["output"])), "bold green")),
            soft_wrap=True,
        )


def abbreviate(tokens: Sequence[str], limit: int = MAX_TOKENS) -> str:
    """Join tokens; the middle of a long sequence becomes its length."""
    if len(tokens) <= limit:
        return " ".join(map(show_token, tokens))
    head, tail = tokens[: limit - limit // 2], tokens[len(tokens) - limit // 2 :]
    return " ".join((*map(show_token, head), f"…{len(tokens) - limit}…", *map(show_token, tail)))


def show_token(token: str) -> str:
    """Write a token as it is, or as a JSON string if it holds spaces, control characters or nothing."""
    plain = token.isprintable() and token and " " not in token
    return token if plain else json.dumps(token, ensure_ascii=not token.isprintable())


def _input(words: Sequence[str]) -> Text:
    left = f" …{len(words) - MAX_ITEMS} more" if len(words) > MAX_ITEMS else ""
    return Text(" ".join(map(show_token, words[:MAX_ITEMS])) + left) if words else Text("end", style="dim")


def _stack(frames: Sequence[Sequence[Json]]) -> Text:
    lines = [_frame(frame) for frame in reversed(frames[-MAX_FRAMES:])]
    if len(frames) > MAX_FRAMES:
        lines.append(Text(f"…{len(frames) - MAX_FRAMES} frames below", style="dim"))
    return Text("\n").join(lines)


def _frame(items: Sequence[Json]) -> Text:
    if not items:
        return Text("·", style="dim")
    shown = [_item(item) for item in items[-MAX_ITEMS:]]
    if len(items) > MAX_ITEMS:
        shown.insert(0, Text(f"…{len(items) - MAX_ITEMS}…", style="dim"))
    return Text(" ").join(shown)


def _item(item: Json) -> Text:
    if "word" in item:
        return Text(show_token(item["word"]))
    kind = f" ●{item['kind']}" if "kind" in item else ""
    return Text(f"[{abbreviate(item['phrase'])}{kind}]", style="green")


def _instruction(step: Json) -> Text:
    text = Text(step["operator"], style="bold cyan")
    if step["argument"]:
        words = [str(part) for part in step["argument"]]
        written = step["instruction"].removeprefix(step["operator"])
        own = "".join(f" {OWN} {abbreviate(phrase)}" for phrase in step.get("own", {}).values())
        text.append(written if len(words) <= MAX_TOKENS else f" {abbreviate(words)}{own}")
    if step["reason"]:
        text.append("\n" + ", ".join(f"{name} {_short(value)}" for name, value in step["reason"].items()), style="dim")
    return text


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
