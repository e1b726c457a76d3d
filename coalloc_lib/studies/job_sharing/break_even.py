"""The overhead up to which spanning sites pays: by configuration, workload and policy."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.inference import Crossing
from coalloc_lib.studies.job_sharing.awrt_lines import bears_more, break_even
from coalloc_lib.studies.job_sharing.case_figure import CaseFigure
from coalloc_lib.studies.job_sharing.overheads import reach
from coalloc_lib.studies.job_sharing.parameters import (
    PRINTED_OVERHEAD,
    SCALES,
    SEED,
    SHARING,
    STANDARD,
    SYNTHETIC,
)
from coalloc_lib.studies.job_sharing.runs import Case, Work, titled

#: Overheads that the axis shows.
SPAN = (0.0, 0.4)
#: The policies, one colour each; FCFS is the papers' standard.
LOOK = {
    "EASY": plots.MEANINGS["EASY"],
    "conservative": plots.MEANINGS["Conservative"],
    "FPFS(50)": plots.MEANINGS["FPFS"],
    "FCFS": plots.MEANINGS["FCFS"],
}


def _sharing(case: Case) -> Case:
    """Return job sharing under the same policy, told the same."""
    return replace(case, mode=SHARING, overhead=0.0)


class BreakEvenFigure(CaseFigure):
    """Up to which overhead multi-site execution beats job sharing.

    Entries are by (workload, configuration, series); a series is a policy, or what the policy is
    told.

    Parameters
    ----------
    works : dict of Work
    name : str
    entries : dict of dict
        For each label, multi-site execution by overhead.
    subtitle : str
    """

    def __init__(
        self, works: Mapping[str, Work], name: str, entries: Mapping[tuple, Mapping[float, Case]],
        subtitle: str, **said: Any,
    ) -> None:  # fmt: skip
        self.spanning = dict(entries)
        first = {label: next(iter(cases.values())) for label, cases in entries.items()}
        self.bases = {label: _sharing(case) for label, case in first.items()}
        self.needed = {
            label: (*cases.values(), self.bases[label]) for label, cases in entries.items()
        }
        super().__init__(name, f"{subtitle}; {titled(works.values())}", first, SCALES, SEED, **said)

    def break_even(self, label: tuple, weight: str = "work") -> Crossing:
        """Return the overhead from which on multi-site execution loses to job sharing."""
        self.result(label)
        cases, base = self.spanning[label], self.bases[label]
        return break_even(cases, base, self.found, weight, self.size.resamples)

    def bears_more(self, one: tuple, other: tuple) -> bool | None:
        """Return whether a label breaks even at a larger overhead than another; None: undecided."""
        for label in (one, other):
            self.result(label)
        first, second = ((self.spanning[label], self.bases[label]) for label in (one, other))
        return bears_more(first, second, self.found, "work", self.size.resamples)

    def data(self) -> pd.DataFrame:
        """Return one row a label: the break-even overhead, its interval, and if there is one."""
        rows = []
        for label in self.entries:
            found = self.break_even(label)
            ends = found.interval
            case, (work, configuration, _) = self.entries[label], label
            named = {"configuration": configuration, "workload": work, "scheduling": case.policy}
            known = {"p": ends.estimate, "ci95_low": ends.low, "ci95_high": ends.high}
            other, by = self.break_even(label, "processors").interval, "p_by_processors"
            more = {by: other.estimate, f"{by}_low": other.low, f"{by}_high": other.high}
            more |= {"estimates": case.estimates}
            rows.append(named | known | {"answer": found.answer} | more)
        return pd.DataFrame(rows)

    def spanned(self) -> str:
        """Return from where to where the break-even overheads reach."""
        found = [self.break_even(label).interval.estimate for label in self.entries]
        return f"Spanning sites pays up to {reach(found)} overhead"

    def plot(self) -> Picture:
        """Draw the break-even overheads, a panel a workload, a row a configuration."""
        panels: dict[str, dict] = {}
        printed: dict[str, dict] = {}
        for label, case in self.entries.items():
            work, configuration, series = label
            found = self.break_even(label).interval
            panels.setdefault(work, {}).setdefault(configuration, {})[series] = found
            papers = (SYNTHETIC, STANDARD, "EASY", "requested")
            if (work, configuration, case.policy, case.estimates) == papers:
                printed[work] = {configuration: {series: PRINTED_OVERHEAD}}
        return plots.ranges(
            panels,
            title=self.title,
            subtitle=self.subtitle,
            xlabel="overhead p at break-even",
            span=SPAN,
            printed=printed,
            look=self.looks([series for *_, series in self.entries]),
            beyond="arrow: on beyond the axis; no mark: break-even is beyond it",
        )
