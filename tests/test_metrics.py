"""The metrics of a schedule: by hand, by the schedule's own means, and by their identities."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib import metrics, sites
from coalloc_lib.metrics import by_width, job_table, summary, utilization_timeline
from coalloc_lib.scheduling import Scheduling
from coalloc_lib.workloads.sites import modified, round_robin
from tests.conftest import systems_and_streams

SYSTEM = co.Multicluster([8, 4])


def run(count=300, load=0.8, seed=3):
    jobs = co.JobModel(co.uniform(1, 8), request="flexible").sample(
        count, seed, rate=load * 12 / 4.5
    )
    return co.simulate(SYSTEM, jobs.replace(span_penalty=0.2), placement=co.SingleThenSpan())


def test_all_jobs_have_the_schedules_own_means():
    schedule = run()
    row = summary(schedule, percentiles=[25, 99.5], at_least=2).iloc[0]
    assert (row["grouping"], row["group"], row["counted"]) == ("all", "all", "as scheduled")
    assert (row["jobs"], row["refused"]) == (300, 0)
    for weights in ("work", "processors"):
        expected = schedule.average_weighted_response_time(weights)
        assert row[f"awrt_{weights}"] == pytest.approx(expected)
    assert 0 < row["spanning"] == schedule.spans.mean()
    columns = {
        "response": schedule.response,
        "wait": schedule.wait,
        "slowdown": schedule.slowdown(2),
    }
    for name, values in columns.items():
        assert row[f"{name}_mean"] == pytest.approx(values.mean())
        assert row[f"{name}_p25"] == np.percentile(values, 25)
        assert row[f"{name}_p99.5"] == np.percentile(values, 99.5)


def test_each_group_is_what_it_is_alone():
    schedule = run()
    site = round_robin(schedule.jobs, 3)
    table = summary(schedule, {"site": site, "width": by_width(schedule.jobs)})
    assert table["grouping"].tolist() == ["all", *["site"] * 3, *["width"] * 4]
    assert table["group"].tolist() == ["all", 0, 1, 2, "1", "2", "3-4", "5-8"]
    for _, row in table[table["grouping"] == "site"].iterrows():
        mine = site == row["group"]
        weight = schedule.jobs.work[mine]
        assert row["jobs"] == mine.sum()
        assert row["response_mean"] == pytest.approx(schedule.response[mine].mean())
        assert row["awrt_work"] == pytest.approx(weight @ schedule.response[mine] / weight.sum())
    for _, part in table.groupby("grouping"):
        # All groups of a grouping together have every job.
        total = (part["jobs"] * part["response_mean"]).sum()
        assert total == pytest.approx(schedule.response.sum())


def test_width_groups_by_hand():
    jobs = co.JobStream([0] * 6, [1] * 6, [1, 2, 3, 4, 5, 16])
    assert list(by_width(jobs)) == ["1", "2", "3-4", "3-4", "5-8", "9-16"]
    assert by_width(jobs[[0, 5]]).categories.tolist() == ["1", "9-16"]
    assert list(by_width(jobs, [3, 20])) == ["1-3"] * 3 + ["4-20"] * 3


def test_pieces_and_whole_jobs_by_hand():
    """A job of 12 in pieces of 8 and 4, both of one cluster of 8: the second starts when the first
    ends; a job of 2 goes beside it.
    """
    jobs = co.JobStream([0, 1], [10, 30], [12, 2])
    chopped = jobs.chopped(8)
    schedule = co.simulate(co.Multicluster([8]), chopped.pieces)
    assert schedule.end.tolist() == [10, 20, 40]
    pieces, whole = summary(schedule), summary(schedule, chopped=chopped)
    assert (pieces["jobs"][0], whole["jobs"][0]) == (3, 2)
    assert pieces["counted"][0] == "as scheduled"
    assert whole["counted"][0] == "whole jobs"
    assert pieces["awrt_processors"][0] == pytest.approx((8 * 10 + 4 * 20 + 2 * 39) / 14)
    assert whole["awrt_processors"][0] == pytest.approx((12 * 20 + 2 * 39) / 14)
    assert pieces["awrt_work"][0] == pytest.approx((80 * 10 + 40 * 20 + 60 * 39) / 180)
    assert whole["awrt_work"][0] == pytest.approx((120 * 20 + 60 * 39) / 180)
    assert pieces["wait_mean"][0] == pytest.approx((0 + 10 + 9) / 3)
    assert whole["wait_mean"][0] == pytest.approx((0 + 9) / 2)
    assert whole["slowdown_mean"][0] == pytest.approx((20 / 10 + 39 / 30) / 2)
    rows = job_table(schedule, chopped)
    assert rows["job"].tolist() == [1, 2]
    assert rows["end"].tolist() == [20, 40]


@settings(max_examples=50)
@given(systems_and_streams(requests=("total",)), st.integers(1, 9))
def test_a_whole_job_is_never_better_off_than_its_pieces(case, at_most):
    system, jobs = case
    chopped = jobs.replace(runtime=jobs.runtime + 1).chopped(at_most)
    schedule = co.simulate(system, chopped.pieces)
    pieces, whole = summary(schedule).iloc[0], summary(schedule, chopped=chopped).iloc[0]
    for weight in ("awrt_work", "awrt_processors"):
        assert whole[weight] >= pieces[weight] * (1 - 1e-12)
    if at_most >= jobs.processors.max():
        pd.testing.assert_series_equal(whole.drop("counted"), pieces.drop("counted"))


def test_the_sites_of_whole_jobs():
    jobs = co.JobModel(co.uniform(1, 12), request="total").sample(200, 1, rate=0.8)
    site = round_robin(jobs, 2)
    chopped = modified(jobs, SYSTEM, site, "local")
    schedule = sites.local(SYSTEM, chopped.pieces, site[chopped.job])
    table = summary(schedule, {"site": site}, chopped=chopped)
    assert table["jobs"].tolist() == [200, 100, 100]
    pieces = summary(schedule, {"site": site[chopped.job]})
    assert pieces["jobs"].tolist()[0] == len(chopped.pieces)


class RefuseWide(Scheduling):
    """Turns away what has more than six processors."""

    def start_jobs(self, state):
        for job in tuple(state.queue):
            if job.processors > 6:
                state.refuse(job, "too wide")
            elif not state.start(job):
                break


def test_refused_jobs_are_counted_and_left_out():
    jobs = co.JobStream([0, 0, 0], [20, 20, 30], [8, 4, 2])
    schedule = co.simulate(
        co.Multicluster([8]), jobs, scheduling=RefuseWide(), engine="reference"
    ).verify()
    row = summary(schedule).iloc[0]
    assert (row["jobs"], row["refused"]) == (3, 1)
    assert row["response_mean"] == 25
    assert row["awrt_work"] == pytest.approx((80 * 20 + 60 * 30) / 140)
    assert not row.isna().any()
    with pytest.raises(co.InputError, match=r"group '7-8' of width: all 1 jobs were refused"):
        summary(schedule, {"width": by_width(jobs, [6, 8])})
    busy = utilization_timeline(schedule, [0, 10, 40])["utilization"]
    assert busy.tolist()[:2] == pytest.approx([6 / 8, (40 + 40) / 240])


def test_a_job_is_refused_with_any_of_its_pieces():
    chopped = co.JobStream([0, 0], [20, 20], [9, 3]).chopped(7)
    schedule = co.simulate(
        co.Multicluster([8]), chopped.pieces, scheduling=RefuseWide(), engine="reference"
    )
    row = summary(schedule, chopped=chopped).iloc[0]
    assert (row["jobs"], row["refused"], row["response_mean"]) == (2, 1, 20)


def test_utilization_adds_up():
    schedule = run()
    edges = np.linspace(0, schedule.makespan, 9)
    table = utilization_timeline(schedule, edges)
    of = {name: part["utilization"].to_numpy() for name, part in table.groupby("group")}
    np.testing.assert_allclose(of["all"], schedule.utilization_between(edges))
    np.testing.assert_allclose(12 * of["all"], 8 * of[0] + 4 * of[1])
    assert table["begin"].tolist() == [*edges[:-1]] * 3
    table = utilization_timeline(schedule, edges, by_width(schedule.jobs))
    sums = table[table["grouping"] == "group"].groupby("begin")["utilization"].sum()
    np.testing.assert_allclose(sums, of["all"])


def test_utilization_by_hand():
    jobs = co.JobStream([0, 0], [4, 2], [8, 4], request="total")
    table = utilization_timeline(co.simulate(SYSTEM, jobs), [0, 3, 6])
    assert table["group"].tolist() == ["all", "all", 0, 0, 1, 1]
    expected = [(24 + 8) / 36, 8 / 36, 1, 1 / 3, 2 / 3, 0]
    assert table["utilization"].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([0, 1], "groups 'group' has 2 for 3 jobs; give one a job"),
        ({"site": [0, None, 1]}, "groups 'site' has no group for job 1"),
        ({"site": pd.Categorical([0, 2, 2], [0, 1, 2])}, "group 1 of site has no job; leave it"),
        ({"site": 7}, "groups 'site' = 7"),
    ],
)
def test_bad_groups_are_named(groups, words):
    schedule = co.simulate(SYSTEM, co.JobStream([0, 0, 0], [1, 1, 1], [1, 1, 1]))
    with pytest.raises(co.InputError, match=words):
        summary(schedule, groups)


def test_other_bad_input_is_named():
    jobs = co.JobStream([0, 0, 0], [0, 0, 1], [1, 4, 2])
    schedule = co.simulate(SYSTEM, jobs)
    with pytest.raises(co.InputError, match="group 'a' of group: no job runs for any time"):
        summary(schedule, ["a", "a", "b"])
    with pytest.raises(co.InputError, match="percentiles has 101; give numbers from 0 to 100"):
        summary(schedule, percentiles=[101])
    with pytest.raises(co.InputError, match="at_least = 0"):
        summary(schedule, at_least=0)
    with pytest.raises(co.InputError, match="chopped has 4 pieces, which are not the 3 jobs"):
        summary(schedule, chopped=jobs.chopped(2))
    with pytest.raises(co.InputError, match="bounds = \\[2, 3\\]; give increasing"):
        by_width(jobs, [2, 3])
    with pytest.raises(co.InputError, match="group '3' of group has no job"):
        summary(schedule, by_width(jobs, [2, 3, 4]))
    with pytest.raises(co.InputError, match="give two or more increasing instants"):
        utilization_timeline(schedule, [3, 2])
    with pytest.raises(co.InputError, match="is no Schedule; give what simulate"):
        summary(jobs)
    assert metrics.by_width(jobs).categories.tolist() == ["1", "2", "3-4"]
