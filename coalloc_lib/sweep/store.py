"""Finished points on disk, in files that outlive a kill."""

import json
import os
import re
import uuid
import zlib
from contextlib import suppress
from pathlib import Path

from coalloc_lib.checks import InputError
from coalloc_lib.sweep.keys import describe, digest, library_digest


def record_line(key, results):
    """Return one record as a line: checksum, key, results in JSON."""
    body = f"{key} {json.dumps(results)}".encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def read_records(data):
    """Return the results by key in the content of a segment; damaged lines are left out."""
    found = {}
    for line in data.split(b"\n"):
        checksum, _, body = line.partition(b" ")
        if checksum != b"%08x" % zlib.crc32(body):
            continue
        try:
            key, _, text = body.decode().partition(" ")
            results = json.loads(text)
        except (ValueError, RecursionError):  # whole, but not written by a sweep
            continue
        if isinstance(results, dict) and all(isinstance(v, int | float) for v in results.values()):
            found[key] = results
    return found


class Store:
    """The finished points of one function in a folder of the cache.

    Every run writes a file of its own, so that runs at once do not meet, and appends each
    record with one call: a kill leaves at most one torn record, which its checksum gives away.
    """

    def __init__(self, cache, function):
        name = re.sub(
            r"[^0-9A-Za-z_]+", "_", getattr(function, "__name__", type(function).__name__)
        )
        self.folder = Path(cache) / f"{name}-{digest(describe(function), library_digest())}"
        self._file = None

    def read(self):
        """Return the results of all finished points by key; make the folder if it is missing."""
        found = {}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for segment in sorted(self.folder.glob("*.records")):
                with suppress(FileNotFoundError):  # another run has just taken an empty one away
                    found |= read_records(segment.read_bytes())
        except OSError as error:
            raise self._refusal(error) from None
        return found

    def open(self):
        """Begin a file of this run's own; raise `InputError` where that is not possible."""
        path = self.folder / f"{os.getpid()}-{uuid.uuid4().hex}.records"
        try:
            # Unbuffered: what a full disk refused must not be tried again when it is closed.
            self._file = path.open("xb", buffering=0)
        except OSError as error:
            raise self._refusal(error) from None

    def write(self, key, results):
        """Append a record; raise `OSError` where the disk refuses."""
        data = record_line(key, results)
        while data:
            data = data[self._file.write(data) :]

    def close(self):
        """End the file; an empty one is taken away."""
        if self._file is not None:
            empty = os.fstat(self._file.fileno()).st_size == 0
            self._file.close()
            if empty:
                Path(self._file.name).unlink(missing_ok=True)
            self._file = None

    def _refusal(self, error):
        return InputError(
            f"cache folder {self.folder} cannot be used ({error.strerror}); choose another folder"
        )
