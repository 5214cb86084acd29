"""All settings: one frozen dataclass per stage, which checks its values. `settings` puts values in."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from ness.errors import ConfigError

_MOST_THREADS = 1024  # and processes


@dataclass(frozen=True, slots=True)
class CostConfig:
    """What a step costs, in nats: the code length of a rule (see ness.learn.costs)."""

    # Back-off of operators: how many observations the next coarser level is worth.
    status_weight: float = 0.1
    category_weight: float = 0.2
    outline_weight: float = 3.0
    next_weight: float = 3.0
    frame_weight: float = 0.7
    shape_weight: float = 2.0
    argument_weight: float = 0.5
    # Contradicting a known rule.
    operator_conflict: float = 8.0
    concat_conflict: float = 8.0
    reduce_conflict: float = 15.0
    # A new REDUCE rule: per source word, per target token, without a source word.
    reduce_word: float = 2.0
    reduce_token: float = 0.25
    reduce_empty: float = 3.0
    lexical: float = 0.5  # the token that occurs with a word, and with it alone
    # Corpus evidence for a new REDUCE rule: weight of -log(share), and the least share.
    evidence: float = 2.0
    least_share: float = 0.3
    # Explaining away: per token that known rules account for; a rule that its parts or another word explain.
    accounted: float = 1.5
    explained: float = 3.0
    # A new CONCAT rule: as such, CONCAT_S with one argument (it drops words), per distinct item beyond two.
    concat: float = 1.0
    concat_single: float = 2.0
    concat_wide: float = 2.0
    template: float = 2.0  # CONCAT with target tokens, as such ...
    literal: float = 1.0  # ... and per token
    owned: float = 6.0  # a token in a template that goes with one word of the frame alone
    # What rarely belongs to a clear program: reading on while the memory is full, PUSH after a phrase, words that
    # are reduced both as content (memory empty) and as a label (memory full).
    memory_held: float = 2.0
    pair: float = 5.0  # at most, for tearing apart two words that always occur together
    juxtaposed: float = 3.0
    two_roles: float = 3.0
    content: float = 3.0  # SHIFT of a word that is a phrase by itself, into a frame with others
    step: float = 0.02  # every step

    def __post_init__(self) -> None:
        weights = ("status", "category", "outline", "next", "frame", "shape", "argument")
        _positive("costs", self, tuple(f"{name}_weight" for name in weights))


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How a trace is found when only the output is known."""

    strategy: str = "best-first"  # or "sampled": the paper's own search
    max_reduce_length: int = 2  # target tokens of one REDUCE; longer ones are left to the degenerate trace
    max_indices: int = 9  # of one CONCAT
    literals: int = 0  # target tokens of one CONCAT; the learner's freedoms set it (see ness.learn.freedom)
    nodes: int = 3_000  # expanded per search
    escalated_nodes: int = 100_000  # for the shortest unsolved sample
    novelty: float = 1.0  # weight of the A* bound for tokens that no rule makes yet
    pull: float = 0.0  # per word left, in a normal search
    escalated_pull: float = 1.5  # per word left, in an escalated search
    sampled_steps: int = 256  # executed for one sample by the paper's search
    phrases: str = "auto"  # weighed rules from phrase-level traces: "on", "off"; "auto": for ambiguous corpora

    def __post_init__(self) -> None:
        _choose("search.strategy", self.strategy, ("best-first", "sampled"))
        _choose("search.phrases", self.phrases, ("auto", "on", "off"))
        _positive("search", self, ("max_reduce_length", "max_indices", "nodes", "escalated_nodes", "sampled_steps"))


@dataclass(frozen=True, slots=True)
class LearnerConfig:
    """How traces of many examples are made coherent."""

    time_limit: float = 300.0  # seconds; the outer stop
    node_budget: int = 6_000_000  # expanded nodes, all in all
    workers: int = 0  # processes; 0 = one per core; the result does not depend on it
    derivations: bool = True  # where content words end up tells the structure first; False: traces are searched only
    # Fitting one hypothesis to its samples.
    passes: int = 5
    failures: int = 3  # cheap searches that may fail per pass
    # The population.
    refits: int = 4  # of each survivor that does not solve a lesson as it is
    flips: int = 1  # refits of a survivor without one of its odd decisions
    extra_attempts: int = 1  # from the beginning, where all is solved but the last lessons were not foreseen
    flawless_lessons: int = 2  # in a row, on all training examples, that end an attempt; 0: none do
    survivors: int = 3
    score_gap: float = 60.0  # from the best survivor
    noise: float = 1.5  # on the costs of new rules in a refit
    explained_factor: float = 4.0  # factor on explaining away that half of the refits use
    samples_per_lesson: int = 60
    lookahead: int = 150  # samples of the next lesson that judge a hypothesis
    error_weight: float = 60.0  # selection score = code length + these times the error rates
    next_weight: float = 100.0
    # Retries.
    give_up: float = 0.02  # a lesson with a larger share of errors ends the attempt
    attempts: int = 20
    # A controller that learned the best hypothesis so far has a say in the next lesson's search.
    controller_guides: bool = False
    guide_weight: float = 0.5  # of the controller's costs; the rest is the weight of the rules'
    guide_steps: int = 200  # of its training, at most, in each lesson

    def __post_init__(self) -> None:
        _positive("learner", self, ("refits", "survivors", "score_gap", "samples_per_lesson", "passes", "node_budget"))
        _at_most("learner.workers", self.workers, _MOST_THREADS)


@dataclass(frozen=True, slots=True)
class ControllerConfig:
    """The network."""

    embedding_size: int = 64
    hidden_size: int = 64  # of every LSTM, in each direction
    input_encoder: str = "word"  # the next word alone; "queue": a BiLSTM over all that is left of the input
    frame_words: str = "category"  # how the operator predictor sees words in frames; "raw": as themselves
    pointer_second_frame: bool = False  # show the second frame to the CONCAT predictors
    categories: str = "hard"  # "soft": a mixture of categories; "off": no category predictors
    initialization: str = "default"  # PyTorch's; "uniform": all parameters from [-1, 1]
    # A second vector of each word, of this size, goes from the attention straight to the output layer of the REDUCE
    # predictor: rare words are learned sooner.
    lexical_size: int = 0
    word_gain: float = 1.0  # factor on the first word vectors: above 1, many words are told apart sooner

    def __post_init__(self) -> None:
        _choose("controller.input_encoder", self.input_encoder, ("word", "queue"))
        _choose("controller.frame_words", self.frame_words, ("category", "raw"))
        _choose("controller.categories", self.categories, ("hard", "soft", "off"))
        _choose("controller.initialization", self.initialization, ("default", "uniform"))
        _positive("controller", self, ("embedding_size", "hidden_size", "word_gain"))
        if self.lexical_size and not self.local:
            raise ConfigError("controller.lexical_size needs input_encoder = word and categories = hard")

    @property
    def local(self) -> bool:
        """Whether a decision depends on the local status alone, not on how its phrases were made."""
        return self.input_encoder == "word" and self.categories == "hard"


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """Gradient training of the controller."""

    learning_rate: float = 5e-3
    decay: bool = False  # let the learning rate fall linearly, to 0 after max_steps
    clip_norm: float = 5.0
    batch_size: int = 4096  # unique inputs of each predictor in a step; fewer than that: one full batch
    batch_logits: int = 1_000_000  # REDUCE arguments times target tokens: large vocabularies take smaller batches
    trace_batch_size: int = 256  # traces in a step, for networks whose decisions are not local
    max_steps: int = 3000
    threads: int = 1  # CPU threads of a step; sums, and so the weights, depend on it
    evaluate_every: int = 10  # steps between two checks of the stop criteria
    checkpoint_every: int = 200  # steps between two saved states
    loss_threshold: float = 0.02  # stop below this loss (beyond what noisy traces cost), if every decision is right
    count_power: float = 0.0  # an input seen n times weighs n ** count_power
    # Words in fewer traces share one category, so that new combinations of them are no news to the operator predictor;
    # only where no categories were learned and the vocabulary is large.
    rare_traces: int = 5
    imagined: int = 500  # inputs made from parts of the traces; what the rules decide there is imitated too; 0: none
    steps_per_search: int = 1  # gradient steps on each batch that the paper's loop has searched traces for
    category_targets: str = "given"  # from the learner's categories; "paired": the paper's pairing within a batch

    def __post_init__(self) -> None:
        _choose("training.category_targets", self.category_targets, ("given", "paired"))
        steps = ("max_steps", "evaluate_every", "checkpoint_every", "steps_per_search")
        sizes = ("batch_size", "batch_logits", "trace_batch_size")
        _positive("training", self, (*steps, *sizes, "threads", "learning_rate", "clip_norm"))
        _at_most("training.threads", self.threads, _MOST_THREADS)


@dataclass(frozen=True, slots=True)
class LoopConfig:
    """The paper's loop: what departs from Algorithm 1 as published, each a switch of its own (docs/paper-loop.md)."""

    samples: int = 1  # searches of each example, side by side
    # Of these samples; "probable": to the network; "conforming": to rules read off all traces; "worth": the trace with
    # which most examples need no search (with coherent traces only).
    keep: str = "first"
    conflicts: str = "latest"  # a rule that several traces contradict: as the latest did; "count": as most did
    exploration: float = 0.0  # share of draws that do not ask the network
    replay: int = 0  # traces of examples outside the batch that train the network again, in each step
    categories: str = "paired"  # by equal operator traces; "substitution": exchange keeps every operator, and hard
    # Coherent traces: all examples of a lesson are searched until their traces agree, then the network learns them.
    coherent: bool = False
    guided: bool = True  # the network is asked where no trace has decided; else all operators are alike there
    working_set: int = 400  # examples of a lesson
    lookahead: int = 150  # examples of the next lesson that judge traces, half as many of the one after, and so on
    foresight: float = 0.0  # nats that all of these together weigh, if it is more than 10 for each
    # Inputs made by exchanging complete inputs inside others; in the last lesson, which has no later ones that could
    # judge, sets whose traces show all decisions there rank higher.
    recombined: int = 0
    # Inputs made by exchanging a word for another of its category, by the best set of the lesson before: they judge the
    # sets of every lesson but the first in the same way.
    exchanged: int = 0
    # Two words that go with a token each are swapped where training shows that outputs change so: examples count as
    # solved only if rules solve them with swapped words, too, and by the same operators.
    swapped: bool = False
    analogies: bool = False  # what such words become in a row that only later lessons show is told by others swapped
    introduced: bool = False  # half of a word's examples must be shown so in its first lesson only, not in all
    # Whole loops at most, each from another seed; another begins if there is time for one as long as the longest. The
    # one is kept whose rules leave the fewest of these inputs undecided, or answered otherwise by other loops.
    loops: int = 1
    share: float = 1.0  # of the time, that one of several loops may take
    rounds: int = 20  # in a lesson, at most; each adds examples that the rules of the best set get wrong
    counterexamples: int = 20  # so many at most
    population: int = 3  # sets of traces in each round
    survivors: int = 3
    changes: int = 20  # decisions that are given up, one at a time, until so many brought no better set
    # As long as examples of the working set are unsolved these are not counted, and a lesson may take a quarter of all
    # time that is left; sets are begun in a third of its share only.
    persist: bool = False
    # Decisions that are given up: the rarer the sooner; "any": every other time without regard to how rare they are.
    suspects: str = "rare"
    settle: bool = False  # the search of a lesson ends with a set that solves, foresees and decides all it is asked
    # The last lesson's network also learns what the rules decide on imagined inputs (training.imagined of them), until
    # it agrees with the rules on others.
    imagined: bool = False
    # How a trace agrees with the others, by counts of their decisions alone.
    base_weight: float = 0.5  # observations that the network's word is worth
    unseen: float = 0.1  # observations that a decision of no other trace counts as
    contradiction: float = 8.0  # nats, times the share of the others that decided otherwise
    unsupported: float = 30.0  # nats for a trace with any decision that no other trace makes

    def __post_init__(self) -> None:
        _choose("loop.keep", self.keep, ("first", "probable", "conforming", "worth"))
        _choose("loop.conflicts", self.conflicts, ("latest", "count"))
        _choose("loop.categories", self.categories, ("paired", "substitution"))
        _choose("loop.suspects", self.suspects, ("rare", "any"))
        sizes = (
            "samples",
            "working_set",
            "rounds",
            "counterexamples",
            "population",
            "survivors",
            "loops",
            "base_weight",
            "unseen",
        )
        _positive("loop", self, sizes)
        if self.imagined and not self.coherent:
            raise ConfigError("'loop.imagined' needs loop.coherent = true: contradictory rules teach nothing")
        if self.loops > 1 and not (self.coherent and self.recombined):
            raise ConfigError("'loop.loops' needs loop.coherent = true and loop.recombined: inputs to choose a loop by")
        if not 0 < self.share <= 1:
            raise ConfigError(f"'loop.share' must be above 0 and at most 1, not {self.share}")
        if not 0 <= self.exploration <= 1:
            raise ConfigError(f"'loop.exploration' must be from 0 to 1, not {self.exploration}")
        for name in ("replay", "changes", "lookahead", "foresight", "recombined", "exchanged"):
            if getattr(self, name) < 0:
                raise ConfigError(f"'loop.{name}' must not be negative, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one run."""

    seed: int = 0
    machine: str = "extended"  # CONCAT may hold target tokens; "paper": the seven instructions exactly as published
    costs: CostConfig = field(default_factory=CostConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    controller: ControllerConfig = field(default_factory=ControllerConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    loop: LoopConfig = field(default_factory=LoopConfig)

    def __post_init__(self) -> None:
        _choose("machine", self.machine, ("paper", "extended"))


def _choose(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"'{name}' must be {' or '.join(map(repr, choices))}, not {value!r}")


def _at_most(name: str, value: int, most: int) -> None:
    if value > most:
        raise ConfigError(f"'{name}' must not be above {most}, not {value}")


def _positive(section: str, config: Any, names: tuple[str, ...]) -> None:
    """Refuse numbers below 0 anywhere in a section, and 0 where it makes no sense."""
    for each in dataclasses.fields(config):
        value = getattr(config, each.name)
        if isinstance(value, int | float) and not value >= 0:
            raise ConfigError(f"'{section}.{each.name}' must not be negative, not {value}")
    for name in names:
        if getattr(config, name) <= 0:
            raise ConfigError(f"'{section}.{name}' must be above 0, not {getattr(config, name)}")
