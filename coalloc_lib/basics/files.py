"""Write files atomically: another program sees either the complete new file or the old state."""

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

#: The characters that can begin a formula in a spreadsheet.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

#: The `errno` codes for a full disk, an exceeded disk quota, and an exceeded file size limit.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a temporary file that replaces `path` if the ``with`` block succeeds.

    A regular file is replaced in one step and keeps its permissions. It stays unchanged if the
    block raises an error. Symbolic links are followed. If `path` is a device, a pipe or standard
    output (``-``), the finished content is copied to it. The temporary file has the same extension
    as `path`, because some functions choose the format by the extension.
    """
    target = _target(path)
    with _raising_input_errors(target, FULL):
        if not _is_replaceable(target):
            with _spool_for(target) as spool:
                yield spool
            return
        with _partial_file(target, path) as beside:
            yield beside
            with _raising_input_errors(path):
                os.replace(beside, target)


@contextmanager
def _spool_for(target: Path) -> Iterator[Path]:
    # The content of the temporary file is copied to `target` after the ``with`` block.
    with tempfile.TemporaryDirectory(prefix="coalloc-") as folder:
        spool = Path(folder) / f"spool{''.join(target.suffixes[-2:])}"
        spool.touch()
        with _raising_input_errors(spool, FULL):
            yield spool
        if str(target) == STDOUT:
            sys.stdout.flush()
            out: Any = nullcontext(sys.stdout.buffer)
        else:
            out = target.open("wb")
        with spool.open("rb") as content, out as file:
            shutil.copyfileobj(content, file)
            file.flush()


def writable_folder(path: str | os.PathLike[str]) -> Path:
    """Create the folder `path` if necessary; raise `InputError` if it cannot be written to."""
    folder = path_of("path", path)
    with _raising_input_errors(path):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    return folder


def csv_of(table: "pd.DataFrame") -> str:
    """Convert a table to CSV text in which a spreadsheet program finds no formulas.

    A cell or heading gets an apostrophe in front if it begins like a formula, with one of
    ``= + - @``, a tab or a carriage return. A number, such as ``-1``, does not get an apostrophe.
    """
    safe = table.rename(columns=_escaped)
    for at in range(safe.shape[1]):  # two columns can have the same name
        column = safe.iloc[:, at]
        if column.dtype.kind not in "biufmM":  # the column can contain text
            safe.isetitem(at, column.map(_escaped, na_action="ignore"))
    return safe.to_csv(index=False, lineterminator="\n")


def _escaped(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    is_formula = cell[:1] in FORMULA and not NUMBER.fullmatch(cell)
    # Other programs treat a carriage return as the end of a line, and before Python 3.13 the module
    # `csv` does not quote cells that contain a carriage return.
    return ("'" * is_formula + cell).replace("\r", " ")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `InputError` if `path` cannot be written; call this before a long computation."""
    target = _target(path)
    if _is_replaceable(target):
        with _partial_file(target, path):
            pass
    elif str(target) != STDOUT and not os.access(target, os.W_OK):
        raise InputError(f"{target} cannot be written; choose another file")


def _target(path: str | os.PathLike[str]) -> Path:
    target = path_of("path", path)
    if os.fspath(path) != STDOUT == str(target):
        return target.absolute()  # ``./-`` is a file named ``-``, and not standard output
    with _raising_input_errors(target), suppress(FileNotFoundError):
        # Links such as /dev/stdout are not resolved, because they can lead to names like pipe:[7].
        if not stat.S_ISREG(os.stat(target).st_mode):
            return target
    return Path(os.path.realpath(target)) if target.is_symlink() else target


def _is_replaceable(target: Path) -> bool:
    # Regular files and files that do not exist yet can be replaced. Devices and pipes cannot.
    if str(target) == STDOUT:
        if not hasattr(sys.stdout, "buffer"):  # standard output of a notebook takes only text
            raise InputError(
                "path = '-', but standard output accepts only text here; give the path of a file"
            )
        return False
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the path of a file in it")
    if not target.parent.is_dir():
        raise InputError(f"folder {target.parent} does not exist; make it first")
    return target.is_file() or not target.exists()


@contextmanager
def _partial_file(target: Path, path: Any) -> Iterator[Path]:
    # Errors show the `path` that the user gave, which can be a symbolic link to `target`. The name
    # of the temporary file contains only the beginning of the name of `target`, because a file name
    # has at most 255 bytes, and a character can take up to four bytes.
    suffix = "".join(target.suffixes[-2:])[-20:]
    beside = target.with_name(f".{target.name[:30]}.coalloc-partial-{secrets.token_hex(4)}{suffix}")
    try:
        with _raising_input_errors(path):
            beside.open("x").close()
            if target.exists():
                target.open("r+").close()  # raises if the user may not write the existing file
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
        yield beside
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _raising_input_errors(target: Any, which: tuple[int, ...] | None = None) -> Iterator[None]:
    # If `which` is given, only errors whose `errno` is in it become an `InputError`.
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
    if number == errno.EFBIG:
        return "raise the limit on the size of a file (ulimit -f) or "
    if number not in FULL:
        return ""
    disk = "its disk" if str(target) == STDOUT else f"the disk of {Path(target).parent}"
    return f"make room on {disk} or "
