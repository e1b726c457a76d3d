import os
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

DATA = ROOT / "data" / "traces"
sys.path.append(str(DATA))  # the scripts that make the stand-ins

_NAMED = os.environ.get("COALLOC_TRACES")


@pytest.fixture
def real_traces(monkeypatch):
    """The folder of the real logs, also after a test has pointed COALLOC_TRACES elsewhere."""
    if _NAMED is None:
        pytest.skip("set COALLOC_TRACES to the folder of the real logs")
    monkeypatch.setenv("COALLOC_TRACES", _NAMED)
    return Path(_NAMED)
