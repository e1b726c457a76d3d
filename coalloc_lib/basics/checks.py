"""Checks of arguments: single values, and columns of numbers and times.

A check returns the argument as a clean value or array, or raises `InputError`, whose one line
names the argument, the value at fault, and the mend.
"""

import math
import re
import reprlib
from collections.abc import Hashable, Sequence
from datetime import UTC, date, timedelta
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

#: Whole numbers above this are no longer exact as floating point numbers.
LARGEST_WHOLE = 2**53

#: The instant at which the year 9999 begins, in seconds of Unix. Dates end with that year, and a
#: time zone may move an instant, so no later one is accepted.
LAST_INSTANT = 253_370_764_800

#: A number in digits. Python's own `int` and `float` take 1_000, digits of any script, and nan too.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

#: How many characters of a value an error shows.
_MOST_SHOWN = 60

_TOO_LONG = "has more digits than a float of 64 bits; give a rounded or a smaller number"

_T = TypeVar("_T")


class InputError(ValueError):
    """A mistake of the caller: bad argument, bad file, impossible job. Never a bug of ours."""


class ImpossibleJobError(InputError):
    """A job that can never start. `job` is its position, `reason` why."""

    def __init__(self, job: int, reason: str) -> None:
        self.job, self.reason = job, reason
        super().__init__(
            f"job {job} can never start: {reason}; drop it, split it, or give it a larger system"
        )


def shown(value: object) -> str:
    """Return a value as an error shows it: on one line, and short however long it is."""
    if isinstance(value, np.number) and not isinstance(value, np.timedelta64):
        value = value.item()
    elif isinstance(value, np.ndarray):
        value = value.ravel()[: reprlib.aRepr.maxlist + 1].tolist()
    try:
        text = " ".join(reprlib.repr(value).split())
    except Exception:  # a __repr__ that fails, or a number of more digits than Python prints
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def path_of(name: str, value: Any) -> Path:
    """Return `value` as a path; refuse what is none."""
    try:
        path = Path(value)
    except TypeError:
        path = None
    if path is None or "\0" in str(path):
        raise InputError(f"{name} = {shown(value)}; give the path of a file")
    return path


def instance_of(name: str, value: Any, kind: type[_T], example: str) -> _T:
    """Return `value`; refuse what is no `kind`."""
    if not isinstance(value, kind):
        raise InputError(f"{name} = {shown(value)} is no {kind.__name__}; give {example}")
    return value


def finite(name: str, value: Any, least: float = -math.inf, which: str = "") -> float:
    """Return `value` as a float; refuse what is not a finite number of `least` or more."""
    number = float_of(_number(name, value))
    if not (math.isfinite(number) and number >= least):
        raise InputError(f"{name} = {shown(value)}; give a finite number{which}")
    return number


def positive(name: str, value: Any) -> float:
    """Return `value` as a float; refuse what is not a finite number above 0."""
    return finite(name, value, math.nextafter(0, 1), " above 0")


def not_negative(name: str, value: Any) -> float:
    """Return `value` as a float; refuse what is not a finite number of 0 or more."""
    return finite(name, value, 0, " of 0 or more")


def whole(name: str, value: Any, least: int = 1) -> int:
    """Return `value` as an int; refuse fractions and numbers below `least`."""
    number = _number(name, value)
    if not (least <= number < math.inf and number == int(number)):
        raise InputError(f"{name} = {shown(value)}; give a whole number of {least} or more")
    return int(number)


def _number(name: str, value: Any) -> int | float:
    """Return a number; a word of digits, True or a length of time is none."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if kind_of(type(value)) != "numbers":
        raise InputError(f"{name} = {shown(value)}; give a number")
    return int(value) if isinstance(value, Integral) else float_of(value)


def whole_in(text: str) -> int:
    """Return the whole number that digits spell; a ValueError says that they spell none."""
    digits = text.strip().lstrip("0") or text.strip()[-1:]
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(LARGEST_WHOLE))):
        raise ValueError("no whole number")
    if int(digits) > LARGEST_WHOLE:
        raise ValueError("more than a float holds")
    return int(digits)


def number_in(text: str) -> float:
    """Return the finite number that a text spells; a ValueError says that it spells none."""
    number = float(text) if NUMBER.fullmatch(text.strip()) else math.nan
    if not math.isfinite(number):
        raise ValueError("no finite number")
    return number


def float_of(value: Any) -> float:
    """Return a number as a float, infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except ValueError:  # Decimal's signalling NaN
        return math.nan


def in_memory(name: str, value: int, most: int) -> int:
    """Return `value`; refuse what is above `most`, where a table of that length has no use."""
    if value > most:
        raise InputError(f"{name} = {shown(value)}; give at most {most:,}")
    return value


def one_of(name: str, value: _T, choices: Sequence[_T]) -> _T:
    """Return `value`; refuse what is not among `choices`."""
    if not isinstance(value, Hashable) or value not in choices:  # an array compares by element
        raise InputError(f"{name} = {shown(value)}; choose one of {', '.join(map(repr, choices))}")
    return value


def kind_of(of: type) -> str | None:
    """Return what the values of a type are: numbers, datetimes, timedeltas or nothing known."""
    if issubclass(of, timedelta | np.timedelta64):  # before the numbers: NumPy counts it as one
        return "timedeltas"
    # NaT derives from datetime, and is none.
    if issubclass(of, date | np.datetime64) and of.__name__ != "NaTType":
        return "datetimes"
    if issubclass(of, Real | Decimal) and of is not bool:
        return "numbers"
    return None


def times(name: str, values: Any) -> NDArray[np.float64]:
    """Return lengths of time, numbers or timedeltas, as a new 1-D array of seconds, all >= 0."""
    array = array_of(name, values)
    if array.dtype.kind == "M":
        seconds = "seconds (of instants: since the first submission)"
        raise InputError(f"{name} holds datetimes; give {seconds} or timedeltas")
    return _seconds(name, array)


def instants(name: str, values: Any) -> NDArray[np.float64]:
    """Return instants as `times` does; datetimes become seconds since the first of them."""
    array = array_of(name, values)
    if array.dtype.kind == "M" and array.size:
        if np.datetime_data(array.dtype)[0] in "YM":  # of no fixed length
            array = array.astype("datetime64[s]")
        array = array - np.fmin.reduce(array, axis=None)
    return _seconds(name, array)


def deadlines(name: str, values: Any, jobs: int) -> NDArray[np.float64]:
    """Return instants as `times` does, of which some may be infinite; where none is given, all."""
    if values is None:
        return np.full(jobs, np.inf)
    array = array_of(name, values)
    if array.dtype.kind != "f":
        return times(name, array)
    never = array == np.inf
    return np.where(never, np.inf, times(name, np.where(never, 0.0, array)))


def known_times(name: str, values: Any) -> np.ma.MaskedArray | None:
    """Return times of which some may be masked, as a masked array; None where none is given."""
    if values is None:
        return None
    is_masked = isinstance(values, np.ma.MaskedArray)
    known = times(name, values.filled(0) if is_masked else values)
    return np.ma.MaskedArray(known, np.ma.getmaskarray(values) if is_masked else False)


def per_job(name: str, value: Any, jobs: int) -> NDArray[np.float64]:
    """Return one number of 0 or more a job; a single one is that of all jobs."""
    array = numbers(name, value)
    return _seconds(name, array if array.ndim else array.repeat(jobs))


def _seconds(name: str, array: NDArray) -> NDArray[np.float64]:
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
    """Return `values` as an `int64` array; refuse fractions and numbers below `least`."""
    array = numbers(name, values)
    if array.size == 0:
        raise InputError(f"{name} is empty; give at least one number")
    bad = (array < least) | (array > LARGEST_WHOLE) | (array != np.floor(array))  # NaN too
    if bad.any():
        raise InputError(f"{_first(name, array, bad)}; give a whole number of {least} or more")
    return array.astype(np.int64)


def numbers(name: str, values: Any) -> NDArray:
    """Return `values` as an array of `int64` or `float64`; refuse all that are no numbers."""
    array = array_of(name, values)
    if kind := {"M": "datetimes", "m": "timedeltas"}.get(array.dtype.kind):
        raise InputError(f"{name} holds {kind}; give numbers")
    return array


def array_of(name: str, values: Any) -> NDArray:
    """Return a scalar, sequence, array or column of pandas as numbers, datetimes or timedeltas.

    Refused is what is missing or masked, and what NumPy would take for numbers: truth values,
    words of digits, dates among numbers, whole numbers that a float cannot hold.
    """
    if np.ma.is_masked(values):
        mask = np.ma.getmaskarray(values)
        raise InputError(f"{_first(name, mask, mask, 'is masked')}; drop such entries, or fill it")
    dtype: Any = None if hasattr(values, "__array__") else object
    if getattr(getattr(values, "dtype", None), "tz", None) is not None:
        dtype = f"datetime64[{values.dtype.unit}]"  # NumPy knows no time zones: pandas gives UTC
    try:
        array = np.asarray(values, dtype=object if isinstance(values, np.generic) else dtype)
        if array.dtype.kind == "O":
            return _of_elements(name, array)
    except InputError:
        raise
    except Exception as error:  # whatever the object's own conversion raises
        raise InputError(f"{name} = {shown(values)} is no array ({shown(error)})") from None
    if array.dtype.kind in "mM":
        return array
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name} holds values of type {array.dtype}; give numbers")
    if array.dtype.kind == "f":
        exact = array.astype(float, copy=False)
        bad = (exact != array) & ~np.isnan(array)
    else:
        exact = array.astype(np.int64, copy=False)
        bad = (array > LARGEST_WHOLE) | (array < -LARGEST_WHOLE)
    if bad.any():
        raise InputError(f"{_first(name, array, bad)} {_TOO_LONG}")
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
        kinds_held = " and ".join(sorted({str(kind) for kind in kinds.values()}))
        raise InputError(f"{name} holds {kinds_held}; give values of one kind")
    if "numbers" in kinds.values() or not values:
        floats = np.array(list(map(float_of, values)))
        for i in np.flatnonzero(np.abs(floats) >= LARGEST_WHOLE):
            if isinstance(values[i], Integral) and abs(int(values[i])) > LARGEST_WHOLE:
                raise InputError(f"{_first(name, array, np.arange(len(values)) == i)} {_TOO_LONG}")
        is_whole = all(issubclass(of, Integral) for of in kinds)
        return floats.astype(np.int64 if is_whole else float).reshape(array.shape)
    if len({getattr(value, "tzinfo", None) is None for value in values}) > 1:
        raise InputError(f"{name} holds datetimes with and without a time zone; give one kind")
    kind = "M8" if "datetimes" in kinds.values() else "m8"
    # In UTC, as moments of one zone are subtracted by the clock, which is put forward in summer.
    if getattr(values[0], "tzinfo", None) is not None:
        values = [value.astimezone(UTC).replace(tzinfo=None) for value in values]
    values = [value.to_numpy() if hasattr(value, "to_numpy") else value for value in values]
    return np.array(values, dtype=kind).reshape(array.shape)


def _first(name: str, array: NDArray, bad: Any, what: str = "") -> str:
    """Return the first bad entry as an error names it: ``submit[3] = -1``."""
    position = int(bad.ravel().argmax())
    place = ", ".join(str(int(i)) for i in np.unravel_index(position, array.shape))
    what = what or f"= {shown(array.flat[position])}"
    return f"{name}[{place}] {what}" if array.ndim else f"{name} {what}"
