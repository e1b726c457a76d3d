"""Processes that are killed leave no half-written file, and can be started again."""

import signal

import pytest

from tests.faults.conftest import reproduce
from tests.faults.processes import coalloc, run
from tests.faults.results import points_in, unfinished, written

pytestmark = pytest.mark.long


@pytest.mark.parametrize("old", [None, "an older schedule"])
def test_a_killed_simulation_leaves_no_half_of_a_schedule(start, long_log, tmp_path, old):
    folder = tmp_path / "out"
    folder.mkdir()
    out, other = folder / "schedule.csv", tmp_path / "undisturbed.csv"
    if old is not None:
        out.write_text(old)
    command = coalloc("simulate", "--trace", long_log, "--clusters", 8, "--out")
    process = start([*command, str(out)])
    process.wait_until(lambda: unfinished(folder), "a part of the schedule was written")
    process.send(signal.SIGKILL)
    assert process.end().status == -signal.SIGKILL
    process.assert_nothing_lives()
    assert unfinished(folder), "the process was killed too late"
    assert written(folder) == ({} if old is None else {"schedule.csv": old.encode()})
    for path in (out, other):
        assert run([*command, str(path)]).status == 0
    assert out.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("study", ["toy", "cluster-configurations"])
@pytest.mark.timeout(1800)
def test_a_killed_study_goes_on_and_gives_the_same_files(start, tmp_path, study):
    cache, out, other = tmp_path / "cache", tmp_path / "out", tmp_path / "undisturbed"
    how = ("--workers", 2, "--cache")
    process = start(reproduce(*how, cache, "--out", out, study=study), TOY_PAUSE=0.5)
    process.wait_until(lambda: points_in(cache), "a point is in the cache")
    process.send(signal.SIGKILL)
    assert process.end().status == -signal.SIGKILL
    process.assert_nothing_lives()
    assert written(out) == {}
    kept = points_in(cache)
    again = run(reproduce(*how, cache, "--out", out, study=study))
    assert again.status == 0
    assert f"coalloc: {kept:,} points were found in {cache}" in again.errors
    assert run(reproduce(*how, tmp_path / "new", "--out", other, study=study)).status == 0
    assert written(out) == written(other)


def test_a_study_that_is_killed_while_it_writes_shows_none_of_its_files(start, tmp_path):
    cache, out, other = tmp_path / "cache", tmp_path / "out", tmp_path / "undisturbed"
    process = start(reproduce("--cache", cache, "--out", out))
    process.wait_until(lambda: out.exists() and unfinished(out), "a file of the study was begun")
    process.send(signal.SIGKILL)
    assert process.end().status == -signal.SIGKILL
    assert unfinished(out), "the process was killed too late"
    assert written(out) == {}
    for folder in (out, other):
        assert run(reproduce("--cache", cache, "--out", folder)).status == 0
    assert written(out) == written(other)
