"""What a finished point is known by: digests that are the same in every process.

A point is found again by two digests. One is of the function: its code and all that this code
reaches by name, in its own module and in other modules of the user's, together with every source
file of this library and NumPy's version. The other is of the point's arguments and of its seed.
Functions and classes of installed packages are known by their names.
"""

import builtins
import copyreg
import dis
import functools
import hashlib
import importlib
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

import numpy as np

from coalloc_lib.checks import InputError

#: Types whose `repr` tells equal values from others.
SCALARS = (type(None), bool, int, float, complex, str, bytes)
_LIBRARY = Path(__file__).parents[1]
#: What values of just these types are described by.
_ATTRIBUTES = {
    types.CodeType: (
        "co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_flags",
        "co_exceptiontable",
    ),
    property: ("fget", "fset", "fdel"),
    classmethod: ("__func__",),
    staticmethod: ("__func__",),
    np.random.SeedSequence: ("entropy", "spawn_key"),
    type(cache(len)): ("__wrapped__",),
}  # fmt: skip
_LOOK_UPS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_STEPS = ("LOAD_ATTR", "LOAD_METHOD")
#: What reaches values by names that the code does not show.
_BLIND = (eval, exec, globals, __import__, importlib.import_module, sys.modules)
_SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits that stand for these texts, in this order."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def describe(value: object) -> str:
    """Return a text that is the same for equal values in every process, and differs for others.

    Functions are described by their code, defaults, what they close over and what they look up
    by name; classes by their bases and members; other objects by their class and by what they are
    pickled as, without what a `cached_property` keeps. What cannot be pickled or followed is an
    `InputError` that says where it is.
    """
    try:
        return _Description()(value)
    except RecursionError:
        raise _Description().refusal(value, "it is nested too deeply") from None


@lru_cache(maxsize=1)
def library_digest() -> str:
    """Return the digest of NumPy's version and of every source file of this library."""
    sources = sorted(_LIBRARY.rglob("*.py"))
    texts = (path.read_text(encoding="utf-8") for path in sources)
    names = (path.relative_to(_LIBRARY).as_posix() for path in sources)
    return digest(np.__version__, *names, *texts)


library_digest()  # now, and not when the first sweep begins, which may be after a change


class _Description:
    """The description of one value and of all within it, each of which is described once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, str]] = {}
        self._path: list[str] = []
        self._depth = 0

    def __call__(self, value: object) -> str:
        if type(value) is bytes:  # the content of an array, say: the `repr` of much takes long
            return f"bytes {hashlib.blake2b(value, digest_size=16).hexdigest()}"
        if type(value) in SCALARS:
            return f"{type(value).__name__} {value!r}"
        if _is_blind(value):
            raise self.refusal(value, "it can reach what the code does not name")
        if id(value) not in self._known:
            # The value is held too: else its identity could become another's.
            self._known[id(value)] = value, f"again {self._depth}"
            self._depth += 1
            self._known[id(value)] = value, digest(type(value).__qualname__, *self._parts(value))
            self._depth -= 1
        return self._known[id(value)][1]

    def _parts(self, value):
        if _is_named(value):
            return [value.__module__, value.__qualname__]
        kind = type(value)
        if kind in _ATTRIBUTES:
            return [self(getattr(value, name)) for name in _ATTRIBUTES[kind]]
        return _EXACTLY.get(kind, _class if isinstance(value, type) else _object)(value, self)

    def named(self, pairs: Iterable[tuple[str, object]]) -> Iterator[str]:
        """Yield names and descriptions; a refusal says by which names it was reached."""
        for name, value in pairs:
            self._path.append(name)
            yield from (name, self(value))
            self._path.pop()

    def refusal(self, value: object, reason: object) -> InputError:
        """Return the error that says what cannot be told from another value, and why."""
        where = f" (reached by {' > '.join(self._path)})" if self._path else ""
        return InputError(
            f"{type(value).__name__} object{where} cannot be stored under a key: {reason}; leave "
            "cache out, or let what the function uses be plain values, functions and dataclasses"
        )


def _is_blind(value):
    return any(value is blind for blind in _BLIND)


def _object(value, inner):
    """Describe an object as it is pickled, step by step, so that code within it counts."""
    if type(value).__module__ == "_thread":  # a lock has no content
        return []
    if hasattr(value, "py_func"):  # compiled by Numba
        return [inner(value.py_func), inner(value.targetoptions)]
    try:
        reduce = copyreg.dispatch_table.get(type(value))
        parts = reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception as error:  # whatever the object's own pickling raises
        raise inner.refusal(value, error) from None
    if isinstance(parts, str):
        return [_home(value, parts, inner), parts]
    function, arguments, state, items, pairs = (*parts, None, None, None)[:5]
    kind = type(value)
    if isinstance(state, dict):
        state = {
            name: part
            for name, part in state.items()
            if not isinstance(getattr(kind, str(name), None), cached_property)
        }
    return map(inner, (kind, function, arguments, state, [*(items or ())], [*(pairs or ())]))


def _home(value, name, inner):
    """Return the installed module in which a name leads to a value that has no more than that."""
    known = getattr(value, "__module__", None)
    for module in [known] if known else list(sys.modules):
        if _is_installed(module) and vars(sys.modules[module]).get(name) is value:
            return module
    raise inner.refusal(value, "its code cannot be seen")


def _is_named(value):
    """Whether its name in an installed package leads to it, so that the name stands for it."""
    try:
        path = value.__qualname__.split(".")
        found = functools.reduce(getattr, path, sys.modules[value.__module__])
    except (AttributeError, KeyError, TypeError):
        return False
    return found is value and _is_installed(value.__module__)


@cache
def _is_installed(module):
    """Whether a module is this library's, Python's own or an installed package's."""
    top = str(module).partition(".")[0]
    if top == __name__.partition(".")[0]:
        return True
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):  # as for __main__
        return False
    if spec is None or spec.origin in ("built-in", "frozen"):
        return spec is not None
    files = map(Path, filter(None, (spec.origin, *(spec.submodule_search_locations or ()))))
    return any(
        file.is_relative_to(sysconfig.get_path("stdlib"))
        or {"site-packages", "dist-packages", "lib-dynload"} & set(file.parts)
        for file in files
    )


def _module(module, inner):
    """Describe an installed package by its name, a module of the user's by all that it has."""
    if _is_installed(module.__name__):
        return [module.__name__]
    content = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    return [module.__name__, *inner.named(sorted(content.items()))]


def _class(kind, inner):
    """Describe a class by its names, its bases and its own members."""
    members = {
        name: member
        for name, member in vars(kind).items()
        if isinstance(member, types.FunctionType | classmethod | staticmethod)
        or not (name.startswith("__") or name == "_abc_impl" or isinstance(member, _SLOTS))
    }
    family = inner(type(kind)), inner(kind.__bases__)
    return [kind.__module__, kind.__qualname__, *family, *inner.named(members.items())]


def _function(function, inner):
    """Describe a function by its code and by what this code finds by name."""
    code = function.__code__
    cells = zip(code.co_freevars, map(_content, function.__closure__ or ()), strict=True)
    found = dict(_reached(code, function.__globals__))
    own = (code, function.__defaults__, function.__kwdefaults__, vars(function))
    return [*map(inner, own), *inner.named([*cells, *sorted(found.items())])]


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _reached(code, space):
    """Yield the path and value of what code, and code within it, looks up or imports."""
    steps = list(dis.get_instructions(code))
    for at, step in enumerate(steps):
        if step.opname in _LOOK_UPS:
            value = space.get(step.argval, getattr(builtins, step.argval, None))
            path = takewhile(lambda step: step.opname in _STEPS, steps[at + 1 :])
            paths = [[step.argval for step in path]]
        elif step.opname == "IMPORT_NAME":
            level, names = steps[at - 2].argval, steps[at - 1].argval
            value, paths = None, [[name] for name in names or ()] or [[]]
            with suppress(Exception):  # where it is missing, the function may know what to do
                value = __import__(step.argval, space, None, names or (), level)
        else:
            continue
        if isinstance(value, types.ModuleType):
            # Which attributes are this module's is not known: a few are refused for others.
            paths += [[name] for name in code.co_names if _is_blind(vars(value).get(name))]
        for path in paths:
            yield _through(step.argval, value, *path)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _reached(constant, space)


def _through(path, value, *attributes):
    """Return the path and value that a name leads to, through modules of the user's own."""
    for name in attributes:
        if not isinstance(value, types.ModuleType):
            break
        if _is_installed(value.__name__) and not _is_blind(vars(value).get(name)):
            break
        path, value = f"{path}.{name}", getattr(value, name, None)
    return path, value


#: How values of just these types are described; what inherits from them has more than its content.
_EXACTLY = {
    tuple: lambda value, inner: map(inner, value),
    list: lambda value, inner: map(inner, value),
    set: lambda value, inner: sorted(map(inner, value)),
    frozenset: lambda value, inner: sorted(map(inner, value)),
    dict: lambda value, inner: [inner(part) for pair in value.items() for part in pair],
    types.FunctionType: _function,
    types.ModuleType: _module,
}
