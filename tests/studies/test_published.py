"""The papers' numbers and claims: what is damaged is named by its line."""

import re

import pytest

from coalloc_lib.basics.checks import InputError
from studies import STUDIES, published
from studies.published import (
    load_claims,
    load_conclusions,
    load_published,
    published_loss,
)

NAME = "maximal-utilization"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Let the data be a copy; return a function that changes a line of a file of it."""
    for file in published.FOLDER.glob("*.csv"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(published, "FOLDER", tmp_path)
    published._table.cache_clear()
    published._losses.cache_clear()

    def change(name, number, make):
        lines = (tmp_path / name).read_text("utf-8").splitlines()
        lines[number - 1] = make(lines[number - 1])
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        published._table.cache_clear()
        published._losses.cache_clear()

    yield change
    published._table.cache_clear()
    published._losses.cache_clear()


def with_field(at, text):
    """Return a function of a line that has another text in a field; its sizes are one field."""

    def make(line):
        fields = line.replace('"U[1,4]"', "sizes").split(",")
        fields[at] = text
        return ",".join(fields).replace("sizes", '"U[1,4]"')

    return make


LINES = {
    "a word for the number": ("published.csv", with_field(7, "0.O32"), "published = '0.O32'; give"),
    "a number too large": ("published.csv", with_field(7, "32"), "published = 32; give a loss"),
    "a number with a sign": ("published.csv", with_field(7, "-0.032"), "published = -0.032; give"),
    "an empty number": ("published.csv", with_field(1, ""), "table = ''; give a number"),
    "a fraction": ("published.csv", with_field(2, "1.5"), "clusters = '1.5'; give a number"),
    "another request": ("published.csv", with_field(5, "totl"), "request = 'totl'; give one of"),
    "another method": ("published.csv", with_field(6, "guess"), "method = 'guess'; give one of"),
    "other sizes": ("published.csv", lambda line: line.replace("U[1,4]", "V[1,4]"), "V[1,4]"),
    "a lost field": ("published.csv", lambda line: line.rpartition(",")[0], "7 fields instead"),
    "a lost quote": ("published.csv", lambda line: line.replace('"', ""), "9 fields instead of 8"),
    "a quote that stays open": ("published.csv", lambda line: f'"{line}', "expected after"),
    "a line that is twice there": ("published.csv", with_field(6, "simulation"), "has two lines"),
    "a comma in a text": ("claims.csv", lambda line: f"{line},", "10 fields instead of 9"),
    "a claim without a name": ("claims.csv", lambda line: line.replace("MU-1,", ","), "item = ''"),
    "a claim that is twice there": (
        "claims.csv", lambda line: line.replace("MU-1,", "MU-2,"), "item = 'MU-2'",
    ),
    "a conclusion of no claim": (
        "conclusions.csv", lambda line: re.sub(r"MU-\d+", "MU-99", line), "MU-99 is not a claim",
    ),
}  # fmt: skip
READERS = {
    "published.csv": load_published,
    "claims.csv": load_claims,
    "conclusions.csv": load_conclusions,
}


@pytest.mark.parametrize(("name", "make", "words"), LINES.values(), ids=LINES)
def test_a_damaged_line_is_named(copy, tmp_path, name, make, words):
    READERS[name](NAME)
    copy(name, 2, make)
    with pytest.raises(InputError) as caught:
        READERS[name](NAME)
    error = str(caught.value)
    assert error.startswith(f"{tmp_path / name}, line ")
    assert words in error
    assert "\n" not in error


@pytest.mark.parametrize("name", READERS)
def test_other_columns_and_other_characters_are_refused(copy, tmp_path, name):
    copy(name, 1, lambda line: line.replace("study,", "paper,"))
    with pytest.raises(InputError, match=rf"{name}, line 1: the columns must be study,"):
        READERS[name](NAME)
    (tmp_path / name).write_bytes(b"\xff")
    published._table.cache_clear()
    published._losses.cache_clear()
    with pytest.raises(InputError, match=rf"{name} is not UTF-8"):
        READERS[name](NAME)


def test_a_corrected_cell_and_a_removed_one_are_noticed(copy):
    names = {
        "table": 3, "clusters": 1, "cluster_size": 32, "component_sizes": "U[1,4]",
        "request": "total", "method": "exact",
    }  # fmt: skip
    assert published_loss(NAME, **names).published == 0.032
    copy("published.csv", 2, with_field(7, "0.132"))
    assert published_loss(NAME, **names).published == 0.132
    copy("published.csv", 2, lambda line: "")
    with pytest.raises(InputError, match=r"has no line for Table 3 U\[1,4\] 1 cluster total exact"):
        published_loss(NAME, **names)


def test_the_shipped_files_are_whole():
    assert [len(load_published(name)) for name in STUDIES[:2]] == [140, 100]
    for name in STUDIES:
        assert load_claims(name)
        assert load_conclusions(name).keys() <= load_claims(name).keys()


def test_a_byte_order_mark_is_no_part_of_the_data(copy, tmp_path):
    before = load_published(NAME)
    file = tmp_path / "published.csv"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    published._table.cache_clear()
    published._losses.cache_clear()
    assert load_published(NAME) == before
