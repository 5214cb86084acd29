"""What must hold for single systems by their construction."""

import random

import pytest
import torch
from torch import Tensor

from ness.data.example import Example, example_of
from ness.data.scan import TURNS, commands, split
from ness.data.vocabulary import Vocabulary
from ness.errors import ConfigError, DataError
from ness.experiments.systems.coding import Coder, pad, shifted
from ness.experiments.systems.episodes import SHORT, episodes_for, mappings, words_alone
from ness.experiments.systems.equivariant import DIRECTIONS, VERBS, EquivariantNetwork
from ness.experiments.systems.geca import augmented
from ness.experiments.systems.groups import read_group
from ness.experiments.systems.interface import Training
from ness.experiments.systems.memory import pop_bottom, pop_top, read_bottom, read_top
from ness.experiments.systems.meta import MetaNetwork, MetaSeq2seq
from ness.experiments.systems.primitive_substitution import PrimitiveNetwork, PrimitiveSettings
from ness.experiments.systems.registry import make
from ness.experiments.systems.syntactic_attention import SyntacticNetwork, SyntacticSettings

WORDS = "after and around jump left look opposite right run thrice turn twice walk"
ACTIONS = "I_JUMP I_LOOK I_RUN I_TURN_LEFT I_TURN_RIGHT I_WALK"


@pytest.mark.parametrize("orbits", [VERBS, DIRECTIONS, f"{VERBS}; {DIRECTIONS}"])
def test_permuting_the_words_permutes_the_scores(orbits: str) -> None:
    torch.manual_seed(0)
    group = read_group(orbits)
    sources, targets = Coder(Vocabulary(WORDS.split())), Coder(Vocabulary(ACTIONS.split()))
    network = EquivariantNetwork(sources, targets, group, 8).double().eval()
    example = example_of("jump around left twice and walk right", "I_TURN_LEFT I_JUMP I_WALK I_TURN_RIGHT I_LOOK")
    scores = network(pad([sources.encode(example.source)]), shifted(pad([targets.encode(example.target)])))
    assert scores[0, :, 4:].std() > 0.01
    for element in group.elements:
        source = [group.moved(element, word) for word in example.source]
        target = [group.moved(element, action) for action in example.target]
        moved = network(pad([sources.encode(source)]), shifted(pad([targets.encode(target)])))
        places = [targets.encode([group.moved(element, action)])[0] for action in targets.vocabulary]
        assert torch.allclose(moved[0, :, places], scores[0, :, 4:], atol=1e-6)
        assert torch.allclose(moved[0, :, 2], scores[0, :, 2], atol=1e-6), "the end is no action"


def test_an_orbit_that_is_none_is_told() -> None:
    with pytest.raises(ConfigError, match="is no orbit"):
        read_group("jump run / I_JUMP")
    with pytest.raises(DataError, match="must be told which words permute"):
        make("equivariant").fit(Training([example_of("a", "b")]))


def test_the_stack_of_the_paper_by_hand() -> None:
    values = torch.eye(3).unsqueeze(0)  # v1, v2, v3
    strengths = torch.zeros(1, 0)
    for push, pop in [(0.8, 0.0), (0.5, 0.1), (0.9, 0.9)]:
        strengths = torch.cat([pop_top(strengths, torch.tensor([[pop]])), torch.tensor([[push]])], dim=1)
    assert torch.allclose(read_top(strengths, values), torch.tensor([[0.1, 0.0, 0.9]]), atol=1e-6)


def test_whole_pushes_and_pops_make_an_ordinary_stack_and_queue() -> None:
    rng = random.Random(0)
    stack: list[int] = []
    queue: list[int] = []
    top, bottom = torch.zeros(1, 0), torch.zeros(1, 0)
    values = torch.eye(40).unsqueeze(0)
    for number in range(40):
        pop, push = rng.choice([0.0, 1.0]), rng.choice([0.0, 1.0])
        if pop and stack:
            stack.pop()
        if pop and queue:
            queue.pop(0)
        if push:
            stack.append(number)
            queue.append(number)
        amount = torch.tensor([[pop]])
        top = torch.cat([pop_top(top, amount), torch.tensor([[push]])], dim=1)
        bottom = torch.cat([pop_bottom(bottom, amount), torch.tensor([[push]])], dim=1)
        seen = values[:, : number + 1]
        expected = values[0, stack[-1]] if stack else torch.zeros(40)
        assert torch.allclose(read_top(top, seen)[0], expected)
        expected = values[0, queue[0]] if queue else torch.zeros(40)
        assert torch.allclose(read_bottom(bottom, seen)[0], expected)


def test_primitive_substitution_and_syntactic_attention_never_look_at_actions() -> None:
    networks = [
        PrimitiveNetwork(9, 9, 6, PrimitiveSettings()).eval(),
        SyntacticNetwork(9, 9, SyntacticSettings()).eval(),
    ]
    source = pad([[4, 5, 6, 2]])
    for network in networks:
        assert torch.equal(network(source, pad([[1, 5, 6]])), network(source, pad([[1, 7, 4]])))


def test_the_syntactic_context_of_a_place_does_not_see_its_own_word() -> None:
    torch.manual_seed(0)
    network = SyntacticNetwork(9, 9, SyntacticSettings()).eval()
    one, other = pad([[1, 4, 5, 6, 2]]), pad([[1, 4, 7, 6, 2]])
    first, second = (network.context(source, source == 0) for source in (one, other))
    assert torch.equal(first[:, 2], second[:, 2])
    assert not torch.equal(first[:, 1], second[:, 1])
    assert torch.equal(first[:, 0], second[:, 0]), "the ends are learned vectors"


def test_meta_training_never_has_the_true_meanings() -> None:
    jump = mappings("scan/jump")
    assert len(jump) == 23
    assert all(any(action != moved for action, moved in actions.items()) for _, actions in jump)
    around = mappings("scan/around_right")
    assert len(around) == 18 * 12
    for words, actions in around:
        meaning = {words[word]: actions[action] for word, action in TURNS.items()}
        assert meaning.get("right") != "I_TURN_RIGHT"
    with pytest.raises(DataError, match="needs episodes made for its task"):
        mappings("scan/length")


def test_meta_asks_long_training_commands_with_the_support_of_short_ones() -> None:
    examples = [Example(("walk",) * n, ("I_WALK",) * n) for n in (1, 2, SHORT - 1, SHORT, SHORT + 1)]
    made = episodes_for("scan/length", examples, random.Random(0))
    numbers, supported = made.draw(20, 7, random.Random(0))
    assert (len(numbers), supported) == (107, 100)
    lengths = [len(made.pool[number].target) for number in numbers]
    assert max(lengths[:supported]) < SHORT <= min(lengths[supported:])
    assert {made.pool[number] for number in numbers} | set(made.test_support) <= set(examples)
    for words, actions in made.mappings[:50]:
        assert len(set(words.values())) == 4
        verb = words["walk"]
        assert actions["I_WALK"] == f"I_{verb.upper()}"


def test_meta_shows_the_true_meanings_in_the_test_only() -> None:
    system = make("meta", "scan/jump", ["steps=2", "hidden_size=8", "evaluate_every=1", "checked=1"])
    assert isinstance(system, MetaSeq2seq)
    seen: list[list[str]] = []
    episode = system._episode

    def watched(network: MetaNetwork, source: Tensor, target: Tensor, rng: random.Random) -> tuple[Tensor, Tensor]:
        found = episode(network, source, target, rng)
        seen.append([system._targets.decode(row)[0] for row in found[1][:4].tolist()])
        return found

    system._episode = watched  # type: ignore[method-assign]
    system.fit(Training(split("jump")[0], "scan/jump"))
    truth = [example.target[0] for example in words_alone("scan/jump")]
    assert len(seen) >= 3
    assert truth not in seen
    network = system._network
    assert isinstance(network, MetaNetwork)
    assert [system._targets.decode(row)[0] for row in network.support[1].tolist()] == truth


def test_geca_recombines_fragments() -> None:
    examples = [
        example_of("pick the wug up", "PICK WUG"),
        example_of("put the wug down", "PUT WUG"),
        example_of("pick the dax up", "PICK DAX"),
    ]
    made = augmented(examples, random.Random(0))
    assert example_of("put the dax down", "PUT DAX") in made
    assert not set(made) & set(examples)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jump", "around_right"])
def test_geca_makes_as_many_examples_of_scan_as_the_authors_and_right_ones(name: str) -> None:
    train, _ = split(name)
    made = augmented(list(dict.fromkeys(train)), random.Random(0))
    assert 300 <= len(made) <= 420
    assert set(made) <= set(commands()) - set(train)
