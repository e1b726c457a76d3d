"""A scenario: its load, its name, and what runs it."""

import pytest

import coalloc_lib as co

PAIR = co.Scenario(co.Multicluster([6, 2]), co.JobModel(co.uniform(1, 2), 2), name="a pair")


def test_the_rate_offers_the_load_to_all_processors():
    """Eight processors, and jobs of three on average: half of them are busy at 4/3 of a job."""
    assert PAIR.rate(0.5) == pytest.approx(0.5 * 8 / 3)


def test_a_change_takes_the_name_away_or_gives_another():
    assert str(PAIR) == "a pair"
    changed = PAIR.with_(scheduling=co.FPFS(5))
    assert changed.name == ""
    assert str(changed) == repr(changed)
    assert PAIR.with_(scheduling=co.FPFS(5), name="jumps").name == "jumps"


def test_a_name_makes_no_other_scenario():
    assert PAIR.with_() == PAIR
    assert PAIR.with_(placement=co.FirstFit()) != PAIR
