"""Small tasks of semantic parsing as people bring them: sentences to commands, queries and logical forms."""

from random import Random

from ness.data.invented.invention import Invention, Words

_COLORS = ("red", "blue", "green", "yellow")
_SHAPES = ("block", "box", "ball", "cone", "ring")
_MOTIONS = {"moves": "move", "slides": "slide", "rolls": "roll"}
_STATES = {"falls": "fall", "breaks": "break"}
_DIRECTIONS = ("left", "right", "up", "down")

_COUNTRIES = ("france", "spain", "italy", "norway", "peru")
_KINDS = {"rivers": "river", "cities": "city", "lakes": "lake", "mountains": "mountain"}
_FEATURES = {"capital": "capital", "population": "population", "area": "size", "neighbour": "next_to"}
_SUPERLATIVES = {"largest": "max", "smallest": "min"}

_DEVICES = {"lamp": "light", "radio": "audio", "heating": "climate", "fan": "air", "blind": "shade"}
_ROOMS = ("kitchen", "bedroom", "hall", "office", "bathroom")
_LEVELS = {"ten": "10", "twenty": "20", "thirty": "30", "forty": "40"}
_SENSORS = {"door": "open", "window": "open", "alarm": "active"}

_PEOPLE = ("ann", "bob", "carl", "dora", "emil")
_EVENTS = ("meeting", "lunch", "call", "review")
_DAYS = {"monday": "MO", "tuesday": "TU", "wednesday": "WE", "friday": "FR"}
_HOURS = {"eight": "08:00", "nine": "09:00", "ten": "10:00", "noon": "12:00"}

_ACTIONS = {
    "saw": ("seen", "see"),
    "helped": ("helped_", "help"),
    "called": ("phoned", "call"),
    "met": ("met_", "meet"),
}
_LIKINGS = {"pleased": "like", "scared": "fear"}
_SPEECH = {"told": "tell", "reminded": "remind"}

_DISHES = {"pizza": "pizza", "burger": "burger", "salad": "salad", "soup": "soup"}
_TOPPINGS = ("cheese", "ham", "olives", "onions", "corn")
_NUMBERS = {"one": "1", "two": "2", "three": "3"}


def _thing(rng: Random, depth: int) -> tuple[Words, Words]:
    shape = rng.choice(_SHAPES)
    color = rng.choice(_COLORS) if rng.random() < 0.5 else ""
    source = ["the", *([color] if color else []), shape]
    slots: list[Words] = [["color", "=", color]] if color else []
    if depth > 1:
        preposition = rng.choice(("on", "beside"))
        inner_source, inner_target = _thing(rng, depth - 1)
        source += [preposition, *inner_source]
        slots.append([preposition, "=", *inner_target])
    return source, _call(shape, slots)


def _call(name: str, slots: list[Words]) -> Words:
    """Write a term with slots; without any, it is its name."""
    if not slots:
        return [name]
    inside = [token for slot in slots for token in (",", *slot)][1:]
    return [name, "(", *inside, ")"]


def _blocks(rng: Random, size: int) -> tuple[Words, Words]:
    """The verb decides which role its subject has; things lie on and beside others."""
    source, thing = _thing(rng, size)
    if rng.random() < 0.4:
        verb = rng.choice(list(_STATES))
        return [*source, verb], [_STATES[verb], "(", "theme", "=", *thing, ")"]
    verb, direction = rng.choice(list(_MOTIONS)), rng.choice(_DIRECTIONS)
    made = [_MOTIONS[verb], "(", "agent", "=", *thing, ",", "dir", "=", direction, ")"]
    return [*source, verb, direction], made


def _geography(rng: Random, size: int) -> tuple[Words, Words]:
    """Questions about geography: functions of functions, counts and superlatives."""
    if size <= 1:
        country = rng.choice(_COUNTRIES)
        place = [country], [country]
    else:
        source, target = _geography_place(rng, size - 1)
        place = source, target
    source, target = place
    match rng.randrange(3):
        case 0:
            kind = rng.choice(list(_KINDS))
            return ["how", "many", kind, "are", "in", *source], ["count", "(", _KINDS[kind], "in", *target, ")"]
        case 1:
            kind, best = rng.choice(list(_KINDS)), rng.choice(list(_SUPERLATIVES))
            asked = [_SUPERLATIVES[best], "(", _KINDS[kind], "in", *target, ")"]
            return ["which", "of", "the", kind, "in", *source, "is", "the", best], asked
        case _:
            feature = rng.choice(list(_FEATURES))
            return ["what", "is", "the", feature, "of", *source], ["find", _FEATURES[feature], "(", *target, ")"]


def _geography_place(rng: Random, depth: int) -> tuple[Words, Words]:
    if depth == 0:
        country = rng.choice(_COUNTRIES)
        return [country], [country]
    source, target = _geography_place(rng, depth - 1)
    feature = rng.choice(("capital", "neighbour"))
    return ["the", feature, "of", *source], [_FEATURES[feature], "(", *target, ")"]


def _home(rng: Random, size: int) -> tuple[Words, Words]:
    """Commands to devices with slots, one after another, under conditions."""
    source: Words = []
    target: Words = []
    for number in range(size):
        device = rng.choice(list(_DEVICES))
        room = rng.choice(_ROOMS) if rng.random() < 0.6 else ""
        where = ["in", "the", room] if room else []
        slots: list[Words] = [["device", "=", _DEVICES[device]], *([["room", "=", room]] if room else [])]
        if rng.random() < 0.5:
            state = rng.choice(("on", "off"))
            command, made = ["turn", state, "the", device, *where], _call(f"turn_{state}", slots)
        else:
            level = rng.choice(list(_LEVELS))
            command = ["set", "the", device, *where, "to", level]
            made = _call("set", [*slots, ["value", "=", _LEVELS[level]]])
        if rng.random() < 0.3:
            sensor = rng.choice(list(_SENSORS))
            command += ["if", "the", sensor, "is", _SENSORS[sensor]]
            made = ["when", "(", f"{sensor}_{_SENSORS[sensor]}", ",", *made, ")"]
        source += [*(["then"] if number else []), *command]
        target += [*([";"] if number else []), *made]
    return source, target


def _calendar(rng: Random, size: int) -> tuple[Words, Words]:
    """Appointments with people, days and times, made, cancelled and moved."""
    source, slots = _appointment(rng, size)
    made = _call("event", slots)
    match rng.randrange(3):
        case 0:
            return ["book", "a", *source], ["create", *made]
        case 1:
            return ["cancel", "the", *source], ["delete", *made]
        case _:
            day, hour = rng.choice(list(_DAYS)), rng.choice(list(_HOURS))
            moved = ["update", *made, "set", "day", "=", _DAYS[day], ",", "time", "=", _HOURS[hour]]
            return ["move", "the", *source, "to", day, "at", hour], moved


def _appointment(rng: Random, size: int) -> tuple[Words, list[Words]]:
    event = rng.choice(_EVENTS)
    source, slots = [event], [["kind", "=", event]]
    people = [rng.choice(_PEOPLE) for _ in range(size - 1)]
    if people:
        listed = [word for person in people for word in ("and", person)][1:]
        names = [token for person in people for token in (",", person)][1:]
        source += ["with", *listed]
        slots.append(["who", "=", "[", *names, "]"])
    if rng.random() < 0.5:
        day = rng.choice(list(_DAYS))
        source += ["on", day]
        slots.append(["day", "=", _DAYS[day]])
    if rng.random() < 0.5:
        hour = rng.choice(list(_HOURS))
        source += ["at", hour]
        slots.append(["time", "=", _HOURS[hour]])
    return source, slots


def _reports(rng: Random, size: int) -> tuple[Words, Words]:
    """Who did what to whom, in the passive too, and verbs that swap their roles, told and told on."""
    first, second = rng.choice(_PEOPLE), rng.choice(_PEOPLE)
    if size > 1:
        verb = rng.choice(list(_SPEECH))
        source, target = _reports(rng, size - 1)
        return [first, verb, second, "that", *source], [_SPEECH[verb], "(", first, ",", second, ",", *target, ")"]
    match rng.randrange(3):
        case 0:
            verb = rng.choice(list(_ACTIONS))
            return [first, verb, second], [_ACTIONS[verb][1], "(", first, ",", second, ")"]
        case 1:
            participle, meaning = rng.choice(list(_ACTIONS.values()))
            return [second, "was", participle, "by", first], [meaning, "(", first, ",", second, ")"]
        case _:
            verb = rng.choice(list(_LIKINGS))
            return [second, verb, first], [_LIKINGS[verb], "(", first, ",", second, ")"]


def _orders(rng: Random, size: int) -> tuple[Words, Words]:
    """Orders of dishes with numbers, toppings that are wanted and others that are not."""
    source: Words = []
    target: Words = []
    for number in range(size):
        dish, count = rng.choice(list(_DISHES)), rng.choice(list(_NUMBERS))
        source += [*(["plus"] if number else []), count, dish]
        slots: list[Words] = [["number", "=", _NUMBERS[count]]]
        for word, slot in (("with", "add"), ("without", "drop")):
            toppings = [rng.choice(_TOPPINGS) for _ in range(rng.choice((0, 1, 1, 2)))]
            if toppings:
                source += [word, *[item for topping in toppings for item in ("and", topping)][1:]]
                slots.append([slot, "=", "[", *[token for topping in toppings for token in (",", topping)][1:], "]"])
        target += [*(["+"] if number else []), *_call(_DISHES[dish], slots)]
    return source, target


INVENTIONS = (
    Invention("blocks", "the verb decides the role of its subject", _blocks, (2, 6), (8, 30), train=150),
    Invention("geography", "questions to a database", _geography, (2, 6), (11, 30), train=120),
    Invention("home", "commands with slots and conditions", _home, (2, 5), (14, 50), train=150),
    Invention("calendar", "appointments with slots", _calendar, (3, 6), (13, 30), train=150),
    Invention("reports", "roles by verb and voice, told on", _reports, (2, 6), (9, 30), train=150),
    Invention("orders", "dishes with lists of toppings", _orders, (2, 5), (11, 50), train=150),
)
