"""The jobs in the lines of an export of ``sacct``.

The functions of this module choose the lines of jobs that have ended, order the runs of a requeued
job, and join the components of a heterogeneous job.
"""

from collections import Counter
from datetime import tzinfo
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from own_system.sacct.columns import NAMES, SIZES, Export
from own_system.sacct.elapsed import IN_HOURS, LONGER, contradictions_of
from own_system.sacct.receipt import (
    COMPONENTS,
    END_BEFORE_START,
    HOUR_SKIPPED,
    HOUR_TWICE,
    NEVER_STARTED,
    NO_END,
    NO_LIMIT,
    NO_PROCESSORS,
    OTHER_CLUSTER,
    REPEATED,
    REQUEUED,
    RESIZED,
    REVOKED,
    START_BEFORE_SUBMISSION,
    STILL_OPEN,
    TOO_SHORT,
    UNCLEAR_TIMES,
    UNKNOWN_STATE,
    Receipt,
)
from own_system.sacct.states import OPEN, OPEN_WITHOUT_END, STATES, STATUS, state_of

if TYPE_CHECKING:
    import pandas as pd

# Two lines of ``sacct`` describe the same run of a job if they agree in these columns. A submission
# time in an unusual format is also compared as a string, because the string can stand for two
# instants, and the column ``submit`` has only the first of them.
_RUN = ["id", "submit", "submit_has_zone", "other_submit", "start"]
# The columns of an export that are kept for jobs that have ended.
_OF_JOBS = [
    "id", "submit", "start", "runtime", "status", "requested_time", *SIZES, *NAMES[1:-1],
    "submit_has_zone", "is_resizing",
]  # fmt: skip
# How the values of the components of a heterogeneous job are combined into one value. For all other
# columns, the value of the first component is used.
_COMBINED = {"runtime": "max", "requested_time": "max", **dict.fromkeys(SIZES, "sum")}


def ended_jobs(
    export: Export, cluster: str | None, zone: tzinfo, receipt: Receipt
) -> "pd.DataFrame":
    """Return the lines of jobs that ran and have ended, and count all other lines by reason.

    Parameters
    ----------
    export : Export
        The result of `read_export`.
    cluster : str or None
        The cluster to read; None for all.
    zone : tzinfo
        The time zone of times without a time zone.
    receipt : Receipt
        It counts the lines that are left out or noted.
    """
    lines, elapsed = export.lines, export.lines["elapsed"].to_numpy()
    submit, start, end = _most_plausible(export.instants, elapsed).T
    contradictions = contradictions_of(lines, start, end, zone, export.has_raw_elapsed)
    from_start_to_end = np.isnan(elapsed) | contradictions[LONGER] | contradictions[IN_HOURS]
    states = lines["state"].map(state_of, na_action=None).astype(object)
    jobs = lines.assign(
        submit=submit, start=start, end=end, state=states,
        runtime=np.where(from_start_to_end, end - start, elapsed),
        status=states.map(STATUS).fillna(0).to_numpy(dtype=int),
        is_resizing=(states == "RESIZING").to_numpy(),
    )  # fmt: skip
    kept = receipt.leave_out(_reasons_to_leave_out(jobs, cluster))
    notes = contradictions | _notes_on(jobs, contradictions[IN_HOURS], export.instants)
    receipt.note({what: kept & mask for what, mask in notes.items()}, jobs["line"].to_numpy())
    return jobs.loc[kept, _OF_JOBS]


def _reasons_to_leave_out(jobs: "pd.DataFrame", cluster: str | None) -> dict[str, NDArray]:
    submit, start, end, runtime = (
        jobs[name].to_numpy() for name in ("submit", "start", "end", "runtime")
    )
    is_other = (jobs["cluster"] != (cluster or jobs["cluster"])).to_numpy()
    is_open = _is_open(jobs)
    is_cancelled = jobs["status"].to_numpy() == STATUS["CANCELLED"]
    return {
        OTHER_CLUSTER: is_other,
        STILL_OPEN: is_open,
        REVOKED: (jobs["state"] == "REVOKED").to_numpy(),
        REPEATED: _is_repeated(jobs, ~(is_other | is_open)),
        NEVER_STARTED: np.isnan(start) | (is_cancelled & ~(runtime > 0)),
        NO_END: np.isnan(submit + runtime) | (jobs["has_end"].any() & np.isnan(end)),
        END_BEFORE_START: (end < start) | (runtime < 0),
        TOO_SHORT: runtime < 1,
        NO_PROCESSORS: jobs[[*SIZES]].sum(axis=1).to_numpy() <= 0,
    }


def _notes_on(
    jobs: "pd.DataFrame", is_in_hours: NDArray[np.bool_], instants: NDArray[np.float64]
) -> dict[str, NDArray]:
    shift = np.diff(instants)[..., 0]
    in_two = jobs[["elapsed_parts", "requested_time_parts"]] == 2
    is_unclear = in_two.to_numpy() & ~np.outer(is_in_hours, [True, False])
    return {
        HOUR_TWICE: (shift > 0).any(axis=1),
        HOUR_SKIPPED: (shift < 0).any(axis=1),
        UNKNOWN_STATE: ~jobs["state"].isin(STATES).to_numpy(),
        UNCLEAR_TIMES: is_unclear.any(axis=1),
    }


def _is_open(jobs: "pd.DataFrame") -> NDArray[np.bool_]:
    # A record in some states, such as RESIZING, is closed if it has an end. If the export has no
    # ends at all, a job that is changing its size has already run with the old size.
    states, has_no_end = jobs["state"], jobs["end"].isna()
    if not jobs["has_end"].any():
        has_no_end &= ~(jobs["is_resizing"] & (jobs["runtime"] > 0))
    return (states.isin(OPEN) | (states.isin(OPEN_WITHOUT_END) & has_no_end)).to_numpy(bool)


def _is_repeated(lines: "pd.DataFrame", chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    jobs = lines.loc[chosen, _RUN]
    # Comparing all columns is slow, so lines are compared only if a job has more than one.
    jobs = jobs[jobs["id"].duplicated(keep=False)]
    repeated = jobs.duplicated(keep="last")
    return repeated.reindex(lines.index, fill_value=False).to_numpy(bool)


def _most_plausible(when: NDArray[np.float64], elapsed: NDArray[np.float64]) -> NDArray[np.float64]:
    # The submission, start and end of a job are plausible if the job starts after its submission,
    # and if the time from its start to its end is its elapsed time. If several choices of instants
    # are equally plausible, the earliest instants are chosen.
    chosen = when[..., 0].copy()
    doubtful = np.flatnonzero((when[..., 0] < when[..., 1]).any(axis=1))
    tries = np.stack([when[doubtful][:, range(3), pick] for pick in product((0, 1), repeat=3)])
    submit, start, end = np.moveaxis(tries, -1, 0)
    off = np.nan_to_num(np.abs(end - start - elapsed[doubtful]))
    best = (off + 1e9 * ((start < submit) | (end < start))).argmin(axis=0)
    chosen[doubtful] = tries[best, range(len(doubtful))]
    return chosen


def in_order_of_submission(jobs: "pd.DataFrame", counts: Counter[str]) -> "pd.DataFrame":
    """Return all runs of all jobs in order of submission, including runs of requeued jobs.

    Slurm sets a new submission time when a job is requeued or resized. If an export has the first
    submission time for all runs of a job, each later run is submitted when the previous run ends.

    Parameters
    ----------
    jobs : DataFrame
        The result of `ended_jobs`.
    counts : Counter
        It counts the segments of resized jobs.
    """
    by_start = jobs.sort_values("start", kind="stable")
    runs = by_start.groupby(["id", "submit"], sort=False)
    previous_end = runs["start"].shift() + runs["runtime"].shift()
    submit = np.fmax(by_start["submit"], np.minimum(previous_end, by_start["start"]))
    is_segment = by_start.groupby("id", sort=False)["is_resizing"].shift(fill_value=False)
    counts[RESIZED] = int(is_segment.sum())
    jobs = jobs.assign(submit=submit, is_segment=is_segment)
    return jobs.sort_values("submit", kind="stable")


def with_components_joined(runs: "pd.DataFrame", counts: Counter[str]) -> "pd.DataFrame":
    """Combine the components of heterogeneous jobs, so that each run of a job is one row.

    Parameters
    ----------
    runs : DataFrame
        The result of `in_order_of_submission`.
    counts : Counter
        It counts the runs of requeued jobs, the components that are added to their job, the jobs
        without a time limit, and the jobs that start before their submission.
    """
    import pandas as pd

    is_part = runs["id"].str.contains("+", regex=False).to_numpy(bool)
    is_again = runs["id"].duplicated() & ~is_part & ~runs["is_segment"]
    counts[REQUEUED] = int(is_again.sum())
    is_first = np.ones(len(runs), dtype=bool)
    if is_part.any():
        leaders = runs.loc[is_part, "id"].str.partition("+")[0]
        related = is_part | runs["id"].isin(leaders).to_numpy()
        run_of = _run_of(runs[related], is_part[related])
        is_first[related] = ~pd.Series(run_of).duplicated()
        for name, combine in _COMBINED.items():
            combined = runs.loc[related, name].groupby(run_of, sort=False).transform(combine)
            column = runs[name].to_numpy(copy=True)
            column[related] = combined
            runs = runs.assign(**{name: column})
    jobs = runs.loc[is_first, runs.columns != "id"]
    counts[COMPONENTS] = len(runs) - len(jobs)
    counts[NO_LIMIT] = int((~(jobs["requested_time"] > 0)).sum())
    counts[START_BEFORE_SUBMISSION] = int((jobs["start"] < jobs["submit"]).sum())
    return jobs


def _run_of(lines: "pd.DataFrame", is_part: NDArray[np.bool_]) -> NDArray:
    # A job can run again. The components of one run start together, so a component that starts
    # after the component of the line before has ended belongs to a later run. The lines must be
    # in order of submission.
    leader = lines["id"].str.partition("+")[0]
    is_later = lines["start"] >= (lines["start"] + lines["runtime"]).groupby(leader).shift()
    leader += "+" + is_later.groupby(leader).cumsum().astype(str)
    return np.where(is_part, leader, lines.index)
