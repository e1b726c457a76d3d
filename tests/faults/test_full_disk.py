"""A full disk ends a command with one line that names the file, and harms no older file."""

import os
import resource
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import reproduce
from tests.faults.processes import coalloc, own_system, run
from tests.own_system.made_sacct import random_export

pytestmark = pytest.mark.long

#: The room, in bytes, that a disk has left for a command. No output of a command is as small.
ROOM = 8192
#: The room for some points of a study, but not for all.
ROOM_OF_POINTS = 8 * ROOM


@dataclass
class Disk:
    """A folder, and what a process does first so that this folder is full for it."""

    folder: Path
    limit: Any = None

    def fill(self, room):
        """Let the folder have room for this number of bytes."""
        if self.limit is not None:
            self.limit = partial(_limit, room)
            return
        filler = self.folder / ".filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        os.truncate(filler, filler.stat().st_size - room)


def _limit(room):
    """Let this process write no file that is larger, as a shell's `ulimit -f` does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))


@pytest.fixture(params=["tmpfs", "limit"])
def disk(request, tmp_path):
    """A disk of 256 kB; or, as any user can have it, a limit on the size of each file."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if request.param == "limit":
        yield Disk(folder, partial(_limit, ROOM))
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("only the superuser of Linux can mount a disk")
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a disk")
    yield Disk(folder)
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def commands(medium_log, tmp_path):
    """The commands that write files, by the name of the option, for a path of the output."""
    export = tmp_path / "export.txt"
    export.write_text(random_export(3_000).text, "utf-8")
    simulate = coalloc("simulate", "--trace", medium_log, "--clusters", 8)
    sites = own_system(
        "report", f"north={medium_log}:8", f"south={medium_log}:8", "--clock", "weeks"
    )
    return {
        "simulate --out": lambda path: [*simulate, "--out", str(path)],
        "simulate --export": lambda path: [*simulate, "--export", str(path)],
        "import --out": lambda path: own_system("import", export, "--out", path),
        "report --out": lambda path: [*sites, "--out", str(path)],
    }


@pytest.mark.parametrize("old", [None, "an older file"])
@pytest.mark.parametrize(
    "option", ["simulate --out", "simulate --export", "import --out", "report --out"]
)
def test_a_file_that_does_not_fit_is_named_and_the_older_one_stays(disk, commands, option, old):
    out = disk.folder / ("my.swf" if option == "import --out" else "out.csv")
    if old is not None:
        out.write_text(old)
    disk.fill(ROOM)
    ended = run(commands[option](out), preexec_fn=disk.limit)
    check_one_line(ended, out)
    left = {path.name for path in disk.folder.iterdir()} - {".filler"}
    assert left == (set() if old is None else {out.name})
    assert old is None or out.read_text() == old


def test_a_study_that_does_not_fit_leaves_no_file(disk):
    out = disk.folder / "results"
    disk.fill(ROOM)
    ended = run(reproduce("--out", out), preexec_fn=disk.limit)
    check_one_line(ended, out)
    assert [path for path in out.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("disk", ["tmpfs"], indirect=True)
def test_a_full_cache_is_named_and_what_it_has_is_not_computed_again(disk, tmp_path):
    """A limit on the size of a file would not fill the cache, which has small files."""
    cache, how = disk.folder / "cache", ("--workers", 1, "--out")
    disk.fill(ROOM_OF_POINTS)
    ended = run(reproduce("--cache", cache, *how, tmp_path / "out", "--scale", "paper"))
    check_one_line(ended, cache)
    (disk.folder / ".filler").unlink(missing_ok=True)
    again = run(reproduce("--cache", cache, *how, tmp_path / "out", "--scale", "paper"))
    assert again.status == 0
    assert f"points were found in {cache}" in again.errors


def check_one_line(ended, path):
    """The command failed, and its last line on stderr names this path."""
    assert ended.status in (1, 2), ended.errors
    assert "Traceback" not in ended.errors
    assert sum("error: " in line for line in ended.errors.splitlines()) == 1
    assert ended.last_line.startswith("coalloc: error: ")
    assert str(path) in ended.last_line


@pytest.mark.parametrize("option", ["simulate --out", "import --out"])
def test_a_file_on_a_full_standard_output_is_named(commands, option):
    with open("/dev/full", "wb") as full:
        ended = run(commands[option]("-"), stdout=full)
    check_one_line(ended, "standard output")


def test_results_of_a_study_on_a_full_standard_output_are_in_the_folder(tmp_path):
    with open("/dev/full", "wb") as full:
        ended = run(reproduce("--out", tmp_path / "out"), stdout=full)
    check_one_line(ended, "standard output")
    assert (tmp_path / "out" / "ledger.csv").is_file()
