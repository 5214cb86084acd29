"""Settings: presets, overrides, and what is said about wrong ones."""

import dataclasses
import json
import tomllib
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ness.config import Config
from ness.errors import ConfigError
from ness.settings import from_mapping, presets, resolve, to_mapping


def test_the_defaults() -> None:
    assert resolve() == Config()
    assert resolve(seed=7) == dataclasses.replace(Config(), seed=7)


@pytest.mark.parametrize("name", presets())
def test_every_preset_resolves_and_holds_only_differences(name: str) -> None:
    values = tomllib.loads(resources.files("ness.presets").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    assert resolve(name) != Config()
    for section, keys in values.items():
        default = getattr(Config(), section)
        for key, value in keys.items() if isinstance(keys, dict) else ():
            assert getattr(default, key) != value, f"{name}.toml repeats the default of {section}.{key}"


def test_overrides_come_after_the_preset_and_the_last_one_wins() -> None:
    assert resolve("translation").search.max_reduce_length == 5
    config = resolve("translation", ["search.max_reduce_length=3", "search.max_reduce_length = 4"], seed=1)
    assert (config.search.max_reduce_length, config.seed) == (4, 1)


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("search.max_reduce_length=4", 4),
        ("learner.time_limit=60", 60.0),
        ("learner.time_limit=1e3", 1000.0),
        ("search.strategy=sampled", "sampled"),
        ('search.strategy="sampled"', "sampled"),
    ],
)
def test_values_are_read_as_toml_or_bare_words(override: str, value: object) -> None:
    section, key = override.split("=")[0].split(".")
    found = getattr(getattr(resolve(None, [override]), section), key)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("search.max_reduce_lenght=2", "did you mean 'search.max_reduce_length'?"),
        ("serach.max_reduce_length=2", "did you mean 'search'?"),
        ("search.max_reduce_length", "write key=value"),
        ("search=2", "'search' in --set is a section"),
        ("search.max_reduce_length=two", "'search.max_reduce_length' in --set must be int, not 'two'"),
        ("search.max_reduce_length=2.5", "must be int, not 2.5"),
        ("search.max_reduce_length=true", "must be int, not True"),
        ("search.max_reduce_length=none", "must be int, not None"),
        ("learner.time_limit=soon", "must be float"),
        ("search.strategy=1", "must be str, not 1"),
        ("seed.value=1", "must be int"),
        ("search.max_reduce_length=-3", "'search.max_reduce_length' must not be negative, not -3"),
        ("=1", "Unknown key ''"),
    ],
)
def test_wrong_settings_are_named(override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(None, [override])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(ConfigError, match=r"Unknown preset 'translatoin'; did you mean 'translation'\?; presets: "):
        resolve("translatoin")
    with pytest.raises(ConfigError, match="Unknown preset '"):
        resolve("../secret")


def test_a_config_error_is_a_value_error() -> None:
    assert issubclass(ConfigError, ValueError)


@given(st.integers(0, 99), st.integers(1, 9), st.floats(1, 999), st.sampled_from([None, *presets()]))
def test_saved_settings_read_back(seed: int, length: int, limit: float, preset: str | None) -> None:
    config = resolve(preset, [f"search.max_reduce_length={length}", f"learner.time_limit={limit}"], seed)
    assert from_mapping(json.loads(json.dumps(to_mapping(config)))) == config


@pytest.mark.parametrize("override", ["search.max_reduce_length=" + "[" * 3000, "seed=" + "9" * 5000, "seed=1\nx=2"])
def test_hostile_values_are_config_errors(override: str) -> None:
    with pytest.raises(ConfigError):
        resolve(None, [override])


def test_settings_of_earlier_models_are_read_by_their_earlier_names() -> None:
    stored = {"learner": {"doubts": 3, "calm": 4, "harsh": 2.0}}
    learner = from_mapping(stored).learner
    assert (learner.extra_attempts, learner.flawless_lessons, learner.explained_factor) == (3, 4, 2.0)
