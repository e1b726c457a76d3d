"""Finished points on disk, in files that outlive a kill."""

import base64
import hashlib
import os
import re
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coalloc_lib.checks import InputError
from coalloc_lib.sweep.keys import describe, digest, library_digest


def record_line(key: str, pickled: bytes) -> bytes:
    """Return one record as a line: checksum, key, and the pickle in letters."""
    body = b"%s %s" % (key.encode(), base64.b64encode(pickled))
    return b"%s %s\n" % (_checksum(body), body)


def read_records(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield keys and pickles of the lines of a segment; damaged ones are left out."""
    for line in lines:
        checksum, _, body = line.rstrip(b"\n").partition(b" ")
        if checksum == _checksum(body):
            key, _, letters = body.partition(b" ")
            yield key.decode(), base64.b64decode(letters)


def _checksum(body):
    # A long one: what is damaged must not be unpickled.
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()


_FULL = "takes no more results", "make room and start again: what it has is not computed again"


class Store:
    """The finished points of one function in a folder of the cache.

    Every run writes a file of its own, so that runs at once do not meet, and appends each
    record with one call: a kill leaves at most one torn record, which its checksum gives away.
    What the disk refuses is an `InputError`. Records are pickles, so that whoever can write to the
    folder can run code here: the checksum finds damage, not malice.
    """

    def __init__(self, cache: str | os.PathLike[str], function: Callable[..., object]) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        version = digest(describe(function), library_digest())
        self.folder = Path(cache) / f"{re.sub('[^0-9A-Za-z_]+', '_', name)}-{version}"

    def read(self, wanted: Collection[str]) -> dict[str, bytes]:
        """Return the pickled results of finished points by key; make the folder if missing."""
        found: dict[str, bytes] = {}
        with self._refusing():
            self.folder.mkdir(parents=True, exist_ok=True)
            for segment in sorted(self.folder.glob("*.records")):
                # Another run may just have taken an empty one away.
                with suppress(FileNotFoundError), segment.open("rb") as lines:
                    found |= {key: data for key, data in read_records(lines) if key in wanted}
        return found

    def open(self) -> None:
        """Begin a file of this run's own."""
        self._path = self.folder / f"{os.getpid()}-{uuid.uuid4().hex}.records"
        with self._refusing():
            # Unbuffered: what a full disk refused must not be tried again when it is closed.
            self._file = self._path.open("xb", buffering=0)

    def write(self, data: bytes) -> None:
        """Append a record, a line of `record_line`."""
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
