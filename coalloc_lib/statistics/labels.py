"""Arguments of runs as tables and errors show them."""

from typing import Any

import numpy as np

#: The types of values that a table of results shows unchanged, such as numbers and strings.
SCALARS = (type(None), bool, int, float, complex, str, bytes)


def without_numpy(value: Any) -> Any:
    """Return a NumPy scalar as a Python number, and any other value unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def label(value: Any) -> Any:
    """Return a number or string unchanged, and any other value as the string that tables show."""
    value = without_numpy(value)
    return value if type(value) in SCALARS else " ".join(str(value).split())
