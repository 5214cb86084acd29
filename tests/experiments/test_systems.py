"""What every system has: settings, a line in the registry, learning, answers of the right form."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
import torch

from ness.data.example import Example
from ness.errors import ConfigError, DataError
from ness.experiments.systems.coding import PAD, RaggedRows, bounded_batches, pad, random_batches, shifted
from ness.experiments.systems.interface import Settings, System, Training
from ness.experiments.systems.neural import NeuralSystem
from ness.experiments.systems.registry import ENTRIES, entry, make

# Sizes that learn to copy within a second or two.
SMALL: dict[str, tuple[str, ...]] = {
    "lstm": ("embedding_size=16", "hidden_size=32", "rate=0.005", "warmup=20"),
    "transformer": ("hidden_size=32", "rate=0.005", "warmup=20"),
    "seq2seq": ("hidden_size=64", "layers=1", "dropout=0", "rate=0.005"),
    "cnn": ("size=32", "layers=2", "width=3", "lines=6000", "tokens=60", "dropout=0"),
    "stack": ("hidden_size=32", "width=16", "rate=0.01"),
    "queue": ("hidden_size=32", "width=16", "rate=0.01"),
    "deque": ("hidden_size=32", "width=16", "rate=0.01"),
    "syntactic": ("hidden_size=32", "semantic_size=16", "syntactic_size=16", "dropout=0.1", "rate=0.005"),
    "primitive": ("noise=0.1",),
    "equivariant": ("orbits=a b c / A B C", "size=16", "rate=0.01"),
    "geca": ("hidden_size=32", "dropout=0", "rate=0.005"),
}
COMMON = ("steps=250", "batch_size=16", "evaluate_every=50")
NEURAL = pytest.mark.parametrize("name", SMALL)


def copies(count: int, seed: int = 0) -> list[Example]:
    rng = random.Random(seed)
    words = [tuple(rng.choices("abc", k=rng.randint(1, 4))) for _ in range(count)]
    return [Example(source, tuple(word.upper() for word in source)) for source in words]


def small(name: str, *changes: str) -> System:
    return make(name, "", (*COMMON, *SMALL[name], *changes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample(Settings):
    rate: float = 0.1
    attention: bool = True


def test_settings_are_changed_by_name_and_keep_their_types() -> None:
    changed = Sample().changed(["steps=7", "rate=1", "attention=false"])
    assert changed == Sample(steps=7, rate=1.0, attention=False)
    assert isinstance(changed.rate, float)


@pytest.mark.parametrize("change", ["stepz=7", "steps", "steps=many", "attention=1", "steps=0", "rate=-1"])
def test_a_setting_that_cannot_be_is_told(change: str) -> None:
    with pytest.raises(ConfigError, match=r"steps|attention|rate"):
        Sample().changed([change])


def test_an_unknown_system_is_told() -> None:
    with pytest.raises(ConfigError, match="there is no system 'nonsense'"):
        entry("nonsense")


@pytest.mark.parametrize("one", ENTRIES, ids=lambda one: one.name)
def test_every_line_of_the_registry_names_a_system(one: object) -> None:
    found = entry(one.name).load()  # type: ignore[attr-defined]
    made = make(found.name, "scan/jump")
    assert (made.title, made.knows_more) == (entry(found.name).title, entry(found.name).knows_more)
    assert made.settings == found.settings_for("scan/jump")


@pytest.mark.slow
@NEURAL
def test_a_network_learns_to_copy_and_scoring_agrees_with_decoding(name: str) -> None:
    train, test = copies(60), copies(40, seed=2)
    system = small(name)
    points: list[int] = []
    fit = system.fit(Training(train, seed=1), lambda point: points.append(point.step))
    assert fit.accuracy > 0.5
    assert points[0] == 50
    assert fit.parameters > 100
    assert system.correct(train) != system.correct([Example(source, ("B", *target)) for source, target in train])
    answers = system.predict([example.source for example in test])
    assert [answer == example.target for answer, example in zip(answers, test, strict=True)] == system.correct(test)


@NEURAL
def test_padding_and_later_tokens_change_nothing(name: str) -> None:
    system = small(name, "steps=1")
    assert isinstance(system, NeuralSystem)
    if name == "cnn":
        system = make("cnn", "", (*SMALL["cnn"], "lines=1"))
        assert isinstance(system, NeuralSystem)
    system.fit(Training(copies(60)))
    network = system._trained()
    alone = network(pad([[6, 2]]), pad([[1, 5]]))
    together = network(pad([[4, 5, 4, 2], [6, 2]]), pad([[1, 6, 4], [1, 5, 6]]))[1:, :2]
    assert torch.isinf(alone[..., [0, 1, 3]]).all()
    assert torch.allclose(alone, together, atol=1e-5)


@pytest.mark.slow
@NEURAL
def test_a_seed_gives_the_same_answers_and_disturbs_nobody(name: str) -> None:
    def losses(seed: int) -> list[float]:
        fit = small(name, "steps=4", "evaluate_every=1").fit(Training(copies(20), seed=seed))
        return [point.loss for point in fit.curve]

    torch.manual_seed(1)
    first = losses(0)
    drawn = torch.rand(1).item()
    torch.manual_seed(1)
    assert drawn == torch.rand(1).item(), "training must not disturb the random numbers of others"
    assert losses(0) == first != losses(1)


def test_words_that_training_never_showed_are_answered_and_tokens_never_right() -> None:
    system = small("lstm")
    system.fit(Training([Example(("a",), ("x",))]))
    assert len(system.predict([("never", "seen")])) == 1
    assert system.correct([Example(("a",), ("x",)), Example(("a",), ("y",))]) == [True, False]


def test_training_ends_when_its_time_is_over() -> None:
    fit = small("lstm", "steps=100000").fit(Training(copies(20), seconds=0.0))
    assert (fit.steps, fit.ended) == (1, "out of time")


def test_a_training_that_goes_astray_starts_afresh_and_that_is_counted() -> None:
    contradictory = [Example(("a",), (target,)) for target in "ABC"]  # a third of them at most can be right
    astray = small("lstm", "restarts=2", "judged_at=1", "steps=2").fit(Training(contradictory))
    assert astray.restarts == 2
    assert astray.steps == 2, "the last start is not judged"
    plain = small("lstm", "restarts=2", "judged_at=40", "steps=41").fit(Training([Example(("a",), ("A",))] * 16))
    assert (plain.restarts, plain.steps) == (0, 41), "it was judged, and right"


@pytest.mark.slow
def test_the_best_weights_on_held_out_lines_stay() -> None:
    fit = small("lstm", "held_out=0.2").fit(Training(copies(60)))
    assert 0.0 < fit.notes["held out"] <= 1.0


def test_misuse_is_told() -> None:
    with pytest.raises(ConfigError, match="call fit first"):
        make("lstm").predict([("a",)])
    with pytest.raises(DataError, match="no training examples"):
        make("lstm").fit(Training([]))
    with pytest.raises(ConfigError, match="'hidden_size' must be a multiple of 8"):
        make("transformer", "", ["hidden_size=100"])
    with pytest.raises(ConfigError, match="'batch_size' must be at least 1"):
        make("lstm", "", ["batch_size=0"])


def test_an_epoch_shows_every_example_once() -> None:
    lengths = [3, 1, 2, 5, 4, 9, 7]
    batches = random_batches(lengths, 2, random.Random(0))
    epoch = [number for _ in range(4) for number in next(batches)]
    assert sorted(epoch) == list(range(7))


@pytest.mark.parametrize("lengths", [[1, 2, 3, 4, 5, 50, 1], [100], [7] * 9])
def test_batches_hold_every_example_and_are_bounded(lengths: Sequence[int]) -> None:
    batches = list(bounded_batches(lengths, 20))
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[number] for number in batch) <= 20


def test_the_decoder_sees_the_target_one_late() -> None:
    assert shifted(pad([[4, 5, 2], [6, 2]])).tolist() == [[1, 4, 5], [1, 6, 2]]
    assert pad([[4], [5, 2]]).tolist() == [[4, PAD], [5, 2]]


def test_rows_are_taken_from_a_flat_tensor_as_if_padded() -> None:
    rows = [[4, 5, 2], [6, 2], [2], [7, 8, 9, 2]]
    assert RaggedRows(rows, "cpu").take([3, 1, 2]).tolist() == pad([rows[3], rows[1], rows[2]]).tolist()
