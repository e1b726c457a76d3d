"""Random cases for the tests that compare two implementations of a policy.

A case is a system, a stream of jobs, and the policy, placement and backlog of its simulation. The
parts go together: jobs have reservations only if the policy serves them, and a backlog is given
only if the policy takes one. Jobs without length, ties, jobs that end early or late against their
estimates, span penalties, waiting jobs, and jobs as wide as the system are frequent.
"""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies.backfilling import ORDERS
from tests.conftest import onlines, placements, times

_order = st.sampled_from(ORDERS[1:])
_counted = st.sampled_from(["waiting", "head"])
#: Name -> a strategy for policies. All policies with a compiled translation are here.
POLICIES = {
    "FCFS": st.just(co.FCFS()),
    "FPFS": st.builds(co.FPFS, st.sampled_from([0, 1, 1, 2, 5, 50]), counted=_counted),
    "EASY": st.just(co.EASY()),
    "EASY-ordered": st.builds(co.EASY, order=_order),
    "EASY-adaptive": st.builds(co.EASY, adaptive=st.just(True), order=st.sampled_from(ORDERS)),
    "Conservative": st.just(co.Conservative()),
    "Conservative-ordered": st.builds(co.Conservative, order=_order),
    "Online-latest-start": onlines(rules=("latest-start",)),
    "Online-best-fit": onlines(rules=("best-fit",)),
}


class Case(NamedTuple):
    """A system, a stream, and the other arguments of `co.simulate`."""

    system: co.Multicluster
    jobs: co.JobStream
    how: dict


@st.composite
def cases(draw, policies, most_jobs=30, most_clusters=4, has_tables=True, has_reservations=True):
    """Return a random `Case` with one of the policies.

    Each job is drawn by itself, so that Hypothesis can shrink a failure to a few small jobs.
    """
    scheduling = draw(policies)
    is_adaptive = getattr(scheduling, "adaptive", False)
    number = min(draw(st.sampled_from([1, 1, 2, 3, 4])), most_clusters)
    sizes = draw(st.lists(st.integers(1, 8), min_size=number, max_size=number))
    requests = ["unordered", "flexible", "total"] + ["ordered"] * (not is_adaptive)
    request = draw(st.sampled_from(requests))
    placement = draw(_adaptive if is_adaptive else placements(len(sizes), request))
    rows = _rows(draw, _components(draw, sizes, request, placement), has_tables)
    number = draw(st.sampled_from([most_jobs // 5, most_jobs // 2, most_jobs, most_jobs]))
    rows = draw(st.lists(rows, min_size=number, max_size=number))
    submit, runtime, factor, more, components, penalty, priority, ahead, within = zip(
        *rows, strict=True
    )
    estimate = np.multiply(runtime, factor) + more
    penalty = np.sort(penalty, axis=1)
    penalty = penalty if penalty.shape[1] > 1 else penalty[:, 0]
    jobs = co.JobStream(submit, runtime, components, estimate, request, penalty)
    jobs = jobs.replace(priority=priority)
    if has_reservations and scheduling.takes_reservations and draw(st.booleans()):
        earliest = jobs.submit + ahead
        jobs = jobs.replace(earliest_start=earliest, latest_start=earliest + within)
    takes_backlog = scheduling.takes_backlog and not jobs.has_reservations
    backlog = (
        draw(st.sampled_from([None, None, None, None, 1, 2, 7, 1000])) if takes_backlog else None
    )
    return Case(
        co.Multicluster(sizes),
        jobs,
        {"scheduling": scheduling, "placement": placement, "backlog": backlog},
    )


_adaptive = st.builds(
    co.SingleThenSpan, st.sampled_from([co.BestFit(), co.WorstFit(), co.FirstFit()])
)


def _rows(draw, components, has_tables):
    """Return a strategy for one job, with times on a scale that is drawn for all jobs."""
    is_whole, is_crowded = draw(st.integers(0, 3)) < 3, draw(st.booleans())
    last = draw(st.sampled_from([1, 4, 12, 20]))
    submit, runtime = (st.integers(0, most) if is_whole else times(most) for most in (last, 9))
    runtime = st.sampled_from([0, 0, 1, 2, 3]) if is_crowded else runtime
    factor = st.sampled_from([0, 0.5, 1, 1, 2, 10]) if is_whole else times(3)
    quarters = st.integers(0, 8).map(lambda number: number / 4)
    width = draw(st.integers(1, 3))
    table = st.lists(quarters, min_size=width, max_size=width)
    penalties = [st.just([0.5]), st.floats(0, 1).map(lambda share: [share])]
    penalty = draw(st.sampled_from(penalties + [table] * has_tables))
    more, priority = st.sampled_from([0, 0, 0, 1]), st.integers(0, 3)
    ahead, within = st.sampled_from([0, 0, 1, 2, 7]), st.sampled_from([np.inf, np.inf, 0, 1, 3])
    job = submit, runtime, factor, more, components, penalty, priority, ahead, within
    return st.tuples(*job)


def _components(draw, sizes, request, placement):
    """Return a strategy for the components of one job, which fits into the idle system."""
    may_stay_whole = request == "unordered" and isinstance(placement, co.SingleThenSpan)
    most_width = 1 if request in ("total", "flexible") else len(sizes)
    width = draw(st.integers(1, 5 if may_stay_whole else most_width))
    widest = sizes if request == "ordered" else sorted(sizes, reverse=True)
    widest = [sum(sizes)] if request == "flexible" else [*widest, *[0] * width][:width]
    part = st.integers(0, 2) | st.integers(0, max(widest))
    parts = st.lists(part, min_size=width, max_size=width)
    fitting = parts.map(lambda row: _trimmed(row, sizes, request, placement))
    return st.integers(0, 7).flatmap(lambda number: fitting if number < 7 else st.just(widest))


def _trimmed(row, sizes, request, placement):
    """Return a row of components, made smaller until the job fits into the idle system."""
    row = row if any(row) else [1, *row[1:]]
    if request == "ordered":
        return [min(part, size) for part, size in zip(row, sizes, strict=False)]
    row = [*row]
    while placement.place(row, request, sizes) is None:
        row[row.index(max(row))] -= 1
    return row
