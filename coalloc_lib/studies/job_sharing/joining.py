"""What sites gain by sharing their jobs: those of a size together, and all users."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.bootstrap import resample_sums
from coalloc_lib.estimates import Interval
from coalloc_lib.studies.job_sharing.comparisons import ComparisonFigure, Pair
from coalloc_lib.studies.job_sharing.parameters import (
    BY_SIZE,
    IN_TURN,
    SEED,
    WEEK,
)

#: What rows of all users are called.
ALL = "all users"
#: Of the axis, and inches of a row.
SPAN, ROW = (0.005, 2.0), 0.3
LOOK = {IN_TURN: plots.STANDARD, BY_SIZE: plots.Sign("#E69F00", "v")}


class JoiningFigure(ComparisonFigure):
    """Job sharing over local execution, for the sites of each size and for all users.

    The pairs are by workload, configuration and assignment of the jobs to sites.
    """

    def sizes(self, label: Pair) -> list[int]:
        """Return the sizes of a configuration's sites, the largest first."""
        return sorted(set(self.entries[label].system.sizes), reverse=True)

    def of_sites(self, label: Pair, size: int) -> Interval:
        """Return the ratio for the users of the sites of a size, by work."""
        self.result(label)
        shared, alone = self.pairs[label]
        mine = np.array(shared.system.sizes) == size
        top = np.stack([self.found[case].of_site[mine].sum(axis=0) for case in (shared, alone)])
        weights = shared.by_site(shared.work.jobs.work)[mine].sum(axis=0)
        both = resample_sums(
            top, np.broadcast_to(weights, top.shape), WEEK, resamples=self.size.resamples, seed=SEED
        )
        return both.interval(lambda means: float(means[0] / means[1]))

    def groups(self, label: Pair) -> dict[str, Interval]:
        """Return the ratio by work of all users, and of those of each size of sites."""
        sizes = self.entries[label].system.sizes
        found = {ALL: self.interval(label)}
        for size in self.sizes(label):
            found[f"{sizes.count(size)} of {size}"] = self.of_sites(label, size)
        return found

    def data(self) -> pd.DataFrame:
        """Return one row a pair and weight, and one a size of sites, by work."""
        rows = []
        for label in self.pairs:
            for sites, found in list(self.groups(label).items())[1:]:
                ends = {"ratio": found.estimate, "ci95_low": found.low, "ci95_high": found.high}
                rows.append(label._asdict() | {"weight": "work", "sites": sites} | ends)
        return pd.concat([super().data().assign(sites=ALL), pd.DataFrame(rows)], ignore_index=True)

    def plot(self) -> Picture:
        """Draw the ratios, a row a size of sites, a panel a workload."""
        panels: dict[str, dict] = {}
        for label in self.pairs:
            for sites, found in self.groups(label).items():
                row = panels.setdefault(label.panel, {}).setdefault(f"{label.row}: {sites}", {})
                row[label.series] = found
        return plots.ranges(
            panels, title=self.title, subtitle=self.subtitle, xlabel=self.xlabel, span=self.span,
            printed={}, look=LOOK, factors=True, row_height=ROW,
            beyond="arrow: on beyond the axis",
        )  # fmt: skip
