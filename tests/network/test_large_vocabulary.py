"""What large vocabularies and noisy corpora need: rare words, small batches, several arguments."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import torch

from controller_task import CATEGORIES, FAST, SMALL, fresh, table, traces, trained, vocabularies
from ness.answer.n_best import BeamDecoder
from ness.answer.network_engine import ControllerEngine
from ness.errors import ConfigError
from ness.machine import EOS, Reduce, Shift, Status, parse_program
from ness.network.batches import Arguments
from ness.network.controller import EncodedRows
from ness.network.forcing import logits_inside, phrase_logits
from ness.network.imitation import Trainer
from ness.network.phrase_beam import likeliest_phrases
from ness.network.rows import Views, word_item
from ness.network.training_set import LARGE, LocalExamples, rare_words, source_labels
from ness.network.vocabularies import END, Vocabularies
from ness.rules.table import Categories

WORDS = tuple(f"w{number:03}" for number in range(LARGE))
BIG = Vocabularies(WORDS, ("x",))
PROGRAM = parse_program("SHIFT; REDUCE x; FINAL")
# Every word but the first three has five traces.
SOME = [((word,), PROGRAM) for word in WORDS for _ in range(5 if word > "w002" else 1)]


def test_rare_words_share_a_category() -> None:
    rare = rare_words(BIG, Categories(), SOME, 5)
    assert rare == ["w000", "w001", "w002"]
    labels = source_labels(BIG, Categories(), rare)
    assert len({labels[word] for word in rare}) == 1
    assert len(set(labels.values())) == len(WORDS) + 1 - 2


@pytest.mark.parametrize(
    ("words", "categories", "least"),
    [
        (BIG, Categories([("w010", "w011")]), 5),  # categories were learned
        (Vocabularies(WORDS[1:], ("x",)), Categories(), 5),  # a small vocabulary
        (BIG, Categories(), 0),  # switched off
    ],
)
def test_other_words_keep_their_own(words: Vocabularies, categories: Categories, least: int) -> None:
    assert rare_words(words, categories, SOME, least) == []


def test_rare_words_teach_the_operator_predictor_one_row() -> None:
    together = LocalExamples(BIG, SMALL, SOME, Categories(), FAST, 0)
    apart = LocalExamples(BIG, SMALL, SOME, Categories(), replace(FAST, rare_traces=0), 0)
    rows = [len(next(examples.all()).levels[0].operator[1].weights) for examples in (together, apart)]  # type: ignore[index]
    # (next w, top []) and (next end, top [w]) are each one status of three rare words.
    assert rows[1] - rows[0] == 4


def test_many_target_tokens_make_smaller_batches() -> None:
    config = replace(FAST, batch_logits=3 * (len(vocabularies().target) + 1))
    examples = LocalExamples(vocabularies(), SMALL, traces(), CATEGORIES, config, 0)
    reduce_rows = [len(batch.levels[0].reduce[1].weights) for batch in examples.all() if batch.levels[0].reduce]
    assert max(reduce_rows) <= 3
    assert LocalExamples(vocabularies(), SMALL, traces(), CATEGORIES, FAST, 0).batches_per_epoch == 1


def test_a_predictor_with_few_rows_is_trained_in_every_batch() -> None:
    config = replace(FAST, batch_size=2)
    examples = LocalExamples(vocabularies(), SMALL, traces(), CATEGORIES, config, 0)
    steps = range(examples.batches_per_epoch)
    assert all(examples.batch(step).levels[0].reduce for step in steps)
    assert not all(batch.levels[0].reduce for batch in examples.all())


def test_a_batch_holds_the_words_it_looks_at() -> None:
    examples = LocalExamples(vocabularies(), SMALL, traces(), CATEGORIES, replace(FAST, batch_size=2), 0)
    for batch in examples.all():
        assert set(batch.levels[0].items().tolist()) - {0, 1, 2} <= set(batch.items.tolist())
    asked = [batch.words[batch.category_rows] for batch in examples.all()]
    assert torch.cat(asked).tolist() == list(range(len(vocabularies().source) + 1))


def test_logits_are_the_same_without_padding() -> None:
    controller = fresh()
    h = controller.config.hidden_size
    torch.manual_seed(0)
    encoded = EncodedRows(torch.randn(2, 3, 2 * h), torch.randn(2, 2 * h), torch.ones(2, 3, dtype=torch.bool))
    tokens = torch.tensor([[1, 2, END], [1, END, 0]])
    arguments = Arguments.of(tokens, torch.tensor([3, 2]), torch.ones(2), torch.zeros(2), torch.zeros(2))
    whole, _ = phrase_logits(controller.phrase_decoder, encoded, tokens)
    inside, _ = logits_inside(controller.phrase_decoder, encoded, arguments)
    assert inside.shape[0] == 5
    assert torch.allclose(inside, whole.flatten(0, 1)[arguments.inside], atol=1e-6)


def test_the_learning_rate_falls_to_nothing() -> None:
    config = replace(FAST, decay=True, max_steps=4)
    controller = fresh()
    trainer = Trainer(controller, LocalExamples(vocabularies(), SMALL, traces(), CATEGORIES, config, 0), config, 0)
    rates = []
    for _ in range(4):
        trainer.train_step()
        rates.append(trainer.optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([config.learning_rate * share for share in (1, 0.75, 0.5, 0.25)])


@torch.no_grad()
def test_phrases_of_a_beam_have_the_probabilities_of_their_tokens() -> None:
    controller = fresh()
    h = controller.config.hidden_size
    torch.manual_seed(0)
    encoded = EncodedRows(torch.randn(1, 2, 2 * h), torch.randn(1, 2 * h), torch.ones(1, 2, dtype=torch.bool))
    found = likeliest_phrases(controller, encoded, 4)
    assert found
    assert all(tokens for tokens, _ in found), "a phrase is not empty, however few tokens there are"
    for tokens, score in found:
        wanted = torch.tensor([[*tokens, END]])
        logits, _ = phrase_logits(controller.phrase_decoder, encoded, wanted)
        logits[:, 0, END] = -1e9
        expected = logits.log_softmax(-1).gather(-1, wanted[..., None]).sum()
        assert score == pytest.approx(expected.item(), abs=1e-4)


def test_the_network_gives_several_answers_with_probabilities() -> None:
    engine = ControllerEngine(trained()[0], table())
    found = BeamDecoder(engine, 5).candidates(("walk",))
    assert found[0].output == ("I_WALK",)
    assert len(found) > 1
    assert 0.5 < found[0].probability <= sum(one.probability for one in found) <= 1 + 1e-4
    assert Shift() in [instruction for instruction, _ in engine.options(Status("walk", (), None, ()))]
    assert any(isinstance(instruction, Reduce) for instruction, _ in engine.options(Status(EOS, ("walk",), None, ())))


class _Chain:
    """A phrase decoder whose next token depends on the last one only."""

    start_token = 5
    shares: ClassVar = {
        5: {1: 0.6, 2: 0.4},
        1: {0: 0.1, 3: 0.9},
        2: {0: 0.9, 1: 0.1},
        3: {0: 0.05, 4: 0.95},
        4: {0: 1.0},
    }

    def start(self, summary: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return summary[None], summary[None]

    def __call__(self, state: Any, tokens: torch.Tensor, *_: torch.Tensor) -> tuple[torch.Tensor, None, Any]:
        rows = [[self.shares[token].get(following, 1e-6) for following in range(5)] for token in tokens[:, 0].tolist()]
        return torch.tensor(rows).log()[:, None], None, state


def test_a_likely_long_phrase_is_not_lost_to_unlikely_short_ones() -> None:
    controller: Any = SimpleNamespace(phrase_decoder=_Chain(), device=torch.device("cpu"))
    encoded = EncodedRows(torch.zeros(1, 1, 1), torch.zeros(1, 1), torch.ones(1, 1, dtype=torch.bool))
    (longest, best), (short, next_best) = likeliest_phrases(controller, encoded, 2)
    assert (longest, short) == ((1, 3, 4), (2,))
    assert (math.exp(best), math.exp(next_best)) == pytest.approx((0.6 * 0.9 * 0.95, 0.4 * 0.9), rel=1e-3)


def test_lexical_vectors_reach_the_phrase_decoder_as_they_are() -> None:
    controller = fresh(replace(SMALL, lexical_size=5))
    item = word_item(controller.vocabularies, "walk")
    encoded = controller.encode_frames(controller.word_bank(), Views.of([(item,), (item, item)]))
    assert encoded.outputs.shape[-1] == 2 * SMALL.hidden_size + 5
    assert torch.equal(encoded.outputs[0, 0, -5:], controller.lexical.weight[item])
    assert torch.equal(encoded.outputs[1, 1, -5:], controller.lexical.weight[item])


def test_lexical_vectors_need_items_that_are_words() -> None:
    with pytest.raises(ConfigError, match="lexical_size needs"):
        replace(SMALL, lexical_size=5, input_encoder="queue")
    with pytest.raises(ConfigError, match="must not be negative"):
        replace(SMALL, lexical_size=-1)


def test_training_goes_on_in_training_mode_after_an_engine_was_asked() -> None:
    controller = fresh()
    examples = LocalExamples(vocabularies(), SMALL, traces(), CATEGORIES, FAST, 0)
    trainer = Trainer(controller, examples, FAST, 0)
    trainer.train_step()
    ControllerEngine(controller, table())
    assert not controller.training
    trainer.train_step()
    assert controller.training


def test_long_templates_take_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = [(("a", "b"), parse_program("SHIFT; REDUCE X; SHIFT; CONCAT_S 0,0; FINAL"))]
    template = [(("a", "b"), parse_program("SHIFT; REDUCE X; SHIFT; CONCAT_S ( 0 ); FINAL"))]
    both = [((word, "b"), program) for word in "ab" for _, program in template]
    vocabularies = Vocabularies(("a", "b"), ("(", ")", "X"))
    monkeypatch.setattr("ness.network.training_set._TEMPLATE_LOGITS", 10)
    counts = [
        LocalExamples(vocabularies, SMALL, traces, Categories(), FAST, 0).batches_per_epoch
        for traces in (plain, template, both)
    ]
    assert counts[0] == 1
    assert counts[1] == counts[2] == 2  # three parts and the end, of four tokens each; words are one there
