"""`Transducer`: fit, predict, score, look inside, save and load, and scikit-learn's conventions."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from commands import python
from ness import Transducer
from ness.errors import ConfigError, DataError, NessError

VERBS = {"walk": "WALK", "run": "RUN", "look": "LOOK", "jump": "JUMP"}
X = [*VERBS, *(f"{verb} {often}" for verb in ("walk", "run", "look") for often in ("twice", "thrice"))]
Y = [*VERBS.values(), *(" ".join([token] * times) for token in ("WALK", "RUN", "LOOK") for times in (2, 3))]


@cache
def fitted() -> Transducer:
    return Transducer(rules_only=True).fit(X, Y)


def test_a_new_combination_is_translated_exactly() -> None:
    assert fitted().predict(["jump twice", "jump thrice"]) == ["JUMP JUMP", "JUMP JUMP JUMP"]
    assert fitted().score(["jump twice", "jump thrice"], ["JUMP JUMP", "JUMP"]) == 0.5


def test_the_answer_has_the_form_of_the_source() -> None:
    assert fitted().predict([["jump", "twice"], "jump", ("walk",)]) == [["JUMP", "JUMP"], "JUMP", ["WALK"]]


def test_what_was_not_learned_has_no_answer_but_a_reason() -> None:
    assert fitted().predict(["fly", "twice jump"]) == [None, None]
    unknown, wrong_order = fitted().answers(["fly", "twice jump"])
    assert "unknown word 'fly'" in (unknown.error or "")
    assert (wrong_order.error or "").startswith("step ")


def test_strict_refuses_what_nothing_supports() -> None:
    (answer,) = fitted().answers(["walk twice twice"])
    assert (answer.output, answer.support) == (("WALK",) * 4, 0)
    strict = Transducer(rules_only=True, strict=True).fit(X, Y)
    assert strict.predict(["walk twice", "walk twice twice"]) == ["WALK WALK", None]
    (refused,) = strict.answers(["walk twice twice"])
    assert (refused.error or "").startswith(
        "step 4, before the word 'twice', with a translated part and 'twice' on top"
    )


def test_several_answers_come_with_probabilities() -> None:
    ((best, probability), *_) = fitted().n_best(["jump twice"], n=3)[0]
    assert best == "JUMP JUMP"
    assert 0 < probability <= 1
    assert fitted().n_best(["fly"]) == [[]]


def test_traces_and_rules_are_shown() -> None:
    trace = fitted().trace("jump twice")
    assert trace.output == ["JUMP", "JUMP"]
    assert "REDUCE JUMP" in str(trace)
    assert "REDUCE JUMP" in trace._repr_html_()
    assert trace.html().startswith("<!doctype html>")
    assert "[jump] => [JUMP]" in str(fitted().rules)
    assert "<details" in fitted().rules._repr_html_()
    assert "error: unknown word" in str(fitted().trace("fly"))


def test_save_and_load(tmp_path: Path) -> None:
    fitted().save(tmp_path / "one")
    loaded = Transducer.load(tmp_path / "one")
    assert loaded.predict(["jump twice"]) == ["JUMP JUMP"]
    assert loaded.get_params()["rules_only"]
    loaded.save(tmp_path / "two")
    assert (tmp_path / "two" / "rules.json").read_bytes() == (tmp_path / "one" / "rules.json").read_bytes()


def test_a_network_is_trained_saved_and_loaded(tmp_path: Path) -> None:
    settings = {"controller.hidden_size": 24, "controller.embedding_size": 24, "training.learning_rate": 5e-3}
    model = Transducer(settings=settings, device="cpu").fit(X, Y)
    assert model.score(X, Y) == 1.0
    assert model.model_.has_controller
    model.save(tmp_path / "run")
    assert Transducer.load(tmp_path / "run", device="cpu").predict(["jump twice"]) == model.predict(["jump twice"])


def test_parameters() -> None:
    model = Transducer(rules_only=True, seed=3)
    assert model.set_params(seed=4).get_params()["seed"] == 4
    assert repr(model) == "Transducer(rules_only=True, seed=4)"
    with pytest.raises(ConfigError, match="Unknown parameter 'speed'"):
        model.set_params(speed=1)


def test_scikit_learn_can_clone_and_cross_validate() -> None:
    base = pytest.importorskip("sklearn.base")
    selection = pytest.importorskip("sklearn.model_selection")
    copy = base.clone(Transducer(rules_only=True, seed=5, settings={"search.nodes": 2000}))
    assert copy.get_params()["seed"] == 5
    assert not hasattr(base.clone(fitted()), "model_")
    scores = selection.cross_val_score(Transducer(rules_only=True), X * 3, Y * 3, cv=3)
    assert list(scores) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: Transducer().predict(["a"]), "call fit"),
        (lambda: Transducer().fit(["a"], []), "1 sources, but 0 targets"),
        (lambda: Transducer().fit([], []), "no examples"),
        (lambda: Transducer().fit("a b", "A B"), "a list of sources"),
        (lambda: Transducer().fit([" "], ["A"]), "a source is empty"),
        (lambda: Transducer().fit([["a", ""]], ["A"]), "empty or holds white space"),
        (lambda: Transducer().fit([3], ["A"]), "neither a string nor a list"),  # type: ignore[list-item]
        (lambda: Transducer(settings={"search.node": 3}).fit(["a"], ["A"]), "did you mean 'search.nodes'"),
        (lambda: Transducer(rules_only=True, engine="magic").fit(["a"], ["A"]).predict(["a"]), "Unknown engine"),
        (lambda: Transducer(rules_only=True, engine="controller").fit(["a"], ["A"]).predict(["a"]), "rules only"),
    ],
)
def test_mistakes_are_explained(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(NessError, match=message):
        mistake()


def test_errors_of_data_are_data_errors() -> None:
    with pytest.raises(DataError):
        Transducer().fit(["a"], [])


def test_torch_is_not_imported_for_rules(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    code = f"""
import sys
from ness import Transducer
model = Transducer(rules_only=True).fit(["a", "b"], ["A", "B"])
model.save({folder!r})
assert Transducer.load({folder!r}).predict(["a"]) == ["A"]
print("torch" in sys.modules, "sklearn" in sys.modules)
"""
    done = python(code)
    assert (done.stdout, done.stderr) == ("False False\n", "")
