"""Compilation of kernels by Numba, and Numba's cache of machine code on disk.

Numba compiles a cached kernel again if the kernel's own file changed, but not if it calls a kernel
in another file and that file changed. This module therefore puts a digest of all source files into
the names of the cached files, so that a change to any source file causes a new compilation.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from traceback import walk_tb
from typing import Any

from numba import njit, types
from numba.core import config
from numba.core.typing.typeof import typeof_impl

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.display import listed
from coalloc_lib.basics.progress import in_notebook

#: The names of the kernels (compiled functions) that were called in this process, and the names of
#: the groups of kernels whose compilation was announced to the user.
_announced: set[str] = set()
_announcing = Lock()
#: The cache folders of all kernels that this process has imported.
_folders: set[Path] = set()
#: The functions to which messages about compilation are sent. If the list is empty, the messages
#: are printed.
_listeners: list[Callable[[str], None]] = []


class Fixed:
    """A whole number that Numba compiles into a kernel as a constant.

    The number becomes part of the argument's type, so the compiler leaves out all branches for
    other values. Kernels receive it as a field of a named tuple whose class was passed to
    `takes_fixed`.
    """

    def __init__(self, value: int) -> None:
        self.value = int(value)

    def __index__(self) -> int:
        return self.value

    __int__ = __index__


@typeof_impl.register(Fixed)
def _type_of_fixed(fixed, _context):
    return types.literal(fixed.value)


def takes_fixed(tuples: type) -> None:
    """Let kernels accept named tuples of a given class that have fields of type `Fixed`.

    Without this registration Numba would treat such a field as an ordinary integer.
    """

    @typeof_impl.register(tuples)
    def type_of(row, context):
        return types.NamedTuple([typeof_impl(field, context) for field in row], tuples)


def fixed(value: int) -> Any:
    """Return a number as a `Fixed`, or as an int if Numba's compilation is switched off."""
    return int(value) if getattr(config, "DISABLE_JIT", False) else Fixed(value)


def compiler(sources: Iterable[Path]) -> Callable[..., Any]:
    """Return a decorator that compiles functions with Numba.

    Parameters
    ----------
    sources : iterable of Path
        All source files that contribute to the machine code of the kernels.

    Notes
    -----
    The decorator has two options:

    - ``@kernel(forceinline=True)`` inserts the function's code into its callers. This saves the
      time of passing arrays, about 10 ns for each array and call.
    - ``@kernel(makes_arrays=True)`` is needed for functions that create arrays or call functions
      that return arrays. All other kernels run without Numba's counting of references to arrays,
      because counting took most of the time of a loop over the rows of an array.
    """
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    mark = digest.hexdigest()[:12]

    def kernel(
        function: Callable | None = None, *, forceinline: bool = False, makes_arrays: bool = False
    ) -> Any:
        if function is None:
            return partial(kernel, forceinline=forceinline, makes_arrays=makes_arrays)
        function.__qualname__ += f"-{mark}"  # Numba uses this name for the files of its cache
        options: dict[str, Any] = {"forceinline": forceinline, "_nrt": makes_arrays}
        try:
            compiled = njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:  # Numba found no folder in which it can write its cache
            return njit(nogil=True, **options)(function)
        if hasattr(compiled, "stats"):  # it has none if compilation is switched off
            _folders.add(Path(compiled.stats.cache_path))
        return compiled

    return kernel


def call(kernel: Callable, *arguments: Any, what: str = "kernels") -> Any:
    """Call a kernel (a function compiled by Numba), and announce its compilation if necessary.

    If a cached file is damaged, the cached files of all imported kernels are removed, and the
    kernels are compiled again. The damaged file can belong to another kernel that this kernel
    calls.

    Parameters
    ----------
    kernel : callable
        A function with the decorator of `compiler`.
    *arguments
        The arguments of the kernel.
    what : str
        The name of the group of kernels in messages. Compilation is announced once for each group.

    Raises
    ------
    InputError
        If the folder of Numba's cache cannot be read or written.
    """
    if not hasattr(kernel, "stats"):  # a plain function, because compilation is switched off
        return kernel(*arguments)
    _announce(kernel, what)
    try:
        return kernel(*arguments)
    except Exception as error:
        if not _is_of_cache(error):
            raise
        if isinstance(error, OSError):
            raise InputError(
                f"Numba's cache in {kernel.stats.cache_path} cannot be used: {error}; make room, "
                "or name another folder in the environment variable NUMBA_CACHE_DIR"
            ) from None
        _empty_caches()
        _print(
            f"Numba's cache in {listed(sorted(_folders))} is damaged ({type(error).__name__}) and "
            f"was removed; compiling the {what} again ..."
        )
    return kernel(*arguments)


@contextmanager
def compilation_messages_to(listener: Callable[[str], None]) -> Iterator[None]:
    """Within a ``with`` block, pass messages about compilation to `listener` and print none."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _empty_caches() -> None:
    for folder in _folders:
        for file in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
            file.unlink(missing_ok=True)


def _announce(kernel: Any, what: str) -> None:
    # Nothing is announced if the cache has the machine code of the kernel. Without a listener, the
    # compilation of a group of kernels is announced only once per process.
    name = kernel.py_func.__qualname__
    with _announcing:
        if name in _announced or (what in _announced and not _listeners):
            return
        _announced.add(name)
        folder = kernel.stats.cache_path
        if folder is None:
            _announced.add(what)
            _print(
                f"compiling the {what} (about 10 s), again in each process, because no folder for "
                "the compiled code can be written; name one in the environment variable "
                "NUMBA_CACHE_DIR ..."
            )
        elif not any(Path(folder).glob(f"*{name}-*.nbi")):
            _announced.add(what)
            _print(f"compiling the {what}, once (about 10 s) ...")


def _print(text: str) -> None:
    # The newest listener gets the message. Without a listener, the message is printed on stderr, so
    # that it does not mix with results. In a notebook it is printed on stdout, because notebooks
    # highlight stderr in red like an error.
    if _listeners:
        _listeners[-1](text)
        return
    print(f"coalloc: {text}", file=sys.stdout if in_notebook() else sys.stderr)


def _is_of_cache(error: BaseException | None) -> bool:
    while error is not None:
        frames = (frame for frame, _ in walk_tb(error.__traceback__))
        if any(frame.f_globals.get("__name__") == "numba.core.caching" for frame in frames):
            return True
        error = error.__cause__ or error.__context__
    return False
