"""Exports of Slurm's sacct: against the truth of made-up ones, by hand, and with mistakes."""

import gzip
from collections import Counter
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from own_system import sacct, sacct_times
from own_system.sacct import read_sacct
from own_system.sacct_elapsed import IN_HOURS, LONGER, SHORTER
from tests.conftest import ROOT
from tests.own_system.made_sacct import COLUMNS, KINDS, Export, Job, random_export
from tests.workloads.test_preemption import CASES

#: The hour that comes twice begins here: 2024-10-27, 02:00 in Amsterdam, in summer.
TWICE = 1_729_987_200
NO_JOB = r"has no job (that ran|below)"
HEADER = "JobID|Submit|Start|End|ElapsedRaw|State|AllocCPUS|ReqCPUS|TimelimitRaw|User|Account"


def file_of(folder, *lines, header=HEADER, name="export.txt"):
    (folder / name).write_text("".join(f"{line}\n" for line in (header, *lines)), "utf-8")
    return folder / name


def line(name="1", submit="100", start="160", end="260", elapsed="100", state="COMPLETED", **more):
    sizes = [more.get("cores", "4"), more.get("asked", "4"), more.get("limit", "60")]
    who = [more.get("user", "ann"), more.get("account", "physics")]
    return "|".join([name, submit, start, end, elapsed, state, *sizes, *who])


def outcomes(log, outcome):
    rows = log.receipt[log.receipt["outcome"] == outcome]
    return dict(zip(rows["what"], rows["lines"], strict=True))


# Against made-up exports whose truth is known.

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
    """An export with its columns in any order, some of them only under another name."""
    given_up = draw(st.sampled_from([{"Elapsed", "NCPUS"}, {"ElapsedRaw", "AllocCPUS", "NNodes"}]))
    given_up = given_up | draw(
        st.sampled_from([set(), {"TimelimitRaw"}, {"Timelimit", "JobIDRaw"}])
    )
    columns = draw(st.permutations([column for column in COLUMNS if column not in given_up]))
    export = Export(columns=tuple(columns), zone=draw(zones))
    for number, job in enumerate(draw(st.lists(jobs, min_size=1, max_size=12)), start=1):
        export.add(number, job)
    return export


def log_of(export, folder, **how):
    path = folder / "export.txt"
    path.write_text(export.text, "utf-8")
    return read_sacct(path, **how)


def check_receipt(log, export):
    assert outcomes(log, "left out") == dict(export.left_out)
    assert outcomes(log, "kept") == {"jobs": len(export.truth)}
    told = log.receipt.loc[log.receipt["outcome"] != "noted", "lines"].sum()
    assert told == len(export.lines), "every line is kept or left out, none twice"


def numbered(names):
    """Number the names in order of first appearance, from 1."""
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


def test_the_hour_that_comes_twice(tmp_path):
    """Job 2 runs from the first 02:40 to the second 02:10; jobs 3 and 4 tell by order alone."""
    day = "2024-10-27T"
    rows = [
        line("1", f"{day}00:00:00", f"{day}01:00:00", f"{day}02:30:00", "5400"),
        line("2", f"{day}01:00:00", f"{day}02:40:00", f"{day}02:10:00", "1800"),
        line("3", f"{day}02:50:00", f"{day}02:20:00", f"{day}02:30:00", "600"),
        line("4", f"{day}02:55:00", f"{day}02:59:00", f"{day}04:00:00", "3660"),
        line("5", f"{day}02:55:00", f"{day}02:59:00", f"{day}04:00:00", "7260"),
    ]
    log = read_sacct(file_of(tmp_path, *rows), time_zone="Europe/Amsterdam")
    # Job 5 runs an hour longer than job 4, so it started in the first of the two hours.
    starts = dict(zip(log.table["job"], log.table["submit"] + log.table["wait"], strict=True))
    assert log.epoch == TWICE - 2 * 3600
    assert log.table["runtime"].tolist() == [5400, 1800, 600, 3660, 7260]
    wanted = [3600, 7200 + 2400, 10_800 + 1200, 10_800 + 3540, 7200 + 3540]
    assert list(starts.values()) == wanted
    assert outcomes(log, "noted")["in the hour that comes twice as summer ends"] == 5


def test_times_that_do_not_exist_and_times_without_a_zone_are_said(tmp_path):
    rows = [line("1", "2024-03-31T02:30:00", "2024-03-31T03:40:00", "2024-03-31T04:00:00", "1200")]
    path = file_of(tmp_path, *rows)
    log = read_sacct(path, time_zone="Europe/Amsterdam")
    assert outcomes(log, "noted") == {"in the hour that the clock skips": 1}
    assert log.table["wait"].tolist() == [600]  # 02:30 is read as 03:30
    assert log.header["TimeZoneString"] == "Europe/Amsterdam"
    log = read_sacct(path)
    assert outcomes(log, "noted") == {"in times without a zone, read as UTC": 1}
    assert (log.table["wait"].tolist(), log.header["TimeZoneString"]) == ([4200], "UTC")
    rows = [line("1", "2024-03-31T02:30:00Z", "2024-03-31T05:00:00+02:00", "1711860000", "6000")]
    log = read_sacct(file_of(tmp_path, *rows))
    assert (outcomes(log, "noted"), log.table["wait"].tolist()) == ({}, [1800])


def test_components_of_one_job_run_as_one_in_each_of_its_runs(tmp_path):
    rows = [
        line("7+0", "100", "200", "300", "100", "NODE_FAIL", cores="4", limit="10"),
        line("7+1", "101", "200", "290", "90", "NODE_FAIL", cores="16", limit="UNLIMITED"),
        line("7+0", "400", "500", "900", "400", cores="4"),
        line("7+1", "400", "500", "900", "400", cores="16"),
        line("8_3", "400", "500", "900", "400", cores="1"),
        line("9+0", "1000", "1100", "1500", "400", cores="2"),
        line("9+1", "1001", "1101", "1500", "399", cores="4"),
        line("9+1", "3000", "3100", "3500", "400", cores="8"),  # its 9+0 is not in the file
    ]
    table = read_sacct(file_of(tmp_path, *rows)).table
    assert table["allocated_processors"].tolist() == [20, 20, 1, 6, 8]
    assert table["runtime"].tolist() == [100, 400, 400, 400, 400]
    assert table["requested_time"].tolist() == [600, 3600, 3600, 3600, 3600]
    assert table["status"].tolist() == [0, 1, 1, 1, 1]


def test_the_last_line_of_a_submission_that_has_ended_counts(tmp_path):
    rows = [
        line("1", end="Unknown", elapsed="20", state="RUNNING"),
        line("1", end="200", elapsed="40"),
        line("1"),
        line("1", end="Unknown", elapsed="30", state="SUSPENDED"),
        line("1", "500", "560", "600", "40", "REQUEUED"),
    ]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["runtime"].tolist() == [100, 40]
    assert outcomes(log, "left out") == {"still waiting or running": 2, "told again": 1}
    assert outcomes(log, "noted") == {"further runs of requeued jobs": 1}


@pytest.mark.parametrize(
    ("state", "status"),
    [("COMPLETED", 1), ("CANCELLED by 1000", 5), ("CANCELLED+", 5), ("OUT_OF_ME+", 0),
     ("TIMEOUT", 0), ("NODE_FAIL", 0), ("DEADLINE", 0), ("PREEMPTED", 0), ("SOMETHING_NEW", 0)],
)  # fmt: skip
def test_every_end_after_a_start_is_a_job(tmp_path, state, status):
    table = read_sacct(file_of(tmp_path, line(state=state))).table
    assert table["status"].tolist() == [status]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (line("2", start="None", elapsed="0", state="CANCELLED by 7"), "never started"),
        (line("2", start="260", elapsed="0", state="CANCELLED"), "never started"),
        (line("2", start="Unknown", end="Unknown", state="FAILED"), "never started"),
        (line("2", submit="Unknown"), "without an end, or a submission"),
        (line("2", end="0"), "without an end, or a submission"),
        (line("2", end="10"), "end before they start"),
        (line("2", end="10", elapsed="INVALID"), "end before they start"),
        (line("2", end="160"), "ran for less than a second"),
        (line("2", end="160", elapsed="00:00:00"), "ran for less than a second"),
        (line("2", cores="", asked="0"), "without processors"),
        (line("2_[3-9]", "100", "Unknown", "Unknown", "0", "PENDING"), "still waiting or running"),
        (line("2.batch", state="RUNNING"), "steps of jobs"),
        (HEADER, "told again"),
    ],
)
def test_what_is_left_out_has_its_reason(tmp_path, row, why):
    log = read_sacct(file_of(tmp_path, line(), row))
    assert len(log) == 1
    assert outcomes(log, "left out") == {why: 1}
    with pytest.raises(co.InputError, match=NO_JOB) as caught:
        read_sacct(file_of(tmp_path, row))
    assert why == "told again" or f"1 {why}" in str(caught.value) or row.startswith("2.batch")


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
    """Job 2 starts as job 1 ends; job 3 has the processors that it asked for, beside job 2."""
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


def test_no_job_runs_for_longer_than_from_its_start_to_its_end(tmp_path):
    rows = [line("1", end="1160", elapsed="99999999"), line("2", end="260", elapsed="90")]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["runtime"].tolist() == [1000, 90]
    assert outcomes(log, "noted") == {
        "have run longer than from start to end": 1,
        "have run shorter than from start to end": 1,
    }
    mends = log.receipt.set_index("what")["what to do"]
    assert mends["have run longer than from start to end"].endswith("; the first is line 2")
    assert mends["have run shorter than from start to end"].endswith("; the first is line 3")


@pytest.mark.parametrize(
    ("zone", "runtime", "noted"),
    [
        # The clock of Amsterdam is put back on this day: the jobs run for three hours and a half.
        ("Europe/Amsterdam", [12_600, 9000], {}),
        # It is not put back in UTC, and not in Tokyo: the elapsed time is an hour off for job 1.
        (None, [9000, 9000], {LONGER: 1, "in times without a zone, read as UTC": 2}),
        ("Asia/Tokyo", [9000, 9000], {LONGER: 1}),
    ],
)
def test_an_hour_off_is_accepted_only_if_the_clock_is_changed(tmp_path, zone, runtime, noted):
    night = "2024-10-27T01:30:00", "2024-10-27T01:30:00", "2024-10-27T04:00:00"
    rows = [line("1", *night, "12600"), line("2", *night, "9000")]
    log = read_sacct(file_of(tmp_path, *rows), time_zone=zone)
    assert log.table["runtime"].tolist() == runtime
    assert outcomes(log, "noted") == noted


@pytest.mark.parametrize("zone", [None, "Europe/Amsterdam"])
@pytest.mark.parametrize(
    ("elapsed", "what"), [("7200", LONGER), ("10800", None), ("14400", LONGER)]
)
def test_an_hour_off_in_the_middle_of_summer_is_noted(tmp_path, zone, elapsed, what):
    day = "2024-07-01T01:00:00", "2024-07-01T01:00:00", "2024-07-01T04:00:00"
    what = SHORTER if elapsed == "7200" else what
    log = read_sacct(file_of(tmp_path, line("1", *day, elapsed)), time_zone=zone)
    noted = outcomes(log, "noted")
    noted.pop("in times without a zone, read as UTC", None)
    assert noted == ({} if what is None else {what: 1})


@pytest.mark.parametrize(
    ("start", "end", "elapsed", "what"),
    [
        ("2024-07-01T01:00", "2024-07-01T04:00", "10850", None),
        ("2024-07-01T01:00", "2024-07-01T04:00:00", "10750", None),
        ("2024-07-01T01:00+02:00", "2024-07-01T04:00+02:00", "10850", None),
        ("2024-07-01T01:00", "2024-07-03T04:00", "2-02:59", None),
        ("2024-07-01T01:00:30", "2024-07-03T04:01:00", "2-03:00", None),
        ("2024-07-01T01:00", "2024-07-01T04:00", "10860", LONGER),
        ("2024-07-01T01:00:00", "2024-07-01T04:00:00", "10850", LONGER),
        ("1719788400", "1719799200", "10850", LONGER),
        ("1719788400", "1719799200", "10750", SHORTER),
    ],
)
def test_only_times_without_seconds_may_be_off_by_up_to_a_minute(
    tmp_path, start, end, elapsed, what
):
    row = line("1", "1719700000", start, end, elapsed)
    log = read_sacct(file_of(tmp_path, row), time_zone="UTC")
    assert outcomes(log, "noted") == ({} if what is None else {what: 1})


def test_lengths_of_time_and_processors_in_every_form(tmp_path):
    rows = [
        line("1", elapsed="1-02:03:04", limit="2-00:00:00", end="93944"),
        line("2", elapsed="02:03", end="300"),
        line("3", elapsed="00:02:03.500", limit="90", cores="0", asked="8", end="300"),
    ]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["runtime"].tolist() == [93_784, 123, 123.5]
    assert log.table["requested_time"].tolist() == [172_800, 3600, 5400]
    assert log.jobs().processors.tolist() == [4, 4, 8]


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
    with pytest.raises(co.InputError, match="several clusters: 'north', 'süd'; say which"):
        read_sacct(path)
    log = read_sacct(path, cluster="süd")
    assert log.table["allocated_processors"].tolist() == [9]
    assert outcomes(log, "left out") == {"of other clusters": 2}
    with pytest.raises(co.InputError, match=r"cluster = 'west' is not in .*names 'north', 'süd'"):
        read_sacct(path, cluster="west")
    with pytest.raises(co.InputError, match="names none; add Cluster to --format"):
        read_sacct(file_of(tmp_path, line()), cluster="west")


@given(
    seconds=st.integers(1, 86_399) | st.integers(-9_000, 9_000),
    day=st.sampled_from([0, TWICE, 1_711_846_800, 1_743_868_800, 1_728_144_000, 1_700_000_000]),
    zone=st.sampled_from(
        ["UTC", "Europe/Amsterdam", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu"]
    ),
    form=st.sampled_from(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%s", "%Y%m%dT0%H%M:%S"]),
)
def test_a_common_time_is_read_at_once_as_any_other(seconds, day, zone, form):
    """Days: of changes to and from summer, one of them by half an hour, and others."""
    moment = datetime.fromtimestamp(day + seconds, ZoneInfo("UTC"))
    word = str(day + seconds) if form == "%s" else moment.strftime(form)
    quick = sacct_times.Hours(ZoneInfo(zone)).instant(word)
    try:
        instants = sacct_times.instants(word, ZoneInfo(zone))
    except ValueError:
        assert np.isnan(quick)
        return
    assert np.isnan(quick) or instants == (quick, quick)


def test_hours_of_changes_are_left_to_the_long_way_and_no_others():
    hours = sacct_times.Hours(ZoneInfo("Australia/Lord_Howe"))  # by half an hour, 2024-10-06 at 2
    assert [np.isnan(hours.instant(f"2024-10-06T0{hour}:59:59")) for hour in (1, 2, 3)] == [
        False, True, False,
    ]  # fmt: skip
    for word in ("20241027T0230:15:00", "2024W43T02+01:30:00", "0100", "0", "", "٢٠٢٤", "Unknown"):
        assert np.isnan(hours.instant(word)), word


# What happened to a job in its life.


def test_a_resized_job_is_a_closed_segment_and_a_new_one():
    log = read_sacct(CASES / "sacct_resized.txt")
    table = log.table
    assert table["allocated_processors"].tolist() == [256, 128, 64]
    assert table["runtime"].tolist() == [7200, 3600, 14_400]
    assert table["wait"].tolist() == [0, 3600, 0]
    assert table["status"].tolist() == [1, 1, 1]
    assert outcomes(log, "noted") == {"further segments of resized jobs": 1}
    assert outcomes(log, "left out") == {}
    assert "widest job: 256 cores" in log.receipt["what"].tolist()


@pytest.mark.parametrize(("state", "status"), [("RESIZING", 1), ("REQUEUED", 0), ("NODE_FAIL", 0)])
def test_later_runs_with_the_first_submission_begin_to_wait_when_the_one_before_ends(
    tmp_path, state, status
):
    rows = [line("1", "100", "160", "260", "100", state, cores="64"),
            line("1", "100", "300", "500", "200", cores="16"),
            line("2", "110", "160", "170", "10")]  # fmt: skip
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["submit"].tolist() == [0, 10, 160]
    assert log.table["wait"].tolist() == [60, 50, 40]
    assert log.table["allocated_processors"].tolist() == [64, 4, 16]
    assert log.table["status"].tolist() == [status, 1, 1]
    kind = "segments of resized" if state == "RESIZING" else "runs of requeued"
    assert outcomes(log, "noted") == {f"further {kind} jobs": 1}


@pytest.mark.parametrize(
    "state", ["RESIZING", "SUSPENDED", "COMPLETING", "STAGE_OUT", "REQUEUE_HOLD", "SPECIAL_EXIT",
              "RESV_DEL_HOLD", "REQUEUE_FED"],
)  # fmt: skip
def test_a_record_in_passing_states_is_closed_if_it_has_an_end(tmp_path, state):
    rows = [line("1", state=state), line("2", end="Unknown", state=state), line("3")]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["runtime"].tolist() == [100, 100]
    assert outcomes(log, "left out") == {"still waiting or running": 1}


def test_a_resized_job_is_closed_in_an_export_without_ends(tmp_path):
    header = "JobID|Submit|Start|ElapsedRaw|State|AllocCPUS"
    rows = ["1|100|160|50|RESIZING|8", "1|210|210|70|COMPLETED|4", "2|100|160|9|SUSPENDED|4"]
    log = read_sacct(file_of(tmp_path, *rows, header=header))
    assert log.table["runtime"].tolist() == [50, 70]
    assert outcomes(log, "left out") == {"still waiting or running": 1}


def test_a_revoked_job_ran_at_another_cluster(tmp_path):
    log = read_sacct(file_of(tmp_path, line(), line("2", state="REVOKED", cores="0")))
    assert len(log) == 1
    assert outcomes(log, "left out") == {"revoked, as another cluster ran them": 1}


def test_short_and_cut_names_of_states_are_known_and_others_are_noted(tmp_path):
    short = ["CD", "cd", "CA", "CANCELLED+", "OUT_OF_ME+", "TO", "CANCELLED by 1000"]
    log = read_sacct(file_of(tmp_path, *(line(f"{n}", state=s) for n, s in enumerate(short))))
    assert log.table["status"].tolist() == [1, 1, 5, 5, 0, 0, 5]
    assert outcomes(log, "noted") == {}
    log = read_sacct(file_of(tmp_path, line(), line("2", state="R"), line("3", state="EVICTED")))
    assert outcomes(log, "left out") == {"still waiting or running": 1}
    assert outcomes(log, "noted") == {"in a state that is not known, read as failed": 1}


def test_days_hours_minutes_and_an_elapsed_time_that_contradicts_start_and_end():
    log = read_sacct(CASES / "sacct_days_hours_minutes.txt", unit="nodes")
    assert log.table["runtime"].tolist() == [131_400, 43_200]
    assert log.table["requested_time"].tolist() == [194_400, 86_400]
    assert outcomes(log, "noted") == {
        "have run shorter, 60 times, than from start to end": 1,
        "in times without a zone, read as UTC": 2,
    }
    (mend,) = log.receipt.loc[log.receipt["what"].str.contains("60 times"), "what to do"]
    assert mend.endswith("read as from start to end; the first is line 3")


@pytest.mark.parametrize(
    ("elapsed", "end", "runtime", "what"),
    [
        ("90", 260, 90, "have run shorter than from start to end"),
        ("101", 260, 101, None),
        ("102", 260, 100, "have run longer than from start to end"),
        ("99", 260, 99, None),
        ("2:00", 280, 120, "with times such as 12:00, read as minutes:seconds"),
        ("0:02:00", 7360, 120, "have run shorter than from start to end"),
        ("90", 160 + 5400, 90, "have run shorter than from start to end"),
        ("1-00", 86_560, 86_400, None),
        ("UNLIMITED", 260, 100, None),
    ],
)
def test_an_elapsed_time_that_contradicts_start_and_end_is_noted(
    tmp_path, elapsed, end, runtime, what
):
    log = read_sacct(file_of(tmp_path, line(elapsed=elapsed, end=f"{end}")))
    assert log.table["runtime"].tolist() == [runtime]
    assert outcomes(log, "noted") == ({} if what is None else {what: 1})


UNCLEAR = "with times such as 12:00, read as minutes:seconds"


@pytest.mark.parametrize(
    ("elapsed", "span", "runtime", "noted"),
    [
        ("2:00", 7200, 7200, {IN_HOURS: 1}),
        ("2:00", 7259, 7259, {IN_HOURS: 1}),
        ("90", 5400, 5400, {IN_HOURS: 1}),
        ("2:00", 7320, 120, {SHORTER: 1, UNCLEAR: 1}),
        # A small number matches nearly every short time from start to end.
        ("1", 90, 1, {SHORTER: 1}),
        ("5", 300, 5, {SHORTER: 1}),
        ("31", 1900, 31, {SHORTER: 1}),
    ],
)
def test_an_elapsed_time_in_hours_and_minutes_is_recognised_in_long_jobs(
    tmp_path, elapsed, span, runtime, noted
):
    header = HEADER.replace("ElapsedRaw", "Elapsed")
    row = line(elapsed=elapsed, end=f"{160 + span}")
    log = read_sacct(file_of(tmp_path, row, header=header))
    assert log.table["runtime"].tolist() == [runtime]
    assert outcomes(log, "noted") == noted


@pytest.mark.parametrize("state", ["RE+", "C+", "S+", "COMPLET+", "+"])
def test_a_beginning_of_several_states_is_not_known(tmp_path, state):
    log = read_sacct(file_of(tmp_path, line(state=state)))
    assert log.table["status"].tolist() == [0]
    assert outcomes(log, "noted") == {"in a state that is not known, read as failed": 1}


def test_a_limit_of_two_parts_is_noted(tmp_path):
    log = read_sacct(file_of(tmp_path, line("1", limit="12:00"), line("2", limit="4294967295")))
    assert log.table["requested_time"].tolist() == [720, -1]
    assert outcomes(log, "noted") == {
        "with times such as 12:00, read as minutes:seconds": 1,
        "without a time limit": 1,
    }


# Mistakes.


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "export.txt has no line; export it with: SLURM_TIME_FORMAT"),
        (f"{HEADER}\n", r"no job below its header \(0 steps of jobs\); export"),
        (f"{HEADER}\n{line('1.extern')}", r"no job below its header \(1 steps of jobs\); export"),
        (f"{HEADER}\n{line(end='10')}", r"\(1 end before they start\); check for swapped columns"),
        (f"{HEADER}\n{line(start='None')}", r"\(1 never started\); export a longer time"),
        (HEADER.replace("|", ","), r"line 1: no column JobID, .* separated by '\|'; export"),
        (f"{line()}\n{line()}", "line 1: no column JobID, Submit, Start, State, ElapsedRaw or End"),
        ("; Version: 2.2\n", "line 1: no column JobID"),
        ("JobID|Submit|Start|State|NNodes\n", "line 1: no column ElapsedRaw or End, AllocCPUS"),
        (f"{HEADER}\n\n{line()}\n{line('my|job')}\n", "line 4: 12 columns, and the header has 11"),
        (f"{HEADER}\n{line()[:30]}\n", "line 2: . columns, and the header has 11"),
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
        (f"{HEADER}|Submit\n{line()}|200", "line 1: column Submit comes twice; name it once"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_refused_with_its_line(tmp_path, text, cause):
    path = tmp_path / "export.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(co.InputError, match=cause) as caught:
        read_sacct(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles", None])
def test_a_log_may_last_until_the_last_year_that_has_dates(tmp_path, zone):
    last = 253_370_764_790  # 9998-12-31, 23:59:50
    path = file_of(tmp_path, line(), line("2", *map(str, (last, last, last + 9, 9))))
    log = read_sacct(path, time_zone=zone)
    assert log.usable["submit"].tolist() == [0, last - 100]
    (found,) = (what for what in log.receipt["what"] if what.startswith("last submission"))
    when = datetime.fromtimestamp(last, ZoneInfo(zone or "UTC"))
    assert found == f"last submission: {when:%F %T %Z}"


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
    best = {names[0] for names in sacct._COLUMNS.values()}
    assert best | {c for unit in sacct._PROCESSORS.values() for c, *_ in unit} == set(columns)
    assert set(columns) < {*COLUMNS}
    for page in ("docs/own-logs.md", "docs/sites.md"):
        text = (ROOT / page).read_text("utf-8").replace(",\\\n", ",").replace(" \\\n ", "")
        assert sacct.COMMAND.removesuffix("export.txt") in text, page


@pytest.mark.parametrize("text", [HEADER, "1|2|3", "submit,runtime", '{"jobs": []}', "[1]"])
def test_what_is_no_swf_names_its_reader(tmp_path, text):
    (tmp_path / "log.swf").write_text(f"; Note: x\n{text}\n")
    with pytest.raises(
        co.InputError, match=r"line 2: .* no job .* 'python -m own_system import', .*batsim"
    ):
        co.read_swf(tmp_path / "log.swf")


def test_many_users_keep_their_numbers_apart(tmp_path):
    rows = [line(f"{n}", submit=f"{100 + n}", user=f"u{n % 700}") for n in range(2_000)]
    table = read_sacct(file_of(tmp_path, *rows)).table
    np.testing.assert_array_equal(table["user"], np.arange(2_000) % 700 + 1)
