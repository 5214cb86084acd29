"""One run: train a system and measure it, here or as a job somewhere else."""

import math
import os
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ness.data import Example, Task
from ness.execute.jobs import Say
from ness.experiments.datasets import FileData, limited, load_run, show_case
from ness.experiments.environment import machine, usable_device
from ness.experiments.measure import MISTAKES, Answering, Checked, measure
from ness.experiments.spec import NESS, RunSpec
from ness.settings import resolve

if TYPE_CHECKING:
    from ness.answer.engine import AnyEngine
    from ness.experiments.systems.interface import System
    from ness.model.model import Model

MODEL, LOG = "model", "log.txt"
_CURVE = 200  # points of a learning curve that are kept
_CHECKED = 1000  # training examples that NeSS is asked again
_RULES = 400  # REDUCE rules that are kept, the most used ones
_HEARD = 2.0  # seconds between two looks at the log
_TAIL = 400  # bytes of a log that its last line is looked for in


@dataclass(frozen=True)
class RunResult:
    """What comes back from a run: figures, where they were measured, and the files if they were made elsewhere."""

    outcome: dict[str, Any]
    seconds: float
    machine: dict[str, str]
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class RunWork:
    """Does runs as jobs. What all of them need is in here, and so goes to another machine only once."""

    folder: Path | None  # of all runs; None where jobs do not see the files of this process
    workers: int = 1  # processes of a search
    device: str = "cpu"
    data: FileData = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=lambda: environment())

    def __call__(self, spec: RunSpec, say: Say) -> RunResult:
        """Train and measure with a log; what it says last is told."""
        os.environ.update(self.environment)
        started = time.perf_counter()
        with self._place(spec) as folder, _logged(folder / LOG, say):
            outcome = execute(spec, folder, self.workers, self.device, self.data)
            seconds = time.perf_counter() - started
            place = machine() | ({"GPU": outcome["gpu"]} if outcome.get("gpu") else {})
            return RunResult(outcome, seconds, place, {} if self.folder else _files(folder))

    @contextmanager
    def _place(self, spec: RunSpec) -> Iterator[Path]:
        if self.folder is None:
            with tempfile.TemporaryDirectory(prefix="ness-") as temporary:
                yield Path(temporary)
        else:
            folder = self.folder / spec.folder
            folder.mkdir(parents=True, exist_ok=True)
            yield folder


def environment() -> dict[str, str]:
    """What figures depend on: several runs have one thread each, else they would wait for each other."""
    given = {name: os.environ[name] for name in ("OMP_NUM_THREADS", "NESS_DATA") if name in os.environ}
    return {"OMP_NUM_THREADS": "1"} | given


@contextmanager
def _logged(path: Path, say: Say) -> Iterator[None]:
    """Write what is printed to a log, and tell its last line while it grows."""
    over = threading.Event()

    def listen() -> None:
        heard = ""
        while not over.wait(_HEARD):
            if (line := last_line(path)) != heard:
                heard = line
                say(line)

    with path.open("w", encoding="utf-8", buffering=1) as log, redirect_stdout(log), redirect_stderr(log):
        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            yield
        except Exception:
            traceback.print_exc()
            raise
        finally:
            over.set()
            listener.join()


def last_line(path: Path) -> str:
    """Return the last whole line of a log; nothing if there is none."""
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - _TAIL))
        lines = file.read().decode(errors="replace").split("\n")[:-1]
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _files(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder, to send them."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def execute(
    spec: RunSpec, folder: Path, workers: int = 1, device: str = "cpu", data: FileData = MappingProxyType({})
) -> dict[str, Any]:
    """Train and measure; return the figures as plain values."""
    task = load_run(spec, data)
    if spec.system == NESS:
        return _execute_ness(spec, task, folder / MODEL, workers)
    import torch

    from ness.experiments.systems.interface import Point, Training
    from ness.experiments.systems.registry import make

    def note(point: Point) -> None:
        reproduced = "" if point.accuracy is None else f", {point.accuracy:.1%} of training right"
        print(f"step {point.step:,} of {system.settings.steps:,}, loss {point.loss:.3g}{reproduced}", flush=True)

    device = usable_device(device)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))  # as figures depend on it
    system = make(spec.system, spec.task, spec.settings)
    limit = math.inf if spec.limit is None else spec.limit
    started = time.perf_counter()
    fit = system.fit(Training(task.train, spec.task, spec.seed, device, limit), note)
    seconds = time.perf_counter() - started
    print("testing", flush=True)
    return {
        "seconds": seconds,
        "ended": fit.ended,
        "steps": fit.steps,
        "training": fit.accuracy,
        "parameters": fit.parameters,
        "restarts": fit.restarts,
        "notes": fit.notes,
        "settings": asdict(system.settings),
        "gpu": gpu_name(device),
        "curve": _thinned([asdict(point) for point in fit.curve]),
        "sets": _measured(_system_answers(system, spec.task == "translation"), spec, task),
    }


def _execute_ness(spec: RunSpec, task: Task, out: Path, workers: int) -> dict[str, Any]:
    from ness.learn.events import LessonReport
    from ness.model.model import CONTROLLER, RULES
    from ness.model.train import train
    from ness.network.imitation import Progress

    config = resolve(spec.preset, spec.settings, spec.seed)
    config = replace(config, learner=replace(config.learner, workers=workers))
    if task.of_the_paper:
        config = replace(config, machine="paper")
    lessons: list[dict[str, Any]] = []
    curve: list[dict[str, Any]] = []

    def note(event: object) -> None:
        if isinstance(event, LessonReport):
            lessons.append(asdict(event))
        elif isinstance(event, Progress):
            point = {"step": event.step, "loss": event.loss, "accuracy": event.accuracy, "seconds": event.seconds}
            curve.append(point)

    started = time.perf_counter()
    model = train(
        task.train,
        config,
        out,
        task=spec.task,
        lessons=task.lessons,
        rules_only=spec.rules_only,
        device="cpu",
        progress=note,
    )
    seconds = time.perf_counter() - started
    # Tables name who answers: the network wherever one was trained, even where the rules answer by default. Where its
    # training may have been cut off, it is who answers the user.
    in_full = model.has_controller and spec.limit is None
    name = CONTROLLER if in_full else model.default_engine.name
    engine = model.engine(name)
    sets = _measured(_engine_answers(engine), spec, task)
    for figures in sets:
        figures["engine"] = name
    return {
        "seconds": seconds,
        "search_seconds": model.summary.seconds,
        "nodes": model.summary.nodes,
        "unsolved": len(model.summary.unsolved),
        "contradictory": len(model.summary.contradictory),
        "training": measure(_engine_answers(engine), "train", limited(task.train, _CHECKED))["exact"],
        "parameters": _parameters(model),
        "ended": model.network_note or "rules only",
        "curve": _thinned(curve),
        "lessons": lessons,
        "sets": sets,
        "rules": _measured(_engine_answers(model.engine(RULES)), spec, task) if name != RULES else [],
        "default_engine": model.default_engine._asdict(),
        "categories": [list(members) for members in model.table.categories.classes],
        "reduce": _reduce_rules(model),
        "trace": _trace(engine, task),
    }


def _measured(answers: Answering, spec: RunSpec, task: Task) -> list[dict[str, Any]]:
    figures = []
    for one in spec.sets:
        if one.name == "gen" and one.name not in task.tests:
            continue  # it is not published with the training files of every copy
        examples: Sequence[Example] = task.train if one.name == "train" else task.tests[one.name]
        some = limited(examples, one.limit)
        figures.append(measure(answers, one.name, some, semantic=spec.task == "translation"))
    return figures


def _engine_answers(engine: "AnyEngine") -> Answering:
    from ness.answer.engine import translate

    def answers(examples: Sequence[Example]) -> list[Checked]:
        answered = translate(engine, [example.source for example in examples])
        return [
            (answer.output == example.target, answer.error or " ".join(answer.output or ()))
            for answer, example in zip(answered, examples, strict=True)
        ]

    return answers


def gpu_name(device: str) -> str | None:
    """Name the accelerator, if one is used."""
    import torch

    return torch.cuda.get_device_name(device) if device.startswith("cuda") else None


def _system_answers(system: "System", words: bool) -> Answering:
    """Score without decoding, which is much faster; decode only where the words of an answer matter."""

    def answers(examples: Sequence[Example]) -> list[Checked]:
        right = system.correct(examples)
        wrong = [number for number, exact in enumerate(right) if not exact][: None if words else MISTAKES]
        said = system.predict([examples[number].source for number in wrong])
        told = {number: None if one is None else " ".join(one) for number, one in zip(wrong, said, strict=True)}
        return [(exact, told.get(number)) for number, exact in enumerate(right)]

    return answers


def _parameters(model: "Model") -> int:
    return sum(one.numel() for one in model.network.parameters()) if model.network is not None else 0


def _reduce_rules(model: "Model") -> list[dict[str, Any]]:
    """List REDUCE rules with the traces behind them and their share among the rules of the same words."""
    rules: list[dict[str, Any]] = []
    for frame, phrases in model.table.reduce.items():
        total = sum(phrases.values())
        for phrase, count in phrases.items():
            rule = {"words": " ".join(frame), "phrase": " ".join(phrase), "count": count, "share": count / total}
            rules.append(rule)
    rules.sort(key=lambda rule: (-rule["count"], rule["words"], rule["phrase"]))
    return rules[:_RULES]


def _trace(engine: "AnyEngine", task: Task) -> dict[str, Any]:
    from ness.answer.engine import translate
    from ness.answer.explain import explain
    from ness.answer.trace_view import trace_json

    examples = next(iter(task.tests.values()))
    (answer,) = translate(engine, [show_case(examples).source])
    data: dict[str, Any] = trace_json(answer.source, *explain(engine, answer))
    return data | ({"error": answer.error} if answer.error else {})


def _thinned(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep at most so many points, the last one always."""
    step = -(-len(points) // _CURVE) or 1
    return points[::step] + ([points[-1]] if points and (len(points) - 1) % step else [])
