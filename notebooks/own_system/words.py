"""Functions that format durations and their changes as strings for readers."""

import numpy as np

from coalloc_lib.basics.times import DAY, HOUR

#: The durations below which a number of minutes or of hours has one decimal, in seconds.
WITH_DECIMAL = {60: 600, HOUR: 20 * HOUR}
#: A note on a figure of changes, for an interval with a fall of more than the wait of today.
FEW_WEEKS = "an interval that ends beyond the wait of today depends on few weeks"


def duration(seconds: float) -> str:
    """Format a duration as a string with a unit, such as ``35 s`` or ``12.5 days``.

    For NaN, the string is ``–``.
    """
    return "–" if np.isnan(seconds) else " ".join(_in_one_unit([seconds]))


def changed(change: float, low: float = np.nan, high: float = np.nan, times: bool = True) -> str:
    """Format a change and its interval as a string, such as ``−3.1 h (−4.9 to +1.2)``.

    Parameters
    ----------
    change : float
        The change, in seconds if it is the change in a duration.
    low, high : float
        The ends of its interval. If they are NaN, the interval is left out.
    times : bool
        Whether the change is that of a duration. Otherwise, it is a number without a unit.
    """
    ends = [change] if np.isnan(low) else [change, low, high]
    *texts, unit = _in_one_unit(ends) if times else [*(f"{end:.1f}" for end in ends), ""]
    return _with_interval(texts, unit)


def unit_of(seconds: float) -> tuple[float, str]:
    """Return the unit of time in which a duration is easiest to read.

    The result is the number of seconds in the unit, and its name.
    """
    units = (90, 1, "s"), (5_400, 60, "min"), (4 * DAY, HOUR, "h"), (np.inf, DAY, "days")
    return next((length, name) for limit, length, name in units if seconds < limit)


def _in_one_unit(times):
    size = max(map(abs, times))
    length, unit = unit_of(size)
    has_decimal = length == DAY or size < WITH_DECIMAL.get(length, 0)
    digits = 1 if has_decimal else 0
    # Adding 0.0 turns -0.0 into 0.0, which is formatted without a minus sign.
    return [*(f"{round(time / length, digits) + 0.0:.{digits}f}" for time in times), unit]


def _with_interval(texts, unit):
    # The texts are a change and, if its interval is known, the two ends of the interval.
    signed = [f"+{text}" if float(text) > 0 else text.replace("-", "−") for text in texts]
    interval = f" ({signed[1]} to {signed[2]})" if len(signed) > 1 else ""
    return f"{signed[0]} {unit}".rstrip() + interval


def in_a_row(
    now: float, then: float, change: float, low: float, high: float
) -> tuple[str, str, str]:
    """Format two durations and their difference as strings with the same unit.

    Parameters
    ----------
    now, then : float
        The two durations in seconds.
    change, low, high : float
        The change in seconds and the ends of its interval.

    Returns
    -------
    tuple of str
        The first duration, the second duration, and the change with its interval. The string for
        NaN is ``–``.
    """
    times = [now, then, change, low, high]
    known = [time for time in times if not np.isnan(time)]
    *texts, unit = _in_one_unit(known) if known else ["s"]
    texts = iter(texts)
    first, second, *ends = ("" if np.isnan(time) else next(texts) for time in times)
    one, other = (f"{text} {unit}" if text else "–" for text in (first, second))
    shown = ends if all(ends) else ends[:1]
    return one, other, _with_interval(shown, unit) if ends[0] else "–"
