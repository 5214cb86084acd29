"""Settings from presets, files and the command line; presets hold only their differences from the defaults.

    resolve("translation", ["search.max_reduce_length=4"])

Every key and value is checked; the resolved settings are saved as JSON beside a model.
"""

import dataclasses
import difflib
import reprlib
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from ness.config import Config
from ness.errors import ConfigError


def presets() -> list[str]:
    """Names of the presets that ship with the package."""
    files = resources.files("ness.presets").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def resolve(
    preset: str | None = None, overrides: Iterable[str] = (), seed: int | None = None, file: Path | None = None
) -> Config:
    """Build the settings from the defaults, a preset, a TOML file, and `key=value` overrides, in this order."""
    config = Config()
    if preset is not None:
        if preset not in presets():
            raise ConfigError(
                f"Unknown preset '{preset}'{_suggest(preset, presets())}; presets: {', '.join(presets())}"
            )
        text = resources.files("ness.presets").joinpath(f"{preset}.toml").read_text(encoding="utf-8")
        config = from_mapping(tomllib.loads(text), config, f"{preset}.toml")
    if file is not None:
        try:
            config = from_mapping(tomllib.loads(file.read_text(encoding="utf-8")), config, file.name)
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"Cannot read the settings in {file}: {error}") from None
    for override in overrides:
        key, separator, value = override.partition("=")
        if not separator:
            raise ConfigError(
                f"Cannot read the setting '{override}'; write key=value, as in search.max_reduce_length=3"
            )
        config = from_mapping(_nested(key.strip(), parse_value(value.strip())), config, "--set")
    return config if seed is None else dataclasses.replace(config, seed=seed)


def to_mapping(config: Config) -> dict[str, Any]:
    """The settings as plain values, ready for JSON."""
    return dataclasses.asdict(config)


def from_mapping(values: Mapping[str, Any], base: Any = None, origin: str = "config.json") -> Any:
    """Return `base` (default settings if None) with the given values put in; every key is checked."""
    return _merge(Config() if base is None else base, values, "", origin)


# Names that settings had before, which stored models still have.
_EARLIER = {
    "learner.doubts": "extra_attempts",
    "learner.calm": "flawless_lessons",
    "learner.harsh": "explained_factor",
}


def _merge(section: Any, values: Mapping[str, Any], prefix: str, origin: str) -> Any:
    hints = typing.get_type_hints(type(section))
    changes = {}
    for given, value in values.items():
        key = _EARLIER.get(f"{prefix}{given}", given)
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
        raise ConfigError(f"'{name}' in {origin} must be {wanted}, not {reprlib.repr(value)}")
    return value


def parse_value(text: str) -> Any:
    """Read a TOML value; a bare word is a string, `none` is None."""
    if text.lower() == "none":
        return None
    try:
        values = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # more than TOML's own errors: numbers and nestings without end
        return text
    return values["value"] if len(values) == 1 else text


def _nested(key: str, value: Any) -> dict[str, Any]:
    head, separator, rest = key.partition(".")
    return {head: _nested(rest, value) if separator else value}


def _suggest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
