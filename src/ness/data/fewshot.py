"""Few-shot learning of compositional instructions: 14 training and 10 test examples (Lake, Linzen & Baroni 2019)."""

from ness.data.example import Example, example_of

_TRAIN = """
dax -> RED
lug -> BLUE
wif -> GREEN
zup -> YELLOW
lug fep -> BLUE BLUE BLUE
dax fep -> RED RED RED
lug blicket wif -> BLUE GREEN BLUE
wif blicket dax -> GREEN RED GREEN
lug kiki wif -> GREEN BLUE
dax kiki lug -> BLUE RED
lug fep kiki wif -> GREEN BLUE BLUE BLUE
wif kiki dax blicket lug -> RED BLUE RED GREEN
lug kiki wif fep -> GREEN GREEN GREEN BLUE
wif blicket dax kiki lug -> BLUE GREEN RED GREEN
"""

_TEST = """
zup fep -> YELLOW YELLOW YELLOW
zup blicket lug -> YELLOW BLUE YELLOW
dax blicket zup -> RED YELLOW RED
zup kiki dax -> RED YELLOW
wif kiki zup -> YELLOW GREEN
zup fep kiki lug -> BLUE YELLOW YELLOW YELLOW
wif kiki zup fep -> YELLOW YELLOW YELLOW GREEN
lug kiki wif blicket zup -> GREEN YELLOW GREEN BLUE
zup blicket wif kiki dax fep -> RED RED RED YELLOW GREEN YELLOW
zup blicket zup kiki zup fep -> YELLOW YELLOW YELLOW YELLOW YELLOW YELLOW
"""


def _examples(lines: str) -> list[Example]:
    return [example_of(*line.split(" -> ")) for line in lines.strip().splitlines()]


def fewshot() -> tuple[list[Example], list[Example]]:
    """Return the 14 training and the 10 test examples."""
    return _examples(_TRAIN), _examples(_TEST)
