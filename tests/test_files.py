"""Files appear whole or not at all, and nothing but a regular file is ever replaced."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading

import pytest

from coalloc_lib import files
from coalloc_lib.checks import InputError
from coalloc_lib.files import atomic_path, check_writable

LONG = "x" * 300


def write(path, text="new"):
    with atomic_path(path) as beside:
        beside.write_text(text)


def test_success_puts_the_file_in_place_and_leaves_nothing_else(tmp_path):
    target = tmp_path / "table.swf.gz"
    with atomic_path(target) as beside:
        assert beside.parent == tmp_path
        assert beside.name.endswith(".swf.gz")
        beside.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_crash_keeps_the_old_file_and_leaves_nothing_else(tmp_path, error):
    target = tmp_path / "table.csv"
    target.write_text("old")

    def crash():
        with atomic_path(target) as beside:
            beside.write_text("half of the n")
            raise error

    with pytest.raises(error):
        crash()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_who_reads_the_old_file_goes_on_reading_it(tmp_path):
    """It is replaced in one step, not written over."""
    path = tmp_path / "table.csv"
    path.write_text("old")
    with path.open() as reader:
        write(path)
        assert reader.read() == "old"
    assert path.read_text() == "new"


def test_permissions_are_those_of_an_ordinary_new_file(tmp_path):
    (tmp_path / "ordinary").touch()
    with atomic_path(tmp_path / "atomic"):
        pass
    modes = {stat.S_IMODE(os.stat(path).st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_link_is_followed_and_the_mode_of_its_target_kept(tmp_path):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    (tmp_path / "between").symlink_to(target)
    link.symlink_to("between")
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert len(list(tmp_path.iterdir())) == 3


def test_a_link_to_what_is_not_there_yet_makes_it(tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "later.csv")
    write(link)
    assert (tmp_path / "later.csv").read_text() == "new"
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


def test_a_device_is_written_to():
    terminal, end = os.openpty()
    try:
        device = os.ttyname(end)
        check_writable(device)
        write(device)
        assert os.read(terminal, 3) == b"new"
        assert stat.S_ISCHR(os.stat(device).st_mode)
    finally:
        os.close(terminal)
        os.close(end)


def test_a_dash_is_standard_output(capfdbinary, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    check_writable("-")
    print("before", flush=False)
    write("-")
    print("after")
    assert capfdbinary.readouterr().out == b"before\nnewafter\n"
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_out_after_a_crash(capfdbinary):
    def crash():
        with atomic_path("-") as beside:
            beside.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        crash()
    assert capfdbinary.readouterr().out == b""


def test_missing_folder_and_folder_in_place_of_a_file_are_named(tmp_path):
    with pytest.raises(InputError, match="nowhere does not exist; make it"):
        atomic_path(tmp_path / "nowhere" / "x.csv").__enter__()
    with pytest.raises(InputError, match="is a folder; give the path of a file"):
        atomic_path(tmp_path).__enter__()


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
    check_writable(old)
    check_writable(tmp_path / "new.csv")
    assert list(tmp_path.iterdir()) == [old]
    assert old.read_text() == "old"
    with pytest.raises(InputError, match="make it first"):
        check_writable(tmp_path / "no" / "s.csv")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_named_in_one_line(tmp_path, code):
    target = tmp_path / "table.csv"
    target.write_text("old")
    with pytest.raises(InputError) as caught, atomic_path(target):
        raise OSError(code, os.strerror(code))
    line = str(caught.value)
    assert str(target) in line
    assert f"the disk of {tmp_path} " in line
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(OSError, match="nput/output"), atomic_path(target):
        raise OSError(errno.EIO, os.strerror(errno.EIO))


WRITER = """
import os, signal, sys
from coalloc_lib.files import atomic_path
if sys.argv[2] == "handled":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
with atomic_path(sys.argv[1]) as beside:
    beside.write_text("half")
    print(beside.name, flush=True)
    signal.pause()
"""


def killed_writer(target, number, how="unhandled"):
    """Let a process write `target`, kill it half way, and return the name it wrote under."""
    command = [sys.executable, "-c", WRITER, str(target), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        name = process.stdout.readline().strip()
        during = [path.name for path in target.parent.iterdir()]
        write(target.with_name("other.csv"))
        write(target, "meanwhile")
        assert name in [path.name for path in target.parent.iterdir()], during
        process.send_signal(number)
        status = process.wait(20)
    return name, status


def test_a_batch_system_may_end_the_run(tmp_path):
    target = tmp_path / "table.csv"
    _, status = killed_writer(target, signal.SIGTERM, "handled")
    assert status == 143
    assert {path.name for path in tmp_path.iterdir()} == {"table.csv", "other.csv"}
    assert target.read_text() == "meanwhile"


def test_what_a_kill_leaves_says_what_it_is_and_goes_with_the_next_run(tmp_path):
    target = tmp_path / "table.csv"
    name, status = killed_writer(target, signal.SIGKILL)
    assert status == -signal.SIGKILL
    assert name.startswith(".table.csv.coalloc-partial-")
    assert (tmp_path / name).exists()
    write(tmp_path / "other.csv")
    assert (tmp_path / name).exists()
    write(target)
    assert {path.name for path in tmp_path.iterdir()} == {"table.csv", "other.csv"}


def test_what_other_hosts_write_is_left_alone(tmp_path, monkeypatch):
    target = tmp_path / "table.csv"
    name, _ = killed_writer(target, signal.SIGKILL)
    monkeypatch.setattr(files.socket, "gethostname", lambda: "elsewhere")
    write(target)
    assert (tmp_path / name).exists()


@pytest.mark.parametrize("other", ["n1-5", "n1-5-12345678", "n1-0"])
@pytest.mark.parametrize("name", ["x", "x.csv", "x.tar-1-abcdef01.gz"])
def test_what_a_host_writes_whose_name_begins_as_this_ones_is_left_alone(
    tmp_path, monkeypatch, name, other
):
    """The number of a process of n1 would be what follows `n1-`; none of that number lives."""
    monkeypatch.setattr(files.os, "kill", lambda *_: (_ for _ in ()).throw(ProcessLookupError))
    target = tmp_path / name
    monkeypatch.setattr(files.socket, "gethostname", lambda: other)
    with atomic_path(target) as beside:
        monkeypatch.setattr(files.socket, "gethostname", lambda: "n1")
        write(target)
        assert beside.exists()
        monkeypatch.setattr(files.socket, "gethostname", lambda: other)
        check_writable(target)
        assert not beside.exists()
        beside.touch()
