"""``python -m own_system import``: a log and a receipt, or one line on what is wrong."""

import json
import subprocess
import sys

import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib import cli
from own_system import read_sacct
from tests.conftest import NOTEBOOKS
from tests.own_system.made_sacct import random_export


@pytest.fixture
def sacct(tmp_path):
    export = random_export(300)
    (tmp_path / "export.txt").write_text(export.text, "utf-8")
    return tmp_path / "export.txt"


def test_a_log_is_made_and_the_receipt_printed(run, sacct, tmp_path):
    printed = run("import", sacct, "-o", tmp_path / "my.swf.gz")
    log = read_sacct(sacct)
    for outcome, count, what in log.receipt[["outcome", "lines", "what"]].to_numpy():
        number = "  " if outcome == "found" else f" {count:,} "
        assert any(number in line and what in line for line in printed.splitlines())
    assert printed.endswith(f"{tmp_path / 'my.swf.gz'}\n")
    pd.testing.assert_frame_equal(co.read_swf(tmp_path / "my.swf.gz").table, log.table)
    trace = ["--trace", str(tmp_path / "my.swf.gz"), "--clusters", "2048"]
    assert cli.main(["simulate", *trace, "--json"]) == 0


@pytest.mark.parametrize("name", ["export.txt", "folder/../export.txt", "link.swf"])
def test_the_output_of_sacct_is_not_overwritten(refused, sacct, tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.swf").symlink_to(sacct)
    before, out = sacct.read_bytes(), f"{tmp_path}/{name}"
    words = f"--out {out} would overwrite the output of sacct; give the name of another file"
    assert refused("import", sacct, "--out", out).strip().endswith(words)
    assert sacct.read_bytes() == before


def test_without_out_only_the_receipt_is_made(run, sacct, tmp_path):
    assert "steps of jobs" in run("import", sacct, "--unit", "nodes", "--cluster", "north")
    assert [path.name for path in tmp_path.iterdir()] == ["export.txt"]
    answer = json.loads(run("import", sacct, "--time-zone", "Europe/Rome", "--json"))
    assert answer["out"] is None
    assert answer["receipt"][0]["what"] == "jobs"
    assert answer["receipt"][-1] | {"what to do": ""} == {
        "outcome": "found", "lines": None, "what": "clusters: 'north'", "what to do": "",
    }  # fmt: skip
    assert run() == run("--help")


def test_a_log_on_standard_output_stands_alone(sacct, tmp_path):
    command = [sys.executable, "-m", "own_system", "import", str(sacct), "-o", "-"]
    process = subprocess.run(command, capture_output=True, text=True, check=True, cwd=NOTEBOOKS)
    (tmp_path / "log.swf").write_text(process.stdout)
    assert len(co.read_swf(tmp_path / "log.swf")) == len(read_sacct(sacct))
    assert "steps of jobs" in process.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("gone.txt", "gone.txt: there is no such file"),
        ("{} --unit gpus", "unit = 'gpus'"),
        ("{} --cluster south", "cluster = 'south' is not in"),
        ("{} --time-zone CEST", "time_zone = 'CEST' is not a known time zone"),
        ("{} --out gone/my.swf", "folder gone does not exist"),
        ("{} --out - --json", "--out - and --json both print to standard output"),
    ],
)
def test_mistakes_end_with_one_line_and_leave_nothing(refused, sacct, tmp_path, arguments, words):
    assert words in refused("import", *arguments.format(sacct).split())
    assert [path.name for path in tmp_path.iterdir()] == ["export.txt"]
