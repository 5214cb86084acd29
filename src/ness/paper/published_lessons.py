"""Lessons as in Algorithm 1: each batch of all examples so far is searched, then trained on.

Degenerate traces are trained on as well. A lesson ends when no example got its first non-degenerate trace since the
last evaluation, or with its share of the budget; it has one batch at least. Then rules are read off its traces.
"""

import math
from collections.abc import Sequence

import torch

from ness.learn.coding import Sample
from ness.learn.garbage import no_garbage_collection
from ness.machine import Word
from ness.network.batches import Batch
from ness.network.denormals import without_denormals
from ness.network.trace_batches import compile_traces, word_pairs
from ness.network.training_set import source_labels
from ness.paper.agreement import TraceAgreement
from ness.paper.exploring import ExploringAnswers
from ness.paper.known_rules import ExtractedRules
from ness.paper.progress import Loop
from ness.paper.questions import Answers, ConcatQuestion, OperatorQuestion, ReduceQuestion, SearchQuestion
from ness.paper.sampling import SampledTrace
from ness.paper.search_workers import SearchHere, SearchWorkers, worker_count
from ness.paper.shared_network import SharedNetwork
from ness.paper.trace_set import operational_classes
from ness.rules.table import Categories

_AHEAD = {"cpu": 8, "cuda": 256}  # questions that a device answers about as fast as one


class PublishedLessons:
    """Searches and trains batch by batch."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._rules = ExtractedRules()
        self._workers: tuple[SearchWorkers, SharedNetwork] | None = None
        self._order: tuple[tuple[int, int], list[Sample]] = (-1, -1), []  # of a lesson's epoch

    def lesson(self) -> None:
        """Search and train on all examples so far until the searches find nothing more; then extract rules."""
        loop = self._loop
        self._rules = ExtractedRules.of(loop.ruled.values(), loop.config.loop.conflicts)
        self._first_lessons = loop.first_lessons()
        stages = [self._rules, ExtractedRules()] if self._rules != ExtractedRules() else [self._rules]
        self._here = SearchHere(loop.config.search, stages)
        workers = worker_count(loop.config.learner.workers, loop.controller.device.type)
        if workers > 1:
            if self._workers is None:
                network = SharedNetwork(loop.controller, loop.codec, loop.config.loop.exploration)
                self._workers = SearchWorkers(workers, network), network
            self._workers[0].follow(self._here)
        self._take_turns()
        if self._workers and loop.last:
            for each in self._workers:
                each.close()
        loop.ruled = dict(loop.traces)
        loop.tell(loop.trainer.evaluate())

    def _take_turns(self) -> None:
        """Search and train batch after batch, until the lesson is over."""
        loop, training = self._loop, self._loop.config.training
        last, deadline = loop.last_step(), loop.deadline()
        over = False
        while not over:
            steps = min(training.steps_per_search, last - loop.step)
            with no_garbage_collection(), without_denormals():
                over = self._learn_from(self._batch(), steps, deadline, last)
            if loop.checked is None or loop.step - loop.checked[0] >= training.evaluate_every:
                loop.tell(loop.trainer.evaluate())
                over = over or (loop.checked is not None and loop.checked[1] == len(loop.traces))
                loop.checked = loop.step, len(loop.traces)
                if not over:
                    loop.save()

    def train(self) -> None:
        """Do nothing: search and training take turns."""

    def classes(self) -> dict[int, int]:
        """Group the words as the network does, or as the traces show."""
        loop = self._loop
        if loop.config.loop.categories == "substitution":
            return operational_classes(loop.traces.values(), loop.codec.words.values())
        controller = loop.controller
        words = torch.arange(1, len(controller.vocabularies.source) + 1, device=controller.device)
        with torch.no_grad():
            predicted = controller.category_logits(controller.encode_words(words)).argmax(-1).tolist()
        groups: dict[int, int] = {}
        found: dict[int, int] = {}
        for word, category in zip(controller.vocabularies.source, predicted, strict=True):
            if word in loop.codec.words:
                code = loop.codec.words[word]
                found[code] = groups.setdefault(category, code)
        return found

    def _batch(self) -> list[Sample]:
        """The next batch of an epoch; each epoch has an order of its own."""
        loop = self._loop
        examples = loop.examples
        size = loop.config.training.trace_batch_size
        epoch, number = divmod(loop.turn, math.ceil(len(examples) / size))
        if self._order[0] != (loop.lesson, epoch):
            turn, loop.turn = loop.turn, epoch
            self._order = (loop.lesson, epoch), loop.random("epoch").sample(examples, len(examples))
            loop.turn = turn
        return self._order[1][number * size : (number + 1) * size]

    def _learn_from(self, batch: list[Sample], steps: int, deadline: float, last: int) -> bool:
        """Search a batch with the present network, and train on what was found; tell whether the lesson is over."""
        loop = self._loop
        found = self._search(batch)
        for sample, each in zip(batch, found, strict=True):
            if not each.degenerate:
                loop.traces[sample] = each.trace
        loop.searchable.current = self._compile(batch, found)
        for _ in range(steps):
            loop.trainer.train_step()
            loop.step += 1
        loop.turn += 1
        return loop.step >= last or loop.seconds >= deadline

    def _search(self, batch: list[Sample]) -> list[SampledTrace]:
        """Search all examples side by side, each as often as the settings say."""
        loop, settings = self._loop, self._loop.config.loop
        loop.guide.refresh()
        rng = loop.random("search")
        tasks = [(sample, rng.getrandbits(64)) for sample in batch for _ in range(settings.samples)]
        if self._workers:
            searchers, network = self._workers
            network.write(loop.controller)
            found = searchers.search(tasks, _AHEAD["cpu"])
        else:
            policy: Answers = ExploringAnswers(loop.guide, settings.exploration) if settings.exploration else loop.guide
            found = self._here.search(policy, tasks, min(_AHEAD[loop.controller.device.type], 4 * len(tasks)))
        loop.searched += sum(each.steps for each in found)
        count = settings.samples
        kept = [self._kept(sample, found[number * count : (number + 1) * count]) for number, sample in enumerate(batch)]
        loop.guide.refresh()  # what is forgotten now is not looked through for garbage after the step
        return kept

    def _kept(self, sample: Sample, found: Sequence[SampledTrace]) -> SampledTrace:
        """Choose among the traces of an example."""
        candidates = [each for each in found if not each.degenerate]
        if len(candidates) < 2:
            return candidates[0] if candidates else found[0]
        keep = self._loop.config.loop.keep
        if keep == "first":
            return candidates[0]
        if keep == "probable":
            return min(candidates, key=self._cost)
        agreement = self._agreement()
        if sample in self._loop.traces:
            agreement.add(self._loop.traces[sample], -1)
        best = min(candidates, key=lambda each: agreement.disagreement(each.trace))
        agreement.add(best.trace)
        self._loop.traces[sample] = best.trace
        return best

    def _agreement(self) -> TraceAgreement:
        """The decisions of all traces so far, counted anew in each turn."""
        loop = self._loop
        if getattr(self, "_counted", None) != (loop.lesson, loop.turn):
            self._counted = loop.lesson, loop.turn
            self._counts = TraceAgreement({}, loop.config.loop)
            for trace in loop.traces.values():
                self._counts.add(trace)
        return self._counts

    def _cost(self, found: SampledTrace) -> float:
        """-log probability of a trace under the network."""
        questions: list[SearchQuestion] = []
        for status, operator, argument in found.trace:
            questions.append(OperatorQuestion(status, (operator,)))
            if isinstance(argument, str):
                questions.append(ReduceQuestion(status[1], (argument,)))
            elif argument is not None:
                questions.append(ConcatQuestion(operator, status[1], status[3], (argument,)))
        return sum(costs[0] for costs in self._loop.guide.answer(questions))

    def _compile(self, batch: list[Sample], found: list[SampledTrace]) -> Batch:
        """Make the training batch; only words of non-degenerate traces are paired, so these come first."""
        loop = self._loop
        settings, codec, controller = loop.config.loop, loop.codec, loop.controller
        chosen = sorted(zip(found, batch, strict=True), key=lambda pair: pair[0].degenerate)
        coherent = sum(not each.degenerate for each in found)
        traces = [(self._words(sample), codec.program(each.trace)) for each, sample in chosen]
        others = [sample for sample in loop.traces if sample not in set(batch)] if settings.replay else []
        replayed = loop.random("replay").sample(others, min(settings.replay, len(others)))
        traces += [(self._words(sample), codec.program(loop.traces[sample])) for sample in replayed]
        pairs = None
        categories = Categories()
        if settings.categories == "paired":
            pairs = word_pairs(traces[:coherent], self._first_lessons)
        else:
            members: dict[int, list[Word]] = {}
            for word, representative in self.classes().items():
                members.setdefault(representative, []).append(codec.word(word))
            categories = Categories(members.values())
        labels = source_labels(controller.vocabularies, categories)
        power = loop.config.training.count_power
        return compile_traces(controller.vocabularies, controller.config, traces, labels, power, pairs, share=True)

    def _words(self, sample: Sample) -> tuple[Word, ...]:
        return tuple(map(self._loop.codec.word, sample[0]))
