"""`ness predict`: translate arguments or the lines of standard input."""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ness.answer.answers import Answer
    from ness.answer.beam import Candidate

ENGINES = "Who answers: controller (the neural network), rules, or both if they agree (default: controller if trained)."
Candidates = Callable[[tuple[str, ...]], "list[Candidate]"]


def predict(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a trained model.")],
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]...", help="Inputs; without any, the lines of standard input.")
    ] = None,
    engine: Annotated[str | None, typer.Option(metavar="controller|rules|both", help=ENGINES)] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One JSON object a line, with support and trace.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse what no training example supports.")] = False,
    unknown: Annotated[
        str,
        typer.Option(metavar="error|copy", help="Refuse unknown words, or write them as they are."),
    ] = "error",
    n_best: Annotated[int, typer.Option("--n-best", min=1, help="Print that many answers, separated by tabs.")] = 1,
    beam: Annotated[
        int | None, typer.Option(min=1, metavar="WIDTH", help="Find the likeliest answer by a beam, not greedily.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
) -> None:
    """Translate; one answer a line, in the order of the inputs.

    Where there is no answer the line is empty (or a JSON object with the error), the reason goes to standard
    error, and the exit code is 1.

    \b
    ness predict runs/my "turn the light on"
    ness predict runs/my < inputs.txt > outputs.txt
    ness predict runs/my --jsonl --strict "turn the light on" | jq .support
    """
    from ness.cli.sources import refuse_files, say
    from ness.model.run_folder import load_run

    model = load_run(run)
    if unknown != "copy":
        refuse_files(model, "predict", texts or ())
    translate_one, candidates = _translators(model, engine, unknown, strict, n_best, beam, device)
    failed = False
    extrapolated = 0
    for number, line in enumerate(texts if texts else _lines(), 1):
        source = tuple(line.split())
        answer = translate_one(source)
        found = candidates(source)[:n_best] if candidates and answer.error is None else []
        if answer.error is not None:
            failed = True
            say(f"line {number}: {answer.error}")
        elif answer.support == 0:
            extrapolated += 1
        print(_record(answer, found) if jsonl else _text(answer, found), flush=True)
    if extrapolated:
        say(f"{extrapolated} answered beyond what the examples show (support 0); --strict refuses that")
    if failed:
        raise typer.Exit(1)


def _translators(
    model: Any, engine: str | None, unknown: str, strict: bool, n_best: int, beam: int | None, device: str
) -> "tuple[Callable[[tuple[str, ...]], Answer], Candidates | None]":
    """Return what translates one source, and what finds several answers if these are asked for."""
    from ness.answer.engine import SourceEngine, translate
    from ness.answer.explain import refuse_unsupported
    from ness.answer.n_best import WIDTH, BeamDecoder
    from ness.answer.noisy_engine import CopyUnknown
    from ness.cli.sources import choose_engine
    from ness.errors import ConfigError

    _, chosen = choose_engine(model, engine, device)
    if unknown not in ("error", "copy"):
        raise ConfigError(f"Unknown value '{unknown}' of --unknown; use error or copy")
    if unknown == "copy":
        if isinstance(chosen, SourceEngine):
            raise ConfigError("This network looks beyond the status; --unknown copy works with --engine rules")
        chosen = CopyUnknown(chosen)
    other = model.engine("rules") if engine == "both" else None

    def translate_one(source: tuple[str, ...]) -> "Answer":
        (answer,) = translate(chosen, [source])
        if other is not None:
            answer = _agreed(answer, translate(other, [source])[0])
        return refuse_unsupported(chosen, answer) if strict else answer

    if n_best == 1 and beam is None:
        return translate_one, None
    decoder = BeamDecoder(chosen, max(beam or WIDTH, n_best))
    return translate_one, decoder.candidates


def _agreed(answer: "Answer", second: "Answer") -> "Answer":
    """Refuse an answer that the rules do not give."""
    from dataclasses import replace

    if answer.output == second.output:
        return answer
    said = [" ".join(each.output) if each.output is not None else each.error for each in (answer, second)]
    return replace(answer, output=None, error=f"controller and rules disagree: {said[0]} | {said[1]}")


def _lines() -> Iterable[str]:
    """Read standard input line by line; what is not UTF-8 is replaced and so becomes an unknown word."""
    for number, line in enumerate(sys.stdin.buffer):
        text = line.decode("utf-8", errors="replace").rstrip("\r\n")
        yield text.removeprefix("\ufeff") if number == 0 else text


def _text(answer: "Answer", found: "list[Candidate]") -> str:
    if found:
        return "\t".join(" ".join(candidate.output) for candidate in found)
    return " ".join(answer.output or ())


def _record(answer: "Answer", found: "list[Candidate]") -> str:
    """Write an answer as JSON on one line."""
    from ness.answer.beam import Candidate

    best = found[0] if found else Candidate(answer.output or (), answer.probability)
    record: dict[str, Any] = {"source": " ".join(answer.source), "status": "ok" if answer.error is None else "error"}
    if answer.error is not None:
        record |= {"output": None, "error": answer.error}
    else:
        record |= {"output": " ".join(best.output), "support": answer.support, "probability": best.probability}
    if found:
        record["candidates"] = [{"output": " ".join(one.output), "probability": one.probability} for one in found]
    record["trace"] = [str(instruction) for instruction in answer.program()]
    return json.dumps(record, ensure_ascii=False)
