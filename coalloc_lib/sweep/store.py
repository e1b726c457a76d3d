"""Finished points on disk, in files that outlive a kill."""

import json
import os
import re
import uuid
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coalloc_lib.checks import InputError
from coalloc_lib.sweep.keys import describe, digest, library_digest


def record_line(key: str, results: dict[str, float]) -> bytes:
    """Return one record as a line: checksum, and key and results in JSON."""
    body = json.dumps([key, results]).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def read_records(data: bytes) -> dict[str, dict[str, float]]:
    """Return the results by key in the content of a segment; damaged lines are left out."""
    found = {}
    for line in data.split(b"\n"):
        checksum, _, body = line.partition(b" ")
        if checksum != b"%08x" % zlib.crc32(body):
            continue
        with suppress(ValueError, TypeError, RecursionError):  # whole, but not a sweep's
            key, results = json.loads(body)
            if isinstance(results, dict) and all(
                isinstance(value, int | float) for value in results.values()
            ):
                found[key] = results
    return found


_FULL = "takes no more results", "make room and start again: what it has is not computed again"


class Store:
    """The finished points of one function in a folder of the cache.

    Every run writes a file of its own, so that runs at once do not meet, and appends each
    record with one call: a kill leaves at most one torn record, which its checksum gives away.
    What the disk refuses is an `InputError`.
    """

    def __init__(self, cache: str | os.PathLike[str], function: Callable[..., object]) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        version = digest(describe(function), library_digest())
        self.folder = Path(cache) / f"{re.sub('[^0-9A-Za-z_]+', '_', name)}-{version}"

    def read(self) -> dict[str, dict[str, float]]:
        """Return the results of all finished points by key; make the folder if it is missing."""
        found: dict[str, dict[str, float]] = {}
        with self._refusing():
            self.folder.mkdir(parents=True, exist_ok=True)
            for segment in sorted(self.folder.glob("*.records")):
                with suppress(FileNotFoundError):  # another run has just taken an empty one away
                    found |= read_records(segment.read_bytes())
        return found

    def open(self) -> None:
        """Begin a file of this run's own."""
        self._path = self.folder / f"{os.getpid()}-{uuid.uuid4().hex}.records"
        with self._refusing():
            # Unbuffered: what a full disk refused must not be tried again when it is closed.
            self._file = self._path.open("xb", buffering=0)

    def write(self, key: str, results: dict[str, float]) -> None:
        """Append a record."""
        data = record_line(key, results)
        with self._refusing(*_FULL):
            while data:
                data = data[self._file.write(data) :]

    def close(self) -> None:
        """End the file; an empty one is taken away."""
        with self._refusing(*_FULL):
            empty = self._file.tell() == 0
            self._file.close()
            if empty:
                self._path.unlink(missing_ok=True)

    @contextmanager
    def _refusing(
        self, what: str = "cannot be used", mend: str = "choose another folder"
    ) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"cache folder {self.folder} {what} ({error.strerror}); {mend}"
            ) from None
