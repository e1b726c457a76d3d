"""``coalloc import sacct``, and ``coalloc simulate --export``."""

import json
import subprocess
import sys

import pandas as pd
import pytest

import coalloc_lib as co
from tests.workloads.made_sacct import random_export


@pytest.fixture
def sacct(tmp_path):
    export = random_export(300)
    (tmp_path / "export.txt").write_text(export.text, "utf-8")
    return tmp_path / "export.txt"


def test_a_log_is_made_and_the_receipt_printed(run, sacct, tmp_path):
    printed = run("import", "sacct", sacct, "-o", tmp_path / "my.swf.gz")
    log = co.read_sacct(sacct)
    for outcome, count, what in log.receipt[["outcome", "lines", "what"]].to_numpy():
        number = "  " if outcome == "found" else f" {count:,} "
        assert any(number in line and what in line for line in printed.splitlines())
    assert printed.endswith(f"{tmp_path / 'my.swf.gz'}\n")
    pd.testing.assert_frame_equal(co.read_swf(tmp_path / "my.swf.gz").table, log.table)
    run("simulate", "--trace", tmp_path / "my.swf.gz", "--clusters", "2048", "--json")


def test_without_out_only_the_receipt_is_made(run, sacct, tmp_path):
    assert "steps of jobs" in run("import", "sacct", sacct, "--unit", "nodes", "--cluster", "north")
    assert [path.name for path in tmp_path.iterdir()] == ["export.txt"]
    answer = json.loads(run("import", "sacct", sacct, "--time-zone", "Europe/Rome", "--json"))
    assert answer["out"] is None
    assert answer["receipt"][0]["what"] == "jobs"
    assert answer["receipt"][-1] | {"what to do": ""} == {
        "outcome": "found", "lines": None, "what": "clusters: 'north'", "what to do": "",
    }  # fmt: skip
    assert run("import") == run("import", "--help")


def test_a_log_on_standard_output_stands_alone(sacct, tmp_path):
    command = [sys.executable, "-m", "coalloc_lib", "import", "sacct", str(sacct), "-o", "-"]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    (tmp_path / "log.swf").write_text(process.stdout)
    assert len(co.read_swf(tmp_path / "log.swf")) == len(co.read_sacct(sacct))
    assert "steps of jobs" in process.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("gone.txt", "gone.txt: there is no such file"),
        ("{} --unit gpus", "unit = 'gpus'"),
        ("{} --cluster south", "cluster = 'south' is not in"),
        ("{} --time-zone CEST", "time_zone = 'CEST' is not known"),
        ("{} --out gone/my.swf", "folder gone does not exist"),
        ("{} --out - --json", "--out - and --json both want standard output"),
    ],
)
def test_mistakes_end_with_one_line_and_leave_nothing(refused, sacct, tmp_path, arguments, words):
    assert words in refused("import", "sacct", *arguments.format(sacct).split())
    assert [path.name for path in tmp_path.iterdir()] == ["export.txt"]


def test_a_schedule_is_exported(run, refused, log, tmp_path):
    simulate = ["simulate", "--trace", log, "--clusters", "8", "--scheduling", "easy"]
    files = [tmp_path / "jobs.csv", tmp_path / "out.csv"]
    printed = run(*simulate, "--export", files[0], "--out", files[1])
    assert printed.splitlines()[-2:] == [str(file) for file in files]
    table = pd.read_csv(tmp_path / "jobs.csv")
    wanted = pd.read_csv(tmp_path / "out.csv")
    assert table["job_id"].tolist() == wanted["job"].tolist() == [11, 12, 13, 14]
    assert table["starting_time"].tolist() == wanted["start"].tolist()
    line = refused(*simulate, "--export", tmp_path / "jobs.txt")
    assert "--export, its end = '.txt'; choose one of .csv" in line
