"""Keys of the cache: a hash of the library, the function, its arguments and the seed.

The documentation of `run_points` lists the changes that a key does not notice.
"""

import copyreg
import enum
import functools
import inspect
import platform
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.data import LIBRARY, data_folder
from coalloc_lib.statistics.labels import SCALARS

#: The type of the functions that `functools.cache` returns. A pickle of such a function contains
#: only its name.
_CACHED = type(functools.cache(len))
_PACKAGE = __name__.partition(".")[0]
#: The types of attributes that Python itself adds to a class, for example for its slots.
_OF_PYTHON = (types.GetSetDescriptorType, types.MemberDescriptorType)


def files_digest(files: Iterable[Path], folder: Path) -> str:
    """Return a hash of the contents of files, and of their names relative to a folder."""
    names = sorted((path.relative_to(folder).as_posix(), path) for path in files)
    return joblib.hash([(name, path.read_bytes()) for name, path in names])


@functools.cache
def library_digest() -> str:
    """Return a hash of the library's sources and data, and of the versions of its dependencies."""
    names = ("numpy", "numba", "scipy", "pandas", "simpy")
    versions = [platform.python_version(), *map(version_of, names)]
    folder = data_folder("traces")  # the synthetic logs and the fitted models
    data = files_digest(filter(Path.is_file, folder.iterdir()), folder)
    return joblib.hash([versions, files_digest(LIBRARY.rglob("*.py"), LIBRARY), data])


library_digest()  # Made at import: files that change later do not affect the imported modules.


def point_keys(
    function: Callable[..., Any],
    points: Sequence[Mapping[str, Any]],
    seeds: Iterable[np.random.SeedSequence],
    version: str,
) -> list[str]:
    """Return the cache key of each call of a sweep, with one key per point and seed."""
    common = joblib.hash((library_digest(), version, _named_hash("function", function)))
    # An argument that many calls share is hashed only once, because it can be large.
    values = {id(value): (name, value) for point in points for name, value in point.items()}
    known = {identity: _named_hash(*named) for identity, named in values.items()}
    seed_hashes = [joblib.hash((seed.entropy, seed.spawn_key)) for seed in seeds]
    keys = []
    for point in points:
        arguments = joblib.hash([(name, known[id(point[name])]) for name in sorted(point)])
        keys += [joblib.hash((common, arguments, seed)) for seed in seed_hashes]
    return keys


def _named_hash(name: str, value: Any) -> str:
    try:
        return value_hash(value)
    except Exception as error:  # The pickling of an object can raise any error.
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(
            f"{name} is a {type(value).__name__} that cannot be part of a cache's key ({reason}); "
            "leave cache out, or give plain values, functions and dataclasses"
        ) from None


def value_hash(value: Any) -> str:
    """Return a hash that is the same for equal values in every process.

    The parts of a value are hashed one by one. `joblib.hash` of the whole value would depend on the
    order of sets, on cached properties, and on whether two equal parts are the same object. Dicts
    with the same items in another order have other hashes, because a function can read the order.
    """
    kind: Any = type(value)
    if kind in SCALARS:
        return joblib.hash(value)
    if kind is np.ndarray and not value.dtype.hasobject:
        return joblib.hash(value.copy())  # The copy is contiguous, also if the array is a view.
    if isinstance(value, type):
        return _class_hash(value)
    return joblib.hash((_class_hash(kind), list(_parts(value, kind))))


def _parts(value: Any, kind: type) -> Iterable[str]:
    if kind in (tuple, list):
        return map(value_hash, value)
    if kind in (set, frozenset):
        return sorted(map(value_hash, value))
    if kind is dict:
        return map(value_hash, [part for item in value.items() for part in item])
    if kind is types.ModuleType:
        return [value.__name__]
    if kind is types.FunctionType:
        return _function_parts(value)
    if kind is _CACHED:
        return [value_hash(value.__wrapped__)]
    if kind.__module__.startswith("numba.") and hasattr(value, "py_func"):
        return map(value_hash, (value.py_func, value.targetoptions))
    return _pickled_parts(value, kind)


def _pickled_parts(value: Any, kind: type) -> Iterable[str]:
    reduce = copyreg.dispatch_table.get(kind)
    steps: Any = reduce(value) if reduce else value.__reduce_ex__(4)
    if isinstance(steps, str):
        return [joblib.hash(value)]  # The pickle only contains the name of the object.
    function, arguments, state, items, pairs = (*steps, None, None, None)[:5]
    if isinstance(state, dict):
        state = {
            name: part
            for name, part in state.items()
            if not isinstance(getattr(kind, str(name), None), cached_property)
        }
    return map(value_hash, (function, arguments, state, [*(items or ())], [*(pairs or ())]))


def _function_parts(function: Any) -> Iterable[str]:
    if function.__name__ == "<lambda>":
        raise TypeError(
            "a lambda cannot be told from others on its line: define the function with def"
        )
    closure = [cell.cell_contents for cell in function.__closure__ or ()]
    defaults = function.__defaults__, function.__kwdefaults__
    names = function.__module__, function.__qualname__
    return map(value_hash, (*names, _source(function.__code__), *defaults, closure))


@functools.cache
def _source(code: types.CodeType) -> str:
    # A function that `exec` made has the file name ``<string>``, and so does the program of
    # ``python -c``. For such a function, Python 3.13 would return the source text of that program.
    try:
        if code.co_filename == "<string>":
            raise OSError
        return inspect.getsource(code)
    except (OSError, TypeError):
        raise _unreadable(code.co_name) from None


def _unreadable(name: str) -> TypeError:
    return TypeError(f"the source text of {name} cannot be read: define it in a file or a notebook")


@functools.cache
def _class_hash(kind: type) -> str:
    # The source text of the library's own classes is not hashed here, because the hash from
    # `library_digest` already covers it.
    names = kind.__module__, kind.__qualname__
    if "<locals>" in kind.__qualname__:
        raise TypeError(f"{kind.__qualname__} is defined in a function: define it outside")
    if kind.__module__.partition(".")[0] in (_PACKAGE, "builtins"):
        return joblib.hash(names)
    bases = [_class_hash(base) for base in kind.__bases__]
    return joblib.hash((names, _class_source(kind), bases))


def _class_source(kind: type) -> str:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        functions = [each for value in vars(kind).values() for each in _functions_of(value)]
    if not _is_interactive(kind):  # a class of an extension module, or one made by a function
        return next(filter(None, map(_text_around, functions)), "")
    own = [f for f in functions if f.__code__.co_qualname.startswith(f"{kind.__qualname__}.")]
    if not own:
        return value_hash(_attributes(kind))
    for function in own:
        if not _text_around(function):
            raise _unreadable(function.__qualname__)
    return "".join(sorted(set(map(_text_around, own))))


def _is_interactive(kind: type) -> bool:
    # The module of a notebook has no file, but `linecache` has the text of its cells.
    name = kind.__module__
    if name in sys.builtin_module_names or name not in sys.modules:
        return False
    return getattr(sys.modules[name], "__file__", None) is None


def _functions_of(value: Any) -> list[types.FunctionType]:
    inner = [value]
    if isinstance(value, property):
        inner = [value.fget, value.fset, value.fdel]
    elif isinstance(value, cached_property):
        inner = [value.func]
    return [each for each in map(inspect.unwrap, inner) if inspect.isfunction(each)]


def _text_around(function: types.FunctionType) -> str:
    """Return the text of the file or cell that defines a function, or "" if it cannot be read."""
    try:
        return "".join(inspect.findsource(function.__code__)[0])
    except (OSError, TypeError):  # for example for a method that `dataclass` added
        return ""


def _attributes(kind: type) -> list[tuple[str, Any]]:
    # The members of an enumeration are left out, because the key of a member holds its value.
    if issubclass(kind, enum.Enum):
        return []
    return [
        (name, _functions_of(value) or value)
        for name, value in sorted(vars(kind).items())
        if not (_is_added(name, value) or isinstance(value, _OF_PYTHON))
    ]


def _is_added(name: str, value: Any) -> bool:
    # Python, `abc` and `dataclass` add attributes to a class. The texts of the methods that
    # `dataclass` adds cannot be read, but they follow from the fields.
    if name == "_abc_impl":
        return True
    functions = _functions_of(value)
    is_special = name.startswith("__") and name.endswith("__")
    return is_special and not any(map(_text_around, functions))
