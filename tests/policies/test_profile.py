"""The future of the idle processors, against a table with a row for every instant."""

import re
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies import Job
from coalloc_lib.policies.profile import Profile
from tests.conftest import ROOT, placements
from tests.naive_backfilling import easy

#: The last instant at which a profile of these tests may change.
MOST = 24


@st.composite
def futures(draw):
    """Sample a profile that changes at whole instants, and a table of its idle processors."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    future, table = Profile(sizes), np.tile(sizes, (3 * MOST, 1))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, MOST - 1))
        end = draw(st.integers(start + 1, MOST))
        room = table[start:end].min(axis=0)
        taken = [draw(st.integers(0, int(most))) for most in room]
        future.take(start, end, taken)
        table[start:end] -= taken
    return future, table


def reserve(table, job, place, since):
    """Return the first start, the end and the allocation of a job, by trying every whole instant.

    A job has one length on one cluster, and twice this length on several clusters.
    """
    for start in range(since, 2 * MOST):
        for length in (job.estimate, 2 * job.estimate):
            window = table[start : max(start + int(length), start + 1)]
            found = place(job, window.min(axis=0).tolist())
            if found is not None and job.expected_length(found) <= length:
                return start, start + job.expected_length(found), list(found)
    return None


@given(futures())
def test_a_profile_tells_what_is_idle_at_every_instant(case):
    future, table = case
    for instant, idle in enumerate(table):
        assert list(future.at(instant)) == list(future.at(instant + 0.5)) == idle.tolist()
    assert list(future.at(inf)) == table[-1].tolist()


@given(futures(), st.data())
def test_the_earliest_reservation_is_the_first_that_trying_finds(case, data):
    """A job that uses several clusters is expected to run for twice its estimate."""
    future, table = case
    clusters = table.shape[1]
    request = data.draw(st.sampled_from(["unordered", "total", "flexible"]))
    rule = data.draw(placements(clusters, request))
    if request == "flexible":  # less room never lets these rules use fewer clusters
        rule = data.draw(st.sampled_from([co.WorstFit(), co.SingleThenSpan()]))
    parts = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=clusters))
    length = data.draw(st.integers(0, 6))
    job = Job(0, 0.0, length / 2, float(length), tuple(parts), span_penalty=1.0)

    def place(job, idle):
        return rule.place(job.components, request, idle)

    since = data.draw(st.none() | st.integers(0, MOST + 2))
    found = future.earliest(job, place, since)
    expected = reserve(table, job, place, since or 0)
    assert (None if found is None else (*found[:2], list(found[2]))) == expected


@pytest.mark.parametrize(
    ("start", "end", "taken", "message"),
    [
        (0, 5, [1], "start = 0; the profile begins at 1"),
        (0, 0, [1], "start = 0; the profile begins at 1"),
        (3, 2, [1], "end = 2 comes before start = 3"),
        (2, float("nan"), [1], "end = nan"),
        (
            2,
            4,
            [1, 1],
            r"^allocation = \[1, 1\]; give one number of processors for each of the 1 clusters$",
        ),
        (2, 4, [4], r"allocation = \[4\] from 2 to 4; only \[3\] processors"),
        (2, 4, [-1], r"^allocation = \[-1\]; give numbers of 0 or more, and call give_back"),
        (4, 4, [100], r"allocation = \[100\] from 4 to 4; only \[3\] processors"),
        (4, 4, [-1], r"^allocation = \[-1\]; give numbers of 0 or more"),
    ],
)
def test_what_cannot_be_taken_is_refused_and_changes_nothing(start, end, taken, message):
    future = Profile([3], now=1.0)
    with pytest.raises(co.InputError, match=message):
        future.take(start, end, taken)
    assert (future.instants, future.idle, future.moments) == ([1.0], [(3,)], [])


def test_an_interval_has_as_many_idle_processors_as_its_busiest_step():
    future = Profile([3])
    future.take(2, 4, [2])
    with pytest.raises(co.InputError, match=r"from 1 to 5; only \[1\] processors"):
        future.take(1, 5, [2])
    future.take(1, 5, [1])
    assert list(future.at(3)) == [0]


@given(futures(), st.data())
def test_what_stays_idle_is_the_least_of_all_instants_and_of_what_is_held_for_no_time(case, data):
    future, table = case
    start = data.draw(st.integers(0, MOST))
    end = data.draw(st.integers(start + 1, 2 * MOST))
    expected = table[start:end].min(axis=0)
    for _ in range(data.draw(st.integers(0, 4))):
        instant = data.draw(st.integers(0, 2 * MOST - 1))
        taken = [data.draw(st.integers(0, int(most))) for most in table[instant]]
        future.take(instant, instant, taken)
        if start < instant < end:
            expected = np.minimum(expected, table[instant] - taken)
    assert list(future.between(start, end)) == expected.tolist()
    assert list(future.at(start)) == table[start].tolist()


def test_a_profile_forgets_what_is_past():
    future = Profile([4])
    future.take(1, 5, [1])
    future.take(2, 2, [4])
    future.forget(3)
    assert (future.instants, future.idle, future.moments) == ([3, 5], [(3,), (4,)], [])
    job = Job(0, 0.0, 4.0, 4.0, (1,), span_penalty=0.0)
    with pytest.raises(co.InputError, match="instant = 2; the profile begins at 3"):
        future.earliest(job, lambda job, idle: [1], since=2)


@pytest.mark.parametrize("now", [5, float("nan")])
def test_a_profile_forgets_nothing_at_an_instant_before_it_begins(now):
    future = Profile([4], now=10)
    future.take(12, 15, [3])
    with pytest.raises(co.InputError, match=rf"^now = {now}; the profile begins at 10, so give"):
        future.forget(now)
    assert future.at(13) == (1,)


def test_an_interval_that_ends_before_it_starts_has_no_idle_processors():
    with pytest.raises(co.InputError, match=r"^end = 13 comes before start = 14; give an end"):
        Profile([4]).between(14, 13)


def test_what_is_given_back_leaves_no_step():
    future = Profile([4])
    future.take(1, 5, [1])
    future.take(5, 7, [1])
    assert future.instants == [0, 1, 7]
    future.take(3, 3, [2])
    job = Job(0, 0.0, 4.0, 4.0, (4,), span_penalty=0.0)
    assert future.earliest(job, lambda job, idle: [4] if idle[0] == 4 else None).start == 7
    future.give_back(1, 7, [1])
    assert future.instants == [0]
    assert future.earliest(job, lambda job, idle: [4] if idle[0] == 4 else None).start == 3
    future.give_back(3, 3, [2])
    assert future.moments == []


@pytest.mark.parametrize(
    ("start", "end", "taken"), [(1, 4, [2]), (4, 6, [1]), (5, 9, [1]), (5, 5, [1]), (6, 6, [2])]
)
def test_only_what_was_taken_can_be_given_back(start, end, taken):
    future = Profile([4])
    future.take(1, 5, [1])
    future.take(6, 6, [1])
    before = [*future.instants], [*future.idle], [*future.moments]
    with pytest.raises(co.InputError, match="was not taken in this whole interval"):
        future.give_back(start, end, taken)
    assert (future.instants, future.idle, future.moments) == before


@pytest.fixture(scope="module")
def promise_first():
    """The policy that the guide on policies shows as an example."""
    page = (ROOT / "docs" / "policies.md").read_text("utf-8")
    (block,) = (
        each for each in re.findall(r"```python\n(.*?)```", page, re.S) if "PromiseFirst(" in each
    )
    names = {}
    exec(block.partition("system = ")[0], names)
    return names["PromiseFirst"]


@given(st.integers(0, 2**32), st.integers(2, 8))
def test_the_example_policy_of_the_guide_is_easy_on_one_cluster(promise_first, seed, size):
    """Some jobs have a length of 0, and many jobs arrive at the same instant."""
    rng = np.random.default_rng(seed)
    count = 25
    submit, runtime, estimate = (rng.integers(0, most, count) for most in (12, 9, 12))
    jobs = co.JobStream(np.sort(submit), runtime, rng.integers(1, size + 1, count), estimate)
    own = co.simulate(co.Multicluster([size]), jobs, scheduling=promise_first(count=1))
    rows = np.column_stack([jobs.submit, jobs.runtime, jobs.estimate, jobs.processors]).tolist()
    assert own.start.tolist() == easy(size, rows)


def test_the_future_begins_with_what_is_idle_and_ends_with_the_whole_system():
    seen = []

    class Looks(co.Scheduling):
        def start_jobs(self, state):
            future = Profile.of(state)
            seen.append((state.now, future.instants, future.idle))
            for job in [*state.queue]:
                state.start(job)

    jobs = co.JobStream([0, 0, 1], [4, 9, 1], [[3], [2], [1]], [6, 9, 1], request="total")
    co.simulate(co.Multicluster([4, 2]), jobs, scheduling=Looks())
    at_1 = next(each for each in seen if each[0] == 1)
    assert at_1 == (1, [1, 6, 9], [(1, 0), (4, 0), (4, 2)])
