"""The tests with a real Ray, which are in on_ray.py."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'ness-machine[ray]'")
def test_everything_on_ray() -> None:
    tests = str(Path(__file__).with_name("on_ray.py"))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", tests]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_without_ray_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from ness.errors import MissingDependency
    from ness.execute.cluster import ray_cluster

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependency, match=r"pip install 'ness-machine\[ray\]'"), ray_cluster():
        pass
