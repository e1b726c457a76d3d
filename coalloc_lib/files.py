"""Writing files so that a reader sees either the whole file or none of it."""

import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from coalloc_lib.checks import InputError, path_of

#: The path that means standard output.
STDOUT = "-"

#: The error numbers of a disk or a quota without room.
FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty file beside `path`; what is in it gets to `path` when the block succeeds.

    A regular file is replaced in one step, keeps its permissions, and stays as it was when the
    block raises. Links are followed; a device, a pipe and standard output (``-``) get the finished
    content. The file ends as `path` does, as some writers go by that.
    """
    target = _target(path)
    with _refusing(target, FULL):
        if _is_replaceable(target):
            with _partial_file(target) as beside:
                yield beside
                os.replace(beside, target)
            return
        with tempfile.TemporaryDirectory(prefix="coalloc-") as folder:
            spool = Path(folder) / f"spool{''.join(target.suffixes[-2:])}"
            spool.touch()
            with _refusing(spool, FULL):
                yield spool
            if str(target) == STDOUT:
                sys.stdout.flush()
                out: Any = nullcontext(sys.stdout.buffer)
            else:
                out = target.open("wb")
            with spool.open("rb") as content, out as file:
                shutil.copyfileobj(content, file)
                file.flush()


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Yield an empty folder beside `path`, for files that are to appear together; remove it."""
    prefix = f".{path.name}.coalloc-partial-"
    with tempfile.TemporaryDirectory(
        prefix=prefix, dir=path.parent, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the `InputError` of `atomic_path` now, before long work that ends in a file."""
    target = _target(path)
    if _is_replaceable(target):
        with _partial_file(target):
            pass
    elif str(target) != STDOUT and not os.access(target, os.W_OK):
        raise InputError(f"{target} cannot be written; choose another file")


def _target(path: str | os.PathLike[str]) -> Path:
    """Return the file that is meant, links followed."""
    target = path_of("path", path)
    if os.fspath(path) != STDOUT == str(target):
        return target.absolute()  # ./- is a file
    with _refusing(target), suppress(FileNotFoundError):
        # Links like /dev/stdout lead to names that are no files: such a link stays as it is.
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


@contextmanager
def _partial_file(target: Path) -> Iterator[Path]:
    """Yield a new empty file beside `target`, with its permissions; remove it if still there."""
    # Names have at most 255 bytes, and a character up to four.
    suffix = "".join(target.suffixes[-2:])[-20:]
    beside = target.with_name(f".{target.name[:30]}.coalloc-partial-{secrets.token_hex(4)}{suffix}")
    try:
        with _refusing(target):
            beside.open("x").close()
            if target.exists():
                target.open("r+").close()  # a file that may not be written may not be replaced
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
        yield beside
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _refusing(target: Path, which: tuple[int, ...] | None = None) -> Iterator[None]:
    """Turn errors of the system, or those of these numbers, into an `InputError` of one line."""
    try:
        yield
    except OSError as error:
        if which is not None and error.errno not in which:
            raise
        room = f"make room on the disk of {target.parent} or " if error.errno in FULL else ""
        raise InputError(
            f"{target} cannot be written ({error.strerror}); {room}choose another path"
        ) from None
