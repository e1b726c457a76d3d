"""The stored runs of the papers' scale, judged as they are read: no setting is made small here."""

import pytest

from coalloc_lib import studies
from coalloc_lib.studies import STUDIES, load_study
from coalloc_lib.studies.archive import archived_ledger
from coalloc_lib.studies.study import logs_missing_in


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
