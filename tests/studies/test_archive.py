"""The archive decides: a run elsewhere is held against it, row by row."""

import json
from dataclasses import replace

import numpy as np
import pytest

import studies
from coalloc_lib.basics.checks import InputError
from studies import archive
from studies.archive import (
    archived_ledger,
    beside_archive,
    logs_not_as_archived,
    made_with,
)
from studies.ledger import Row, write_ledger
from studies.storage import write_runs
from tests.studies.toy import toy

ROW = Row("a", "A-1", "loss", 0.4, 0.41, 0.4, 0.42, "holds", "it is", "little: 0.03", 0.0125)
ARCHIVE = {("a", "A-1"): ROW}


@pytest.fixture
def stored(monkeypatch, tmp_path):
    """An archive of the toy study; return the study."""
    study = toy()
    monkeypatch.setattr(archive, "ARCHIVE", tmp_path)
    (tmp_path / study.name).mkdir()
    runs = study.run("paper", workers=1)
    write_runs(runs, tmp_path / study.name / "runs.csv.gz")
    write_ledger(study.judge(runs).rows, tmp_path / "ledger.csv")
    return study


@pytest.mark.parametrize(
    ("change", "stored"),
    [
        ({}, ""), ({"note": "other"}, ""), ({"reproduced": 0.425, "ci95_high": 0.43}, ""),
        ({"verdict": "undecided"}, "holds"), ({"item": "A-2"}, "not in the archive"),
        ({"reproduced": 0.45, "ci95_low": 0.43, "ci95_high": 0.47}, "0.41"),
        ({"reproduced": None, "ci95_low": None, "ci95_high": None}, "0.41"),
        ({"ci95_low": None, "ci95_high": None}, ""),
        ({"reproduced": 0.43, "ci95_low": None, "ci95_high": None}, "0.41"),
    ],
)  # fmt: skip
def test_a_row_agrees_where_verdict_and_number_do(change, stored):
    row = replace(ROW, **change)
    assert beside_archive([row], ARCHIVE) == {row.item: stored}


def test_exact_numbers_agree_to_the_digits_that_are_stored():
    exact = replace(ROW, ci95_low=None, ci95_high=None, reproduced=0.123457)
    known = {("a", "A-1"): exact}
    for value, told in ((0.1234567, ""), (0.12347, "0.1235")):
        assert beside_archive([replace(exact, reproduced=value)], known) == {"A-1": told}
    none = replace(exact, reproduced=None)
    assert beside_archive([none], {("a", "A-1"): none}) == {"A-1": ""}
    assert beside_archive([exact], {("a", "A-1"): none}) == {"A-1": "no number"}


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_number_that_is_not_finite_agrees_with_itself_only(value):
    row = Row("a", "A-1", "penalty", None, value, None, None, "holds")
    bounded = replace(row, ci95_low=0.5, ci95_high=np.inf)
    for stored in (row, bounded):
        known = {("a", "A-1"): stored}
        assert beside_archive([stored], known) == {"A-1": ""}
        for other in {1.0, -value if value == value else np.inf}:
            told = beside_archive([replace(stored, reproduced=other)], known)
            assert told == {"A-1": f"{value:.4g}"}


def test_a_ledger_is_read_as_it_was_written(tmp_path):
    rows = [ROW, Row("a", "B", "limit", "(2C-1)/(2C)", None, None, None, "undecided", 'a, "b"')]
    write_ledger(rows, tmp_path / "ledger.csv")
    assert studies.ledger.read_ledger(tmp_path / "ledger.csv") == rows


def test_a_study_finds_its_stored_runs_and_is_held_against_them(stored):
    result = stored.judge(stored.archived())
    table = result.beside_archive()
    assert table.empty
    assert table.attrs["words"] == "3 of 3 claims and numbers agree with the stored results"
    runs = stored.run("quick", workers=1)
    other = stored.judge(runs.assign(value=runs["value"].mask(runs["mean"] == 1.0, -9.0)))
    table = other.beside_archive()
    assert "MU-12" in table["item"].tolist()
    assert table.set_index("item").loc["MU-12", ["verdict here", "archived verdict"]].tolist() == [
        "does not hold", "holds",
    ]  # fmt: skip


def test_runs_with_other_logs_are_not_compared(stored):
    runs = stored.run("quick", workers=1).assign(value=-9.0)
    folder = archive.ARCHIVE / stored.name
    made = {"logs": {"KTH-SP2": "a checksum", "HPC2N": "missing"}}
    (folder / archive.MADE_WITH).write_text(json.dumps(made))
    same = stored.judge(runs.assign(missing_logs="HPC2N")).beside_archive()
    assert len(same) == 3
    table = stored.judge(runs.assign(missing_logs="KTH-SP2 HPC2N")).beside_archive()
    assert table.empty
    assert table.attrs["words"] == (
        "not compared with the archive: it was made with different logs (KTH-SP2)"
    )
    assert logs_not_as_archived(stored.name, runs.assign(missing_logs="")) == ["HPC2N"]
    assert logs_not_as_archived("of no archive", runs.assign(missing_logs="")) == []


def test_a_library_without_stored_runs_names_the_study(stored, monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "ARCHIVE", tmp_path / "none")
    assert archived_ledger() == {}
    with pytest.raises(InputError, match=f"no stored runs of {stored.name}; run"):
        stored.archived()


def test_what_runs_were_made_with_names_versions_logs_and_time(stored, tmp_path):
    runs = stored.archived().assign(missing_logs="HPC2N")
    facts = made_with(runs, ["KTH-SP2", "HPC2N"], 12.34)
    assert (facts["scale"], facts["seed"], facts["minutes"]) == ("paper", stored.seed, 12.3)
    assert facts["logs"]["HPC2N"] == "missing"
    assert len(facts["logs"]["KTH-SP2"]) == 64
    assert {"Python", "numpy", "coalloc-workbench"} <= facts["versions"].keys()
    archive.write_made_with(facts, tmp_path / "made_with.json")
    assert json.loads((tmp_path / "made_with.json").read_text()) == facts


def test_stored_runs_with_a_changed_value_are_refused(stored):
    file = archive.ARCHIVE / stored.name / "runs.csv.gz"
    runs = stored.archived()
    facts = made_with(runs, [], 1) | {archive.CHECKSUM: archive.runs_sha256(file)}
    archive.write_made_with(facts, file.parent / archive.MADE_WITH)
    assert len(stored.archived()) == len(runs)
    write_runs(runs.assign(value=runs["value"] + 1), file)
    with pytest.raises(InputError, match=r"runs\.csv\.gz differs from that in made_with"):
        stored.archived()
