"""Verdicts as people see them."""

from coalloc_lib.studies.ledger import Row
from coalloc_lib.studies.pages import tally, verdict_lines
from tests.studies.toy import toy


def row(verdict="holds", note=""):
    return Row("cluster-configurations", "CC-3", "what", None, 0.01, 0.005, 0.015, verdict, note)


def test_a_verdict_line_tells_claim_interval_and_reason():
    html = verdict_lines([row("holds in part", "fails: <x>")])
    for part in ("CC-3 holds in part", "What: 0.010 (95 %: 0.005 to 0.015)", "Fails: &lt;x&gt;."):
        assert part in html
    assert verdict_lines([]) == ""


def test_numbers_that_cannot_be_tested_are_not_counted():
    result = toy().reproduce()
    assert tally(result)["numbers"] == 1
    result.rows[0] = Row(*[*vars(result.rows[0]).values()][:-2], "cannot be tested")
    assert tally(result)["numbers"] == 0
