"""`Transducer`: fit, predict, score, look inside, save and load, and scikit-learn's conventions."""

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from commands import python
from ness import Transducer
from ness.errors import ConfigError, DataError, LearningWarning, NessError, NotFitted

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


@pytest.mark.slow
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


@pytest.mark.slow
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
        (lambda: Transducer().fit([3], ["A"]), "neither a string nor a list"),
        (lambda: Transducer(settings={"search.node": 3}).fit(["a"], ["A"]), "did you mean 'search.nodes'"),
        (lambda: Transducer(settings={"search.max_reduce_length": -3}).fit(["a"], ["A"]), "max_reduce_length"),
        (lambda: Transducer(engine="magic").fit(["a"], ["A"]), "Unknown engine 'magic'"),
        (lambda: Transducer(rules_only=True, engine="controller").fit(["a"], ["A"]), "needs a network"),
        (lambda: Transducer(seed="abc").fit(["a"], ["A"]), "seed is a whole number, not 'abc'"),  # type: ignore[arg-type]
        (lambda: Transducer(time_limit=-1).fit(["a"], ["A"]), "time_limit is a number of seconds above 0, not -1"),
        (lambda: Transducer(strict="yes").fit(["a"], ["A"]), "strict is True or False"),  # type: ignore[arg-type]
        (
            lambda: Transducer(rules_only=True).fit(X, Y).set_params(engine="magic").predict(["a"]),
            "Unknown engine 'magic'",
        ),
        (lambda: fitted().score([], []), "nothing to score"),
    ],
)
def test_mistakes_are_explained(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(NessError, match=message):
        mistake()


def test_what_was_not_learned_is_warned_of_and_reported() -> None:
    odd = [*X, "walk", "run look"], [*Y, "RUN", "P Q R S T U V"]
    few = {"search.nodes": 100, "search.escalated_nodes": 100, "learner.attempts": 1}
    with pytest.warns(LearningWarning, match=r"10 of 12 examples, 1 by heart, .* 1 contradictory; report_ says"):
        model = Transducer(rules_only=True, settings=few).fit(*odd)
    assert "  run look -> P Q R S T U V\n" in model.report_
    assert "contradictory  1, left out" in model.report_
    assert fitted().report_.startswith("learned        10 of 10 examples, in ")


def test_an_unfitted_transducer_is_as_scikit_learn_expects() -> None:
    exceptions = pytest.importorskip("sklearn.exceptions")
    with pytest.raises(exceptions.NotFittedError, match="call fit"):
        Transducer().predict(["a"])
    with pytest.raises(NotFitted):
        _ = Transducer().report_


def test_scikit_learn_checks_the_estimator_as_far_as_text_goes() -> None:
    """Most checks give numbers; for estimators of text scikit-learn itself leaves those out."""
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it cannot test more
        checks.check_estimator(Transducer(rules_only=True))
    for name in (
        "check_estimator_cloneable",
        "check_no_attributes_set_in_init",
        "check_get_params_invariance",
        "check_set_params",
        "check_parameters_default_constructible",
        "check_estimator_repr",
        "check_valid_tag_types",
        "check_mixin_order",
    ):
        getattr(checks, name)("Transducer", Transducer(rules_only=True))


@pytest.mark.parametrize("verbs", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_two_fits_at_once_learn_what_each_learns_alone(verbs: int) -> None:
    """The larger ones in processes, which each has for itself."""
    words = [f"w{number}" for number in range(verbs)]
    tasks = []
    for joined in ("{0} {1}", "{1} {0}"):
        pairs = [(word, word.upper()) for word in words]
        pairs += [(f"{a} and {b}", joined.format(a, b).upper()) for a in words for b in words]
        tasks.append(pairs)

    def learned(pairs: list[tuple[str, str]]) -> str:
        settings = {"machine": "paper", "learner.workers": 2}  # which searches
        sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
        return str(Transducer(rules_only=True, settings=settings).fit(sources, targets).rules)

    alone = [learned(task) for task in tasks]
    assert alone[0] != alone[1]
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(learned, tasks)) == alone


@pytest.mark.slow
def test_predicting_leaves_the_threads_of_the_host_alone_and_uses_few() -> None:
    import torch

    settings = {"controller.hidden_size": 8, "controller.embedding_size": 8, "training.max_steps": 1}
    model = Transducer(settings=settings, engine="controller", device="cpu").fit(X, Y)
    before, used = torch.get_num_threads(), []
    engine: Any = model._engine()
    options = engine._policy.options

    def counted(statuses: Any) -> Any:
        used.append(torch.get_num_threads())
        return options(statuses)

    engine._policy.options = counted
    torch.set_num_threads(3)
    try:
        model.predict(["jump twice"])
        assert (set(used), torch.get_num_threads()) == ({1}, 3)
    finally:
        torch.set_num_threads(before)


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
