"""Opening, unpacking and decoding of log files, and errors for files that are not text.

The readers of formats, such as `swf`, read the lines of these files.
"""

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coalloc_lib.basics.checks import InputError, path_of

#: The function `content` unpacks at most `MOST_UNPACKED` bytes or `MOST_RATIO` times the packed
#: size of a file, whichever is larger.
MOST_UNPACKED, MOST_RATIO = 64 * 2**20, 100
_BLOCK = 4 * 2**20
_LONGEST_LINE = 2**20
_UNPACK = "unpack it, and give the path of the log in it"
_NO_LOG = "give the log as text, as it was downloaded or printed"
#: The first bytes of files that are not plain text, each with the name of the file format and
#: advice for the user.
_SIGNATURES = {
    b"PK\x03\x04": ("a zip archive or a spreadsheet", f"{_UNPACK}, or save the sheet as text"),
    b"PK\x05\x06": ("an empty zip archive", "fetch it again"),
    b"\xfd7zXZ\x00": ("packed with xz", "unpack it with unxz, or pack it with gzip"),
    b"BZh": ("packed with bzip2", "unpack it with bunzip2, or pack it with gzip"),
    b"\x28\xb5\x2f\xfd": ("packed with zstd", "unpack it with unzstd, or pack it with gzip"),
    b"7z\xbc\xaf\x27\x1c": ("a 7-Zip archive", _UNPACK),
    b"Rar!": ("a RAR archive", _UNPACK),
    b"\x1f\x9d": ("packed with compress", "unpack it with uncompress, or pack it with gzip"),
    b"\x1f\x8b": ("packed with gzip twice", "unpack it once with gunzip"),
    b"PAR1": ("a Parquet table", _NO_LOG),
    b"SQLite format 3\x00": ("an SQLite database", _NO_LOG),
    b"%PDF": ("a PDF document", _NO_LOG),
    codecs.BOM_UTF32_LE: ("text in UTF-32", "save it as UTF-8"),
    codecs.BOM_UTF32_BE: ("text in UTF-32", "save it as UTF-8"),
}
#: The bytes of a tar archive that hold the word ustar.
_TAR = slice(257, 262)
_HTML = (b"<!doctype html", b"<html", b"<?xml")


def content(path: str | os.PathLike[str], *, most_bytes: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a text file in blocks, each of which ends at the end of a line.

    A file packed with gzip is unpacked. Text in UTF-16, which PowerShell writes, is converted to
    UTF-8.

    Parameters
    ----------
    path : path-like
        The file; a pipe is allowed.
    most_bytes : int, optional
        The largest number of bytes to unpack; by default 64 MiB, or 100 times the packed size if
        that is more.

    Raises
    ------
    InputError
        The file cannot be read, is damaged, or is not text. The error says what the file is.
    """
    path = path_of("path", path)
    with _errors_of(path), path.open("rb") as file:
        is_packed = file.peek(2)[:2] == b"\x1f\x8b"
        source: Any = gzip.GzipFile(fileobj=file) if is_packed else file
        head = source.peek(512)[:512]
        _reject_other_files(path, head)
        if path.suffix == ".gz" and not is_packed:
            raise InputError(
                f"{path} is not a gzip file; fetch it again, or drop .gz from its name"
            )
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            source = _Utf16(source)
        size = os.fstat(file.fileno()).st_size  # 0 for a pipe
        most = most_bytes or max(MOST_UNPACKED, MOST_RATIO * size)
        length = 0
        for block in _blocks(path, source):
            length += len(block)
            if is_packed and length > most:
                raise InputError(
                    f"{path} unpacks to more than {most:,} bytes, which is suspiciously many for "
                    "its packed size; check the file, or call read_swf with a larger most_bytes"
                )
            yield block


def _reject_other_files(path: Any, head: bytes) -> None:
    found = next((kind for begin, kind in _SIGNATURES.items() if head.startswith(begin)), None)
    is_utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if found is None and head[_TAR] == b"ustar":
        found = "a tar archive", _UNPACK
    elif found is None and head.lstrip().lower().startswith(_HTML):
        found = "a web page", "download the log itself"
    elif found is None and b"\0" in head and not is_utf16:
        found = "not text, because it contains bytes of value 0", "save it as text in UTF-8"
    if found is not None:
        kind, advice = found
        raise InputError(f"{path} is {kind}; {advice}")


def _blocks(path: Path, source: Any) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        rest = source.readline(_LONGEST_LINE)
        if len(rest) >= _LONGEST_LINE:
            raise InputError(
                f"{path} has a line of more than {_LONGEST_LINE:,} characters; check that the file "
                "is a log"
            )
        yield block + rest


class _Utf16:
    """A reader that converts a file from UTF-16 to UTF-8."""

    def __init__(self, source: Any) -> None:
        # With newline="\n", only a line feed ends a line, as it does in UTF-8 files.
        self._text = io.TextIOWrapper(source, encoding="utf-16", newline="\n")

    def read(self, size: int) -> bytes:
        return self._text.read(size).encode("utf-8", "surrogatepass")

    def readline(self, size: int) -> bytes:
        return self._text.readline(size).encode("utf-8", "surrogatepass")


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give the path of a log in it") from None
    except EOFError:
        why = "is a gzip file whose end is missing; fetch it again"
        raise InputError(f"{path} {why}") from None
    except UnicodeDecodeError:
        why = "begins as text in UTF-16, but some of it is not valid UTF-16; save it as UTF-8"
        raise InputError(f"{path} {why}") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is a damaged gzip file ({error}); fetch it again") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the file") from None
