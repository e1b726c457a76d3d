"""Format objects for people: HTML tables for notebooks, numbers, ranges and lists as text."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coalloc_lib.basics.text import printable

#: The style of a table cell with text. By default, Jupyter right-aligns cells, which suits only
#: numbers.
STYLE = ' style="text-align: left"'


def card(title: str, facts: Mapping[str, object]) -> str:
    """Return an HTML table with a title and one row per fact, without the facts that are None."""
    rows = "".join(
        f"<tr><th{STYLE}>{escape(name)}</th><td{STYLE}>{escape(printable(text_of(value)))}</td></tr>"
        for name, value in facts.items()
        if value is not None
    )
    return f"<table><caption{STYLE}>{escape(title)}</caption>{rows}</table>"


def badge(text: str, colour: str) -> str:
    """Return HTML for a white label on a coloured ground, which is readable on any page."""
    style = f"background:{colour};color:white;white-space:nowrap"
    return f'<b style="{style}">{escape(text)}</b>'


def text_of(value: Any) -> str:
    """Convert a value to a string; round floats, and insert thousands separators in numbers.

    Integers, and floats that round to 10,000 or more, have a comma between thousands. Smaller
    floats have four significant digits. Truth values become ``yes`` and ``no``.
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if isinstance(value, float | np.floating):
        number = float(value)
        return f"{number:,.0f}" if abs(number) >= 9_999.5 else f"{number:.4g}"
    return str(value)


def span_of(values: ArrayLike) -> str:
    """Return the range of some numbers as a string, for example ``2 to 64``."""
    low, high = (text_of(end.item()) for end in (np.min(values), np.max(values)))
    return low if low == high else f"{low} to {high}"


def listed(items: Iterable[object]) -> str:
    """Join items into an English enumeration: ``4``, ``4 and 1``, or ``4, 2 and 1``."""
    words = [str(item) for item in items]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
