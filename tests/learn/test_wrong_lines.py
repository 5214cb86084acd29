"""Wrong lines take hardly any time: what others confirm is learned first, and tells what is wrong with the rest."""

import random
from itertools import product

import pytest

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.data.invented.schemes import random_scheme
from ness.learn.analogies import Analogies
from ness.learn.learner import learn
from ness.learn.readings import enclosed_alike
from ness.learn.result import LearningResult
from ness.learn.suspects import contradicted_by_table


def right(learned: LearningResult, examples: list[Example]) -> bool:
    answers = translate(RuleEngine(learned.table), [example.source for example in examples])
    return [answer.output for answer in answers] == [example.target for example in examples]


def spoiled(lines: list[Example], count: int) -> dict[Example, Example]:
    """Map some lines, each with a token less or a wrong one, to what they should be."""
    rng = random.Random(0)
    found = {}
    for line in rng.sample(lines, count):
        place = rng.randrange(len(line.target))
        new = () if len(line.target) > 1 and rng.random() < 0.5 else ("ODD",)
        found[Example(line.source, (*line.target[:place], *new, *line.target[place + 1 :]))] = line
    return found


@pytest.mark.slow
def test_wrong_lines_are_not_searched_for() -> None:
    train, test = random_scheme(2002)
    lines = list(dict.fromkeys(train))
    clean = learn(lines, Config())
    wrong = spoiled(lines, 12)
    noisy = [line for line in lines if line not in wrong.values()]
    found = learn([*noisy, *wrong], Config())
    assert right(clean, list(test))
    assert right(found, list(test))
    assert found.nodes <= 2 * clean.nodes
    assert found.memorised == []
    assert set(found.unsolved) <= wrong.keys()
    assert found.suspicious.items() <= {line: was.target for line, was in wrong.items()}.items()
    assert len(found.suspicious) >= 10


PHRASES = {"walk": "GO", "run": "GO", "jump": "UP", "hop": "UP", "look": "SEE", "watch": "SEE"}
PHRASES |= {f"{verb} twice": f"{token} {token}" for verb, token in PHRASES.items()}


def lists(size: int) -> list[Example]:
    """Lists in brackets, of words that have no token of their own: nothing can be told by analogy."""
    return [
        example_of(" and ".join(parts), f"[ {' , '.join(PHRASES[part] for part in parts)} ]")
        for parts in product(PHRASES, repeat=size)
    ]


def test_lines_without_a_bracket_do_not_hide_the_brackets() -> None:
    lines = [*lists(1), *lists(2), *random.Random(0).sample(lists(3), 60)]
    expected = {Example(line.source, line.target[1:]): line.target for line in lines[20:150:60]}
    expected |= {Example(line.source, line.target[:-1]): line.target for line in lines[30:160:60]}
    sources = {line.source for line in expected}
    found = learn([*[line for line in lines if line.source not in sources], *expected], Config())
    assert (found.suspicious, found.unsolved, found.memorised) == (expected, [], [])
    assert right(found, lists(3))


def test_lines_that_begin_and_end_as_nearly_all_do() -> None:
    lines = lists(2)
    odd = [example_of("walk", "GO ]"), example_of("run", "[ GO"), example_of("hop", "[ UP )")]
    assert enclosed_alike([*lines, *odd]) == lines
    assert enclosed_alike([*lines, *odd, example_of("sit", "DOWN")]) == []  # no brackets, and not because one is lost
    assert enclosed_alike(lines) == []  # nothing hides the brackets
    assert enclosed_alike([*lines[:5], *odd]) == []  # too many to be wrong
    plain = [example_of(word, f"{word.upper()} {number}") for number, word in enumerate(PHRASES)]
    assert enclosed_alike([*plain, example_of("all", "ALL")]) == []  # nothing in common


def test_examples_that_rules_contradict_without_a_reason() -> None:
    lines = [Example(line.source, line.target[1:-1]) for line in (*lists(1), *lists(2))]
    table = learn(lines, Config()).table
    wrong = example_of("walk and look", "GO , GO")
    far = example_of("run and watch", "UP")
    assert contradicted_by_table(table, [*lines, wrong, far]) == {wrong: ("GO", ",", "SEE")}
    back = [example_of(f"{verb} and back", f"{PHRASES[verb]} ,") for verb in ("walk", "run", "jump")]
    assert contradicted_by_table(table, [*lines, *back]) == {}  # the rules do not know the word


def formulas(seed: int) -> tuple[list[Example], list[Example]]:
    """Relations, `and`, `implies` with brackets, `for all`; and the three lines which alone tell what that binds."""
    rng = random.Random(seed)
    relations = [("equals", "="), ("divides", "|"), ("exceeds", ">")]

    def relation() -> tuple[str, str]:
        one, other, (word, token) = rng.choice("abcdef"), rng.choice("abcdef"), rng.choice(relations)
        return f"{one} {word} {other}", f"{one} {token} {other}"

    def conjunction() -> tuple[str, str]:
        (a, b), (c, d) = relation(), relation()
        return f"{a} and {c}", f"{b} & {d}"

    def implication(made: tuple[str, str]) -> tuple[str, str]:
        a, b = relation()
        return f"{made[0]} implies {a}", f"( {made[1]} ) -> ( {b} )"

    def general(made: tuple[str, str]) -> tuple[str, str]:
        name, kind = rng.choice("abcdef"), rng.choice("ABC")
        return f"for all {name} in {kind} {made[0]}", f"! {name} : {kind} . {made[1]}"

    pairs = [made for _ in range(60) for made in (relation(), conjunction(), implication(relation()))]
    pairs += [made for _ in range(30) for made in (general(relation()), general(relation()), general(conjunction()))]
    pairs += [implication(conjunction()) for _ in range(20)]
    telling = [example_of(*general(implication(relation()))) for _ in range(3)]
    return [example_of(*made) for made in dict.fromkeys(pairs)], telling


def test_the_only_lines_that_tell_are_not_wrong() -> None:
    lines, telling = formulas(0)
    learned = learn([*lines, *telling], Config())
    assert not learned.suspicious
    assert right(learned, [*lines, *telling])


def first_from(monkeypatch: pytest.MonkeyPatch, confirmed: list[Example]) -> None:
    """Let nothing but these lines be confirmed by others, so that rules are learned from them first."""
    monkeypatch.setattr("ness.learn.learner.compare_by_analogy", lambda *_: Analogies({}, confirmed, disputed=True))


def test_lines_that_rules_without_them_doubt_may_be_right(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, telling = formulas(0)
    first_from(monkeypatch, lines)
    learned = learn([*lines, *telling], Config())
    assert not learned.suspicious
    assert right(learned, [*lines, *telling])


def test_wrong_lines_stay_wrong_where_all_are_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, telling = formulas(0)
    wrong = spoiled(lines, 3)
    others = [line for line in lines if line not in wrong.values()]
    first_from(monkeypatch, others)
    learned = learn([*others, *telling, *wrong], Config())
    assert wrong.keys() <= learned.suspicious.keys() | set(learned.unsolved)
    assert right(learned, others)
