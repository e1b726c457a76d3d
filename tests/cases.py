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
from tests.conftest import ROWS, placements, rows_of_table, sampled_times


class Case(NamedTuple):
    """A system, a stream, and the other arguments of `co.simulate`."""

    system: co.Multicluster
    jobs: co.JobStream
    how: dict


@st.composite
def cases(draw, policies, most_jobs=30, most_clusters=4, has_tables=True, has_reservations=True):
    """Return a random `Case` with one of the policies.

    Hypothesis draws the system, the policy and, for each job, a row of a table of random jobs. A
    failure can therefore shrink to a few jobs. Drawing each number of each job would take ten times
    as long as the two simulations of the case.
    """
    scheduling = draw(policies)
    is_adaptive = getattr(scheduling, "adaptive", False)
    number = min(draw(st.sampled_from((1, 1, 2, 3, 4))), most_clusters)
    sizes = draw(st.lists(st.integers(1, 8), min_size=number, max_size=number))
    requests = ("unordered", "flexible", "total") + ("ordered",) * (not is_adaptive)
    request = draw(st.sampled_from(requests))
    placement = draw(_adaptive if is_adaptive else placements(len(sizes), request))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    chosen = draw(rows_of_table((most_jobs // 5, most_jobs // 2, most_jobs, most_jobs)))
    submit, runtime, factor = _times(rng)
    more, priority = rng.choice([0, 0, 0, 1], ROWS), rng.integers(0, 4, ROWS)
    components = _components(rng, sizes, request, placement)
    jobs = co.JobStream(
        submit[chosen],
        runtime[chosen],
        [_trimmed(components[row].tolist(), sizes, request, placement) for row in chosen],
        (runtime * factor + more)[chosen],
        request,
        _penalties(rng, has_tables)[chosen],
    ).replace(priority=priority[chosen])
    if has_reservations and scheduling.takes_reservations and draw(st.booleans()):
        earliest = jobs.submit + rng.choice([0, 0, 1, 2, 7], ROWS)[chosen]
        within = rng.choice([np.inf, np.inf, 0, 1, 3], ROWS)[chosen]
        jobs = jobs.replace(earliest_start=earliest, latest_start=earliest + within)
    takes_backlog = scheduling.takes_backlog and not jobs.has_reservations
    backlog = (
        draw(st.sampled_from((None, None, None, None, 1, 2, 7, 1000))) if takes_backlog else None
    )
    return Case(
        co.Multicluster(sizes),
        jobs,
        {"scheduling": scheduling, "placement": placement, "backlog": backlog},
    )


_adaptive = st.builds(
    co.SingleThenSpan, st.sampled_from((co.BestFit(), co.WorstFit(), co.FirstFit()))
)


def _times(rng):
    """Sample submission, run time, and estimate over run time, on one scale for all jobs."""
    is_whole, is_crowded = rng.random() < 0.75, rng.random() < 0.5
    submit, runtime = (
        rng.integers(0, most + 1, ROWS) if is_whole else sampled_times(rng, most)
        for most in (rng.choice([1, 4, 12, 20]), 9)
    )
    runtime = rng.choice([0, 0, 1, 2, 3], ROWS) if is_crowded else runtime
    factor = rng.choice([0, 0.5, 1, 1, 2, 10], ROWS) if is_whole else sampled_times(rng, 3)
    return submit, runtime, factor


def _penalties(rng, has_tables):
    """Sample span penalties: one for all jobs, one for each job, or one by clusters used."""
    kind = rng.choice(["one", "each", "table"][: 2 + has_tables])
    if kind == "one":
        return np.full(ROWS, 0.5)
    if kind == "each":
        return np.minimum(sampled_times(rng, 1), 1)
    table = np.sort(rng.integers(0, 9, (ROWS, rng.integers(1, 4))) / 4, axis=1)
    return table if table.shape[1] > 1 else table[:, 0]


def _components(rng, sizes, request, placement):
    """Sample the components of each row. They may have to be trimmed to fit into the system."""
    may_stay_whole = request == "unordered" and isinstance(placement, co.SingleThenSpan)
    most_width = 1 if request in ("total", "flexible") else len(sizes)
    width = rng.integers(1, 6 if may_stay_whole else most_width + 1)
    widest = sizes if request == "ordered" else sorted(sizes, reverse=True)
    widest = [sum(sizes)] if request == "flexible" else [*widest, *[0] * width][:width]
    small, any_size = (rng.integers(0, most + 1, (ROWS, width)) for most in (2, max(widest)))
    components = np.where(rng.random((ROWS, width)) < 0.5, small, any_size)
    components[rng.random(ROWS) < 1 / 8] = widest
    return components


def _trimmed(row, sizes, request, placement):
    """Return a row of components, made smaller until the job fits into the idle system."""
    row = row if any(row) else [1, *row[1:]]
    if request == "ordered":
        return [min(part, size) for part, size in zip(row, sizes, strict=False)]
    row = [*row]
    while placement.place(row, request, sizes) is None:
        row[row.index(max(row))] -= 1
    return row
