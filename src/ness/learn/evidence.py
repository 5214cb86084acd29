"""What speaks for new target tokens in one example: the corpus, and what already explains them."""

import math

from ness.learn.coding import CodedView, Sample
from ness.learn.costs import RuleCosts
from ness.learn.lexicon import Lexicon
from ness.rules.backoff import most_used

_TIE = 0.01  # nats: less than any other cost


class Evidence:
    """Judges new rules that write tokens, for one example."""

    def __init__(self, rules: RuleCosts, lexicon: Lexicon, sample: Sample) -> None:
        source, self.target = sample
        self._rules = rules
        self._lexicon = lexicon
        self._novelties: dict[tuple[CodedView, str, bool], float] = {}
        # Explaining away: tokens that known one-word rules of this input make ...
        self._left = {token: self.target.count(token) for token in set(self.target)}
        for word in source:
            for token in most_used(rules.reduce.get((word,))) or "":
                if token in self._left:
                    self._left[token] -= 1
        # ... and tokens that another word of this input owns in the corpus.
        self._owners: dict[str, set[int]] = {}
        for word in set(source):
            for token in lexicon.own_tokens(word):
                self._owners.setdefault(token, set()).add(word)

    def share(self, words: CodedView, phrase: str) -> float:
        """The share of the words' occurrences that the outputs account for by the phrase; 0 where it is too small."""
        share = self._lexicon.share(words, phrase)
        return share if share >= self._rules.config.least_share else 0.0

    def own_tokens(self, words: CodedView) -> set[str]:
        """The tokens that go with one of the words alone."""
        lexical = self._rules.lexical
        return {lexical[word] for word in words if word in lexical}

    def novelty(self, words: CodedView, phrase: str, by_parts: bool = True) -> float:
        """What new tokens cost beyond their number: weak evidence, and what already explains them; infinite: none.

        A REDUCE rule is also explained by the rules of its parts; in a template the words stay where they are.
        """
        key = (words, phrase, by_parts)
        found = self._novelties.get(key)
        if found is None:
            found = self._novelties[key] = self._novelty(words, phrase, by_parts)
        return found

    def _novelty(self, words: CodedView, phrase: str, by_parts: bool) -> float:
        if by_parts and (words, phrase) in self._rules.set_phrases:
            return 0.0  # nothing else can explain it
        share = self.share(words, phrase)
        if not share:
            return math.inf
        config = self._rules.config
        accounted = sum(1 for token in phrase if self._left[token] <= 0)
        explained = (by_parts and self._lexicon.explained_by_parts(self._rules.reduce, words, phrase)) or any(
            owners and not owners & set(words) for owners in map(self._owners.get, phrase)
        )
        # Of equally short programs, the one whose words give the tokens that occur with them alone.
        apart = _TIE * self._lexicon.separation(words[0], phrase) if len(words) == 1 else 0.0
        return -config.evidence * math.log(share) + config.accounted * accounted + config.explained * explained + apart
