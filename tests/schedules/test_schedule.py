"""Tests of `Schedule` and its metrics, by hand on four jobs and by plain computations on random
jobs."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.basics.display import STYLE
from coalloc_lib.schedules.drawing import FIRST, window_of
from coalloc_lib.schedules.metrics import (
    by_width,
    means,
    utilization_timeline,
    width_edges,
    width_names,
)
from tests.conftest import policies, systems_and_streams


@pytest.fixture(scope="module")
def four():
    """Return a schedule of four jobs on two clusters of 4 with first fit. The last three jobs wait.

    Job 0 has [3, 2] from 0 to 4, job 1 [4, 0] from 4 to 7, job 2 [3, 1] from 7 to 10 (run time
    2, half as long again because it spans), job 3 [0, 2] from 7 to 13.
    """
    jobs = co.JobStream(
        submit=[0, 1, 2, 2],
        runtime=[4, 3, 2, 6],
        components=[[3, 2], [4, 0], [3, 1], [2, 0]],
        span_penalty=[0, 9, 0.5, 9],
    )
    how = {"placement": co.FirstFit(), "engine": "reference"}
    return co.simulate(co.Multicluster([4, 4]), jobs, **how).verify()


@st.composite
def schedules(draw):
    """Return a correct schedule of random jobs."""
    system, jobs = draw(systems_and_streams())
    return co.simulate(system, jobs, scheduling=draw(policies))


def test_times(four):
    assert len(four) == 4
    assert four.start.tolist() == [0, 4, 7, 7]
    assert four.end.tolist() == [4, 7, 10, 13]
    assert four.wait.tolist() == [0, 3, 5, 5]
    assert four.response.tolist() == [4, 6, 8, 11]
    assert four.allocation.tolist() == [[3, 2], [4, 0], [3, 1], [0, 2]]
    assert four.spans.tolist() == [True, False, True, False]
    when = [-1, 0, 1, 1.5, 2, 3.9, 4, 6.9, 7, 99]
    assert four.queue_length(when).tolist() == [0, 0, 1, 1, 3, 3, 2, 2, 0, 0]


def test_slowdown(four):
    np.testing.assert_allclose(four.slowdown(), [1, 2, 8 / 3, 11 / 6])
    np.testing.assert_allclose(four.slowdown(at_least=4), [1, 6 / 4, 8 / 4, 11 / 6])
    np.testing.assert_allclose(four.slowdown(at_least=100), [1, 1, 1, 1])
    jobs = co.JobStream(submit=[0, 0], runtime=[2, 0], components=[1, 1])
    schedule = co.simulate(co.Multicluster([4]), jobs)
    with pytest.raises(co.InputError, match="job 1 ran for a time of 0, so it has no slowdown"):
        schedule.slowdown()
    np.testing.assert_allclose(schedule.slowdown(at_least=1), [1, 1])
    for wrong in (np.nan, -1, "10"):
        with pytest.raises(co.InputError, match=r"at_least = .*; give a"):
            schedule.slowdown(at_least=wrong)


def test_response_weighted_by_work(four):
    """The weights are processors times run time on one cluster: 5 x 4, 4 x 3, 4 x 2 (without the
    penalty) and 2 x 6."""
    work = np.array([20, 12, 8, 12])
    expected = pytest.approx(work @ [4, 6, 8, 11] / 52)
    assert four.average_weighted_response_time() == expected
    expected = pytest.approx(np.array([5, 4, 4, 2]) @ [4, 6, 8, 11] / 15)
    assert four.average_weighted_response_time("processors") == expected
    with pytest.raises(co.InputError, match="weights = 'time'; choose one of 'work', 'processors'"):
        four.average_weighted_response_time("time")
    # Each of two jobs runs alone. The penalty makes the first job three times as long, but both
    # jobs have the weight 8.
    jobs = co.JobStream([0, 100], [2, 4], [[2, 2], [2, 0]], span_penalty=[2.0, 0.0])
    schedule = co.simulate(co.Multicluster([2, 2]), jobs)
    assert schedule.response.tolist() == [6, 4]
    assert schedule.average_weighted_response_time() == (8 * 6 + 8 * 4) / 16


def test_jobs_without_work_or_jobs_that_were_rejected_have_no_weighted_mean():
    jobs = co.JobStream([0, 0], [0, 0], [1, 1], request="total")
    schedule = co.simulate(co.Multicluster([1]), jobs)
    for call in (means, co.Schedule.average_weighted_response_time):
        with pytest.raises(
            co.InputError, match="all jobs have a run time of 0, so their response"
        ) as error:
            call(schedule)
        assert "weights" not in str(error.value)  # Two of these functions have no such argument.
    online = co.Online(slot=10, step=10, max_attempts=4, horizon=50)
    long = jobs.replace(runtime=[99, 99])
    rejected = co.simulate(co.Multicluster([1]), long, scheduling=online)
    with pytest.raises(co.InputError, match="all jobs of the schedule were rejected"):
        means(rejected)


def test_the_policies_of_a_schedule_without_a_placement_are_its_scheduling_policy(four):
    assert f"policies</th><td{STYLE}>FCFS(), FirstFit(clusters=None)</td>" in four._repr_html_()
    ordered = co.simulate(four.system, four.jobs.replace(request="ordered"))
    assert f"policies</th><td{STYLE}>FCFS()</td>" in ordered._repr_html_()
    assert repr(ordered) == "<Schedule of 4 jobs on 2 × 4: FCFS()>"


def test_utilization(four):
    assert four.utilization() == pytest.approx(5 / 8)  # between submissions, 0 to 2
    assert four.utilization(finish=13) == pytest.approx(56 / (8 * 13))
    assert four.utilization(3, 8) == pytest.approx((5 * 1 + 4 * 3 + 6 * 1) / (8 * 5))
    halves = four.utilization_between([0, 4, 7, 10, 13, 20])
    np.testing.assert_allclose(halves, [5 / 8, 4 / 8, 6 / 8, 2 / 8, 0], atol=1e-12)
    # Only job 2 spans with a penalty. A third of the three units of time that it runs is due to the
    # penalty.
    net = four.utilization_between([0, 4, 7, 10, 13], net=True)
    np.testing.assert_allclose(net, [5 / 8, 4 / 8, (4 * 2 / 3 + 2) / 8, 2 / 8])


@given(schedules())
def test_net_work_is_the_work_of_the_jobs(schedule):
    """The net utilization of the time of the whole schedule corresponds to the work of all jobs."""
    finish = schedule.end.max() + 1
    net = schedule.utilization_between([0, finish], net=True)[0]
    work = schedule.jobs.work.sum()
    assert net * finish * schedule.system.processors == pytest.approx(work, abs=1e-6)


@pytest.mark.parametrize("edges", [[], [1], [1, 1], [2, 1], [0, 1, 0.5], [0, np.nan], [0, np.inf]])
def test_edges_that_do_not_increase_are_refused(four, edges):
    with pytest.raises(co.InputError, match=r"edges = .* increasing instants"):
        four.utilization_between(edges)


@pytest.mark.parametrize(
    ("period", "message"),
    [
        ({"begin": 5}, r"^finish = 2 is not after begin = 5; give a later finish or an earlier"),
        ({"begin": 3, "finish": 3}, "^finish = 3 is not after begin = 3; "),
        ({"begin": "x"}, "^begin = 'x'; give a number"),
        ({"finish": np.inf}, "^finish = inf; give a finite number"),
    ],
)
def test_a_period_without_a_length_is_refused_by_its_ends(four, period, message):
    with pytest.raises(co.InputError, match=message):
        four.utilization(**period)


@pytest.mark.parametrize("instants", [[0, np.nan], np.nan, "x", [True], [None]])
def test_the_queue_length_at_what_is_no_instant_is_refused(four, instants):
    with pytest.raises(co.InputError, match=r"^instants"):
        four.queue_length(instants)


def test_edges_that_are_not_numbers_are_refused(four):
    with pytest.raises(co.InputError, match=r"^edges\[1\] = 'x'; give a number"):
        four.utilization_between([0, "x"])


def test_to_frame(four):
    jobs = four.jobs.replace(number=[31, 32, 34, 35])
    assert dataclasses.replace(four, jobs=jobs).to_frame()["job"].tolist() == [31, 32, 34, 35]
    frame = four.to_frame()
    assert list(frame) == ["job", "submit", "start", "end", "processors", "allocation"]
    assert frame["job"].tolist() == [1, 2, 3, 4]
    assert frame["processors"].tolist() == [5, 4, 4, 2]
    assert frame["allocation"].tolist() == ["0:3;1:2", "0:4", "0:3;1:1", "1:2"]
    np.testing.assert_array_equal(frame["end"], four.end)


@given(schedules(), st.lists(st.integers(0, 400), min_size=2, max_size=8, unique=True))
def test_utilization_is_the_area_under_the_busy_processors(schedule, quarters):
    """Compare with the overlap of each job with each interval of time."""
    edges = np.sort(quarters) / 4
    begin, finish = edges[:-1, None], edges[1:, None]
    overlap = np.minimum(finish, schedule.end) - np.maximum(begin, schedule.start)
    overlap = np.maximum(overlap, 0)
    length = finish[:, 0] - begin[:, 0]
    busy = (overlap * schedule.jobs.processors).sum(axis=1)
    expected = busy / (length * schedule.system.processors)
    np.testing.assert_allclose(schedule.utilization_between(edges), expected, atol=1e-9)
    assert (expected <= 1 + 1e-12).all()


def test_utilization_keeps_its_digits_with_seconds_since_1970():
    count, begin = 100_000, 1.7e9
    jobs = co.JobStream(begin + np.arange(count), np.ones(count), np.full(count, 64))
    schedule = co.simulate(co.Multicluster([64]), jobs)
    late = begin + count - 100.5
    edges = late + np.array([0, 0.125, 0.25, 1.25])  # exact in floating point
    assert schedule.utilization_between(edges) == pytest.approx([1, 1, 1], abs=1e-6)


@given(schedules())
def test_queue_length_counts_those_between_submission_and_start(schedule):
    when = np.unique(np.concatenate([schedule.jobs.submit, schedule.start, schedule.end]))
    submit, start = schedule.jobs.submit, schedule.start
    naive = [int(((submit <= t) & (start > t)).sum()) for t in when]
    assert schedule.queue_length(when).tolist() == naive


# The metrics.

SYSTEM = co.Multicluster([8, 4])


def run(count=300, load=0.8, seed=3):
    jobs = co.JobModel(co.uniform(1, 8), request="flexible").sample(
        count, seed, rate=load * 12 / 4.5
    )
    return co.simulate(SYSTEM, jobs.replace(span_penalty=0.2), placement=co.SingleThenSpan())


def test_all_jobs_have_the_schedules_own_means():
    schedule = run()
    row = means(schedule, at_least=2)
    assert (row["jobs"], row["refused"]) == (300, 0)
    for weights in ("work", "processors"):
        expected = schedule.average_weighted_response_time(weights)
        assert row[f"awrt_{weights}"] == pytest.approx(expected)
    assert 0 < row["spanning"] == schedule.spans.mean()
    for name, values in (
        ("response", schedule.response),
        ("wait", schedule.wait),
        ("slowdown", schedule.slowdown(2)),
    ):
        assert row[f"{name}_mean"] == pytest.approx(values.mean())


def test_refused_jobs_are_counted_and_left_out():
    """The first job is longer than the horizon and is rejected."""
    jobs = co.JobStream([0, 0, 0], [60, 20, 30], [8, 4, 2])
    online = co.Online(slot=10, step=10, max_attempts=4, horizon=50)
    schedule = co.simulate(co.Multicluster([8]), jobs, scheduling=online).verify()
    row = means(schedule)
    assert (row["jobs"], row["refused"]) == (3, 1)
    assert row["response_mean"] == 25
    assert row["awrt_work"] == pytest.approx((80 * 20 + 60 * 30) / 140)
    assert not np.isnan([*row.values()]).any()
    long = co.simulate(co.Multicluster([8]), jobs[:1], scheduling=online)
    with pytest.raises(co.InputError, match="all jobs of the schedule were rejected"):
        means(long)
    busy = utilization_timeline(schedule, [0, 10, 40])["utilization"]
    assert busy.tolist()[:2] == pytest.approx([6 / 8, (40 + 40) / 240])


def test_a_schedule_with_rejected_jobs_is_described_by_the_jobs_that_ran():
    """Only the first of many jobs can end before the horizon, so all others are rejected."""
    count = 2 * FIRST
    jobs = co.JobStream(np.zeros(count), [9, *[99] * (count - 1)], np.ones(count), request="total")
    online = co.Online(slot=10, step=10, max_attempts=4, horizon=50)
    schedule = co.simulate(co.Multicluster([1]), jobs, scheduling=online)
    assert len(schedule.refused) == count - 1
    assert window_of(schedule, None) == ((0, 9), "")
    card = schedule._repr_html_()
    assert "nan" not in card
    assert f"rejected jobs</th><td{STYLE}>{count - 1}</td>" in card
    assert f"mean response</th><td{STYLE}>9</td>" in card
    none = co.simulate(co.Multicluster([1]), jobs[1:], scheduling=online)
    assert "mean wait" not in none._repr_html_()


def test_a_window_of_the_first_jobs_leaves_rejected_jobs_out():
    """Every second job is rejected. The window ends at the start of the first job that is not
    shown."""
    count = 4 * FIRST
    jobs = co.JobStream(np.arange(count), np.tile([1, 99], count // 2), np.ones(count))
    online = co.Online(slot=10, step=10, max_attempts=4, horizon=50)
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=online)
    assert schedule.served.sum() == 2 * FIRST
    assert window_of(schedule, None)[0] == (0, 2 * FIRST)


def test_utilization_by_hand():
    jobs = co.JobStream([0, 0], [4, 2], [8, 4], request="total")
    table = utilization_timeline(co.simulate(SYSTEM, jobs), [0, 3, 6])
    assert table["group"].tolist() == ["all", "all", 0, 0, 1, 1]
    expected = [(24 + 8) / 36, 8 / 36, 1, 1 / 3, 2 / 3, 0]
    assert table["utilization"].tolist() == pytest.approx(expected)


def test_bad_input_is_named():
    jobs = co.JobStream([0, 0, 0], [0, 0, 1], [1, 4, 2])
    schedule = co.simulate(SYSTEM, jobs)
    for run, words in (
        (lambda: means(co.simulate(SYSTEM, jobs[:2])), "all jobs have a run time of 0"),
        (lambda: means(schedule, at_least=0), "at_least = 0"),
        (lambda: by_width(jobs, [2, 3]), r"bounds = \[2, 3\]; give increasing"),
        (lambda: utilization_timeline(schedule, [3, 2]), "give two or more increasing instants"),
        (lambda: means(jobs), "is not of type Schedule; give a schedule that"),
    ):
        with pytest.raises(co.InputError, match=words):
            run()


def test_groups_of_widths_have_the_bounds_and_names_of_powers_of_two():
    jobs = co.JobStream(submit=[0] * 7, runtime=[1] * 7, components=[*range(1, 8)])
    edges = width_edges(7)
    assert edges.tolist() == [1, 2, 4, 8]
    assert width_names(edges) == ["1", "2", "3-4", "5-8"]
    assert [*by_width(jobs).categories] == width_names(edges)
    assert width_edges(1).tolist() == [1]
