"""Synth: the grammar of SCAN, random grammars, renaming, and the two ways to a grammar."""

import random
from pathlib import Path

import pytest
import torch

from ness.data.example import Example, example_of
from ness.data.fewshot import fewshot
from ness.data.scan import commands
from ness.errors import DataError
from ness.experiments.systems.interface import Training
from ness.experiments.systems.synth import system
from ness.experiments.systems.synth.coding import EpisodeCoder, Pool, draw_episodes
from ness.experiments.systems.synth.episodes import FEWSHOT, KINDS, SCAN, draw_episode
from ness.experiments.systems.synth.grammar import InterpretationGrammar, Rule, match, read_grammar
from ness.experiments.systems.synth.meta import CACHE, SynthSettings, meta_trained
from ness.experiments.systems.synth.network import END, PAD
from ness.experiments.systems.synth.search import Naming, choose_shown, draw_naming
from ness.experiments.systems.synth.system import Synth, SynthGreedy

WORDS = {"walk": "I_WALK", "look": "I_LOOK", "run": "I_RUN", "jump": "I_JUMP", "left": "I_TURN_LEFT"}
FUNCTIONS = """
turn ->
u1 opposite u2 -> u2 u2 u1
u1 around u2 -> u2 u1 u2 u1 u2 u1 u2 u1
x1 and x2 -> x1 x2
x2 after x1 -> x1 x2
x1 twice -> x1 x1
x1 thrice -> x1 x1 x1
u1 u2 -> u2 u1
"""
COLOURS = """
dax -> RED
lug -> BLUE
wif -> GREEN
zup -> YELLOW
u1 fep -> u1 u1 u1
u1 blicket u2 -> u1 u2 u1
x1 kiki x2 -> x2 x1
"""
TINY = SynthSettings(
    kind="fewshot",
    steps=3,
    size=16,
    batch_size=4,
    episodes=20,
    workers=1,
    evaluate_every=3,
    draws=2,
    batches=2,
    samples=8,
)


def grammar_of(text: str) -> InterpretationGrammar:
    tokens = [token for line in text.strip().split("\n") for token in (*line.split(), "\n")]
    grammar = read_grammar(tokens)
    assert grammar is not None
    assert list(grammar.tokens()) == tokens
    return grammar


def scan_grammar() -> InterpretationGrammar:
    lines = [f"{word} -> {action}" for word, action in (WORDS | {"right": "I_TURN_RIGHT"}).items()]
    return grammar_of("\n".join(lines) + FUNCTIONS)


def test_fourteen_rules_answer_all_of_scan() -> None:
    grammar = scan_grammar()
    assert len(grammar.rules) == 14
    assert len(grammar.tokens()) < SCAN.grammar
    assert len(commands()) == 20_910
    assert all(grammar.interpret(command.source) == command.target for command in commands())


def test_a_grammar_answers_the_few_shot_task() -> None:
    grammar = grammar_of(COLOURS)
    assert all(grammar.interpret(one.source) == one.target for examples in fewshot() for one in examples)


def test_phrases_are_as_long_as_can_be_and_words_are_one() -> None:
    words = ("a", "f", "b", "f", "c")
    assert match(("x1", "f", "x2"), words) == {"x1": ("a", "f", "b"), "x2": ("c",)}
    assert match(("u1", "f", "x2"), words) == {"u1": ("a",), "x2": ("b", "f", "c")}
    assert match(("u1", "f", "u2"), words) is None
    assert match(("x1", "x2"), ("a",)) is None


def test_the_first_rule_wins_and_what_no_rule_matches_has_no_meaning() -> None:
    grammar = InterpretationGrammar((Rule(("a",), ("A",)), Rule(("a",), ("B",)), Rule(("x1", "twice"), ("x1", "x1"))))
    assert grammar.interpret(("a", "twice")) == ("A", "A")
    assert grammar.interpret(("b", "twice")) is None
    assert grammar.interpret(("a", *["twice"] * 20)) is None  # a million symbols


@pytest.mark.parametrize("text", ["a -> A", "a A \n", "u1 -> u1 \n", "u1 u1 -> u1 \n", "u1 f -> u2 \n", "-> A \n", ""])
def test_what_is_no_grammar_is_not_read(text: str) -> None:
    assert read_grammar(text.split(" ") if text else []) is None


@pytest.mark.parametrize("name", KINDS)
def test_random_grammars_explain_their_examples_and_keep_to_their_sizes(name: str) -> None:
    kind, rng = KINDS[name], random.Random(0)
    for _ in range(20):
        episode = draw_episode(kind, rng)
        assert kind.pairs[0] <= len(episode.pairs) <= kind.pairs[1]
        assert len(episode.grammar.tokens()) < kind.grammar
        for source, target in episode.pairs:
            assert episode.grammar.interpret(source) == target
            assert len(source) <= kind.source
            assert 0 < len(target) <= kind.target


@pytest.mark.slow
def test_episodes_do_not_depend_on_the_number_of_processes() -> None:
    assert draw_episodes(FEWSHOT, 30, 1, 2) == draw_episodes(FEWSHOT, 30, 1, 1)
    assert draw_episodes(FEWSHOT, 30, 1, 1) != draw_episodes(FEWSHOT, 30, 2, 1)


def test_a_renamed_episode_is_still_explained_by_its_grammar() -> None:
    coder = EpisodeCoder(FEWSHOT)
    episodes = draw_episodes(FEWSHOT, 5, 0, 1)
    torch.manual_seed(0)
    examples, grammars = Pool(episodes, coder, "cpu").draw(30)
    words = {number: word for word, number in coder.words.items()}
    symbols = {number: symbol for symbol, number in coder.symbols.items()}
    texts = set()
    for sources, targets, numbers in zip(examples.sources, examples.targets, grammars, strict=True):
        row = numbers.tolist()
        grammar = coder.read(row[: row.index(END)])
        assert grammar is not None
        texts.add(grammar)
        for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
            if source[0] != PAD:
                said = grammar.interpret(tuple(words[number] for number in source if number != PAD))
                assert said == tuple(symbols[number] for number in target if number != PAD)
    assert len(texts) > len(episodes)


def test_a_grammar_comes_back_in_the_tasks_own_words() -> None:
    train, _ = fewshot()
    coder = EpisodeCoder(FEWSHOT)
    naming = draw_naming(train, coder, random.Random(3))
    renamed = InterpretationGrammar(
        tuple(
            Rule(
                tuple(naming.words.get(token, token) for token in rule.left),
                tuple(naming.symbols.get(token, token) for token in rule.right),
            )
            for rule in grammar_of(COLOURS).rules
        )
    )
    assert all(renamed.interpret(source) == target for source, target in naming.pairs(train))
    assert naming.restored(renamed) == grammar_of(COLOURS)


def test_what_is_shown_of_scan_favours_some_lengths_and_words() -> None:
    shown = choose_shown(commands(), 100, True, random.Random(0))
    assert len(set(shown)) == 100
    short = sum(len(one.source) <= 4 for one in shown)
    assert 45 < short < 85  # 65 percent, though most commands are long
    assert len(choose_shown(commands()[:50], 100, True, random.Random(0))) == 50


def test_search_accepts_by_the_whole_training_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two grammars that explain what is shown, the one that explains the training set too is taken."""
    train = [example_of("a", "A"), example_of("b", "B"), example_of("a b", "B A")]
    wrong = InterpretationGrammar((Rule(("a",), ("A",)), Rule(("b",), ("B",)), Rule(("u1", "x1"), ("u1", "x1"))))
    right = InterpretationGrammar((*wrong.rules[:2], Rule(("u1", "u2"), ("u2", "u1"))))
    monkeypatch.setattr(system, "choose_shown", lambda *_: train[:2])
    naming = Naming({"a": "a", "b": "b"}, {"A": "A", "B": "B"})
    monkeypatch.setattr(system, "draw_naming", lambda *_: naming)
    monkeypatch.setattr(system._Draws, "sample", lambda *_: [wrong, right])
    synth = Synth(TINY)
    fit = synth.fit(Training(train))
    assert fit.ended == "converged"
    assert fit.accuracy == 1.0
    assert synth.predict([("b", "a")]) == [("A", "B")]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path))


@pytest.mark.parametrize("kind", [Synth, SynthGreedy])
def test_both_run_through_the_interface_and_share_their_weights(kind: type[Synth] | type[SynthGreedy]) -> None:
    train, test = fewshot()
    points: list[object] = []
    fit = kind(TINY).fit(Training(train, "fewshot"), points.append)
    assert fit.steps == 3
    assert len(points) == 1
    again = SynthGreedy(TINY)
    assert again.fit(Training(train, "fewshot", seed=1), points.append).curve == fit.curve
    assert len(points) == 1  # nothing was trained again
    assert len(again.predict([example.source for example in test])) == len(test)


def test_meta_training_goes_on_where_it_stood() -> None:
    settings = TINY.changed(["steps=5", "evaluate_every=1"])
    _, part = meta_trained(settings, "cpu", 0.0, lambda _: None)
    assert [point.step for point in part] == [1]
    network, curve = meta_trained(settings, "cpu", 1e9, lambda _: None)
    assert [point.step for point in curve] == [1, 2, 3, 4, 5]
    again, same = meta_trained(settings, "cpu", 1e9, lambda _: None)
    assert same == curve
    assert all(torch.equal(one, other) for one, other in zip(network.parameters(), again.parameters(), strict=True))


def test_data_with_too_many_words_is_refused_in_words() -> None:
    examples = [Example((f"a{number}",), ("A",)) for number in range(40)]
    with pytest.raises(DataError, match="Synth knows grammars of 12 words"):
        Synth(TINY).fit(Training(examples))
