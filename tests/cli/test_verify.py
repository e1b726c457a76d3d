"""The command `coalloc verify`: schedules of this library, of Batsim, and recorded ones."""

import csv
import json

import pytest

from coalloc_lib import cli
from tests.cli.conftest import over, rows

EIGHT = ["--clusters", "8"]


@pytest.fixture
def check(capsys, log):
    """Verify a schedule of the small log; return the exit status and what was printed."""

    def check(schedule, *arguments):
        capsys.readouterr()
        command = ["verify", schedule, *over(["--trace", log, *EIGHT], arguments)]
        status = cli.main([*map(str, command)])
        return status, capsys.readouterr().out

    return check


@pytest.fixture
def schedule(run, log, tmp_path):
    """Simulate the small log; return the file of its schedule."""

    def schedule(*arguments, out="--out"):
        path = tmp_path / f"schedule{out}.csv"
        run("simulate", *over(["--trace", log, *EIGHT], arguments), out, path)
        return path

    return schedule


def changed(path, job, **cells):
    """Change cells of the line of one job in a CSV file."""
    with path.open() as file:
        table = [*csv.DictReader(file)]
    for row in table:
        if row["job"] == str(job):
            row.update(cells)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    return path


@pytest.mark.parametrize("out", ["--out", "--export"])
@pytest.mark.parametrize(
    "arguments",
    [
        "--scheduling fcfs",
        "--scheduling fpfs --max-jumps 1 --load 0.9",
        "--scheduling easy --estimates exact",
        "--scheduling easy --order shortest --clusters 8,4 --placement best-fit",
        "--scheduling conservative --clusters 5,5 --request flexible --span-penalty 0.25",
        "--scheduling easy --clusters 6,6 --request unordered --components 2",
        "--scheduling fcfs --clusters 6,6 --request ordered --components 2",
        "--scheduling online --slot 10 --step 1 --horizon 40",
    ],
)
def test_schedules_of_this_library_have_no_violation(check, schedule, arguments, out):
    words = arguments.split()
    status, printed = check(schedule(*words, out=out), *words)
    assert status == 0, printed
    assert printed.startswith("no violation in 4 jobs on ")
    assert "not checked: " in printed


def test_the_first_violation_and_the_number_of_each_kind_are_printed(check, schedule):
    path = changed(schedule("--scheduling", "fcfs"), 14, start="22", end="26")
    status, printed = check(path, "--scheduling", "fcfs")
    first, title, *table = printed.splitlines()
    assert status == 1
    assert first == (
        "left waiting: job 14 at 20: FCFS() would start it now on [8], but it starts only at 22"
    )
    assert title.startswith("Violations in 4 jobs on 8: the rules of the model and the decisions")
    assert any(line.split()[:3] == ["left", "waiting", "1"] for line in table)


def test_one_json_object(check, schedule):
    path = changed(schedule("--scheduling", "fcfs"), 13, start="0", end="3")
    status, printed = check(path, "--scheduling", "fcfs", "--json")
    answer = json.loads(printed)
    assert status == 1
    assert answer["jobs"] == 4
    assert answer["violations"] == {"submission": 1}
    assert answer["first"] == {
        "kind": "submission", "job": 13, "instant": 0.0,
        "rule": "job 13 at 0: starts before its submission at 1",
    }  # fmt: skip
    assert "the decisions of FCFS()" in answer["not_checked"][0]


def test_without_a_policy_the_rules_of_the_model_are_checked(check, schedule):
    path = schedule("--scheduling", "easy")
    status, printed = check(path)
    assert status == 0
    assert "not checked: the decisions of a policy; give --scheduling" in printed
    overfull = changed(path, 14, start="11", end="15")
    status, printed = check(overfull)
    assert status == 1
    assert printed.startswith("capacity: job 14 at 11: cluster 0 has 8 processors, but 1")


def test_a_missing_job_is_a_violation(check, schedule):
    path = schedule()
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    status, printed = check(path)
    assert status == 1
    assert printed.startswith("incomplete: job 14 has no start")


#: Three jobs on four processors with waits. Job 3 overtakes job 2, which EASY allows.
WAITS = [(1, 0, 0, 10, 3, 10), (2, 1, 9, 5, 4, 5), (3, 2, 0, 4, 1, 4)]


def swf(path, jobs):
    """Write jobs of number, submission, wait, run time, processors and requested time."""
    lines = [f"{n} {s} {w} {r} {p} -1 -1 {p} {t} -1 1 1 1 1 1 1 -1 -1" for n, s, w, r, p, t in jobs]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_recorded_log_is_a_schedule(check, tmp_path):
    log = swf(tmp_path / "waits.swf", WAITS)
    how = ("--trace", log, "--clusters", "4", "--scheduling")
    assert check(log, *how, "easy")[0] == 0
    status, printed = check(log, *how, "fcfs")
    assert status == 1
    assert printed.startswith("started: job 3 at 2: FCFS() would not start it now; job 2 heads")


def test_a_recorded_log_may_begin_late(check, tmp_path):
    log = swf(tmp_path / "late.swf", [(n, s + 100, *rest) for n, s, *rest in WAITS])
    status, printed = check(log, "--trace", log, "--clusters", "4", "--scheduling", "easy")
    assert status == 0, printed


def test_a_recorded_log_with_other_submissions_is_refused(refused, tmp_path):
    log = swf(tmp_path / "waits.swf", WAITS)
    later = [(n, s + 5, *rest) if n == 3 else (n, s, *rest) for n, s, *rest in WAITS]
    other = swf(tmp_path / "other.swf", later)
    message = refused("verify", other, "--trace", log, "--clusters", "4")
    assert "other: job 3 was submitted at 7, but at 2 in the log of --trace; give" in message
    message = refused("verify", log, "--trace", log, "--clusters", "4", "--load", "0.9")
    assert "waits: job 2 was submitted at 1, but at " in message
    assert message.endswith(" such as --load")


def test_submissions_of_a_recorded_log_may_be_rounded(run, tmp_path):
    """In the recorded log, the second job is submitted at 1."""
    recorded = swf(tmp_path / "recorded.swf", WAITS)
    first, (number, _, *rest), last = WAITS
    for submit, status in ((0.6, 0), (0.4, 2)):
        log = swf(tmp_path / "exact.swf", [first, (number, submit, *rest), last])
        run("verify", recorded, "--trace", log, "--clusters", "4", status=status)


def test_a_job_without_a_recorded_wait_has_no_start(check, tmp_path):
    number, submit, _, *rest = WAITS[1]
    log = swf(tmp_path / "waits.swf", [WAITS[0], (number, submit, -1, *rest)])
    status, printed = check(log, "--trace", log, "--clusters", "4")
    assert (status, printed.splitlines()[0]) == (1, "incomplete: job 2 has no start")


#: Two jobs with the number 1, which do not overlap, and a job of eight processors.
REPEATED = [(1, 0, 0, 10, 4, 10), (1, 5, 5, 10, 4, 10), (3, 6, 14, 4, 8, 4)]


def test_jobs_of_a_recorded_log_may_have_the_same_number(check, tmp_path):
    log = swf(tmp_path / "repeated.swf", REPEATED)
    how = ("--trace", log, "--clusters")
    status, printed = check(log, *how, "4", "--largest", "4", "--scheduling", "fcfs")
    assert status == 0, printed
    assert printed.startswith("no violation in 2 jobs on 4")


def test_the_line_of_a_repeated_number_is_unknown_if_one_job_is_left_out(run, tmp_path):
    first, (number, submit, wait, runtime, _, time), last = REPEATED
    log = swf(tmp_path / "log.swf", [first, (number, submit, wait, runtime, 8, time), last])
    errors = run("verify", log, "--trace", log, "--clusters", "8", "--largest", "4", status=2)
    assert (
        "job number 1 is repeated, and its count differs (2 in log, 1 among the jobs to check); "
        "give each job its own number\n"
    ) in errors


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("out", ["--out", "--export"])
def test_schedules_of_jobs_with_the_same_number(check, schedule, tmp_path, out, order):
    how = "--trace", swf(tmp_path / "repeated.swf", REPEATED), "--scheduling", "fcfs"
    path = schedule(*how, out=out)
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *lines[::order]]) + "\n")
    status, printed = check(path, *how)
    assert status == 0, printed
    assert printed.startswith("no violation in 3 jobs on 8")


def test_two_lines_for_one_of_several_jobs_with_the_same_number(run, tmp_path):
    log, path = swf(tmp_path / "repeated.swf", REPEATED), tmp_path / "wrong.csv"
    path.write_text(f"{HEADER}\n1,5,5,15,0:4\n1,5,5,15,0:4\n")
    errors = run("verify", path, "--trace", log, *EIGHT, status=2)
    assert "line 3: job '1' occurs twice; give each job one line\n" in errors


def test_rounded_instants_of_another_tool_are_no_violation(check, tmp_path):
    log = swf(tmp_path / "log.swf", WAITS[:1])
    path = tmp_path / "jobs.csv"
    path.write_text(
        "job_id,submission_time,starting_time,finish_time,allocated_resources\n"
        "workload!1,0.000000,0.000000,10.000001,0 2-3\n"
    )
    assert check(path, "--trace", log, "--clusters", "4", "--scheduling", "easy")[0] == 0


HEADER = "job,submit,start,end,allocation"
#: Two jobs of 10 s on four processors. The second is submitted almost one year after the first.
LATE = [(1, 0, 0, 10, 4, 10), (2, 31_000_000, 0, 10, 4, 10)]


@pytest.fixture
def late(tmp_path):
    """Return a function that writes lines of the two jobs of `LATE`, and the words to check them.

    The words are the file of the schedule and the options of its log.
    """

    def late(*lines):
        path = tmp_path / "late.csv"
        path.write_text("\n".join([HEADER, *lines]) + "\n")
        return path, "--trace", swf(tmp_path / "late.swf", LATE), "--clusters", "4"

    return late


@pytest.mark.parametrize(("job", "ends"), [(1, (20, 31_000_010)), (2, (10, 31_000_035))])
def test_a_wrong_run_time_is_a_violation_at_every_instant(check, late, job, ends):
    words = late(f"1,0,0,{ends[0]},0:4", f"2,31000000,31000000,{ends[1]},0:4")
    status, printed = check(*words)
    assert status == 1
    assert printed.startswith(f"length: job {job} ")


@pytest.mark.parametrize(
    ("start", "end"),
    [("31000000", "31000010.9"), ("31000000", "31000011"), ("31000000.25", "31000010.5")],
)
def test_an_error_that_the_printed_digits_do_not_explain_is_a_violation(check, late, start, end):
    status, printed = check(*late("1,0,0,10,0:4", f"2,31000000,{start},{end},0:4"))
    assert status == 1
    assert printed.startswith("length: job 2 ")


def test_a_file_of_whole_seconds_may_round_fractional_run_times(check, tmp_path):
    log, path = tmp_path / "log.swf", tmp_path / "jobs.csv"
    swf(log, [(1, 0, 0, 10.7, 4, 11), (2, 3, 0, 2.6, 4, 3)])
    path.write_text(f"{HEADER}\n1,0,0,11,0:4\n2,3,11,13,0:4\n")
    assert check(path, "--trace", log, "--clusters", "4")[0] == 0
    path.write_text(f"{HEADER}\n1,0,0,12,0:4\n2,3,12,14,0:4\n")
    assert check(path, "--trace", log, "--clusters", "4")[0] == 1


@pytest.mark.parametrize(
    ("exact", "printed", "status"),
    [
        (0.5, "0", 0), (0.5, "1", 0), (1.5, "2", 0), (10.125, "10.12", 0), (10.125, "10.13", 0),
        (0.51, "0", 2), (10.126, "10.12", 2),
        (1, "1", 0), (1, "2", 2), (1, "0", 2),
    ],
)  # fmt: skip
def test_a_submission_may_be_an_exact_half_before_it_is_rounded(
    run, tmp_path, exact, printed, status
):
    log, path = tmp_path / "log.swf", tmp_path / "jobs.csv"
    swf(log, [(1, 0, 0, 1, 1, 1), (2, exact, 0, 10, 2, 10)])
    path.write_text(f"{HEADER}\n1,0,0,1,0:1\n2,{printed},20,30,0:2\n")
    run("verify", path, "--trace", log, "--clusters", "4", status=status)


def test_surplus_cells_are_refused(refused, log, tmp_path):
    path = tmp_path / "wrong.csv"
    path.write_text(f"{HEADER}\n11,0,0,10,0:6,junk,9\n")
    message = refused("verify", path, "--trace", log, *EIGHT)
    assert "line 2: 'junk,9' is beyond the last column, allocation; give 5 cells" in message


def test_processors_that_the_allocation_does_not_have_are_refused(check, refused, schedule, log):
    path = changed(schedule(), 11, processors="9999")
    message = refused("verify", path, "--trace", log, *EIGHT)
    assert "line 2: processors is '9999', but allocation is '0:6', which is 6 in total;" in message
    assert check(changed(path, 11, processors=""))[0] == 0


def test_of_jobs_with_the_same_number_the_one_with_the_nearest_submission_is_taken(check, tmp_path):
    log, path = tmp_path / "log.swf", tmp_path / "jobs.csv"
    swf(log, [(1, 0.75, 0, 2, 4, 2), (1, 1, 0, 3, 4, 3)])
    path.write_text(f"{HEADER}\n1,1,2.75,5.75,0:4\n1,0.75,0.75,2.75,0:4\n")
    status, printed = check(path, "--trace", log, "--clusters", "4")
    assert status == 0, printed


def test_a_late_instant_may_be_rounded(check, late):
    lines = "1,0,0,10,0:4", "2,31000000.4,31000000.4,31000010,0:4"
    assert check(*late(*lines))[0] == 0


def test_a_wrong_submission_is_refused_at_every_instant(refused, late):
    message = refused("verify", *late("2,31000031,31000031,31000041,0:4"))
    assert "line 2: the job was submitted at 31000031, but at 31000000 in the log" in message


WRONG = """
--scheduling fastest -> --scheduling = 'fastest'; choose one of
--clusters 8,8 --request total --span-penalty 0.5 -> --span-penalty 0.5 has no effect
--scheduling fpfs -> --scheduling fpfs needs --max-jumps; add it
--max-jumps 3 -> --max-jumps is an option of a policy; add --scheduling fpfs, or leave it out
--adaptive -> --adaptive is an option of a policy; add --scheduling
--missing 30 -> --missing 30 has no effect without a policy & add --scheduling, or leave it out
--scheduling fcfs --missing 30 -> --missing 30 has no effect: --scheduling fcfs does not plan
--largest 6 -> job '14' is not among the jobs of --trace & line 5
--load 0.5 -> line 3: the job was submitted at 0.5, but at & in the log & such as --load
"""


@pytest.mark.parametrize(("arguments", "words"), rows(WRONG))
def test_wrong_options_are_named(refused, schedule, log, arguments, words):
    message = refused("verify", schedule(), *over(["--trace", log, *EIGHT], arguments))
    assert all(word in message for word in words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("11,0,zero,10,0:6", "line 2: start is 'zero'; give a number"),
        ("11,0,0,inf,0:6", "line 2: end is 'inf'; give a number"),
        ("11,\u0660,0,10,0:6", "line 2: submit is '\u0660'; give a number"),
        ("11,0,0,10,1:6", "line 2: allocation is '1:6'; give pairs cluster:processors"),
        ("11,0,0,10,6", "line 2: allocation is '6'; give pairs cluster:processors"),
        ("11,0,0,10,0:6\n11,0,0,10,0:6", "line 3: job '11' occurs twice; give each job one line"),
        ("99,0,0,10,0:6", "line 2: job '99' is not among the jobs of --trace"),
        ("11,0,0,10,0:3;0:3", "line 2: allocation is '0:3;0:3' and names cluster 0 twice; give "
         "each cluster once"),
        (f"11,0,0,10,0:{10**20}", f"line 2: allocation is '0:{10**20}'; give pairs cluster:"),
        (f"11,0,0,10,0:{'9' * 5000}", "separated by semicolons, with cluster numbers from 0 to 0"),
        (f"11,0,0,10,{'9' * 5000}:6", "separated by semicolons, with cluster numbers from 0 to 0"),
        ("11,0,,10,0:6", "line 2: end is '10', but start is empty; give both, or neither for a job "
         "that never ran"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(refused, log, tmp_path, line, words):
    path = tmp_path / "wrong.csv"
    path.write_text(f"{HEADER}\n{line}\n")
    assert words in refused("verify", path, "--trace", log, *EIGHT)


BATSIM_HEADER = "job_id,submission_time,starting_time,finish_time,allocated_resources"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"w!11,0,0,10,0-{10**20}", f"allocated_resources is '0-{10**20}'; give processor numbers"),
        (f"w!11,0,0,10,{'9' * 5000}", "give processor numbers from 0 to 7, such as 0-3 7"),
        (
            "w!11,0,0,10,0-2 0-2",
            "line 2: allocated_resources is '0-2 0-2' and has processor 0 twice",
        ),
        (
            "w!11,0,0,10,3-5 0-2 2",
            "'3-5 0-2 2' and has processor 2 twice; give each processor once",
        ),
        ("w!11,0,,10,0-5", "finish_time is '10', but starting_time is empty; give both"),
    ],
)
def test_a_wrong_line_of_batsim_is_named(refused, log, tmp_path, line, words):
    path = tmp_path / "wrong.csv"
    path.write_text(f"{BATSIM_HEADER}\n{line}\n")
    message = refused("verify", path, "--trace", log, *EIGHT)
    assert words in message
    assert "line 2: " in message


def test_other_files_are_refused(refused, log, tmp_path):
    path = tmp_path / "other.csv"
    message = refused("verify", path, "--trace", log, *EIGHT)
    assert f"{path} cannot be read (No such file or directory); check the path" in message
    path.write_text("name,when\n")
    message = refused("verify", path, "--trace", log, *EIGHT)
    assert "has the columns 'name,when'; give a schedule with the columns" in message
    path.write_bytes(b"job,\xff\n")
    assert "is not a CSV file in UTF-8" in refused("verify", path, "--trace", log, *EIGHT)
    message = refused("verify", log, "--trace", log, "--clusters", "8,8")
    assert "does not say on which clusters its jobs ran" in message
    other = swf(tmp_path / "waits.swf", WAITS)
    assert "has none of the jobs of --trace" in refused("verify", other, "--trace", log, *EIGHT)
