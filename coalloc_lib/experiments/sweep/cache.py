"""What a finished point is known by, and the files that keep it.

A key is a digest of three things, the same in every process:

- this library's sources and data, and the versions of Python, NumPy, Numba and SciPy;
- the function as cloudpickle pickles it, by value where it is not of an installed package: its
  code, its defaults, what it holds, and the functions, classes, modules and values that its code
  names in its own script, notebook or module, and so on from there; a package that was given to
  `count_sources` is described by its name and by the digest of its source files instead;
- the arguments and the seed, pickled in the same way.

What code reaches in another way is not noticed: files and environment variables that it reads (a
function that reads a file should get the file's checksum as an argument, as a study does),
modules that it imports while it runs, what the body of a class within a function names, subclasses
found at run time, what `eval`, `runpy`, `sys.modules` or a frame lead to, and installed packages
but for those three. What cannot be pickled is refused.

Where code stands in its file does not count, with one exception: from Python 3.13 on, the code of a
class within a function holds the number of its line, and the point is computed again if it moves.
"""

import base64
import functools
import hashlib
import io
import os
import platform
import re
import stat
import sys
import sysconfig
import types
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.data import data_folder

#: Types whose `repr` tells equal values from others.
SCALARS = (type(None), bool, int, float, complex, str, bytes)
#: The folder of the whole package, in which every source file counts.
_LIBRARY = Path(__file__).parents[2]
#: What values of just these types are described by: code without its place, seeds without how many
#: were spawned, and what is pickled by name alone, or not at all, by what it wraps.
_ATTRIBUTES: dict[type, list[str]] = {
    types.CodeType: [
        f"co_{part}"
        for part in (
            "code", "consts", "names", "varnames", "freevars", "cellvars", "flags",
            "argcount", "posonlyargcount", "kwonlyargcount", "exceptiontable",
        )
    ],
    np.random.SeedSequence: ["entropy", "spawn_key"],
    type(functools.cache(len)): ["__wrapped__"],
    cached_property: ["func"],
}  # fmt: skip
#: What of functions and classes is of one process, of a place in a file, or made when asked for.
_INCIDENTAL = (
    "_cloudpickle_submodules", "__firstlineno__", "__static_attributes__", "__slotnames__",
    "__annotations__", "__annotations_cache__",
)  # fmt: skip


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits that stand for these texts, in this order."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


@functools.cache
def library_digest() -> str:
    """Return the digest of the library's source files and data, and of what it computes with."""
    versions = [platform.python_version(), *map(version, ("numpy", "numba", "scipy"))]
    sources = {path.relative_to(_LIBRARY).as_posix(): path for path in _LIBRARY.rglob("*.py")}
    # The stand-ins of logs, and the fitted models.
    data = {f"data/{path.name}": path for path in data_folder("traces").iterdir()}
    files = sorted((sources | data).items())
    names = [name for name, _ in files]
    return digest(*versions, *names, *(_content_digest(path) for _, path in files))


def _content_digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


#: The digests of the packages that `count_sources` was given, by their names.
_COUNTED: dict[str, str] = {}


def count_sources(package: str, folder: Path) -> None:
    """Describe a package by its name and by all its source files in the keys of points.

    This is for a package that is not installed and is too large to be described by value: it takes
    0.1 s to describe one setting of a study by value. Call it while the package is imported. Files
    that change later do not count, because their new code is not imported either.

    Parameters
    ----------
    package : str
        The name of the package, without a dot.
    folder : Path
        The folder of its source files.
    """
    files = sorted(folder.rglob("*.py"))
    names = [path.relative_to(folder).as_posix() for path in files]
    _COUNTED[package] = digest(*names, *map(_content_digest, files))


def _sources_of(module: str) -> str:
    """Return the digest of the package of a module, or an empty text if it is not counted."""
    return _COUNTED.get(module.partition(".")[0], "")


library_digest()  # now, and not when the first sweep begins, which may be after a change


def describe(value: object) -> str:
    """Return a text that is the same for equal values in every process; refuse what has none."""
    description = _Description()
    try:
        return description(value)
    except Exception as error:  # whatever the pickling of an object raises
        names = [] if isinstance(error, RecursionError) else description.names
        reason = error if names is description.names else "it is nested too deeply"
        where = f" (reached by {' > '.join(names)})" if names else ""
        raise InputError(
            f"{type(value).__name__} object{where} cannot be stored under a key: {reason}; leave "
            "cache out, or let what the function uses be plain values, functions and dataclasses"
        ) from None


class _Description:
    """The description of one value and of all within it, each of which is described once.

    It follows the steps of a pickle, but two equal values count as much as one value twice, and
    sets have an order: a pickle itself differs from process to process.
    """

    def __init__(self) -> None:
        self.known: dict[int, tuple[object, str]] = {}
        self.depth = 0
        self.names: list[str] = []  # that led to where it is
        self.pickler = cloudpickle.Pickler(io.BytesIO())  # is asked for its steps alone

    def __call__(self, value: object) -> str:
        if type(value) is bytes:  # the content of an array, say: the `repr` of much takes long
            return f"bytes {hashlib.blake2b(value, digest_size=16).hexdigest()}"
        if type(value) in SCALARS:
            return f"{type(value).__name__} {value!r}"
        if id(value) not in self.known:
            # The value is held too: else its identity could become another's.
            self.known[id(value)] = value, f"again {self.depth}"
            self.depth += 1
            self.known[id(value)] = value, digest(type(value).__qualname__, *self.parts(value))
            self.depth -= 1
        return self.known[id(value)][1]

    def parts(self, value: Any) -> Iterable[str]:
        """Return the descriptions of what a value consists of."""
        kind = type(value)
        if _is_named(value):
            return [value.__module__, value.__qualname__, _sources_of(value.__module__)]
        if kind in _ATTRIBUTES:
            return [self(getattr(value, name)) for name in _ATTRIBUTES[kind]]
        if kind in (tuple, list):
            return map(self, value)
        if kind in (set, frozenset):
            return sorted(map(self, value))
        if kind is dict:
            return self.of_items(value)
        if kind is types.ModuleType:
            members = {} if _is_known_by_name(value.__name__) else vars(value)
            own = {name: members[name] for name in sorted(members) if name[:2] != "__"}
            return [value.__name__, _sources_of(value.__name__), self(own)]
        if hasattr(value, "py_func"):  # compiled by Numba, which draws a name for it
            return [self(value.py_func), self(value.targetoptions)]
        return self.of_steps(value, kind)

    def of_items(self, members: dict) -> Iterator[str]:
        """Describe keys and values, in their order."""
        for name, member in members.items():
            named = isinstance(name, str) and name[:2] != "__"
            self.names += [name] * named
            yield from (self(name), self(member))
            del self.names[len(self.names) - named :]

    def of_steps(self, value: Any, kind: type) -> Iterable[str]:
        """Describe a value by the steps in which cloudpickle makes it again."""
        steps = _steps(self.pickler, value)
        if isinstance(steps, str):  # a name in a module, which must be an installed one
            for module in filter(_is_known_by_name, list(sys.modules)):
                if vars(sys.modules[module]).get(steps) is value:
                    return [module, steps, _sources_of(module)]
            raise TypeError(f"the code of {steps!r} cannot be seen")
        function, arguments, state, items, pairs = (*steps, None, None, None)[:5]
        if kind is types.FunctionType:
            arguments, state = arguments[:1], (state[0], _without(state[1], _INCIDENTAL))
        elif issubclass(kind, type) and state:  # the last two arguments tell equal classes apart
            arguments, state = arguments[:-2], _without(state[0], _INCIDENTAL)
        elif isinstance(state, dict):  # what an object keeps for speed does not count
            kept = [n for n in state if isinstance(getattr(kind, str(n), None), cached_property)]
            state = _without(state, kept)
        return map(self, (kind, function, arguments, state, [*(items or ())], [*(pairs or ())]))


def _steps(pickler: cloudpickle.Pickler, value: Any) -> Any:
    """Return what `__reduce__` does, as cloudpickle has it; what can be imported too by value."""
    if not isinstance(value, type | types.FunctionType):
        reduce = pickler.dispatch_table.get(type(value))
        return reduce(value) if reduce else value.__reduce_ex__(4)
    by_value = cloudpickle.list_registry_pickle_by_value()
    module = sys.modules.get(value.__module__)
    if module is None or value.__module__ in by_value:
        return pickler.reducer_override(value)
    cloudpickle.register_pickle_by_value(module)
    try:
        return pickler.reducer_override(value)
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _without(members: dict, names: Collection[str]) -> dict:
    return {name: member for name, member in members.items() if name not in names}


def _is_named(value):
    """Return whether its name leads to it, in a package that is installed or counted."""
    try:
        path = value.__qualname__.split(".")
        target = functools.reduce(getattr, path, sys.modules[value.__module__])
    except (AttributeError, KeyError, TypeError):
        return False
    return target is value and _is_known_by_name(value.__module__)


def _is_known_by_name(module):
    """Return whether a module is of an installed package, or of one that is counted."""
    return bool(_sources_of(str(module))) or _is_installed(module)


@functools.cache
def _is_installed(module):
    """Whether a module is this library's, Python's own or an installed package's."""
    top = str(module).partition(".")[0]
    spec = getattr(sys.modules.get(top), "__spec__", None)
    if spec is None or spec.origin in ("built-in", "frozen") or __name__.startswith(f"{top}."):
        return spec is not None  # None as for __main__
    return any(
        Path(file).is_relative_to(sysconfig.get_path("stdlib"))
        or {"site-packages", "dist-packages", "lib-dynload"} & set(Path(file).parts)
        for file in filter(None, (spec.origin, *(spec.submodule_search_locations or ())))
    )


def record_line(key: str, pickled: bytes) -> bytes:
    """Return a record as a line: checksum, key, and the pickle in letters."""
    body = b"%s %s" % (key.encode(), base64.b64encode(pickled))
    return b"%s %s\n" % (_checksum(body), body)


def read_records(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield keys and pickles of lines; damaged ones are left out."""
    for line in lines:
        checksum, _, body = line.rstrip(b"\n").partition(b" ")
        if checksum == _checksum(body):
            key, _, letters = body.partition(b" ")
            yield key.decode(), base64.b64decode(letters)


def _checksum(body):
    # A long one: what is damaged must not be unpickled.
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()


class Store:
    """The finished points of one function in a folder of the cache.

    Every run appends to a file of its own, one call a record: a kill leaves at most one torn
    record, which its checksum gives away. Records are pickles: who can write to the folder can run
    code here, so it is made for this user alone, and refused where others could have written.
    """

    def __init__(self, cache: str | os.PathLike[str], function: Callable[..., object]) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        version = digest(describe(function), library_digest())
        self.cache = Path(cache)
        self.folder = self.cache / f"{re.sub('[^0-9A-Za-z_]+', '_', name)}-{version}"

    def read(self, wanted: Collection[str]) -> dict[str, bytes]:
        """Return the pickled results of finished points by key; make the folder if missing."""
        found: dict[str, bytes] = {}
        with self._refusing("cannot be used", "choose another folder"):
            for folder in (self.cache, self.folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                _refuse_foreign(folder)
            for segment in sorted(self.folder.glob("*.records")):
                # Another run may just have taken an empty one away.
                with suppress(FileNotFoundError), segment.open("rb") as lines:
                    found |= {key: data for key, data in read_records(lines) if key in wanted}
        return found

    def open(self) -> None:
        """Begin a file of this run's own."""
        self._path = self.folder / f"{os.getpid()}-{uuid.uuid4().hex}.records"
        with self._refusing("cannot be used", "choose another folder"):
            # Unbuffered: what a full disk refused must not be tried again when it is closed.
            self._file = self._path.open("xb", buffering=0)

    def write(self, data: bytes) -> None:
        """Append a record, a line of `record_line`."""
        with self._refusing():
            while data:
                data = data[self._file.write(data) :]

    def close(self) -> None:
        """End the file; an empty one is taken away."""
        with self._refusing():
            empty = self._file.tell() == 0
            self._file.close()
            if empty:
                self._path.unlink(missing_ok=True)

    @contextmanager
    def _refusing(
        self,
        what: str = "takes no more results",
        mend: str = "make room and start again: what it has is not computed again",
    ) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            text = f"cache folder {self.cache} {what} ({error.strerror}); {mend}"
            raise InputError(text) from None


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that is another user's, or that others can write to."""
    if not hasattr(os, "geteuid"):  # Windows, where a folder is its user's as its parent is
        return
    found = os.stat(folder)
    if found.st_uid not in (os.geteuid(), 0):  # root can do anyway what its folder could
        raise InputError(
            f"cache folder {folder} belongs to another user, who could run code here by what it "
            "holds; choose a folder of your own"
        )
    # A group too: whether it has other members is not known everywhere, and the mend is short.
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        is_shared = found.st_mode & stat.S_ISVTX  # such as /tmp, which has to stay so
        mend = f"if you trust all that is in it, chmod go-w {folder}, else choose another"
        raise InputError(
            f"cache folder {folder} can be written by others, who could run code here by what it "
            f"holds; {'name a folder in it' if is_shared else mend}"
        )
