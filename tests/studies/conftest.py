"""What several tests of the second study look at."""

import pytest

from coalloc_lib.studies.cluster_configurations import scenarios
from tests.studies.cells import TINY


@pytest.fixture(scope="session")
def found():
    """Return what a tiny run of all lines finds."""
    return scenarios.run_all(TINY, seed=1, workers=2)
