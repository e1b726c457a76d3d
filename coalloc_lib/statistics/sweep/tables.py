"""Tidy tables of sweeps over a grid of arguments, and their means with confidence intervals."""

import functools
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import product

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.statistics.columns import limits_of
from coalloc_lib.statistics.inference import student
from coalloc_lib.statistics.labels import label, without_numpy
from coalloc_lib.statistics.provenance import made_by
from coalloc_lib.statistics.replications import REPLICATION, groups_of, keys_of
from coalloc_lib.statistics.sweep.compilation import compile_kernels
from coalloc_lib.statistics.sweep.failures import SweepError
from coalloc_lib.statistics.sweep.points import Run

#: Names of table columns that `sweep` itself uses. Arguments and results cannot have these names.
RESERVED = {"seed", REPLICATION, "error"}
#: A warning is given if there are fewer replications than this number, because an interval is then
#: too wide to be informative.
FEW = 4
#: The type of a grid of arguments: a dict, or a list of points. The dict maps each argument name to
#: a list of values, or to a dict from labels to values. A point is a dict with the arguments of one
#: call.
Grid = Mapping[str, Iterable | Mapping[str, object]] | Iterable[Mapping[str, object]]


def sweep(
    function: Callable[..., object],
    grid: Grid,
    replications: int = 1,
    *,
    seed: Seed = 0,
    cache: str | os.PathLike[str] | None = None,
    version: str = "",
    workers: int | None = None,
    failures: str = "raise",
    prepare: Callable[[], object] | None = compile_kernels,
    progress: NullProgress = NO_PROGRESS,
) -> pd.DataFrame:
    """Call a function at every point of a grid, and return its results as a tidy table.

    Parameters
    ----------
    function : callable
        The function, as in `run_points`. It returns a number, which becomes the column ``value``,
        or a dict of numbers.
    grid : dict or list of dict
        A dict of argument names to lists of values; the points are all their combinations. Or a
        list of the points themselves. The table shows values as `str` prints them. A dict in place
        of a list of values gives each value a label for the table.
    replications, seed, cache, version, workers, prepare, progress
        As in `run_points`, which raises the same errors.
    failures : {"raise", "keep"}
        With ``"raise"``, a `SweepError` is raised if points failed, after all others have finished.
        With ``"keep"``, such points are rows without results, and a column ``error`` holds the
        errors.

    Returns
    -------
    DataFrame
        One row for each point and replication, in the order of the grid. The columns are those of
        the grid, ``replication`` and the results. Its ``attrs`` hold the ``seed``, and in
        ``made_by`` the version of the library, the seed and the logs.

    Examples
    --------
    >>> def power(base, exponent, seed):
    ...     return base**exponent
    >>> sweep(power, {"base": [2, 3], "exponent": [2]})
       base  exponent  replication  value
    0     2         2            0      4
    1     3         2            0      9
    """
    one_of("failures", failures, ("raise", "keep"))
    points, labels = _read_grid(grid)
    calls = _in_numbers(function) if callable(function) else function
    run = Run(calls, points, replications, seed, labels)
    try:
        run.complete(cache, version, workers, prepare, progress)
        if failures == "raise" and run.failed:
            raise run.error()
    except SweepError as error:
        error.table = _table(run, list(points[0]), with_errors=False)
        raise
    table = _table(run, list(points[0]), with_errors=failures == "keep")
    parts = (value for point in points for value in point.values())
    table.attrs = {"seed": str(seed), "made_by": made_by(seed, *parts)}
    return table


def _read_grid(grid):
    if isinstance(grid, str) or not isinstance(grid, Iterable):
        raise InputError(
            f"grid = {grid!r}; give a dict of names to lists of values, or a list of points"
        )
    if isinstance(grid, Mapping):
        names = list(grid)
        rows = list(product(*(_axis(name, values) for name, values in grid.items())))
    else:
        names, rows = _listed_points(list(grid))
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"grid has the name {name!r}; give argument names, which are strings")
        if name in RESERVED:
            raise InputError(f"grid has the name {name!r}, which sweep itself uses; choose another")
    if not rows or not names:
        raise InputError(
            "grid is empty; give a dict of names to lists of values, or a list of points"
        )
    labels = [dict(zip(names, (shown for shown, _ in row), strict=True)) for row in rows]
    points = [dict(zip(names, (value for _, value in row), strict=True)) for row in rows]
    seen = set()
    for each in (tuple(point.values()) for point in labels):
        if each in seen:
            raise InputError(
                f"grid has two points that are both shown as {each}; leave one out, or give "
                "different labels to values that print alike: a dict of {'label': value, ...}"
            )
        seen.add(each)
    return points, labels


def _listed_points(grid):
    names = list(grid[0]) if grid and isinstance(grid[0], Mapping) else []
    for i, point in enumerate(grid):
        if not isinstance(point, Mapping) or set(point) != set(names):
            wanted = f"with the names {', '.join(names)}" if names else "of arguments"
            raise InputError(f"grid[{i}] = {point!r}; give a dict {wanted}")
    return names, [
        [(label(point[name]), without_numpy(point[name])) for name in names] for point in grid
    ]


def _axis(name, values):
    if isinstance(values, Mapping):
        return list(values.items())
    is_one = isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0
    if is_one or not isinstance(values, Iterable):
        raise InputError(f"grid[{name!r}] = {values!r}; give a list of values")
    pairs = [(label(value), without_numpy(value)) for value in values]
    if not pairs:
        raise InputError(f"grid[{name!r}] is empty; give at least one value")
    return pairs


def _in_numbers(function):

    @functools.wraps(function, updated=())
    def numbers(**point):
        results = function(**point)
        by_name = results if isinstance(results, Mapping) else {"value": results}
        by_name = {name: without_numpy(value) for name, value in by_name.items()}
        for name, value in by_name.items():
            if not isinstance(value, int | float):
                raise TypeError(f"function returned {name} = {value!r}; return numbers")
            if name in RESERVED or name in point or not isinstance(name, str):
                raise ValueError(f"function returned {name!r}, which is taken; choose another name")
        return by_name

    return numbers


def _table(run, names, with_errors):
    kept = [row for row in range(run.size) if with_errors or row in run.results]
    shown = [run.shown(row) for row in kept]
    table = pd.DataFrame()
    for name in (*names, REPLICATION):
        values = [each[name] for each in shown]
        # With the type `object`, pandas does not turn None into NaN, nor whole numbers into floats.
        table[name] = pd.Series(values, dtype=object if any(v is None for v in values) else None)
    table = table.join(pd.DataFrame([run.results.get(row, {}) for row in kept]))
    if with_errors:
        table["error"] = [getattr(run.failed.get(row), "error", "") for row in kept]
    return table


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each result at each point of a sweep, with Student's 95 % t interval.

    `coalloc_lib.statistics.differences` compares points in pairs of replications.

    Parameters
    ----------
    table : DataFrame
        The table that `sweep` returned, also if it was read from a file. Rows with an ``error`` are
        left out.

    Returns
    -------
    DataFrame
        One row for each point. A result ``r`` becomes the columns ``r_estimate``, ``r_low``,
        ``r_high``, ``r_half_width`` and ``r_count``. A single value has no interval. Values that
        are not all finite have no estimate either. The half-width is that of Student's interval,
        even if ``r_low`` and ``r_high`` leave out values that the quantity cannot have, such as
        waiting times below 0.

    Raises
    ------
    InputError
        If the table is not that of a sweep, or if it has a replication of a point twice.

    Warns
    -----
    UserWarning
        If a point has two or three replications. The interval is then very wide, and is right only
        for values with a normal distribution.

    Notes
    -----
    For some names of a result, an interval is cut off at the bounds of the quantity; see
    `coalloc_lib.statistics.sample`. `coalloc_lib.statistics.means` has stricter rules: it leaves
    out rows without a value, and raises an error for an infinite value or a single replication.

    Examples
    --------
    >>> table = pd.DataFrame({"x": [1] * 4, "replication": range(4), "y": [1.0, 2.0, 3.0, 4.0]})
    >>> summarize(table)[["x", "y_estimate", "y_count"]]
       x  y_estimate  y_count
    0  1         2.5        4
    """
    columns = _numbers_of(table)
    good = _has_no_error(table)
    rows, fewest = [], FEW
    for row, runs in groups_of(table.reset_index(drop=True), keys_of(table)):
        _refuse_same_replications(runs)
        finished = runs.index[good[runs.index]]
        if len(finished) > 1:
            fewest = min(fewest, len(finished))
        for name, column in columns.items():
            values = column[finished]
            row |= _interval(name, values, limits_of(name, values))
        rows.append(row)
    if fewest < FEW:
        warnings.warn(
            f"a point has {fewest} replications: its interval is very wide, and right only for a "
            f"normal distribution; give {FEW} or more",
            stacklevel=2,
        )
    summary = pd.DataFrame(rows)
    summary.attrs = dict(table.attrs)
    return summary


def _has_no_error(table):
    if "error" not in table:
        return np.ones(len(table), dtype=bool)
    # A table that was read from a file has missing values in place of empty strings.
    return (table["error"].isna() | (table["error"] == "")).to_numpy(dtype=bool)


def _numbers_of(table):
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"table is a {type(table).__name__}; give the table that sweep returned")
    columns = {}
    for name in table.columns[len(keys_of(table)) + 1 :].drop("error", errors="ignore"):
        try:  # Floats also hold booleans, and large integers beside missing values.
            columns[name] = table[name].to_numpy(float)
        except (TypeError, ValueError):
            raise InputError(
                f"table has the column {name!r}, which does not hold numbers; leave it out"
            ) from None
    return columns


def _refuse_same_replications(runs):
    if runs[REPLICATION].duplicated().any():
        raise InputError(
            "table has the same replication of a point twice; give each run once (sweeps with "
            "different seeds are summarized one by one)"
        )


def _interval(name, values, limits):
    estimate = values.mean() if len(values) and np.isfinite(values).all() else np.nan
    row = {"estimate": estimate, "low": np.nan, "high": np.nan, "half_width": np.nan}
    if len(values) > 1 and np.isfinite(estimate):
        # The half-width is that of the whole interval, because it describes the spread of the
        # values even if a part of the interval is cut off.
        whole = student(values)
        interval = whole.within(*limits)
        row |= {"low": interval.low, "high": interval.high, "half_width": whole.half_width}
    return {f"{name}_{key}": value for key, value in (row | {"count": len(values)}).items()}
