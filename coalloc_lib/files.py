"""Writing files so that a reader sees either the whole file or none of it."""

import errno
import os
import re
import shutil
import socket
import stat
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coalloc_lib.checks import InputError, path_of

#: The path that means standard output.
STDOUT = "-"

#: What the system says where there is no more room.
FULL = (errno.ENOSPC, errno.EDQUOT)
#: So much of a name goes into that of its partial file, which must not become too long itself.
_MOST_OF_NAME, _MOST_OF_SUFFIX = 100, 20


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path; what was written there gets to `path` when the block succeeds.

    A regular file is replaced in one step, and keeps its permissions; until then, and when the
    block raises, it stays as it was. A symbolic link is followed. A device or a pipe, and
    standard output for ``-``, is never replaced: the finished content is written to it.

    Parameters
    ----------
    path : str or Path
        The file to write. Its folder must exist.

    Yields
    ------
    Path
        An empty file to be written and closed inside the block. Its name ends as that of `path`
        does, so that writers that look at the suffix (``.gz``, ``.png``) behave alike.

    Raises
    ------
    InputError
        The folder does not exist or cannot be written, `path` is a folder, or the disk is full.

    Notes
    -----
    The temporary file is ``.NAME.coalloc-partial-HOST-PID-...`` beside the file. Any exception
    removes it, those included that a handler of SIGINT or SIGTERM raises. What a process leaves
    that is killed outright is removed by the next that writes the same path on that host, unless
    a process with its number still lives.

    Examples
    --------
    >>> with atomic_path("table.csv") as beside:  # doctest: +SKIP
    ...     beside.write_text("a,b")
    """
    target = _target(path)
    with _said_of(target, FULL):
        if not _is_replaceable(target):
            with tempfile.TemporaryDirectory(prefix="coalloc-") as folder:
                spool = Path(folder) / f"spool{''.join(target.suffixes[-2:])}"
                spool.touch()
                with _said_of(spool, FULL):
                    yield spool
                _copy(spool, target)
            return
        beside = _beside(target)
        try:
            _make_empty(beside, target)
            yield beside
            os.replace(beside, target)
        finally:
            # After the rename there is nothing left to remove; after any exception there is.
            beside.unlink(missing_ok=True)


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Yield an empty folder beside `path`, for files that are to appear together; remove it.

    It is named as the temporary file of `atomic_path` is. What a process leaves that is killed
    outright is removed by the next that makes a folder beside the same path on that host.
    """
    folder = _beside(path)
    try:
        folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the `InputError` of `atomic_path` now, before long work that ends in a file."""
    target = _target(path)
    if not _is_replaceable(target):
        if str(target) != STDOUT and not os.access(target, os.W_OK):
            raise InputError(f"{target} cannot be written; choose another file")
        return
    beside = _beside(target)
    try:
        _make_empty(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _target(path: str | os.PathLike[str]) -> Path:
    """Return the file that is meant, links followed."""
    target = path_of("path", path)
    if os.fspath(path) != STDOUT == str(target):
        return target.absolute()  # ./- is a file
    with _said_of(target), suppress(FileNotFoundError):
        # Links like /dev/stdout lead to names that are no files; what they mean is there.
        if not stat.S_ISREG(os.stat(target).st_mode):
            return target
    return Path(os.path.realpath(target)) if target.is_symlink() else target


def _is_replaceable(target: Path) -> bool:
    """Whether this is a regular file or can become one; refuse a folder, and a path in none."""
    if str(target) == STDOUT:
        if not hasattr(sys.stdout, "buffer"):  # that of a notebook takes text alone
            raise InputError("path = '-', and standard output takes no file here; give a path")
        return False
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the path of a file in it")
    if not target.parent.is_dir():
        raise InputError(f"folder {target.parent} does not exist; make it first")
    return target.is_file() or not target.exists()


def _beside(target: Path) -> Path:
    """Return a new name beside `target`, after removing what dead writers left."""
    name = os.fsencode(target.name)[:_MOST_OF_NAME].decode(errors="ignore")
    start = f".{name}.coalloc-partial-{socket.gethostname()}-"
    suffix = "".join(target.suffixes[-2:])[-_MOST_OF_SUFFIX:]
    # The whole name must fit: that of a host n1-5 begins as one of the host n1 does.
    mine = re.compile(f"{re.escape(start)}([0-9]+)-[0-9a-f]{{8}}{re.escape(suffix)}")
    with suppress(OSError):  # of a folder that may not be listed
        for path in target.parent.iterdir():
            if (found := mine.fullmatch(path.name)) and _is_dead(found[1]):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return target.with_name(f"{start}{os.getpid()}-{uuid.uuid4().hex[:8]}{suffix}")


def _is_dead(number: str) -> bool:
    """Whether no process of this number lives."""
    if os.name != "posix":  # elsewhere signal 0 would do harm
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OverflowError, PermissionError):
        pass
    return False


def _make_empty(beside: Path, target: Path) -> None:
    """Make the partial file, with the permissions of the one that it is to replace."""
    with _said_of(target):
        beside.open("x").close()
        if target.exists():
            target.open("r+").close()  # a file that may not be written may not be replaced
            beside.chmod(stat.S_IMODE(target.stat().st_mode))


def _copy(spool: Path, target: Path) -> None:
    """Write what is in a file to a device, a pipe or standard output."""
    with spool.open("rb") as content:
        if str(target) != STDOUT:
            with target.open("wb") as file:
                shutil.copyfileobj(content, file)
            return
        sys.stdout.flush()
        shutil.copyfileobj(content, sys.stdout.buffer)
        sys.stdout.flush()


@contextmanager
def _said_of(target: Path, which: tuple[int, ...] | None = None) -> Iterator[None]:
    """Say in one line what the system refuses, or those of its refusals whose numbers these are."""
    try:
        yield
    except OSError as error:
        if which is not None and error.errno not in which:
            raise
        room = f"make room on the disk of {target.parent} or " if error.errno in FULL else ""
        raise InputError(
            f"{target} cannot be written ({error.strerror}); {room}choose another path"
        ) from None
