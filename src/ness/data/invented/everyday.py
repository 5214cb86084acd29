"""Invented tasks as people bring them: commands to JSON, formulas to LaTeX, questions to SQL, lists to HTML, and so on.

Their outputs have tokens around and between the parts, words that stand for several tokens, and agreement.
"""

from random import Random

from ness.data.invented.invention import Invention, Words

_DEVICES = {"lamp": "lamp", "heater": "heater", "radio": "radio", "fan": "fan"}
_ROOMS = ("kitchen", "office", "hall")
_COLUMNS = ("name", "age", "city", "price")
_TABLES = ("users", "orders", "items")
_COLOURS = ("red", "blue", "green")
_PEOPLE = ("ann", "bob", "eve", "tom")
_FRUITS = ("apples", "pears", "plums", "figs")
_DAYS = {"monday": ["MO"], "tuesday": ["TU"], "friday": ["FR"], "sunday": ["SU"]}
_HOURS = {
    "noon": ["12", ":", "00"],
    "midnight": ["00", ":", "00"],
    "nine": ["09", ":", "00"],
    "five": ["17", ":", "00"],
}
_NOUNS = {
    "house": ("casa", "f"),
    "table": ("mesa", "f"),
    "book": ("libro", "m"),
    "car": ("coche", "m"),
    "window": ("ventana", "f"),
    "dog": ("perro", "m"),
}
_ADJECTIVES = {"red": ("rojo", "roja"), "small": ("chico", "chica"), "white": ("blanco", "blanca")}


def _json(rng: Random, size: int) -> tuple[Words, Words]:
    """Commands to a sequence of JSON objects."""
    source: Words = []
    target: Words = []
    for number in range(size):
        device, room = rng.choice(list(_DEVICES)), rng.choice(_ROOMS)
        state = rng.choice(("on", "off"))
        source += ["then"] if number else []
        target += [","] if number else []
        source += ["turn", state, "the", device]
        target += ["{", "device", ":", _DEVICES[device], ",", "state", ":", state.upper()]
        if rng.random() < 0.5:
            source += ["in", "the", room]
            target += [",", "room", ":", room.upper()]
        target += ["}"]
    return source, target


def _latex(rng: Random, size: int) -> tuple[Words, Words]:
    """Formulas in words to LaTeX."""
    if size <= 1:
        name = rng.choice(("x", "y", "z", "a", "b"))
        return [name], [name]
    kind = rng.random()
    if kind < 0.3:
        source, target = _latex(rng, size - 1)
        name, command = rng.choice((("root", ["\\sqrt"]), ("vector", ["\\vec"])))
        return [name, "of", "(", *source, ")"], [*command, "{", *target, "}"]
    if kind < 0.5:
        source, target = _latex(rng, 1)
        return [*source, "squared"], [*target, "^", "2"]
    first = rng.randrange(1, size)
    (left, left_code), (right, right_code) = _latex(rng, first), _latex(rng, size - first)
    if kind < 0.75:
        return ["(", *left, "over", *right, ")"], ["\\frac", "{", *left_code, "}", "{", *right_code, "}"]
    return ["(", *left, "plus", *right, ")"], ["(", *left_code, "+", *right_code, ")"]


def _sql(rng: Random, size: int) -> tuple[Words, Words]:
    """Questions to SQL with conditions and an order."""
    column, table = rng.choice(_COLUMNS), rng.choice(_TABLES)
    source = ["show", column, "of", table]
    target = ["SELECT", column, "FROM", table]
    for number in range(size - 1):
        tested, value = rng.choice(_COLUMNS), rng.choice(("5", "7", "9"))
        comparison, sign = rng.choice((("above", ">"), ("below", "<"), ("equal", "=")))
        source += ["and" if number else "where", tested, comparison, value]
        target += ["AND" if number else "WHERE", tested, sign, value]
    if rng.random() < 0.4:
        by = rng.choice(_COLUMNS)
        source += ["sorted", "by", by]
        target += ["ORDER", "BY", by]
    return source, target


def _html(rng: Random, size: int) -> tuple[Words, Words]:
    """Lists to HTML, lists of lists included."""
    source: Words = ["list"]
    target: Words = ["<ul>"]
    for number in range(size):
        source += ["and"] if number else []
        if rng.random() < 0.25 and size > 1:
            inner, code = _html(rng, max(1, size // 2))
            source += ["(", *inner, ")"]
            target += ["<li>", *code, "</li>"]
        else:
            fruit = rng.choice(_FRUITS)
            source += [fruit]
            target += ["<li>", fruit, "</li>"]
    return source, [*target, "</ul>"]


def _prolog(rng: Random, size: int) -> tuple[Words, Words]:
    """Facts and rules to Prolog."""
    source: Words = []
    target: Words = []
    for number in range(size):
        first, second = rng.choice(_PEOPLE), rng.choice(_PEOPLE)
        relation = rng.choice(("likes", "knows", "helps"))
        source += ["and"] if number else []
        target += [","] if number else []
        if rng.random() < 0.25:
            source += [first, "does", "not", relation]
            target += ["not", "(", relation, "(", first, ",", second, ")", ")"]
        else:
            source += [first, relation]
            target += [relation, "(", first, ",", second, ")"]
        source += [second]
    return source, [*target, "."]


def _regex(rng: Random, size: int) -> tuple[Words, Words]:
    """Descriptions to regular expressions."""
    kind = rng.random()
    if size <= 1:
        return rng.choice(((["digit"], ["[", "0-9", "]"]), (["letter"], ["[", "a-z", "]"]), (["dot"], ["\\", "."])))
    if kind < 0.4:
        source, target = _regex(rng, size - 1)
        name, mark = rng.choice((("many", "*"), ("some", "+"), ("maybe", "?")))
        return [name, "(", *source, ")"], ["(", *target, ")", mark]
    first = rng.randrange(1, size)
    (left, left_code), (right, right_code) = _regex(rng, first), _regex(rng, size - first)
    if kind < 0.6:
        return ["either", *left, "or", *right, "end"], ["(", *left_code, "|", *right_code, ")"]
    return [*left, "then", *right], left_code + right_code


def _times(rng: Random, size: int) -> tuple[Words, Words]:
    """Dates and times to a calendar rule."""
    source: Words = []
    target: Words = []
    for number in range(size):
        source += ["and"] if number else []
        target += [";"] if number else []
        day, hour = rng.choice(list(_DAYS)), rng.choice(list(_HOURS))
        every = rng.random() < 0.5
        source += ["every" if every else "next", day, "at", hour]
        target += ["FREQ" if every else "ONCE", "=", "WEEKLY" if every else "DATE", "BYDAY", "=", *_DAYS[day]]
        target += ["T", *_HOURS[hour]]
    return source, target


def _agreement(rng: Random, size: int) -> tuple[Words, Words]:
    """English noun phrases to Spanish ones: article and adjectives agree with the noun."""
    source: Words = []
    target: Words = []
    for number in range(size):
        noun = rng.choice(list(_NOUNS))
        translation, gender = _NOUNS[noun]
        adjectives = [rng.choice(list(_ADJECTIVES))] if rng.random() < 0.5 else []
        source += ["and"] if number else []
        target += ["y"] if number else []
        source += ["the", *adjectives, noun]
        target += ["el" if gender == "m" else "la", translation]
        target += [_ADJECTIVES[adjective][gender == "f"] for adjective in adjectives]
    return source, target


def _things(rng: Random, size: int) -> tuple[Words, Words]:
    """Things with or without a colour to JSON objects: no word opens the brackets of each."""
    source: Words = []
    target: Words = ["["]
    for number in range(size):
        thing = rng.choice(list(_DEVICES))
        colours = [rng.choice(_COLOURS)] if rng.random() < 0.5 else []
        source += ["and"] if number else []
        target += [","] if number else []
        source += [*colours, thing]
        target += ["{", "name", ":", thing]
        target += [token for colour in colours for token in (",", "colour", ":", colour)]
        target += ["}"]
    return source, [*target, "]"]


def _grid(rng: Random, size: int) -> tuple[Words, Words]:
    """Rows of cells to an HTML table: a single cell is a row, and a single row a table."""
    source: Words = []
    target: Words = ["<table>"]
    for number in range(size):
        cells = [rng.choice((*_FRUITS, *_PEOPLE)) for _ in range(rng.randint(1, 3))]
        source += [";"] if number else []
        source += [word for place, cell in enumerate(cells) for word in ([","] if place else []) + [cell]]
        target += ["<tr>", *[token for cell in cells for token in ("<td>", cell, "</td>")], "</tr>"]
    return source, [*target, "</table>"]


INVENTIONS = (
    Invention("json", "commands to JSON objects", _json, (2, 5), (15, 40)),
    Invention("latex", "formulas in words to LaTeX", _latex, (3, 7), (9, 40)),
    Invention("sql", "questions to SQL with conditions and an order", _sql, (3, 6), (15, 34)),
    Invention("html", "lists of lists to HTML", _html, (4, 7), (11, 40)),
    Invention("prolog", "facts to Prolog", _prolog, (2, 6), (9, 40)),
    Invention("regex", "descriptions to regular expressions", _regex, (3, 7), (9, 40)),
    Invention("times", "days and hours to a calendar rule", _times, (2, 6), (9, 40)),
    Invention("things", "things with colours to JSON objects", _things, (3, 6), (9, 40)),
    Invention("grid", "rows of cells to an HTML table", _grid, (3, 6), (9, 40)),
    Invention("agreement", "noun phrases to Spanish ones that agree", _agreement, (2, 6), (7, 30)),
)
