"""The columns of a `JobStream`, and the checks of the values that users give for them."""

from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown, whole_numbers


def component_table(name: str, components: Any, _jobs: int) -> NDArray[np.int64]:
    """Return the number of processors of each component, shape (jobs, components)."""
    table = np.ascontiguousarray(whole_numbers(name, components, least=0))
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise InputError(
            f"{name} has {table.ndim} dimensions; give an array of shape (jobs, components)"
        )
    if table.min() == 0 and not table.any(axis=1).all():
        job = int((~table.any(axis=1)).argmax())
        raise InputError(f"{name}[{job}] = {shown(table[job])}; give at least one processor")
    return table


def job_numbers(name: str, value: Any, jobs: int) -> NDArray[np.int64]:
    """Return the job numbers as an array; if `value` is None, they are 1, 2, 3, ..."""
    if value is None:
        return np.arange(1, jobs + 1)
    numbers = whole_numbers(name, value, least=-checks.LARGEST_WHOLE)
    if numbers.ndim != 1:
        raise InputError(f"{name} has {numbers.ndim} dimensions; give one number per job")
    return numbers


def labels(name: str, value: Any, _jobs: int) -> NDArray[np.str_] | None:
    """Return the names of the jobs as an array of strings, or None if `value` is None."""
    if value is None:
        return None
    is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | Set)
    if not is_list or getattr(value, "ndim", 1) != 1:
        raise InputError(f"{name} = {shown(value)}; give a list with the name of each job")
    return np.array([str(label) for label in value])


def failures(name: str, value: Any, jobs: int) -> NDArray[np.bool_] | None:
    """Return a Boolean array with True for each job that fails, or None if `value` is None."""
    if value is None:
        return None
    failures = np.array(value)
    if failures.ndim != 1 or (len(failures) == jobs and failures.dtype != bool):
        raise InputError(f"{name} = {shown(value)}; give True or False for each job")
    return failures


def deadlines(name: str, values: Any, jobs: int) -> NDArray[np.float64]:
    """Convert the latest starts of jobs to seconds; the latest start of a job can be infinite.

    If `values` is None, the latest starts of all `jobs` jobs are infinite.
    """
    if values is None:
        return np.full(jobs, np.inf)
    array = checks.array_of(name, values)
    if array.dtype.kind != "f":
        return checks.times(name, array)
    never = array == np.inf
    return np.where(never, np.inf, checks.times(name, np.where(never, 0.0, array)))


def known_times(name: str, values: Any) -> np.ma.MaskedArray | None:
    """Convert durations to a masked array of seconds, or return None if `values` is None.

    Masked entries stay masked and are not checked.
    """
    if values is None:
        return None
    is_masked = isinstance(values, np.ma.MaskedArray)
    known = checks.times(name, values.filled(0) if is_masked else values)
    return np.ma.MaskedArray(known, np.ma.getmaskarray(values) if is_masked else False)


def per_job(name: str, value: Any, jobs: int) -> NDArray[np.float64]:
    """Return an array of numbers >= 0; a scalar is repeated for all `jobs` jobs.

    The length of other values is not checked here, because `JobStream` compares its columns.
    """
    array = checks.numbers(name, value)
    return checks.times(name, array if array.ndim else array.repeat(jobs))


def penalties(name: str, value: Any, jobs: int) -> NDArray[np.float64]:
    """Convert span penalties to an array.

    The span penalty of a job is the relative increase in its run time if it spans clusters.

    The result has one penalty per job, or one row per job with the penalties on 2, 3, ... clusters.
    """
    if isinstance(value, Mapping):
        if not value or [*value] != [*range(2, len(value) + 2)]:
            raise InputError(
                f"{name} = {shown(value)}; give the penalty on 2, 3, ... clusters: "
                "{2: 0.1, 3: 0.2}"
            )
        value = np.tile(per_job(name, [*value.values()], jobs), (jobs, 1))
    table = checks.numbers(name, value)
    if table.ndim == 2 and table.size:
        return checks.not_negative_numbers(name, table)
    return per_job(name, table, jobs)


def refuse_different_indexes(columns: Mapping[str, Any]) -> None:
    """Raise an error if two pandas columns of a job stream have different indexes.

    A user may expect such columns to be matched by their indexes, but they are matched by position.
    """
    indexed = {name: column.index for name, column in columns.items() if hasattr(column, "iloc")}
    first = next(iter(indexed), "")
    for name, index in indexed.items():
        if not index.equals(indexed[first]):
            raise InputError(
                f"{first} and {name} have different indexes, but columns are matched by position; "
                "sort the rows of both in the same order, and pass .to_numpy() of each column"
            )


def earliest_starts(name: str, value: Any, _jobs: int) -> NDArray[np.float64] | None:
    """Return the earliest start of each job in seconds, or None if `value` is None."""
    return None if value is None else checks.times(name, value)


#: A dict from the name of each column of a `JobStream` to the function that checks the user's
#: values for the column. The function takes the name of the column, the values and the number of
#: jobs. It returns an array, or None if the user gave no values.
CHECKS: dict[str, Callable[[str, Any, int], Any]] = {
    "submit": lambda name, value, _: checks.instants(name, value),
    "runtime": lambda name, value, _: checks.times(name, value),
    "components": component_table,
    "estimate": lambda name, value, _: known_times(name, value),
    "span_penalty": penalties,
    "number": job_numbers,
    "earliest_start": earliest_starts,
    "latest_start": deadlines,
    "priority": per_job,
    "label": labels,
    "failed": failures,
}
#: The names of the columns of a stream.
COLUMNS = tuple(CHECKS)
#: A dict from the name of each column to the attribute of `JobStream` that stores the column.
#: Estimates, labels and failures are optional, so private attributes store them as the user gave
#: them.
STORED = {name: name for name in COLUMNS} | {
    "estimate": "_requested",
    "label": "_label",
    "failed": "_failed",
}
