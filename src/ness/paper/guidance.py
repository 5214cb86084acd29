"""Small controllers that imitate the traces so far, to guide the next search."""

from collections.abc import Callable
from dataclasses import replace

from ness.config import Config
from ness.learn.coding import Codec, CodedTrace, Sample
from ness.learn.costs import Policy
from ness.learn.fit import Hypothesis
from ness.network.controller import make_controller
from ness.network.imitation import train_controller
from ness.network.vocabularies import Vocabularies
from ness.paper.controller_guide import ControllerGuide
from ness.rules.table import Categories

WORST = 50.0  # nats: what the network holds impossible is dear, not forbidden, to a search that adds up policies


def train_guide(
    codec: Codec, traces: dict[Sample, CodedTrace], classes: dict[int, int], config: Config
) -> ControllerGuide | None:
    """Train a small controller on the traces so far, to guide the next search; None if there are no traces."""
    if not traces:
        return None
    vocabularies = Vocabularies(tuple(sorted(codec.words)), tuple(sorted(codec.tokens)))
    controller = make_controller(vocabularies, config.controller, config.seed, "cpu")
    members: dict[int, list[str]] = {}
    for word, representative in classes.items():
        members.setdefault(representative, []).append(codec.word(word))
    programs = [(tuple(map(codec.word, source)), codec.program(trace)) for (source, _), trace in traces.items()]
    training = replace(config.training, max_steps=config.learner.guide_steps)
    train_controller(controller, programs, Categories(members.values()), training, seed=config.seed)
    return ControllerGuide(controller, codec, WORST)


def guides_of(config: Config) -> Callable[[Codec], Callable[[Hypothesis], Policy | None]]:
    """Controllers that imitate the hypotheses of a learner, whatever its codes."""

    def guide(codec: Codec, hypothesis: Hypothesis) -> Policy | None:
        if hypothesis.own:
            return None  # such a controller knows no rules that name words
        return train_guide(codec, hypothesis.traces, hypothesis.classes, config)

    return lambda codec: lambda hypothesis: guide(codec, hypothesis)
