"""The reference files that the data tests compare with."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / ".." / "shared" / "data"


@pytest.fixture
def shared() -> Path:
    """Return the folder of reference data, or skip the test."""
    if not SHARED.is_dir():
        pytest.skip("the reference data in ../shared/data is not here")
    return SHARED
