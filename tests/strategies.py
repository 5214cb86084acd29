"""Hypothesis strategies: tokens, programs that are legal by construction, and the states they pass through."""

from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from ness.machine import (
    BARE,
    ConcatM,
    ConcatS,
    Final,
    Instruction,
    Operator,
    Part,
    Phrase,
    Pop,
    Program,
    Push,
    Reduce,
    Shift,
    State,
    Status,
    TraceStep,
    View,
    Word,
    legal_operators,
    step,
    why_illegal,
)

WORDS = ("a", "b", "and")
TOKENS = ("X", "Y", "Z")

sources = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(tuple)
phrases = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3).map(tuple)
parts = st.lists(st.integers(-1, 4) | st.sampled_from(TOKENS), max_size=3).map(tuple)

# Any token that may come from a user's file: spaces, quotes, semicolons, nothing, other scripts, lone surrogates.
odd_tokens = st.text(st.one_of(st.sampled_from(' ;",\\\n\t●…'), st.characters()), max_size=6)

# Any instruction, legal or not.
instructions: st.SearchStrategy[Instruction] = st.one_of(
    st.sampled_from((Shift(), Push(), Pop(), Final())),
    st.builds(Reduce, st.one_of(phrases, st.just(())), st.integers(-1, 2)),
    st.builds(ConcatM, parts),
    st.builds(ConcatS, parts, st.just(()) | st.lists(phrases | st.just(()), max_size=2).map(tuple)),
)

# Parts of a CONCAT with a position among them; tokens may look like positions.
templates = st.tuples(
    st.lists(st.integers(0, 30) | odd_tokens | st.sampled_from(("0", "2,0", ",", "12", "kind:")), max_size=6),
    st.integers(0, 30),
).map(lambda drawn: (*drawn[0], drawn[1]))

# Instructions with a whole argument of odd tokens or any positions: what the text form must carry.
complete_instructions: st.SearchStrategy[Instruction] = st.one_of(
    st.sampled_from((Shift(), Push(), Pop(), Final())),
    st.builds(Reduce, st.lists(odd_tokens | st.just("kind:"), min_size=1, max_size=4).map(tuple), st.integers(0, 20)),
    st.builds(ConcatM, templates),
    st.builds(ConcatS, templates, st.lists(st.lists(odd_tokens | st.just("own:"), min_size=1).map(tuple)).map(tuple)),
    st.builds(lambda parts, kind: ConcatS((*parts, -kind)), templates, st.integers(1, 20)),
)


class Execution(NamedTuple):
    """A source, a legal program for it, every state before an instruction, and the output."""

    source: tuple[Word, ...]
    program: Program
    states: tuple[State, ...]
    output: Phrase


def phrase_indices(state: State) -> list[int]:
    """Where CONCAT may point."""
    return [index for index, item in enumerate(state.candidates) if not isinstance(item, str)]


@st.composite
def executions(draw: st.DrawFn) -> Execution:
    """Draw a legal program: some free steps, then a short way to FINAL."""
    source = draw(sources)
    seeds = draw(st.lists(st.integers(0, 9999), max_size=40))
    state = State(source)
    trace: list[TraceStep] = []
    while not trace or not isinstance(trace[-1].instruction, Final):
        free = len(trace) < len(seeds)
        instruction = _some_legal(state, Random(seeds[len(trace)])) if free else _way_home(state)
        trace.append(TraceStep(state, instruction))
        state = step(state, instruction)
    output = state.stack[-1][0]
    assert isinstance(output, tuple)
    return Execution(source, tuple(t.instruction for t in trace), tuple(t.state for t in trace), tuple(output))


@st.composite
def states(draw: st.DrawFn) -> State:
    """Draw a state that some legal program reaches."""
    return draw(st.sampled_from(draw(executions()).states))


def _some_legal(state: State, rng: Random) -> Instruction:
    """Choose an instruction that can run in `state`, each operator as likely as the others; phrases stay short."""
    options: list[Instruction] = [
        Shift(),
        Push(),
        Pop(),
        Final(),
        Reduce(tuple(rng.choices(TOKENS, k=rng.randint(1, 3))), rng.choice((0, 0, 1))),
    ]
    if found := phrase_indices(state):
        most = 4 if sum(len(state.candidates[index]) for index in found) < 500 else 1
        chosen: list[Part] = list(rng.choices(found, k=rng.randint(1, most)))
        for _ in range(rng.choice((0, 0, 1, 3))):
            chosen.insert(rng.randint(0, len(chosen)), rng.choice(TOKENS))
        options += [ConcatM(tuple(chosen)), ConcatS(tuple(chosen)), ConcatS((*chosen, -rng.randint(1, 2)))]
    if words := [index for index, item in enumerate(state.top) if isinstance(item, str)]:
        named = rng.choices([*words, *found], k=rng.randint(1, 3))  # words stand for their own phrases
        own = [(rng.choice(TOKENS),) for index in dict.fromkeys(named) if index in words]
        options.append(ConcatS(("X", *named) if rng.random() < 0.5 else tuple(named), tuple(own)))
    return rng.choice([instruction for instruction in options if why_illegal(state, instruction) is None])


def _way_home(state: State) -> Instruction:
    """One instruction on a way to FINAL that every state has."""
    if not state.exhausted:
        return Shift()
    if not any(isinstance(item, tuple) for item in state.top):
        return Reduce(("END",))
    if len(state.candidates) > 1:
        return ConcatS(tuple(phrase_indices(state)))
    return Pop() if len(state.stack) > 1 else Final()


class RandomPolicy:
    """A fixed random instruction for each status, mostly one that gets on; arguments depend on top frame and memory."""

    def __init__(self, seed: int, names_words: bool = False, kinds: bool = False) -> None:
        self._random = Random(seed)
        self._kinds = kinds  # phrases may be of kinds
        self._names_words = names_words  # CONCAT_S may point at words, which stand for their own phrases
        self._own: dict[Word, Phrase] = {}
        self.chosen: dict[Status, Instruction] = {}
        self._completed: dict[tuple[Operator, View, View], Instruction] = {}

    def __call__(self, status: Status) -> Instruction:
        if status not in self.chosen:
            operators = legal_operators(status, self._names_words)
            operator = Operator.FINAL if Operator.FINAL in operators else self._random.choice(operators)
            memory = () if operator is Operator.REDUCE else status.memory
            key = (operator, status.top, memory)
            if key not in self._completed:
                self._completed[key] = self._complete(operator, status)
            self.chosen[status] = self._completed[key]
        return self.chosen[status]

    def _complete(self, operator: Operator, status: Status) -> Instruction:
        rng = self._random
        if operator in BARE:
            return BARE[operator]
        if operator is Operator.REDUCE:
            alone = status.top[0] if self._names_words and len(status.top) == 1 else None
            return Reduce(self._own_phrase(alone) if isinstance(alone, str) else self._phrase(), self._kind())
        if operator is Operator.CONCAT_S and self._names_words and status.top:
            named = rng.sample(range(len(status.top)), rng.randint(1, len(status.top)))
            words = [status.top[place] for place in named]
            return ConcatS(("X", *named), tuple([self._own_phrase(word) for word in words if isinstance(word, str)]))
        places = [index for index, item in enumerate(status.top + status.memory) if not isinstance(item, str)]
        parts: list[Part] = list(rng.sample(places, rng.randint(1, len(places))))  # none twice: outputs stay short
        if operator is Operator.CONCAT_M and places[0] not in parts:
            parts.append(places[0])  # the first phrase lies in the top frame
        for _ in range(rng.choice((0, 0, 1, 2))):
            parts.insert(rng.randint(0, len(parts)), rng.choice(TOKENS))
        if operator is Operator.CONCAT_M:
            return ConcatM(tuple(parts))
        kind = self._kind()
        return ConcatS((*parts, -kind) if kind else tuple(parts))

    def _kind(self) -> int:
        return self._random.choice((0, 1, 2)) if self._kinds else 0

    def _phrase(self) -> Phrase:
        return tuple(self._random.choices(TOKENS, k=self._random.randint(1, 2)))

    def _own_phrase(self, word: Word) -> Phrase:
        return self._own.setdefault(word, self._phrase())
