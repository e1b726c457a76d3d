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
from typing import TYPE_CHECKING, Any

from coalloc_lib.basics.checks import NUMBER, InputError, path_of

if TYPE_CHECKING:
    import pandas as pd

#: The path that means standard output.
STDOUT = "-"

#: What a formula of a spreadsheet begins with.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

#: The error numbers of a full disk, a full quota, and a limit on the size of a file.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


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
            with _partial_file(target, path) as beside:
                yield beside
                with _refusing(path):
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
    """Yield an empty folder beside `path`, for files that are to appear together; remove it.

    An error within the block names the folder of `path`.
    """
    prefix = f".{path.name}.coalloc-partial-"
    with tempfile.TemporaryDirectory(
        prefix=prefix, dir=path.parent, ignore_cleanup_errors=True
    ) as folder:
        try:
            yield Path(folder)
        except InputError as error:
            raise InputError(str(error).replace(folder, str(path.parent))) from None


def writable_folder(path: str | os.PathLike[str]) -> Path:
    """Return a folder that takes files, made if need be; an `InputError` names what does not."""
    folder = path_of("path", path)
    with _refusing(path):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    return folder


def csv_of(table: "pd.DataFrame") -> str:
    """Return a table as CSV in which no spreadsheet takes a word for a formula.

    Words that begin as one does (``= + - @``, a tab, a carriage return) get an apostrophe before
    them, headings too; numbers stay as they are, also in words: ``-1`` is one.
    """
    safe = table.rename(columns=_as_word)
    for name in safe.columns:
        if safe[name].dtype.kind not in "biufmM":  # words, or anything
            safe[name] = safe[name].map(_as_word, na_action="ignore")
    return safe.to_csv(index=False, lineterminator="\n")


def _as_word(cell: Any) -> Any:
    """Return a cell that a spreadsheet shows as it stands."""
    if not isinstance(cell, str):
        return cell
    is_formula = cell[:1] in FORMULA and not NUMBER.fullmatch(cell)
    # Before version 3.13, Python quotes no carriage return, which ends a line for others.
    return ("'" * is_formula + cell).replace("\r", " ")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the `InputError` of `atomic_path` now, before long work that ends in a file."""
    target = _target(path)
    if _is_replaceable(target):
        with _partial_file(target, path):
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
def _partial_file(target: Path, path: Any) -> Iterator[Path]:
    """Yield a new empty file beside `target`, with its permissions; remove it if still there.

    An error names the `path` that was given, which may be a link to the target.
    """
    # Names have at most 255 bytes, and a character up to four.
    suffix = "".join(target.suffixes[-2:])[-20:]
    beside = target.with_name(f".{target.name[:30]}.coalloc-partial-{secrets.token_hex(4)}{suffix}")
    try:
        with _refusing(path):
            beside.open("x").close()
            if target.exists():
                target.open("r+").close()  # a file that may not be written may not be replaced
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
        yield beside
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _refusing(target: Any, which: tuple[int, ...] | None = None) -> Iterator[None]:
    """Turn errors of the system, or those of these numbers, into an `InputError` of one line."""
    try:
        yield
    except OSError as error:
        if which is not None and error.errno not in which:
            raise
        name = "standard output" if str(target) == STDOUT else target
        raise InputError(
            f"{name} cannot be written ({error.strerror}); {_how_to_make_room(target, error.errno)}"
            "choose another path"
        ) from None


def _how_to_make_room(target: Any, number: int | None) -> str:
    """Return what helps if a file did not fit, and an empty text for other errors."""
    if number == errno.EFBIG:
        return "raise the limit on the size of a file (ulimit -f) or "
    if number not in FULL:
        return ""
    disk = "its disk" if str(target) == STDOUT else f"the disk of {Path(target).parent}"
    return f"make room on {disk} or "
