"""What a point of a sweep is known by: a digest that is the same in every process.

A finished point is found again by two digests. One is of the function's compiled code (with its
defaults and what it closes over), of every source file of this library, and of NumPy's version;
functions of other modules that it calls are not looked into. The other is of the point's arguments
and of its seed.
"""

import hashlib
import inspect
import sys
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


def describe(value):
    """Return a text that is the same for equal values in every process, and differs for others.

    Functions are described by their code, defaults and what they close over; objects by their
    class, its methods and attributes, and their state without what a `cached_property` keeps.
    Raises `InputError` for an object of another kind that cannot be pickled.
    """
    return _described(value, (), {})


def _described(value, within, known):
    """Describe a value inside others: `within` has their identities, `known` what is done."""
    if type(value) in SCALARS:
        return f"{type(value).__name__} {value!r}"
    if id(value) in within:
        return f"again {within.index(id(value))}"
    if id(value) not in known:
        inner = partial(_described, within=(*within, id(value)), known=known)
        how = _EXACTLY.get(type(value)) or next(
            (how for kind, how in _KINDS if isinstance(value, kind)), _describe_object
        )
        text = digest(type(value).__qualname__, *how(value, inner))
        known[id(value)] = value, text  # the value too: else its identity could be another's
    return known[id(value)][1]


def _describe_array(array, inner):
    if array.dtype.hasobject:
        return str(array.shape), inner(array.tolist())
    content = hashlib.blake2b(np.ascontiguousarray(array).tobytes()).hexdigest()
    return str(array.dtype.descr), str(array.shape), content


def _describe_function(function, inner):
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    # `super()` closes over the class, which is described where it is met.
    held = {name: cell.cell_contents for name, cell in cells if name != "__class__"}
    parts = (function.__code__, function.__defaults__, function.__kwdefaults__, held)
    return [function.__qualname__, *map(inner, parts)]


def _describe_class(kind, inner):
    """Return its names, its methods and its attributes, its own and the inherited ones."""
    parts = [kind.__module__, kind.__qualname__]
    for base in kind.__mro__:
        if _comes_with_python(base):
            continue
        for name, member in sorted(vars(base).items()):
            member = member.func if isinstance(member, cached_property) else member
            for hull in ("__func__", "fget", "__wrapped__"):
                member = getattr(member, hull, member)
            if isinstance(member, types.FunctionType) or not (
                name.startswith("__") or name == "_abc_impl" or inspect.isdatadescriptor(member)
            ):
                parts += [name, _described_member(member, inner)]
    return parts


def _comes_with_python(kind):
    is_known = getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind
    return is_known and kind.__module__.partition(".")[0] in sys.stdlib_module_names


def _described_member(member, inner):
    """Describe a member of a class; locks and the like, which have no content, by their type."""
    try:
        return inner(member)
    except InputError:
        return type(member).__qualname__


def _describe_object(value, inner):
    wrapped = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
    if wrapped is not None:  # a compiled or a decorated function
        return [inner(wrapped)]
    kind = type(value)
    ordinary = kind.__reduce_ex__ is object.__reduce_ex__ and kind.__reduce__ is object.__reduce__
    has_state = getattr(kind, "__getstate__", None) is not getattr(object, "__getstate__", None)
    if ordinary and not has_state and (hasattr(value, "__dict__") or is_dataclass(value)):
        content = [inner(base(value)) for base in _EXACTLY if isinstance(value, base)]
        return [inner(kind), inner(_state(value)), *content]
    try:
        return [joblib.hash(value)]
    except Exception as error:  # whatever the object's own pickling raises
        raise InputError(
            f"{kind.__name__} object cannot be stored under a key ({error}); leave cache out, or "
            "use a dataclass"
        ) from None


def _state(value):
    names = [name for base in type(value).__mro__ for name in _slots(base)]
    names += [field.name for field in fields(value)] if is_dataclass(value) else []
    names += list(getattr(value, "__dict__", ()))
    kept = (n for n in names if not isinstance(getattr(type(value), n, None), cached_property))
    return {name: getattr(value, name) for name in kept if hasattr(value, name)}


def _slots(kind):
    slots = vars(kind).get("__slots__", ())
    slots = [slots] if isinstance(slots, str) else slots
    return [name for name in slots if name not in ("__dict__", "__weakref__")]


#: How values of just these types are described; what inherits from them has more than its content.
_EXACTLY = {
    tuple: lambda value, inner: map(inner, value),
    list: lambda value, inner: map(inner, value),
    set: lambda value, inner: sorted(map(inner, value)),
    frozenset: lambda value, inner: sorted(map(inner, value)),
    dict: lambda value, inner: [inner(k) + inner(v) for k, v in value.items()],
    np.ndarray: _describe_array,
}
_KINDS = (
    (np.generic, lambda value, inner: [inner(value.item())]),
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


library_digest()  # now, and not when the first sweep begins, which may be after a change
