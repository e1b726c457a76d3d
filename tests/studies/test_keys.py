"""What a point of a study is known by: any change of the studies' sources makes another key."""

import shutil

from coalloc_lib.experiments.sweep import cache
from coalloc_lib.experiments.sweep.cache import describe
from studies import job_sharing
from tests.conftest import ROOT


def test_a_change_of_any_file_of_the_studies_changes_the_keys_of_their_points(
    tmp_path, monkeypatch
):
    """The measure, a setting and a module of a study are described by name and by the sources."""
    measured = [job_sharing.study.measure, job_sharing.Setting, job_sharing.model]
    monkeypatch.setattr(cache, "_COUNTED", {})
    cache.count_sources("studies", ROOT / "notebooks" / "studies")
    before = [describe(each) for each in measured]
    shutil.copytree(ROOT / "notebooks" / "studies", tmp_path / "studies")
    cache.count_sources("studies", tmp_path / "studies")
    assert [describe(each) for each in measured] == before
    with (tmp_path / "studies" / "online_batch" / "model.py").open("a") as file:
        file.write("# a change\n")
    cache.count_sources("studies", tmp_path / "studies")
    after = [describe(each) for each in measured]
    assert not {*before} & {*after}
