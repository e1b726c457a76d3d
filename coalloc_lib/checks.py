"""Checks of arguments, shared by every public function.

A check returns the argument as a clean array or raises `InputError`, whose one line names the
argument, the value at fault, and the mend.
"""

import numpy as np


class InputError(ValueError):
    """A mistake of the caller: bad argument, bad file, impossible job. Never a bug of ours."""


class ImpossibleJobError(InputError):
    """A job that can never start. `job` is its position, `reason` why."""

    def __init__(self, job, reason):
        self.job, self.reason = job, reason
        super().__init__(
            f"job {job} can never start: {reason}; drop it, split it, or give it a larger system"
        )


def times(name, values, *, unit="seconds"):
    """Return `values` as a new 1-D float array; refuse NaN, infinite and negative entries."""
    try:
        array = np.array(values, dtype=float, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{name} holds something that is no number; give numbers") from None
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; give one value a job")
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        first = int(bad.argmax())
        raise InputError(
            f"{name}[{first}] = {array[first]:g}; give a finite time of 0 {unit} or more"
        )
    return array


def positive(name, value):
    """Return `value` as a float; refuse what is not a finite number above 0."""
    number = _number(name, value)
    if not (np.isfinite(number) and number > 0):
        raise InputError(f"{name} = {value}; give a finite number above 0")
    return number


def whole(name, value, least=1):
    """Return `value` as an int; refuse fractions and numbers below `least`."""
    number = _number(name, value)
    if isinstance(value, bool) or number != np.floor(number) or not least <= number < np.inf:
        raise InputError(f"{name} = {value}; give a whole number of {least} or more")
    return int(value)


def _number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} = {value!r}; give a number") from None


def in_memory(name, value, most):
    """Return `value`; refuse what is above `most`, where a table of that length has no use."""
    if value > most:
        raise InputError(f"{name} = {value}; give at most {most:,}")
    return value


def whole_numbers(name, values, least=1):
    """Return `values` as an `int64` array; refuse what is no whole number or below `least`."""
    array = np.asarray(values)
    if array.dtype.kind not in "iufb" or array.size == 0:
        raise InputError(f"{name} is empty or holds no numbers; give at least one")
    bad = ~(np.isfinite(array) & (array == np.floor(array)) & (array >= least))
    if bad.any():
        raise InputError(
            f"{name} holds {array[bad].flat[0]:g}; give whole numbers of {least} or more"
        )
    return array.astype(np.int64)


def one_of(name, value, choices):
    """Return `value`; refuse what is not among `choices`."""
    if value not in choices:
        raise InputError(f"{name} = {value!r}; choose one of {', '.join(map(repr, choices))}")
    return value


def shown(value):
    """Return a value as an error shows it: on one line, and short however long it is."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def instance_of(name, value, kind, example):
    """Return `value`; refuse what is no `kind`."""
    if not isinstance(value, kind):
        raise InputError(f"{name} = {shown(value)} is no {kind.__name__}; give {example}")
    return value
