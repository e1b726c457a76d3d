"""The finished points of sweeps on disk: what they are known by, and files that outlive a kill.

A result is found again by two digests. The folder's name has that of the function's compiled code
(with its defaults and what it closes over), of every source file of this library, and of NumPy's
version; functions of other modules that it calls are not looked into. The record's key has that of
the point's arguments and of its seed.
"""

import hashlib
import inspect
import json
import os
import re
import types
import uuid
import zlib
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path

import joblib
import numpy as np

from coalloc_lib.checks import InputError

_SCALARS = (type(None), bool, int, float, complex, str, bytes)
_CODE = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_flags")


def digest(*parts):
    """Return 32 hexadecimal digits that stand for these texts, in this order."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def describe(value, within=()):
    """Return a text that is the same for equal values in every process, and differs for others.

    Parameters
    ----------
    value : object
        Numbers and texts; arrays; collections; functions (by their code, defaults and what they
        close over); objects (by their class, its methods and their state, without what a
        `cached_property` keeps); whatever else can be pickled.
    within : tuple of int
        Identities of the values that hold this one.

    Raises
    ------
    InputError
        The value cannot be pickled.
    """
    if type(value) in _SCALARS:
        return f"{type(value).__name__} {value!r}"
    if id(value) in within:
        return f"again {within.index(id(value))}"
    inner = partial(describe, within=(*within, id(value)))
    how = next((how for kind, how in _DESCRIPTIONS if isinstance(value, kind)), _describe_object)
    return digest(type(value).__qualname__, *how(value, inner))


def _describe_array(array, inner):
    if array.dtype.hasobject:
        return str(array.shape), inner(array.tolist())
    content = hashlib.blake2b(np.ascontiguousarray(array).tobytes()).hexdigest()
    return str(array.dtype.descr), str(array.shape), content


def _describe_mapping(mapping, inner):
    return sorted(inner(key) + inner(value) for key, value in mapping.items())


def _describe_code(code, inner):
    return [inner(getattr(code, name)) for name in _CODE]


def _describe_function(function, inner):
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held = {name: cell.cell_contents for name, cell in cells}
    parts = (function.__code__, function.__defaults__, function.__kwdefaults__, held)
    return [function.__qualname__, *map(inner, parts)]


def _describe_class(kind, inner):
    """Return its names and the code of its methods, its own and the inherited ones."""
    parts = [kind.__module__, kind.__qualname__]
    for base in kind.__mro__:
        for name, member in sorted(vars(base).items()):
            for hull in ("__func__", "fget", "func"):
                member = getattr(member, hull, member)
            if isinstance(member, types.FunctionType):
                parts += [name, inner(member.__code__)]
    return parts


def _describe_object(value, inner):
    wrapped = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
    if wrapped is not None:  # a compiled or a decorated function
        return [inner(wrapped)]
    kind = type(value)
    ordinary = kind.__reduce_ex__ is object.__reduce_ex__ and kind.__reduce__ is object.__reduce__
    has_state = getattr(kind, "__getstate__", None) is not getattr(object, "__getstate__", None)
    if ordinary and not has_state and (hasattr(value, "__dict__") or is_dataclass(value)):
        return [inner(kind), inner(_state(value))]
    try:
        return [joblib.hash(value)]
    except Exception as error:  # whatever the object's own pickling raises
        raise InputError(
            f"{kind.__name__} object cannot be stored under a key ({error}); leave cache out, or "
            "use a dataclass"
        ) from None


def _state(value):
    names = [field.name for field in fields(value)] if is_dataclass(value) else []
    names += list(getattr(value, "__dict__", ()))
    kept = (n for n in names if not isinstance(getattr(type(value), n, None), cached_property))
    return {name: getattr(value, name) for name in kept if hasattr(value, name)}


_DESCRIPTIONS = (
    (np.ndarray, _describe_array),
    (np.generic, lambda value, inner: [inner(value.item())]),
    ((tuple, list), lambda value, inner: [*map(inner, value)]),
    ((set, frozenset), lambda value, inner: sorted(map(inner, value))),
    (dict, _describe_mapping),
    (types.CodeType, _describe_code),
    (types.FunctionType, _describe_function),
    (types.MethodType, lambda value, inner: [inner(value.__func__), inner(value.__self__)]),
    (partial, lambda value, inner: [*map(inner, (value.func, value.args, value.keywords))]),
    (types.ModuleType, lambda value, inner: [value.__name__]),
    (np.random.SeedSequence, lambda seed, inner: [repr(seed.entropy), repr(seed.spawn_key)]),
    (type, _describe_class),
)


@lru_cache(maxsize=1)
def library_digest():
    """Return the digest of NumPy's version and of every source file of this library."""
    folder = Path(__file__).parent
    sources = sorted(folder.rglob("*.py"))
    texts = (path.read_text(encoding="utf-8") for path in sources)
    names = (path.relative_to(folder).as_posix() for path in sources)
    return digest(np.__version__, *names, *texts)


def record_line(key, results):
    """Return one record as a line: checksum, key, results in JSON."""
    body = f"{key} {json.dumps(results)}".encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def read_records(data):
    """Return the results by key in the content of a segment; damaged lines are left out."""
    found = {}
    for line in data.split(b"\n"):
        checksum, _, body = line.partition(b" ")
        if checksum == b"%08x" % zlib.crc32(body) and body:
            key, _, text = body.decode().partition(" ")
            found[key] = json.loads(text)
    return found


class Store:
    """The finished points of one function in a folder.

    Every run writes a file of its own, so that runs at once do not meet, and appends a batch of
    records with one call: a kill leaves at most one torn record, which its checksum gives away.

    Parameters
    ----------
    folder : str or Path
        Of the cache; each version of each function has a folder in it.
    function : callable
    """

    def __init__(self, folder, function):
        code = function if inspect.isroutine(function) or inspect.isclass(function) else None
        name = getattr(code, "__name__", type(function).__name__)
        version = digest(describe(function), library_digest())
        self.folder = Path(folder) / f"{re.sub(r'[^0-9A-Za-z_]+', '_', name)}-{version}"
        self._file = None

    def read(self):
        """Return the results of all finished points by key.

        Raises
        ------
        InputError
            The folder cannot be read.
        """
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
        """Begin a segment of this run's own.

        Raises
        ------
        InputError
            The folder cannot be written.
        """
        path = self.folder / f"{os.getpid()}-{uuid.uuid4().hex}.records"
        try:
            # Unbuffered: what a full disk refused must not be tried again when it is closed.
            self._file = path.open("xb", buffering=0)
        except OSError as error:
            raise self._refusal(error) from None

    def write(self, records):
        """Append the pairs of key and results; raise `OSError` where the disk refuses."""
        data = b"".join(record_line(key, results) for key, results in records)
        while data:
            data = data[self._file.write(data) :]

    def close(self):
        """End the segment; an empty one is taken away."""
        if self._file is not None:
            empty = os.fstat(self._file.fileno()).st_size == 0
            self._file.close()
            if empty:
                Path(self._file.name).unlink(missing_ok=True)
            self._file = None

    def _refusal(self, error):
        return InputError(
            f"cache folder {self.folder} cannot be used ({error.strerror}); choose another"
        )
