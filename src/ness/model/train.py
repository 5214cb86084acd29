"""From examples to a model: traces and rules, then the network that imitates them, then the run folder.

The rules are saved before the network is trained, so a run that is stopped there answers by rules and can be
resumed. Importing this module does not import torch; training a network does.
"""

import json
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ness.answer.engine import as_read, translate
from ness.answer.noisy_engine import engine_of_rules
from ness.answer.rule_engine import known_words
from ness.config import Config
from ness.data.example import Example
from ness.data.spelling import PLAIN, Spelling
from ness.errors import ConfigError, DataError
from ness.execute.jobs import Executor
from ness.files import naming
from ness.learn.coding import Sample
from ness.learn.events import LessonReport, PhrasePass, Report, Stage, ignore
from ness.learn.journal import FileJournal
from ness.learn.learner import learn
from ness.learn.phrases.learning import is_ambiguous, learn_phrases
from ness.learn.result import LearningResult
from ness.machine.boundaries import BEGIN, END
from ness.model.hand_rules import better_result, overlay_hand_rules
from ness.model.model import Model
from ness.model.network_training import train_network
from ness.model.resume import EarlierRun, check_folder, digest_of, read_earlier_run, tables_that_fit
from ness.model.run_folder import METRICS, STATE, remove_state, save_run
from ness.model.summary import Summary, Suspect
from ness.network.requirements import missing_packages, require_network
from ness.network.vocabularies import Vocabularies
from ness.rules.hand import NO_RULES, HandRules
from ness.rules.table import RuleTable

if TYPE_CHECKING:
    from ness.network.imitation import Progress
    from ness.paper.diagnosis import LessonDiagnosis

_SEARCH_SHARE = 0.7  # of the time limit, where a network is to be trained as well
_JOURNAL = "lessons.jsonl"  # what the learner has after each lesson


@dataclass(frozen=True)
class _Order:
    """What to learn, how, and where to put it."""

    examples: Sequence[Example]
    config: Config
    out: Path | None
    task: str
    digest: str
    spelling: Spelling
    hand: HandRules
    lessons: Sequence[Sequence[Example]] | None
    rules_only: bool
    device: str
    report: Report
    executor: Executor | None

    def save(self, model: Model) -> None:
        if self.out is not None:
            save_run(self.out, model)


def train(
    examples: Sequence[Example],
    config: Config,
    out: Path | None = None,
    *,
    task: str = "examples",
    spelling: Spelling = PLAIN,
    hand: HandRules = NO_RULES,
    lessons: Sequence[Sequence[Example]] | None = None,
    rules_only: bool = False,
    resume: bool = False,
    device: str = "auto",
    progress: Report = ignore,
    executor: Executor | None = None,
) -> Model:
    """Learn a model from examples and save it in `out`; `resume` goes on with what an earlier run left there."""
    _check(examples, device)
    started = time.monotonic()
    if config.search.phrases == "auto":
        phrases = "on" if is_ambiguous(examples) else "off"
        config = replace(config, search=replace(config.search, phrases=phrases))
    digest = digest_of(examples, config, hand)
    if out is not None:
        check_folder(out, resume)
        if not resume:
            remove_state(out)
    report = _log_reports(progress, out)
    order = _Order(examples, config, out, task, digest, spelling, hand, lessons, rules_only, device, report, executor)
    earlier = read_earlier_run(out, examples, config, hand) if out is not None and resume else EarlierRun()
    model = earlier.model
    if model is None:
        model = _paper_model(order) if config.search.strategy == "sampled" else _model_by_search(order, earlier)
    if not rules_only and not model.has_controller:
        train_network(model, out, device, started + config.learner.time_limit, report)
        order.save(model)
    return model


def _check(examples: Sequence[Example], device: str) -> None:
    """Tell a slip before anything is searched or written."""
    if not examples:
        raise DataError("there are no examples to learn from; give at least one source with its target")
    if reserved := next((example.source for example in examples if {BEGIN, END} & set(example.source)), None):
        raise DataError(
            f"the words {BEGIN} and {END} stand for the edges of an input; rename them in: {' '.join(reserved)}"
        )
    if device not in ("auto", "cpu"):
        require_network(f"--device {device}")
        from ness.network.controller import choose_device

        choose_device(device)


def _model_by_search(order: _Order, earlier: EarlierRun) -> Model:
    """Learn rules and save them; what an earlier run knew is learned no more."""
    config, hand, out = order.config, order.hand, order.out
    share = 1.0 if order.rules_only or missing_packages() else _SEARCH_SHARE
    limited, over = _with_time_share(config, share), None
    if not hand.empty and config.search.phrases != "on":
        plain = learn(order.examples, limited, order.lessons, order.report, executor=order.executor)
        over = overlay_hand_rules(plain, hand)
        limited = _with_short_search(limited) if over.unsolved else limited
    learned = _learn(order, limited, earlier.known)
    learned = learned if over is None else better_result(learned, over)
    learned.survivors = learned.survivors or tables_that_fit(earlier.rivals, list(learned.traces))
    model = _model_of(order, learned)
    order.save(model)
    if learned.interrupted:
        raise KeyboardInterrupt
    if out is not None and model.summary.complete:
        (out / STATE / _JOURNAL).unlink(missing_ok=True)
    return model


def _learn(order: _Order, config: Config, known: RuleTable | None) -> LearningResult:
    examples, lessons, report = order.examples, order.lessons, order.report
    distinct = len(set(examples))
    if config.search.phrases == "on":
        if not order.hand.empty:
            raise ConfigError("weighed rules of ambiguous data obey no rules by hand; use --set search.phrases=off")
        report(Stage("search", f"cutting {distinct} examples into phrases"))
        learned = learn_phrases(examples, config, report)
        learned.unsolved = _never_right(learned.table, learned.traces)
        return learned
    if known is not None:
        report(Stage("search", f"{distinct} examples, some of them learned before: searching what is new"))
    else:
        report(Stage("search", f"finding traces for {distinct} examples"))
    guides = None
    if config.learner.controller_guides:
        from ness.paper.guidance import guides_of

        guides = guides_of(config)
    out, journal = order.out, None
    if out is not None:

        def journal(samples: list[Sample]) -> FileJournal:
            return FileJournal(out / STATE / _JOURNAL, samples, order.digest)

    return learn(examples, config, lessons, report, journal, guides, known, order.executor, order.hand)


def _never_right(table: RuleTable, examples: Collection[Example]) -> list[Example]:
    """List the examples whose source the weighed rules do not translate to any of its targets."""
    targets: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for source, target in examples:
        targets.setdefault(source, []).append(target)
    answers = translate(engine_of_rules(table, weighed=True), list(targets))
    wrong = {answer.source for answer in answers if answer.output not in targets[answer.source]}
    return [example for example in examples if example.source in wrong]


def _with_short_search(config: Config) -> Config:
    """Search little, where rules by hand stand against examples: these have no traces."""
    search = replace(config.search, escalated_nodes=config.search.nodes)
    return replace(config, search=search, learner=replace(config.learner, attempts=1, extra_attempts=0))


def _with_time_share(config: Config, share: float) -> Config:
    return replace(config, learner=replace(config.learner, time_limit=config.learner.time_limit * share))


def _model_of(order: _Order, learned: LearningResult) -> Model:
    examples, hand = order.examples, order.hand
    distinct = set(examples)
    memorised = [example for example in learned.memorised if len(example.target) > 1]
    left_out = {*learned.contradictory, *learned.suspicious}
    composed = {example for example in distinct if len(example.source) > 1}
    summary = Summary(
        order.task,
        order.digest,
        len(distinct),
        unsolved=learned.unsolved,
        memorised=memorised,
        contradictory=learned.contradictory,
        suspicious=[Suspect(example, expected) for example, expected in learned.suspicious.items()],
        composed=len(composed),
        composed_learned=len(composed.difference(learned.unsolved, memorised, left_out)),
        seconds=learned.seconds,
        nodes=learned.nodes,
        attempts=learned.attempts,
        freedom=learned.freedom,
        compared=learned.compared,
        complete=not (learned.interrupted or learned.cut_off),
    )
    read = known_words(learned.table)
    sources = [as_read(example.source, read) for example in examples]
    more_words, more_tokens = hand.vocabulary()
    targets = [*(example.target for example in examples), more_tokens]
    words = Vocabularies.of([*sources, more_words], targets, learned.table.kinds)
    programs = [(as_read(example.source, read), program) for example, program in learned.traces.items()]
    return Model(
        order.config,
        words,
        learned.table,
        summary,
        programs,
        learned.survivors,
        examples=learned.traces,
        weighed=order.config.search.phrases == "on",
        hand=hand,
        spelling=order.spelling,
    )


def _paper_model(order: _Order) -> Model:
    """Learn by the paper's own loop, which searches and trains in turns, and save it."""
    if not order.hand.empty:
        raise ConfigError("the paper's loop obeys no rules by hand; use --set search.strategy=best-first")
    require_network("The paper's loop")
    from ness.model.teacher import rules_as_teacher
    from ness.paper.loop import learn_as_in_the_paper

    examples, config, out = order.examples, order.config, order.out
    order.report(Stage("search", f"the paper's loop on {len(set(examples))} examples"))
    state = None if out is None else out / STATE
    teacher = rules_as_teacher(config)
    run = learn_as_in_the_paper(examples, config, order.lessons, order.report, order.device, state, teacher=teacher)
    model = _model_of(order, run.learned)
    if out is not None:
        remove_state(out)
    model.vocabularies, model.network_note = run.controller.vocabularies, run.note
    model.network = None if order.rules_only else run.controller
    model.summary.agreement = run.agreement.share if run.agreement else None
    order.save(model)
    return model


def _log_reports(progress: Report, out: Path | None) -> Report:
    """Also write the reports to metrics.jsonl in the run folder."""
    if out is None:
        return progress
    path = out / METRICS
    started = time.monotonic()

    def report(event: "Stage | LessonReport | PhrasePass | LessonDiagnosis | Progress") -> None:
        progress(event)
        path.parent.mkdir(parents=True, exist_ok=True)
        values = event._asdict() if isinstance(event, Stage | PhrasePass) else asdict(event)
        with naming(path), path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"event": type(event).__name__, "at": time.monotonic() - started} | values) + "\n")

    return report
