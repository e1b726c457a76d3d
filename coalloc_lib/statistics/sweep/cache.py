"""The folder that keeps the results of finished points, by `joblib.Memory`."""

import os
import pickle
import stat
from pathlib import Path
from typing import Any

import joblib

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import writable_folder

#: What `PointCache.read` returns if a point has not finished.
MISSING = object()


def _keep(key: str, pickled: bytes) -> bytes:
    """Return the pickled result of a point, which `joblib.Memory` keeps under the key alone."""
    return pickled


class PointCache:
    """A folder of pickled results, for its user alone.

    Anyone who can write to the folder can run code as its user, so that a folder of another user,
    or one that others can write to, is refused.

    Parameters
    ----------
    folder : str or Path
        The folder, which is made if it does not exist.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        points = self.folder / "points"
        try:
            for each in (self.folder, points):
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
                _refuse_foreign(each)
            # Compression adds a checksum to each file.
            memory = joblib.Memory(points, verbose=0, compress=("zlib", 1))
            self._kept = memory.cache(_keep, ignore=["pickled"])
        except OSError as error:
            raise InputError(
                f"cache folder {self.folder} cannot be used ({error.strerror}); choose another "
                "folder"
            ) from None

    def read(self, key: str) -> Any:
        """Return the result of a point, or `MISSING` if there is none that can be read."""
        try:
            if self._kept.check_call_in_cache(key, b""):
                return pickle.loads(self._kept.call_and_shelve(key, b"").get())
        except Exception:  # A damaged file can raise anything; the point is computed again.
            return MISSING
        return MISSING

    def check_writable(self) -> None:
        """Raise an `InputError` if the folder takes no files."""
        writable_folder(self.folder)

    def write(self, key: str, pickled: bytes) -> None:
        """Keep the pickled result of a point; raise an `InputError` if the disk is full."""
        try:
            self._kept.call(key, pickled)
        except Warning as warning:  # joblib warns if it cannot write; `Run` makes it an error.
            cause = getattr(warning.__context__, "strerror", None) or warning
            raise InputError(
                f"cache folder {self.folder} takes no more results ({cause}); make room and "
                "start again: the results that it has are not computed again"
            ) from None


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that is another user's, or that others can write to."""
    if not hasattr(os, "geteuid"):  # On Windows a folder has the permissions of its parent.
        return
    found = os.stat(folder)
    if found.st_uid not in (os.geteuid(), 0):  # The superuser can change any folder.
        raise InputError(
            f"cache folder {folder} belongs to another user, who could run code in your name by "
            "changing its files; choose a folder of your own"
        )
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        is_shared = found.st_mode & stat.S_ISVTX  # for example /tmp, which has to stay so
        mend = f"if you trust its files, run chmod go-w {folder}, else choose another folder"
        raise InputError(
            f"cache folder {folder} can be written by others, who could run code in your name by "
            f"changing its files; {'name a folder in it' if is_shared else mend}"
        )
