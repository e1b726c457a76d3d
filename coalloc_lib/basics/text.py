"""Make text from a user's files safe to print and to write as UTF-8.

This module imports no package, because the command line starts with it.
"""

import re

#: Control characters, characters that change the direction of text, and bytes of file names that
#: are not UTF-8, which Python keeps as surrogates.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return text in which each control character is an escape such as ``\u001b``.

    A terminal obeys control characters, and no file in UTF-8 takes a surrogate.
    """
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
