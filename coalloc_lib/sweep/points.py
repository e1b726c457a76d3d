"""The points of a sweep: how a table shows them, and what the function may take and return."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from coalloc_lib.checks import InputError
from coalloc_lib.sweep.keys import SCALARS, describe, digest

#: Names of the table and of the call that no argument of a grid and no result may take.
RESERVED = {"seed", "replication", "error"}
#: Name to values, or what to show to value; or the points themselves.
Grid = Mapping[str, Iterable | Mapping[str, object]] | Iterable[Mapping[str, object]]


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

    names: list[str]
    values: list[dict[str, object]]
    labels: list[tuple]

    @classmethod
    def of(cls, grid: Grid) -> "Points":
        """Return the points of a grid, which is checked."""
        if isinstance(grid, str) or not isinstance(grid, Iterable):
            raise InputError(f"grid = {grid!r}; give a dict of name to values, or a list of points")
        rows: list[tuple[tuple[object, object], ...]]  # labels and values
        if isinstance(grid, Mapping):
            names = list(grid)
            rows = list(product(*(_axis(*axis) for axis in grid.items())))
        else:
            given = list(grid)
            names = list(given[0]) if given and isinstance(given[0], Mapping) else []
            rows = [_explicit(point, names, i) for i, point in enumerate(given)]
        for name in names:
            if not isinstance(name, str):
                raise InputError(f"grid has the name {name!r}; give the name of an argument")
        if not rows or not names:
            raise InputError("grid is empty; give a dict of name to values, or a list of points")
        values = [dict(zip(names, (value for _, value in row), strict=True)) for row in rows]
        labels = [tuple(label for label, _ in row) for row in rows]
        _refuse_doubles(labels)
        return cls(names, values, labels)

    def keys(self, seeds: Iterable[np.random.SeedSequence]) -> Iterator[str]:
        """Return the key of each point and seed, those of a point side by side."""
        known = {}  # objects are described once, however many points they are in

        def text(value):
            if type(value) in SCALARS:
                return describe(value)
            if id(value) not in known:
                known[id(value)] = describe(value)
            return known[id(value)]

        by_seed = [describe(seed) for seed in seeds]
        for point in self.values:
            arguments = [f"{name}={text(point[name])}" for name in sorted(point)]
            yield from (digest(*arguments, seed) for seed in by_seed)


def _refuse_doubles(labels):
    first = {}
    for i, label in enumerate(labels):
        if first.setdefault(label, i) != i:
            raise InputError(
                f"grid has two points that are both shown as {label}; leave one out, or give "
                "a dict of name to values, and for values that print alike a dict of "
                "{'what to show': value, ...}"
            )


def _axis(name, values):
    """Return the pairs of label and value of one name of a grid."""
    if isinstance(values, Mapping):
        return list(values.items())
    is_one = isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0
    if is_one or not isinstance(values, Iterable):
        raise InputError(f"grid[{name!r}] = {values!r}; give a list of values")
    pairs = [(_label(value), _plain(value)) for value in values]
    if not pairs:
        raise InputError(f"grid[{name!r}] is empty; give at least one value")
    return pairs


def _explicit(point, names, i):
    if not isinstance(point, Mapping) or set(point) != set(names):
        wanted = f"a dict with the names {', '.join(names)}" if names else "a dict of arguments"
        raise InputError(f"grid[{i}] = {point!r}; give {wanted}")
    return tuple((_label(point[name]), _plain(point[name])) for name in names)


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _label(value):
    value = _plain(value)
    return value if type(value) in SCALARS else " ".join(str(value).split())


def check_call(function: Callable[..., object], names: list[str]) -> None:
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
            f"function takes {signature}, and the grid gives {', '.join(names)} beside seed: "
            f"{error}; let the names of the grid be those of the function"
        ) from None


def plain_numbers(results: object, point: Mapping[str, object]) -> dict[str, float]:
    """Return the results as a dict of plain Python numbers."""
    named = results if isinstance(results, Mapping) else {"value": results}
    plain = {name: _plain(value) for name, value in named.items()}
    for name, value in plain.items():
        if not isinstance(value, int | float):
            raise TypeError(
                f"function returned {name} = {value!r}; return a number or a dict of them"
            )
        if name in RESERVED or name in point or not isinstance(name, str):
            raise ValueError(f"function returned {name!r}, a name taken already; choose another")
    return plain
