"""The line in the text field of an explorer, such as ``"clusters=4&q=0.9"``."""

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode

from coalloc_lib.basics.checks import InputError, one_of, shown


def line_of(values: Mapping[str, Any]) -> str:
    """Return the line with the names and the values of controls.

    Examples
    --------
    >>> line_of({"clusters": 4, "sizes": "U[1,7]"})
    'clusters=4&sizes=U[1,7]'
    """
    return urlencode(values, safe=",()[]")


def values_in(line: str, holders: Mapping[str, Any], possible: str) -> dict[str, Any]:
    """Return the values in a line by the names of their controls.

    Parameters
    ----------
    line : str
        The line. It may leave controls out.
    holders : dict of str to Widget
        The widget that holds the value of each control, by the name of the control.
    possible : str
        A line that is possible, for error messages.

    Raises
    ------
    InputError
        If the line has the name of no control, or a value that its control does not allow.
    """
    if line.strip() and "=" not in line:
        raise InputError(
            f"{shown(line)} names no control; give {_example(line, holders, possible)}"
        )
    wanted = {}
    for name, text in parse_qsl(line, keep_blank_values=True):
        if name not in holders:
            raise InputError(
                f"{shown(name)} is not the name of a control; give one of {', '.join(holders)}"
            )
        wanted[name] = _value_of(holders[name], name, text)
    return wanted


def _example(line: str, holders: Mapping[str, Any], possible: str) -> str:
    # The only control of an explorer takes the whole line.
    if len(holders) == 1:
        return f"{next(iter(holders))}={line.replace(' ', '')}"
    return f"names and values, such as {possible}"


def _value_of(holder: Any, name: str, text: str) -> Any:
    if hasattr(holder, "options"):
        return text
    if isinstance(holder.value, bool):
        return one_of(name, text, ("True", "False")) == "True"
    if isinstance(holder.value, str):
        return text
    number, kind = math.nan, "a whole number" if isinstance(holder.value, int) else "a number"
    with suppress(ValueError):
        number = type(holder.value)(text)
    if not holder.min <= number <= holder.max:
        raise InputError(f"{name} = {shown(text)}; give {kind} from {holder.min} to {holder.max}")
    return number
