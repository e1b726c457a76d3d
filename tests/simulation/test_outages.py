"""Outages: no job runs on what is out of use, and what fits before or beside it still does."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.experiments.sweep.cache import describe
from coalloc_lib.schedules.verification import ScheduleError

NONE = "cluster,start,end,processors\n"


@pytest.mark.parametrize(
    ("policy", "start"),
    [
        # Job 0 runs until 10; 1 would still run as the outage begins, 2 ends as it does.
        (co.EASY(), [0, 20, 10]),
        (co.Conservative(), [0, 20, 10]),
        (co.Online(slot=1, step=1, horizon=100), [0, 20, 10]),
    ],
)
def test_a_job_that_would_still_run_waits_until_it_is_over(policy, start):
    jobs = co.JobStream([0, 1, 2], [10, 8, 5], [4, 4, 4], request="total")
    outages = [co.Outage(0, 15, 20)]
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=policy, outages=outages)
    assert schedule.verify().start.tolist() == start
    assert schedule.whole.start.max() == max(15, *start)
    assert len(schedule) == 3


def test_a_part_of_one_cluster_leaves_the_rest_in_use():
    jobs = co.JobStream([0, 0, 0], [9, 9, 9], [2, 2, 2], request="flexible")
    outage = co.Outage(cluster=1, start=1, end=5, processors=3)
    how = {"scheduling": co.EASY(), "placement": co.SingleThenSpan(), "outages": [outage]}
    schedule = co.simulate(co.Multicluster([3, 4]), jobs, **how).verify()
    assert schedule.start.tolist() == [0, 0, 5]  # four idle until 1, of which one is beside it
    ids = schedule.processor_ids()
    blocked = schedule.whole.processor_ids()[int(schedule.whole.jobs.number.argmax())]
    assert not {*ids[0].tolist(), *ids[1].tolist()} & {*blocked.tolist()}


@given(st.data(), st.sampled_from(["total", "flexible", "ordered"]), st.integers(0, 2**32 - 1))
def test_what_is_out_of_use_is_used_by_no_one(data, request, seed):
    rng, sizes = np.random.default_rng(seed), np.array([5, 3])
    count = data.draw(st.integers(1, 25))
    estimate = rng.integers(0, 20, count)
    wide = rng.integers(1, 4, (count, 2)) if request == "ordered" else rng.integers(1, 4, count)
    jobs = co.JobStream(
        np.sort(rng.integers(0, 60, count)), rng.integers(0, estimate + 1), wide, estimate, request
    )
    begins = rng.integers(0, 80, 2)
    outages = [
        co.Outage(c, begin, begin + int(rng.integers(1, 30)), data.draw(st.integers(1, size)))
        for c, (begin, size) in enumerate(zip(begins.tolist(), sizes.tolist(), strict=True))
    ]
    policy = data.draw(st.sampled_from([co.EASY(), co.EASY(order="shortest"), co.Conservative()]))
    schedule = co.simulate(co.Multicluster(sizes), jobs, scheduling=policy, outages=outages)
    schedule.verify()
    for outage in outages:
        for instant in {outage.start, *schedule.start[schedule.start >= outage.start].tolist()}:
            if instant < outage.end:
                runs = (schedule.start <= instant) & (schedule.end > instant)
                busy = schedule.allocation[runs, outage.cluster].sum()
                assert busy + outage.processors <= sizes[outage.cluster]


def test_an_outage_in_nobodys_way_changes_nothing():
    rng = np.random.default_rng(5)
    jobs = co.JobStream(np.cumsum(rng.exponential(2, 300)), rng.exponential(5, 300),
                        rng.integers(1, 5, 300), request="total")  # fmt: skip
    for policy in (co.EASY(), co.Conservative()):
        plain = co.simulate(
            co.Multicluster([6, 6]), jobs, scheduling=policy, placement=co.BestFit()
        )
        later = [co.Outage(0, plain.end.max() + 1e4, plain.end.max() + 2e4)]
        with_it = co.Scenario(co.Multicluster([6, 6]), jobs, policy, co.BestFit(),
                              outages=tuple(later)).run(jobs)  # fmt: skip
        assert with_it.start.tolist() == plain.start.tolist()
        assert with_it.utilization() == plain.utilization()


def test_scenarios_with_other_outages_are_other_points_of_a_sweep():
    one = co.Scenario(co.Multicluster([4]), co.JobModel(co.uniform(1, 2), 1, "total"), co.EASY())
    other = one.with_(outages=(co.Outage(0, 1, 2),))
    assert one != other
    assert describe(one) != describe(other)


def test_a_schedule_that_is_not_that_around_its_outages_is_found():
    jobs = co.JobStream([0, 1], [10, 8], [4, 4], request="total")
    how = {"scheduling": co.EASY(), "outages": [co.Outage(0, 15, 20)]}
    schedule = co.simulate(co.Multicluster([4]), jobs, **how)
    early = replace(schedule, start=schedule.start - [0, 10], end=schedule.end - [0, 10])
    with pytest.raises(ScheduleError, match="start of the jobs is not that around the outages"):
        early.verify()


@pytest.mark.parametrize(
    ("outages", "how", "message"),
    [
        (
            [co.Outage(2, 0, 1)],
            {},
            r"Outage\(cluster=2.*: the clusters, from 0, have 4, 4; name what",
        ),
        ([co.Outage(0, 0, 1, 9)], {}, "processors=9.*: the clusters, from 0, have "),
        (
            [co.Outage(0, 3, 9), co.Outage(0, 5, 6)],
            {},
            "the one from 5 to 6 cannot be, as others overlap it",
        ),
        ([co.Outage(0, 3, 9)], {"scheduling": co.FCFS()}, r"FCFS\(\) plans around no outages"),
        ([co.Outage(0, 3, 9)], {"backlog": 1}, r"backlog = 1 is given with outages.* leave it out"),
        ([(0, 3, 9)], {}, r"outages = \(0, 3, 9\) is no Outage"),
    ],
)
def test_what_cannot_be_is_refused(outages, how, message):
    jobs = co.JobStream([0], [1], [1], request="total")
    with pytest.raises(co.InputError, match=message):
        co.simulate(
            co.Multicluster([4, 4]), jobs, outages=outages, **{"scheduling": co.EASY()} | how
        )


def test_unordered_requests_are_refused():
    how = {"scheduling": co.EASY(), "outages": [co.Outage(0, 1, 2)]}
    with pytest.raises(co.InputError, match="total, flexible and ordered requests"):
        co.simulate(co.Multicluster([4]), co.JobStream([0], [1], [1]), **how)


def test_a_file_of_outages_counts_seconds_or_dates(tmp_path):
    path = tmp_path / "outages.csv"
    path.write_text(
        NONE + "0,3600,7200,16\n1, 1970-01-02T00:00, 1970-01-02T02:00+01:00,\n1,5,10,\n"
    )
    seconds, dates = co.read_outages(path, epoch=3600)[:2]
    assert seconds == co.Outage(0, 3600, 7200, 16)
    assert dates == co.Outage(1, 86_400 - 3600, 86_400)
    path.write_text(NONE + "0,1970-01-01,1970-01-02,\n0,1969-01-01,1969-01-02,\n")
    assert co.read_outages(path, epoch=3600) == (co.Outage(0, 0, 82_800),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "outages.csv has no outage; give a line"),
        (NONE, "outages.csv has no outage; give a line"),
        ("cluster;start;end\n0;1;2\n", "line 1: no column cluster; name cluster,start,end"),
        (NONE + "0,1,2,\nx,1,2,\n", "line 3: cluster = 'x'; give a whole number"),
        (NONE + "1.0,1,2,\n", "line 2: cluster = '1.0'; give a whole number"),
        (NONE + ",1,2,\n", "line 2: cluster is empty"),
        (NONE + "0,300,\n", "line 2: end = ''; give seconds of the log, or a date"),
        ("cluster,start,end\n0,1\n", "line 2: end = None; give seconds"),
        ("cluster,start,end\n0,1,2,9\n", "line 2: more cells than the header has names"),
        (NONE + "0,8:00,9:00,\n", "line 2: start = '8:00'; give seconds of the log, or a date"),
        (NONE + "0,nan,9,\n", "line 2: start = 'nan'; give seconds"),
        (NONE + "0,1_000,2_000,\n", "line 2: start = '1_000'; give seconds"),
        (NONE + "0,1,٢,\n", "line 2: end = '٢'; give seconds"),
        (NONE + "1_0,1,2,\n", "line 2: cluster = '1_0'; give a whole number"),
        (NONE + "１,1,2,\n", "line 2: cluster = '１'; give a whole number"),
        (NONE + "0,1,2," + "9" * 5000, "line 2: processors = '999.*; give a whole number"),
        (NONE + "\n\n0,1,2,\nx,1,2,\n", "line 5: cluster = 'x'; give a whole number"),
        ("cluster,start,end,start\n0,1,9,2\n", "line 1: column 'start' comes twice; name each"),
        (NONE + "0,7,2,\n", "line 2: end = 2 is not after start = 7"),
        (NONE + "0,1,2,0\n", "line 2: processors = 0"),
        (NONE + "0,soon,2,\n", "line 2: start = 'soon'; give seconds"),
        (NONE + "0,,2,\n", "line 2: start = ''; give seconds"),
        (NONE + "0,2025-01-01,2025-01-02,\n", "line 2: 2025-01-01 is a date, and the log tells no"),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path, content, message):
    path = tmp_path / "outages.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(co.InputError, match=message):
        co.read_outages(path)
    with pytest.raises(co.InputError, match="No such file"):
        co.read_outages(tmp_path / "none.csv")
    with pytest.raises(co.InputError, match="Is a directory; give a CSV file"):
        co.read_outages(tmp_path)


def test_an_outage_goes_before_the_jobs_of_its_instant_whatever_the_order():
    jobs = co.JobStream([0, 0, 1], [100, 100, 5], [4, 4, 4], request="total", priority=[1, 2, 3])
    for order in ("arrival", "shortest", "smallest", "priority"):
        for policy in (co.EASY(order=order), co.Conservative(order=order)):
            for engine in (None, "reference"):
                how = {"scheduling": policy, "engine": engine, "outages": [co.Outage(0, 50, 400)]}
                schedule = co.simulate(co.Multicluster([4]), jobs, **how).verify()
                assert schedule.start.min() == 1  # job 2 alone ends before it
                assert sorted(schedule.start.tolist()) == [1, 400, 500]


def test_jobs_that_online_refuses_are_refused_around_outages():
    """Job 1 would start after the horizon: the third in the stream, since it comes last."""
    jobs = co.JobStream([5, 9, 0], [4, 40, 4], [4, 4, 4], request="total")
    policy = co.Online(slot=1, step=1, horizon=40)
    outages = [co.Outage(0, 6, 8)]
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=policy, outages=outages).verify()
    assert {*schedule.refused} == {1}
    assert schedule.served.tolist() == [True, False, True]
    assert schedule.start[[0, 2]].tolist() == schedule.promised[[0, 2]].tolist() == [8, 0]
    assert schedule.attempts[0] == 4  # at 5, 6, 7 and 8
    with pytest.raises(co.InputError, match=r"Online books no further.*a longer horizon"):
        co.simulate(co.Multicluster([4]), jobs, scheduling=policy, outages=[co.Outage(0, 60, 90)])


def test_jobs_that_reserve_keep_their_start_beside_outages():
    jobs = co.JobStream([3, 0], [4, 4], [2, 2], earliest_start=[20, 0], request="total")
    for policy in (co.EASY(), co.Conservative()):
        how = {"scheduling": policy, "outages": [co.Outage(0, 2, 22, 1)]}
        schedule = co.simulate(co.Multicluster([3]), jobs, **how).verify()
        assert schedule.start.tolist() == [20, 0]
        assert schedule.promised[0] == 20


@pytest.mark.parametrize("wrong", [co.Outage(0, 1, 2), "outages.csv", 3, [1]])
def test_what_is_no_list_of_outages_is_refused(wrong):
    jobs = co.JobStream([0], [1], [1], request="total")
    for call in (
        lambda: co.simulate(co.Multicluster([4]), jobs, scheduling=co.EASY(), outages=wrong),
        lambda: co.Scenario(co.Multicluster([4]), jobs, co.EASY(), outages=wrong),
    ):
        with pytest.raises(co.InputError, match="outages = "):
            call()


@pytest.mark.parametrize("policy", [co.EASY(), co.Conservative()])
def test_a_fault_names_the_job_as_the_user_numbers_it(policy):
    """The outages stand first in the stream that is run, and are no jobs of the user's."""
    outages = (co.Outage(0, 2, 4), co.Outage(0, 20, 21))
    jobs = co.JobStream([0, 0, 1], [2, 3, 4], [2, 2, 2], request="total")
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=policy, outages=outages)
    schedule.verify()
    whole = schedule.whole
    row = int(np.flatnonzero(whole.jobs.number == 1)[0])
    late = {name: getattr(whole, name).copy() for name in ("start", "end")}
    late["start"][row] += 10
    late["end"][row] += 10
    with pytest.raises(ScheduleError, match=r"^job 1 at "):
        replace(schedule, whole=replace(whole, **late)).verify()
    with pytest.raises(ScheduleError, match=r"^the promised of the jobs is not that around"):
        replace(schedule, promised=schedule.promised + 1).verify()
