"""What several tests of widgets share."""

import pytest

from coalloc_lib import plots
from coalloc_lib.widgets import losses
from tests.own_system.conftest import files, logs, report

__all__ = ["files", "logs", "report"]


@pytest.fixture
def quick(monkeypatch):
    """Give formulas more time, because the machine may be busy, and simulate few jobs."""
    monkeypatch.setattr(losses, "BUDGET", 3.0)
    monkeypatch.setattr(losses, "SIMULATED_JOBS", losses.COARSE_JOBS)
    losses._max_utilization_of.cache_clear()


@pytest.fixture
def without_images(monkeypatch):
    """Draw each figure, but do not turn it into an image, for tests of words and controls."""
    monkeypatch.setattr("coalloc_lib.plots.picture._image", lambda figure: ("svg+xml", b"<svg/>"))


@pytest.fixture
def tables(monkeypatch):
    """The tables from which bars and intervals are drawn."""
    kept = []

    def keeping(draw):
        return lambda table, **how: kept.append(table) or draw(table, **how)

    for name in ("bars", "intervals"):
        monkeypatch.setattr(plots, name, keeping(getattr(plots, name)))
    return kept
