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


def test_printed_numbers_and_claims_are_counted_apart():
    result = toy().reproduce()
    counts = tally(result)
    assert counts["numbers"] == 1
    assert counts["claims"] == 2 == counts["holds"] + counts["holds in part"]
    result.rows[0] = Row(*[*vars(result.rows[0]).values()][:-2], "cannot be tested")
    assert tally(result)["numbers"] == 0
