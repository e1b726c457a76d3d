"""What objects say of themselves in a notebook."""

from xml.etree import ElementTree

import numpy as np
import pytest

from coalloc_lib.cards import card, span_of, text_of


def facts_of(html):
    """Return the title and the facts of a card, as a browser would read them."""
    table = ElementTree.fromstring(html)
    rows = {row.find("th").text: row.find("td").text for row in table.iter("tr")}
    return table.find("caption").text, rows


def test_a_card_shows_its_facts_and_no_markup_of_others():
    html = card("<b>", {"a < b": "1 & 2", "none": None, "many": 28467, "share": 0.123456})
    assert facts_of(html) == ("<b>", {"a < b": "1 & 2", "many": "28,467", "share": "0.1235"})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int64(12345), "12,345"),
        (True, "yes"),
        (1234567.8, "1,234,568"),
        (2.0, "2"),
        (np.float64(0.5), "0.5"),
        ("2 × 4", "2 × 4"),
    ],
)
def test_facts_are_written_for_people(value, text):
    assert text_of(value) == text


def test_a_span_has_two_ends_or_one():
    assert span_of(np.array([3, 1, 20000])) == "1 to 20,000"
    assert span_of(np.array([3.5, 3.5])) == "3.5"
