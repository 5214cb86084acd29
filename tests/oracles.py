"""Hand-written policies: one per language, each a function of the local status alone.

They prove that the machine's semantics suffice for SCAN, While-Lang and Lambda-Lang. Nothing learned here: the
package never sees them.
"""

from collections.abc import Callable

from ness.machine import (
    EOS,
    PHRASE,
    ConcatM,
    ConcatS,
    Entry,
    Execution,
    Final,
    Instruction,
    Phrase,
    PhraseMark,
    Pop,
    Push,
    Reduce,
    Shift,
    Status,
    View,
    Word,
    entry,
)

Oracle = Callable[[Status], Instruction]
P = PHRASE

SCAN_WORDS = {
    "walk": "I_WALK",
    "look": "I_LOOK",
    "run": "I_RUN",
    "jump": "I_JUMP",
    "left": "I_TURN_LEFT",
    "right": "I_TURN_RIGHT",
}
SCAN_FRAMES: dict[View, Instruction] = {
    (): Shift(),
    ("turn",): Shift(),
    ("turn", "left"): Reduce(("I_TURN_LEFT",)),
    ("turn", "right"): Reduce(("I_TURN_RIGHT",)),
    ("turn", "opposite"): Push(),
    ("turn", "around"): Push(),
    ("turn", "opposite", P): ConcatS((2, 2)),
    ("turn", "around", P): ConcatS((2, 2, 2, 2)),
    (P, "opposite"): Push(),
    (P, "around"): Push(),
    (P, P): ConcatS((1, 0)),
    (P, "opposite", P): ConcatS((2, 2, 0)),
    (P, "around", P): ConcatS((2, 0, 2, 0, 2, 0, 2, 0)),
    (P, "twice"): ConcatS((0, 0)),
    (P, "thrice"): ConcatS((0, 0, 0)),
    (P, "and"): Push(),
    (P, "after"): Push(),
    (P, "and", P): ConcatS((0, 2)),
    (P, "after", P): ConcatS((2, 0)),
}


def scan(status: Status) -> Instruction:
    """Translate SCAN commands."""
    if status.top in SCAN_FRAMES:
        return SCAN_FRAMES[status.top]
    if status.top != (P,):
        (word,) = status.top
        assert isinstance(word, str)
        return Reduce((SCAN_WORDS[word],))
    if status.second is not None and status.second[-1] in (P, "opposite", "around"):
        return Pop()  # a direction; what follows belongs to the whole
    if status.next in ("left", "right"):
        return Push()
    if status.next in ("opposite", "around", "twice", "thrice"):
        return Shift()
    if status.second is not None:
        return Pop()
    return Final() if status.next is EOS else Shift()


WHILE_PRECEDENCE = {";": 1, "if": 2, "=": 3, "==": 4, "+": 5, "*": 6}
WHILE_LABELS = {";": "Seq", "if": "If", "=": "Assign", "==": "Eq", "+": "Op+", "*": "Op*"}
WHILE_LABELS |= {"while": "While", "{": "Block"}
WHILE_ATOMS = {"x": "Identifier", "y": "Identifier", "0": "Literal", "1": "Literal"}


def while_lang(status: Status) -> Instruction:
    """Parse While-Lang by operator precedence."""
    word, top, second, memory = status
    if memory:  # a tree is being built: children are in the memory, the label comes next
        return ConcatS((0, 1)) if top == (P,) else Reduce((WHILE_LABELS[str(top[0])],))
    match top:
        case ():
            return Shift()
        case (PhraseMark(),):
            if second is None:
                return Final() if word is EOS else Shift()
            operator = second[-1]  # a phrase: a block that `while` waits for
            below = WHILE_PRECEDENCE.get(operator, 0) if isinstance(operator, str) else 7
            return Shift() if WHILE_PRECEDENCE.get(str(word), 0) > below else Pop()
        case (str(atom),) if atom in WHILE_ATOMS:
            return Reduce((WHILE_ATOMS[atom], atom))
        case ("{", PhraseMark()):
            return Shift()
        case ("{", PhraseMark(), "}"):
            return ConcatM((1,))
        case ("while", PhraseMark(), PhraseMark()):
            return ConcatM((1, 2))
        case (PhraseMark(), "if", PhraseMark()):
            return ConcatM((2, 0))  # the condition is the first child
        case (PhraseMark(), _, PhraseMark()):
            return ConcatM((0, 2))
    return Push()


def lambda_lang(status: Status) -> Instruction:
    """Parse Lambda-Lang; application has no word of its own."""
    word, top, second, memory = status
    match top:
        case (PhraseMark(),) if memory:
            return ConcatS((0, 1))
        case ("let", "in"):
            return Reduce(("Let",))
        case (str(mark),) if memory:
            return Reduce(({".": "Lam", "=": "LetExpr"}[mark],))
        case () if memory:
            return Reduce(("App",))
        case () | ("lam",) | ("let", PhraseMark()):
            return Shift()
        case ("lam", str(letter)):
            return Reduce(("Bind", letter))
        case ("let",) | ("let", PhraseMark(), "in") | (PhraseMark(), "." | "="):
            return Push()
        case (str(letter),):
            return Reduce(("Var", letter))
        case (PhraseMark(), PhraseMark()):
            return ConcatM((0, 1))
        case (PhraseMark(), _, PhraseMark()):
            return ConcatM((0, 2))
        case ("let", PhraseMark(), "in", PhraseMark()):
            return ConcatM((1, 3))
    assert top == (P,)
    if second == (P,):
        return Pop()  # an argument
    if word in (".", "="):
        return Shift()
    if word is not EOS and word not in ("in", "lam", "let"):
        return Push()  # a letter: application
    return Final() if second is None else Pop()


def translate(oracle: Oracle, source: tuple[Word, ...], table: dict[Status, Entry]) -> tuple[Phrase, Execution]:
    """Run an oracle on the fast machine; `table` remembers its decisions."""
    execution = Execution(source)
    while (status := execution.advance(table)) is not None:
        decision = entry(status, oracle(status))
        assert decision is not None, f"the oracle is illegal at {status}"
        table[status] = decision
    assert execution.output is not None
    return execution.output, execution
