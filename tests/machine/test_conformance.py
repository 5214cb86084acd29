"""All executors do the same with the same decisions: there is one machine, though it is written for several speeds."""

import json
from collections.abc import Sequence
from contextlib import suppress
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.config import CostConfig, SearchConfig
from ness.errors import StepLimitReached
from ness.export import runtime
from ness.export.script import compact_rules
from ness.learn.best_first import search
from ness.learn.coded_rules import CodedRules
from ness.learn.coding import Codec, legal_opcodes
from ness.learn.costs import Policy, RuleCosts
from ness.learn.cues import Cues
from ness.learn.lexicon import Lexicon
from ness.learn.replay import Replay
from ness.machine import (
    ConcatS,
    Frames,
    Operator,
    Phrase,
    Program,
    Status,
    after,
    allowed,
    drive,
    legal_operators,
    run,
    status_of,
    why_illegal,
    with_boundaries,
)
from ness.network.shadow import replay
from ness.paper import trace_set
from ness.paper.known_rules import ExtractedRules
from ness.paper.moments import Moment
from ness.paper.prospects import Prospects
from ness.paper.questions import SearchQuestion, ask
from ness.paper.sampling import sampled_search, search_together
from ness.rules import Categories, RuleTable
from ness.rules.parse import parse_rules
from ness.rules.serialise import from_json, plain_status, to_json
from ness.rules.table import words_named
from ness.rules.text import format_rules
from rule_tables import statuses
from search_samples import Scripted
from strategies import TOKENS, WORDS, RandomPolicy, instructions, sources, states

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")


def driven(source: tuple[str, ...], policy: RandomPolicy) -> tuple[Phrase, Program, list[Status]]:
    """Run the plain machine; what takes longer than a search would go on is left out."""
    try:
        output, steps = drive(source, policy)
    except StepLimitReached:
        assume(False)
    assume(len(steps) < 8 * len(source) + 6)
    return output, tuple(step.instruction for step in steps), [step.status for step in steps]


def check_tables(read: tuple[str, ...], source: tuple[str, ...], output: Phrase, program: Program) -> None:
    """Check the compiled table and the exported file, which are told the source; `read` is what the program reads."""
    table = RuleTable.from_traces([(read, program)], Categories())
    (answer,) = translate(RuleEngine(table), [source])
    assert answer.output == output
    assert answer.program() == program
    rules = runtime.Rules(json.loads(json.dumps(compact_rules(table, "examples"))))
    assert tuple(runtime.translate_tokens(source, rules=rules)) == output


@settings(max_examples=100)
@given(sources, st.integers(0, 10_000), st.booleans())
def test_every_executor_gives_the_same_output(source: tuple[str, ...], seed: int, bounded: bool) -> None:
    """With templates among the arguments; `bounded`: begin and end of the input are words."""
    read = with_boundaries(source) if bounded else source
    output, program, statuses = driven(read, RandomPolicy(seed))
    codec = Codec([(source, output), ((), ("X", "Y", "Z"))])
    coded = CodedRules()
    coded.rebuild([codec.trace(read, program)])
    sample = codec.encode(source, output)
    sample = codec.with_boundaries(sample) if bounded else sample

    # The labels of the network see what the plain machine saw.
    assert [status for status, _ in replay(read, program)] == statuses
    # The learner's executors, coded, and the paper's.
    assert codec.phrase(Replay(coded).output(sample[0]) or "") == output
    found = Replay(coded).trace(sample, by_heart_too=True)
    assert found is None or codec.program(found) == program  # None: it wastes a phrase
    found = trace_set.follow(trace_set.RuleDecisions(coded.decide), Moment(sample)).trace
    assert found is None or codec.program(found) == program  # None: it makes what the output does not have
    check_tables(read, source, output, program)


@settings(max_examples=60)
@given(sources, st.integers(0, 10_000))
def test_executors_agree_where_phrases_are_of_kinds(source: tuple[str, ...], seed: int) -> None:
    output, program, statuses = driven(source, RandomPolicy(seed, kinds=True))
    assert [status for status, _ in replay(source, program)] == statuses
    codec = Codec([(source, output), ((), ("X", "Y", "Z"))])
    trace = codec.trace(source, program)
    assert codec.program(trace) == program
    assert [codec.status(status) for status, *_ in trace] == statuses
    coded = CodedRules()
    coded.rebuild([trace])
    sample = codec.encode(source, output)
    assert codec.phrase(Replay(coded).output(sample[0]) or "") == output
    check_tables(source, source, output, program)
    table = RuleTable.from_traces([(source, program)], Categories())
    for same in (from_json(json.loads(json.dumps(to_json(table)))), parse_rules(format_rules(table))):
        assert same == table
        assert same.kinds == table.kinds


@settings(max_examples=40)
@given(sources, st.integers(0, 10_000))
def test_executors_agree_where_arguments_name_words(source: tuple[str, ...], seed: int) -> None:
    output, program, statuses = driven(source, RandomPolicy(seed, names_words=True))
    assume(any(isinstance(instruction, ConcatS) and instruction.own for instruction in program))
    assert [status for status, _ in replay(source, program)] == statuses
    own = {
        word: phrase
        for status, instruction in zip(statuses, program, strict=True)
        if isinstance(instruction, ConcatS)
        for word, phrase in zip(words_named(status.top, instruction.parts), instruction.own, strict=True)
    }
    codec = Codec([(source, output), ((), ("X", "Y", "Z"))])
    coded = CodedRules()
    coded.own = {codec.words[word]: codec.encode((), phrase)[1] for word, phrase in own.items()}
    coded.rebuild([codec.trace(source, program)])
    sample = codec.encode(source, output)
    assert codec.phrase(Replay(coded).output(sample[0]) or "") == output
    found = Replay(coded).trace(sample, by_heart_too=True)
    assert found is None or codec.program(found, coded.own) == program  # None: it wastes a phrase
    check_tables(source, source, output, program)


def test_the_paper_s_executor_follows_traces_to_their_ends() -> None:
    """In how many cases the property above is about it."""
    rng, followed = Random(0), 0
    for seed in range(60):
        source = tuple(rng.choices(WORDS, k=rng.randint(1, 5)))
        with suppress(StepLimitReached):
            output, steps = drive(source, RandomPolicy(seed))
            codec = Codec([(source, output), ((), ("X", "Y", "Z"))])
            coded = CodedRules()
            coded.rebuild([codec.trace(source, tuple(step.instruction for step in steps))])
            decisions = trace_set.RuleDecisions(coded.decide)
            followed += trace_set.follow(decisions, Moment(codec.encode(source, output))).solved
    assert followed >= 5


def test_searches_step_as_the_machine_does() -> None:
    """Best-first and the paper's sampling: every status on the way is the plain machine's, for every operator."""
    rng = Random(0)
    seen: set[tuple[str, int]] = set()
    named = 0
    for seed in range(80):
        source = tuple(rng.choices(WORDS, k=rng.randint(2, 4)))
        target = tuple(rng.choices(TOKENS, k=rng.randint(2, 4)))
        codec = Codec([(source, target)])
        sample, read = codec.encode(source, target), source
        if seed % 2:
            sample, read = codec.with_boundaries(sample), with_boundaries(source)
        policy = Scripted(operators={code: rng.choice((0.1, 1.0, 3.0)) for code in range(7)})
        rules = RuleCosts(CostConfig(least_share=1e-9), Cues())
        if seed % 5 == 0:  # where words may be named
            rules.own = {codec.words[source[0]]: codec.tokens[target[0]]}
        sampled = sampled_search(Moment(sample), [Prospects(ExtractedRules(), SearchConfig())], rng)
        config = SearchConfig(nodes=1000, literals=seed % 3)
        traces = {
            "best-first": search(policy, rules, Lexicon([sample]), sample, config).trace,
            "sampled": search_together(_Answers(policy), [sampled])[0].trace,
        }
        for name, trace in traces.items():
            if trace is not None:
                program = codec.program(trace, rules.own if name == "best-first" else {})
                assert run(read, program)[0] == target
                named += any(isinstance(each, ConcatS) and each.own for each in program)
                assert codec.trace(read, program) == trace
                seen |= {(name, operator) for _, operator, _ in trace}
    assert seen == {(name, code) for name in ("best-first", "sampled") for code in range(7)}
    assert named > 2


class _Answers:
    """Costs for many searches at once."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        return [ask(self._policy, question) for question in questions]


@given(statuses(), st.booleans())
def test_legality_is_the_same_everywhere(status: Status, own: bool) -> None:
    operators = set(legal_operators(status, own))
    words = sorted({word for word in (status.next, *status.top, *(status.second or ())) if isinstance(word, str)})
    codec = Codec([(words, ("X",))])
    assert {list(Operator)[code] for code in legal_opcodes(codec.code_status(status), own)} == operators
    assert runtime.legal_operators(*runtime._status(*plain_status(status).values()), own=own) == operators


@given(states(), instructions)
def test_an_instruction_is_legal_only_where_its_operator_is(state, instruction) -> None:  # type: ignore[no-untyped-def]
    if why_illegal(state, instruction) is None:
        assert instruction.operator in legal_operators(status_of(state), own=True)


def test_frames_change_alike_whatever_items_are() -> None:
    words: Frames[str] = Frames(1, (("a", "b"), ("c",)), ("m",))
    numbers: Frames[int] = Frames(1, ((1, 2), (3,)), (9,))
    names = {"a": 1, "b": 2, "c": 3, "m": 9, "w": 5, "p": 7}
    for operator in Operator:
        changed = after(words, operator, (0,), "w", "p")
        same = after(numbers, operator, (0,), 5, 7)
        assert [[names[item] for item in frame] for frame in changed.stack] == [list(frame) for frame in same.stack]
        assert changed.position == same.position


def test_every_situation_leaves_something_to_do_but_the_hopeless_one() -> None:
    rng = Random(0)
    for _ in range(200):
        ended, words, nested, memory = (rng.random() < 0.5 for _ in range(4))
        phrases = rng.randint(0, 2)
        nothing = ended and not words and not phrases and not memory
        assert bool(allowed(ended, words, phrases, nested, memory)) != nothing
