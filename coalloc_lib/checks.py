"""Checks of arguments, shared by every public function.

A check returns the argument as a clean array or raises `InputError`, whose one line names the
argument, the value at fault, and the mend.
"""

import math
import reprlib
from collections.abc import Hashable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

#: Whole numbers above this are no longer exact as floating point numbers.
LARGEST_WHOLE = 2**53

#: How many characters of a value an error shows.
_MOST_SHOWN = 60

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
    if isinstance(value, np.ndarray):
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


def positive(name: str, value: Any) -> float:
    """Return `value` as a float; refuse what is not a finite number above 0."""
    number = float_of(_number(name, value))
    if not 0 < number < math.inf:
        raise InputError(f"{name} = {shown(value)}; give a finite number above 0")
    return number


def not_negative(name: str, value: Any) -> float:
    """Return `value` as a float; refuse what is not a finite number of 0 or more."""
    number = float_of(_number(name, value))
    if not 0 <= number < math.inf:
        raise InputError(f"{name} = {shown(value)}; give a finite number of 0 or more")
    return number


def finite(name: str, value: Any) -> float:
    """Return `value` as a float; refuse what is not a finite number."""
    number = float_of(_number(name, value))
    if not math.isfinite(number):
        raise InputError(f"{name} = {shown(value)}; give a finite number")
    return number


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
