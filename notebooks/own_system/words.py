"""Times, changes and lists in words."""

import numpy as np

HOUR, DAY = 3_600, 86_400


def duration(seconds: float) -> str:
    """Return a length of time in words: ``35 s``, ``12 min``, ``3.4 h``, ``12.5 days``."""
    return "–" if np.isnan(seconds) else " ".join(_in_one_unit([seconds]))


def changed(change: float, low: float = np.nan, high: float = np.nan, times: bool = True) -> str:
    """Return a change with its interval: ``−3.1 h (−4.9 to +1.2)``; of numbers, not `times`."""
    ends = [change] if np.isnan(low) else [change, low, high]
    *texts, unit = _in_one_unit(ends) if times else [*(f"{end:.1f}" for end in ends), ""]
    signed = [text if float(text) <= 0 else f"+{text}" for text in texts]
    interval = f" ({signed[1]} to {signed[2]})" if len(signed) > 1 else ""
    return f"{signed[0]} {unit}".rstrip().replace("-", "−") + interval.replace("-", "−")


def unit_of(seconds: float) -> tuple[int, str]:
    """Return the length in seconds, and the name, of the unit in which a time is read best."""
    units = (90, 1, "s"), (5_400, 60, "min"), (4 * DAY, HOUR, "h"), (np.inf, DAY, "days")
    return next(each[1:] for each in units if seconds < each[0])


def _in_one_unit(times):
    """Return lengths of time as texts of numbers, and their unit."""
    size = max(map(abs, times))
    length, unit = unit_of(size)
    digits = 0 if length < HOUR or (length == HOUR and size >= 20 * HOUR) else 1
    # No minus before a zero.
    return [*(f"{round(each / length, digits) + 0.0:.{digits}f}" for each in times), unit]


def in_a_row(
    now: float, then: float, change: float, low: float, high: float
) -> tuple[str, str, str]:
    """Return two times and the change with its interval as texts of one unit, – where unknown."""
    times = [now, then, change, low, high]
    known = [time for time in times if not np.isnan(time)]
    *texts, unit = _in_one_unit(known) if known else ["s"]
    texts = iter(texts)
    one, other, *ends = ("" if np.isnan(time) else next(texts) for time in times)
    ends = [f"{'+' * (text > '' and float(text) > 0)}{text}".replace("-", "−") for text in ends]
    interval = f" ({ends[1]} to {ends[2]})" if ends[1] and ends[2] else ""
    first, second, moved = (f"{text} {unit}" if text else "–" for text in (one, other, ends[0]))
    return first, second, moved + interval
