"""Workloads of Batsim."""

import json

import pytest

import coalloc_lib as co
from tests.schedules.test_exchange import exported

PROFILES = {"short": {"type": "delay", "delay": 20.25}, "new": {"type": "DelayProfile", "delay": 9},
            "work": {"type": "parallel_homogeneous", "cpu": 1e6, "com": 0}}  # fmt: skip


def workload(folder, *jobs, **more):
    text = json.dumps({"nb_res": 8, "jobs": jobs, "profiles": PROFILES} | more)
    (folder / "workload.json").write_text(text)
    return folder / "workload.json"


def job(number, profile="short", **more):
    return {"id": number, "subtime": 5, "res": 2, "profile": profile} | more


def test_a_workload_of_delays_is_a_stream(tmp_path):
    path = workload(tmp_path, job("7", walltime=60), job("3", "new", walltime=5, res=4),
                    job("9", subtime=1.5, walltime=-1), job("10"))  # fmt: skip
    jobs = co.read_batsim(path)
    assert jobs.submit.tolist() == [5, 5, 1.5, 5]
    assert jobs.runtime.tolist() == [20.25, 5, 20.25, 20.25]  # Batsim stops a job at its walltime
    assert jobs.estimate.tolist() == [60, 5, 20.25, 20.25]
    assert jobs.components.tolist() == [[2], [4], [2], [2]]
    assert jobs.number.tolist() == [7, 3, 9, 10]
    assert (jobs.request, co.read_batsim(path, "flexible").request) == ("total", "flexible")
    assert co.simulate(co.Multicluster([8]), jobs).verify()
    named = co.read_batsim(workload(tmp_path, job("w0!1"), job("2")))
    assert named.number.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("delay", "walltime", "ret", "success"),
    [(59, 60, 0, 1), (60, 60, 0, 0), (61, 60, 0, 0), (59, 60, 3, 0), (59, 60, -1, 0),
     (61, -1, 0, 1), (61, None, 0, 1), (61, -1, 1, 0)],
)  # fmt: skip
def test_a_job_succeeds_before_its_walltime_and_if_it_returns_0(
    tmp_path, delay, walltime, ret, success
):
    profiles = {"short": {"type": "delay", "delay": delay, "ret": ret}}
    jobs = co.read_batsim(workload(tmp_path, job("007", walltime=walltime), profiles=profiles))
    table = exported(jobs, tmp_path)
    assert table["success"].tolist() == [success]
    assert table.index.tolist() == ["007"]
    assert table["requested_time"].tolist() == [walltime or -1]


@pytest.mark.parametrize(
    ("jobs", "more", "cause"),
    [
        ([job(1), job(2, "work")], {}, "job 2 has a profile of type 'parallel_homogeneous', whose"),
        ([job(1, "gone")], {}, "not a Batsim workload .KeyError: 'gone'"),
        ([{"id": 1}], {}, "not a Batsim workload .KeyError: 'profile'"),
        ([job(1)], {"profiles": [1]}, "not a Batsim workload .TypeError"),
        ([job(1)], {"profiles": {"short": {"type": "delay", "delay": "long"}}}, "delay.0. = 'l"),
        ([], {}, "workload.json has no jobs; give"),
        ([job(1), job(2, res=0)], {}, r"workload.json: res\[1\] = 0; give a whole number of 1"),
        ([job(1)], {"profiles": {"short": {"type": "delay", "delay": 1, "ret": "x"}}}, r"ret\[0\]"),
        ([job(1, walltime=10**400)], {}, r"json: walltime\[0\] = 1000.* smaller number"),
        ([job(1)], {"profiles": {"short": {"type": "delay", "delay": 10**400}}}, r"delay\[0\] = 1"),
        (
            [job(1)],
            {"profiles": {"short": {"type": "delay", "delay": []}}},
            "json: delay has 2 dim",
        ),
        ([job(1)], {"profiles": {"short": {"type": "delay"}}}, r"json: delay\[0\] = None; give"),
        ([job(1, subtime="1_000")], {}, r"json: subtime\[0\] = '1_000'; give a number"),
        (
            [job(1, subtime=float("nan"))],
            {},
            "json is not a Batsim workload.* NaN is not a number in JSON",
        ),
        ([job(1, walltime=True)], {}, r"walltime\[0\] = True; give a number"),
        ([job([1])], {}, r"not a Batsim workload.* id is \[1\], which is neither"),
        ([job("3"), job(3)], {}, "json is not a Batsim workload.* id 3 comes twice"),
        ([job(1), job(2, walltime=0)], {}, "json: job 2: walltime = 0; give a number of seconds"),
        ([job("a", walltime=-3)], {}, "json: job 'a': walltime = -3; give"),
        ([job(1), job(2, res=9)], {}, "json: job 2: res = 9 is more than nb_res = 8, the number"),
        ([job(1)], {"nb_res": "8"}, "json: nb_res = '8'"),
        ([job(1, dependencies=["2"])], {}, "json: job 1: dependencies = .'2'., but dependencies"),
        ([job(1, subtime=1e308)], {}, r"json: runtime\[0\] = .* past 1e300"),
    ],
)
def test_other_workloads_are_refused(tmp_path, jobs, more, cause):
    with pytest.raises(co.InputError, match=cause):
        co.read_batsim(workload(tmp_path, *jobs, **more))


def test_what_is_no_workload_is_refused(tmp_path):
    (tmp_path / "x.json").write_text("{")
    (tmp_path / "y.json").write_text('{"jobs": [], "jobs": []}')
    (tmp_path / "z.json").write_text("[]")
    twice = (("y.json", "'jobs' comes twice in one object"), ("z.json", "TypeError"))
    for path, cause in (
        *twice,
        ("x.json", "JSONDecodeError"),
        ("gone.json", "No such file"),
        (".", "dir"),
    ):
        with pytest.raises(co.InputError, match=cause):
            co.read_batsim(tmp_path / path)
