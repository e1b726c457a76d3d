"""Lengths of time in every form that Slurm's documentation has, and in none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from own_system.sacct.times import length, parts_of

DAY = 86_400


@pytest.mark.parametrize(
    ("word", "seconds"),
    [
        ("90", 90), ("90.5", 90.5), ("0", 0), ("30:00", 1800), ("90:00", 5400), ("2:03", 123),
        ("12:30:15", 45_015), ("1:00:00", 3600), ("100:00:00", 360_000), ("00:02:03.5", 123.5),
        ("02:03.25", 123.25), ("1-00", DAY), ("1-12", 1.5 * DAY), ("1-12:30", 131_400),
        ("2-06:00", 194_400), ("1-02:03:04", 93_784), ("1-02:03:04.5", 93_784.5), ("0-0", 0),
        ("365-00:00:00", 365 * DAY),
    ],
)  # fmt: skip
def test_every_form_is_understood(word, seconds):
    assert length(word) == seconds
    assert length(word, unit=60) == seconds * (60 if word.replace(".", "").isdecimal() else 1)


@pytest.mark.parametrize(
    "word",
    ["1-12:30.5", "1-12.5", "1-24:00", "1-12:60", "1-12:30:60", "12:60", "12:60:00", "1:2:3:4",
     "-5", "1-", "12:", ":30", "1e3", "1d", "12:30 ", "１２", "1_0", "9" * 30],
)  # fmt: skip
def test_other_words_are_refused(word):
    with pytest.raises((ValueError, OverflowError)):
        length(word)


def test_an_empty_word_is_not_known():
    assert np.isnan(length(""))


def test_parts_are_counted_in_lengths_without_days():
    words = ("12:00", "12:00.5", "1-12:00", "12:00:00", "12", "", "long")
    assert [parts_of(word) for word in words] == [2, 2, 0, 3, 1, 0, 0]


@given(
    days=st.integers(0, 400), hours=st.integers(0, 23), minutes=st.integers(0, 59),
    seconds=st.integers(0, 59),
)  # fmt: skip
def test_all_forms_of_a_length_are_the_same(days, hours, minutes, seconds):
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    assert length(f"{days}-{hours:02}:{minutes:02}:{seconds:02}") == total
    assert length(f"{days * 24 + hours}:{minutes:02}:{seconds:02}") == total
    assert length(f"{total // 60}:{seconds:02}") == total
    assert length(f"{days}-{hours}:{minutes:02}") == total - seconds
    assert length(f"{days}-{hours}") == total - seconds - 60 * minutes
