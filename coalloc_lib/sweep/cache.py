"""What a finished point is known by, and the files that keep it.

Two digests, the same in every process: of the function, with its code, all that this reaches by
name, and every source of this library; and of the arguments and the seed. Installed packages are
known by their names. What cannot be followed is refused.
"""

import base64
import builtins
import copyreg
import dis
import functools
import hashlib
import importlib
import itertools
import os
import re
import sys
import sysconfig
import types
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from coalloc_lib.checks import InputError

#: Types whose `repr` tells equal values from others.
SCALARS = (type(None), bool, int, float, complex, str, bytes)
_LIBRARY = Path(__file__).parents[1]
#: What values of just these types are described by.
_ATTRIBUTES = {
    types.CodeType: [
        f"co_{part}"
        for part in ("code", "consts", "names", "varnames", "freevars", "flags", "exceptiontable")
    ],
    property: ("fget", "fset", "fdel"),
    classmethod: ("__func__",),
    staticmethod: ("__func__",),
    np.random.SeedSequence: ("entropy", "spawn_key"),
    type(functools.cache(len)): ("__wrapped__",),
}
_LOOK_UPS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
#: What reaches values by names that the code does not show.
_BLIND = (eval, exec, globals, __import__, importlib.import_module, sys.modules)
_SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits that stand for these texts, in this order."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


@functools.cache
def library_digest() -> str:
    """Return the digest of NumPy's version and of every source file of this library."""
    sources = sorted(_LIBRARY.rglob("*.py"))
    names = (path.relative_to(_LIBRARY).as_posix() for path in sources)
    return digest(np.__version__, *names, *(path.read_text("utf-8") for path in sources))


library_digest()  # now, and not when the first sweep begins, which may be after a change


def describe(value: object) -> str:
    """Return a text that is the same for equal values in every process; refuse what has none."""
    description = _Description()
    try:
        return description(value)
    except RecursionError:
        description.path.clear()
        raise description.refusal(value, "it is nested too deeply") from None


class _Description:
    """The description of one value and of all within it, each of which is described once."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[object, str]] = {}
        self.path: list[str] = []
        self.depth = 0

    def __call__(self, value: object) -> str:
        if type(value) is bytes:  # the content of an array, say: the `repr` of much takes long
            return f"bytes {hashlib.blake2b(value, digest_size=16).hexdigest()}"
        if type(value) in SCALARS:
            return f"{type(value).__name__} {value!r}"
        if _is_blind(value):
            raise self.refusal(value, "it can reach what the code does not name")
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
            return [value.__module__, value.__qualname__]
        if kind in _ATTRIBUTES:
            return [self(getattr(value, name)) for name in _ATTRIBUTES[kind]]
        if kind in (tuple, list):
            return map(self, value)
        if kind in (set, frozenset):
            return sorted(map(self, value))
        if kind is dict:
            return map(self, itertools.chain.from_iterable(value.items()))
        own = {types.ModuleType: self.of_module, types.FunctionType: self.of_function}
        return own.get(kind, self.of_class if isinstance(value, type) else self.of_object)(value)

    def of_module(self, module):
        """Describe an installed module by its name, one of the user's by all it has."""
        members = {} if _is_installed(module.__name__) else vars(module)
        own = [(name, members[name]) for name in sorted(members) if name[:2] != "__"]
        return [module.__name__, *self.by_name(own)]

    def of_function(self, function):
        """Describe a function by its code and by what this code reaches by name."""
        code = function.__code__
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        held = [(name, cell.cell_contents) for name, cell in cells if cell != types.CellType()]
        reached = dict(_reached(code, function.__globals__))
        own = (code, function.__defaults__, function.__kwdefaults__, vars(function))
        return [*map(self, own), *self.by_name([*held, *sorted(reached.items())])]

    def of_class(self, kind):
        """Describe a class by its names, its bases and its own members."""
        members = {
            name: member
            for name, member in vars(kind).items()
            if isinstance(member, types.FunctionType | classmethod | staticmethod)
            or not (name[:2] == "__" or name == "_abc_impl" or isinstance(member, _SLOTS))
        }
        family = self(type(kind)), self(kind.__bases__)
        return [kind.__module__, kind.__qualname__, *family, *self.by_name(members.items())]

    def of_object(self, value):
        """Describe an object as it is pickled, step by step, so that code within it counts."""
        kind = type(value)
        if kind.__module__ == "_thread":  # a lock has no content
            return []
        if hasattr(value, "py_func"):  # compiled by Numba
            return [self(value.py_func), self(value.targetoptions)]
        try:
            parts = copyreg.dispatch_table.get(kind, lambda value: value.__reduce_ex__(4))(value)
        except Exception as error:  # whatever the object's own pickling raises
            raise self.refusal(value, error) from None
        if isinstance(parts, str):  # a name in a module, which must be an installed one
            for module in filter(_is_installed, list(sys.modules)):
                if vars(sys.modules[module]).get(parts) is value:
                    return [module, parts]
            raise self.refusal(value, "its code cannot be seen")
        function, arguments, state, items, pairs = (*parts, None, None, None)[:5]
        if isinstance(state, dict):
            state = {
                name: part
                for name, part in state.items()
                if not isinstance(getattr(kind, str(name), None), cached_property)
            }
        return map(self, (kind, function, arguments, state, [*(items or ())], [*(pairs or ())]))

    def by_name(self, pairs: Iterable[tuple[str, object]]) -> Iterator[str]:
        """Yield names and descriptions; a refusal says by which names it was reached."""
        for name, value in pairs:
            self.path.append(name)
            yield from (name, self(value))
            self.path.pop()

    def refusal(self, value: object, reason: object) -> InputError:
        """Return the error that says what cannot be stored, and why."""
        where = f" (reached by {' > '.join(self.path)})" if self.path else ""
        return InputError(
            f"{type(value).__name__} object{where} cannot be stored under a key: {reason}; leave "
            "cache out, or let what the function uses be plain values, functions and dataclasses"
        )


def _is_blind(value):
    return any(value is blind for blind in _BLIND)


def _is_named(value):
    """Whether its name in an installed package leads to it."""
    try:
        path = value.__qualname__.split(".")
        target = functools.reduce(getattr, path, sys.modules[value.__module__])
    except (AttributeError, KeyError, TypeError):
        return False
    return target is value and _is_installed(value.__module__)


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


def _reached(code, space):
    """Yield name and value of what code, and code within it, looks up or imports."""
    steps = list(dis.get_instructions(code))
    for at, step in enumerate(steps):
        value, name = None, step.argval
        if step.opname in _LOOK_UPS:
            value = space.get(name, getattr(builtins, name, None))
        elif step.opname == "IMPORT_NAME":
            level, parts = steps[at - 2].argval, steps[at - 1].argval
            with suppress(Exception):  # where it is missing, the function may know what to do
                value = __import__(name, space, None, parts or (), level)
        else:
            continue
        yield name, value
        if isinstance(value, types.ModuleType):
            # Which attributes are this module's is not known: a few are refused for others.
            blind = [each for each in code.co_names if _is_blind(vars(value).get(each))]
            yield from ((f"{name}.{each}", vars(value)[each]) for each in blind)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _reached(constant, space)


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
    code here.
    """

    def __init__(self, cache: str | os.PathLike[str], function: Callable[..., object]) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        version = digest(describe(function), library_digest())
        self.folder = Path(cache) / f"{re.sub('[^0-9A-Za-z_]+', '_', name)}-{version}"

    def read(self, wanted: Collection[str]) -> dict[str, bytes]:
        """Return the pickled results of finished points by key; make the folder if missing."""
        found: dict[str, bytes] = {}
        with self._refusing("cannot be used", "choose another folder"):
            self.folder.mkdir(parents=True, exist_ok=True)
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
            text = f"cache folder {self.folder} {what} ({error.strerror}); {mend}"
            raise InputError(text) from None
