"""The points of a sweep: how a table shows them, what they are known by, where they are kept.

Finished points are kept in files that outlive a kill, and are found again by two digests. The
folder's name has that of the function's compiled code (with its defaults and what it closes over),
of every source file of this library, and of NumPy's version; functions of other modules that it
calls are not looked into. The record's key has that of the point's arguments and of its seed.
"""

import hashlib
import inspect
import json
import os
import re
import types
import uuid
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property, lru_cache, partial
from itertools import product
from pathlib import Path

import joblib
import numpy as np

from coalloc_lib.checks import InputError

#: Names of the table and of the call that no argument of a grid and no result may take.
RESERVED = {"seed", "replication", "error"}
_SCALARS = (type(None), bool, int, float, complex, str, bytes)
_CODE = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_flags")


@dataclass(frozen=True)
class Points:
    """The points of a grid.

    Attributes
    ----------
    names : list of str
    values : list of dict
        The arguments of each point.
    labels : list of tuple
        What the table shows of them, in the order of `names`; no two are the same.
    """

    names: list
    values: list
    labels: list

    @classmethod
    def of(cls, grid):
        """Return the points of a grid, which is checked."""
        if isinstance(grid, Mapping):
            names, rows = list(grid), product(*(_axis(*axis) for axis in grid.items()))
        else:
            points = list(grid)
            names = list(points[0]) if points and isinstance(points[0], Mapping) else []
            rows = (_explicit(point, names, i) for i, point in enumerate(points))
        rows = list(rows)
        if not names or not rows:
            raise InputError("grid is empty; give a dict of name to values, or a list of points")
        values = [dict(zip(names, (value for _, value in row), strict=True)) for row in rows]
        points = cls(names, values, [tuple(label for label, _ in row) for row in rows])
        points._refuse_doubles()
        return points

    def _refuse_doubles(self):
        first = {}
        for i, label in enumerate(self.labels):
            if first.setdefault(label, i) != i:
                raise InputError(
                    f"grid has two points that are both shown as {label}; leave one out, or name "
                    "the values in a dict: {'name': value, ...}"
                )

    def keys(self, seeds):
        """Return the key of each point and seed, those of a point side by side."""
        known = {}  # objects are described once, however many points they are in

        def text(value):
            if type(value) in _SCALARS:
                return describe(value)
            if id(value) not in known:
                known[id(value)] = describe(value)
            return known[id(value)]

        by_seed = [describe(seed) for seed in seeds]
        for point in self.values:
            arguments = [f"{name}={text(point[name])}" for name in sorted(point)]
            yield from (digest(*arguments, seed) for seed in by_seed)


def _axis(name, values):
    """Return the pairs of label and value of one name of a grid."""
    if isinstance(values, Mapping):
        return list(values.items())
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"grid[{name!r}] = {values!r}; give a list of values")
    pairs = [(_label(value), _plain(value)) for value in values]
    if not pairs:
        raise InputError(f"grid[{name!r}] is empty; give at least one value")
    return pairs


def _explicit(point, names, i):
    if not isinstance(point, Mapping) or set(point) != set(names):
        raise InputError(f"grid[{i}] = {point!r}; give a dict with the names {', '.join(names)}")
    return [(_label(point[name]), _plain(point[name])) for name in names]


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _label(value):
    value = _plain(value)
    return value if type(value) in _SCALARS else " ".join(str(value).split())


def check_call(function, names):
    """Refuse a function that cannot be called with these names and a seed."""
    if not callable(function):
        raise InputError(f"function = {function!r}; give a function of the grid's names and seed")
    taken = [name for name in names if name in RESERVED]
    if taken:
        raise InputError(f"grid has the name {taken[0]!r}, which sweep itself uses; choose another")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a function written in C may have none
        return
    try:
        signature.bind(**dict.fromkeys([*names, "seed"]))
    except TypeError as error:
        raise InputError(
            f"function takes {signature}, which does not suit {', '.join(names)}, seed ({error})"
        ) from None


def plain_numbers(results, point):
    """Return the results as a dict of plain Python numbers."""
    results = results if isinstance(results, Mapping) else {"value": results}
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in results.items()}
    for name, value in plain.items():
        if not isinstance(value, int | float):
            raise TypeError(
                f"function returned {name} = {value!r}; return a number or a dict of them"
            )
        if name in RESERVED or name in point or not isinstance(name, str):
            raise ValueError(f"function returned {name!r}, a name taken already; choose another")
    return plain


def digest(*parts):
    """Return 32 hexadecimal digits that stand for these texts, in this order."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def describe(value, within=()):
    """Return a text that is the same for equal values in every process, and differs for others.

    Functions are described by their code, defaults and what they close over; objects by their
    class, the code of its methods, and their state without what a `cached_property` keeps.
    `within` has the identities of the values that hold this one. Raises `InputError` for an
    object of another kind that cannot be pickled.
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
    ((tuple, list), lambda value, inner: map(inner, value)),
    ((set, frozenset), lambda value, inner: sorted(map(inner, value))),
    (dict, lambda value, inner: sorted(inner(k) + inner(v) for k, v in value.items())),
    (types.CodeType, lambda code, inner: [inner(getattr(code, name)) for name in _CODE]),
    (types.FunctionType, _describe_function),
    (types.MethodType, lambda value, inner: [inner(value.__func__), inner(value.__self__)]),
    (partial, lambda value, inner: map(inner, (value.func, value.args, value.keywords))),
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
    """The finished points of one function in a folder of the cache.

    Every run writes a file of its own, so that runs at once do not meet, and appends a batch of
    records with one call: a kill leaves at most one torn record, which its checksum gives away.
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

    def write(self, records):
        """Append the pairs of key and results; raise `OSError` where the disk refuses."""
        data = b"".join(record_line(key, results) for key, results in records)
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
            f"cache folder {self.folder} cannot be used ({error.strerror}); choose another"
        )
