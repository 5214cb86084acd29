"""`ness predict`: translate arguments or the lines of standard input."""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ness.answer.engine import AnyEngine
    from ness.answer.n_best import WeighedAnswer
    from ness.model.model import Model

ENGINES = "Who answers: controller (the neural network), rules, or both if they agree (default: controller if trained)."
Join = Callable[[Iterable[str]], str]  # puts the tokens of an output together
Translator = Callable[[tuple[str, ...]], "list[WeighedAnswer]"]


def predict(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a trained model.")],
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]...", help="Inputs; without any, the lines of standard input.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Inputs: the source column of a table, JSON lines, or all lines."),
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
    ness predict runs/my --file inputs.csv
    ness predict runs/my --jsonl --strict "turn the light on" | jq .support
    """
    from ness.cli.sources import refuse_files, say
    from ness.data.files import read_sources
    from ness.errors import ConfigError
    from ness.model.run_folder import load_run

    model = load_run(run)
    if file is not None and texts:
        raise ConfigError("give inputs as arguments or in --file, not both")
    if unknown != "copy":
        refuse_files(model, "predict", texts or ())
    answers_of = _translator(model, engine, unknown, strict, n_best, beam, device)
    failed = False
    extrapolated = 0
    split, join = model.spelling.split, model.spelling.join
    sources = read_sources(file, model.spelling) if file is not None else map(split, texts or _lines())
    for number, source in enumerate(sources, 1):
        found = answers_of(source)
        best = found[0].answer
        if best.error is not None:
            failed = True
            say(f"line {number}: {best.error}")
        extrapolated += best.error is None and best.support == 0
        several = n_best > 1 or beam is not None
        print(_record(found, several, join) if jsonl else _text(found, join), flush=True)
    if extrapolated:
        say(f"{extrapolated} answered beyond what the examples show (support 0); --strict refuses that")
    if failed:
        raise typer.Exit(1)


def _translator(
    model: "Model", engine: str | None, unknown: str, strict: bool, n_best: int, beam: int | None, device: str
) -> "Translator":
    """Return what finds the answers to one source, the likeliest first; a refusal is an answer too."""
    from ness.answer.copying import copy_unknown_words
    from ness.answer.engine import SourceEngine
    from ness.answer.explain import refuse_unsupported
    from ness.answer.n_best import WIDTH
    from ness.cli.sources import choose_engine
    from ness.errors import ConfigError

    _, chosen = choose_engine(model, engine, device)
    if unknown not in ("error", "copy"):
        raise ConfigError(f"Unknown value '{unknown}' of --unknown; use error or copy")
    if unknown == "copy":
        if isinstance(chosen, SourceEngine):
            raise ConfigError("This network looks beyond the status; --unknown copy works with --engine rules")
        chosen = copy_unknown_words(chosen, model.table, model.weighed)
    other = model.engine("rules") if engine == "both" else None
    if unknown == "copy" and other is not None and not isinstance(other, SourceEngine):
        other = copy_unknown_words(other, model.table, model.weighed)
    width = max(beam or WIDTH, n_best) if n_best > 1 or beam is not None else None
    decode = _decoder(chosen, width)
    decode_rules = None if other is None else _decoder(other, width)

    def answers_of(source: tuple[str, ...]) -> "list[WeighedAnswer]":
        found = decode(source)
        if decode_rules is not None:
            found = _agreed(found, decode_rules(source))
        if strict:
            found = [each._replace(answer=refuse_unsupported(chosen, each.answer)) for each in found]
        return [each for each in found if each.answer.error is None][:n_best] or found[:1]

    return answers_of


def _decoder(engine: "AnyEngine", width: int | None) -> "Translator":
    """Return what decodes one source, by a beam of `width` states or greedily."""
    from ness.answer.engine import translate
    from ness.answer.n_best import BeamDecoder, WeighedAnswer

    if width is not None:
        return BeamDecoder(engine, width).answers

    def greedily(source: tuple[str, ...]) -> "list[WeighedAnswer]":
        (answer,) = translate(engine, [source])
        return [WeighedAnswer(answer, answer.probability)]

    return greedily


def _agreed(found: "list[WeighedAnswer]", by_rules: "list[WeighedAnswer]") -> "list[WeighedAnswer]":
    """Keep the answers that the rules give too; none where the two put another one first."""
    from dataclasses import replace

    best, second = found[0].answer, by_rules[0].answer
    if best.output == second.output:
        also = {each.answer.output for each in by_rules}
        return [each for each in found if each.answer.output in also]
    said = [" ".join(each.output) if each.output is not None else each.error for each in (best, second)]
    refusal = replace(best, output=None, error=f"controller and rules disagree: {said[0]} | {said[1]}")
    return [found[0]._replace(answer=refusal)]


def _lines() -> Iterable[str]:
    """Read standard input line by line; what is not UTF-8 is replaced and so becomes an unknown word."""
    for number, line in enumerate(sys.stdin.buffer):
        text = line.decode("utf-8", errors="replace").rstrip("\r\n")
        yield text.removeprefix("\ufeff") if number == 0 else text


def _text(found: "list[WeighedAnswer]", join: Join) -> str:
    return "\t".join(join(each.answer.output or ()) for each in found)


def _record(found: "list[WeighedAnswer]", several: bool, join: Join) -> str:
    """Write answers as JSON on one line; support and trace are those of the first."""
    answer, probability = found[0]
    record: dict[str, Any] = {"source": answer.text, "status": "ok" if answer.error is None else "error"}
    if answer.error is not None:
        record |= {"output": None, "error": answer.error}
    else:
        record |= {"output": join(answer.output or ()), "support": answer.support, "probability": probability}
        if several:
            record["candidates"] = [
                {"output": join(each.output or ()), "probability": share, "support": each.support}
                for each, share in found
            ]
    record["trace"] = [str(instruction) for instruction in answer.program()]
    return json.dumps(record, ensure_ascii=False)
