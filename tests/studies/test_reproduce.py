import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from coalloc_lib.cli.framework import Terminated
from coalloc_lib.statistics.sweep import Failure, SweepError
from studies import commands
from studies.ledger import write_ledger
from studies.study import Study
from tests.cli.conftest import rows
from tests.studies.toy import toy

ITEMS = ["Table 1 a", "MU-12", "MU-1"]


def items_of(path):
    return pd.read_csv(path)["item"].tolist()


@pytest.fixture
def studies_are(monkeypatch):
    """Let each study be the toy, and these functions in turn what reproduces it."""

    def studies_are(*functions):
        names = ("maximal-utilization", "cluster-configurations")[: len(functions)]
        studies = {name: toy() for name in names}
        for study, function in zip(studies.values(), functions, strict=True):
            if function is not None:
                study.reproduce = function
        monkeypatch.setattr("studies.STUDIES", names)
        monkeypatch.setattr("studies.archive.ARCHIVE", Path("nowhere"))
        monkeypatch.setattr("studies.commands.STUDIES", names)
        monkeypatch.setattr("studies.load_study", studies.__getitem__)

    return studies_are


@pytest.fixture
def quick_study(studies_are, monkeypatch):
    """A study that takes no time; the list of its calls."""
    calls, made = [], Study.reproduce

    def reproduce(self, scale, seed=None, **how):
        calls.append((scale, seed, how["workers"], how["cache"]))
        return made(self, scale, seed)

    studies_are(None)
    monkeypatch.setattr(Study, "reproduce", reproduce)
    return calls


def test_reproduce_shows_a_line_a_study_and_where_the_page_is(run, quick_study, tmp_path):
    printed = run("reproduce", "maximal-utilization", "--out", tmp_path / "r", "--seed", 5)
    assert quick_study == [("quick", 5, -1, None)]
    study, total, where = printed.splitlines()
    assert study.endswith("of 1 printed numbers, 2 claims: 1 holds, 1 does not hold")
    assert "1 does not hold" in total
    assert str(tmp_path / "r" / "index.html") in where
    assert str(tmp_path / "r" / "ledger.csv") in where
    assert items_of(tmp_path / "r" / "ledger.csv") == ITEMS
    every_row = run("reproduce", "--out", tmp_path, "--all")
    assert "Drawn. | fails: above 100" in " ".join(every_row.split())


def test_reproduce_passes_its_options_on_and_prints_one_object(run, quick_study, tmp_path):
    how = ("--scale", "paper", "--workers", 2, "--cache", tmp_path / "c", "--out", tmp_path)
    answer = json.loads(run("reproduce", *how, "--json"))
    assert quick_study == [("paper", None, 2, str(tmp_path / "c"))]
    assert answer["verdicts"]["holds"] == 1
    assert [row["item"] for row in answer["rows"]] == ITEMS
    assert answer["ledger"] == str(tmp_path / "ledger.csv")
    assert answer["page"] == str(tmp_path / "index.html")


def test_reproduce_says_which_rows_are_not_as_in_the_archive(
    run, quick_study, tmp_path, monkeypatch
):
    study = toy()
    stored = study.judge(study.run("paper", workers=1)).rows
    rows = [replace(stored[0], verdict="differs", reproduced=0.2), *stored[1:]]
    write_ledger(rows, tmp_path / "ledger.csv")
    monkeypatch.setattr("studies.archive.ARCHIVE", tmp_path)
    printed = run("reproduce", "--out", tmp_path / "r", "--scale", "paper")
    assert "2 of 3 rows agree with the archive (the papers' scale)" in printed
    (line,) = (line for line in printed.splitlines() if "Table 1 a" in line)
    assert line.split()[-1] == "differs"
    assert stored[0].verdict in line
    answer = json.loads(run("reproduce", "--out", tmp_path / "r", "--scale", "paper", "--json"))
    assert answer["otherwise_in_archive"] == {"maximal-utilization Table 1 a": "differs"}


def test_reproduce_compares_no_row_of_a_study_with_other_logs(
    run, quick_study, tmp_path, monkeypatch
):
    study = toy()
    stored = study.judge(study.run("paper", workers=1)).rows
    write_ledger([replace(each, verdict="undecided") for each in stored], tmp_path / "ledger.csv")
    monkeypatch.setattr("studies.archive.ARCHIVE", tmp_path)
    folder = tmp_path / "maximal-utilization"
    folder.mkdir()
    (folder / "made_with.json").write_text('{"logs": {"HPC2N": "missing"}}')
    printed = run("reproduce", "--out", tmp_path / "r", "--scale", "paper")
    assert "maximal-utilization is not compared with the archive" in printed
    assert "HPC2N" in printed
    assert "agree with the archive" not in printed
    answer = json.loads(run("reproduce", "--out", tmp_path / "r", "--scale", "paper", "--json"))
    assert answer["otherwise_in_archive"] == {}


def test_stand_ins_are_said_once_with_the_command_that_fetches(
    studies_are, monkeypatch, tmp_path, capsys
):
    studies_are(None)
    monkeypatch.setattr("studies.logs_missing_for", lambda names: ["KTH-SP2", "HPC2N"])
    assert commands.main(["reproduce", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert said.count("stand-ins") == 1
    assert "coalloc traces fetch KTH-SP2 HPC2N" in said
    assert "coalloc traces fetch KTH-SP2 HPC2N" in (tmp_path / "index.html").read_text()


def test_what_was_found_in_the_cache_is_said(studies_are, tmp_path, capsys):
    studies_are(None)
    for _ in "12":
        capsys.readouterr()
        assert (
            commands.main(["reproduce", "--cache", str(tmp_path / "c"), "--out", str(tmp_path)])
            == 0
        )
    assert capsys.readouterr().err == f"coalloc: 9 points were found in {tmp_path / 'c'}\n"


def test_a_full_disk_costs_the_files_but_not_the_results(
    quick_study, tmp_path, capsys, monkeypatch
):
    def full(rows, path):
        path.write_text("study")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("studies.output.write_ledger", full)
    assert commands.main(["reproduce", "--out", str(tmp_path)]) == 2
    printed, told = capsys.readouterr()
    assert "2 claims" in printed
    (line,) = told.splitlines()
    assert str(tmp_path) in line
    assert "No space left" in line
    assert commands.main(["reproduce", "--out", str(tmp_path), "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert [row["item"] for row in answer["rows"]] == ITEMS
    assert answer["ledger"] is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [(KeyboardInterrupt, 130, "interrupted"), (Terminated, 143, "terminated")],
)
def test_a_study_that_is_done_is_kept_when_the_next_is_stopped(
    studies_are, tmp_path, capsys, error, status, word
):
    studies_are(None, Mock(side_effect=error))
    command = ["reproduce", "--out", str(tmp_path / "r"), "--cache", str(tmp_path / "c")]
    assert commands.main(command) == status
    printed, told = capsys.readouterr()
    assert "2 claims" in printed
    assert told.splitlines() == [
        f"coalloc: finished points are in {tmp_path / 'c'}; run again",
        f"coalloc: {word}",
    ]
    files = {file.name for file in (tmp_path / "r").iterdir() if file.is_file()}
    assert files == {"index.html", "ledger.csv"}
    assert items_of(tmp_path / "r" / "ledger.csv") == ITEMS


def test_a_full_cache_is_one_line_and_a_bug_of_ours_its_traceback(refused, tmp_path, studies_are):
    full = SweepError("cache folder c takes no more results (No space left)", [], None)
    studies_are(Mock(side_effect=full))
    assert "takes no more results" in refused("reproduce", "--out", tmp_path / "r")
    failed = SweepError("1 of 9 points failed", [Failure({"x": 1}, "ZeroDivisionError")], None)
    studies_are(Mock(side_effect=failed))
    with pytest.raises(SweepError):
        commands.main(["reproduce", "--out", str(tmp_path / "r")])


REFUSED = """
weather -> STUDY = 'weather' & maximal-utilization
--scale huge -> --scale = 'huge' & quick, paper
--workers 0 -> '--workers'
--seed -3 -> '--seed'
"""


@pytest.mark.parametrize(("arguments", "words"), rows(REFUSED))
def test_reproduce_refuses_what_is_wrong_in_one_line(refused, tmp_path, arguments, words):
    line = refused("reproduce", *arguments, "--out", tmp_path / "results")
    assert all(word in line for word in words), line
    assert not (tmp_path / "results").exists()
