"""Files of other tools: Batsim's table of jobs."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.schedules.exchange import batsim_jobs
from tests.conftest import ROOT, onlines, placements, policies, systems_and_streams

CASES = ROOT / "tests" / "workloads" / "cases"


@st.composite
def schedules(draw):
    system, jobs = draw(systems_and_streams())
    places = None if jobs.request == "ordered" else draw(placements(len(system), jobs.request))
    return co.simulate(
        system, jobs, scheduling=draw(policies), placement=places, engine="reference"
    )


def processors(text):
    """Return the processors in a text: ``0-2 7`` means the processors 0, 1, 2 and 7."""
    ends = [part.partition("-")[::2] for part in text.split()]
    return [p for low, high in ends for p in range(int(low), int(high or low) + 1)]


def overlaps(spans):
    """Return whether any two of these time intervals overlap."""
    spans = sorted(span for span in spans if span[1] > span[0])
    return any(later[0] < earlier[1] for earlier, later in pairwise(spans))


@given(schedules())
def test_processors_are_those_of_the_allocation_and_none_is_used_twice(schedule):
    ids = schedule.processor_ids()
    edges = np.append(0, np.cumsum(schedule.system.sizes))
    spans = {}
    for job, mine in enumerate(ids):
        assert (np.diff(mine) > 0).all()
        np.testing.assert_array_equal(np.histogram(mine, edges)[0], schedule.allocation[job])
        for processor in mine.tolist():
            span = (schedule.start[job], schedule.end[job])
            spans.setdefault(processor, []).append(span)
    assert not any(map(overlaps, spans.values()))


def two_clusters():
    """Return a schedule of four jobs. The second job spans both clusters, the third uses processors
    that the first released, and the fourth runs for a time of 0."""
    jobs = co.JobStream(
        [0, 0, 1, 2], [4, 9, 2, 0], [[3], [4], [5], [1]], [5, 10, 2, 1], "flexible",
        number=[11, 12, 13, 14],
    )  # fmt: skip
    allocation = np.array([[3, 0], [1, 3], [3, 2], [0, 1]])
    start, end = np.array([0.0, 0, 4, 6]), np.array([4.0, 9, 6, 6])
    system = co.Multicluster([4, 5])
    return co.Schedule(system, jobs, co.FCFS(), co.FirstFit(), start, end, allocation)


def test_the_lowest_free_processors_are_taken():
    ids = [mine.tolist() for mine in two_clusters().processor_ids()]
    assert ids == [[0, 1, 2], [3, 4, 5, 6], [0, 1, 2, 7, 8], [7]]


def test_an_allocation_that_does_not_fit_is_refused():
    schedule = two_clusters()
    schedule.allocation[1] = [2, 2]
    with pytest.raises(co.InputError, match=r"cluster 0 is too small for job 1; call verify"):
        schedule.processor_ids()


@given(systems_and_streams(requests=("total", "flexible")), onlines())
def test_what_online_booked_is_what_is_shown(case, policy):
    system, jobs = case
    schedule = co.simulate(system, jobs, scheduling=policy)
    assert schedule.processor_ids() is schedule.servers
    table = batsim_jobs(schedule)
    assert table["success"].tolist() == schedule.served.astype(int).tolist()
    assert (table["allocated_resources"] == "").tolist() == (~schedule.served).tolist()


def test_the_table_of_jobs(tmp_path):
    co.export(two_clusters(), tmp_path / "jobs.csv")
    table = pd.read_csv(tmp_path / "jobs.csv").drop(columns=["workload_name"])
    assert table["allocated_resources"].tolist() == ["0-2", "3 4-6", "0-2 7-8", "7"]
    row = table.iloc[2].drop("allocated_resources").to_dict()
    assert row == {
        "job_id": 13, "submission_time": 1, "requested_number_of_resources": 5,
        "requested_time": 2, "success": 1, "starting_time": 4, "execution_time": 2,
        "finish_time": 6, "waiting_time": 3, "turnaround_time": 5, "stretch": 2.5,
    }  # fmt: skip
    assert np.isnan(table["stretch"][3])  # it runs for no time


@given(schedules())
def test_the_table_holds_the_schedule(schedule):
    table = batsim_jobs(schedule)
    for text, mine in zip(table["allocated_resources"], schedule.processor_ids(), strict=True):
        assert processors(text) == mine.tolist()
    np.testing.assert_array_equal(table["finish_time"], schedule.end)


@pytest.mark.parametrize("name", ["jobs", "jobs.txt", "jobs.json", "jobs.csv.gz"])
def test_an_export_of_no_known_kind_is_refused(tmp_path, name):
    with pytest.raises(co.InputError, match=r"path.suffix = .*; choose one of '.csv'"):
        co.export(two_clusters(), tmp_path / name)
    assert not list(tmp_path.iterdir())
    with pytest.raises(co.InputError, match="is not of type Schedule"):
        co.export("schedule", tmp_path / "jobs.csv")


# Jobs that failed.


def exported(jobs, folder, system=4):
    schedule = co.simulate(co.Multicluster([system]), jobs, scheduling=co.EASY())
    co.export(schedule, folder / "jobs.csv")
    return pd.read_csv(folder / "jobs.csv", dtype={"job_id": str}).set_index("job_id")


def test_killed_jobs_keep_their_ids_and_have_no_success(tmp_path):
    """Job a is killed at its walltime. Job c has the return code 1 and no walltime."""
    jobs = co.read_batsim(CASES / "batsim_killed.json")
    table = exported(jobs, tmp_path)
    assert table.index.tolist() == ["a", "b", "c"]
    assert table["success"].tolist() == [0, 1, 0]
    assert table["requested_time"].tolist() == [60, 200, -1]
    assert table["execution_time"].tolist() == [60, 10, 10]


def test_labels_and_failures_stay_with_their_jobs(tmp_path):
    jobs = co.read_batsim(CASES / "batsim_killed.json")
    more = co.JobStream([1], [5], [1], request="total", number=[9])
    both = co.merge(jobs[::-1], more)
    assert dict(zip(both.label, both.failed, strict=True)) == {
        "a": True, "b": False, "c": True, "9": False,
    }  # fmt: skip
    again = both[both.failed].replace(submit=[3, 4])
    assert (again.label.tolist(), again.failed.tolist()) == (["a", "c"], [True, True])
    with pytest.raises(co.InputError, match=r"label has 1 entries and submit has 2; give one"):
        again.replace(label=["x"])
    with pytest.raises(co.InputError, match=r"failed = \[1, 0\]; give True or False for each"):
        again.replace(failed=[1, 0])


def test_jobs_of_a_log_that_failed_have_no_success_and_keep_that(tmp_path):
    given = [(20, 1), (-1, 0), (30, 5), (40, -1)]
    lines = [f"{n} {n} 0 9 1 -1 -1 1 {time} -1 {status} 1 1 1 1 1 -1"
             for n, (time, status) in enumerate(given, start=1)]  # fmt: skip
    (tmp_path / "log.swf").write_text("\n".join(f"{line} -1" for line in lines))
    jobs = co.read_swf(tmp_path / "log.swf").jobs()
    table = exported(jobs, tmp_path)
    assert table["success"].tolist() == [1, 0, 0, 1]
    assert table["requested_time"].tolist() == [20, -1, 30, 40]
    co.write_swf(tmp_path / "again.swf", jobs)
    again = co.read_swf(tmp_path / "again.swf").table
    assert again["requested_time"].tolist() == [20, -1, 30, 40]
    assert again["status"].tolist() == [1, 0, 0, 1]
