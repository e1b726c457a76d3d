"""Writing files so that a reader sees either the whole file or none of it."""

import os
import uuid
from contextlib import contextmanager
from pathlib import Path

from coalloc_lib.checks import InputError


@contextmanager
def atomic_path(path):
    """Yield a temporary path beside `path`; rename it to `path` when the block succeeds.

    The temporary name ends as `path` does, so that writers that look at the suffix (``.gz``,
    ``.png``) behave alike. A file already at `path` is kept until the moment of the rename,
    and is left as it was when the block raises.

    Parameters
    ----------
    path : str or Path
        The file to write. Its folder must exist.

    Yields
    ------
    Path
        An empty file in the same folder, to be written and closed inside the block.

    Raises
    ------
    InputError
        The folder does not exist or cannot be written, or `path` is a folder.

    Examples
    --------
    >>> with atomic_path("table.csv") as beside:  # doctest: +SKIP
    ...     beside.write_text("a,b")
    """
    target = Path(path)
    beside = _empty_file_beside(target)
    try:
        yield beside
        os.replace(beside, target)
    finally:
        # After a rename there is nothing left to remove; after any exception, Ctrl-C
        # included, there is.
        beside.unlink(missing_ok=True)


def check_writable(path):
    """Raise the `InputError` of `atomic_path` now, before long work that ends in a file."""
    _empty_file_beside(Path(path)).unlink()


def _empty_file_beside(target):
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the path of a file in it")
    if not target.parent.is_dir():
        raise InputError(f"folder {target.parent} does not exist; make it first")
    suffix = "".join(target.suffixes[-2:])
    beside = target.with_name(f".{uuid.uuid4().hex}{suffix}")
    try:
        beside.open("x").close()
    except OSError as error:
        raise InputError(
            f"{target} cannot be written ({error.strerror}); choose another folder"
        ) from None
    return beside
