"""A cache on disk for the results of finished points, kept by `joblib.Memory`."""

import os
import pickle
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import writable_folder

#: The value that `PointCache.read` returns if the cache does not contain a result.
MISSING = object()


def _keep(key: str, pickled: bytes) -> bytes:
    # `joblib.Memory` stores this return value under the argument `key`.
    return pickled


class PointCache:
    """A cache of pickled results, in a folder that only its owner can write to.

    Anyone who can change a pickle can run code with the rights of the user who loads it. A cache
    has a thread, so it cannot be pickled, and a forked process cannot use it.

    Parameters
    ----------
    folder : str or Path
        The folder. It is made if it does not exist.

    Raises
    ------
    InputError
        If the folder cannot be used, belongs to another user, or can be written by others.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        points = self.folder / "points"
        try:
            for each in (self.folder, points):
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
                _refuse_foreign(each)
            # Compressed files contain a checksum, so damage to a file is noticed.
            memory = joblib.Memory(points, verbose=0, compress=("zlib", 1))
            self._kept = memory.cache(_keep, ignore=["pickled"])
            # joblib ignores all exceptions at a few places, even that of Ctrl-C. Python raises this
            # exception in the main thread, so joblib works in another thread.
            self._thread = ThreadPoolExecutor(1, "point cache")
        except OSError as error:
            raise InputError(
                f"cache folder {self.folder} cannot be used ({error.strerror}); choose another "
                "folder"
            ) from None

    def read(self, key: str) -> Any:
        """Return the result that is stored under a key, or `MISSING` if no result can be read."""
        try:
            pickled = self._thread.submit(self._read, key).result()
            return MISSING if pickled is None else pickle.loads(pickled)
        except Exception:  # A damaged file can raise any error. The point is then computed again.
            return MISSING

    def _read(self, key: str) -> bytes | None:
        if self._kept.check_call_in_cache(key, b""):
            return self._kept.call_and_shelve(key, b"").get()
        return None

    def check_writable(self) -> None:
        """Raise an `InputError` if no file can be written to the folder."""
        writable_folder(self.folder)

    def write(self, key: str, pickled: bytes) -> None:
        """Store a pickled result under a key, or raise an `InputError` if the disk is full."""
        try:
            self._thread.submit(self._kept.call, key, pickled).result()
        except Warning as warning:  # joblib warns if it cannot write; `Run` makes it an error.
            cause = getattr(warning.__context__, "strerror", None) or warning
            raise InputError(
                f"cache folder {self.folder} takes no more results ({cause}); make room and "
                "start again: stored results are not computed again"
            ) from None


def _refuse_foreign(folder: Path) -> None:
    if not hasattr(os, "geteuid"):  # On Windows a folder has the permissions of its parent.
        return
    found = os.stat(folder)
    if found.st_uid not in (os.geteuid(), 0):  # The superuser can change any folder.
        raise InputError(
            f"cache folder {folder} belongs to another user, who could run code in your name by "
            "changing its files; choose a folder of your own"
        )
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        is_shared = found.st_mode & stat.S_ISVTX  # for example /tmp, which must stay writable
        mend = f"if you trust its files, run chmod go-w {folder}, else choose another folder"
        raise InputError(
            f"cache folder {folder} can be written by others, who could run code in your name by "
            f"changing its files; {'choose a folder inside it' if is_shared else mend}"
        )
