"""Times, changes and intervals in the words of a report."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

MINUTE, HOUR, DAY = 60, 3_600, 86_400


def duration(seconds: float) -> str:
    """Return a length of time in words: ``35 s``, ``12 min``, ``3.4 h``, ``12.5 days``."""
    return "–" if np.isnan(seconds) else " ".join(_in_one_unit([seconds]))


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words: ``north, south and west``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def changed(change: float, low: float = np.nan, high: float = np.nan, *, times: bool = True) -> str:
    """Return a change with its interval: ``−3.1 h (−4.9 to +1.2)``; of numbers, not `times`."""
    ends = [change] if np.isnan(low) else [change, low, high]
    *shown, unit = _in_one_unit(ends) if times else [*(f"{end:.1f}" for end in ends), ""]
    shown = [text if text[0] in "−-" or not float(text) else f"+{text}" for text in shown]
    shown = [text.replace("-", "−") for text in shown]
    interval = f" ({shown[1]} to {shown[2]})" if len(shown) > 1 else ""
    return f"{shown[0]} {unit}".rstrip() + interval


def _in_one_unit(times):
    """Return some lengths of time as texts of numbers, and their unit."""
    size = max(map(abs, times))
    units = (
        (1, "s", 90),
        (MINUTE, "min", 90 * MINUTE),
        (HOUR, "h", 4 * DAY),
        (DAY, "days", np.inf),
    )
    length, unit = next((length, unit) for length, unit, upto in units if size < upto)
    digits = 0 if length < HOUR or (length == HOUR and size >= 20 * HOUR) else 1
    # No minus before a zero.
    return [
        f"{round(each / length, digits) + 0.0:.{digits}f}".replace("-", "−") for each in times
    ] + [unit]


def words_of_root(
    row: Any, name: str, unit: Callable[[float], str], least: float, most: float
) -> str:
    """Return the interval of a column in words, with ends outside of `least` to `most`."""

    def end(value: float) -> str:
        if np.isinf(value):
            return f"over {unit(most)}" if value > 0 else f"under {unit(least)}"
        return unit(value)

    if row[f"{name}_low"] == row[f"{name}_high"]:
        return f"{end(row[name])} (95 %: throughout)"
    if row["warning"]:
        return f"{end(row[name])} (no interval: {row['warning']})"
    return f"{end(row[name])} (95 %: {end(row[f'{name}_low'])} to {end(row[f'{name}_high'])})"
