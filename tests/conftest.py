"""Settings and reference data of all tests."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SHARED = Path(__file__).parents[1] / ".." / "shared" / "data"

# A shell starts background jobs with Ctrl-C ignored, and their processes inherit that; the tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Side by side, each test process has one core; torch would start threads for all of them in each.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Nothing depends on the clock: a busy machine must not fail a test.
settings.register_profile("ness", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ness")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files with slow tests first: on several processes, whoever gets the last one works while others wait."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture
def shared() -> Path:
    """Return the folder of reference data, or skip the test."""
    if not SHARED.is_dir():
        pytest.skip("the reference data in ../shared/data is not here")
    return SHARED
