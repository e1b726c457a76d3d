"""Compiled kernels and Numba's cache of them, which is kept from one process to the next.

Numba looks for changes in the file of the kernel that is called, and machine code also holds what
that kernel calls, from other files. Here the names of the cached files carry a digest of all
the sources, so that code of another version is never found. What Numba cannot read, it leaves to
its caller as one of many errors; `call` removes it and compiles anew.
"""

import builtins
import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import Any

from numba import njit

from coalloc_lib.checks import InputError

#: Kernels that were looked up, and what was said to be compiled.
_announced: set[str] = set()
_announcing = Lock()


def compiler(sources: Iterable[Path]) -> Callable[[Callable], Any]:
    """Return the decorator of the kernels whose machine code is made of these source files."""
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    mark = digest.hexdigest()[:12]

    def kernel(function: Callable) -> Any:
        function.__qualname__ += f"-{mark}"  # what Numba names the files of its cache by
        return njit(cache=True, nogil=True)(function)

    return kernel


def call(kernel: Callable, *arguments: Any, what: str = "kernels") -> Any:
    """Call a kernel; say where that compiles it, and mend a damaged cache.

    Parameters
    ----------
    what : str
        What the message calls the kernels.
    """
    if not hasattr(kernel, "stats"):  # compilation is switched off
        return kernel(*arguments)
    _announce(kernel, what)
    try:
        return kernel(*arguments)
    except Exception as error:
        if not _from_cache(error):
            raise
        folder = Path(kernel.stats.cache_path)
        if isinstance(error, OSError):
            raise InputError(
                f"Numba's cache in {folder} cannot be used: {error}; make room, or name another "
                "folder in NUMBA_CACHE_DIR"
            ) from None
        _say(
            f"Numba's cache in {folder} is damaged ({type(error).__name__}); removed it, compiling "
            f"the {what} again ..."
        )
    for file in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
        file.unlink(missing_ok=True)
    return kernel(*arguments)


def _announce(kernel, what):
    """Say that the first call ever compiles, once for all kernels of a name and all threads."""
    name = kernel.py_func.__qualname__
    with _announcing:
        if not _announced.isdisjoint({name, what}):
            return
        _announced.add(name)
        if any(Path(kernel.stats.cache_path or ".").glob(f"*{name}-*.nbi")):
            return
        _announced.add(what)
        _say(f"compiling the {what}, once (about 10 s) ...")


def _say(words):
    """Print on stderr, which keeps results apart; a notebook would show that as a fault, in red."""
    notebook = getattr(builtins, "__IPYTHON__", False)
    print(f"coalloc: {words}", file=sys.stdout if notebook else sys.stderr)


def _from_cache(error):
    """Whether an error, or the one behind it, came up while Numba read its cache."""
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_globals.get("__name__") == "numba.core.caching":
                return True
            trace = trace.tb_next
        error = error.__cause__ or error.__context__
    return False
