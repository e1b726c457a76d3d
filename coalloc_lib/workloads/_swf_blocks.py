"""The bytes of a log, unpacked if it is packed, in blocks of whole lines.

However long a log is, no more than a block of it is in memory; and however little a packed file
is, no more is unpacked than a log of its size can hold.
"""

import gzip
import os
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from coalloc_lib.checks import InputError, path_of
from coalloc_lib.progress import SILENT, Silent

#: A step of the progress is so many bytes of the file.
STEP = 10**6

#: What `read_swf` unpacks of a packed log where no limit is given: the larger of so many bytes
#: and so many times the packed size. Logs of the archive unpack to five to ten times theirs.
MOST_UNPACKED, MOST_RATIO = 64 * 2**20, 100

_BLOCK = 4 * 2**20
_LONGEST_LINE = 2**20
_GZIP_MAGIC = b"\x1f\x8b"


def content(
    path: str | os.PathLike[str], *, most_bytes: int | None = None, progress: Silent = SILENT
) -> Iterator[bytes]:
    """Yield the bytes of a log, unpacked if it is packed; `read_swf` tells of the arguments."""
    path = path_of("path", path)
    try:
        with path.open("rb") as file:
            yield from _reported(file, _unpacked(path, file, most_bytes), progress)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give the path of a log in it") from None
    except EOFError:
        raise InputError(
            f"{path} is cut short, a gzip stream with no end; fetch it again"
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is a damaged gzip file ({error}); fetch it again") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check it") from None


def _reported(file: BufferedReader, blocks: Iterator[bytes], progress: Silent) -> Iterator[bytes]:
    size = os.fstat(file.fileno()).st_size  # 0 of a pipe, whose length no one knows
    progress.total(-(-size // STEP))
    done = 0
    for block in blocks:
        steps = min(file.tell(), size) // STEP if size else 0
        for _ in range(steps - done):
            progress.step()
        done = max(steps, done)
        yield block


def _unpacked(path: Path, file: BufferedReader, most_bytes: int | None) -> Iterator[bytes]:
    is_packed = file.peek(2)[:2] == _GZIP_MAGIC
    if path.suffix == ".gz" and not is_packed:
        raise InputError(f"{path} is not a gzip file; fetch it again, or drop .gz from its name")
    source = gzip.GzipFile(fileobj=file) if is_packed else file
    size = os.fstat(file.fileno()).st_size
    most = most_bytes or max(MOST_UNPACKED, MOST_RATIO * size)
    length = 0
    while block := source.read(_BLOCK):
        rest = source.readline(_LONGEST_LINE)
        if len(rest) == _LONGEST_LINE:
            raise InputError(
                f"{path} has a line of more than {_LONGEST_LINE:,} characters; check that it is a "
                "log"
            )
        block += rest
        length += len(block)
        if is_packed and length > most:
            raise InputError(
                f"{path} unpacks to more than {most:,} bytes, too much for its size; check it, or "
                "give read_swf most_bytes"
            )
        yield block
