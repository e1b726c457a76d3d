"""How long the jobs of each log are: Figure 4(b)."""

from typing import Any

import numpy as np

from coalloc_lib.estimates import Interval
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.online_batch.case_figures import TrendFigure
from coalloc_lib.studies.online_batch.parameters import HOUR

#: Lengths in hours at which a distribution is drawn.
AT = np.geomspace(1 / 60, 60, 80)


class LengthLines(TrendFigure):
    """Which share of the jobs is no longer than so long; nothing is simulated."""

    stairs = True

    def measure(self, entries: dict, scale: Any, seed: Seed, **how: Any) -> dict:
        """Read the lengths off the logs."""
        return {case: np.sort(case.log.jobs.runtime) / HOUR for case in entries.values()}

    def result(self, label: Any) -> Any:
        """Return the lengths of a log in hours, in rising order."""
        return np.sort(self.entries[label].log.jobs.runtime) / HOUR

    def share(self, label: Any, hours: float) -> float:
        """Return which share of the jobs is shorter than so many hours."""
        return float((self.result(label) < hours).mean())

    def points(self, labels: list[Any]) -> list[tuple[float, Interval]]:
        """Return the share of the jobs that are no longer than each of `AT`."""
        (label,) = labels
        hours = self.result(label)
        shares = np.searchsorted(hours, AT, side="right") / len(hours)
        return [
            (float(at), Interval.exact(float(share))) for at, share in zip(AT, shares, strict=True)
        ]
