"""Make text from a user's files safe to print and to write as UTF-8.

This module imports no other package, so that the command line starts quickly.
"""

import re

#: The pattern of control characters, characters that change the writing direction, and surrogates,
#: with which Python represents the bytes of file names that are not valid UTF-8.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Replace every control character and surrogate by its escape, such as ``\u001b``.

    A terminal executes control characters, and surrogates cannot be encoded as UTF-8.
    """
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def shortest_number(number: float) -> str:
    """Return the shortest string from which the number can be read back, such as "30" for 30.0."""
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
