"""The figures of Chen et al. 2020, typed in once: accuracies in percent, None where the paper has no figure."""

from collections.abc import Mapping

Figures = Mapping[str, float | None]

# Table "Test accuracy on SCAN splits".
SCAN: Mapping[str, Figures] = {
    "NeSS": {"length": 100.0, "around_right": 100.0, "jump": 100.0, "simple": 100.0},
    "Seq2seq": {"length": 13.8, "around_right": None, "jump": 0.08, "simple": 99.8},
    "CNN": {"length": 0.0, "around_right": 56.7, "jump": 69.2, "simple": 100.0},
    "Stack LSTM": {"length": 17.0, "around_right": 0.3, "jump": 0.0, "simple": 100.0},
    "Syntactic Attention": {"length": 15.2, "around_right": 28.9, "jump": 91.0, "simple": None},
    "Primitive Substitution": {"length": 20.3, "around_right": 83.2, "jump": 98.8, "simple": 99.9},
    "Equivariant Seq2seq": {"length": 15.9, "around_right": 92.0, "jump": 99.1, "simple": 100.0},
    "GECA": {"length": None, "around_right": 82.0, "jump": 87.0, "simple": None},
    "Meta Seq2seq (perm)": {"length": 16.64, "around_right": 98.71, "jump": 99.95, "simple": None},
    "Synth (no search)": {"length": 0.0, "around_right": 0.0, "jump": 3.5, "simple": 13.3},
    "Synth (with search)": {"length": 100.0, "around_right": 100.0, "jump": 100.0, "simple": 100.0},
}

# Table "Accuracy on the few-shot learning task".
FEWSHOT: Figures = {"NeSS": 100.0, "Seq2seq": 2.5, "Primitive Substitution": 76.0, "Human": 84.3}

# Table "Accuracy on the compositional machine translation benchmark", and the text below it for exact match.
TRANSLATION_SEMANTIC: Figures = {"NeSS": 100.0, "Seq2seq": 12.5, "Primitive Substitution": 100.0}
TRANSLATION_EXACT: Mapping[str, tuple[float, ...]] = {
    "NeSS": (100.0, 100.0, 62.5, 62.5, 62.5),
    "Primitive Substitution": (62.5,),
}

# COGS is not in the paper: Kim & Linzen 2020, table 2, on the generalisation set.
COGS: Figures = {"Transformer": 35.0, "LSTM (unidirectional)": 32.0, "LSTM (bidirectional)": 16.0}

# Tables on context-free grammar parsing, in the order of these systems.
CFG_SYSTEMS = ("NeSS", "Neural Parser", "Seq2seq", "Seq2tree", "Stack LSTM", "Queue LSTM", "DeQue LSTM")
_NOTHING = (100.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0)
CFG: Mapping[tuple[str, str], Mapping[str, tuple[float, ...]]] = {
    ("while", "curriculum"): {
        "train": (100.0, 100.0, 81.29, 100.0, 100.0, 100.0, 100.0),
        "test-10": (100.0, 100.0, 0.0, 0.8, 0.0, 0.0, 0.0),
        "test-100": _NOTHING,
        "test-1000": _NOTHING,
        "test-5000": _NOTHING,
    },
    ("while", "std-10"): {
        "train": (100.0, 100.0, 94.67, 100.0, 81.01, 72.98, 82.59),
        "test-10": (100.0, 100.0, 20.9, 88.7, 2.2, 0.7, 2.8),
        "test-100": _NOTHING,
        "test-1000": _NOTHING,
    },
    ("while", "std-50"): {
        "train": (100.0, 100.0, 87.03, 100.0, 0.0, 0.0, 0.0),
        "test-50": (100.0, 100.0, 86.6, 99.6, 0.0, 0.0, 0.0),
        "test-500": _NOTHING,
        "test-5000": _NOTHING,
    },
    ("lambda", "curriculum"): {
        "train": (100.0, 100.0, 96.47, 100.0, 100.0, 100.0, 100.0),
        "test-10": _NOTHING,
        "test-100": _NOTHING,
        "test-1000": _NOTHING,
        "test-5000": _NOTHING,
    },
    ("lambda", "std-10"): {
        "train": (100.0, 100.0, 93.53, 100.0, 0.0, 95.93, 2.23),
        "test-10": (100.0, 100.0, 86.7, 99.6, 0.0, 6.5, 0.1),
        "test-100": _NOTHING,
        "test-1000": _NOTHING,
    },
    ("lambda", "std-50"): {
        "train": (100.0, 100.0, 66.65, 89.65, 0.0, 0.0, 0.0),
        "test-50": (100.0, 100.0, 66.6, 88.1, 0.0, 0.0, 0.0),
        "test-500": _NOTHING,
        "test-5000": _NOTHING,
    },
}

# Table "Learned categories on SCAN", as printed: the first line has "look" twice and no "walk".
CATEGORIES = (
    "{run, look, jump, look}",
    "{left, right}, {twice, thrice}, {turn}",
    "{and, after}, {around}, {opposite}",
)

# Appendix, "Rule extraction"; the paper writes RUN and LTURN for I_RUN and I_TURN_LEFT.
SCAN_RULES: Mapping[str, str] = {
    "run": "I_RUN",
    "jump": "I_JUMP",
    "look": "I_LOOK",
    "walk": "I_WALK",
    "left": "I_TURN_LEFT",
    "right": "I_TURN_RIGHT",
    "turn left": "I_TURN_LEFT",
    "turn right": "I_TURN_RIGHT",
}
TRANSLATION_RULES: Mapping[str, str] = {
    "i am": "je suis",
    "i am not": "je ne suis pas",
    "you are": "tu es",
    "you are not": "tu n es pas",
    "he is": "il est",
    "he is not": "il n est pas",
    "she is": "elle est",
    "she is not": "elle n est pas",
    "we are": "nous sommes",
    "we are not": "nous ne sommes pas",
    "they are": "elles sont",
    "they are not": "elles ne sont pas",
    "very": "tres",
    "daxy": "daxiste",
}

# Section "SCAN Benchmark", on the length split: 100% in 2 runs, "around 20% for other 3 runs".
WITHOUT_CATEGORIES = "100 in 2 runs, about 20 in 3"
