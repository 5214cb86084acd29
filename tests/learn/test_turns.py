"""Two trainings in one program have nothing to do with each other."""

from itertools import product

from ness.config import Config, LearnerConfig
from ness.data.example import Example, example_of
from ness.learn.learner import learn


def task(verbs: dict[str, str], often: dict[str, int]) -> list[Example]:
    return [example_of(f"{v}{o}", " ".join([t] * n)) for (v, t), (o, n) in product(verbs.items(), often.items())]


TASKS = [
    task({"walk": "WALK", "run": "RUN", "look": "LOOK"}, {"": 1, " twice": 2, " thrice": 3}),
    task({"va": "GO", "mira": "SEE", "salta": "HOP", "corre": "RACE"}, {"": 1, " dos": 2, " otra vez": 3}),
]


def test_trainings_that_take_turns_do_not_share_anything() -> None:
    """As two threads would: one learns between two lessons of the other."""
    config = Config(learner=LearnerConfig(workers=1))
    alone = learn(TASKS[0], config)

    def meanwhile(_: object) -> None:
        learn(TASKS[1], config)

    mixed = learn(TASKS[0], config, report=meanwhile)
    assert (mixed.traces, mixed.nodes) == (alone.traces, alone.nodes)
