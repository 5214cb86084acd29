"""The experiments: for each table of the paper, the runs that it needs. Tables share runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ness.data.parsing import LANGUAGES, TEST_LENGTHS, TEST_SIZE, VARIANTS
from ness.errors import ConfigError
from ness.experiments.datasets import SAMPLE
from ness.experiments.spec import LSTM, NESS, SYSTEMS, TRANSFORMER, RunSpec, TestSet
from ness.experiments.systems.registry import entry

SPLITS = ("length", "around_right", "jump", "simple")
ABLATED_SPLITS = ("length", "jump")
SAMPLE_SIZES = (50, 100, 200, 400)
OURS = (LSTM, TRANSFORMER)  # what is compared with unless other systems are asked for
TABLES = ("scan", "fewshot", "translation", "cfg", "categories", "rules", "ablations", "efficiency")

# Nodes, not seconds, end a search, so that figures do not depend on how busy the computer is.
_PATIENT = ("learner.time_limit=3600",)
IN_PAPER = "no category predictors"
_BILSTM = "input BiLSTM"
_ABLATIONS: dict[str, tuple[str, ...]] = {
    IN_PAPER: ("controller.categories=off",),
    "soft categories": ("controller.categories=soft",),
    # One decision of 320,000 stays wrong, however long it is trained; the loss has settled by then.
    _BILSTM: ("controller.input_encoder=queue", "training.max_steps=600"),
}
# Networks that do not decide by local status alone cannot remember decisions: slow to check and to test.
_SLOW = ("training.evaluate_every=100",)
_SLOW_TESTS = (TestSet("test", 500),)
PAPER_LOOP = "paper preset, small"
# The paper's own loop; its size and its budget are for a GPU, so both are cut.
_PAPER_SETTINGS = (
    "controller.embedding_size=64",
    "controller.hidden_size=64",
    "training.steps_per_search=5",
    "learner.time_limit=420",
)
# Roughly how long a run of NeSS takes on one core: the first that occurs in the variant or else the task counts.
_SECONDS = {
    **dict.fromkeys(_ABLATIONS, 150.0),
    _BILSTM: 450.0,
    PAPER_LOOP: 460.0,
    "std-10": 60.0,
    "std-50": 120.0,
    "cfg": 35.0,
    "sample": 25.0,
    "scan": 30.0,
    "fewshot": 12.0,
    "translation": 320.0,
}
_RULES_SECONDS = 30.0  # without a network
_PARSING_TESTS = 60.0  # seconds, in full
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
_ONLY = {"meta": ("scan/jump", "scan/around_right")}  # systems that are made for some tasks
_RIVAL_SEEDS = 3
# A reduced size for a quick run, on one split: enough to see that all of it works, not to compare.
_QUICK_SPLIT = "jump"
_QUICK_SYNTH = ("steps=10", "episodes=100", "size=32", "batch_size=16", "workers=1", "draws=1", "batches=1")
_QUICK_SETTINGS: dict[str, tuple[str, ...]] = {
    "seq2seq": ("steps=150",),
    "cnn": ("size=64", "layers=3", "lines=12000", "tokens=500"),
    "stack": ("steps=60",),
    "syntactic": ("steps=150",),
    "primitive": ("steps=150", "batch_size=256"),
    "equivariant": ("steps=80", "size=16"),
    "geca": ("steps=200", "hidden_size=128"),
    "meta": ("steps=100", "hidden_size=64"),
    "synth-greedy": _QUICK_SYNTH,
    "synth": _QUICK_SYNTH,
}
_QUICK_SECONDS = 20.0
_RIVAL_SECONDS = 600.0  # on one core; a first guess
QUICK = (
    "one seed, no Std-50, small tests of parsing, translation by rules alone, short training of the other systems of "
    "SCAN and translation, most of them on one split only"
)


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

    def steps(self, kind: str, system: str) -> int:
        """Limit the training of our LSTM or Transformer."""
        return _STEPS[kind][system][0] // (_QUICK_SHARE if self.quick and kind in _LARGE else 1)


def runs_of(table: str, scale: Scale) -> list[RunSpec]:
    """List the runs that a table needs."""
    return [run for run in _RUNS[table](scale) if run.system in scale.systems]


def chosen_tables(names: Iterable[str]) -> list[str]:
    """Check names of tables and put them in the order of the paper; "all" means every one."""
    wanted = set(names)
    for name in sorted(wanted - {"all", *TABLES}):
        raise ConfigError(f"there is no table '{name}'; tables: {', '.join(TABLES)}, or all")
    return [name for name in TABLES if name in wanted or "all" in wanted]


def all_runs(tables: Iterable[str], scale: Scale) -> list[RunSpec]:
    """List the runs that tables need, each once: NeSS first, so that its figures are there soon."""
    runs = dict.fromkeys(run for table in tables for run in runs_of(table, scale))
    return sorted(runs, key=lambda run: run.system != NESS)


def _scan(scale: Scale) -> Iterator[RunSpec]:
    for split in SPLITS:
        yield from _ness(f"scan/{split}", scale.all)
        yield from _ours(f"scan/{split}", scale, "scan")
        if split == _QUICK_SPLIT or not scale.quick:
            yield from _rivals("scan", f"scan/{split}", scale)


def _fewshot(scale: Scale) -> Iterator[RunSpec]:
    yield from _ness("fewshot", scale.all)
    yield from _ours("fewshot", scale, "fewshot")
    if not scale.quick:
        yield from _rivals("fewshot", "fewshot", scale)


def _translation(scale: Scale) -> Iterator[RunSpec]:
    yield from _ness("translation", scale.all, rules_only=scale.quick)
    yield from _ours("translation", scale, "translation")
    if not scale.quick:
        yield from _rivals("translation", "translation", scale)


def _cfg(scale: Scale) -> Iterator[RunSpec]:
    for language in LANGUAGES:
        for variant in VARIANTS[:2] if scale.quick else VARIANTS:
            task = cfg_task(language, variant)
            standard = variant != "curriculum"
            tests = 0.0 if scale.quick else _PARSING_TESTS
            yield from _ness(task, scale.all, sets=_parsing_sets(scale, NESS), test_seconds=tests)
            if not (scale.quick and standard):
                sets = _parsing_sets(scale, LSTM)
                yield from _ours(task, scale, variant, sets)
                if not scale.quick:
                    yield from _rivals("cfg", task, scale, sets)


def _learned(scale: Scale) -> Iterator[RunSpec]:
    """The runs whose rules are shown."""
    yield from _ness("scan/length", scale.all)
    yield from _ness("fewshot", scale.all)
    yield from _ness("translation", scale.all, rules_only=scale.quick)


def _categories(scale: Scale) -> Iterator[RunSpec]:
    for split in SPLITS:
        yield from _ness(f"scan/{split}", scale.all)
    yield from _ness("fewshot", scale.all)


def _ablations(scale: Scale) -> Iterator[RunSpec]:
    for split in ABLATED_SPLITS:
        task = f"scan/{split}"
        yield from _ness(task, scale.all)
        for variant, settings in _ABLATIONS.items():
            in_paper = variant == IN_PAPER
            wanted = (split == "jump" and in_paper) if scale.quick else (split == "jump" or in_paper)
            seeds = scale.all if in_paper else scale.few
            if wanted:
                yield from _ness(task, seeds, variant, None, (*_SLOW, *settings), _SLOW_TESTS)
    if not scale.quick:
        yield from _ness("scan/length", scale.one, PAPER_LOOP, "paper", _PAPER_SETTINGS, _SLOW_TESTS)


def _efficiency(scale: Scale) -> Iterator[RunSpec]:
    for size in (200,) if scale.quick else SAMPLE_SIZES:
        yield from _ness(f"{SAMPLE}{size}", scale.all)
        yield from _ours(f"{SAMPLE}{size}", scale, "sample")


_RUNS = {
    "scan": _scan,
    "fewshot": _fewshot,
    "translation": _translation,
    "cfg": _cfg,
    "categories": _categories,
    "rules": _learned,
    "ablations": _ablations,
    "efficiency": _efficiency,
}


def cfg_task(language: str, variant: str) -> str:
    """Name the task of a language and a training set."""
    return f"cfg/{language}" + ("" if variant == "curriculum" else f":{variant}")


def ablation_names() -> list[str]:
    """List what the ablation table compares."""
    return ["", *_ABLATIONS, PAPER_LOOP]


def _ness(
    task: str,
    seeds: Iterable[int],
    variant: str = "",
    preset: str | None = None,
    settings: tuple[str, ...] = (),
    sets: tuple[TestSet, ...] = (TestSet("test"),),
    test_seconds: float = 0.0,
    rules_only: bool = False,
) -> Iterator[RunSpec]:
    chosen = "translation" if task == "translation" else preset
    expected = test_seconds + next(seconds for name, seconds in _SECONDS.items() if name in (variant or task))
    expected = min(expected, _RULES_SECONDS) if rules_only else expected
    for seed in seeds:
        yield RunSpec(NESS, task, seed, variant, chosen, (*_PATIENT, *settings), sets, rules_only, expected)


def _ours(task: str, scale: Scale, kind: str, sets: tuple[TestSet, ...] = (TestSet("test"),)) -> Iterator[RunSpec]:
    for system in OURS:
        steps = scale.steps(kind, system)
        tests = _LONG_TESTS if len(sets) > 1 else _TESTS
        expected = steps * _STEPS[kind][system][1] + tests[system]
        for seed in scale.rivals:
            yield RunSpec(system, task, seed, "", None, (f"steps={steps}",), sets, expected=expected)


def _rivals(table: str, task: str, scale: Scale, sets: tuple[TestSet, ...] = (TestSet("test"),)) -> Iterator[RunSpec]:
    for system in RIVALS[table]:
        if task not in _ONLY.get(system, (task,)):
            continue
        settings = _QUICK_SETTINGS[system] if scale.quick else ()
        tests = (TestSet("test", 500),) if scale.quick else sets
        expected = _QUICK_SECONDS if scale.quick else _RIVAL_SECONDS
        for seed in scale.rivals:
            yield RunSpec(system, task, seed, "", None, settings, tests, expected=expected)


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


def _parsing_sets(scale: Scale, system: str) -> tuple[TestSet, ...]:
    """Test sets of parsing: fewer of the longest, for baselines fewer of all long ones, few of all in a quick run."""
    sets = [TestSet("train", 500 if scale.quick else None)]
    for length in TEST_LENGTHS:
        limit = 1000 if length <= 1000 else 100
        if system != NESS:
            limit = 1000 if length <= 50 else 100 if length <= 500 else 10 if length <= 1000 else 3
        if scale.quick:
            limit = min(limit, 100 if length <= 100 else 10 if system == NESS else 2)
        sets.append(TestSet(f"test-{length}", None if limit == TEST_SIZE else limit))
    return tuple(sets)
