"""The nine examples of the README: a small command language."""

NINE = {
    "walk": "WALK",
    "run": "RUN",
    "jump": "JUMP",
    "walk twice": "WALK WALK",
    "run twice": "RUN RUN",
    "walk and run": "WALK RUN",
    "run and walk": "RUN WALK",
    "walk twice and run": "WALK WALK RUN",
    "run and walk twice": "RUN WALK WALK",
}

SEVEN = dict(list(NINE.items())[:7])  # without sentences of both constructs
