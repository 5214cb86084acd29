"""NeSS translator: rules learned from examples, and the small machine that follows them.

One file, standard library only, Python 3.9 or newer.

    python translator.py "first input" "second input"     one answer a line
    python translator.py < inputs.txt                     the same, from standard input
    python -c 'from translator import translate; print(translate("first input"))'

Where no rule applies it says so, with the step and what it saw, and the exit code is 1; it never guesses.
With --strict it also refuses steps that rest on an extrapolation instead of on training examples.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from ness.data.spelling import Spelling
from ness.rules.arguments import ConcatArguments, without_kind
from ness.rules.backoff import REFUSED, BackOff, FrameNotation
from ness.rules.contexts import Contexts

# Each operator rule reads [next word, top frame, second frame, memory, {operator: training traces}]. Words stand
# for their whole category (the first word of a list under "categories"), except in the exceptions. In a frame,
# null is a phrase, a number a phrase of that kind; as the next word null is the end of the input; as the second frame
# it means that there is none.
# "reduce" reads [words, phrase, traces] or [words, phrase, traces, kind of the phrase], "concat" [operator, top frame,
# memory, parts, traces]; a part is a target token, or a number, which counts the top frame's items from 0, then the
# memory; a number that points at a word stands for what "reduce" makes of that word; -1 and below, in the last place,
# is the kind of what is made. Where words of a category have different parts, each frame has its own line.
# "contexts" has other parts by second frame: [operator, top frame, memory, second frame, parts, traces].
# Words may have other categories in the arguments of CONCAT than elsewhere.
# "spelling" is for `Spelling`.
RULES = r"""
{"title": "nothing learned yet", "spelling": {}, "words": [], "categories": [], "operators": [],
"operator_exceptions": [], "reduce": [], "concat": []}
"""

CONCATS = ("CONCAT_M", "CONCAT_S")
OPERATORS = ("SHIFT", "REDUCE", "PUSH", "POP", "CONCAT_M", "CONCAT_S", "FINAL")
BEGIN, END_WORD = "‹begin›", "‹end›"  # around the input, where rules were learned with them
PHRASE = None  # any phrase, in a view of a frame
ANY = "any word"  # in the outline of a frame; no word has a space
END = None  # the next word when the input is used up
NO_FRAME = None
MAX_OUTPUT = 50_000_000  # tokens; nested repetition can ask for exponentially many
MAX_FRAME = 200  # items; nothing learned piles up that many
MAX_REMEMBERED = 1_000_000  # decisions
UNKNOWN = "no training example shows what to do"
EXTRAPOLATED = "no training example shows this, the answer would be extrapolated"
FULL = f"more than {MAX_FRAME} items are waiting on the stack"
PART = "a translated part"  # a phrase, in messages
LISTED = 6  # items of a frame, in messages

View = tuple[Any, ...]  # a frame as the rules see it: words and PHRASE
Status = tuple[Any, View, Any, View]  # next word, top frame, second frame, memory: all that a rule may look at
Decision = tuple[str, Any, bool]  # operator, argument, whether it is an extrapolation


class TranslationError(ValueError):
    """An input that the rules do not cover."""


class Rules:
    """The learned rules; `decide` says what to do next, given what can be seen."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.title: str = data["title"]
        self.spelling = Spelling(**data["spelling"])  # how texts become words, and tokens texts
        self.words = set(data["words"])
        self._category = {word: members[0] for members in data["categories"] for word in members}
        # Rules by category count for statuses as they are too, unless an exception says otherwise.
        self._rules = BackOff(OPERATORS, FrameNotation(_shape, NO_FRAME))
        exceptions = {_status(*rule[:4]): rule[4] for rule in data["operator_exceptions"]}
        by_category = {_status(*rule[:4]): rule[4] for rule in data["operators"]}
        self._rules.rows["status"] = exceptions
        general = BackOff(OPERATORS, FrameNotation(_shape, NO_FRAME))
        for status, counts in by_category.items():
            for operator, count in counts.items():
                general.add(status, status, operator, count)
        self._rules.rows.update({name: rows for name, rows in general.rows.items() if name != "status"})
        self._reduce = {tuple(rule[0]): tuple(rule[1]) for rule in data["reduce"]}
        self.kinds = {tuple(rule[0]): rule[3] for rule in data["reduce"] if len(rule) > 3}
        concat = {_concat_key(*rule[:3]): tuple(rule[3]) for rule in data["concat"]}
        above: dict[Any, dict[Any, dict[Any, int]]] = {}
        for operator, top, memory, second, parts, count in data.get("contexts", ()):
            rows = above.setdefault(_concat_key(operator, top, memory), {})
            rows.setdefault(_second(second), {})[tuple(parts)] = count
        every = {key: Contexts(rows, FrameNotation(_shape, NO_FRAME)) for key, rows in above.items()}
        contexts = {key: found for key, found in every.items() if found.tell}
        known = [
            *concat.items(),
            *((key, parts) for key, rows in above.items() for row in rows.values() for parts in row),
        ]
        self._own = any(isinstance(key[1][p], str) for key, parts in known for p in parts if _inside(p, key[1]))
        alike = {word: members[0] for members in data.get("argument_categories", ()) for word in members}
        by_class = (lambda top: _view(top, alike)) if "argument_categories" in data else None
        self._arguments = ConcatArguments(
            concat, lambda top: _view(top, self._category), by_class, contexts, _kind_of_item
        )
        self._rules.imagined = {_status(*rule[:4]): {rule[4]: 1} for rule in data.get("imagined", ())}
        self._decided: dict[Status, Decision | None] = {}

    def decide(self, status: Status) -> Decision | None:
        """Return what to do in a status; None where no rule covers it."""
        if status not in self._decided:
            if len(self._decided) >= MAX_REMEMBERED:
                self._decided.clear()
            self._decided[status] = self._look_up(status)
        return self._decided[status]

    def _look_up(self, status: Status) -> Decision | None:
        found = self._back_off(status)
        if found is None or found[1] is REFUSED:
            return None
        operator, argument, level = found
        joined = self._joined(operator, *status[1:]) if operator in CONCATS else None
        return operator, argument, not level.supported or (joined is not None and not joined.shown)

    def why_undecided(self, status: Status) -> str:
        """Say why nothing is decided in a status."""
        found = self._back_off(status)
        return UNKNOWN if found is None else self._arguments.why_refused(found[0], status[1], status[3])

    def _back_off(self, status: Status) -> Any:
        word, top, second, memory = status
        categories = self._category
        return self._rules.decide(
            status,
            (
                word if word is END else categories.get(word, word),
                _view(top, categories),
                second if second is NO_FRAME else _view(second, categories),
                memory,
            ),
            legal_operators(*status, own=self._own),
            lambda operator: self._argument(operator, top, second, memory),
        )

    def _joined(self, operator: str, top: View, second: Any, memory: View) -> Any:
        """Return what the rules tell about the argument of a CONCAT."""
        by_category = second if second is NO_FRAME else _view(second, self._category)
        return self._arguments.find(operator, top, memory, by_category)

    def _argument(self, operator: str, top: View, second: Any, memory: View) -> Any:
        """Return an operator's argument; None where no rule has one, REFUSED where rules leave it open."""
        if operator == "REDUCE":
            return self._reduce.get(top)
        if operator not in CONCATS:
            return ()  # nothing to complete
        found = self._joined(operator, top, second, memory)
        if found is None:
            return None
        if found.argument is None:
            return REFUSED
        return self._spelled_out(found.argument, top) if self._own else found.argument

    def _spelled_out(self, parts: tuple[Any, ...], top: View) -> Any:
        """Write out the words that the parts name; None where one of them has no phrase of its own."""
        spelled: list[Any] = []
        for part in parts:
            word = top[part] if _inside(part, top) else PHRASE
            phrase = self._reduce.get((word,)) if isinstance(word, str) else (part,)
            if phrase is None:
                return None
            spelled += phrase
        return tuple(spelled)


def _view(items: View, categories: dict[str, str]) -> View:
    """Show a frame with words as their categories, and phrases of all kinds alike."""
    return tuple([categories.get(item, item) if isinstance(item, str) else PHRASE for item in items])


def _plain(view: View) -> View:
    """Show phrases of all kinds alike."""
    return tuple([item if isinstance(item, str) else PHRASE for item in view])


def _kind_of_item(item: Any) -> int:
    return item if isinstance(item, int) else 0


def _kind_of(parts: tuple[Any, ...]) -> Any:
    """Return the kind of the phrase that a CONCAT makes; None where it has none."""
    return -parts[-1] if isinstance(parts[-1], int) and parts[-1] < 0 else None


def _inside(part: Any, top: View) -> bool:
    """Tell whether a part of a CONCAT is a position of the top frame."""
    return isinstance(part, int) and 0 <= part < len(top)


def _shape(view: Any) -> Any:
    """Show a frame without saying which words stand in it."""
    return view if view is NO_FRAME else tuple([ANY if isinstance(item, str) else PHRASE for item in view])


def legal_operators(word: str | None, top: View, second: View | None, memory: View, own: bool = False) -> set[str]:
    """Name the operators that the machine can execute; `own`: CONCAT_S may name words."""
    has_phrase = any(not isinstance(item, str) for item in top)
    one_phrase = has_phrase and len(top) == 1
    legal = {
        "SHIFT": word is not END,
        "REDUCE": not has_phrase and bool(top or memory),
        "PUSH": word is not END and bool(top),
        "POP": second is not NO_FRAME and one_phrase,
        "CONCAT_M": has_phrase,
        "CONCAT_S": has_phrase or bool(memory) or (own and bool(top)),
        "FINAL": word is END and second is NO_FRAME and one_phrase and not memory,
    }
    return {operator for operator, allowed in legal.items() if allowed}


def translate(text: str, strict: bool = False) -> str:
    """Translate a text; raise TranslationError where no rule applies."""
    spelling = _RULES.spelling
    return spelling.join(translate_tokens(spelling.split(text), strict))


def translate_tokens(tokens: Iterable[str], strict: bool = False, rules: Rules | None = None) -> list[str]:
    """Translate a list of words into a list of target tokens, in linear time."""
    rules, source = rules or _RULES, tuple(tokens)
    _check(source, rules.words)
    if BEGIN in rules.words:
        source = (BEGIN, *source, END_WORD)
    length, position, decide = len(source), 0, rules.decide
    frame: tuple[Any, ...] = ()  # the top frame: words, and phrases as ropes
    view: View = ()  # the same with phrases as PHRASE, or as their kinds
    below: Any = None  # the frames below, linked: (frame, view, below)
    memory: tuple[Any, ...] = ()
    for number in range(1, 20 * length + 101):
        following = source[position] if position < length else END
        status = (following, view, below[1] if below else NO_FRAME, (PHRASE,) * len(memory))
        decision = decide(status) if len(view) <= MAX_FRAME else None
        if decision is None:
            raise _error(number, status, rules.why_undecided(status) if len(view) <= MAX_FRAME else FULL)
        operator, argument, extrapolated = decision
        if strict and extrapolated:
            raise _error(number, status, EXTRAPOLATED)
        if operator == "SHIFT":
            frame, view, position = (*frame, following), (*view, following), position + 1
        elif operator == "REDUCE":
            frame, view = (argument,), (rules.kinds.get(view, PHRASE),)
        elif operator == "PUSH":
            frame, view, below = (), (), (frame, view, below)
        elif operator == "POP":
            frame, view, below = below[0] + frame, below[1] + view, below[2]
        elif operator == "FINAL":
            return _flatten(frame[0], number)
        else:
            items = frame + memory
            parts = [items[part] if isinstance(part, int) else (part,) for part in without_kind(argument)]
            joined = parts[0] if len(parts) == 1 else parts
            if operator == "CONCAT_S":
                frame, view, memory = (joined,), (_kind_of(argument),), ()
            else:
                kept = [index for index in range(len(frame)) if index not in argument]
                frame, view = tuple([frame[index] for index in kept]), tuple([view[index] for index in kept])
                memory = (joined,)
    word = source[position] if position < length else END
    place, wanted = _in_words(word, view, below[1] if below else NO_FRAME, memory)
    words = "1 word" if length == 1 else f"{length} words"
    raise TranslationError(f"step {number}: no FINAL within {number} steps for {words}, still {place}; {wanted}")


def _check(source: tuple[str, ...], words: set[str]) -> None:
    """Refuse an input that is empty or has a word that was never learned."""
    if not source:
        raise TranslationError("step 1: the input is empty; give at least one word")
    for position, word in enumerate(source, 1):
        if word not in words or word in (BEGIN, END_WORD):
            from difflib import get_close_matches  # only here: it would slow the start

            near = get_close_matches(word, words, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            place = f"word {position} of the input"
            raise TranslationError(f"unknown word '{word}' ({place}): nothing learned has it{hint}")


def _flatten(rope: Any, number: int) -> list[str]:
    """Join a rope (a tuple of tokens, or a list of ropes) from left to right."""
    tokens: list[str] = []
    pending = [rope]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending.extend(reversed(part))
        else:
            tokens.extend(part)
            if len(tokens) > MAX_OUTPUT:
                problem = f"the output would be longer than {MAX_OUTPUT:,} tokens; give a shorter input"
                raise TranslationError(f"step {number}: {problem}")
    return tokens


def _status(word: str | None, top: list[Any], second: list[Any] | None, memory: list[Any]) -> Status:
    return word, tuple(top), _second(second), tuple(memory)


def _second(second: list[Any] | None) -> Any:
    return NO_FRAME if second is None else tuple(second)


def _concat_key(operator: str, top: list[Any], memory: list[Any]) -> tuple[str, View, View]:
    return operator, tuple(top), tuple(memory)


def _error(number: int, status: Status, problem: str) -> TranslationError:
    place, wanted = _in_words(*status)
    return TranslationError(f"step {number}, {place}: {problem}; {wanted}")


def _in_words(word: str | None, top: View, second: View | None, memory: View) -> tuple[str, str]:
    """Say where the machine stands and what it holds, and which example would help."""
    at_end = word in (END, END_WORD)
    place = "at the end of the input" if at_end else f"before the word '{word}'"
    holds = f"{_list(top)} on top of the stack" if top or second else "an empty stack"
    below = f", {_list(second)} below it" if second else ""
    kept = f", {PART} in the memory" if memory else ""
    wanted = "that ends so" if at_end else f"with '{word}' in such a place"
    return f"{place}, with {holds}{below}{kept}", f"add a short example {wanted}"


def _list(items: View) -> str:
    """List the items of a frame, of a long one the last."""
    named = {PHRASE: PART, BEGIN: "the beginning"}
    shown = [named.get(item, f"'{item}'") for item in _plain(items)[-LISTED:]]
    if len(items) > LISTED:
        shown.insert(0, f"{len(items) - LISTED} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:]))) or "nothing"


def main(arguments: Sequence[str] | None = None) -> int:
    """Translate the arguments, or else the lines of standard input; return 1 if any failed."""
    parser = argparse.ArgumentParser(description=f"Translates by rules that were learned from {_RULES.title}.")
    parser.add_argument("text", nargs="*", help="an input; without any, lines are read from standard input")
    parser.add_argument("--strict", action="store_true", help="refuse what no training example covers")
    options = parser.parse_args(arguments)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8-sig" if stream is sys.stdin else "utf-8", errors="backslashreplace")
    failed = False
    for line in options.text or sys.stdin:
        try:
            print(translate(line, options.strict), flush=not options.text)
        except TranslationError as error:
            failed = True
            print(flush=not options.text)  # keeps answers aligned with inputs
            print(f"{line.strip()}: {error}", file=sys.stderr)
    return int(failed)


_RULES = Rules(json.loads(RULES))

if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()
        sys.exit(130)
