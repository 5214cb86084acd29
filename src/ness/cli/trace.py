"""`ness trace`: how a run translates an input, step by step."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

ENGINES = "Who decides: controller (the neural network) or rules (default: controller if trained)."
_MOST_STEPS = 1000  # that are drawn; each holds the whole stack


def trace(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a trained model.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The input.")],
    engine: Annotated[str | None, typer.Option(metavar="controller|rules", help=ENGINES)] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to step through, instead of drawing.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse what no training example supports.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the trace as one JSON object.")] = False,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
) -> None:
    """Show the execution: input, stack, memory, instruction and the reason for it.

    \b
    ness trace runs/scan-length "jump around right"
    ness trace runs/my "turn the light on" --html trace.html
    """
    from ness.answer.engine import translate
    from ness.answer.explain import refuse_unsupported
    from ness.answer.trace_view import answer_json
    from ness.cli.sources import choose_engine, engine_name, refuse_files, say
    from ness.errors import MachineError
    from ness.model.run_folder import load_run
    from ness.web import title_of

    model = load_run(run)
    refuse_files(model, "trace", [text])
    name, chosen = choose_engine(model, engine_name(model, engine), device)
    (answer,) = translate(chosen, [model.spelling.split(text)])
    if strict:
        answer = refuse_unsupported(chosen, answer)
    elif answer.error is None and answer.support == 0:
        say("answered beyond what the examples show (support 0); --strict refuses that")
    if answer.steps > _MOST_STEPS:
        say(f"the execution has {answer.steps} steps; the first {_MOST_STEPS} are shown")
    data = answer_json(chosen, answer, _MOST_STEPS)
    if html is not None:
        decided = "by the network" if name == "controller" else "by rules"
        _write_page(html, data, f"{title_of(answer.source)}, {decided}")
    elif as_json:
        print(json.dumps(data, ensure_ascii=False))
    else:
        _draw(data)
    if answer.error is not None:
        raise MachineError(answer.error)


def _write_page(path: Path, data: dict[str, Any], title: str) -> None:
    from ness.cli.sources import say
    from ness.files import write_output
    from ness.web import render_html

    write_output(path, render_html(data, title).encode())
    say(f"wrote {path}; open it in a browser")


def _draw(data: dict[str, Any]) -> None:
    """Draw in the terminal, with short reasons."""
    from rich.console import Console

    from ness.answer.explain import brief
    from ness.answer.trace_view import draw_trace

    steps = [{**step, "reason": brief(step["reason"])} for step in data["steps"]]
    draw_trace(Console(), {**data, "steps": steps})
