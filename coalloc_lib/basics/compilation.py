"""Compiled kernels and Numba's cache of them, which is kept from one process to the next.

Numba looks for changes in the file of the kernel that is called, but its machine code also holds
what that kernel calls from other files. So the names of the cached files carry a digest of all
sources, and code of another version is never found.
"""

import builtins
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

#: Kernels that were looked up, and groups of kernels whose compilation was announced.
_announced: set[str] = set()
_announcing = Lock()
#: Who is told of compilation, in place of a line that is printed.
_listeners: list[Callable[[str], None]] = []


class Fixed:
    """A whole number that is part of the type of a kernel's argument.

    The kernel is compiled for it, without what other values would need. It has to be a field of a
    class of named tuples that `takes_fixed`.
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
    """Let fields of such named tuples be `Fixed`, where Numba would forget which number it is."""

    @typeof_impl.register(tuples)
    def type_of(row, context):
        return types.NamedTuple([typeof_impl(field, context) for field in row], tuples)


def fixed(value: int) -> Any:
    """Return a number as `Fixed`; as it is where compilation is switched off."""
    return int(value) if getattr(config, "DISABLE_JIT", False) else Fixed(value)


def compiler(sources: Iterable[Path]) -> Callable[..., Any]:
    """Return the decorator of the kernels whose machine code is made of these source files.

    ``@kernel(forceinline=True)`` is for the steps of a loop that stand apart to be read, and for
    what several loops call: put in place, they hand over no arrays, which takes 10 ns each.

    ``@kernel(makes_arrays=True)`` is for what makes arrays, or calls what returns some. All others
    borrow theirs: they count no references, which took most of the time of a loop that looks at
    one row of an array after another.
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
        function.__qualname__ += f"-{mark}"  # what Numba names the files of its cache by
        options: dict[str, Any] = {"forceinline": forceinline, "_nrt": makes_arrays}
        try:
            return njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:  # no folder can be written: neither beside the file nor in the home
            return njit(nogil=True, **options)(function)

    return kernel


def call(kernel: Callable, *arguments: Any, what: str = "kernels") -> Any:
    """Call a kernel of the group `what`; announce compilation, and replace a damaged cache."""
    if not hasattr(kernel, "stats"):  # compilation is switched off
        return kernel(*arguments)
    _announce(kernel, what)
    try:
        return kernel(*arguments)
    except Exception as error:
        if not _is_of_cache(error):
            raise
        folder = Path(kernel.stats.cache_path)
        if isinstance(error, OSError):
            raise InputError(
                f"Numba's cache in {folder} cannot be used: {error}; make room, or name another "
                "folder in NUMBA_CACHE_DIR"
            ) from None
        _print(
            f"Numba's cache in {folder} is damaged ({type(error).__name__}); removed it, compiling "
            f"the {what} again ..."
        )
    for file in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
        file.unlink(missing_ok=True)
    return kernel(*arguments)


@contextmanager
def announced_to(listener: Callable[[str], None]) -> Iterator[None]:
    """Tell `listener` of each kernel that is compiled meanwhile, and print nothing."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _announce(kernel: Any, what: str) -> None:
    """Announce compilation, once per kernel to who listens, else once per process."""
    name = kernel.py_func.__qualname__
    with _announcing:
        if name in _announced or (what in _announced and not _listeners):
            return
        _announced.add(name)
        folder = kernel.stats.cache_path
        if folder is None:
            _announced.add(what)
            _print(
                f"compiling the {what} (about 10 s), again in each process: no folder for them can "
                "be written; name one in NUMBA_CACHE_DIR ..."
            )
        elif not any(Path(folder).glob(f"*{name}-*.nbi")):
            _announced.add(what)
            _print(f"compiling the {what}, once (about 10 s) ...")


def _print(text: str) -> None:
    """Print on stderr, apart from results; in a notebook, which shows that in red, on stdout."""
    if _listeners:
        _listeners[-1](text)
        return
    notebook = getattr(builtins, "__IPYTHON__", False)
    print(f"coalloc: {text}", file=sys.stdout if notebook else sys.stderr)


def _is_of_cache(error: BaseException | None) -> bool:
    """Whether an error, or the one behind it, was raised while Numba used its cache."""
    while error is not None:
        frames = (frame for frame, _ in walk_tb(error.__traceback__))
        if any(frame.f_globals.get("__name__") == "numba.core.caching" for frame in frames):
            return True
        error = error.__cause__ or error.__context__
    return False
