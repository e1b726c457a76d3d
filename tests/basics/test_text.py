import os

import pytest

from coalloc_lib.basics.text import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("north-1 [v2] é ± 漢", "north-1 [v2] é ± 漢"),
        ("\x1b[31mred\x07", r"\u001b[31mred\u0007"),
        ("\x9b2J and \x7f", r"\u009b2J and \u007f"),
        ("a\nb\tc", r"a\u000ab\u0009c"),
        ("gnp.\u202excod", r"gnp.\u202excod"),
        (os.fsdecode(b"caf\xe9"), r"caf\udce9"),
    ],
)
def test_control_characters_are_written_as_escapes(text, shown):
    assert printable(text) == shown
    printable(text).encode("utf-8")
