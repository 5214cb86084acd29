"""COGS by a grammar of our own: sentences of all 21 kinds that the published generalisation set names.

    python benchmarks/cogs_kinds.py DIR [--size 200] [--seed 0]      # the folder of the COGS files

The words come from the training file, each verb with the constructions that it is seen in there; the forms are known
by construction. `like training` checks the grammar itself: what it makes without anything new must all be right.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.data.example import Example, example_of
from ness.data.tasks import load_task
from ness.learn.constituents.learning import learn_by_patterns

PREPOSITIONS = ("in", "on", "beside")
ARTICLES = {"the": "* ", "a": ""}
# A construction: its sentence and its form; S, O, R are subject, object and recipient, A an agent after "by".
SENTENCES = {
    "intransitive": ("S V", "v ( agent = S )"),
    "unaccusative": ("S V", "v ( theme = S )"),
    "transitive": ("S V O", "v ( agent = S , theme = O )"),
    "passive": ("S was V", "v ( theme = S )"),
    "passive by": ("S was V by A", "v ( theme = S , agent = A )"),
    "to-dative": ("S V O to R", "v ( agent = S , theme = O , recipient = R )"),
    "double object": ("S V R O", "v ( agent = S , recipient = R , theme = O )"),
    "passive to": ("S was V to R", "v ( theme = S , recipient = R )"),
    "passive to by": ("S was V to R by A", "v ( theme = S , recipient = R , agent = A )"),
    "passive double": ("S was V O", "v ( recipient = S , theme = O )"),
    "passive double by": ("S was V O by A", "v ( recipient = S , theme = O , agent = A )"),
    "clause": ("S V that C", "v ( agent = S , ccomp = C )"),
    "infinitive": ("S V to I", "v ( agent = S , xcomp = i ( agent = S ) )"),
}
PASSIVES = ("passive", "passive by")


class Pair(NamedTuple):
    """A stretch of a sentence, and its form."""

    source: str
    form: str


class Wish(NamedTuple):
    """What a sentence must have."""

    verb: str | None = None  # in one of the constructions
    constructions: tuple[str, ...] = ()
    role: str | None = None  # of the noun or name: S, O, R, A
    word: str | None = None
    subject_modifiers: int = 0
    modifiers: int | None = None  # of the object, one in the other
    clauses: int | None = None
    infinitive: str | None = None


class Grammar:
    """Words as the training file has them, and sentences that are made of them."""

    def __init__(self, train: Sequence[Example], seed: int) -> None:
        self.rng = Random(seed)
        self.nouns = sorted(
            {s[p + 1] for s, t in train for p, w in enumerate(s[:-1]) if w.lower() in ARTICLES and s[p + 1] in t}
        )
        lemmas = {target[0] for source, target in train if len(source) > 1}
        self.names = sorted({s[0] for s, t in train if len(s) > 1 and s[0] in t and s[0].lower() not in ARTICLES})
        self.verbs: defaultdict[str, set[Pair]] = defaultdict(set)
        for example in train:
            if (found := _construction(example, lemmas)) is not None:
                self.verbs[found[0]].add(found[1])
        bare = [(s[s.index("to") + 1], t[t.index("xcomp") + 2]) for s, t in train if "xcomp" in t and "that" not in s]
        self.verbs["bare"] = {Pair(*pair) for pair in bare}

    def sentence(self, wish: Wish) -> Example:
        """Draw a sentence."""
        depth = wish.clauses if wish.clauses is not None else self.rng.choice((0, 0, 0, 0, 1, 2))
        source, form = self._clause(wish, depth)
        first, *rest = source.split()
        first = first.capitalize() if first in ARTICLES else first
        return example_of(" ".join([first, *rest, "."]), form)

    def _clause(self, wish: Wish, depth: int) -> Pair:
        if depth:
            verb, lemma = self._draw("clause")
            inner = self._clause(wish, depth - 1)
            subject = self._phrase(0)
            return Pair(
                f"{subject.source} {verb} that {inner.source}",
                f"{lemma} ( agent = {subject.form} , ccomp = {inner.form} )",
            )
        kinds = [kind for kind in SENTENCES if kind != "clause"]
        if wish.constructions:
            kinds = list(wish.constructions)
        if wish.role:
            kinds = [kind for kind in kinds if wish.role in SENTENCES[kind][0].split()]
        if wish.modifiers:
            kinds = [kind for kind in kinds if "O" in SENTENCES[kind][0].split()]
        if wish.infinitive:
            kinds = ["infinitive"]
        kind = self.rng.choice(kinds)
        verb, lemma = self._draw(kind)
        if wish.verb:
            verb, lemma = wish.verb.split()
        words: dict[str, Pair] = {"V": Pair(verb, lemma)}
        for role in "SORA":
            depth = wish.subject_modifiers if role == "S" else 0
            if role == "O":
                depth = wish.modifiers if wish.modifiers is not None else self.rng.choice((0, 0, 0, 1, 1, 2))
            words[role] = self._phrase(depth, wish.word if role == wish.role else None)
        inf = self._draw("bare")
        words["I"] = Pair(wish.infinitive, wish.infinitive) if wish.infinitive else inf
        source, form = SENTENCES[kind]
        said = " ".join([words[item].source if item in words else item for item in source.split()])
        meant = {"v": words["V"].form, "i": words["I"].form} | {role: words[role].form for role in "SORA"}
        return Pair(said, " ".join([meant.get(item, item) for item in form.split()]))

    def _phrase(self, modifiers: int, word: str | None = None) -> Pair:
        if word is None and not modifiers and self.rng.random() < 0.5:
            word = self.rng.choice(self.names)
        if word is not None and word[0].isupper():
            return Pair(word, word)
        return self._modified(modifiers, word)

    def _modified(self, modifiers: int, noun: str | None = None) -> Pair:
        article = self.rng.choice(list(ARTICLES))
        noun = noun or self.rng.choice(self.nouns)
        said, meant = f"{article} {noun}", ARTICLES[article] + noun
        if modifiers:
            preposition, inner = self.rng.choice(PREPOSITIONS), self._modified(modifiers - 1)
            return Pair(f"{said} {preposition} {inner.source}", f"{meant} ( nmod . {preposition} = {inner.form} )")
        return Pair(said, meant)

    def _draw(self, kind: str) -> Pair:
        return self.rng.choice(sorted(self.verbs[kind]))


def _construction(example: Example, lemmas: set[str]) -> tuple[str, Pair] | None:
    """The construction of a sentence of one clause, and its verb; None if it has several."""
    source, target = example
    if len(source) == 1 or target[0] not in lemmas:
        return None
    lemma = target[0]
    roles = []
    depth = 0
    for place, token in enumerate(target):
        depth += (token == "(") - (token == ")")
        if token == "=" and depth == 1:
            roles.append(target[place - 1])
    said = tuple(roles)
    was = source.index("was") if "was" in source else None
    if "ccomp" in said or "xcomp" in said:
        kind = "clause" if "ccomp" in said else "infinitive"
        verb = source[source.index("that" if kind == "clause" else "to") - 1]
        return kind, Pair(verb, lemma)
    verb = source[was + 1] if was is not None else source[1 + (source[0].lower() in ARTICLES)]
    for kind, (said_as, form) in SENTENCES.items():
        slots = tuple(form.replace("v ( ", "").replace(" )", "").replace(" , ", " ").split()[::3])
        if slots == said and ("was" in said_as.split()) == (was is not None):
            return kind, Pair(verb, lemma)
    return None


KINDS: dict[str, Callable[[Random], Wish]] = {
    "like training": lambda rng: Wish(),
    "subject to object, common noun": lambda rng: Wish(role="O", word="hedgehog"),
    "subject to object, name": lambda rng: Wish(role="O", word="Lina", modifiers=0),
    "object to subject, common noun": lambda rng: Wish(role="S", word="cockroach"),
    "object to subject, name": lambda rng: Wish(role="S", word="Charlie"),
    "alone to subject, common noun": lambda rng: Wish(role="S", word="shark"),
    "alone to subject, name": lambda rng: Wish(role="S", word="Paula"),
    "alone to object, common noun": lambda rng: Wish(role=rng.choice("ORA"), word="shark"),
    "alone to object, name": lambda rng: Wish(role=rng.choice("ORA"), word="Paula", modifiers=0),
    "alone to infinitive": lambda rng: Wish(infinitive="crawl"),
    "modifier at the subject": lambda rng: Wish(subject_modifiers=rng.choice((1, 1, 2))),
    "clauses 3 to 12 deep": lambda rng: Wish(clauses=rng.randint(3, 12)),
    "modifiers 3 to 12 deep": lambda rng: Wish(modifiers=rng.randint(3, 12), clauses=0),
    "active to passive": lambda rng: Wish(verb="blessed bless", constructions=PASSIVES),
    "passive to active": lambda rng: Wish(verb="squeezed squeeze", constructions=("transitive",)),
    "object omitted to transitive": lambda rng: Wish(verb="baked bake", constructions=("transitive",)),
    "unaccusative to transitive": lambda rng: Wish(verb="shattered shatter", constructions=("transitive",)),
    "double object to dative": lambda rng: Wish(verb="teleported teleport", constructions=("to-dative",)),
    "dative to double object": lambda rng: Wish(verb="shipped ship", constructions=("double object",)),
    "agent to unaccusative subject": lambda rng: Wish(role="S", word="cobra", constructions=("unaccusative",)),
    "theme to object omitted subject": lambda rng: Wish(role="S", word="hippo", constructions=("intransitive",)),
    "theme to unergative subject": lambda rng: Wish(role="S", word="hippo", constructions=("intransitive",)),
}


def main() -> None:
    """Learn from the training file, and print for each kind how much is right, strictly too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    train = load_task("cogs", options.seed, options.folder).train
    learned = learn_by_patterns(train, options.seed)
    assert learned is not None
    engine = RuleEngine(learned.table)
    grammar = Grammar(train, options.seed)
    print("| kind | right | refused | strict answers, wrong ones among them |\n| --- | --- | --- | --- |")
    for kind, wish in KINDS.items():
        examples = [grammar.sentence(wish(grammar.rng)) for _ in range(options.size)]
        answers = translate(engine, [example.source for example in examples])
        pairs = list(zip(answers, examples, strict=True))
        right = sum(answer.output == example.target for answer, example in pairs)
        refused = sum(answer.output is None for answer in answers)
        said = [pair for pair in pairs if pair[0].output is not None and pair[0].support > 0]
        wrong = sum(answer.output != example.target for answer, example in said)
        print(f"| {kind} | {right} of {len(examples)} | {refused} | {len(said)}, {wrong} |", flush=True)
        for answer, example in [pair for pair in pairs if pair[0].output != pair[1].target][: options.show]:
            print(" ".join(example.source), "|", " ".join(example.target), "|", " ".join(answer.output or ("-",)))


if __name__ == "__main__":
    main()
