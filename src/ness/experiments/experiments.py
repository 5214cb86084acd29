"""The experiments: for each table of the paper, the runs that it needs. Tables share runs."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ness.data.cogs_tests import TEST_NAMES
from ness.data.parsing import LANGUAGES, TEST_LENGTHS, TEST_SIZE, VARIANTS
from ness.errors import ConfigError
from ness.experiments.datasets import SAMPLE
from ness.experiments.rivals import QUICK_TASKS, Scale, our_runs, rival_runs
from ness.experiments.spec import LSTM, NESS, RunSpec, TestSet

SPLITS = ("length", "around_right", "jump", "simple")
ABLATED_SPLITS = ("length", "jump")
# "gen", which COGS is published on, is measured where its file is.
COGS_SETS = ("dev", "test", *TEST_NAMES, "gen")
SAMPLE_SIZES = (50, 100, 200, 400)
TABLES = ("scan", "fewshot", "translation", "cfg", "cogs", "categories", "rules", "ablations", "efficiency")

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
    "cogs": 30.0,
}
_RULES_SECONDS = 30.0  # without a network
_PARSING_TESTS = 60.0  # seconds, in full
QUICK = (
    "one seed, no Std-50, small tests of parsing, translation by rules alone, short training of the other systems of "
    "SCAN and translation, most of them on one split only"
)


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
        if not scale.quick or f"scan/{split}" in QUICK_TASKS:
            yield from our_runs(f"scan/{split}", scale, "scan")
            yield from rival_runs("scan", f"scan/{split}", scale)


def _fewshot(scale: Scale) -> Iterator[RunSpec]:
    yield from _ness("fewshot", scale.all)
    yield from our_runs("fewshot", scale, "fewshot")
    if not scale.quick:
        yield from rival_runs("fewshot", "fewshot", scale)


def _translation(scale: Scale) -> Iterator[RunSpec]:
    yield from _ness("translation", scale.all, rules_only=scale.quick)
    yield from our_runs("translation", scale, "translation")
    if not scale.quick:
        yield from rival_runs("translation", "translation", scale)


def _cfg(scale: Scale) -> Iterator[RunSpec]:
    for language in LANGUAGES:
        for variant in VARIANTS[:2] if scale.quick else VARIANTS:
            task = cfg_task(language, variant)
            standard = variant != "curriculum"
            tests = 0.0 if scale.quick else _PARSING_TESTS
            yield from _ness(task, scale.all, sets=_parsing_sets(scale, NESS), test_seconds=tests)
            if not (scale.quick and standard):
                sets = _parsing_sets(scale, LSTM)
                yield from our_runs(task, scale, variant, sets)
                if not scale.quick or task in QUICK_TASKS:
                    yield from rival_runs("cfg", task, scale, sets)


def _cogs(scale: Scale) -> Iterator[RunSpec]:
    yield from _ness("cogs", scale.all, sets=tuple(map(TestSet, COGS_SETS)), rules_only=True)


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
        yield from our_runs(f"{SAMPLE}{size}", scale, "sample")


_RUNS = {
    "scan": _scan,
    "fewshot": _fewshot,
    "translation": _translation,
    "cfg": _cfg,
    "cogs": _cogs,
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
        run = RunSpec(NESS, task, seed, variant, chosen, (*_PATIENT, *settings), sets, rules_only)
        yield replace(run, expected=expected)


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
