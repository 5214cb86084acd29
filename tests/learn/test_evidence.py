"""What a corpus tells before anything is learned: shares and owners of tokens, and words that come in pairs."""

from dataclasses import replace

import pytest

from ness.config import CostConfig, SearchConfig
from ness.learn.best_first import search
from ness.learn.coding import Codec, CodedView, Sample
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.lexicon import Lexicon, is_subsequence
from ness.machine.opcodes import REDUCE

SCAN = """
walk = WALK
run = RUN
walk twice = WALK WALK
run twice = RUN RUN
walk and run = WALK RUN
run and walk = RUN WALK
walk left = LEFT WALK
run left = LEFT RUN
"""


class Corpus:
    """Examples written as text, and codes for words and tokens."""

    def __init__(self, text: str) -> None:
        examples = [(s.split(), t.split()) for s, t in (line.split("=") for line in text.strip().splitlines())]
        self.codec = Codec(examples)
        self.samples: list[Sample] = [self.codec.encode(*example) for example in examples]

    def words(self, text: str) -> CodedView:
        return self.codec.encode(text.split(), ())[0]

    def tokens(self, text: str) -> str:
        return self.codec.encode((), text.split())[1]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus(SCAN)


@pytest.mark.parametrize(
    ("words", "phrase", "share"),
    [
        ("walk", "WALK", 1.0),
        ("walk", "WALK WALK", 1 / 5),  # of five occurrences, one is with `twice`
        ("walk", "RUN", 2 / 5),
        ("left", "LEFT", 1.0),
        ("left", "RUN", 1 / 2),
        ("walk run", "WALK RUN", 1.0),  # in this order, with or without words between
        ("run walk", "WALK RUN", 0.0),
        ("left left", "LEFT", 0.0),  # never occurs
        ("", "WALK", 1.0),  # nothing speaks against what has no words
    ],
)
def test_share_of_occurrences_that_a_phrase_accounts_for(corpus: Corpus, words: str, phrase: str, share: float) -> None:
    assert Lexicon(corpus.samples).share(corpus.words(words), corpus.tokens(phrase)) == pytest.approx(share)


def test_share_counts_a_repeated_word_as_often_as_it_occurs() -> None:
    corpus = Corpus("a a = X\na b = X Y")
    assert Lexicon(corpus.samples).share(corpus.words("a"), corpus.tokens("X")) == pytest.approx(2 / 3)


def test_a_word_owns_the_tokens_that_go_with_it_alone(corpus: Corpus) -> None:
    lexicon = Lexicon(corpus.samples)
    owned = {
        word: corpus.codec.phrase("".join(sorted(lexicon.own_tokens(code))))
        for word, code in corpus.codec.words.items()
    }
    assert owned == {"walk": ("WALK",), "run": ("RUN",), "twice": (), "and": (), "left": ("LEFT",)}


def test_parts_explain_a_longer_rule(corpus: Corpus) -> None:
    lexicon = Lexicon(corpus.samples)
    rules = {corpus.words("walk"): {corpus.tokens("WALK"): 3}}
    explained = lexicon.explained_by_parts
    assert explained(rules, corpus.words("walk twice"), corpus.tokens("WALK"))  # walk has a rule inside
    assert not explained(rules, corpus.words("run twice"), corpus.tokens("RUN"))
    assert explained({}, corpus.words("run left"), corpus.tokens("LEFT RUN"))  # each word owns a token
    assert not explained({}, corpus.words("run twice"), corpus.tokens("RUN RUN"))
    assert not explained(rules, corpus.words("walk"), corpus.tokens("WALK"))
    first, second = sorted([corpus.tokens("WALK"), corpus.tokens("RUN")])
    tied = {corpus.words("walk"): {second: 1, first: 1}}  # the first answers, as in the rule table
    assert explained(tied, corpus.words("walk twice"), first)
    assert not explained(tied, corpus.words("walk twice"), second)


def test_subsequences_need_not_be_adjacent() -> None:
    assert is_subsequence((1, 3), (1, 2, 3))
    assert not is_subsequence((3, 1), (1, 2, 3))
    assert not is_subsequence((1, 1), (1, 2, 3))


# ------------------------------------------------------------------------------------------------ cues


def cues(text: str, most: float = 5.0) -> tuple[Corpus, Cues]:
    corpus = Corpus("\n".join(f"{line}=X" for line in text.strip().splitlines()))
    return corpus, Cues(corpus.samples, most)


BRACKETS = """
a
( a )
( a + b ) * c
c * ( b + ( a ) )
( b ) + ( b )
a + a * b
c
"""
CONDITIONS = """
a
if a then b else c
d
if d then if a then c else d else b
if b then b else if c then a else d
c
b
"""


def test_brackets_are_a_pair() -> None:
    corpus, found = cues(BRACKETS)
    opening, closing = corpus.words("( )")
    assert found.cost_of_reading(closing, corpus.words("a")) > 0
    assert found.cost_of_reading(closing, corpus.words("( a")) == 0
    assert found.cost_of_closing(corpus.words("( a")) > 0
    assert found.cost_of_closing(corpus.words("( a )")) == 0
    assert found.cost_of_reading(opening, ()) == 0
    for other in corpus.words("a b c + *"):
        assert found.cost_of_reading(other, ()) == 0
        assert found.cost_of_closing((other,)) == 0


def test_conditions_are_a_chain_of_pairs() -> None:
    corpus, found = cues(CONDITIONS)
    _, then, otherwise = corpus.words("if then else")
    assert found.cost_of_reading(then, ()) > 0
    assert found.cost_of_reading(then, corpus.words("if")) == 0
    assert found.cost_of_reading(otherwise, corpus.words("if")) > 0
    assert found.cost_of_reading(otherwise, corpus.words("if then")) == 0
    assert found.cost_of_closing(corpus.words("if then")) > 0
    assert found.cost_of_closing(corpus.words("if then else")) == 0


def test_two_inputs_are_chance() -> None:
    corpus, found = cues("( a )\n( b )\na\nb\nc d\na c d")
    assert found.cost_of_reading(corpus.words(")")[0], ()) == 0
    assert found.cost_of_closing(corpus.words("( a")) == 0


def test_the_same_count_is_not_enough() -> None:
    """In one input the words do not nest; in another their counts differ."""
    for odd in (") a (", "( a ) )"):
        corpus, found = cues(f"( a )\n( b )\n( c )\n{odd}\na b c")
        assert found.cost_of_reading(corpus.words(")")[0], ()) == 0


def test_evidence_grows_with_inputs_up_to_a_limit() -> None:
    strengths = []
    for inputs in (3, 8, 100):
        corpus, found = cues("\n".join("( a )" if n % 2 else "( b )" for n in range(inputs)) + "\na b a")
        strengths.append(found.cost_of_reading(corpus.words(")")[0], ()))
    assert 0 < strengths[0] < strengths[1] < strengths[2] == 5.0


def test_without_data_there_are_no_cues() -> None:
    assert Cues().cost_of_reading(0, ()) == 0
    assert Cues().cost_of_closing((0, 1)) == 0


# X and Y come with each `u` and each `v`; but X comes with `v` alone, Y also where neither is.
TIED = """
u v = X Y
v w = X Y
z = Y
z z = Y Y
"""


def test_how_far_a_word_and_a_token_occur_apart() -> None:
    corpus = Corpus(TIED)
    lexicon = Lexicon(corpus.samples)
    (u,), (v,) = corpus.words("u"), corpus.words("v")
    assert lexicon.separation(v, corpus.tokens("X")) == 0.0
    assert lexicon.separation(u, corpus.tokens("X")) == pytest.approx(1 / 3)
    assert lexicon.separation(v, corpus.tokens("X Y")) == pytest.approx(1 / 6)


@pytest.mark.parametrize("turned", [False, True])
def test_of_equally_short_programs_words_give_the_tokens_that_occur_with_them_alone(turned: bool) -> None:
    """Whatever the order of words and tokens: nothing else speaks for one of the two."""
    lines = [line.split(" = ") for line in TIED.strip().splitlines()]
    order = -1 if turned else 1
    corpus = Corpus("\n".join(f"{s} = {' '.join(t.split()[::order])}" for s, t in lines))
    costs = replace(CostConfig(), explained=0.0)  # else what another word owns is dearer anyway
    rules = RuleCosts(costs, Cues())
    found = search(rules, rules, Lexicon(corpus.samples), corpus.samples[0], SearchConfig(max_reduce_length=1))
    assert found.trace is not None
    made = {status[1]: argument for status, operator, argument in found.trace if operator == REDUCE}
    assert made == {corpus.words(word): corpus.tokens(token) for word, token in (("u", "Y"), ("v", "X"))}
