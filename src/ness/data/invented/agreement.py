"""Small tasks in which one word decides about others: agreement, case, articles, templates by verb, tenses."""

from random import Random

from ness.data.invented.invention import Invention, Words

_ENDINGS = {("m", 1): "o", ("f", 1): "a", ("m", 2): "os", ("f", 2): "as"}
_SPANISH_ARTICLES = {
    "the": {("m", 1): "el", ("f", 1): "la", ("m", 2): "los", ("f", 2): "las"},
    "some": {("m", 1): "un", ("f", 1): "una", ("m", 2): "unos", ("f", 2): "unas"},
}
_SPANISH_NOUNS = {
    "cat": ("gato", ("m", 1)), "cats": ("gatos", ("m", 2)), "cow": ("vaca", ("f", 1)), "cows": ("vacas", ("f", 2)),
    "boy": ("chico", ("m", 1)), "boys": ("chicos", ("m", 2)), "girl": ("chica", ("f", 1)),
    "girls": ("chicas", ("f", 2)), "bear": ("oso", ("m", 1)), "queens": ("reinas", ("f", 2)),
}  # fmt: skip
_SPANISH_ADJECTIVES = {"white": "blanc", "old": "viej", "small": "pequeñ"}
_SPANISH_VERBS = {"sees": "ve", "follows": "sigue"}

_GERMAN_NOUNS = {
    "dog": ("Hund", "m"), "man": ("Mann", "m"), "spoon": ("Löffel", "m"), "tree": ("Baum", "m"),
    "cat": ("Katze", "f"), "woman": ("Frau", "f"), "lamp": ("Lampe", "f"), "street": ("Straße", "f"),
    "child": ("Kind", "n"), "house": ("Haus", "n"), "book": ("Buch", "n"), "horse": ("Pferd", "n"),
}  # fmt: skip
_GERMAN_ARTICLES = {
    "the": {"m": "der", "f": "die", "n": "das"},
    "a": {"m": "ein", "f": "eine", "n": "ein"},
    "this": {"m": "dieser", "f": "diese", "n": "dieses"},
}

_CASE_VERBS = {
    "sees": ("videt", "um"), "hears": ("audit", "um"), "calls": ("vocat", "um"), "leads": ("ducit", "um"),
    "helps": ("iuvat", "o"), "obeys": ("paret", "o"), "trusts": ("credit", "o"),
}  # fmt: skip
_CASE_NOUNS = {"friend": "amic", "slave": "serv", "lord": "domin", "wolf": "lup", "horse": "equ", "son": "fili"}

_AN_NOUNS = {
    "Hund": "dog", "Baum": "tree", "Tisch": "table", "Mann": "man", "Ring": "ring", "Apfel": "apple", "Esel": "donkey",
    "Arm": "arm", "Ofen": "oven", "Igel": "urchin", "Adler": "eagle",
}  # fmt: skip
_AN_VERBS = {"sieht": "sees", "sucht": "seeks", "kauft": "buys"}

_PEOPLE = ("ann", "bob", "carl", "dora", "emil")
_TEMPLATES = {
    "gave": "give ( from {0} , to {1} , what {2} )",
    "sent": "send ( from {0} , to {1} , what {2} )",
    "showed": "show ( from {0} , to {1} , what {2} )",
    "called": "call ( who {0} , whom {1} , as {2} )",
    "named": "name ( who {0} , whom {1} , as {2} )",
    "made": "make ( who {0} , whom {1} , as {2} )",
    "cost": "cost ( whom {1} , what {2} , by {0} )",
    "earned": "earn ( whom {1} , what {2} , by {0} )",
}

_TENSES = {
    "walk": "ed", "jump": "ed", "look": "ed", "paint": "ed", "bake": "d", "dance": "d", "move": "d",
    "hit": None, "cut": None, "put": None,
}  # fmt: skip


def _spanish(rng: Random, size: int) -> tuple[Words, Words]:
    """Clauses in which articles and adjectives agree with their noun in gender and number."""
    source: Words = []
    target: Words = []
    for clause in range(size):
        source += ["and"] if clause else []
        target += ["y"] if clause else []
        for place in range(2):
            noun, article = rng.choice(list(_SPANISH_NOUNS)), rng.choice(list(_SPANISH_ARTICLES))
            translation, kind = _SPANISH_NOUNS[noun]
            adjectives = [rng.choice(list(_SPANISH_ADJECTIVES))] if rng.random() < 0.4 else []
            source += [article, *adjectives, noun]
            target += [_SPANISH_ARTICLES[article][kind], translation]
            target += [_SPANISH_ADJECTIVES[adjective] + _ENDINGS[kind] for adjective in adjectives]
            if place == 0:
                verb = rng.choice(list(_SPANISH_VERBS))
                source.append(verb)
                target.append(_SPANISH_VERBS[verb])
    return source, target


def _german(rng: Random, size: int) -> tuple[Words, Words]:
    """Lists of nouns with articles of three classes."""
    source: Words = []
    target: Words = []
    for number in range(size):
        noun, article = rng.choice(list(_GERMAN_NOUNS)), rng.choice(list(_GERMAN_ARTICLES))
        translation, gender = _GERMAN_NOUNS[noun]
        source += [*(["and"] if number else []), article, noun]
        target += [*(["und"] if number else []), _GERMAN_ARTICLES[article][gender], translation]
    return source, target


def _case(rng: Random, size: int) -> tuple[Words, Words]:
    """Clauses whose verb decides the case of its object; the verb comes last."""
    source: Words = []
    target: Words = []
    for clause in range(size):
        subject, verb, thing = (
            rng.choice(list(_CASE_NOUNS)),
            rng.choice(list(_CASE_VERBS)),
            rng.choice(list(_CASE_NOUNS)),
        )
        translation, ending = _CASE_VERBS[verb]
        source += [*(["and"] if clause else []), subject, verb, thing]
        target += [
            *(["et"] if clause else []),
            _CASE_NOUNS[subject],
            "-us",
            _CASE_NOUNS[thing],
            f"-{ending}",
            translation,
        ]
    return source, target


def _articles(rng: Random, size: int) -> tuple[Words, Words]:
    """`ein` is `a` or `an`, as the noun begins."""
    source: Words = []
    target: Words = []
    for clause in range(size):
        one, verb, other = rng.choice(list(_AN_NOUNS)), rng.choice(list(_AN_VERBS)), rng.choice(list(_AN_NOUNS))
        nouns = [["an" if _AN_NOUNS[noun][0] in "aeiou" else "a", _AN_NOUNS[noun]] for noun in (one, other)]
        source += [*(["und"] if clause else []), "ein", one, verb, "ein", other]
        target += [*(["and"] if clause else []), *nouns[0], _AN_VERBS[verb], *nouns[1]]
    return source, target


def _giving(rng: Random, size: int) -> tuple[Words, Words]:
    """The verb decides what is made of three names: `X gave Y Z`."""
    names = [rng.choice(_PEOPLE) for _ in range(3)]
    verb = rng.choice(list(_TEMPLATES))
    source, target = [names[0], verb, *names[1:]], _TEMPLATES[verb].format(*names).split()
    for _ in range(size - 1):
        name, saying = rng.choice(_PEOPLE), rng.choice(("said", "thought"))
        source = [name, saying, "that", *source]
        target = [saying[:3], "(", "who", name, ",", *target, ")"]
    return source, target


def _tenses(rng: Random, size: int) -> tuple[Words, Words]:
    """Past tenses by classes of verbs."""
    source: Words = []
    target: Words = []
    for clause in range(size):
        name, verb, time = rng.choice(_PEOPLE), rng.choice(list(_TENSES)), rng.choice(("past", "past", "future"))
        ending = _TENSES[verb]
        source += [*(["then"] if clause else []), name, time, verb]
        target += [*([";"] if clause else []), name]
        target += ["will", verb] if time == "future" else [verb, *([f"-{ending}"] if ending else [])]
    return source, target


INVENTIONS = (
    Invention("spanish", "articles and adjectives agree in gender and number", _spanish, (2, 4), (12, 40), train=250),
    Invention("german", "articles by classes of nouns", _german, (3, 8), (8, 30), train=120),
    Invention("case", "the verb decides the case of its object", _case, (2, 5), (7, 30), train=150),
    Invention("articles", "a or an", _articles, (2, 5), (11, 40), train=150),
    Invention("giving", "the verb decides the template", _giving, (2, 5), (7, 30), train=200),
    Invention("tenses", "past tenses by classes of verbs", _tenses, (3, 8), (11, 40), train=120),
)
