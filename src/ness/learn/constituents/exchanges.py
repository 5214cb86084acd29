"""What to do where a constituent stands in a place that no example shows: exchange it for others of its type.

`the cup in the house` is an object in all examples; it is of the type of `the cup`, and so it may be a subject. The
exchanged derivation tells what the machine would have to do. Where it contradicts what examples show, it is dropped.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from ness.learn.constituents.derivations import Constituent, nodes, pattern_of
from ness.learn.constituents.patterns import OpenPattern, is_type
from ness.machine import Operator, Parts, Status

Steps = Sequence[tuple[Status, Operator]]
Place = tuple[OpenPattern, int, OpenPattern]  # a rule, an item of it, the rule of what stands there

_CONTEXTS = 20  # derivations in which an exchange is tried, the shortest


def imagine(
    derivations: Mapping[OpenPattern, Constituent],
    known: Mapping[Status, Mapping[Operator, int]],
    steps_of: Callable[[Constituent], Steps],
) -> dict[Status, Operator]:
    """Decide in statuses that exchanged constituents lead to; `steps_of` runs a derivation, by categories."""
    targets = _targets(derivations)
    hosts: defaultdict[tuple[OpenPattern, int], list[Constituent]] = defaultdict(list)
    fillers: defaultdict[str, dict[OpenPattern, Constituent]] = defaultdict(dict)
    for whole in sorted(derivations.values(), key=_length):
        for node in nodes(whole):
            fillers[node.label].setdefault(node.rule, node)
            for place, name in enumerate(node.rule.source):
                if is_type(name):
                    hosts[node.rule, place].append(whole)
    votes: defaultdict[Status, Counter[Operator]] = defaultdict(Counter)
    for (rule, place), wholes in hosts.items():
        for filler in fillers[rule.source[place]].values():
            tried = [_with_exchange(whole, rule, place, filler) for whole in wholes[:_CONTEXTS]]
            if any(_contradicts(each, targets) for each in tried):
                continue
            for each in tried:
                steps = steps_of(each)
                if all(known[status].get(operator) for status, operator in steps if status in known):
                    votes_of = dict.fromkeys(step for step in steps if step[0] not in known)
                    for status, operator in votes_of:
                        votes[status][operator] += 1
    return {status: counts.most_common(1)[0][0] for status, counts in votes.items() if len(counts) == 1}


def _targets(derivations: Mapping[OpenPattern, Constituent]) -> dict[tuple[str, ...], set[Parts]]:
    targets: defaultdict[tuple[str, ...], set[Parts]] = defaultdict(set)
    for pattern in derivations:
        targets[pattern.source].add(pattern.target)
    return targets


def _contradicts(whole: Constituent, targets: Mapping[tuple[str, ...], set[Parts]]) -> bool:
    source, target = pattern_of(whole)
    return source in targets and target not in targets[source]


def _length(whole: Constituent) -> tuple[int, str]:
    pattern = pattern_of(whole)
    return len(pattern.source), repr(pattern)


def _with_exchange(whole: Constituent, rule: OpenPattern, place: int, filler: Constituent) -> Constituent:
    """Put a constituent into a place of the first constituent that has this rule."""
    done = False

    def change(node: Constituent) -> Constituent:
        nonlocal done
        if node.rule == rule and not done:
            done = True
            return node._replace(items=(*node.items[:place], filler, *node.items[place + 1 :]))
        return node._replace(
            items=tuple([change(each) if isinstance(each, Constituent) else each for each in node.items])
        )

    return change(whole)
