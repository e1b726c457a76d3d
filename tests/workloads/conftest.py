import os
from pathlib import Path

import pytest


def _folder_of_real_logs():
    named = os.environ.get("COALLOC_TRACES")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "traces"
    return folder if folder.is_dir() else None


_REAL_LOGS = _folder_of_real_logs()


@pytest.fixture
def real_traces(monkeypatch):
    """The folder of the real logs, which COALLOC_TRACES then names; skip where there is none."""
    if _REAL_LOGS is None:
        pytest.skip("set COALLOC_TRACES to a folder with the real logs")
    monkeypatch.setenv("COALLOC_TRACES", str(_REAL_LOGS))
    return _REAL_LOGS
