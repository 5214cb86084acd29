"""The state of the paper's loop: the network with Adam's moments, and a JSON file; each is replaced atomically."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ness.config import Config
from ness.data.example import Example
from ness.errors import CheckpointError
from ness.files import write_atomically
from ness.learn.coding import CodedTrace, Sample
from ness.machine import Frames
from ness.machine.opcodes import FINAL
from ness.network.imitation import Agreement
from ness.network.trainer_state import load_state, save_state
from ness.paper.diagnosis import LessonDiagnosis
from ness.paper.moments import CodedFrames, execute, status_of
from ness.paper.progress import Loop
from ness.paper.trace_set import TraceSet
from ness.settings import to_mapping

FILE = "paper-loop.json"


def loop_digest(examples: Sequence[Example], config: Config) -> str:
    """Tell apart loops that must not be continued from each other's states."""
    settings = to_mapping(config)
    settings["learner"].pop("time_limit")
    return hashlib.sha256(json.dumps([settings, list(examples)], sort_keys=True).encode()).hexdigest()


def save_loop(folder: Path, loop: Loop, digest: str) -> None:
    """Write the loop's state; the network first, so that the rest never is ahead of it."""
    folder.mkdir(parents=True, exist_ok=True)
    loop.trainer.step = loop.step
    save_state(folder, loop.trainer, f"{digest} {loop.step}", loop.seconds)
    numbers = {sample: number for number, sample in enumerate(_samples(loop))}
    state = {
        "digest": digest,
        "lesson": loop.lesson,
        "turn": loop.turn,
        "step": loop.step,
        "begun": loop.begun,
        "skipped": loop.trainer.skipped,
        "checked": loop.checked,
        "searched": loop.searched,
        "cut_off": loop.cut_off,
        "ready": loop.ready,
        "agreement": None if loop.agreement is None else asdict(loop.agreement),
        "seconds": loop.seconds,
        "diagnoses": [asdict(each) for each in loop.diagnoses],
        "traces": _packed(loop.traces, numbers),
        "ruled": _packed(loop.ruled, numbers),
        "working": [numbers[sample] for sample in loop.working],
        "sets": [[_packed(s.traces, numbers), list(s.classes.items()), s.disagreement] for s in loop.sets],
    }
    write_atomically(folder / FILE, json.dumps(state).encode())


def load_loop(folder: Path, loop: Loop, digest: str) -> None:
    """Go on from a saved state of the same loop, if there is one."""
    path = folder / FILE
    if not path.exists():
        return
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        if state["digest"] != digest:
            return
        load_state(folder, loop.trainer, f"{digest} {state['step']}")
        if loop.trainer.step != state["step"]:
            return  # killed between the two files: begin anew rather than mix two positions
        samples = _samples(loop)
        loop.traces = _unpacked(state["traces"], samples)
        loop.ruled = _unpacked(state["ruled"], samples)
        loop.working = [samples[number] for number in state["working"]]
        loop.sets = [TraceSet(_unpacked(t, samples), dict(map(tuple, c)), d) for t, c, d in state["sets"]]
        loop.diagnoses = [LessonDiagnosis(**each) for each in state["diagnoses"]]
        loop.lesson, loop.turn = state["lesson"], state["turn"]
        loop.step, loop.begun, loop.trainer.skipped = state["step"], state["begun"], state["skipped"]
        loop.checked = None if state["checked"] is None else tuple(state["checked"])
        loop.agreement = None if state["agreement"] is None else Agreement(**state["agreement"])
        loop.searched, loop.earlier = state["searched"], state["seconds"]
        loop.cut_off, loop.ready = state["cut_off"], state["ready"]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CheckpointError(f"{path} is damaged; delete it to train from the start ({error})") from error


def _samples(loop: Loop) -> list[Sample]:
    return [sample for part in loop.lessons for sample in part]


def _packed(traces: dict[Sample, CodedTrace], numbers: dict[Sample, int]) -> list[list[Any]]:
    """Keep the instructions alone; what each of them saw follows from the source."""
    return [[numbers[sample], [step[1:] for step in trace]] for sample, trace in traces.items()]


def _unpacked(packed: Iterable[list[Any]], samples: Sequence[Sample]) -> dict[Sample, CodedTrace]:
    traces = {}
    for number, instructions in packed:
        source = samples[number][0]
        frames: CodedFrames = Frames()
        steps = []
        for operator, written in instructions:
            argument = tuple(written) if isinstance(written, list) else written
            steps.append((status_of(frames, source), operator, argument))
            if operator != FINAL:
                frames = execute(frames, source, operator, argument)
        traces[samples[number]] = tuple(steps)
    return traces
