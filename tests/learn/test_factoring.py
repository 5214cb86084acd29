"""Rules that have much in common are taken apart, and derivations stay derivations of the same."""

from itertools import permutations, product

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.example import Example, example_of
from ness.data.tasks import load_task
from ness.learn.coding import PHRASE_MARK, literal
from ness.learn.derivations.factoring import rewritten, taken_apart
from ness.learn.derivations.rules import Derivation, FrameRule
from ness.learn.learner import learn

P = PHRASE_MARK
ASK, IF, IS, HAS, IN, END = range(6)


def rule(frame: tuple[int, ...], *parts: int | str) -> FrameRule:
    return FrameRule(frame, tuple([literal(part) if isinstance(part, str) else part for part in parts]))


ASKED = [
    rule((ASK, IF, P, IS, P), "q", ":", 2, "=", 4, "?"),
    rule((ASK, IF, P, HAS, P), "q", ":", "h", "(", 2, ",", 4, ")", "?"),
    rule((ASK, IF, P, IN, P), "q", ":", 4, "<", "-", 2, "?"),
]


def test_what_rules_share_becomes_a_rule() -> None:
    apart = taken_apart(dict.fromkeys(ASKED, 1), {"(": ")"})
    assert {split.outer for split in apart.values()} == {rule((ASK, IF, P), "q", ":", 2, "?")}
    assert apart[ASKED[1]].inner == rule((P, HAS, P), "h", "(", 0, ",", 2, ")")


def test_a_rule_alone_stays_whole() -> None:
    assert taken_apart({ASKED[0]: 9}, {}) == {}


def test_brackets_keep_their_partners() -> None:
    """`( ●` and `● )` would be shared by more, but neither is a phrase."""
    rules = [rule((ASK, P, word), "(", 1, token, ")") for word, token in ((IS, "i"), (HAS, "h"), (IN, "n"), (END, "e"))]
    for split in taken_apart(dict.fromkeys(rules, 2), {"(": ")"}).values():
        for half in (split.outer, split.inner):
            assert half.parts.count(literal("(")) == half.parts.count(literal(")"))


def test_what_is_chained_is_taken_apart_into_its_links() -> None:
    link, chain = rule((P, IN, P), 0, ",", 2), rule((P, IN, P, IN, P), 0, ",", 2, ",", 4)
    split = taken_apart({link: 5, chain: 2}, {})[chain]
    assert split.outer == split.inner == link


def test_a_derivation_keeps_what_it_makes() -> None:
    words = [Derivation((place, place + 1), made, 0.0) for place, made in ((2, (4, 5)), (4, (6, 7)))]
    tree = Derivation((0, 5), (0, 9), 1.0, ASKED[1], tuple(words))
    apart = taken_apart(dict.fromkeys(ASKED, 1), {"(": ")"})
    found = rewritten(tree, apart)
    (inner,) = found.phrases
    assert (found.span, found.made, inner.span, inner.made) == ((0, 5), (0, 9), (2, 5), (2, 8))
    assert inner.phrases == tuple(words)
    assert set(found.rules()) == {apart[ASKED[1]].outer, apart[ASKED[1]].inner}


def questions() -> list[Example]:
    """Questions of one claim or of two, never of more."""
    names = ("ann", "bob", "eva")
    claims = {
        "{} equals {}": "{} = {}",
        "{} is a member of {}": "member ( {} , {} )",
        "adding {} gives {}": "add ( {} , {} )",
    }
    lines = [example_of(name, name) for name in names]
    for source, target in claims.items():
        lines += [
            example_of(f"ask whether {source.format(*two)}", f"?- {target.format(*two)} .")
            for two in permutations(names, 2)
        ]
    for (source, target), (source2, target2) in product(claims.items(), repeat=2):
        lines.append(
            example_of(
                f"ask whether {source.format('ann', 'bob')} besides {source2.format('eva', 'ann')}",
                f"?- {target.format('ann', 'bob')} , {target2.format('eva', 'ann')} .",
            )
        )
    return lines


def test_questions_of_three_claims_are_answered() -> None:
    learned = learn(questions(), Config())
    source = "ask whether adding ann gives bob besides eva is a member of ann besides bob equals eva"
    (answer,) = translate(RuleEngine(learned.table), [source.split()])
    assert " ".join(answer.output or ()) == "?- add ( ann , bob ) , member ( eva , ann ) , bob = eva ."


def test_conditions_are_chained_longer_than_any_example_shows() -> None:
    """Examples have one `and` at most; what is taken apart leaves `● where ● = ●` in one frame."""
    task = load_task("invented/select")
    table = learn(task.train, Config(), task.lessons).table
    tests = [example for examples in task.tests.values() for example in examples]
    answers = translate(RuleEngine(table), [example.source for example in tests])
    assert [answer.output for answer in answers] == [example.target for example in tests]
