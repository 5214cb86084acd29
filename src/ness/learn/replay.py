"""Greedy execution of a rule table: on a known example its trace, if it is right and wastes nothing."""

from typing import Any

from ness.learn.coded_rules import CodedRules
from ness.learn.coding import END_MARK, CodedSource, CodedTrace, Sample, Step
from ness.learn.decision_graph import STUCK, DecisionGraph, DecisionNode
from ness.machine.opcodes import CONCAT_M, FINAL, POP, PUSH, REDUCE, SHIFT

_LONGEST = 100_000  # tokens of a phrase, where no output is known: doubling what is doubled would take all memory
_STEPS_PER_WORD = 8
_SHORT = 6  # words that a frame reads, at most, for what becomes of it to be remembered


# A frame from its opening to its POP: steps, phrase, its mark and whether the memory is full, the memory, words read.
_Run = tuple[list[Step], str, tuple[int, int], str, int]
# A frame below: its phrases, its node, that of the frame opened on it, where (-1: with a full memory), steps by then.
_Opened = tuple[list[str], DecisionNode, DecisionNode, int, int]


class Replay:
    """Follows rules, which may be confirmed meanwhile, but not changed.

    What becomes of a frame depends on where it is opened, on the words that it reads and on the next one alone. So that
    is remembered, of short frames that are opened while the memory is empty.
    """

    def __init__(self, rules: CodedRules) -> None:
        self._graph = DecisionGraph(rules)

    def trace(self, sample: Sample, by_heart_too: bool = False) -> CodedTrace | None:
        """Follow the rules; return the trace if it yields the sample's target without waste, else None.

        What is learned by heart, several words reduced at once to several tokens, does not count unless asked for.
        """
        source, target = sample
        output, steps = self._run(source, target)
        if output != target:
            return None
        whole = len(source) > 1 and len(target) > 1 and len(steps) == len(source) + 2
        by_heart = whole and steps[-2][1] == REDUCE and sample not in self._graph.rules.set_phrases
        return tuple(steps) if by_heart_too or not by_heart else None

    def output(self, source: CodedSource) -> str | None:
        """Follow the rules on a source whose output is not known; None where they come to no end."""
        return self._run(source, None)[0]

    def steps(self, source: CodedSource) -> tuple[str | None, list[Step]]:
        """Follow the rules on a source whose output is not known; also the steps, as far as they go."""
        return self._run(source, None)

    def _run(self, source: CodedSource, target: str | None) -> tuple[str | None, list[Step]]:
        """The output and the steps; where a target is known, only as far as no phrase is lost or no part of it."""
        words = (*source, END_MARK)
        position = 0
        word = words[0]
        node = self._graph.start
        frame: list[str] = []  # the phrases of the top frame
        memory = ""
        below: list[_Opened] = []
        steps: list[Step] = []
        limit = _STEPS_PER_WORD * len(source) + 6
        while len(steps) < limit:
            edge = node[word]
            if edge is None:
                break
            code, step, following, argument = edge
            steps.append(step)
            if code == SHIFT:
                position += 1
                word = words[position]
                node = following
            elif code == PUSH:
                run = None if memory or target is None else _remembered(following, words, position)
                if run is None:
                    below.append((frame, node, following, -1 if memory else position, len(steps)))
                    frame = []
                    node = following
                else:
                    more, phrase, popped, memory, read = run
                    if phrase not in target:  # type: ignore[operator] # it is known here
                        break
                    steps += more
                    frame.append(phrase)
                    position += read
                    word = words[position]
                    node = node.popped(popped)
            elif code == POP:
                lower, pushed, opened, start, done = below.pop()
                phrase = frame[0]
                if target is not None and position - _SHORT <= start >= 0:
                    _remember(
                        opened, words[start : position + 1], (steps[done:], phrase, argument, memory, position - start)
                    )
                lower.append(phrase)
                frame = lower
                node = pushed.popped(argument)
            elif code == FINAL:
                return frame[0], steps
            elif code == STUCK:
                break
            else:
                if code == REDUCE:
                    phrase = argument
                    frame = [phrase]
                else:
                    join, stay, wasteful = argument
                    if wasteful and target is not None:
                        break
                    if memory:
                        frame.append(memory)
                    phrase = join(frame)
                    if code == CONCAT_M:
                        frame = [frame[place] for place in stay]
                        memory = phrase
                    else:
                        frame = [phrase]
                        memory = ""
                if len(phrase) > _LONGEST if target is None else phrase not in target:
                    break
                node = following
        return None, steps


def _remembered(opened: DecisionNode, words: CodedSource, position: int) -> _Run | None:
    """What became of a frame that was opened here with the same words ahead, as far as they decided."""
    found: Any = opened.runs
    while isinstance(found, dict):
        found = found.get(words[position])
        position += 1
    return found  # type: ignore[no-any-return]


def _remember(opened: DecisionNode, words: CodedSource, run: _Run) -> None:
    found = opened.runs
    for word in words[:-1]:
        found = found.setdefault(word, {})
    found[words[-1]] = run


def unsolved_samples(rules: CodedRules, samples: list[Sample]) -> list[Sample]:
    """The samples that the rules do not solve."""
    replay = Replay(rules)
    return [sample for sample in samples if replay.trace(sample) is None]
