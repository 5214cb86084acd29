"""Regenerate the translation results of docs/translation.md: `python benchmarks/translation.py --engine rules`.

For every seed: phrase search, the eight official sentences, the 48 extended ones and the paper's REDUCE rules on
the full training set; then a search on a training set with held-out combinations, with the longest-match baseline.
With `--engine controller` a network is trained on the traces of both searches, too, and answers on its own.
"""

import argparse
import json
import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ness.answer.beam import beam_search
from ness.answer.engine import translate
from ness.answer.n_best import BeamDecoder
from ness.answer.noisy_engine import ProbabilisticEngine
from ness.data.example import Example
from ness.data.translation import load
from ness.data.translation_tests import Tokens, TranslationQuestion, extended_daxy, held_out, is_recombination, score
from ness.experiments.longest_match import LongestMatch
from ness.learn.events import ignore
from ness.learn.phrases.learning import learn_phrases
from ness.machine import Program
from ness.rules import Categories, RuleTable
from ness.rules.probabilistic import ProbabilisticTable
from ness.settings import resolve

PAPER_RULES = {
    "i am": ["je suis"],
    "i am not": ["je ne suis pas"],
    "you are": ["tu es", "vous etes"],
    "you are not": ["tu n es pas", "vous n etes pas"],
    "he is": ["il est"],
    "he is not": ["il n est pas"],
    "she is": ["elle est"],
    "she is not": ["elle n est pas"],
    "we are": ["nous sommes"],
    "we are not": ["nous ne sommes pas"],
    "they are": ["ils sont", "elles sont"],
    "they are not": ["ils ne sont pas", "elles ne sont pas"],
    "very": ["tres"],
    "daxy": ["daxiste"],
}
Translator = Callable[[Sequence[Tokens]], list[Tokens | None]]
Traces = list[tuple[Tokens, Program]]


def learn(examples: Sequence[Example], seed: int) -> tuple[RuleTable, Traces, float]:
    """Search traces and read the rules off them; also the seconds it took."""
    learned = learn_phrases(examples, resolve("translation", seed=seed), ignore)
    return learned.table, [(source, program) for (source, _), program in learned.traces.items()], learned.seconds


def imitate(
    examples: Sequence[Example], table: RuleTable, traces: Traces, seed: int
) -> tuple[dict[str, Translator], dict[str, Any]]:
    """Train a network on the traces; return how it translates, greedily and by a beam, and how training went."""
    from ness.answer.network_engine import ControllerEngine
    from ness.network.controller import make_controller
    from ness.network.imitation import train_controller
    from ness.network.vocabularies import Vocabularies

    config = resolve("translation", seed=seed)
    words = Vocabularies.of((source for source, _ in examples), (target for _, target in examples))
    controller = make_controller(words, config.controller, seed, "cpu")
    cpu = time.process_time()
    trained = train_controller(controller, traces, Categories(), config.training, seed=seed)
    engine = ControllerEngine(controller, table)
    decoder = BeamDecoder(engine)

    def best(source: Tokens) -> Tokens | None:
        found = decoder.candidates(source)
        return found[0].output if found else None

    translators: dict[str, Translator] = {
        "network": lambda sources: [answer.output for answer in translate(engine, sources)],
        "net beam": lambda sources: [best(source) for source in sources],
    }
    progress = trained.progress
    facts = {"steps": progress.step, "seconds": progress.seconds, "CPU seconds": time.process_time() - cpu}
    return translators, {**facts, "accuracy": progress.accuracy, "losses": progress.losses}


def greedy(table: RuleTable) -> Translator:
    engine = ProbabilisticEngine(ProbabilisticTable(table))
    return lambda sources: [answer.output for answer in translate(engine, sources)]


def beam(table: RuleTable) -> Translator:
    policy = ProbabilisticTable(table)

    def best(source: Tokens) -> Tokens | None:
        found = beam_search(policy, source)
        return found[0].output if found else None

    return lambda sources: [best(source) for source in sources]


def longest_match(table: RuleTable, as_ordered: bool = False) -> Translator:
    baseline = LongestMatch(table.reduce, as_ordered)
    return lambda sources: [baseline.translate(source) for source in sources]


def ask(translator: Translator, questions: Sequence[TranslationQuestion]) -> dict[str, Any]:
    """Score a translator and list what is wrong."""
    answers = translator([question.source for question in questions])
    wrong = [
        f"{' '.join(question.source)} -> {' '.join(answer or ('(none)',))}"
        for question, answer in zip(questions, answers, strict=True)
        if score([question], [answer]).semantic == 0
    ]
    return {**score(questions, answers)._asdict(), "wrong": wrong}


def official(test: Sequence[Example]) -> list[TranslationQuestion]:
    return [TranslationQuestion(example.source, frozenset([example.target])) for example in test]


def paper_rules(table: RuleTable) -> dict[str, dict[str, float]]:
    """The share of each of the paper's REDUCE rules among the rules of its words."""
    shares: dict[str, dict[str, float]] = {}
    for words, phrases in PAPER_RULES.items():
        counts = table.reduce.get(tuple(words.split()), Counter())
        total = sum(counts.values())
        shares[words] = {phrase: counts[tuple(phrase.split())] / max(1, total) for phrase in phrases}
    return shares


def translators_of(table: RuleTable) -> dict[str, Translator]:
    baselines = {"longest": longest_match(table), "same ties": longest_match(table, as_ordered=True)}
    return {"greedy": greedy(table), "beam": beam(table), **baselines}


def measure(train: Sequence[Example], test: Sequence[Example], seed: int, engine: str) -> dict[str, Any]:
    """All results of one seed."""
    table, traces, seconds = learn(train, seed)
    result: dict[str, Any] = {"seed": seed, "seconds": seconds, "rules": sum(map(len, table.reduce.values()))}
    translators = translators_of(table)
    if engine == "controller":
        networks, result["training"] = imitate(train, table, traces, seed)
        translators |= networks
    sets: dict[str, dict[str, Any]] = {}
    for name, translator in translators.items():
        sets[name] = {"official": ask(translator, official(test)), "extended": ask(translator, extended_daxy())}
    result["paper rules"] = paper_rules(table)
    held = held_out(train, seed)
    table, traces, result["held-out seconds"] = learn(held.train, seed)
    translators = translators_of(table)
    if engine == "controller":
        networks, result["held-out training"] = imitate(held.train, table, traces, seed)
        translators |= networks
    reachable = [question for question in held.test if is_recombination(question, held.train)]
    for name, translator in translators.items():
        sets[name]["held-out"] = ask(translator, held.test)
        sets[name]["recombinations"] = ask(translator, reachable)
    result["sets"] = sets
    result["memory MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return result


def show(result: dict[str, Any]) -> None:
    print(f"seed {result['seed']}: search {result['seconds']:.0f} s, {result['rules']} REDUCE rules, ", end="")
    print(f"{result['memory MB']} MB")
    if "training" in result:
        facts = result["training"]
        print(
            f"  network: {facts['steps']} steps, {facts['seconds']:.0f} s ({facts['CPU seconds']:.0f} CPU s), ", end=""
        )
        print(f"{facts['accuracy']:.2%} of training decisions right")
    for name, sets in result["sets"].items():
        parts = [
            f"{kind} {sets[kind]['semantic'] * sets[kind]['n']:.0f}/{sets[kind]['n']}"
            f" (exact {sets[kind]['exact'] * sets[kind]['n']:.0f})"
            for kind in ("official", "extended")
        ]
        for kind in ("held-out", "recombinations"):
            s = sets[kind]
            parts.append(f"{kind} n={s['n']} {s['exact']:.1%} / {s['semantic']:.1%} / {s['uninflected']:.1%}")
        print(f"  {name:8}", "; ".join(parts))
    shown = "network" if "network" in result["sets"] else "greedy"
    for line in (*result["sets"][shown]["official"]["wrong"], *result["sets"][shown]["extended"]["wrong"]):
        print("   ", line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["rules", "controller"], default="rules")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--data", type=Path, help="folder with train.txt and test.txt")
    parser.add_argument("--json", type=Path, help="write all results to this file")
    arguments = parser.parse_args()
    train, test = load(arguments.data)
    results = []
    for seed in range(arguments.seeds):
        results.append(measure(train, test, seed, arguments.engine))
        show(results[-1])
    for words, shares in results[0]["paper rules"].items():
        print(f"{words} -> " + ", ".join(f"{phrase} {share:.2f}" for phrase, share in shares.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
