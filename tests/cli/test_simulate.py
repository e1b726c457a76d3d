import csv
import errno
import json
import os
import runpy
import signal
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib import cli
from coalloc_lib.cli.schedule_means import mean_intervals
from coalloc_lib.cli.simulate_output import metrics_of
from coalloc_lib.statistics import resample_weeks
from coalloc_lib.workloads.swf_writer import write_swf
from tests.cli.conftest import over, rows
from tests.conftest import ROOT


@pytest.fixture
def simulate(run, log, tmp_path):
    """Return a function that simulates the small log and returns its schedule and metrics."""

    def simulate(*arguments):
        out = tmp_path / "schedule.csv"
        printed = run("simulate", "--trace", log, *arguments, "--out", out, "--json")
        with out.open() as file:
            return list(csv.DictReader(file)), json.loads(printed)

    return simulate


def test_simulate_writes_the_schedule_of_the_contract(simulate, log):
    rows, answer = simulate("--clusters", "8", "--estimates", "exact", "--verify")
    assert list(rows[0]) == ["job", "submit", "start", "end", "processors", "allocation"]
    assert [list(row.values()) for row in rows] == [
        ["11", "0", "0", "10", "6", "0:6"],
        ["12", "0.5", "10", "20", "4", "0:4"],
        ["13", "1", "10", "13", "2", "0:2"],
        ["14", "2", "20", "24", "8", "0:8"],
    ]
    metrics = {
        "jobs": 4, "left_out_jobs": 0, "refused_jobs": 0, "spanning_jobs": 0,
        "offered_load": 106 / (2 * 8), "utilization": 6 / 8,
        "mean_wait": (0 + 9.5 + 9 + 18) / 4, "mean_response": (10 + 19.5 + 12 + 22) / 4,
        "mean_bounded_slowdown": (1 + 1.95 + 1.2 + 2.2) / 4,
        "average_weighted_response_time": (60 * 10 + 40 * 19.5 + 6 * 12 + 32 * 22) / 138,
    }  # fmt: skip
    assert {name: answer[name] for name in metrics} == pytest.approx(metrics)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize(
    ("arguments", "allocation"),
    [
        ("--request total --clusters 8,8", "0:6 1:4 1:2 0:8"),
        ("--request flexible --clusters 5,5", "0:5;1:1 1:4 0:2 0:3;1:5"),
        ("--request unordered --clusters 5,5", "0:3;1:3 0:4 1:2 0:4;1:4"),
        ("--request unordered --clusters 4,4,4 --split 3", "0:3;1:3 0:2;1:2 2:2 0:3;1:3;2:2"),
        (  # the last, of 8, finds no cluster that holds it; the first leaves before the second
            "--request unordered --clusters 6,4,4 --components 2 --placement single-then-span",
            "0:6 1:4 2:2 0:4;2:4",
        ),
        ("--request ordered --clusters 6,6 --components 2", "0:3;1:3 0:2;1:2 0:1;1:1 0:4;1:4"),
    ],
)
def test_requests_decide_how_a_job_is_spread(simulate, engine, arguments, allocation):
    rows, _ = simulate(*arguments.split(), "--engine", engine, "--verify")
    assert [row["allocation"] for row in rows] == allocation.split()


@pytest.mark.parametrize(
    "policies", [[], ["--scheduling", "easy", "--placement", "single-then-span", "--verify"]]
)
def test_the_span_penalty_lengthens_only_what_spans(simulate, policies):
    spanning = ("--clusters", "5,5", "--request", "flexible", "--span-penalty", "0.25")
    rows, answer = simulate(*spanning, *policies)
    length = [float(row["end"]) - float(row["start"]) for row in rows]
    spans = [";" in row["allocation"] for row in rows]
    runtime = np.array([10, 10, 3, 4])
    assert length == pytest.approx(np.where(spans, 1.25 * runtime, runtime))
    assert answer["spanning_jobs"] == sum(spans) > 0


def test_whole_nodes_say_what_rounding_up_adds_to_the_load(run, simulate, log):
    """On nodes of 3 processors, jobs of 6, 4, 2 and 8 processors get 6, 6, 3 and 9."""
    _, plain = simulate("--clusters", "9")
    _, answer = simulate("--clusters", "9", "--node", "3")
    work, asked = 60 + 60 + 9 + 36, 60 + 40 + 6 + 32
    assert answer["idle_share_of_work"] == pytest.approx(1 - asked / work)
    assert "idle_share_of_work" not in plain
    printed = run("simulate", "--trace", log, "--clusters", "9", "--node", "3")
    assert f"due to whole nodes {1 - asked / work:>10.1%}" in " ".join(printed.split("\n"))


def test_a_load_scales_the_interarrival_times(simulate):
    rows, answer = simulate("--clusters", "8", "--load", "0.5")
    # The work of all jobs except the last is 106. It fills half of the 8 processors.
    assert float(rows[-1]["submit"]) == pytest.approx(106 / (8 * 0.5))
    assert answer["offered_load"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("system", "job", "largest", "left_out"),
    [
        ("5,2", 11, 5, 2),
        ("5,1 --request unordered", 11, 5, 2),
        ("3,3,1 --request unordered", 14, 6, 1),
        ("3,2 --request ordered --components 2", 11, 5, 2),
        ("5,2 --request flexible", 14, 7, 1),
    ],
)
def test_the_limit_that_an_error_names_is_the_largest_that_works(
    refused, run, log, system, job, largest, left_out
):
    command = ["simulate", "--trace", log, "--clusters", *system.split()]
    line = refused(*command)
    assert f"job {job} can never start" in line
    assert f"--largest {largest}," in line
    answer = json.loads(run(*command, "--largest", largest, "--json"))
    assert answer["left_out_jobs"] == left_out


ONLINE = "online --slot 10 --step 2"


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize(
    ("policy", "starts", "attempts"),
    [
        ("fpfs --max-jumps 0", "0 10 10 20", None),
        ("fpfs --max-jumps 1", "0 10 1 20", None),
        # Job 11 has 6 of 8 processors until 10. Job 12 needs 4 processors and is promised to start
        # at 10. Job 13 ends before that.
        ("easy --estimates exact", "0 10 1 20", None),
        ("conservative --estimates exact", "0 10 1 20", None),
        # Job 14, with 8 processors for 4 seconds, has less work than job 12, with 4 for 10 seconds.
        ("easy --order smallest --estimates exact", "0 14 1 10", None),
        # All jobs request 20 seconds. Job 11 is booked until 20 and job 12 until 40.5. Job 14
        # follows both, and job 13 runs beside job 11.
        (f"{ONLINE} --horizon 200 --max-attempts 30", "0 20.5 1 42", (1 + 11 + 1 + 21) / 4),
        (
            f"{ONLINE} --horizon 500 --release-early --estimates exact --rule best-fit",
            "0 10.5 1 22",
            (1 + 6 + 1 + 11) / 4,
        ),
    ],
)
def test_policies_start_jobs_when_they_should(simulate, engine, policy, starts, attempts):
    options = ["--clusters", "8", "--scheduling", *policy.split(), "--engine", engine, "--verify"]
    rows, answer = simulate(*options)
    assert [row["start"] for row in rows] == starts.split()
    assert answer.get("mean_attempts") == attempts
    assert answer["refused_jobs"] == 0


def test_jobs_that_all_come_at_once_have_a_utilization(run, tmp_path):
    write_swf(tmp_path / "one.swf", co.JobStream([5], [10], [4]))
    answer = run("simulate", "--trace", tmp_path / "one.swf", "--clusters", "8", "--json")
    assert json.loads(answer)["utilization"] == 0.5


REFUSED = f"""
--scheduling lifo -> --scheduling = 'lifo' & fcfs, fpfs
--scheduling fpfs --max-jumps -1 -> '--max-jumps'
--placement any-fit -> --placement = 'any-fit' & worst-fit
--estimates wild -> --estimates = 'wild' & requested, exact
--engine steam -> --engine = 'steam'
--span-penalty -0.1 -> '--span-penalty'
--span-penalty inf --request flexible --clusters 8,8 -> --span-penalty = inf; give
--span-penalty 0.1 -> --span-penalty 0.1 has no effect: --request total & --request flexible
--span-penalty 0.1 --request flexible -> no effect: a system of one cluster
--node 3 -> --node 3 does not divide a cluster of 8 processors
--missing 60 --scheduling easy --estimates exact -> --missing = 60.0 has no effect on exact
--missing 0 --scheduling easy -> --missing = 0
--missing 60 --scheduling fcfs -> --missing 60 has no effect: --scheduling fcfs
--trace a.swf --trace b.swf -> --trace is given 2 times; give it once
--verify --load 0.5 --load 0.7 -> --load is given 2 times; give it once
--load 0 -> --load = 0
--largest 1 -> at most 1 processors
--split 3 -> --split cannot be used with --request total
--components 3 -> --components cannot be used with --request total
--request unordered --split 3 --components 3 -> used together
--request ordered -> needs --components
--trace NoSuchLog -> NoSuchLog & KTH-SP2
--trace {"x" * 300}.swf -> File name too long
--out no/such/folder/s.csv -> no/such/folder & make it first
--out - --json -> --out - and --json
--out {"x" * 300}.csv -> File name too long
--out small.swf -> --out small.swf would overwrite the log of --trace; give the name of another file
--out ./folder/../small.swf -> would overwrite the log of --trace
--out link.csv -> --out link.csv would overwrite the log of --trace
--export link.csv -> --export link.csv would overwrite the log of --trace
--out x.csv --export ./x.csv -> --out and --export both name the file ./x.csv; give two names
--export link.csv --out small.swf -> --out and --export both name the file
--scheduling easy --max-jumps 3 -> --max-jumps cannot be used with --scheduling easy
--scheduling easy --order priority -> --order priority & arrival, shortest, smallest
--scheduling fcfs --order shortest -> --order cannot be used with & easy or conservative
--scheduling {ONLINE} --horizon 1e308 -> --horizon = 1e+308; give at most
--scheduling online --step 2 --slot 1e-300 -> / slot =
--scheduling {ONLINE} --max-attempts 1{"0" * 20} -> --max-attempts = 100000000000000000000; give at
--scheduling {ONLINE} --rule worst -> --rule = 'worst'; choose one of 'latest-start'
"""


@pytest.mark.parametrize(("arguments", "words"), rows(REFUSED))
def test_simulate_refuses_what_is_wrong_in_one_line(
    refused, log, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.csv").symlink_to(log)
    monkeypatch.setattr(import_module("coalloc_lib.cli.simulate"), "run", None)  # it comes before
    before = sorted(tmp_path.iterdir())
    usual = ["--trace", log, "--clusters", "8", "--out", "s.csv"]
    line = refused("simulate", *over(usual, arguments))
    assert all(word in line for word in words), line
    assert sorted(tmp_path.iterdir()) == before


def test_a_public_log_is_simulated_by_name(run, real_logs, tmp_path, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    out = tmp_path / "schedule.csv"
    run("simulate", "--trace", "KTH-SP2", "--clusters", "100", "--placement", "best-fit",
        "--estimates", "requested", "--verify", "--out", out)  # fmt: skip
    with out.open() as file:
        assert sum(1 for _ in file) == 1 + 28467


@pytest.mark.parametrize(("load", "warned"), [(0.5, False), (1.5, True)])
def test_work_that_still_waits_at_the_end_is_said(tmp_path, capsys, load, warned):
    system = co.Multicluster([8])
    jobs = co.JobModel(co.uniform(1, 4)).sample(1000, 3, rate=1.0).with_load(system, load)
    write_swf(
        tmp_path / "log.swf", jobs.replace(submit=jobs.submit * 100, runtime=jobs.runtime * 100)
    )
    assert cli.main(["simulate", "--trace", str(tmp_path / "log.swf"), "--clusters", "8"]) == 0
    assert ("more than these policies can serve" in capsys.readouterr().err) == warned


def on_write(monkeypatch, act):
    """Let `act` interrupt the writing of a table after the first bytes of a job."""

    def to_csv(_table, file, **_options):
        with open(file, "w") as half:
            half.write("job,submit\n1,")
            half.flush()
            act()

    monkeypatch.setattr(pd.DataFrame, "to_csv", to_csv)


@pytest.fixture
def writing(log, tmp_path):
    """The path of a schedule in an empty folder, and the command that writes it."""
    out = tmp_path / "out" / "s.csv"
    out.parent.mkdir()
    return out, ["simulate", "--trace", str(log), "--clusters", "8", "--out", str(out)]


def full():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_costs_the_schedule_but_not_the_metrics(writing, capsys, monkeypatch):
    on_write(monkeypatch, full)
    out, command = writing
    for more in ([], ["--json"]):
        assert cli.main([*command, *more]) == 2
        printed, errors = capsys.readouterr()
        line = errors.splitlines()[-1]
        assert "Traceback" not in errors
        assert f"{out} cannot be written" in line
        assert "mean wait" in printed or json.loads(printed)["mean_wait"] == 9.125
    assert list(out.parent.iterdir()) == []


@pytest.fixture
def handler():
    """A handler of SIGTERM that fails the test if the command ignores the signal."""

    def unheard(_number, _frame):
        pytest.fail("the command left SIGTERM to others")

    before = signal.signal(signal.SIGTERM, unheard)
    yield unheard
    signal.signal(signal.SIGTERM, before)


def test_a_termination_leaves_no_half_written_schedule(writing, capsys, monkeypatch, handler):
    """The signal SIGTERM arrives while the schedule is being written."""
    on_write(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGTERM))
    out, command = writing
    assert cli.main(command) == 143
    assert capsys.readouterr().err.endswith("\ncoalloc: terminated\n")
    assert list(out.parent.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) is handler


def test_the_schedule_can_go_to_standard_output(log, capsys, tmp_path):
    command = ["simulate", "--trace", str(log), "--clusters", "8"]
    assert cli.main([*command, "--out", "-"]) == 0
    piped, told = capsys.readouterr()
    assert cli.main([*command, "--out", str(tmp_path / "s.csv")]) == 0
    assert piped == (tmp_path / "s.csv").read_text()
    metrics, warning = capsys.readouterr()
    assert told == warning + metrics.removesuffix(f"{tmp_path / 's.csv'}\n")


def test_means_of_a_long_log_have_intervals_and_others_say_why_not(run, tmp_path):
    jobs = co.JobModel(co.uniform(1, 4)).sample(2000, 3, rate=1.0)
    jobs = jobs.replace(submit=jobs.submit * 2500, runtime=jobs.runtime * 2500)
    write_swf(tmp_path / "weeks.swf", jobs)
    command = ["simulate", "--trace", tmp_path / "weeks.swf", "--clusters", "8", "--json"]
    answer = json.loads(run(*command))
    schedule = co.simulate(co.Multicluster([8]), co.read_swf(tmp_path / "weeks.swf").jobs())
    weeks = resample_weeks(schedule.response, schedule.jobs.work, schedule.jobs.submit)
    drawn = weeks.interval(lambda means: means[0])
    # Other weeks have jobs with other run times, so the mean run time of these jobs is no bound.
    assert drawn.low < np.average(schedule.jobs.runtime, weights=schedule.jobs.work)
    found = answer["ci95"]["average_weighted_response_time"]
    assert found == pytest.approx([drawn.low, drawn.high], rel=1e-12)
    for name, (low, high) in answer["ci95"].items():
        assert low < answer[name] < high
    write_swf(tmp_path / "days.swf", jobs[:300])
    command[2] = tmp_path / "days.swf"
    assert json.loads(run(*command))["ci95"] is None
    assert "no intervals: a bootstrap over weeks needs 4 weeks" in run(*command[:-1])


def test_jobs_that_are_left_out_say_why(run, tmp_path):
    write_swf(tmp_path / "log.swf", co.JobStream([0, 1, 2, 3], [5, 0, 5, 5], [1, 1, 4, 8]))
    command = ["simulate", "--trace", tmp_path / "log.swf", "--clusters", "4", "--largest", "4"]
    told = run(*command).splitlines()
    for why in ("without run time or processors", "of more than 4 processors"):
        (line,) = (line for line in told if f"jobs left out, {why}" in line)
        assert line.split()[-1] == "1"
    assert json.loads(run(*command, "--json"))["left_out_jobs"] == 2


def test_jobs_get_whole_nodes(simulate):
    rows, answer = simulate("--clusters", "8,4", "--request", "flexible", "--node", "4", "--verify")
    taken = [int(part.split(":")[1]) for row in rows for part in row["allocation"].split(";")]
    assert {size % 4 for size in taken} == {0}
    assert [int(row["processors"]) for row in rows] == [8, 4, 4, 8]
    assert answer["version"] == co.__version__


def test_a_job_that_is_too_wide_may_be_let_span(refused, tmp_path):
    write_swf(tmp_path / "log.swf", co.JobStream([0], [5], [6]))
    command = ["simulate", "--trace", tmp_path / "log.swf", "--clusters", "4,4"]
    assert "--largest 4, let them span clusters with --request flexible" in refused(*command)
    write_swf(tmp_path / "log.swf", co.JobStream([0], [5], [9]))
    assert "flexible" not in refused(*command)


def test_jobs_that_requested_no_time_are_planned_with_the_limit_given(simulate, log):
    """Job 2 runs for 3 s. If it is planned with 30 s, it must not delay job 1."""
    write_swf(log, co.JobStream([0, 1, 2], [10, 5, 3], [6, 8, 2]))
    write_swf(log, co.read_swf(log).table.assign(requested_time=[10, 5, -1]))
    command = ["--clusters", "8", "--scheduling", "easy"]
    starts = [[row["start"] for row in simulate(*command, *more)[0]]
              for more in ([], ["--missing", "30"])]  # fmt: skip
    assert starts == [["0", "10", "2"], ["0", "10", "15"]]


def test_backfilling_plans_with_the_estimates_that_were_asked_for(simulate, run, tmp_path):
    """Job 2 runs for 3 s. If it is planned with the requested 30 s, it must wait."""
    jobs = co.JobStream([0, 1, 2], [10, 5, 3], [6, 8, 2], [10, 5, 30], request="total")
    write_swf(tmp_path / "asked.swf", jobs)
    for estimates, waits in (("requested", 9 + 13), ("exact", 9)):
        for scheduling in ("easy", "conservative"):
            command = ["simulate", "--trace", tmp_path / "asked.swf", "--clusters", "8", "--json"]
            command += ["--scheduling", scheduling, "--estimates", estimates]
            assert json.loads(run(*command))["mean_wait"] == waits / 3


def without_requested_time(log, jobs):
    """Remove the requested times of the first jobs of a log."""
    table = co.read_swf(log).table
    table.loc[: jobs - 1, "requested_time"] = -1
    write_swf(log, table)


@pytest.mark.parametrize("scheduling", ["easy", "conservative"])
def test_times_that_no_one_requested_are_said(run, refused, log, capsys, scheduling):
    """Planning with run times instead of requested times gives results that are too good."""
    command = ["simulate", "--trace", log, "--clusters", "8", "--scheduling", scheduling]
    without_requested_time(log, 3)
    assert cli.main([*map(str, command)]) == 0
    assert "3 of 4 jobs have no requested time" in capsys.readouterr().err
    without_requested_time(log, 4)
    assert "no requested times (field 9 of its jobs)" in refused(*command)
    run(*command, "--estimates", "exact")
    run(*command[:-1], "fcfs")


@pytest.mark.parametrize("as_json", [False, True])
def test_a_refused_job_has_no_start_and_counts_in_no_mean(log, tmp_path, capsys, as_json):
    """With a horizon of 30 s, jobs 12 and 14 are rejected."""
    out = tmp_path / "s.csv"
    command = ["simulate", "--trace", log, "--clusters", "8", "--scheduling", *ONLINE.split()]
    command += ["--horizon", "30", "--max-attempts", "9", "--out", out, "--verify"]
    command += ["--json"] * as_json
    assert cli.main([*map(str, command)]) == 0
    printed, told = capsys.readouterr()
    said = "coalloc: 2 of 4 jobs were rejected: 2 beyond the horizon; try a longer --horizon"
    assert any(line.startswith(said) for line in told.splitlines())
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ["job", "submit", "start", "end", "processors", "allocation"]
    assert rows[2] == ["12", "0.5", "", "", "4", ""]
    assert rows[3] == ["13", "1", "1", "4", "2", "0:2"]
    if as_json:
        answer = json.loads(printed)
        assert (answer["jobs"], answer["refused_jobs"], answer["mean_wait"]) == (4, 2, 0)
        assert answer["utilization"] == (2 * 6 + 1 * 2) / (2 * 8)
    else:
        assert "jobs rejected" in printed
        assert "nan" not in printed


def test_a_log_of_which_every_job_is_refused_has_no_metrics(refused, log):
    options = ["--clusters", "8", "--scheduling", *ONLINE.split(), "--horizon", "10"]
    line = refused("simulate", "--trace", log, *options)
    assert "4 of 4 jobs were rejected: 4 beyond the horizon; try a longer" in line


def test_no_interval_of_a_burst_holds_what_cannot_be(run, tmp_path, monkeypatch):
    """All jobs run for 100 s, and forty wide jobs are submitted at the same time."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "tests" / "workloads" / "cases" / "burst.py"))
    how = ("simulate", "--trace", "burst.swf", "--clusters", 4, "--scheduling", "easy")
    ends = json.loads(run(*how, "--json"))["ci95"]
    assert {name: low for name, (low, _) in ends.items()} == {
        "mean_wait": 0, "mean_response": 100, "average_weighted_response_time": 100,
        "mean_bounded_slowdown": 1,
    }  # fmt: skip
    assert ends["mean_response"][1] == pytest.approx(2040, abs=1)
    printed = run(*how)
    assert "100 to 2,040" in printed
    assert "1.0 to 20.4" in printed


@settings(max_examples=25, deadline=None)
@given(data=st.data(), jobs=st.integers(5, 60), weeks=st.integers(4, 9))
def test_intervals_hold_only_what_can_be(data, jobs, weeks):
    """No mean can be below the value that the shortest run time of its jobs implies."""
    seed = data.draw(st.integers(0, 999))
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.choice([rng.uniform(0, weeks * 7 * 86_400), 1e6], jobs))
    submit[[0, -1]] = 0, weeks * 7 * 86_400 + 1
    runtime = rng.choice([1, 100, 90_000], jobs)
    stream = co.JobStream(submit, runtime, rng.integers(1, 5, jobs), request="total")
    schedule = co.simulate(co.Multicluster([4]), stream, scheduling=co.EASY())
    intervals, _ = mean_intervals(schedule)
    values, length = metrics_of(schedule), schedule.end - schedule.start
    least = {
        "mean_wait": 0, "mean_response": length.min(), "mean_bounded_slowdown": 1,
        "average_weighted_response_time": length.min(),
    }  # fmt: skip
    for name, (low, high) in intervals.items():
        assert least[name] * (1 - 1e-12) <= low <= values[name] <= high


def test_how_a_log_was_read_is_said_on_stderr(log, capsys):
    log.write_text(f"; Preemption: TS\n{log.read_text()}")
    assert cli.main(["simulate", "--trace", str(log), "--clusters", "8"]) == 0
    assert "coalloc: small: Preemption is TS: processors were shared" in capsys.readouterr().err
