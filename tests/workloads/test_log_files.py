"""Files that hold a log, and files that hold something else."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

import coalloc_lib as co
from coalloc_lib.workloads.log_files import content
from own_system import read_sacct
from tests.own_system.sacct_files import HEADER, line

SWF = "; MaxProcs: 4\n1 0 5 10 4 -1 -1 4 20 -1 1 3 4 -1 1 -1 -1 -1\n"
SACCT = f"{HEADER}\n{line('1', user='åsa')}\n{line('2', submit='110')}\n"


def zipped(text):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("log.swf", text)
    return packed.getvalue()


def in_tar(text):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("log.swf")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return packed.getvalue()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_text_in_utf_16_is_read(tmp_path, encoding, end, pack):
    def file_of(text):
        mark = "" if encoding == "utf-16" else "\ufeff"
        path = tmp_path / "log.txt"
        path.write_bytes(pack((mark + text).replace("\n", end).encode(encoding)))
        return path

    log = read_sacct(file_of(SACCT))
    assert log.table["submit"].tolist() == [0, 10]
    assert log.table["user"].tolist() == [1, 2]
    swf = co.read_swf(file_of(SWF))
    assert (swf.processors, swf.table["wait"].tolist()) == (4, [5])


def test_text_in_utf_16_is_read_in_blocks_as_in_one(tmp_path, monkeypatch):
    text = SWF + "".join(SWF.splitlines(keepends=True)[1] for _ in range(200))
    (tmp_path / "log.swf").write_text(text, "utf-16")
    monkeypatch.setattr("coalloc_lib.workloads.log_files._BLOCK", 100)
    assert b"".join(content(tmp_path / "log.swf")) == text.encode()


@pytest.mark.parametrize("read", [co.read_swf, read_sacct])
@pytest.mark.parametrize(
    ("data", "what"),
    [
        (zipped(SWF), "is a zip archive or a spreadsheet; unpack it"),
        (lzma.compress(SWF.encode()), "is packed with xz; unpack it with unxz"),
        (bz2.compress(SWF.encode()), "is packed with bzip2; unpack it with bunzip2"),
        (gzip.compress(gzip.compress(SWF.encode())), "is packed with gzip twice; unpack it once"),
        (gzip.compress(in_tar(SWF.encode())), "is a tar archive; unpack it"),
        (in_tar(SWF.encode()), "is a tar archive; unpack it"),
        (SWF.encode("utf-16-le"), "is not text, because it contains bytes"),
        (SWF.encode("utf-32"), "is text in UTF-32; save it as UTF-8"),
        (b"SQLite format 3\x00" + bytes(90), "is an SQLite database"),
        (b"PAR1" + bytes(90), "is a Parquet table"),
        (b"\n<!DOCTYPE html><html>", "is a web page; download the log itself"),
    ],
    ids=lambda value: value if isinstance(value, str) else "data",  # packed bytes hold the time
)
def test_another_file_is_refused_in_one_line_that_says_what_it_is(tmp_path, read, data, what):
    for name in ("log.swf", "log.swf.gz"):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(co.InputError, match=f"{name} {what}") as caught:
            read(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_text_in_utf_16_that_is_cut_short_is_refused(tmp_path):
    (tmp_path / "log.swf").write_bytes(SWF.encode("utf-16")[:-1])
    with pytest.raises(co.InputError, match=r"log\.swf begins as text in UTF-16, but"):
        co.read_swf(tmp_path / "log.swf")


GRID = """# Created by the Grid Workloads Archive
# JobID SubmitTime WaitTime RunTime NProcs ReqNProcs
1 1063000000 3 10 2 -1 -1 2 20 -1 1 U1 G1 A1 Q0 S0/c0 S0 S0 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
"""
FIELDS = "1 0 5 10 4 -1 -1 4 20 -1 1 3 4 -1 1 -1 -1 -1"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (GRID, "line 1: this is a log of the Grid Workloads Archive, with 29 fields"),
        (GRID.splitlines()[2], "line 1: this is a log of the Grid Workloads Archive"),
        (GRID.replace(" ", "\t"), "line 1: this is a log of the Grid Workloads Archive"),
        (f"# Note\n{FIELDS}\n", "line 1: a comment begins with '#'; let comments begin with ';'"),
        (FIELDS.replace(" ", ";"), "line 1: the fields are separated by ';'.* replace each ';'"),
        (f"; Note: x\n{FIELDS.replace(' ', '; ')};", "line 2: the fields are separated by ';'"),
        (FIELDS.replace(" ", ","), "line 1: the fields are separated by ','"),
    ],
)
def test_a_log_in_another_format_is_refused_in_one_line(tmp_path, text, what):
    (tmp_path / "log.swf").write_text(text)
    with pytest.raises(co.InputError, match=f"log.swf, {what}") as caught:
        co.read_swf(tmp_path / "log.swf")
    assert "\n" not in str(caught.value)
