"""What several tests of one study look at."""

import pytest

from coalloc_lib.studies.cluster_configurations import scenarios
from tests.studies.cells import TINY
from tests.studies.made_up_sharing import small_works


@pytest.fixture(scope="session")
def found():
    """Return what a tiny run of all lines of the second study finds."""
    return scenarios.run_all(TINY, seed=1, workers=2)


@pytest.fixture(scope="session")
def works():
    """Return small workloads of the job-sharing study."""
    return small_works()
