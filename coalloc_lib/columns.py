"""Columns of numbers, made of whatever array, list or column of pandas a user hands over.

NumPy would read much as numbers that is none: dates, words of digits, truth values, what is
masked. Here each is taken for what it is, or refused by an `InputError` that names the entry.
"""

from collections.abc import Mapping
from datetime import UTC
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import LARGEST_WHOLE, InputError, float_of, kind_of, shown

TOO_LONG = "has more digits than a float of 64 bits; give a rounded or a smaller number"


def times(name: str, values: Any) -> NDArray[np.float64]:
    """Return lengths of time as a new 1-D array of seconds; refuse NaN, infinite and negative ones.

    Numbers are taken as they are, timedeltas (of Python, NumPy or pandas) in seconds; datetimes
    are refused.
    """
    array = array_of(name, values)
    if array.dtype.kind == "M":
        raise InputError(
            f"{name} holds datetimes; give seconds (of instants: since the first submission) or "
            "timedeltas"
        )
    return _not_negative(name, array)


def instants(name: str, values: Any) -> NDArray[np.float64]:
    """Return instants as `times` does; datetimes become seconds since the first of them."""
    array = array_of(name, values)
    if array.dtype.kind == "M" and array.size:
        if np.datetime_data(array.dtype)[0] in "YM":  # of no fixed length
            array = array.astype("datetime64[s]")
        array = array - np.fmin.reduce(array, axis=None)
    return _not_negative(name, array)


def deadlines(name: str, values: Any, jobs: int) -> NDArray[np.float64]:
    """Return instants as `times` does, of which some may be infinite; where none is given, all."""
    if values is None:
        return np.full(jobs, np.inf)
    array = array_of(name, values)
    never = array == np.inf if array.dtype.kind == "f" else np.zeros(array.shape, dtype=bool)
    if not never.any():
        return times(name, array)
    return np.where(never, np.inf, times(name, np.where(never, 0.0, array)))


def _not_negative(name: str, array: NDArray) -> NDArray[np.float64]:
    """Return numbers, or timedeltas in seconds, as a new 1-D array; refuse those below 0."""
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; give one value a job")
    if array.dtype.kind in "mM":
        unit = np.datetime_data(array.dtype)[0]
        if unit in ("generic", "Y", "M"):
            raise InputError(f"{name} holds timedeltas of unit {unit!r}; give seconds")
        array = array / np.timedelta64(1, "s")  # NaT becomes NaN
    array = np.array(array, dtype=float, order="C")
    # A NaN makes both comparisons fail.
    if len(array) and not (array.min() >= 0 and array.max() < np.inf):
        first = int((~(np.isfinite(array) & (array >= 0))).argmax())
        raise InputError(f"{name}[{first}] = {array[first]:g}; give a finite number of 0 or more")
    return array


def whole_numbers(name: str, values: Any, least: int = 1) -> NDArray[np.int64]:
    """Return `values` as an `int64` array; refuse what is no whole number or below `least`."""
    array = numbers(name, values)
    if array.size == 0:
        raise InputError(f"{name} is empty; give at least one number")
    bad = (array < least) | (array > LARGEST_WHOLE)
    if array.dtype.kind == "f":
        bad |= array != np.floor(array)  # NaN too
    if bad.any():
        raise InputError(f"{_first(name, array, bad)}; give a whole number of {least} or more")
    return array.astype(np.int64)


def numbers(name: str, values: Any) -> NDArray:
    """Return `values` as an array of `int64` or `float64`; refuse all that are no numbers."""
    array = array_of(name, values)
    if array.dtype.kind in "mM":
        held = "datetimes" if array.dtype.kind == "M" else "timedeltas"
        raise InputError(f"{name} holds {held}; give numbers")
    return array


def array_of(name: str, values: Any) -> NDArray:
    """Return `values` as an array of `int64`, `float64`, `datetime64` or `timedelta64`.

    Taken are scalars, sequences, rows of one length, arrays and columns of pandas, by position.
    Refused are values that are missing or masked, and all that NumPy would read as numbers
    although they are none: truth values, words of digits, dates among numbers, whole numbers of
    more digits than a float holds. That is why lists are looked at element by element.
    """
    if np.ma.is_masked(values):
        mask = np.ma.getmaskarray(values)
        raise InputError(f"{_first(name, mask, mask, 'is masked')}; drop such entries, or fill it")
    dtype: Any = None if hasattr(values, "__array__") else object
    if getattr(getattr(values, "dtype", None), "tz", None) is not None:
        # NumPy knows no time zones; pandas then hands over the instants in UTC.
        dtype = f"datetime64[{values.dtype.unit}]"
    try:
        array = np.asarray(values, dtype=object if isinstance(values, np.generic) else dtype)
        if array.dtype.kind == "O":
            return _of_elements(name, array)
    except InputError:
        raise
    except Exception as error:  # whatever the object's own conversion raises
        raise InputError(f"{name} = {shown(values)} is no array ({shown(error)})") from None
    return array if array.dtype.kind in "mM" else _exact(name, array)


def _exact(name: str, array: NDArray) -> NDArray:
    """Return an array of numbers as `int64` or `float64`; refuse what these cannot hold."""
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name} holds values of type {array.dtype}; give numbers")
    if array.dtype.kind == "f":
        exact = array.astype(float, copy=False)
        bad = (exact != array) & ~np.isnan(array) if array.itemsize > 8 else np.False_
    elif not array.size or -LARGEST_WHOLE <= array.min() <= array.max() <= LARGEST_WHOLE:
        return array.astype(np.int64, copy=False)
    else:
        exact, bad = array, (array > LARGEST_WHOLE) | (array < -LARGEST_WHOLE)
    if bad.any():
        raise InputError(f"{_first(name, array, bad)} {TOO_LONG}")
    return exact


def _of_elements(name: str, array: NDArray) -> NDArray:
    """Return an array of objects as one of numbers, datetimes or timedeltas."""
    values = array.ravel().tolist()
    kinds = {of: kind_of(of) for of in set(map(type, values))}
    if None in kinds.values():
        wrong = np.array([kinds[type(value)] is None for value in values])
        is_row = isinstance(values[wrong.argmax()], list | tuple | np.ndarray)
        mend = "rows of one length" if is_row else "a number" if array.ndim else "numbers"
        raise InputError(f"{_first(name, array, wrong)}; give {mend}")
    if len(set(kinds.values())) > 1:
        found = " and ".join(sorted(set(filter(None, kinds.values()))))
        raise InputError(f"{name} holds {found}; give values of one kind")
    if "numbers" in kinds.values() or not values:
        floats = np.array(list(map(float_of, values)))
        for i in np.flatnonzero(np.abs(floats) >= LARGEST_WHOLE):
            if isinstance(values[i], Integral) and abs(int(values[i])) > LARGEST_WHOLE:
                raise InputError(f"{_first(name, array, np.arange(len(values)) == i)} {TOO_LONG}")
        is_whole = all(issubclass(of, Integral) for of in kinds)
        return floats.astype(np.int64 if is_whole else float).reshape(array.shape)
    if len({getattr(value, "tzinfo", None) is None for value in values}) > 1:
        raise InputError(f"{name} holds datetimes with and without a time zone; give one kind")
    kind = "M8" if "datetimes" in kinds.values() else "m8"
    return np.array(list(map(_of_numpy, values)), dtype=kind).reshape(array.shape)


def _of_numpy(value: Any) -> Any:
    """Return a datetime or a timedelta, which may be of pandas, as NumPy takes it."""
    if getattr(value, "tzinfo", None) is not None:
        # In UTC: between two moments of one zone Python subtracts the clocks, and forgets
        # that they are put forward in summer.
        value = value.astimezone(UTC).replace(tzinfo=None)
    return value.to_numpy() if hasattr(value, "to_numpy") else value


def _first(name: str, array: NDArray, bad: Any, what: str = "") -> str:
    """Return the first bad entry as an error names it: ``submit[3] = -1``."""
    position = int(bad.ravel().argmax())
    place = ", ".join(str(int(i)) for i in np.unravel_index(position, array.shape))
    what = what or f"= {shown(array.flat[position])}"
    return f"{name}[{place}] {what}" if array.ndim else f"{name} {what}"


def known_times(name: str, values: Any) -> np.ma.MaskedArray | None:
    """Return times of which some may be masked, as a masked array; None where none is given."""
    if values is None:
        return None
    is_masked = isinstance(values, np.ma.MaskedArray)
    known = times(name, values.filled(0) if is_masked else values)
    return np.ma.MaskedArray(known, np.ma.getmaskarray(values) if is_masked else False)


def component_table(name: str, components: Any, _jobs: int) -> NDArray[np.int64]:
    """Return the components as a new table with a row of whole numbers a job."""
    table = np.ascontiguousarray(whole_numbers(name, components, least=0))
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise InputError(f"{name} has {table.ndim} dimensions; give (jobs, components)")
    if table.min() == 0 and not table.any(axis=1).all():
        job = int((~table.any(axis=1)).argmax())
        raise InputError(f"{name}[{job}] = {shown(table[job])}; give at least one processor")
    return table


def per_job(name: str, value: Any, jobs: int) -> NDArray[np.float64]:
    """Return one number of 0 or more a job; a single one is that of all jobs."""
    array = numbers(name, value)
    return _not_negative(name, array if array.ndim else array.repeat(jobs))


def job_numbers(name: str, value: Any, jobs: int) -> NDArray[np.int64]:
    """Return the numbers of the jobs: those given, or 1, 2, 3, ..."""
    if value is None:
        return np.arange(1, jobs + 1)
    found = whole_numbers(name, value, least=-LARGEST_WHOLE)
    if found.ndim != 1:
        raise InputError(f"{name} has {found.ndim} dimensions; give one number a job")
    return found


def refuse_different_indexes(columns: Mapping[str, Any]) -> None:
    """Refuse columns of pandas that a user would expect to be matched by their indexes."""
    indexed = {name: column.index for name, column in columns.items() if hasattr(column, "iloc")}
    first = next(iter(indexed), "")
    for name, index in indexed.items():
        if not index.equals(indexed[first]):
            raise InputError(
                f"{first} and {name} have different indexes, and columns are taken by position; "
                "put them in one order and give .to_numpy() of each"
            )
