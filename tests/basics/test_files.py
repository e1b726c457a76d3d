"""Files appear whole or not at all, and nothing but a regular file is ever replaced."""

import csv
import errno
import io
import os
import stat
import threading
from unittest.mock import Mock

import pandas as pd
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import (
    atomic_path,
    check_writable,
    csv_of,
    writable_folder,
)

LONG = "x" * 300


def write(path, text="new"):
    with atomic_path(path) as beside:
        beside.write_text(text)


def test_a_file_appears_whole_and_as_an_ordinary_one(tmp_path):
    target = tmp_path / "table.swf.gz"
    with atomic_path(target) as beside:
        assert beside.parent == tmp_path
        assert beside.name.startswith(".table.swf.gz.coalloc-partial-")
        assert beside.name.endswith(".swf.gz")
        beside.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [target]
    (tmp_path / "ordinary").touch()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1
    with target.open() as reader:  # it is replaced in one step, not written over
        write(target)
        assert reader.read() == "whole"
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_crash_keeps_the_old_file_and_leaves_nothing_else(tmp_path, capfdbinary, error):
    target = tmp_path / "table.csv"
    target.write_text("old")

    def crash(path):
        with atomic_path(path) as beside:
            beside.write_text("half of the n")
            raise error

    for path in (target, "-"):
        with pytest.raises(error):
            crash(path)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    assert capfdbinary.readouterr().out == b""


def test_a_link_is_followed_and_the_mode_of_its_target_kept(tmp_path):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    (tmp_path / "between").symlink_to(target)
    link.symlink_to("between")
    write(link, "old")
    target.chmod(0o640)
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert len(list(tmp_path.iterdir())) == 3
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(InputError, match=r"link\.csv cannot be written .*symbolic links"):
        check_writable(link)


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    check_writable(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe)
    reader.join(20)
    assert read == ["new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_dash_is_standard_output(capfdbinary, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    check_writable("-")
    print("before", flush=False)
    write("-")
    print("after")
    assert capfdbinary.readouterr().out == b"before\nnewafter\n"
    assert list(tmp_path.iterdir()) == []
    write("./-")  # a file of that name
    assert capfdbinary.readouterr().out == b""
    assert (tmp_path / "-").read_text() == "new"


@pytest.mark.parametrize("path", [None, 3, [], b"x.csv", "a\0b", LONG, f"{LONG}/x.csv", ""])
@pytest.mark.parametrize("use", [check_writable, write])
def test_what_is_no_path_is_refused(path, use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        use(path)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x" * 251 + ".csv", "é" * 125 + ".gz", "a." + "b" * 240])
def test_the_longest_names_can_be_written(tmp_path, name):
    write(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_path_can_be_tried_before_the_work(tmp_path):
    old = tmp_path / "old.csv"
    old.write_text("old")
    for path in (old, tmp_path / "new.csv"):
        check_writable(path)
    assert list(tmp_path.iterdir()) == [old]
    assert old.read_text() == "old"
    for path, cause in ((tmp_path / "gone" / "x", "gone does not exist; make"), (tmp_path, "is a")):
        for use in (check_writable, write):
            with pytest.raises(InputError, match=cause):
                use(path)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_named_in_one_line(tmp_path, code):
    target = tmp_path / "table.csv"
    target.write_text("old")
    message = f"{target} .*the disk of {tmp_path} "
    with pytest.raises(InputError, match=message), atomic_path(target):
        raise OSError(code, os.strerror(code))
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(OSError, match="nput/output"), atomic_path(target):
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_full_standard_output_and_a_limit_on_files_are_named(tmp_path, monkeypatch):
    with (
        pytest.raises(InputError, match=r"table\.csv cannot be written .*\(ulimit -f\) or choose"),
        atomic_path(tmp_path / "table.csv"),
    ):
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    assert list(tmp_path.iterdir()) == []
    full = Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    monkeypatch.setattr("sys.stdout", Mock(buffer=Mock(write=full)))
    with pytest.raises(InputError, match=r"^standard output cannot be written .* on its disk or"):
        write("-")


def test_a_spreadsheet_takes_no_word_for_a_formula():
    words = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "-x", "a=b", "", '=,"', "+49 30"]
    table = pd.DataFrame({
        "@site": words, "x": range(-5, 6), "y": [-0.5] * 11,
        "z": [None, -1, -1.5, True, "-1e3", "=z", 0, 0, 0, 0, 0], "of": pd.Categorical(words),
    })  # fmt: skip
    given = table.copy()
    heading, *rows = csv.reader(io.StringIO(csv_of(table), newline=""))
    pd.testing.assert_frame_equal(table, given)
    assert heading == ["'@site", "x", "y", "z", "of"]
    site, x, y, z, of = zip(*rows, strict=True)
    safe = ["'=1+1", "+1", "-1", "'@x", "'\tx", "' x", "'-x", "a=b", "", "'=,\"", "'+49 30"]
    assert [*site] == [*of] == safe
    assert [*map(int, x)] == [*range(-5, 6)]
    assert set(y) == {"-0.5"}
    assert z[:6] == ("", "-1", "-1.5", "True", "-1e3", "'=z")


def denied(*_args, **_options):
    raise PermissionError(errno.EACCES, "Permission denied", "/an/inner/path")


def test_a_folder_that_takes_no_file_is_called_as_the_user_did(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "x.csv").write_text("old")
    (tmp_path / "x.csv").symlink_to("real/x.csv")
    monkeypatch.chdir(tmp_path)
    assert writable_folder("new/folder").is_dir()
    assert not list((tmp_path / "new" / "folder").iterdir())
    fault = r"cannot be written \(Permission denied\); choose another path$"
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", denied)
        with pytest.raises(InputError, match=f"^x.csv {fault}"):
            write("x.csv")
    with monkeypatch.context() as patch:
        patch.setattr("tempfile.TemporaryFile", denied)
        with pytest.raises(InputError, match=f"^link {fault}"):
            writable_folder("link")
    monkeypatch.setattr(type(tmp_path), "open", denied)
    for use in (write, check_writable):
        with pytest.raises(InputError, match=f"^x.csv {fault}"):
            use("x.csv")


def test_columns_of_the_same_name_are_written_one_by_one():
    table = pd.DataFrame([["=1", 2], ["b", -3]], columns=["x", "x"])
    assert csv_of(table) == "x,x\n'=1,2\nb,-3\n"
