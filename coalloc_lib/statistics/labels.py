"""Arguments of runs as tables and errors show them."""

from typing import Any

import numpy as np

#: The types of plain values, such as numbers and texts. A table of results shows them as they are.
SCALARS = (type(None), bool, int, float, complex, str, bytes)


def plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python number, and any other value unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def label(value: Any) -> Any:
    """Return a value as tables and errors show it: a plain value unchanged, or else a text."""
    value = plain(value)
    return value if type(value) in SCALARS else " ".join(str(value).split())
