import errno
import json
import os
import re
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from coalloc_lib import cli
from coalloc_lib.cli.output import Terminated
from coalloc_lib.cli.page import COLOURS, print_page
from coalloc_lib.studies import StudyResult, ledger
from coalloc_lib.sweep import Failure, SweepError

ROWS = [
    ledger.Row("maximal-utilization", "MU-1", "limit", 0.5, 0.51, 0.5, 0.52, "holds", "[a,b] fine"),
    ledger.Row("maximal-utilization", "T", "loss", "", None, None, None, "close", "off"),
]


def items_of(path):
    return pd.read_csv(path)["item"].tolist()


@pytest.fixture
def studies_are(monkeypatch):
    """Put these functions in the place of what the studies' modules do, one after another."""

    def studies_are(*functions):
        names = ("maximal-utilization", "other")[: len(functions)]
        modules = {
            f"coalloc_lib.studies.{name.replace('-', '_')}": SimpleNamespace(reproduce=function)
            for name, function in zip(names, functions, strict=True)
        }
        monkeypatch.setattr("coalloc_lib.studies.STUDIES", names)
        monkeypatch.setattr("coalloc_lib.studies.import_module", modules.__getitem__)

    return studies_are


def quick(**_):
    return StudyResult(ROWS)


@pytest.fixture
def quick_study(studies_are):
    """A study that takes no time; the list of its calls."""
    calls = []

    def reproduce(scale, seed=1, **how):
        calls.append((scale, seed, how["workers"], how["cache"]))
        return quick()

    studies_are(reproduce)
    return calls


def test_reproduce_shows_a_page_and_where_the_ledger_is(run, quick_study, tmp_path):
    printed = run("reproduce", "maximal-utilization", "--out", tmp_path / "r", "--seed", 5)
    assert quick_study == [("quick", 5, -1, None)]
    assert re.search(r"^ T +1 +1\n", printed, re.MULTILINE)  # one number, and it is close
    assert re.search(r"^ MU-1 +holds +limit; \[a,b\] fine\n", printed, re.MULTILINE)
    assert "1 close, 1 holds" in printed
    assert str(tmp_path / "r" / "ledger.csv") in printed
    assert items_of(tmp_path / "r" / "ledger.csv") == ["MU-1", "T"]


def test_reproduce_shows_every_row_where_that_is_asked_for(run, quick_study, tmp_path):
    printed = run("reproduce", "--out", tmp_path, "--all")
    assert "0.51 ± 0.01" in printed
    assert "[a,b] fine" in printed


def test_reproduce_passes_its_options_on_and_prints_one_object(run, quick_study, tmp_path):
    how = ("--scale", "paper", "--workers", 2, "--cache", tmp_path / "c", "--out", tmp_path)
    answer = json.loads(run("reproduce", *how, "--json"))
    assert quick_study == [("paper", 1, 2, str(tmp_path / "c"))]
    assert answer["verdicts"] == {"close": 1, "holds": 1}
    assert answer["rows"][0]["item"] == "MU-1"
    assert answer["ledger"] == str(tmp_path / "ledger.csv")


def number(item, published, reproduced, verdict):
    return ledger.Row("a-study", item, "loss", published, reproduced, None, None, verdict)


def test_a_page_counts_the_numbers_of_a_table_and_names_the_furthest(capsys):
    rows = [
        number("Table 2 a", 0.5, 0.5, "reproduced"),
        number("Table 2 b", 0.4, 0.35, "close"),
        number("Table 2 c", 0.3, 0.31, "close"),
        number("Table 1 d", "small", None, "cannot be tested"),
    ]
    print_page(rows)
    title, heading, _, *lines = capsys.readouterr().out.splitlines()
    assert title == "a-study"
    columns = ["table", "numbers", "reproduced", "close", "cannot be tested", "furthest from print"]
    assert re.split("  +", heading.strip()) == columns
    first, second = (re.split("  +", line.strip()) for line in lines)
    assert first == ["Table 1", "1", "0", "0", "1"]
    assert second == ["Table 2", "3", "1", "2", "0", "-0.05 b"]


def test_a_page_has_a_line_a_claim_in_their_order(capsys):
    rows = [replace(ROWS[0], item=f"MU-{n}", note="[x] and so on, " * 20) for n in (10, 2, 1)]
    print_page(rows)
    *_, first, second, third = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in (first, second, third)] == ["MU-1", "MU-2", "MU-10"]
    assert "[x] and so on" in first
    assert max(map(len, (first, second, third))) <= 120


def test_every_verdict_has_a_colour():
    assert set(COLOURS) >= set(ledger.VERDICTS)


def test_what_was_found_in_the_cache_is_said(studies_are, monkeypatch, tmp_path, capsys):
    def resumed(progress, **_):
        monkeypatch.setattr(progress, "found", 1234, raising=False)
        return quick()

    studies_are(resumed)
    command = ["reproduce", "--cache", str(tmp_path / "c"), "--out", str(tmp_path / "r")]
    assert cli.main(command) == 0
    assert capsys.readouterr().err == f"coalloc: 1,234 points were found in {tmp_path / 'c'}\n"


@pytest.fixture
def full_disk(monkeypatch):
    """Whatever is written into the ledger finds no room."""

    def full(rows, path):
        path.write_text("study")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("coalloc_lib.studies.write_ledger", full)


def test_a_full_disk_costs_the_files_but_not_the_results(quick_study, full_disk, tmp_path, capsys):
    assert cli.main(["reproduce", "--out", str(tmp_path)]) == 2
    printed, told = capsys.readouterr()
    assert "MU-1" in printed
    (line,) = told.splitlines()
    assert str(tmp_path) in line
    assert "No space left" in line
    assert cli.main(["reproduce", "--out", str(tmp_path), "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert [row["item"] for row in answer["rows"]] == ["MU-1", "T"]
    assert answer["ledger"] is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [(KeyboardInterrupt, 130, "interrupted"), (Terminated, 143, "terminated")],
)
def test_a_study_that_is_done_is_kept_when_the_next_is_stopped(
    studies_are, tmp_path, capsys, error, status, word
):
    def stopped(**_):
        raise error

    studies_are(quick, stopped)
    command = ["reproduce", "--out", str(tmp_path / "r"), "--cache", str(tmp_path / "c")]
    assert cli.main(command) == status
    printed, told = capsys.readouterr()
    assert "MU-1" in printed
    assert told.splitlines() == [
        f"coalloc: finished points are in {tmp_path / 'c'}; run again",
        f"coalloc: {word}",
    ]
    assert [file.name for file in (tmp_path / "r").iterdir() if file.is_file()] == ["ledger.csv"]
    assert items_of(tmp_path / "r" / "ledger.csv") == ["MU-1", "T"]


def test_a_full_disk_is_said_in_one_line(refused, tmp_path, studies_are):
    def full(**_):
        raise SweepError("cache folder c takes no more results (No space left)", [], None)

    studies_are(full)
    assert "takes no more results" in refused("reproduce", "--out", tmp_path / "r")


def test_a_bug_of_ours_shows_its_traceback(run, tmp_path, studies_are):
    def broken(**_):
        raise SweepError("1 of 9 points failed", [Failure({"x": 1}, "ZeroDivisionError")], None)

    studies_are(broken)
    with pytest.raises(SweepError):
        run("reproduce", "--out", tmp_path / "r")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["weather"], ["STUDY = 'weather'", "maximal-utilization"]),
        (["--scale", "huge"], ["--scale = 'huge'", "quick, paper"]),
        (["--seed", "-3"], ["'--seed'"]),
        (["--workers", "0"], ["'--workers'"]),
    ],
)
def test_reproduce_refuses_what_is_wrong_in_one_line(refused, tmp_path, arguments, words):
    line = refused("reproduce", *arguments, "--out", tmp_path / "results")
    assert all(word in line for word in words), line
    assert not (tmp_path / "results").exists()
