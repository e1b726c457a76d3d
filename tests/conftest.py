"""What all tests share: random streams on random systems, and where the real logs are."""

import gc
import os
from functools import cache
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies.backfilling import ORDERS

#: `make test` sees the same examples each time. `make test-long` loads the other profile and draws
#: new ones by a seed that it prints; what fails prints the line that brings it back.
hypothesis.settings.register_profile("coalloc", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.register_profile("long", deadline=None, print_blob=True, max_examples=300)
#: The examples of `make test`, for tests that only ask whether one of them fails.
hypothesis.settings.register_profile(
    "unshrunk",
    hypothesis.settings.get_profile("coalloc"),
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
)
hypothesis.settings.load_profile("coalloc")

#: The number of rows of a table of random jobs. A byte is the number of a row.
ROWS = 256
ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
#: Folders with files of a minute and more.
FIRST = ("tests/notebooks/", "tests/studies/", "tests/statistics/sweep/")


def pytest_configure(config):
    """Compile the kernels before the workers of xdist start, each of which would."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        from tests.warm import compile_kernels

        compile_kernels()


def pytest_collection_modifyitems(items):
    """Begin with what takes long, which would keep one worker waiting for the other at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


def pytest_collection_finish():
    """Let the garbage collector skip what stays until the end, such as modules and test items."""
    gc.freeze()


@pytest.fixture(scope="session")
def real_logs():
    """The folder of the real logs; skips where there is none."""
    if not os.environ.get("COALLOC_TRACES"):
        pytest.skip("set COALLOC_TRACES to the folder of the real logs")
    return Path(os.environ["COALLOC_TRACES"])


@cache
def rows_of_table(counts):
    """Return a strategy for the numbers of the rows of a table of `ROWS` jobs that a case has.

    Hypothesis examines each strategy once. Strategies that are made again for each example would
    take a tenth of the time of the tests.
    """
    rows = st.sampled_from(counts).flatmap(lambda count: st.binary(min_size=count, max_size=count))
    return rows.map(list)


def sampled_times(rng, most):
    """Sample a time for each row, with zeros, ties, tiny times and neighbours of whole numbers."""
    times, kind = rng.uniform(0, most, ROWS), rng.integers(0, 6, ROWS)
    whole = rng.integers(0, most + 1, ROWS).astype(float)
    near = np.nextafter(np.maximum(whole, 1), rng.choice([-np.inf, np.inf], ROWS))
    tiny = 10.0 ** rng.uniform(-9, -3, ROWS)
    return np.select(
        [kind == each for each in range(5)], [0.0, whole, times.round(1), near, tiny], times
    )


@st.composite
def systems_and_streams(draw, most_jobs=40, requests=("ordered", "unordered", "flexible", "total")):
    """A multicluster and a stream whose every job fits, with ties and zeros not rare.

    Hypothesis draws the system and, for each job, a row of a table of random jobs, so that a
    failure can shrink to a few jobs.
    """
    sizes = draw(st.lists(st.integers(2, 9), min_size=1, max_size=5))
    request = draw(st.sampled_from(requests))
    width = draw(st.integers(1, len(sizes)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    chosen = draw(rows_of_table(range(1, most_jobs + 1)))
    submit, runtime = (
        rng.integers(0, most + 1, ROWS) if rng.random() < 0.5 else sampled_times(rng, most)
        for most in (12, 9)
    )
    columns = {
        "submit": submit,
        "runtime": runtime,
        "components": _components(rng, sizes, request, width),
        "estimate": runtime * sampled_times(rng, 3),
        "span_penalty": rng.choice([0.0, 1.0]) * sampled_times(rng, 1),
    }
    columns = {name: column[chosen] for name, column in columns.items()}
    number = 1 + rng.permutation(len(chosen))
    return co.Multicluster(sizes), co.JobStream(**columns, number=number, request=request)


def _components(rng, sizes, request, width):
    """Sample the components of each row; every row fits into clusters of these sizes."""
    if request in ("total", "flexible"):
        most = max(sizes) if request == "total" else sum(sizes)
        return rng.integers(1, most + 1, (ROWS, 1))
    limits = sizes if request == "ordered" else sorted(sizes, reverse=True)
    parts = rng.integers(0, 1 + np.array(limits[:width]), (ROWS, width))
    parts[~parts.any(axis=1), 0] = 1
    return parts if request == "ordered" else rng.permuted(parts, axis=1)


@st.composite
def placements(draw, clusters, request="unordered"):
    """A placement for so many clusters; None for ordered requests, which take none."""
    if request == "ordered":
        return None
    order = draw(st.permutations(range(clusters)))
    rules = [co.FirstFit(), co.FirstFit(clusters=order), co.WorstFit(), co.BestFit()]
    rules += [co.SingleThenSpan(), co.SingleThenSpan(single=rules[1])]
    return draw(st.sampled_from(rules))


@st.composite
def onlines(draw, rules=("latest-start", "best-fit")):
    """Online scheduling on the scale of `systems_and_streams`."""
    slot, step = (draw(st.integers(1, 12)) / draw(st.sampled_from((1, 2, 3))) for _ in range(2))
    most, horizon = draw(st.integers(1, 12)), draw(st.integers(4, 60))
    how = {"rule": draw(st.sampled_from(rules)), "release_early": draw(st.booleans())}
    how["min_length"] = draw(st.sampled_from((0, 0, 0.5, 4)))
    return co.Online(slot, step, most, horizon, **how)


_order = st.sampled_from(ORDERS[1:])
_counted = st.sampled_from(("waiting", "head"))
#: Name -> a strategy for policies. All policies with a compiled translation are here.
POLICIES = {
    "FCFS": st.just(co.FCFS()),
    "FPFS": st.builds(co.FPFS, st.sampled_from((0, 1, 1, 2, 5, 50)), counted=_counted),
    "EASY": st.just(co.EASY()),
    "EASY-ordered": st.builds(co.EASY, order=_order),
    "EASY-adaptive": st.builds(co.EASY, adaptive=st.just(True), order=st.sampled_from(ORDERS)),
    "Conservative": st.just(co.Conservative()),
    "Conservative-ordered": st.builds(co.Conservative, order=_order),
    "Online-latest-start": onlines(rules=("latest-start",)),
    "Online-best-fit": onlines(rules=("best-fit",)),
}

in_turn = POLICIES["FCFS"] | POLICIES["FPFS"]
#: A new policy that backfills belongs here too.
backfilling = POLICIES["EASY"] | POLICIES["Conservative"]
ordered = POLICIES["EASY-ordered"] | POLICIES["Conservative-ordered"]
#: Policies that run with any placement and without options that change the order of the queue.
policies = st.one_of(*(policy for name, policy in POLICIES.items() if "-" not in name))


@st.composite
def asking(draw, jobs):
    """The stream, of which some ask for a later start, or for one by some instant."""
    ahead, within = (
        draw(st.lists(st.integers(0, 9), min_size=len(jobs), max_size=len(jobs))) for _ in range(2)
    )
    earliest = jobs.submit + [time if time > 4 else 0 for time in ahead]
    latest = earliest + [time if time < 4 else float("inf") for time in within]
    return jobs.replace(earliest_start=earliest, latest_start=latest)
