"""A task where nouns decide what articles and adjectives become: two genders, two numbers, 60 nouns."""

from random import Random

from ness.data.example import Example, example_of

_ENDINGS = {("m", "one"): "o", ("f", "one"): "a", ("m", "many"): "os", ("f", "many"): "as"}
_ARTICLES = {
    "the": {("m", "one"): "el", ("f", "one"): "la", ("m", "many"): "los", ("f", "many"): "las"},
    "some": {("m", "one"): "un", ("f", "one"): "una", ("m", "many"): "unos", ("f", "many"): "unas"},
}
_ADJECTIVES = {"red": "roj", "small": "pequeñ", "white": "blanc"}
_VERBS = {"sees": "ve", "follows": "sigue", "draws": "dibuja", "seeks": "busca"}
NOUNS = 60


def agreement(seed: int, size: int) -> tuple[list[Example], list[Example]]:
    """Draw training examples of one or two clauses, and test examples of the same kind that are not among them."""
    rng = Random(seed)
    kinds = list(_ENDINGS)
    nouns = [(f"noun{number}", f"nombre{number}", kinds[number % 4]) for number in range(NOUNS)]

    def phrase() -> tuple[str, str]:
        word, token, kind = rng.choice(nouns)
        article = rng.choice(list(_ARTICLES))
        made = [_ARTICLES[article][kind], token]
        if rng.random() < 0.5:
            return f"{article} {word}", " ".join(made)
        adjective = rng.choice(list(_ADJECTIVES))
        return f"{article} {adjective} {word}", " ".join([*made, _ADJECTIVES[adjective] + _ENDINGS[kind]])

    def clause() -> tuple[str, str]:
        (subject, agent), (verb, does), (thing, theme) = phrase(), rng.choice(list(_VERBS.items())), phrase()
        return f"{subject} {verb} {thing}", f"{agent} {does} {theme}"

    def sentence(clauses: int) -> Example:
        pairs = [clause() for _ in range(clauses)]
        return example_of(" and ".join(one for one, _ in pairs), " y ".join(other for _, other in pairs))

    train = [sentence(rng.choice((1, 1, 2))) for _ in range(size)]
    known = set(train)
    test = [sentence(rng.choice((1, 2))) for _ in range(500)]
    return train, [example for example in test if example not in known]
