"""The keys of a study's points: a change to any source file of the studies makes another key."""

import shutil

import pytest

from coalloc_lib.statistics.sweep.keys import files_digest
from studies import study
from tests.conftest import ROOT
from tests.statistics.sweep.functions import Watch
from tests.studies.toy import toy

FOLDER = ROOT / "notebooks" / "studies"


def test_the_version_of_the_studies_is_of_all_their_source_files(tmp_path):
    copy = tmp_path / "studies"
    shutil.copytree(FOLDER, copy)
    assert files_digest(copy.rglob("*.py"), copy) == study.VERSION
    with (copy / "online_batch" / "model.py").open("a") as file:
        file.write("# a change\n")
    assert files_digest(copy.rglob("*.py"), copy) != study.VERSION


@pytest.mark.parametrize(("version", "found"), [(study.VERSION, 9), ("another", 0)])
def test_the_version_is_in_the_keys_of_a_study(version, found, tmp_path, monkeypatch):
    toy().run(workers=1, cache=tmp_path)
    monkeypatch.setattr(study, "VERSION", version)
    watch = Watch()
    toy().run(workers=1, cache=tmp_path, progress=watch)
    assert watch.found == found
