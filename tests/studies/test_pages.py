"""Verdicts as people see them."""

from coalloc_lib.studies.ledger import VERDICTS, Row
from coalloc_lib.studies.pages import MARKS, ground, tally, verdict_lines
from coalloc_lib.studies.published import load_claims
from tests.studies.toy import toy


def row(verdict="holds", note=""):
    return Row("cluster-configurations", "CC-3", "what", None, 0.01, 0.005, 0.015, verdict, note)


def test_every_verdict_has_a_mark():
    assert set(MARKS) == set(VERDICTS)
    assert ground("differs") != ground("holds") == ground("") == ""
    assert MARKS["holds"] != MARKS["does not hold"] != MARKS["undecided"]


def test_a_verdict_line_tells_claim_interval_and_reason():
    html = verdict_lines([row("holds in part", "fails: <x>")])
    for part in ("CC-3 holds in part", "What: 0.010 (95 %: 0.005 to 0.015)", "Fails: &lt;x&gt;."):
        assert part in html
    assert verdict_lines([]) == ""


def test_systems_are_count_by_size_also_in_what_papers_say():
    claims = load_claims("cluster-configurations")
    html = verdict_lines([row()])
    assert f"<i>{claims['CC-3'].words}.</i>" in html
    assert "8×16 is like 4×32" in html
    assert "in the paper 16x8, 32x4" in html
    assert claims["CC-4"].words == claims["CC-4"].claim


def test_printed_numbers_and_claims_are_counted_apart():
    result = toy().reproduce()
    counts = tally(result)
    assert counts["numbers"] == 1
    assert counts["claims"] == 2 == counts["holds"] + counts["holds in part"]
    result.rows[0] = Row(*[*vars(result.rows[0]).values()][:-2], "cannot be tested")
    assert tally(result)["numbers"] == 0
