"""Exports of Slurm's sacct: against the truth of made-up ones, by hand, and with mistakes."""

import gzip
from collections import Counter
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from own_system import sacct
from own_system.sacct import columns as sacct_columns
from own_system.sacct import read_sacct
from tests.conftest import ROOT
from tests.own_system.made_sacct import COLUMNS, KINDS, Export, Job, random_export
from tests.own_system.sacct_files import HEADER, NO_JOB, TWICE, file_of, line, log_of, outcomes

# The next tests read made-up output of ``sacct``, for which the right result is known.
jobs = st.builds(
    Job,
    kind=st.sampled_from([*KINDS]),
    submit=st.integers(TWICE - 9_000, TWICE + 9_000) | st.integers(1_600_000_000, 1_700_000_000),
    wait=st.integers(0, 5_000),
    runtime=st.integers(1, 200_000),
    cores=st.integers(1, 200),
    limit=st.integers(1, 5_000),
    user=st.sampled_from(["ann", "bob", "åsa", "user-ß"]),
    partition=st.sampled_from(["short", "long"]),
)


@st.composite
def exports(draw, zones):
    """Generate output of ``sacct`` with columns in any order, some of them under another name."""
    given_up = draw(st.sampled_from([{"Elapsed", "NCPUS"}, {"ElapsedRaw", "AllocCPUS", "NNodes"}]))
    given_up = given_up | draw(
        st.sampled_from([set(), {"TimelimitRaw"}, {"Timelimit", "JobIDRaw"}])
    )
    columns = draw(st.permutations([column for column in COLUMNS if column not in given_up]))
    export = Export(columns=tuple(columns), zone=draw(zones))
    for number, job in enumerate(draw(st.lists(jobs, min_size=1, max_size=12)), start=1):
        export.add(number, job)
    return export


def check_receipt(log, export):
    assert outcomes(log, "left out") == dict(export.left_out)
    assert outcomes(log, "kept") == {"jobs": len(export.truth)}
    told = log.receipt.loc[log.receipt["outcome"] != "noted", "lines"].sum()
    assert told == len(export.lines), "every line is kept or left out, none twice"


def numbered(names):
    """Return a number for each name: 1 for the name that appears first, 2 for the next, ..."""
    order = {name: number for number, name in enumerate(dict.fromkeys(names), start=1)}
    return [order[name] for name in names]


@given(
    export=exports(st.sampled_from(["epoch", "offset"])), unit=st.sampled_from(["cores", "nodes"])
)
def test_what_was_made_up_is_read(tmp_path_factory, export, unit):
    folder = tmp_path_factory.mktemp("sacct")
    if not export.truth:
        with pytest.raises(co.InputError, match=NO_JOB):
            log_of(export, folder)
        return
    log = log_of(export, folder, unit=unit)
    check_receipt(log, export)
    truth = sorted(export.truth, key=lambda job: job.submit)
    table, first = log.table, truth[0].submit
    assert log.epoch == first
    assert table["job"].tolist() == list(range(1, len(truth) + 1))
    for name, wanted in {
        "submit": [job.submit - first for job in truth],
        "wait": [job.wait for job in truth],
        "runtime": [job.runtime for job in truth],
        "allocated_processors": [getattr(job, unit) for job in truth],
        "requested_time": [job.limit for job in truth],
        "status": [job.status for job in truth],
        "user": numbered([job.user for job in truth]),
        "partition": [
            1 + sorted({j.partition for j in truth}).index(job.partition) for job in truth
        ],
        "queue": [1] * len(truth),
    }.items():
        assert table[name].tolist() == wanted, name


def comes_twice(seconds):
    moment = datetime.fromtimestamp(seconds, ZoneInfo("Europe/Amsterdam"))
    return moment.replace(fold=0).timestamp() != moment.replace(fold=1).timestamp()


@given(export=exports(st.just("Europe/Amsterdam")))
def test_times_of_a_place_are_read_and_run_times_are_right_in_any_hour(tmp_path_factory, export):
    if not export.truth:
        return
    log = log_of(export, tmp_path_factory.mktemp("sacct"), time_zone="Europe/Amsterdam")
    check_receipt(log, export)
    table = log.table.assign(submit=log.table["submit"] + log.epoch)
    names = ["runtime", "allocated_processors", "requested_time", "status"]
    read = Counter(zip(*(table[name] for name in names), strict=True))
    assert read == Counter((j.runtime, j.cores, j.limit, j.status) for j in export.truth)
    exact = Counter(
        (job.submit, job.wait, job.runtime, job.cores)
        for job in export.truth
        if not any(map(comes_twice, (job.submit, job.submit + job.wait)))
    )
    names = ["submit", "wait", "runtime", "allocated_processors"]
    assert not exact - Counter(zip(*(table[name] for name in names), strict=True))


def test_a_long_export_is_read_in_blocks_as_in_one(tmp_path, monkeypatch):
    export = random_export(3_000)
    log = log_of(export, tmp_path)
    check_receipt(log, export)
    monkeypatch.setattr("coalloc_lib.workloads.log_files._BLOCK", 10_000)
    again = log_of(export, tmp_path)
    pd.testing.assert_frame_equal(again.table, log.table)
    pd.testing.assert_frame_equal(again.receipt, log.receipt)


# By hand.
def test_a_log_is_written_and_read_again_without_a_name(tmp_path):
    export = random_export(400)
    log = log_of(export, tmp_path)
    co.write_swf(tmp_path / "my.swf.gz", log.table, log.header)
    text = gzip.decompress((tmp_path / "my.swf.gz").read_bytes()).decode()
    assert not any(name in text for name in ("üser", "part1", "of-", "normal", "north"))
    again = co.read_swf(tmp_path / "my.swf.gz")
    pd.testing.assert_frame_equal(again.table, log.table)
    assert again.header == log.header
    assert "left out: " in again.header["Note"]
    assert log.jobs().runtime.tolist() == log.table["runtime"].tolist()
    assert log.name == "export"


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (line("2", start="None", elapsed="0", state="CANCELLED by 7"), "never started"),
        (line("2", start="260", elapsed="0", state="CANCELLED"), "never started"),
        (line("2", start="Unknown", end="Unknown", state="FAILED"), "never started"),
        (line("2", submit="Unknown"), "without a time of submission or of end"),
        (line("2", end="0"), "without a time of submission or of end"),
        (line("2", end="10"), "end before they start"),
        (line("2", end="10", elapsed="INVALID"), "end before they start"),
        (line("2", end="160"), "ran for less than a second"),
        (line("2", end="160", elapsed="00:00:00"), "ran for less than a second"),
        (line("2", cores="", asked="0"), "without processors"),
        (line("2_[3-9]", "100", "Unknown", "Unknown", "0", "PENDING"), "still waiting or running"),
        (line("2.batch", state="RUNNING"), "steps of jobs"),
        (HEADER, "repeated lines"),
    ],
)
def test_what_is_left_out_has_its_reason(tmp_path, row, why):
    log = read_sacct(file_of(tmp_path, line(), row))
    assert len(log) == 1
    assert outcomes(log, "left out") == {why: 1}
    with pytest.raises(co.InputError, match=NO_JOB) as caught:
        read_sacct(file_of(tmp_path, row))
    assert why == "repeated lines" or f"1 {why}" in str(caught.value) or row.startswith("2.batch")


def test_what_is_noted(tmp_path):
    rows = [
        line("1", limit="Partition_Limit"),
        line("2", start="40", elapsed="220"),
        line("3", limit=""),
    ]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["requested_time"].tolist() == [-1, 3600, -1]
    assert log.table["wait"].tolist() == [60, -1, 60]
    noted = {"without a time limit": 2, "start before their submission": 1}
    assert outcomes(log, "noted") == noted
    assert log.jobs().estimate.tolist() == [100, 3600, 100]


def test_the_receipt_tells_when_how_wide_how_busy_and_of_which_clusters(tmp_path):
    """Job 2 starts when job 1 ends. Job 3 runs beside job 2, with the processors it requested."""
    rows = [line("1", "86400", "86460", "86560"), line("2", "86500", "86560", "86660", cores="9"),
            line("3", "90000", "86600", "86650", "50", cores="0", asked="7")]  # fmt: skip
    path = file_of(tmp_path, *(f"{row}|north" for row in rows), header=f"{HEADER}|Cluster")
    receipt = read_sacct(path, time_zone="Europe/Amsterdam").receipt
    assert receipt.loc[receipt["outcome"] == "found", "what"].tolist() == [
        "first submission: 1970-01-02 01:00:00 CET",
        "last submission: 1970-01-02 02:00:00 CET",
        "widest job: 9 cores",
        "busy 99 % of the time at most: 16 cores",
        "clusters: 'north'",
    ]
    with path.open("a") as file:
        file.write(f"{line()}|south\n")
    receipt = read_sacct(path, cluster="south").receipt
    assert receipt["what"].iloc[-1] == "clusters: 'north', 'south'; 'south' is read"
    assert not any("cluster" in what for what in read_sacct(file_of(tmp_path, *rows)).receipt.what)


def test_few_columns_are_enough(tmp_path):
    header = "NCPUS|STATE|end|start|submit|jobid|"  # --parsable, with its '|' at the end
    path = file_of(tmp_path, "4|COMPLETED|260|160|100|1|", header=header)
    log = read_sacct(path)
    row = log.table.iloc[0]
    assert (row["runtime"], row["allocated_processors"], row["requested_time"]) == (100, 4, -1)
    assert row[["user", "group", "queue", "partition", "requested_processors"]].tolist() == [-1] * 5


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"", b""), (b"\xef\xbb\xbf", b""), (b"\n\n", b"\r\n \n")],
)
def test_marks_line_ends_and_bytes_of_any_kind_make_no_difference(tmp_path, before, after):
    rows = [line("1", user="åsa"), line("2", user="asa"), line("3", user="åsa")]
    text = file_of(tmp_path, *rows).read_bytes()
    for content in (text, text.replace(b"\n", b"\r\n"), text.decode().encode("latin-1")):
        (tmp_path / "odd.txt.gz").write_bytes(gzip.compress(before + content + after))
        log = read_sacct(tmp_path / "odd.txt.gz")
        assert log.table["user"].tolist() == [1, 2, 1]
        assert log.name == "odd"


def test_one_of_several_clusters(tmp_path):
    rows = [f"{line()}|north", f"{line(cores='9')}|süd", f"{line('2', '900', '950')}|north"]
    path = file_of(tmp_path, *rows, header=f"{HEADER}|Cluster")
    with pytest.raises(co.InputError, match="several clusters: 'north', 'süd'; choose one with"):
        read_sacct(path)
    log = read_sacct(path, cluster="süd")
    assert log.table["allocated_processors"].tolist() == [9]
    assert outcomes(log, "left out") == {"of other clusters": 2}
    with pytest.raises(co.InputError, match=r"cluster = 'west' is not in .*names 'north', 'süd'"):
        read_sacct(path, cluster="west")
    with pytest.raises(co.InputError, match="names no cluster; add Cluster to --format"):
        read_sacct(file_of(tmp_path, line()), cluster="west")


# Mistakes.
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "export.txt has no line; export it with: SLURM_TIME_FORMAT"),
        (f"{HEADER}\n", r"no job below its header \(0 steps of jobs\); export"),
        (f"{HEADER}\n{line('1.extern')}", r"no job below its header \(1 steps of jobs\); export"),
        (f"{HEADER}\n{line(end='10')}", r"\(1 end before they start\); check for swapped columns"),
        (f"{HEADER}\n{line(start='None')}", r"\(1 never started\); export a longer time"),
        (HEADER.replace("|", ","), r"the header has no column JobID, .* separated by '\|'; export"),
        (f"{line()}\n{line()}", "has no column JobID, Submit, Start, State, ElapsedRaw or End"),
        ("; Version: 2.2\n", "line 1: the header has no column JobID"),
        ("JobID|Submit|Start|State|NNodes\n", "header has no column ElapsedRaw or End, AllocCPUS"),
        (f"{HEADER}\n\n{line()}\n{line('my|job')}\n", "line 4: 12 columns, but the header has 11"),
        (f"{HEADER}\n{line()[:30]}\n", "line 2: . columns, but the header has 11"),
        (f"{HEADER}\n{line()}\n{line(submit='12:30')}", "line 3: submit is '12:30'; give seconds"),
        (f"{HEADER}\n{line(end='Ystday 12:30')}", "line 2: end is 'Ystday 12:30'; give seconds"),
        (f"{HEADER}\n{line(elapsed='long')}", "line 2: elapsed is 'long'; give seconds or d-hh"),
        (f"{HEADER}\n{line(limit='1 day')}", "line 2: requested_time is '1 day'; give minutes or"),
        (f"{HEADER}\n{line(cores='1.50K')}", r"line 2: allocated_processors is '1.50K'"),
        (f"{HEADER}\n{line(cores='1_000')}", "line 2: allocated_processors is '1_000'; give a"),
        (f"{HEADER}\n{line(cores='１２')}", "line 2: allocated_processors is '１２'; give a whole"),
        (f"{HEADER}\n{line(cores='9' * 20)}", "line 2: allocated_processors is '9999"),
        (f"{HEADER}\n{line(elapsed='9' * 400)}", "line 2: elapsed is '9999"),
        (f"{HEADER}\n{line(elapsed='999999999999-00:00:00')}", "line 2: elapsed is '9999"),
        (f"{HEADER}\n{line()}\n{line(submit='253402300800')}", "line 3: submit is '253402300800'"),
        (f"{HEADER}\n{line(end='253370764800')}", "line 2: end is '253370764800'; give seconds"),
        (f"{HEADER}\n{line(start='١٦٠')}", "line 2: start is '١٦٠'; give seconds"),
        (f"{HEADER}\n{line(submit='0001-01-01T00:00:00')}", "line 2: submit is '0001-01-01T00"),
        (f"{HEADER}|Submit\n{line()}|200", "line 1: column Submit occurs twice; export it only"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_refused_with_its_line(tmp_path, text, cause):
    path = tmp_path / "export.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(co.InputError, match=cause) as caught:
        read_sacct(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("how", "cause"),
    [
        ({"unit": "gpus"}, "unit = 'gpus'; choose one of 'cores', 'nodes'"),
        *(({"time_zone": zone}, "time_zone = .* give a name") for zone in ("CEST?", "", "/x", 3)),
    ],
)
def test_arguments_are_checked(tmp_path, how, cause):
    with pytest.raises(co.InputError, match=cause):
        read_sacct(file_of(tmp_path, line()), **how)
    with pytest.raises(co.InputError, match="there is no such file"):
        read_sacct(tmp_path / "absent.txt")


def test_the_command_that_is_named_prints_what_is_read():
    columns = sacct.COMMAND.split("--format ")[1].split()[0].split(",")
    best = {names[0] for names in sacct_columns.COLUMNS.values()}
    assert best | {c for unit in sacct_columns.PROCESSORS.values() for c, *_ in unit} == set(
        columns
    )
    assert set(columns) < {*COLUMNS}
    for page in ("docs/own-logs.md", "docs/sites.md"):
        text = (ROOT / page).read_text("utf-8").replace(",\\\n", ",").replace(" \\\n ", "")
        assert sacct.COMMAND.removesuffix("export.txt") in text, page


@pytest.mark.parametrize("text", [HEADER, "1|2|3", "submit,runtime", '{"jobs": []}', "[1]"])
def test_what_is_no_swf_names_its_reader(tmp_path, text):
    (tmp_path / "log.swf").write_text(f"; Note: x\n{text}\n")
    with pytest.raises(
        co.InputError, match=r"line 2: .* not a job .* 'python -m own_system import' .*batsim"
    ):
        co.read_swf(tmp_path / "log.swf")


def test_a_value_that_cannot_be_read_is_never_part_of_an_export(tmp_path):
    path = file_of(tmp_path, line("1"), line("2", cores="many"))
    with pytest.raises(co.InputError, match="line 3: allocated_processors is 'many'"):
        sacct_columns.read_export(path, "cores", UTC)
    export = sacct_columns.read_export(file_of(tmp_path, line("1")), "cores", UTC)
    assert export.instants.tolist() == [[[100.0] * 2, [160.0] * 2, [260.0] * 2]]
    assert export.has_raw_elapsed


def test_many_users_keep_their_numbers_apart(tmp_path):
    rows = [line(f"{n}", submit=f"{100 + n}", user=f"u{n % 700}") for n in range(2_000)]
    table = read_sacct(file_of(tmp_path, *rows)).table
    np.testing.assert_array_equal(table["user"], np.arange(2_000) % 700 + 1)
