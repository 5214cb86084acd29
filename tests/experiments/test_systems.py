"""What every system has: settings, a line in the registry, answers of the right form."""

from dataclasses import dataclass

import pytest

from ness.errors import ConfigError
from ness.experiments.systems.interface import Settings
from ness.experiments.systems.registry import entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample(Settings):
    rate: float = 0.1
    attention: bool = True


def test_settings_are_changed_by_name_and_keep_their_types() -> None:
    changed = Sample().changed(["steps=7", "rate=1", "attention=false"])
    assert changed == Sample(steps=7, rate=1.0, attention=False)
    assert isinstance(changed.rate, float)


@pytest.mark.parametrize("change", ["stepz=7", "steps", "steps=many", "attention=1", "steps=0", "rate=-1"])
def test_a_setting_that_cannot_be_is_told(change: str) -> None:
    with pytest.raises(ConfigError, match=r"steps|attention|rate"):
        Sample().changed([change])


def test_an_unknown_system_is_told() -> None:
    with pytest.raises(ConfigError, match="there is no system 'nonsense'"):
        entry("nonsense")
