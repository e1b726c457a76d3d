"""Without compiled kernels, or with damaged ones, the same schedules come out."""

import shutil

import pytest

from tests.conftest import ROOT
from tests.faults.processes import coalloc, run

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


@pytest.fixture
def simulate(small_log):
    """Return the command line of a simulation with few kernels, which takes seconds to compile."""
    how = ("--clusters", "6,4", "--request", "flexible", "--scheduling", "fcfs")
    return coalloc("simulate", "--trace", small_log, *how, "--out", "-")


@pytest.fixture
def schedule(simulate):
    """The schedule that the kernels of this checkout compute."""
    return checked(run(simulate))


def checked(ended):
    """Return the output of a command that succeeded."""
    assert ended.status == 0, ended.errors
    assert "Traceback" not in ended.errors
    return ended.output


def cut_in_half(file):
    """Leave the first half of a file."""
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def test_an_empty_cache_is_filled_and_damaged_files_are_made_again(simulate, schedule, tmp_path):
    assert checked(run(simulate, NUMBA_CACHE_DIR=tmp_path)) == schedule
    for suffix in ("nbc", "nbi"):
        files = list(tmp_path.rglob(f"*.{suffix}"))
        assert files
        for file in files:
            cut_in_half(file)
        ended = run(simulate, NUMBA_CACHE_DIR=tmp_path)
        assert checked(ended) == schedule
        assert "is damaged" in ended.errors
    ended = run(simulate, NUMBA_CACHE_DIR=tmp_path)
    assert checked(ended) == schedule
    assert "compiling" not in ended.errors


def test_where_no_cache_can_be_written_kernels_are_compiled_anew(simulate, schedule, tmp_path):
    """A file stands where each folder of a cache would be, which stops the superuser too."""
    library = tmp_path / "coalloc_lib"
    shutil.copytree(ROOT / "coalloc_lib", library, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data" / "traces", tmp_path / "data" / "traces")
    for folder in [library, *(path for path in library.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    file = tmp_path / "file"
    file.touch()
    how = {"PYTHONPATH": f"{tmp_path}", "NUMBA_CACHE_DIR": file, "HOME": file}
    ended = run(simulate, cwd=tmp_path, **how)
    assert checked(ended) == schedule
    assert "again in each process" in ended.errors


def test_two_processes_fill_one_empty_cache_at_once(simulate, schedule, start, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    both = [start(simulate, NUMBA_CACHE_DIR=cache) for _ in range(2)]
    assert [checked(each.end(1200)) for each in both] == [schedule] * 2
    ended = run(simulate, NUMBA_CACHE_DIR=cache)
    assert checked(ended) == schedule
    assert "compiling" not in ended.errors
