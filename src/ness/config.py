"""All settings: one frozen dataclass per stage, presets that hold only their differences.

    resolve("translation", ["search.max_reduce_length=4"])

Every key and value is checked; the resolved settings are saved as JSON beside a model.
"""

import dataclasses
import difflib
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from ness.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How a trace is found when only the output is known."""

    strategy: str = "best-first"  # or "sampled": the paper's own search
    max_reduce_length: int = 2  # target tokens of one REDUCE; longer ones are left to the degenerate trace


@dataclass(frozen=True, slots=True)
class LearnerConfig:
    """How traces of many examples are made coherent."""

    time_limit: float = 300.0  # seconds; the outer stop


@dataclass(frozen=True, slots=True)
class ControllerConfig:
    """The network."""

    embedding_size: int = 64
    hidden_size: int = 64


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """Gradient training of the controller."""

    learning_rate: float = 1e-3
    clip_norm: float = 5.0


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one run."""

    seed: int = 0
    search: SearchConfig = field(default_factory=SearchConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    controller: ControllerConfig = field(default_factory=ControllerConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)


def presets() -> list[str]:
    """Names of the presets that ship with the package."""
    files = resources.files("ness.presets").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def resolve(preset: str | None = None, overrides: Iterable[str] = (), seed: int | None = None) -> Config:
    """Build the settings from the defaults, a preset, and `key=value` overrides, in this order."""
    config = Config()
    if preset is not None:
        if preset not in presets():
            raise ConfigError(
                f"Unknown preset '{preset}'{_suggest(preset, presets())}; presets: {', '.join(presets())}"
            )
        text = resources.files("ness.presets").joinpath(f"{preset}.toml").read_text(encoding="utf-8")
        config = from_mapping(tomllib.loads(text), config, f"{preset}.toml")
    for override in overrides:
        key, separator, value = override.partition("=")
        if not separator:
            raise ConfigError(
                f"Cannot read the setting '{override}'; write key=value, as in search.max_reduce_length=3"
            )
        config = from_mapping(_nested(key.strip(), _parse(value.strip())), config, "--set")
    return config if seed is None else dataclasses.replace(config, seed=seed)


def to_mapping(config: Config) -> dict[str, Any]:
    """The settings as plain values, ready for JSON."""
    return dataclasses.asdict(config)


def from_mapping(values: Mapping[str, Any], base: Any = None, origin: str = "config.json") -> Any:
    """Return `base` (default settings if None) with the given values put in; every key is checked."""
    return _merge(Config() if base is None else base, values, "", origin)


def _merge(section: Any, values: Mapping[str, Any], prefix: str, origin: str) -> Any:
    hints = typing.get_type_hints(type(section))
    changes = {}
    for key, value in values.items():
        name = f"{prefix}{key}"
        if key not in hints:
            known = [f"{prefix}{hint}" for hint in hints]
            raise ConfigError(f"Unknown key '{name}' in {origin}{_suggest(name, known)}; keys here: {', '.join(hints)}")
        current = getattr(section, key)
        if dataclasses.is_dataclass(current):
            if not isinstance(value, Mapping):
                raise ConfigError(f"'{name}' in {origin} is a section; set one of its keys, as in {name}.KEY=VALUE")
            changes[key] = _merge(current, value, f"{name}.", origin)
        else:
            changes[key] = _checked(value, hints[key], name, origin)
    return dataclasses.replace(section, **changes)


def _checked(value: Any, expected: Any, name: str, origin: str) -> Any:
    """Return `value` if it has the expected type (an int is fine where a float is expected)."""
    options = typing.get_args(expected) if isinstance(expected, types.UnionType) else (expected,)
    if float in options and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not any(type(value) is option for option in options):
        wanted = " or ".join(getattr(option, "__name__", str(option)) for option in options)
        raise ConfigError(f"'{name}' in {origin} must be {wanted}, not {value!r}")
    return value


def _parse(text: str) -> Any:
    """Read a TOML value; a bare word is a string, `none` is None."""
    if text.lower() == "none":
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _nested(key: str, value: Any) -> dict[str, Any]:
    head, separator, rest = key.partition(".")
    return {head: _nested(rest, value) if separator else value}


def _suggest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
