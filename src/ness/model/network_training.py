"""The network of a model, trained on its traces; what the rules know beyond them they teach it.

Importing this module does not import torch; training does.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ness.learn.events import Report, Stage
from ness.model.model import Model
from ness.model.run_folder import STATE, remove_state
from ness.network.requirements import missing_packages, require_network

if TYPE_CHECKING:
    from ness.model.teacher import RuleTeacher
    from ness.network.imitation import Agreement, Progress

_ADVICE = "so the rules answer; go on with --resume and a larger --time-limit"
_LATE = f"the time limit was reached, {_ADVICE}"
_FEWEST_STEPS = 100  # with less no network has learned its traces
_HOPELESS = f"not even {_FEWEST_STEPS} steps fit into the time limit, {_ADVICE}"
_MEASURED = 10  # steps that tell how long one takes


class _TimeUp(Exception):
    """The time limit has passed while the network was trained, or will have passed long before its end."""


def train_network(model: Model, out: Path | None, device: str, deadline: float, report: Report) -> None:
    """Train a network on the traces and put it into the model; no traces, no network."""
    if missing_packages():
        model.network_note = (
            f"not trained: {' and '.join(missing_packages())} not installed; pip install 'ness-machine[network]'"
        )
        return
    if model.summary.next_to_nothing:
        model.network_note = "not trained: there is next to nothing to imitate"
        return
    if time.monotonic() > deadline:
        model.network_note = f"not trained: {_LATE}"
        return
    config, traces = model.config, model.traces()
    by_status = config.controller.local and config.training.category_targets == "given"
    if (model.table.names_words or model.table.kinds) and not by_status:
        beyond = "rules that name words" if model.table.names_words else "kinds of phrases"
        model.network_note = f"not trained: only a network that decides by status learns {beyond}"
        return
    require_network("Training a network")
    from ness.network.controller import make_controller
    from ness.network.imitation import train_controller
    from ness.network.training_set import names_words, uses_templates

    report(Stage("network", f"imitating {len(traces)} traces"))
    able = {"templates": uses_templates(traces), "names_words": names_words(traces)}
    controller = make_controller(model.vocabularies, config.controller, config.seed, device, **able)
    last: list[Progress] = []
    times: list[float] = []
    agreement: Agreement | None = None

    def watch(progress: "Progress") -> None:
        report(progress)
        last.append(progress)
        now = time.monotonic()
        if now > deadline and progress.step > 0:
            raise _TimeUp(_LATE)
        times.append(now)
        done, took = progress.step - last[0].step, now - times[0]
        if done >= _MEASURED and (_FEWEST_STEPS - progress.step) * took > (deadline - now) * done:
            raise _TimeUp(_HOPELESS)

    try:
        result = train_controller(
            controller,
            traces,
            model.table.categories,
            config.training,
            seed=config.seed,
            on_progress=watch,
            state_folder=None if out is None else out / STATE,
            teacher=_teacher(model),
        )
        reason, agreement = result.reason, result.agreement
        model.summary.trained = True
        if out is not None and model.summary.complete:
            remove_state(out)
    except _TimeUp as ended:
        reason = str(ended)
        model.summary.trained = False
    model.network = controller.eval()
    model.summary.agreement = agreement.share if agreement else None
    says = f"; {agreement}{'' if agreement.share == 1.0 else ', so the rules answer'}" if agreement else ""
    model.network_note = f"{reason} ({last[-1].step} steps, {last[-1].accuracy:.2%} of training decisions right){says}"


def _teacher(model: Model) -> "RuleTeacher | None":
    """Let the rules teach the network what the traces do not show; weighed rules answer too much for that."""
    from ness.model.teacher import rules_as_teacher

    return None if model.weighed else rules_as_teacher(model.config)(model.traces(), model.table)
