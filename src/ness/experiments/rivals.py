"""The runs of all systems but NeSS: which systems a table has, their budgets, and reduced sizes for a quick run."""

from collections.abc import Iterator
from dataclasses import dataclass

from ness.errors import ConfigError
from ness.experiments.spec import LSTM, NESS, SYSTEMS, TRANSFORMER, RunSpec, TestSet
from ness.experiments.systems.registry import entry

OURS = (LSTM, TRANSFORMER)  # what is compared with unless other systems are asked for

# Training of the LSTM and of the Transformer: at most so many steps, and roughly how long one takes on one core,
# less where training ends long before. The other systems have budgets of their own for each task.
_STEPS = {
    "scan": {LSTM: (3500, 0.055), TRANSFORMER: (3500, 0.15)},
    "fewshot": {LSTM: (600, 0.01), TRANSFORMER: (600, 0.02)},
    "translation": {LSTM: (6000, 0.07), TRANSFORMER: (4000, 0.12)},
    "curriculum": {LSTM: (1500, 0.02), TRANSFORMER: (1500, 0.04)},
    "std-10": {LSTM: (2000, 0.075), TRANSFORMER: (2000, 0.15)},
    "std-50": {LSTM: (1200, 0.3), TRANSFORMER: (800, 0.62)},
    "sample": {LSTM: (1200, 0.02), TRANSFORMER: (1200, 0.04)},
}
_LARGE = ("scan", "translation")  # training takes minutes: few steps in a quick run
# Seconds that the tests of ours take.
_TESTS = {LSTM: 10.0, TRANSFORMER: 25.0}
_LONG_TESTS = {LSTM: 20.0, TRANSFORMER: 70.0}
_QUICK_SHARE = 24  # of the steps of ours
# The systems of each table, in its order, besides ours.
RIVALS: dict[str, tuple[str, ...]] = {
    "scan": (
        *("seq2seq", "cnn", "stack", "syntactic", "primitive", "equivariant", "geca", "meta", "synth-greedy", "synth"),
    ),
    "fewshot": ("seq2seq", "primitive", "geca", "synth-greedy", "synth"),
    "translation": ("seq2seq", "primitive"),
    "cfg": ("seq2seq", "stack", "queue", "deque", "seq2tree", "neural-parser"),
}
_ONLY = {"meta": ("scan/length", "scan/jump", "scan/around_right")}  # systems that are made for some tasks
_RIVAL_SEEDS = 3
# A reduced size for a quick run, on one split of SCAN or one language: to see that all of it works, not to compare.
QUICK_TASKS = ("scan/jump", "cfg/while")
_QUICK_SYNTH = ("steps=10", "episodes=100", "size=32", "batch_size=16", "workers=1", "draws=1", "batches=1")
_QUICK_SETTINGS: dict[str, tuple[str, ...]] = {
    "seq2seq": ("steps=150",),
    "cnn": ("size=64", "layers=3", "lines=12000", "tokens=500"),
    "stack": ("steps=60",),
    "syntactic": ("steps=150", "batch_size=32", "evaluate_every=50", "restarts=0"),
    "primitive": ("steps=150", "batch_size=256"),
    "equivariant": ("steps=80", "size=16"),
    "geca": ("steps=200", "hidden_size=128"),
    "meta": ("steps=100", "hidden_size=64"),
    "synth-greedy": _QUICK_SYNTH,
    "synth": _QUICK_SYNTH,
    "queue": ("steps=60",),
    "deque": ("steps=60",),
    "seq2tree": ("steps=60",),
    "neural-parser": ("attempts=1",),
}
_QUICK_SECONDS = 20.0  # training ends by then
_QUICK_TESTS = 200
_RIVAL_SECONDS = 600.0  # on one core; a first guess


@dataclass(frozen=True, slots=True)
class Scale:
    """How much to run."""

    seeds: int = 5
    quick: bool = False
    systems: tuple[str, ...] = (NESS, *OURS)

    @property
    def few(self) -> range:
        """Seeds of ablations that the paper does not have."""
        return range(min(self.seeds, 2))

    @property
    def rivals(self) -> range:
        """Seeds of all systems but NeSS."""
        return range(min(self.seeds, _RIVAL_SEEDS))

    @property
    def one(self) -> range:
        return range(1)

    @property
    def all(self) -> range:
        return range(self.seeds)


def our_runs(task: str, scale: Scale, kind: str, sets: tuple[TestSet, ...] = (TestSet("test"),)) -> Iterator[RunSpec]:
    """List the runs of our LSTM and Transformer on a task."""
    for system in OURS:
        steps = _STEPS[kind][system][0] // (_QUICK_SHARE if scale.quick and kind in _LARGE else 1)
        tests = _LONG_TESTS if len(sets) > 1 else _TESTS
        expected = steps * _STEPS[kind][system][1] + tests[system]
        for seed in scale.rivals:
            yield RunSpec(system, task, seed, "", None, (f"steps={steps}",), sets, expected=expected)


def rival_runs(
    table: str, task: str, scale: Scale, sets: tuple[TestSet, ...] = (TestSet("test"),)
) -> Iterator[RunSpec]:
    """List the runs of the other systems of a table on one of its tasks."""
    for system in RIVALS[table]:
        if task not in _ONLY.get(system, (task,)):
            continue
        for seed in scale.rivals:
            if scale.quick:
                few = tuple(TestSet(one.name, _QUICK_TESTS) for one in sets[:2])
                settings, seconds = _QUICK_SETTINGS[system], _QUICK_SECONDS
                yield RunSpec(system, task, seed, settings=settings, sets=few, expected=seconds, limit=seconds)
            else:
                yield RunSpec(system, task, seed, sets=sets, expected=_RIVAL_SECONDS)


def chosen_systems(text: str | None) -> tuple[str, ...]:
    """Read names of systems, separated by commas; "all" is every one, nothing is NeSS and ours."""
    if text is None:
        return (NESS, *OURS)
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise ConfigError(f"no system is named; systems: {', '.join(SYSTEMS)}, or all")
    for name in names:
        if name not in ("all", NESS):
            entry(name)
    return tuple(name for name in SYSTEMS if name in names or "all" in names)
