"""What objects show in a notebook, and text that is safe to print."""

from xml.etree import ElementTree

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.basics.display import card, listed, span_of, text_of
from coalloc_lib.statistics import Interval, MaxUtilization
from coalloc_lib.statistics.curves import Curve, Point


def facts_of(html):
    """Return the title and the rows of an HTML table, as a browser would read them."""
    table = ElementTree.fromstring(html)
    rows = {row.find("th").text: row.find("td").text for row in table.iter("tr")}
    return table.find("caption").text, rows


def test_a_card_shows_its_facts_and_no_markup_of_others():
    facts = {"a < b": "1 & 2", "none": None, "yes": True, "many": np.int64(28467)}
    facts |= {"large": 1234567.8, "share": np.float64(0.123456), "whole": 2.0}
    title, texts = facts_of(card("<b>", facts))
    assert title == "<b>"
    assert list(texts.values()) == ["1 & 2", "yes", "28,467", "1,234,568", "0.1235", "2"]
    assert "a < b" in texts
    assert span_of(np.array([3, 1, 20000])) == "1 to 20,000"
    assert span_of(np.array([3.5, 3.5])) == "3.5"


@pytest.mark.parametrize(
    ("number", "text"),
    [(9999.7, "10,000"), (-9999.5, "-10,000"), (9999.4, "9999"), (10_000.4, "10,000")],
)
def test_a_float_that_rounds_to_ten_thousand_has_no_exponent(number, text):
    assert text_of(number) == text


def test_a_card_shows_the_level_of_confidence_in_full():
    rows = shown(Interval(0.5, 0.4, 0.6, 30, confidence=0.995))[1]
    assert rows["99.5 % interval"] == "0.4 to 0.6"


SYSTEM = co.Multicluster([4, 4])
JOBS = co.JobStream([0, 1, 4], [5, 2, 9], [[3, 2], [2, 2], [1, 0]])


def shown(thing):
    return facts_of(thing._repr_html_())


def test_a_system_and_a_stream_show_themselves():
    assert shown(SYSTEM) == ("2 × 4", {"clusters": "2", "processors": "8"})
    title, facts = shown(JOBS)
    assert title == "3 jobs, unordered requests"
    named = ("submitted", "components", "processors of a job")
    assert [facts[name] for name in named] == ["0 to 4", "1 to 2", "1 to 5"]
    for thing in (co.uniform(1, 3), co.Exponential(2.5), co.PoissonArrivals(0.25)):
        assert shown(thing)[1]
    facts = shown(Interval(0.5, 0.4, 0.6, 30, warning="few jobs"))[1]
    assert facts == {"rests on": "30 values", "no interval": "few jobs"}
    schedule = co.simulate(SYSTEM, JOBS)
    facts = shown(schedule)[1]
    assert float(facts["mean wait"]) == pytest.approx(schedule.wait.mean(), rel=1e-3)
    assert "utilization" not in shown(co.simulate(SYSTEM, JOBS.replace(submit=[0, 0, 0])))[1]


def test_a_curve_is_a_table_too():
    points = [Point(0.2, Interval(1.5, 1.4, 1.6, 8), 100, precise=False), Point(0.9)]
    table = Curve(points, MaxUtilization(Interval.exact(0.8), "exact")).to_frame()
    columns = ["utilization", "response", "ci95_low", "ci95_high", "saturated", "precise"]
    known, empty = table[columns].values.tolist()
    assert known == [0.2, 1.5, 1.4, 1.6, False, False]
    assert (empty[0], *empty[4:]) == (0.9, True, True)
    assert np.isnan(empty[1:4]).all()


@pytest.mark.parametrize(
    ("items", "words"), [([], ""), (["a"], "a"), ([4, 1], "4 and 1"), ((4, 2, 1), "4, 2 and 1")]
)
def test_things_are_listed_as_a_sentence_does(items, words):
    assert listed(items) == words
