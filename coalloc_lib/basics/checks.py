"""Checks of the arguments of public functions: single values, and columns of numbers and times.

Every check takes the name of the argument, which errors show, and its value. It returns the value
in a fixed type, or raises `InputError` with one line that has the name, the wrong value, and what
to give instead.
"""

import math
import re
import reprlib
from collections.abc import Hashable, Iterable, Sequence
from datetime import UTC, date, timedelta
from decimal import Decimal
from itertools import compress
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

#: The largest number up to which a 64-bit float can represent all whole numbers exactly.
LARGEST_WHOLE = 2**53

#: The start of the year 9999 as a Unix time in seconds. Later instants are rejected, because Python
#: has no dates after the year 9999, and the time zone can shift an instant by several hours.
LAST_INSTANT = 253_370_764_800

#: The largest load, as a multiple of the capacity, that a simulation accepts. A larger number is
#: probably a percentage.
MOST_LOAD = 10

#: The pattern of a decimal number in a file. It is stricter than Python's `int` and `float`, which
#: also accept strings such as ``1_000``, ``nan`` and non-ASCII digits; in a file, such strings are
#: mistakes.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

#: The maximum number of characters of a value that an error message shows.
_MOST_SHOWN = 60

_T = TypeVar("_T")


class InputError(ValueError):
    """Error raised if an argument or a file is invalid, or if a job can never start.

    The message is one line for the user. Errors in the library itself are never of this type.

    Parameters
    ----------
    *message
        The message.
    argument : str
        The name of the wrong argument if it is a single value, and otherwise an empty string. The
        reservation calendar marks the field in which the value was entered.
    """

    def __init__(self, *message: Any, argument: str = "") -> None:
        super().__init__(*message)
        self.argument = argument


class ImpossibleJobError(InputError):
    """Error raised if a job can never start, even in an idle system.

    Parameters
    ----------
    job : int
        Position of the job in its stream, from 0.
    reason : str
        Why the job can never start, for the error message.
    """

    def __init__(self, job: int, reason: str) -> None:
        # Unpickling calls this class with the arguments that were passed to its base class. Both
        # arguments are therefore passed to the base class.
        super().__init__(job, reason)
        self.job, self.reason = job, reason

    def __str__(self) -> str:
        return (
            f"job {self.job} can never start: {self.reason}; remove the job, split it, or use a "
            "larger system"
        )


def shown(value: object) -> str:
    """Return a value as a string for an error message: one line of at most 60 characters."""
    if isinstance(value, np.number) and not isinstance(value, np.timedelta64):
        value = value.item()
    elif isinstance(value, np.ndarray):
        value = value.ravel()[: reprlib.aRepr.maxlist + 1].tolist()
    try:
        text = " ".join(reprlib.repr(value).split())
    except Exception:  # the value's __repr__ fails, or Python does not print so long a number
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def path_of(name: str, value: Any) -> Path:
    """Return `value` as a `Path`, or raise `InputError` if it cannot be the path of a file."""
    try:
        path = Path(value)
    except TypeError:
        path = None
    if path is None or "\0" in str(path):
        raise InputError(f"{name} = {shown(value)}; give the path of a file", argument=name)
    return path


def instance_of(name: str, value: Any, kind: type[_T], example: str) -> _T:
    """Return `value`, or raise `InputError` if it is not an instance of the class `kind`."""
    if not isinstance(value, kind):
        raise InputError(
            f"{name} = {shown(value)} is not of type {kind.__name__}; give {example}", argument=name
        )
    return value


def finite(name: str, value: Any, least: float = -math.inf, range_text: str = "") -> float:
    """Return `value` as a float, or raise `InputError` if it is not finite or is below `least`.

    The text `range_text` describes the allowed range in the error, for example ``" above 0"``.
    """
    number = float_of(_number(name, value))
    if not (math.isfinite(number) and number >= least):
        raise InputError(
            f"{name} = {shown(value)}; give a finite number{range_text}", argument=name
        )
    return number


def positive(name: str, value: Any) -> float:
    """Return `value` as a float, or raise `InputError` if it is not a finite number above 0."""
    return finite(name, value, math.nextafter(0, 1), " above 0")


def offered_load(value: Any) -> float:
    """Return a load as a float, or raise `InputError` if it is not above 0 or is above 10.

    A load is a fraction of the capacity. A percentage such as 70 would give a run in which the
    queue only grows.
    """
    load = positive("load", value)
    if load > MOST_LOAD:
        raise InputError(
            f"load = {load:g} is more than {MOST_LOAD} times the capacity; give a fraction "
            "of it, such as 0.7",
            argument="load",
        )
    return load


def not_negative(name: str, value: Any) -> float:
    """Return `value` as a float, or raise `InputError` if it is not a finite number >= 0."""
    return finite(name, value, 0, " of 0 or more")


def whole(name: str, value: Any, least: int = 1) -> int:
    """Return `value` as an int, or raise `InputError` unless it is a whole number >= `least`."""
    number = _number(name, value)
    # Fractions and decimals stay as they are, because they can have more digits than floats.
    if not (least <= number < math.inf and value == int(value)):
        raise InputError(
            f"{name} = {shown(value)}; give a whole number of {least} or more", argument=name
        )
    return int(value)


def _number(name: str, value: Any) -> int | float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if kind_of(type(value)) != "numbers":
        raise InputError(f"{name} = {shown(value)}; give a number", argument=name)
    return int(value) if isinstance(value, Integral) else float_of(value)


def whole_in(text: str) -> int:
    """Convert a string to an int, or raise `ValueError` if it is not a whole number >= 0."""
    digits = text.strip().lstrip("0") or text.strip()[-1:]
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError("not a whole number of 0 or more")
    if len(digits) > len(str(LARGEST_WHOLE)) or int(digits) > LARGEST_WHOLE:
        raise ValueError("too large for a float")
    return int(digits)


def number_in(text: str) -> float:
    """Convert a string to a number, or raise `ValueError` if it is not a finite number."""
    number = float(text) if NUMBER.fullmatch(text.strip()) else math.nan
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def float_of(value: Any) -> float:
    """Convert a number to a float; numbers too large for a float become infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except ValueError:  # float() raises it for the signalling NaN of Decimal
        return math.nan


def at_most(name: str, value: int, most: int) -> int:
    """Return the whole number `value`, or raise `InputError` if it is above `most`."""
    if value > most:
        raise InputError(f"{name} = {shown(value)}; give at most {most:,}", argument=name)
    return value


def one_of(name: str, value: _T, choices: Sequence[_T]) -> _T:
    """Return `value`, or raise `InputError` if it is not one of `choices`."""
    # Unhashable values are rejected first, because Python raises an error if an array is looked up
    # in a tuple.
    if not isinstance(value, Hashable) or value not in choices:
        allowed = ", ".join(map(repr, choices))
        raise InputError(f"{name} = {shown(value)}; choose one of {allowed}", argument=name)
    return value


def boolean(name: str, value: Any) -> bool:
    """Return `value` as a bool, or raise `InputError` if it is not True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} = {shown(value)}; give True or False", argument=name)
    return bool(value)


def kind_of(value_type: type) -> str | None:
    """Classify a Python type as "numbers", "datetimes" or "timedeltas", or return None."""
    # Timedeltas are tested before numbers, because NumPy's timedelta64 is a subclass of a NumPy
    # number type.
    if issubclass(value_type, timedelta | np.timedelta64):
        return "timedeltas"
    # The type of pandas.NaT is a subclass of datetime, although NaT is not a datetime.
    if issubclass(value_type, date | np.datetime64) and value_type.__name__ != "NaTType":
        return "datetimes"
    if issubclass(value_type, Real | Decimal) and value_type is not bool:
        return "numbers"
    return None


def times(name: str, values: Any) -> NDArray[np.float64]:
    """Convert durations to a new 1-D array of seconds.

    `values` are finite numbers of 0 or more, or timedeltas. Other values raise `InputError`.
    """
    array = array_of(name, values)
    if array.dtype.kind == "M":
        raise InputError(
            f"{name} holds datetimes; give numbers of seconds or timedeltas (for an instant, the "
            "time since the first submission)"
        )
    return _seconds(name, array)


def instants(name: str, values: Any) -> NDArray[np.float64]:
    """Convert numbers, timedeltas or datetimes to a new 1-D array of seconds.

    `values` are finite numbers of 0 or more, timedeltas, or datetimes. Datetimes become the seconds
    since the earliest of them. Other values raise `InputError`.
    """
    array = array_of(name, values)
    if array.dtype.kind == "M" and array.size:
        # NumPy returns the difference between two datetimes in the unit of the datetimes. Years and
        # months have no fixed length in seconds, so datetimes in these units are converted to
        # seconds first.
        if np.datetime_data(array.dtype)[0] in "YM":
            array = array.astype("datetime64[s]")
        array = array - np.fmin.reduce(array, axis=None)
        if (array < np.timedelta64(0)).any():  # The difference exceeds the range of 64 bits.
            raise _too_far_apart(name, array)
    return _seconds(name, array)


def _seconds(name: str, array: NDArray) -> NDArray[np.float64]:
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; give one value for each job")
    if array.dtype.kind in "mM":
        unit = np.datetime_data(array.dtype)[0]
        if unit in ("generic", "Y", "M"):
            raise InputError(f"{name} holds timedeltas of unit {unit!r}; give seconds")
        array = array / np.timedelta64(1, "s")  # NaT becomes NaN
    return not_negative_numbers(name, array)


def not_negative_numbers(name: str, values: Any) -> NDArray[np.float64]:
    """Convert `values` to a new float array; raise `InputError` unless all are finite and >= 0."""
    array = floats(name, values)
    # Testing the minimum and the maximum needs no temporary array. If an entry is NaN, the minimum
    # and the maximum are NaN too, and the test fails.
    if array.size and not (array.min() >= 0 and array.max() < np.inf):
        bad = ~(np.isfinite(array) & (array >= 0))
        entry = _first(name, array, bad, f"= {array[bad][0]:g}")
        raise InputError(f"{entry}; give a finite number of 0 or more")
    return array


def whole_numbers(name: str, values: Any, least: int = 1) -> NDArray[np.int64]:
    """Return `values` as an `int64` array of whole numbers >= `least`, or raise `InputError`."""
    array = numbers(name, values)
    if array.size == 0:
        raise InputError(f"{name} is empty; give at least one number")
    bad = (array < least) | (array > LARGEST_WHOLE) | (array != np.floor(array))  # true for NaN
    if bad.any():
        raise InputError(f"{_first(name, array, bad)}; give a whole number of {least} or more")
    return array.astype(np.int64)


def numbers(name: str, values: Any) -> NDArray:
    """Return `values` as an `int64` or `float64` array, or raise `InputError` for other types."""
    array = array_of(name, values)
    if array.dtype.kind in "mM":
        kind = "datetimes" if array.dtype.kind == "M" else "timedeltas"
        raise InputError(f"{name} holds {kind}; give numbers")
    return array


def floats(name: str, values: Any) -> NDArray[np.float64]:
    """Convert `values` to a new float array, or raise `InputError`; True becomes 1.

    Apart from truth values, the same values are accepted as by `numbers`.
    """
    if np.ma.is_masked(values):
        return numbers(name, values)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError, UserWarning, np.ma.MaskError):
        return numbers(name, values).astype(float)
    # NumPy makes a masked number NaN, and drops the masks of rows. Looking for masks only in these
    # cases costs no time for long lists of numbers.
    if array.ndim > 1 or (array.dtype.kind == "f" and array.size and np.isnan(array.min())):
        _refuse_masked_items(name, values)
    if array.dtype.char in "?d":  # truth values, or 64-bit floats
        if not hasattr(values, "dtype"):
            _check_rounding(name, values, array)
        return np.array(array, dtype=float, order="C")
    # A list of whole numbers and truth values has become an array of whole numbers here.
    return numbers(name, array if array.dtype.kind in "iuf" else values).astype(float, order="C")


def array_of(name: str, values: Any) -> NDArray:
    """Convert a scalar, sequence, array or pandas column to an array of numbers or of times.

    The result has the type `int64`, `float64`, `datetime64` or `timedelta64`. Missing and masked
    values raise `InputError`, and so do values that NumPy would convert silently: truth values,
    text, a mixture of dates and numbers, and whole numbers that a float cannot represent.
    """
    if np.ma.is_masked(values):
        mask = np.ma.getmaskarray(values)
        raise InputError(
            f"{_first(name, mask, mask, 'is masked')}; remove the masked entries or fill them"
        )
    _refuse_masked_items(name, values)
    dtype: Any = None if hasattr(values, "__array__") else object
    if getattr(getattr(values, "dtype", None), "tz", None) is not None:
        # NumPy's datetimes have no time zone, so pandas must convert the datetimes to UTC.
        dtype = f"datetime64[{values.dtype.unit}]"
    try:
        array = np.asarray(values, dtype=object if isinstance(values, np.generic) else dtype)
        if array.dtype.kind == "O":
            return _of_elements(name, array)
    except InputError:
        raise
    except Exception as error:  # a conversion that the object itself defines can raise anything
        raise InputError(
            f"{name} = {shown(values)} cannot be read as an array ({shown(error)})"
        ) from None
    return array if array.dtype.kind in "mM" else _exact_numbers(name, array)


def _refuse_masked_items(name: str, values: Any) -> None:
    """Raise `InputError` if a list or a tuple, or one of its rows, has an item that is masked."""
    if not isinstance(values, list | tuple):
        return
    if not any(issubclass(kind, np.ma.MaskedArray | list | tuple) for kind in {*map(type, values)}):
        return
    for position, item in enumerate(values):
        if np.ma.is_masked(item):
            raise InputError(
                f"{name}[{position}] is masked; remove the masked entries or fill them"
            )
        _refuse_masked_items(f"{name}[{position}]", item)


def _exact_numbers(name: str, array: NDArray) -> NDArray:
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name} holds values of type {array.dtype}; give numbers")
    if array.dtype.kind == "f":
        exact = array.astype(float, copy=False)
        bad = (exact != array) & ~np.isnan(array)
    else:
        exact = array.astype(np.int64, copy=False)
        bad = (array > LARGEST_WHOLE) | (array < -LARGEST_WHOLE)
    if bad.any():
        raise _too_long(name, array, bad)
    return exact


def _of_elements(name: str, array: NDArray) -> NDArray:
    values = array.ravel().tolist()
    kinds = {value_type: kind_of(value_type) for value_type in set(map(type, values))}
    if None in kinds.values():
        wrong = np.array([kinds[type(value)] is None for value in values])
        is_row = isinstance(values[wrong.argmax()], list | tuple | np.ndarray)
        mend = "rows of one length" if is_row else "a number" if array.ndim else "numbers"
        raise InputError(f"{_first(name, array, wrong)}; give {mend}")
    if len(set(kinds.values())) > 1:
        kinds_held = " and ".join(sorted({str(kind) for kind in kinds.values()}))
        raise InputError(f"{name} holds {kinds_held}; give values of one kind")
    if "numbers" in kinds.values() or not values:
        return _numbers_of_objects(name, array, values, kinds)
    if len({getattr(value, "tzinfo", None) is None for value in values}) > 1:
        raise InputError(f"{name} holds datetimes with and without a time zone; give one kind")
    kind = "M8" if "datetimes" in kinds.values() else "m8"
    # Python computes the difference between two datetimes of the same time zone from their local
    # times, which is wrong if the clock was changed in between. The datetimes are therefore
    # converted to UTC first.
    if getattr(values[0], "tzinfo", None) is not None:
        values = [value.astimezone(UTC).replace(tzinfo=None) for value in values]
    values = [value.to_numpy() if hasattr(value, "to_numpy") else value for value in values]
    return _times_in_one_unit(name, values, kind).reshape(array.shape)


def _times_in_one_unit(name: str, values: list, kind: str) -> NDArray:
    # NumPy converts all times to the finest of their units. If a time is too large for it, NumPy
    # returns a wrong time, which becomes another one when it is converted back to its own unit.
    converted = np.array(values, dtype=kind)
    sources = [getattr(value, "dtype", type(value)) for value in values]
    kinds = set(sources)
    if len(kinds) == 1:
        return converted
    for source in kinds:
        chosen = np.array([each == source for each in sources])
        own = np.array(list(compress(values, chosen)), dtype=kind)
        back = converted[chosen].astype(own.dtype)
        if not ((back == own) | np.isnat(own)).all():
            raise _too_far_apart(name, converted)
    return converted


def _too_far_apart(name: str, array: NDArray) -> InputError:
    unit = np.datetime_data(array.dtype)[0]
    return InputError(
        f"{name} spans more time than the unit {unit!r} can represent; give numbers of seconds"
    )


def _numbers_of_objects(name: str, array: NDArray, values: list, types: Iterable) -> NDArray:
    floats = np.array(list(map(float_of, values)))
    _check_rounding(name, array, floats)
    is_whole = all(issubclass(value_type, Integral) for value_type in types)
    return floats.astype(np.int64 if is_whole else float).reshape(array.shape)


def _check_rounding(name: str, values: Any, floats: NDArray) -> None:
    # A whole number that a float cannot represent has become a float of 2**53 or more.
    large = np.flatnonzero(np.abs(floats) >= LARGEST_WHOLE)
    if not large.size:
        return
    array = np.asarray(values, dtype=object)
    for i in large:
        value = array.flat[i]
        if isinstance(value, Integral) and abs(int(value)) > LARGEST_WHOLE:
            raise _too_long(name, array, np.arange(array.size) == i)


def _too_long(name: str, array: NDArray, bad: NDArray[np.bool_]) -> InputError:
    return InputError(
        f"{_first(name, array, bad)} has more digits than a 64-bit float can hold; give a "
        "rounded or a smaller number"
    )


def _first(name: str, array: NDArray, bad: NDArray[np.bool_], fault: str = "") -> str:
    position = int(bad.ravel().argmax())
    place = ", ".join(str(int(i)) for i in np.unravel_index(position, array.shape))
    fault = fault or f"= {shown(array.flat[position])}"
    return f"{name}[{place}] {fault}" if array.ndim else f"{name} {fault}"
