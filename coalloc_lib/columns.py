"""Columns of numbers, made of whatever array, list or column of pandas a user hands over.

NumPy would read much as numbers that is none: dates, words of digits, truth values, what is
masked. Here each is taken for what it is, or refused by an `InputError` that names the entry.
"""

from collections.abc import Mapping, Sequence, Sized
from datetime import UTC
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import LARGEST_WHOLE, InputError, float_of, kind_of, shown


def times(name: str, values: Any) -> NDArray[np.float64]:
    """Return lengths of time as a new 1-D array of seconds; refuse NaN, infinite and negative ones.

    Numbers are taken as they are, timedeltas (of Python, NumPy or pandas) in seconds; datetimes
    are refused.
    """
    array = array_of(name, values)
    if array.dtype.kind == "M":
        raise InputError(f"{name} holds datetimes; give seconds or timedeltas")
    return _not_negative(name, _seconds(name, array), "a finite time of 0 seconds or more")


def instants(name: str, values: Any) -> NDArray[np.float64]:
    """Return instants as `times` does; datetimes become seconds since the first of them."""
    array = array_of(name, values)
    if array.dtype.kind == "M" and array.size and not np.isnat(array).any():
        if np.datetime_data(array.dtype)[0] in "YM":  # of no fixed length
            array = array.astype("datetime64[s]")
        array = array - array.min()
    return _not_negative(name, _seconds(name, array), "a finite time of 0 seconds or more")


def fractions(name: str, values: Any) -> NDArray[np.float64]:
    """Return a new 1-D array of finite numbers of 0 or more, which are no times."""
    return _not_negative(name, numbers(name, values), "a finite number of 0 or more")


def _seconds(name: str, array: NDArray) -> NDArray:
    """Return timedeltas as numbers of seconds, and numbers as they are."""
    if array.dtype.kind not in "mM":
        return array
    missing = np.isnat(array)
    if missing.any():
        first = int(missing.argmax())
        raise InputError(f"{_entry(name, first, array.shape)} = NaT; drop such entries, or fill it")
    unit = np.datetime_data(array.dtype)[0]
    if unit in ("generic", "Y", "M"):
        raise InputError(f"{name} holds timedeltas of unit {unit!r}; give seconds")
    return array / np.timedelta64(1, "s")


def _not_negative(name: str, array: NDArray, mend: str) -> NDArray[np.float64]:
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; give one value a job")
    array = np.array(array, dtype=float, order="C")
    # A NaN makes both comparisons fail.
    if len(array) and not (array.min() >= 0 and array.max() < np.inf):
        first = int((~(np.isfinite(array) & (array >= 0))).argmax())
        raise InputError(f"{name}[{first}] = {array[first]:g}; give {mend}")
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
        first = int(bad.argmax())
        raise InputError(
            f"{_entry(name, first, array.shape)} = {shown(array.flat[first])}; "
            f"give a whole number of {least} or more"
        )
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
        first = int(np.ma.getmaskarray(values).argmax())
        entry = _entry(name, first, np.shape(values))
        raise InputError(f"{entry} is masked; drop such entries, or fill it")
    if isinstance(values, Sequence) and not isinstance(values, str | bytes | bytearray):
        return _of_sequence(name, values)
    if isinstance(values, np.generic) or not hasattr(values, "__array__"):
        return _of_elements(name, [values], ())
    # NumPy knows no time zones; pandas then hands over the instants in UTC.
    zoned = getattr(getattr(values, "dtype", None), "tz", None) is not None
    try:
        array = np.asarray(values, dtype=f"datetime64[{values.dtype.unit}]" if zoned else None)
    except Exception as error:  # whatever the object's own conversion raises
        raise InputError(f"{name} = {shown(values)} is no array ({shown(error)})") from None
    if array.dtype.kind == "O":
        return _of_elements(name, array.ravel().tolist(), array.shape)
    return array if array.dtype.kind in "mM" else _exact(name, array)


def _exact(name: str, array: NDArray) -> NDArray:
    """Return an array of numbers as `int64` or `float64`; refuse what these cannot hold."""
    kind = array.dtype.kind
    if kind not in "iuf":
        raise InputError(f"{name} holds values of type {array.dtype}; give numbers")
    if kind == "f":
        exact = array.astype(float, copy=False)
        bad = (exact != array) & ~np.isnan(array) if array.itemsize > 8 else np.zeros(0, bool)
    else:
        within = not array.size or -LARGEST_WHOLE <= array.min() <= array.max() <= LARGEST_WHOLE
        exact = array.astype(np.int64, copy=False) if within else array
        bad = np.zeros(0, bool) if within else (array > LARGEST_WHOLE) | (array < -LARGEST_WHOLE)
    if bad.any():
        first = int(bad.argmax())
        _refuse_digits(_entry(name, first, array.shape), array.flat[first])
    return exact


def _refuse_digits(entry: str, value: object) -> None:
    raise InputError(
        f"{entry} = {shown(value)} has more digits than a float of 64 bits; give a "
        "rounded or a smaller number"
    )


def _of_sequence(name: str, values: Sequence) -> NDArray:
    is_table = len(values) and all(
        isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)
        for row in values
    )
    if not is_table:
        return _of_elements(name, list(values), (len(values),))
    widths = {len(row) for row in values}
    if len(widths) > 1:
        raise InputError(
            f"{name} has rows of {min(widths)} to {max(widths)} entries; give all one length"
        )
    return _of_elements(name, list(chain.from_iterable(values)), (len(values), widths.pop()))


def _of_elements(name: str, values: list, shape: tuple[int, ...]) -> NDArray:
    kinds = {of: kind_of(of) for of in set(map(type, values))}
    wrong = next((i for i, v in enumerate(values) if kinds[type(v)] is None), None)
    if wrong is not None:
        many = "" if shape else ", or a list or an array of numbers"
        raise InputError(
            f"{_entry(name, wrong, shape)} = {shown(values[wrong])}; give a number{many}"
        )
    found = sorted(set(filter(None, kinds.values()))) or ["numbers"]
    if len(found) > 1:
        raise InputError(f"{name} holds {' and '.join(found)}; give values of one kind")
    return _CONVERT[found[0]](name, values, shape).reshape(shape)


def _of_numbers(name: str, values: list, shape: tuple[int, ...]) -> NDArray:
    array = np.array(list(map(float_of, values)))
    for i in np.flatnonzero(np.abs(array) >= LARGEST_WHOLE):
        if isinstance(values[i], Integral) and abs(int(values[i])) > LARGEST_WHOLE:
            _refuse_digits(_entry(name, int(i), shape), values[i])
    is_whole = all(issubclass(of, Integral) for of in set(map(type, values)))
    return array.astype(np.int64) if is_whole else array


def _of_datetimes(name: str, values: list, shape: tuple[int, ...]) -> NDArray:
    if len({getattr(value, "tzinfo", None) is None for value in values}) > 1:
        raise InputError(f"{name} holds datetimes with and without a time zone; give one kind")
    return np.array(list(map(_moment, values)))


def _moment(value: Any) -> np.datetime64:
    if getattr(value, "tzinfo", None) is not None:
        # In UTC: between two moments of one zone Python subtracts the clocks, and forgets
        # that they are put forward in summer.
        value = value.astimezone(UTC).replace(tzinfo=None)
    return value.to_datetime64() if hasattr(value, "to_datetime64") else np.datetime64(value)


def _of_timedeltas(name: str, values: list, shape: tuple[int, ...]) -> NDArray:
    lengths = (v.to_timedelta64() if hasattr(v, "to_timedelta64") else v for v in values)
    return np.array([np.timedelta64(length) for length in lengths])


_CONVERT = {"numbers": _of_numbers, "datetimes": _of_datetimes, "timedeltas": _of_timedeltas}


def _entry(name: str, position: int, shape: tuple[int, ...]) -> str:
    """Return how an error names an entry: ``submit[3]``, ``components[3, 1]``."""
    if not shape:
        return name
    return f"{name}[{', '.join(str(int(i)) for i in np.unravel_index(position, shape))}]"


def known_times(name: str, values: Any) -> np.ma.MaskedArray | None:
    """Return times of which some may be masked, as a masked array; None where none is given."""
    if values is None:
        return None
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else False
    known = values.filled(0) if isinstance(values, np.ma.MaskedArray) else values
    return np.ma.MaskedArray(times(name, known), mask)


def component_table(name: str, components: Any, _jobs: int) -> NDArray[np.int64]:
    """Return the components as a new table with a row of whole numbers a job."""
    table = numbers(name, components)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise InputError(f"{name} has {table.ndim} dimensions; give (jobs, components)")
    if table.dtype.kind == "f":
        wrong = (table != np.floor(table)) | ~(np.abs(table) <= LARGEST_WHOLE)
        _refuse_row(name, table, wrong.any(axis=1), "give whole numbers")
    table = np.array(table, dtype=np.int64, order="C")
    if not (table.size and table.min() > 0):
        bad = (table < 0).any(axis=1) | ~table.any(axis=1)
        _refuse_row(name, table, bad, "give no negative component and at least one processor")
    return table


def _refuse_row(name: str, table: NDArray, bad: Any, mend: str) -> None:
    if bad.any():
        job = int(bad.argmax())
        raise InputError(f"{name}[{job}] = {shown(table[job])}; {mend}")


def per_job(name: str, value: Any, jobs: int) -> NDArray[np.float64]:
    """Return one number of 0 or more a job; a single one is that of all jobs."""
    if not isinstance(value, Sized) or getattr(value, "shape", None) == ():
        return fractions(name, [value]).repeat(jobs)
    return fractions(name, value)


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
