"""Processes that are killed leave no half-written file, and can be started again."""

import hashlib
import http.server
import shutil
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.conftest import reproduce
from tests.faults.processes import coalloc, own_system, python, run
from tests.faults.results import points_in, unfinished, written
from tests.own_system.conftest import files  # noqa: F401

pytestmark = pytest.mark.long


def assert_killed_while_writing(process, out, old):
    """Kill a process in the middle of writing a file; its folder has what it had before."""
    folder = out.parent
    process.wait_until(lambda: unfinished(folder), "a part of the file was written")
    process.send(signal.SIGKILL)
    assert process.end().status == -signal.SIGKILL
    process.assert_nothing_lives()
    assert unfinished(folder), "the process was killed too late"
    assert written(folder) == ({} if old is None else {out.name: old.encode()})


def output_file(folder, name, old):
    """Return the path of a file in a new folder, where an older file may be already."""
    folder.mkdir()
    if old is not None:
        (folder / name).write_text(old)
    return folder / name


@pytest.mark.parametrize("old", [None, "an older schedule"])
def test_a_killed_simulation_leaves_no_half_of_a_schedule(start, long_log, tmp_path, old):
    out = output_file(tmp_path / "out", "schedule.csv", old)
    other = tmp_path / "undisturbed.csv"
    command = coalloc("simulate", "--trace", long_log, "--clusters", 8, "--out")
    assert_killed_while_writing(start([*command, str(out)]), out, old)
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


#: Fetches a log from a server of the test in place of the archive.
FETCH = """
import sys
from dataclasses import replace
from coalloc_lib.workloads import catalogue
entry = replace(catalogue.trace("KTH-SP2"), url=sys.argv[1], content_sha256=None)
catalogue.CATALOGUE = (replace(entry, archive_sha256=sys.argv[2]),)
print(*catalogue.fetch(["KTH-SP2"]))
"""


@pytest.fixture
def half_a_log():
    """A server that sends half of a file, waits, and on the second request sends all of it."""
    content, asked = bytes(range(256)) * 4096, []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            if len(asked) == 1:
                time.sleep(60)
            with suppress(OSError):  # the first client is dead
                self.wfile.write(content[len(content) // 2 :])

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads, server.block_on_close = True, False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/log.swf.gz", content
        server.shutdown()


def test_a_killed_download_leaves_no_log_and_can_be_repeated(start, half_a_log, tmp_path):
    url, content = half_a_log
    command = python(FETCH, url, hashlib.sha256(content).hexdigest())
    home = {"HOME": tmp_path, "XDG_CACHE_HOME": tmp_path / "cache", "COALLOC_TRACES": ""}

    def parts():
        return [path for path in tmp_path.rglob("cache/**/*") if path.is_file()]

    process = start(command, **home)
    process.wait_until(lambda: any(path.stat().st_size for path in parts()), "half a log came")
    process.send(signal.SIGKILL)
    assert process.end().status == -signal.SIGKILL
    assert [path for path in parts() if path.name == "log.swf.gz"] == []
    ended = run(command, **home)
    assert ended.status == 0, ended.errors
    assert Path(ended.output.decode().strip()).read_bytes() == content


#: Writes a report; the last step of writing a file, which replaces the old one, waits.
SLOW_REPORT = """
import os, sys, time
replace = os.replace
def replace_slowly(beside, target):
    if str(target).endswith(".html"):  # and not the cache of Numba, which is replaced too
        time.sleep(60)
    replace(beside, target)
os.replace = replace_slowly
from own_system.commands import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("old", [None, "an older page"])
def test_a_killed_report_leaves_no_half_of_a_page(start, files, tmp_path, old):  # noqa: F811
    page = output_file(tmp_path / "out", "page.html", old)
    out = page.parent
    logs = [f"north={files['north']}:16", f"south={files['south']}:8"]
    arguments = ("report", *logs, "--penalty", 0.2, "--out", page)
    assert_killed_while_writing(start(python(SLOW_REPORT, *arguments)), page, old)
    assert run(own_system(*arguments)).status == 0
    resumed = written(out)
    shutil.rmtree(out)
    out.mkdir()
    assert run(own_system(*arguments)).status == 0  # as if nothing had been killed
    assert written(out) == resumed
