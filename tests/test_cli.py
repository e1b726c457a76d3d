import csv
import gzip
import json
import subprocess
import sys

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib import cli
from coalloc_lib.cli import options
from coalloc_lib.studies import ledger
from coalloc_lib.workloads.swf import write_swf

COMMAND = [sys.executable, "-m", "coalloc_lib"]
LOSS = ["loss", "--clusters", "8,8", "--sizes", "U[1,4]", "--components", "2"]
SAMPLED = [*LOSS, "--request", "unordered", "--method", "simulation", "--jobs", "2000"]


@pytest.fixture
def run(capsys):
    """Run a command line; return what it printed, and check its exit status."""

    def run(*arguments, status=0):
        capsys.readouterr()
        assert cli.main([str(a) for a in arguments]) == status
        captured = capsys.readouterr()
        return captured.err if status else captured.out

    return run


@pytest.fixture
def refused(run):
    """Run a command line that is wrong; return the single line of its error."""

    def refused(*arguments):
        (line,) = run(*arguments, status=2).splitlines()
        assert line.startswith("coalloc: error: ")
        return line

    return refused


@pytest.fixture
def log(tmp_path):
    """A log of four jobs, numbered from 11, on a machine of 8 processors."""
    jobs = co.JobStream([0, 0.5, 1, 2], [10, 10, 3, 4], [6, 4, 2, 8], [20, 20, 20, 20])
    write_swf(tmp_path / "small.swf", jobs, job_numbers=[11, 12, 13, 14])
    return tmp_path / "small.swf"


@pytest.fixture
def simulate(run, log, tmp_path):
    """Simulate the small log; return the rows of its schedule and the metrics."""

    def simulate(*arguments):
        out = tmp_path / "schedule.csv"
        printed = run("simulate", "--trace", log, *arguments, "--out", out, "--json")
        with out.open() as file:
            return list(csv.DictReader(file)), json.loads(printed)

    return simulate


def test_loss_prints_the_published_number(run):
    arguments = ["loss", "--clusters", "32,32", "--sizes", "D(0.95)[1,32]", "--components", 2]
    arguments += ["--request", "unordered", "--method", "approximation"]
    assert run(*arguments) == "0.397\n"
    answer = json.loads(run(*arguments, "--json"))
    assert set(answer) == {"capacity_loss", "max_utilization", "method"}
    assert answer["capacity_loss"] == pytest.approx(0.397, abs=5e-4)
    assert answer["capacity_loss"] + answer["max_utilization"] == pytest.approx(1)
    assert answer["method"] == "approximation"
    assert run(*arguments, "--one-is-power-of-two") != "0.397\n"


def test_components_default_to_one_a_cluster(run):
    arguments = ["loss", "--clusters", "4x32", "--sizes", "U[1,16]", "--request", "ordered"]
    assert run(*arguments) == run(*arguments, "--components", 4) == "0.380\n"


def test_a_single_cluster_is_exact_whatever_the_request(run):
    arguments = ["loss", "--clusters", "32", "--sizes", "U[1,4]", "--components", "1"]
    assert {run(*arguments, "--request", request) for request in co.jobs.REQUESTS} == {"0.032\n"}


def test_a_simulated_loss_has_an_interval_around_the_exact_one(run):
    arguments = ["loss", "--clusters", "32", "--sizes", "U[1,5]", "--request", "total"]
    answer = json.loads(run(*arguments, "--method", "simulation", "--json"))
    low, high = answer["ci95"]
    assert low < answer["capacity_loss"] < high
    assert high - low < 0.005
    assert low - 0.002 < 0.043 < high + 0.002
    assert answer["method"] == "simulation"


def test_the_seed_decides_the_simulated_loss(run):
    assert run(*SAMPLED, "--seed", 1) == run(*SAMPLED, "--seed", 1) != run(*SAMPLED, "--seed", 2)
    assert " ± " in run(*SAMPLED)
    assert run(*SAMPLED).endswith(" (95 %)\n")


def test_policies_and_service_times_change_the_simulated_loss(run):
    choices = [
        [],
        ["--placement", "first-fit"],
        ["--scheduling", "fpfs", "--max-jumps", "20"],
        ["--scheduling", "fpfs", "--max-jumps", "20", "--backlog", "5"],
        ["--service", "deterministic"],
        ["--service", "hyperexponential:3"],
    ]
    assert len({run(*SAMPLED, *choice) for choice in choices}) == len(choices)
    loss = [json.loads(run(*SAMPLED, *c, "--json"))["capacity_loss"] for c in choices]
    assert loss[2] < loss[0]  # who may overtake loses less


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--request", "any"], ["--request = 'any'", "ordered, unordered, flexible, total"]),
        (["--request", "ordered", "--method", "guess"], ["--method = 'guess'", "exact"]),
        (["--request", "ordered", "--placement", "x"], ["--placement = 'x'", "first-fit"]),
        (["--request", "ordered", "--scheduling", "x"], ["--scheduling = 'x'", "fcfs, fpfs"]),
        (["--request", "ordered", "--scheduling", "fpfs"], ["fpfs needs --max-jumps"]),
        (["--request", "ordered", "--max-jumps", "3"], ["--max-jumps is not for", "fpfs"]),
        (["--request", "ordered", "--sizes", "D(0)[1,4]"], ["q = 0.0"]),
        (["--request", "ordered", "--sizes", "D(1.5)[1,4]"], ["q = 1.5"]),
        (["--request", "ordered", "--sizes", "U[1;4]"], ["U[1;4]", "D(q)[a,b]"]),
        (["--request", "ordered", "--sizes", "U[4,1]"], ["low = 4"]),
        (["--request", "ordered", "--sizes", "U[5,9]"], ["9", "8 processors"]),
        (["--request", "ordered", "--clusters", "8,x"], ["--clusters = '8,x'", "32,32"]),
        (["--request", "ordered", "--clusters", "8,0"], ["--clusters = '8,0'"]),
        (["--request", "ordered", "--components", "0"], ["--components = 0"]),
        (["--request", "ordered", "--components", "3"], ["components = 3", "2 clusters"]),
        (["--request", "ordered", "--components", "two"], ["--components"]),
        (["--request", "ordered", "--service", "slow"], ["--service = 'slow'", "deterministic"]),
        (["--request", "ordered", "--service", "hyperexponential:0.5"], ["coefficient"]),
        (["--request", "ordered", "--service", "hyperexponential"], ["coefficient"]),
        (["--request", "unordered"], ["no exact formula", "approximation or simulation"]),
        (["--request", "ordered", "--method", "approximation"], ["use --method exact"]),
        (["--request", "total"], ["--clusters 16", "--method simulation"]),
        (["--request", "ordered", "--placement", "best-fit"], ["use --method simulation"]),
        (["--request", "ordered", "--service", "deterministic"], ["use --method simulation"]),
        (["--request", "ordered", "--seed", "-1"], ["--seed = -1"]),
        (["--request", "total", "--method", "simulation", "--sizes", "U[5,9]"], ["never start"]),
        (["--request", "total", "--method", "simulation", "--jobs", "0"], ["--jobs = 0"]),
        (["--request", "total", "--method", "simulation", "--backlog", "3"], ["--backlog"]),
        (
            "--request total --method simulation --scheduling fpfs --max-jumps 1 --backlog 0".split(),
            ["--backlog = 0"],
        ),
        ([], ["Missing option '--request'", "coalloc loss --help"]),
        (["--request"], ["--request"]),
        (["--request", "ordered", "--colour", "red"], ["No such option: --colour"]),
    ],
)
def test_loss_refuses_what_is_wrong_in_one_line(refused, arguments, words):
    line = refused(*LOSS, *arguments)
    assert all(word in line for word in words), line


def test_simulate_writes_the_schedule_of_the_contract(simulate, log):
    rows, answer = simulate("--clusters", "8", "--estimates", "exact", "--verify")
    assert list(rows[0]) == ["job", "submit", "start", "end", "processors", "allocation"]
    assert [list(row.values()) for row in rows] == [
        ["11", "0", "0", "10", "6", "0:6"],
        ["12", "0.5", "10", "20", "4", "0:4"],
        ["13", "1", "10", "13", "2", "0:2"],
        ["14", "2", "20", "24", "8", "0:8"],
    ]
    assert answer["jobs"] == 4
    assert answer["mean_wait"] == (0 + 9.5 + 9 + 18) / 4
    assert answer["mean_response"] == (10 + 19.5 + 12 + 22) / 4
    assert answer["mean_bounded_slowdown"] == pytest.approx((1 + 1.95 + 1.2 + 2.2) / 4)
    assert answer["average_weighted_response_time"] == pytest.approx(
        (60 * 10 + 40 * 19.5 + 6 * 12 + 32 * 22) / 138
    )
    assert answer["utilization"] == pytest.approx(6 / 8)
    assert answer["spanning_jobs"] == 0


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize(
    ("arguments", "allocation"),
    [
        ("--request total --clusters 8,8", ["0:6", "1:4", "1:2", "0:8"]),
        ("--request flexible --clusters 5,5", ["0:5;1:1", "1:4", "0:2", "0:3;1:5"]),
        ("--request unordered --clusters 5,5", ["0:3;1:3", "0:4", "1:2", "0:4;1:4"]),
        (
            "--request unordered --clusters 4,4,4 --split 3",
            ["0:3;1:3", "0:2;1:2", "2:2", "0:3;1:3;2:2"],
        ),
        (
            "--request ordered --clusters 6,6 --components 2",
            ["0:3;1:3", "0:2;1:2", "0:1;1:1", "0:4;1:4"],
        ),
    ],
)
def test_requests_decide_how_a_job_is_spread(simulate, engine, arguments, allocation):
    rows, _ = simulate(*arguments.split(), "--engine", engine, "--verify")
    assert [row["allocation"] for row in rows] == allocation


def test_the_span_penalty_lengthens_only_what_spans(simulate):
    rows, answer = simulate("--clusters", "5,5", "--request", "flexible", "--span-penalty", "0.25")
    length = [float(row["end"]) - float(row["start"]) for row in rows]
    spans = [";" in row["allocation"] for row in rows]
    runtime = np.array([10, 10, 3, 4])
    assert length == pytest.approx(np.where(spans, 1.25 * runtime, runtime))
    assert answer["spanning_jobs"] == sum(spans) > 0


def test_a_load_scales_the_interarrival_times(simulate):
    rows, _ = simulate("--clusters", "8", "--load", "0.5")
    submit = [float(row["submit"]) for row in rows]
    # Work of all but the last job, 106, over 8 processors and half of the time.
    assert submit[-1] == pytest.approx(106 / (8 * 0.5))
    assert np.diff(submit) / np.diff(submit)[0] == pytest.approx([1, 1, 2])


def test_wide_jobs_are_refused_by_their_number_or_left_out(simulate, refused, log):
    line = refused("simulate", "--trace", log, "--clusters", "5,2")
    assert "job 11 can never start" in line
    assert "--largest 5" in line
    rows, _ = simulate("--clusters", "5,2", "--largest", "5")
    assert [row["job"] for row in rows] == ["12", "13"]


@pytest.mark.parametrize(
    ("system", "largest"),
    [
        (["--clusters", "5,1", "--request", "unordered"], 5),
        (["--clusters", "3,3,1", "--request", "unordered"], 6),
        (["--clusters", "3,2", "--request", "ordered", "--components", "2"], 5),
        (["--clusters", "5,2", "--request", "flexible"], 7),
    ],
)
def test_the_limit_that_an_error_names_is_the_largest_that_works(
    refused, run, log, system, largest
):
    command = ["simulate", "--trace", log, *system]
    assert f"--largest {largest}," in refused(*command)
    run(*command, "--largest", largest)


def test_fpfs_is_on_the_command_line(simulate):
    rows, _ = simulate("--clusters", "8", "--scheduling", "fpfs", "--max-jumps", "1")
    assert rows[2]["start"] == "1"
    rows, _ = simulate("--clusters", "8", "--scheduling", "fpfs", "--max-jumps", "0")
    assert rows[2]["start"] == "10"


def test_simulate_prints_a_table_for_people(run, log):
    printed = run("simulate", "--trace", log, "--clusters", "4,4", "--request", "flexible")
    assert printed.startswith("small on 2 × 4\n")
    assert "mean bounded slowdown (10 s)" in printed
    assert all(line == line.rstrip() for line in printed.splitlines())


def test_jobs_that_all_come_at_once_have_a_utilization(run, tmp_path):
    write_swf(tmp_path / "one.swf", co.JobStream([5], [10], [4]))
    answer = run("simulate", "--trace", tmp_path / "one.swf", "--clusters", "8", "--json")
    assert json.loads(answer)["utilization"] == 0.5


LINE = "1 0 0 5 2 -1 -1 2 9 -1 1 1 1 1 1 1 -1 -1"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (f"{LINE}\n{LINE.rsplit(' ', 1)[0]}\n".encode(), ["line 2"]),
        (f"{LINE}\n{LINE.replace('5', 'five')}\n".encode(), ["line 2", "five"]),
        (gzip.compress((LINE + "\n").encode() * 99)[:-9], ["cut short"]),
        (b"; Version: 2.2\n", ["no job"]),
        (None, ["no such file"]),
    ],
    ids=["17-fields", "word", "truncated", "empty", "missing"],
)
def test_a_bad_log_is_refused_and_leaves_nothing(refused, tmp_path, content, words):
    path = tmp_path / "bad.swf"
    if content is not None:
        path.write_bytes(content)
    out = tmp_path / "out"
    out.mkdir()
    line = refused("simulate", "--trace", path, "--clusters", "8", "--out", out / "s.csv")
    assert all(word in line for word in [str(path).split("/")[-1].split(".")[0], *words]), line
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--request", "any"], ["--request = 'any'"]),
        (["--scheduling", "lifo"], ["--scheduling = 'lifo'", "fcfs, fpfs"]),
        (["--scheduling", "fpfs"], ["needs --max-jumps"]),
        (["--scheduling", "fpfs", "--max-jumps", "-1"], ["--max-jumps = -1"]),
        (["--placement", "any-fit"], ["--placement = 'any-fit'", "worst-fit"]),
        (["--estimates", "wild"], ["--estimates = 'wild'", "requested, exact"]),
        (["--engine", "steam"], ["--engine = 'steam'"]),
        (["--span-penalty", "-0.1"], ["--span-penalty = -0.1"]),
        (["--span-penalty", "nan"], ["--span-penalty = nan"]),
        (["--load", "0"], ["--load = 0"]),
        (["--load", "much"], ["--load"]),
        (["--largest", "0"], ["--largest = 0"]),
        (["--largest", "1"], ["at most 1 processors"]),
        (["--split", "3"], ["--split is not for --request total"]),
        (["--components", "3"], ["--components is not for --request total"]),
        (["--request", "unordered", "--split", "3", "--components", "3"], ["exclude"]),
        (["--request", "unordered", "--split", "0"], ["--split = 0"]),
        (["--request", "ordered"], ["needs --components"]),
        (["--clusters", "a"], ["--clusters = 'a'"]),
        (["--trace", "NoSuchLog"], ["NoSuchLog", "KTH-SP2"]),
        (["--out", "no/such/folder/s.csv"], ["no/such/folder", "make it first"]),
    ],
)
def test_simulate_refuses_what_is_wrong_in_one_line(
    refused, log, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    line = refused("simulate", "--trace", log, "--clusters", "8", "--out", "s.csv", *arguments)
    assert all(word in line for word in words), line
    assert sorted(tmp_path.iterdir()) == before


def test_a_public_log_is_simulated_by_name(run, real_logs, tmp_path, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    out = tmp_path / "schedule.csv"
    run("simulate", "--trace", "KTH-SP2", "--clusters", "100", "--placement", "best-fit",
        "--estimates", "requested", "--verify", "--out", out)  # fmt: skip
    with out.open() as file:
        assert sum(1 for _ in file) == 1 + 28467


def test_every_named_policy_can_be_made():
    for name in options.PLACEMENTS:
        assert isinstance(options.placement_of(name), co.Placement)
    for name, (policy, wanted) in options.SCHEDULING.items():
        assert isinstance(options.scheduling_of(name, **dict.fromkeys(wanted, 1)), policy)


ROWS = [
    ledger.Row("maximal-utilization", "MU-1", "limit", 0.5, 0.51, 0.5, 0.52, "holds", "[a,b] fine"),
    ledger.Row("maximal-utilization", "T", "loss", "", None, None, None, "close", "off"),
]


@pytest.fixture
def quick_study(monkeypatch):
    """A study that takes no time in the place of the first one."""
    calls = []

    def reproduce(scale, progress, seed=1):
        calls.append((scale, seed))
        return ledger.StudyResult(ROWS)

    module = type("Module", (), {"reproduce": staticmethod(reproduce)})
    monkeypatch.setattr("coalloc_lib.studies.import_module", lambda name: module)
    return calls


def test_reproduce_shows_the_ledger_and_where_it_is(run, quick_study, tmp_path):
    printed = run("reproduce", "maximal-utilization", "--out", tmp_path / "r", "--seed", 5)
    assert quick_study == [("quick", 5)]
    assert "0.51 ± 0.01" in printed
    assert "[a,b] fine" in printed
    assert "1 close, 1 holds" in printed
    assert str(tmp_path / "r" / "ledger.csv") in printed
    assert [row.item for row in ledger.read_ledger(tmp_path / "r" / "ledger.csv")] == ["MU-1", "T"]


def test_reproduce_prints_one_object(run, quick_study, tmp_path):
    answer = json.loads(run("reproduce", "--scale", "paper", "--out", tmp_path, "--json"))
    assert quick_study[0][0] == "paper"
    assert answer["verdicts"] == {"close": 1, "holds": 1}
    assert answer["rows"][0]["item"] == "MU-1"
    assert answer["ledger"] == str(tmp_path / "ledger.csv")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["weather"], ["STUDY = 'weather'", "maximal-utilization"]),
        (["--scale", "huge"], ["--scale = 'huge'", "quick, paper"]),
        (["--seed", "-3"], ["--seed = -3"]),
    ],
)
def test_reproduce_refuses_what_is_wrong_in_one_line(refused, tmp_path, arguments, words):
    line = refused("reproduce", *arguments, "--out", tmp_path / "results")
    assert all(word in line for word in words), line
    assert not (tmp_path / "results").exists()


def test_traces_are_listed_and_found(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(tmp_path))
    (tmp_path / "KTH-SP2-1996-2.1-cln.swf").touch()
    assert "Lars Malinowsky" in run("traces", "list")
    found = {
        log["name"]: log["found"] for log in json.loads(run("traces", "list", "--json"))["traces"]
    }
    assert found["KTH-SP2"] == str(tmp_path / "KTH-SP2-1996-2.1-cln.swf")
    assert run("traces", "fetch", "kth-sp2") == found["KTH-SP2"] + "\n"
    assert json.loads(run("traces", "fetch", "KTH", "--json")) == {"files": [found["KTH-SP2"]]}


def test_traces_refuse_what_is_wrong_in_one_line(refused, monkeypatch, tmp_path):
    assert "KTH-SP2" in refused("traces", "fetch", "weather")
    assert "Missing argument 'NAME" in refused("traces", "fetch")
    assert "No such command 'burn'" in refused("traces", "burn")
    monkeypatch.setenv("COALLOC_TRACES", str(tmp_path / "gone"))
    assert "is not a folder" in refused("traces", "list")


@pytest.mark.parametrize(
    "command", [[], ["loss"], ["simulate"], ["reproduce"], ["traces", "fetch"]]
)
def test_every_command_has_help_with_examples(run, command):
    printed = run(*command, "--help")
    assert printed.startswith(f"Usage: {' '.join(['coalloc', *command])}")
    assert not command or f"  coalloc {' '.join(command)} " in printed.partition("Example")[2]
    assert max(map(len, printed.splitlines())) <= 100


def test_without_a_command_the_help_is_printed(run):
    assert run() == run("--help")
    assert run("traces") == run("traces", "--help")
    assert "No such command 'los'" in run("los", status=2)


def test_the_version_is_printed(run):
    assert run("--version") == f"coalloc {co.__version__}\n"


def test_an_interrupt_ends_with_one_line(run, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("coalloc_lib.workloads.catalogue.listing", interrupted)
    assert run("traces", "list", status=130) == "coalloc: interrupted\n"


def test_a_bug_keeps_its_traceback(monkeypatch):
    def broken():
        raise ZeroDivisionError

    monkeypatch.setattr("coalloc_lib.workloads.catalogue.listing", broken)
    with pytest.raises(ZeroDivisionError):
        cli.main(["traces", "list"])


@pytest.mark.parametrize("command", [["traces", "list"], [*LOSS, "--request", "ordered"]])
def test_a_closed_pipe_is_quiet(command):
    process = subprocess.Popen([*COMMAND, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()


def test_the_module_is_the_command():
    shown = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == f"coalloc {co.__version__}\n"
    wrong = subprocess.run([*COMMAND, "loss", "--sizes", "x"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert len(wrong.stderr.splitlines()) == 1
    assert wrong.stdout == ""
