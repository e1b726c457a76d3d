import dataclasses
import gc
import gzip
import hashlib
import http.server
import threading

import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.workloads import catalogue
from coalloc_lib.workloads.catalogue import (
    CATALOGUE,
    fetch,
    listing,
    load_stand_in,
    load_trace,
    trace,
)

# When an answer is refused, the HTTP client leaves its socket to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

LOG = b"; MaxProcs: 8\n" + b"1 0 5 10 4 -1 -1 4 20 -1 1 3 4 -1 1 -1 -1 -1\n" * 3
PACKED = gzip.compress(LOG, mtime=0)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and no folder of logs."""
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


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def put_in_catalogue(monkeypatch, **changes):
    """Let the catalogue's KTH-SP2 be the small log, with these changes."""
    entry = dataclasses.replace(
        trace("KTH-SP2"),
        **{"archive_sha256": sha256(PACKED), "content_sha256": sha256(LOG), **changes},
    )
    others = [other for other in CATALOGUE if other.name != "KTH-SP2"]
    monkeypatch.setattr("coalloc_lib.workloads.catalogue.CATALOGUE", (*others, entry))
    return entry


@pytest.fixture
def server():
    """A web server at `url` that gives `server.content` for every address."""

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
def test_real_logs_are_whole(real_traces, entry):
    if not (real_traces / entry.file).is_file():
        pytest.skip(f"{entry.file} is not there")
    log = load_trace(entry.name, missing="error")
    assert (len(log), len(log.usable)) == (entry.jobs, entry.usable)
    assert log.processors == entry.processors
    assert log.header["Acknowledge"] == entry.acknowledge
    assert log.source == str(real_traces / entry.file)
    assert log.title == entry.name
    assert len(log.jobs()) == entry.usable


def test_jobs_of_ctc_that_ran_longer_than_requested_stay_so(real_traces):
    usable = load_trace("ctc", missing="error").usable
    assert (usable["runtime"] > usable["requested_time"]).sum() == 7_174 + 6  # 6 requested none
    assert usable["processors"].max() == 336
    assert (usable["requested_processors"] == -1).all()


@pytest.mark.parametrize("name", ["KTH-SP2", "kth-sp2", "Kth", "KTH-SP2-1996-2.1-cln.swf.gz"])
def test_names_may_be_short_and_in_any_case(name):
    assert trace(name).name == "KTH-SP2"


def test_unknown_names_and_paths_are_told_apart(tmp_path, cache):
    with pytest.raises(InputError, match="'LANL' is no log of the catalogue; choose one of CTC"):
        load_trace("LANL")
    with pytest.raises(InputError, match="there is no such file"):
        load_trace(tmp_path / "LANL")
    with pytest.raises(InputError, match=r"lanl\.swf: there is no such file"):
        load_trace("lanl.swf")
    with pytest.raises(InputError, match="missing = 'ask'"):
        load_trace("KTH", missing="ask")
    with pytest.raises(InputError, match="'LANL'"):
        fetch(["LANL"])


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


@pytest.mark.parametrize("packed", [True, False])
def test_the_folder_comes_first_packed_anew_or_not(monkeypatch, folder, cache, packed):
    entry = put_in_catalogue(monkeypatch)
    cache.mkdir()
    (cache / entry.file).write_bytes(PACKED)
    path = folder / (entry.file if packed else entry.file.removesuffix(".gz"))
    path.write_bytes(gzip.compress(LOG, 1, mtime=5) if packed else LOG)
    assert load_trace("KTH-SP2").source == str(path)
    path.unlink()
    assert load_trace("KTH-SP2").source == str(cache / entry.file)


def test_another_checksum_is_refused_with_both_named(monkeypatch, folder):
    entry = put_in_catalogue(monkeypatch)
    other = LOG.replace(b"10 4", b"11 4")
    (folder / entry.file).write_bytes(gzip.compress(other))
    with pytest.raises(InputError) as caught:
        load_trace("KTH-SP2")
    message = str(caught.value)
    for part in (str(folder / entry.file), sha256(other), sha256(LOG), "remove the file"):
        assert part in message


def test_where_only_the_packed_checksum_is_known_it_decides(monkeypatch, folder):
    entry = put_in_catalogue(monkeypatch, content_sha256=None)
    (folder / entry.file).write_bytes(PACKED)
    assert len(load_trace("KTH-SP2")) == 3
    (folder / entry.file).write_bytes(gzip.compress(LOG, 1, mtime=5))
    with pytest.raises(InputError, match="the file has SHA-256"):
        load_trace("KTH-SP2")


def test_an_unpacked_copy_that_cannot_be_checked_is_not_used(monkeypatch, folder):
    entry = put_in_catalogue(monkeypatch, content_sha256=None)
    path = folder / entry.file.removesuffix(".gz")
    path.write_bytes(LOG)
    with pytest.raises(InputError, match=f"{path} cannot be checked: .*only {entry.file}"):
        load_trace("KTH-SP2")
    own = path.rename(folder / "own.swf")
    assert len(load_trace(own)) == 3


@pytest.mark.parametrize("name", [None, 3, ["KTH"], "x" * 300, "x" * 300 + ".swf", "a\0b"])
def test_what_is_no_name_is_refused_in_one_line(name, cache):
    for use in (load_trace, trace, load_stand_in, fetch, lambda name: fetch([name])):
        if use is fetch and name in (None, ["KTH"]):
            continue  # all, and a list of names
        with pytest.raises(InputError) as caught:
            use(name)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize("value", ["/nowhere/gone", "x" * 5000])
def test_a_folder_that_is_none_is_named(monkeypatch, cache, value):
    monkeypatch.setenv("COALLOC_TRACES", value)
    with pytest.raises(InputError, match=r"COALLOC_TRACES = .*(gone|\.\.\.x+)' is not a folder"):
        load_trace("KTH-SP2")


@pytest.mark.parametrize("known", [True, False])
def test_a_missing_log_is_fetched_once(monkeypatch, server, cache, known):
    changes = {} if known else {"archive_sha256": None}
    entry = put_in_catalogue(monkeypatch, url=server.url, **changes)
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
        (b"<html>sign in</html>", 200, False, "is not a gzip file"),
        (gzip.compress(LOG[:20], mtime=0), 200, False, "the content has SHA-256"),
        (PACKED[:-9], 200, False, "is cut short"),
    ],
    ids=["not found", "another file", "a page", "another log", "half a log"],
)
def test_what_is_not_the_log_is_not_kept(monkeypatch, server, cache, content, status, known, cause):
    server.content, server.status = content, status
    changes = {} if known else {"archive_sha256": None}
    put_in_catalogue(monkeypatch, url=server.url, **changes)
    with pytest.raises(InputError, match=f"{server.url}.*{cause}") as caught:
        load_trace("KTH-SP2")
    assert str(cache) not in str(caught.value)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x.swf.gz", "file:///nowhere/x.swf.gz"])
def test_no_network_names_the_address_and_the_mend(monkeypatch, cache, url):
    put_in_catalogue(monkeypatch, url=url)
    with pytest.raises(InputError, match=f"{url} could not be fetched .*set COALLOC_TRACES"):
        load_trace("KTH-SP2")
    assert list(cache.iterdir()) == []


def test_nothing_is_fetched_unless_asked_for(monkeypatch, cache):
    def refuse(*_):
        raise AssertionError("fetched")

    monkeypatch.setattr(catalogue, "_download", refuse)
    with pytest.raises(InputError, match="HPC2N is not here; fetch it"):
        load_trace("HPC2N", missing="error")
    with pytest.raises(InputError, match=r"no stand-in for HPC2N \(only for CTC-SP2, KTH-SP2"):
        load_trace("HPC2N", missing="stand-in")
    assert load_trace("CTC-SP2", missing="stand-in").is_stand_in


def test_the_real_log_goes_before_its_stand_in(monkeypatch, folder):
    entry = put_in_catalogue(monkeypatch)
    (folder / entry.file).write_bytes(PACKED)
    assert not load_trace("KTH-SP2", missing="stand-in").is_stand_in


@pytest.mark.parametrize(("name", "processors"), [("CTC-SP2", 338), ("KTH-SP2", 100)])
def test_stand_ins_say_what_they_are(name, processors):
    log = load_stand_in(name.lower())
    assert log.is_stand_in
    assert log.title == f"{name} (synthetic stand-in)"
    assert "SYNTHETIC" in log.header["Computer"]
    assert (len(log), log.processors) == (10_000, processors)


def test_outside_a_checkout_there_are_no_stand_ins(monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue, "__file__", str(tmp_path / "a" / "b" / "catalogue.py"))
    with pytest.raises(InputError, match="outside a checkout"):
        load_stand_in("KTH")


def test_listing_says_where_each_log_is(monkeypatch, folder):
    entry = put_in_catalogue(monkeypatch)
    (folder / entry.file).write_bytes(PACKED)
    rows = {row["name"]: row for row in listing()}
    assert list(rows) == [entry.name for entry in catalogue.CATALOGUE]
    assert rows["KTH-SP2"]["found"] == str(folder / entry.file)
    assert rows["HPC2N"]["found"] == "not fetched"
    assert rows["HPC2N"]["jobs"] == 202_871
