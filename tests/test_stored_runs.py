"""The stored runs of the papers' scale, judged as they are read: no setting is made small here."""

import json
import math

import pytest

import studies
from studies import STUDIES, commands, load_study
from studies.archive import archived_ledger
from studies.log_files import logs_missing_in


@pytest.mark.notebook  # the notebooks show these verdicts
@pytest.mark.parametrize("name", STUDIES)
def test_the_stored_ledger_is_what_the_stored_runs_give(name):
    study = load_study(name)
    runs = study.archived()
    assert study.shipped_scale(runs) == "paper"
    assert logs_missing_in(runs) == []
    ledger = archived_ledger()
    mine = {item: row for (of, item), row in ledger.items() if of == name}
    result = study.judge(runs)
    assert result.beside_archive().empty
    assert [row.item for row in result.rows] == [*mine]
    assert [row.note for row in result.rows] == [row.note for row in mine.values()]


def strict(constant):
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.long
@pytest.mark.parametrize("name", STUDIES)  # JS-4 and JS-5 have an interval without an upper end
def test_the_stored_runs_are_printed_as_json(name, tmp_path, capsys):
    assert commands.main(["judge", name, "--out", str(tmp_path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out, parse_constant=strict)
    ledger = archived_ledger()
    for row in answer["rows"]:
        stored = ledger[name, row["item"]]
        for end in ("ci95_low", "ci95_high"):
            value = getattr(stored, end)
            known = value is not None and math.isfinite(value)
            assert row[end] == (pytest.approx(value, rel=1e-4, abs=1e-6) if known else None)
    infinite = [row["item"] for row in answer["rows"]
                if ledger[name, row["item"]].ci95_high == math.inf]  # fmt: skip
    assert infinite == (["JS-4", "JS-5"] if name == "job-sharing" else [])


@pytest.mark.long
def test_studies_are_judged_side_by_side_as_one_after_the_other(tmp_path):
    names = ("maximal-utilization", "cluster-configurations")
    for workers in (1, 2):
        studies.judge(names=names, out=tmp_path / f"{workers}", workers=workers)
    alone, beside = map(contents, (tmp_path / "1", tmp_path / "2"))
    assert alone == beside
    assert len(alone) > 40


def contents(folder):
    """Return what the files of a folder have, by their paths in it."""
    return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*.*")}
