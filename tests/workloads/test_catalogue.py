import dataclasses
import gc
import gzip
import hashlib
import http.server
import os
import threading
import time

import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.workloads import catalogue
from coalloc_lib.workloads.catalogue import (
    CATALOGUE,
    content_checksum,
    fetch,
    load_stand_in,
    load_trace,
    trace,
)

# When the HTTP client rejects an answer, it leaves the socket to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

LOG = b"; MaxProcs: 8\n" + b"1 0 5 10 4 -1 -1 4 20 -1 1 3 4 -1 1 -1 -1 -1\n" * 3
PACKED = gzip.compress(LOG, mtime=0)
OTHER = gzip.compress(LOG.replace(b"10 4", b"11 4"), mtime=0)
FILES = {"archive_sha256": PACKED, "content_sha256": LOG}
SUMS = {of: hashlib.sha256(data).hexdigest() for of, data in FILES.items()}
UNKNOWN = {"archive_sha256": None}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of logs, and no folder in COALLOC_TRACES."""
    folder = tmp_path / "cache"
    monkeypatch.delenv("COALLOC_TRACES", raising=False)
    monkeypatch.setattr(catalogue, "cache_folder", lambda: folder)
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch, cache):
    """An empty folder that COALLOC_TRACES names."""
    folder = tmp_path / "logs"
    folder.mkdir()
    monkeypatch.setenv("COALLOC_TRACES", str(folder))
    return folder


def test_machines_have_the_processors_that_the_archive_states():
    """Read from the pages of the Parallel Workloads Archive; CTC-1995 also from paper 003."""
    stated = {"CTC-SP2": 338, "CTC-1995": 430, "KTH-SP2": 100, "HPC2N": 240, "DAS2-fs1": 64,
              "SDSC-SP2": 128}  # fmt: skip
    assert {entry.name: entry.processors for entry in CATALOGUE} == stated


def put_in_catalogue(monkeypatch, **changes):
    """Replace KTH-SP2 in the catalogue by the small log of this module, with these changes."""
    entry = dataclasses.replace(trace("KTH-SP2"), **SUMS | changes)
    others = [other for other in CATALOGUE if other.name != "KTH-SP2"]
    monkeypatch.setattr("coalloc_lib.workloads.catalogue.CATALOGUE", (*others, entry))
    return entry


@pytest.fixture
def server():
    """A web server at `server.url` that answers every request with `server.content`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(self.server.status)
            self.end_headers()
            self.wfile.write(self.server.content)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.content, server.status = PACKED, 200
        server.url = f"http://127.0.0.1:{server.server_port}/log.swf.gz"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
    gc.collect()


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_real_logs_are_whole(real_logs, entry):
    if not (real_logs / entry.file).is_file():
        pytest.skip(f"{entry.file} is not there")
    log = load_trace(entry.name, missing="error")
    assert (len(log), len(log.usable), log.processors, log.header["Acknowledge"], log.title) == (
        entry.jobs, entry.usable, entry.processors, entry.acknowledge, entry.name
    )  # fmt: skip
    assert log.source == str(real_logs / entry.file)
    assert len(log.jobs()) == entry.usable
    if entry.name == "CTC-SP2":
        # Some jobs ran longer than they requested, and 6 jobs requested no time.
        assert (log.usable["runtime"] > log.usable["requested_time"]).sum() == 7_174 + 6
        assert log.usable["processors"].max() == 336
        assert (log.usable["requested_processors"] == -1).all()


@pytest.mark.parametrize(
    "file", ["mine.swf", "KTH-SP2-1996-2.1-cln.swf", "SDSC-SP2-1998-4.2-cln.swf.gz", "kth"]
)
def test_a_file_of_that_name_goes_before_the_catalogue(tmp_path, monkeypatch, folder, file):
    (folder / put_in_catalogue(monkeypatch).file).write_bytes(PACKED)
    monkeypatch.chdir(tmp_path)
    own = tmp_path / file
    own.write_bytes(PACKED if file.endswith(".gz") else LOG)
    for path in (file, own):
        log = load_trace(path, missing="error")
        assert (log.name, log.source) == (file.split(".swf")[0], str(path))
        assert (len(log), log.processors) == (3, 8)
    own.unlink()
    own.mkdir()  # a folder is no log
    if "KTH" in file.upper():
        assert load_trace(file).source == str(folder / trace("KTH-SP2").file)


def test_unknown_names_and_paths_are_told_apart(tmp_path, cache):
    for name in ("KTH-SP2", "Kth", "KTH-SP2-1996-2.1-cln.swf.gz"):
        assert trace(name).name == "KTH-SP2"
    for call, cause in (
        (lambda: load_trace("LANL"), "'LANL' is not a log in the catalogue; choose one of CTC"),
        (lambda: load_trace(tmp_path / "LANL"), "there is no such file"),
        (lambda: load_trace("lanl.swf"), r"lanl\.swf: there is no such file"),
        (lambda: load_trace("KTH", missing="ask"), "missing = 'ask'"),
        (lambda: fetch(["LANL"]), "'LANL'"),
        (lambda: fetch("KTH"), "names = 'KTH'; give a list"),
    ):
        with pytest.raises(InputError, match=cause):
            call()


@pytest.mark.parametrize(
    ("known", "file", "content", "cause"),
    [
        (
            "content",
            ".swf.gz",
            OTHER,
            f"SHA-256 .*catalogue has {SUMS['content_sha256']}; remove the file",
        ),
        ("content", ".swf", LOG, None),
        ("content", ".swf.gz", gzip.compress(LOG, 1, mtime=5), None),
        ("archive", ".swf.gz", PACKED, None),
        ("archive", ".swf.gz", gzip.compress(LOG, 1, mtime=5), "the SHA-256 of the file"),
        ("archive", ".swf", LOG, "cannot be checked, .* checksum of KTH-SP2.*swf.gz is known"),
    ],
)
def test_a_log_is_used_only_where_its_checksum_is_right(
    monkeypatch, folder, known, file, content, cause
):
    entry = put_in_catalogue(monkeypatch, **dict.fromkeys(SUMS.keys() - {f"{known}_sha256"}))
    path = folder / entry.file.replace(".swf.gz", file)
    path.write_bytes(content)
    if cause is None:
        # The real log is preferred to its synthetic replacement.
        assert load_trace("KTH-SP2", missing="stand-in").source == str(path)
    else:
        for load in (load_trace, lambda name: fetch([name])):
            with pytest.raises(InputError, match=f"{path}.*{cause}"):
                load("KTH-SP2")
        assert len(load_trace(path)) == 3  # as a log of one's own


def test_the_folder_comes_before_the_cache(monkeypatch, folder, cache):
    entry = put_in_catalogue(monkeypatch)
    cache.mkdir()
    for path in (cache / entry.file, folder / entry.file):
        path.write_bytes(PACKED)
        assert load_trace("KTH-SP2").source == str(path)


@pytest.mark.parametrize("known", [True, False])
def test_a_missing_log_is_fetched_once(monkeypatch, server, cache, known):
    entry = put_in_catalogue(monkeypatch, url=server.url, **{} if known else UNKNOWN)
    assert fetch(["kth"]) == [cache / entry.file]
    assert list(cache.iterdir()) == [cache / entry.file]
    server.status = 500
    log = load_trace("KTH-SP2")
    assert (log.source, len(log)) == (str(cache / entry.file), 3)


@pytest.mark.parametrize(
    ("content", "status", "known", "cause"),
    [
        (PACKED, 404, True, "could not be fetched .*404"),
        (b"<html>sign in</html>", 200, True, "could not be fetched .*hash"),
        (b"<html>sign in</html>", 200, False, "is a web page; download the log itself"),
        (gzip.compress(LOG[:20], mtime=0), 200, False, "the SHA-256 of the content"),
        (PACKED[:-9], 200, False, "is a gzip file whose end is missing"),
    ],
    ids=["not found", "another file", "a page", "another log", "half a log"],
)
def test_what_is_not_the_log_is_not_kept(monkeypatch, server, cache, content, status, known, cause):
    server.content, server.status = content, status
    put_in_catalogue(monkeypatch, url=server.url, **{} if known else UNKNOWN)
    with pytest.raises(InputError, match=f"{server.url}.*{cause}") as caught:
        load_trace("KTH-SP2")
    assert str(cache) not in str(caught.value)
    assert list(cache.iterdir()) == []
    put_in_catalogue(monkeypatch, url="http://127.0.0.1:1/x.swf.gz")
    with pytest.raises(InputError, match=r":1/x.swf.gz could not be fetched .*set COALLOC_TRACES"):
        load_trace("KTH-SP2")


def test_nothing_is_fetched_unless_asked_for(monkeypatch, cache):
    def refuse(*_):
        raise AssertionError("fetched")

    monkeypatch.setattr(catalogue, "_download", refuse)
    with pytest.raises(InputError, match="HPC2N is not on this computer; fetch it"):
        load_trace("HPC2N", missing="error")
    with pytest.raises(InputError, match=r"for HPC2N \(only for CTC-SP2, KTH-SP2\); fetch the"):
        load_trace("HPC2N", missing="stand-in")
    assert load_trace("CTC-SP2", missing="stand-in").is_stand_in
    monkeypatch.setattr(catalogue, "data_folder", lambda name: cache / name)
    with pytest.raises(InputError, match=r"no synthetic log for KTH-SP2 \(only for no log"):
        load_stand_in("KTH")
    for folder in ("/nowhere/gone", "x" * 5000):
        monkeypatch.setenv("COALLOC_TRACES", folder)
        with pytest.raises(
            InputError, match=r"COALLOC_TRACES = .*(gone|\.\.\.x+)' is not a folder"
        ):
            load_trace("KTH-SP2")


def test_a_log_without_a_known_checksum_is_said_not_to_be_checked(monkeypatch, folder):
    entry = put_in_catalogue(monkeypatch, content_sha256=None, archive_sha256=None)
    (folder / entry.file).write_bytes(PACKED)
    with pytest.warns(UserWarning, match="is not checked: no checksum of KTH-SP2 is known"):
        assert len(load_trace("KTH-SP2", missing="error")) == 3


def test_the_checksum_of_a_log_is_of_its_content_or_none(folder, monkeypatch):
    entry = put_in_catalogue(monkeypatch)
    assert content_checksum("KTH-SP2") is None
    (folder / entry.file).write_bytes(PACKED)
    assert content_checksum("kth") == SUMS["content_sha256"]
    (folder / entry.file).write_bytes(OTHER)
    assert content_checksum("KTH-SP2") not in (None, SUMS["content_sha256"])


def test_a_log_is_read_again_for_its_checksum_only_if_it_changed(folder, monkeypatch):
    entry, seen = put_in_catalogue(monkeypatch), []
    monkeypatch.setattr(
        "coalloc_lib.workloads.catalogue.content", lambda path: [seen.append(path) or b"a job"]
    )
    file, now = folder / entry.file, time.time()
    file.write_bytes(PACKED)
    for changed, reads in [(0, 1), (0, 1), (60, 2), (None, 3), (None, 4)]:
        # A file that was written just now may change again without a new time stamp.
        at = now if changed is None else 10**9 + changed
        os.utime(file, (at, at))
        content_checksum("KTH-SP2")
        assert len(seen) == reads
