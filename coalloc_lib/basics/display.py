"""What is shown of objects and texts: facts in a notebook, and text that is safe to print."""

import sys
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coalloc_lib.basics.text import printable

#: Tables in notebooks are flush right, which is for numbers in columns.
STYLE = ' style="text-align: left"'


def card(title: str, facts: Mapping[str, object]) -> str:
    """Return a small HTML table: a title, and a row for each fact that is not None."""
    rows = "".join(
        f"<tr><th{STYLE}>{escape(name)}</th><td{STYLE}>{escape(printable(text_of(value)))}</td></tr>"
        for name, value in facts.items()
        if value is not None
    )
    return f"<table><caption{STYLE}>{escape(title)}</caption>{rows}</table>"


def text_of(value: Any) -> str:
    """Return a fact as text: numbers with four digits, large ones with their thousands."""
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


def listed(items: Iterable[object]) -> str:
    """Return things as a sentence lists them: '4', '4 and 1', '4, 2 and 1'."""
    words = [str(item) for item in items]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def made_by(seed: Any = None, *parts: Any) -> str:
    """Return what makes a table again, for its ``attrs``: version, seed, and logs among the parts.

    A part is a log, a scenario of one, or anything else.
    """
    logs = {id(log): log for log in (getattr(p, "workload", p) for p in parts)}.values()
    hashes = {log.title: log.sha256 for log in logs if hasattr(log, "sha256")}
    # Looked up, since to import the package here would be a circle.
    words = [f"Coalloc Workbench {sys.modules['coalloc_lib'].__version__}"] + [f"seed {seed}"] * (
        seed is not None
    )
    words += [f"{title} (sha256 {code[:12] or 'unknown'})" for title, code in hashes.items()]
    return ", ".join(words)
