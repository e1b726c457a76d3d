"""What an object says of itself in a notebook: a name and a few facts."""

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def card(title: str, facts: Mapping[str, object]) -> str:
    """Return a small HTML table: a title, and one row a fact.

    Parameters
    ----------
    title : str
    facts : dict
        What is known, by name; what is None is left out. Numbers get four digits, and large whole
        ones their thousands.
    """
    rows = "".join(
        f"<tr><th{STYLE}>{escape(name)}</th><td{STYLE}>{escape(text_of(value))}</td></tr>"
        for name, value in facts.items()
        if value is not None
    )
    return f"<table><caption{STYLE}>{escape(title)}</caption>{rows}</table>"


#: Tables in notebooks are flush right, which is for numbers in columns.
STYLE = ' style="text-align: left"'


def text_of(value: Any) -> str:
    """Return a fact as a card shows it."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if isinstance(value, float | np.floating):
        number = float(value)
        return f"{number:,.0f}" if abs(number) >= 10_000 else f"{number:.4g}"
    return str(value)


def span_of(values: ArrayLike) -> str:
    """Return the least and the largest of some numbers, as "2 to 64"."""
    low, high = (text_of(end.item()) for end in (np.min(values), np.max(values)))
    return low if low == high else f"{low} to {high}"
