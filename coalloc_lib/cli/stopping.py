"""How a command ends early: by a signal, a full disk, a pipe without a reader."""

import errno
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

INTERRUPTED = 130
TERMINATED = 143
#: What errors call it.
OUTPUT = "standard output"

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Terminated(BaseException):
    """SIGTERM came: like `KeyboardInterrupt`, it passes every handler of ordinary errors."""


@contextmanager
def unwinding() -> Iterator[None]:
    """Within the block, SIGTERM raises `Terminated`, so that half-written files are removed.

    A second one changes nothing: it would cut the tidying short. A compiled engine hears of a
    signal when its run is over; until then nothing is being written.
    """
    if current_thread() is not main_thread():  # signals are for the main thread
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


def reason_of(error: OSError) -> str | None:
    """Return in one line what the system refused, and the mend; None where it may be our bug."""
    text = error.strerror or str(error)
    if error.errno in _FULL:
        where = "" if error.filename is None else f"{error.filename} cannot be written: "
        return f"{where}{text}; make room, or choose another place, and start again"
    if error.filename is None:
        return None
    name = str(error.filename)
    name = name if len(name) <= 100 else f"{name[:50]}...{name[-20:]}"
    return f"{name}: {text}; give another path"


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Give an error of the system the path that it is about, which one of writing leaves out."""
    try:
        yield
    except OSError as error:
        error.filename = path
        raise


def drop_output() -> None:
    """Let what is still in the buffer of stdout go nowhere: there is nobody, or no room, for it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
