"""What a point of a sweep is known by: a digest that is the same in every process.

A finished point is found again by two digests. One is of the function's compiled code (with its
defaults and what it closes over), of every source file of this library, and of NumPy's version;
functions of other modules that it calls are not looked into. The other is of the point's arguments
and of its seed.
"""

import hashlib
import pickle
import types
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path

import joblib
import numpy as np

from coalloc_lib.checks import InputError

#: Types whose `repr` tells equal values from others.
SCALARS = (type(None), bool, int, float, complex, str, bytes)
_CODE = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_flags")


def digest(*parts):
    """Return 32 hexadecimal digits that stand for these texts, in this order."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def describe(value, within=()):
    """Return a text that is the same for equal values in every process, and differs for others.

    Functions are described by their code, defaults and what they close over; objects by their
    class, its methods and attributes, and their state without what a `cached_property` keeps.
    `within` has the identities of the values that hold this one. Raises `InputError` for an
    object of another kind that cannot be pickled.
    """
    if type(value) in SCALARS:
        return f"{type(value).__name__} {value!r}"
    if id(value) in within:
        return f"again {within.index(id(value))}"
    inner = partial(describe, within=(*within, id(value)))
    how = next((how for kind, how in _DESCRIPTIONS if isinstance(value, kind)), _describe_object)
    return digest(type(value).__qualname__, *how(value, inner))


def _describe_array(array, inner):
    if type(array) is not np.ndarray:  # masked arrays and others that hold more than an array
        return [pickle.dumps(array).hex()]
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
    """Return its names, its methods and its attributes, its own and the inherited ones."""
    parts = [kind.__module__, kind.__qualname__]
    for base in kind.__mro__:
        for name, member in sorted(vars(base).items()):
            for hull in ("__func__", "fget", "func"):
                member = getattr(member, hull, member)
            is_method = isinstance(member, types.FunctionType)
            if is_method or (_is_plain(member) and not name.startswith("__")):
                parts += [name, inner(member)]
    return parts


def _is_plain(value):
    return type(value) in SCALARS or isinstance(value, (tuple, list, dict, set, frozenset))


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
    (dict, lambda value, inner: [inner(k) + inner(v) for k, v in value.items()]),
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
    folder = Path(__file__).parents[1]
    sources = sorted(folder.rglob("*.py"))
    texts = (path.read_text(encoding="utf-8") for path in sources)
    names = (path.relative_to(folder).as_posix() for path in sources)
    return digest(np.__version__, *names, *texts)


library_digest()  # of the sources as they are imported, whatever becomes of them later
