"""Verdicts come from numbers, and rows of the ledger have the fields of the contract."""

from dataclasses import replace

import numpy as np
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import Interval
from studies import STUDIES, published
from studies.cut_offs import Word
from studies.ledger import (
    FOLD,
    OF_BOTH,
    OF_CLAIMS,
    STANDS_OUT,
    Decision,
    Row,
    judge_claim,
    judge_number,
    write_ledger,
)
from studies.pages import tally, verdict_lines
from tests.studies.toy import toy


def interval(low, high, warning=""):
    return Interval((low + high) / 2, low, high, 30, warning=warning)


ROW = Row("a-study", "Table 1 U[1,4]", "loss", 0.397, 0.3981, 0.397, 0.3992, "reproduced", "a, b")


@pytest.mark.parametrize(
    ("published", "value", "decimals", "verdict"),
    [
        (0.397, 0.397, 3, "reproduced"), (0.397, 0.3974, 3, "reproduced"),
        (0.397, 0.3975, 3, "reproduced"), (0.397, 0.39751, 3, "close"), (0.397, 0.3964, 3, "close"),
        (0.4, 0.3964, 1, "reproduced"),
        # 2 % of the printed number beyond its rounding; three units
        (0.397, 0.4053, 3, "close"), (0.397, 0.4056, 3, "differs"),
        (0.05, 0.0534, 3, "close"), (0.05, 0.0536, 3, "differs"),
    ],
)  # fmt: skip
def test_an_exact_value_is_judged_by_its_rounding(published, value, decimals, verdict):
    assert judge_number(published, Interval.exact(value), decimals).verdict == verdict


@pytest.mark.parametrize(
    ("published", "low", "high", "verdict"),
    [
        (0.397, 0.3974, 0.3990, "reproduced"), (0.397, 0.3976, 0.3990, "close"),
        (0.397, 0.3950, 0.3964, "close"), (0.397, 0.4049, 0.4060, "close"),
        (0.397, 0.4051, 0.4060, "differs"), (0.397, 0.3891, 0.4049, "reproduced"),
        (0.397, 0.3870, 0.4070, "undecided"),  # a number far off would lie in it as well
        (0.05, 0.0475, 0.0545, "undecided"),
        (0.5, 0.495, 0.515, "reproduced"),  # just as wide as may be
    ],
)  # fmt: skip
def test_an_interval_is_met_give_or_take_the_rounding(published, low, high, verdict):
    assert judge_number(published, interval(low, high)).verdict == verdict


def test_a_doubt_and_a_stand_in_decide_nothing():
    found = judge_number(0.397, interval(0.396, 0.398), stand_in="KTH-SP2")
    assert found[:2] == (
        "cannot be tested",
        "a synthetic log replaced KTH-SP2; to download it, run: coalloc traces fetch KTH-SP2",
    )
    none = judge_number(0.397, interval(0.396, 0.398), stand_in="KTH-SP2 HPC2N")
    assert none[:2] == (
        "cannot be tested",
        "it was measured without the logs KTH-SP2 and HPC2N; to download them, run: coalloc "
        "traces fetch KTH-SP2 HPC2N",
    )
    found = judge_number(0.397, interval(0.396, 0.398, warning="three jobs"))
    assert found[:2] == ("undecided", "the interval is in doubt: three jobs")
    one_run = judge_number(0.3, Interval(0.3, -np.inf, np.inf, 1, warning="one run"))
    assert one_run[:2] == ("undecided", "the interval is in doubt: one run")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_gets_no_verdict(value):
    with pytest.raises(InputError, match="published = "):
        judge_number(value, interval(0.0, 0.1))
    with pytest.raises(InputError, match="estimate = "):
        judge_number(0.1, interval(0.0, value))
    with pytest.raises(InputError, match="give the lower end of the interval first"):
        judge_number(0.1, interval(0.2, 0.1))


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        ([True], "holds"), ([False], "does not hold"), ([False, None], "does not hold"),
        ([True, False], "does not hold"), ([True, None], "undecided"),
        ([True, False, None], "does not hold"), ([np.True_, np.False_], "does not hold"),
    ],
)  # fmt: skip
def test_a_claim_is_judged_at_the_papers_own_setting(answers, verdict):
    parts = {f"part {i}": answer for i, answer in enumerate(answers)}
    elsewhere = {"load 0.5": False, "load 0.6": True, "load 0.7": None}
    found = judge_claim(Decision(1.0, parts, "at 5 %", elsewhere), {verdict: "so it is"})
    assert found.verdict == verdict
    clause = "Of 3 other settings, it holds at 1, is undecided at 1 and fails at 1."
    assert found.note.startswith(f"So it is. {clause} At 5 %.{FOLD}")
    assert found.note.endswith("fails elsewhere: load 0.5; undecided elsewhere: load 0.7")
    for name, answer in parts.items():
        assert (name in found.note) == (answer is None or not answer)


def test_a_claim_that_chose_a_parameter_is_not_counted_as_confirmed():
    found = judge_claim(
        Decision(1.0, {"own": False}, calibrates="MaxJumps"), {"does not hold": "no"}
    )
    assert found.verdict == "calibrated on"
    chosen = "It was used to choose MaxJumps, so it confirms nothing."
    assert found.note == f"{chosen} No.{FOLD}fails: own"


@pytest.mark.parametrize("study", STUDIES)
def test_each_claim_has_a_short_sentence_of_its_own_for_each_verdict(study):
    for item, claim in published.load_claims(study).items():
        told = {verdict: claim.sentences[verdict] for verdict in (*OF_CLAIMS, OF_BOTH[0])}
        assert all(0 < len(words) <= 100 for words in told.values()), item
        assert len({*told.values()}) == 3, item


@pytest.mark.parametrize(
    ("answers", "also"),
    [
        ([True], "It also holds at the one other setting."), ([], ""),
        ([None], "It is undecided at the one other setting."),
        ([np.False_], "It fails at the one other setting."),
        ([True] * 2, "It also holds at both other settings."),
        ([np.False_] * 3, "It fails at all 3 other settings."),
        ([False, None], "Of 2 other settings, it is undecided at 1 and fails at 1."),
    ],
)  # fmt: skip
def test_other_settings_are_counted_in_words_that_do_not_praise(answers, also):
    elsewhere = {f"load {i}": answer for i, answer in enumerate(answers)}
    found = judge_claim(Decision(1.0, {"own": True}, elsewhere=elsewhere))
    assert found.note.partition(FOLD)[0] == also


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.1, 0.3, "0.200 (95 %: 0.100 to 0.300)."), (0.1, np.inf, "at least 0.100 (95 %)."),
        (-np.inf, 0.3, "at most 0.300 (95 %)."), (-np.inf, np.inf, "0.200."),
        (None, None, "0.200."), (0.1, np.nan, "0.200."), (np.nan, 0.3, "0.200."),
    ],
)  # fmt: skip
def test_a_verdict_line_says_what_is_known_of_a_bound(low, high, words):
    known = {"study": "cluster-configurations", "item": "CC-3", "verdict": "undecided"}
    row = replace(ROW, **known, reproduced=0.2, ci95_low=low, ci95_high=high)
    assert f": {words}" in verdict_lines([row])


def test_what_is_lost_cannot_be_tested():
    found = judge_claim(Decision(None, {}, lost="the log is lost"))
    assert found[:2] == ("cannot be tested", "the log is lost")


@pytest.mark.parametrize(
    ("published", "verdict"), [(0.45, "reproduced"), (0.4, "reproduced"), (0.51, "differs")]
)
def test_a_number_of_one_run_may_stray_as_one_run_does(published, verdict):
    one_run = interval(0.3, 0.5)
    assert judge_number(published, interval(0.398, 0.402), one_run=one_run).verdict == verdict


def test_a_number_that_no_single_run_gives_stands_out_however_near_it_is():
    found, one_run = interval(0.4999, 0.5001), interval(0.499, 0.501)
    near = judge_number(0.506, found, one_run=one_run)
    assert near.verdict == "close"
    assert near.note.startswith(f"{STANDS_OUT}: a single run would lie within 0.4990 to 0.5010")
    assert STANDS_OUT not in judge_number(0.501, found, one_run=one_run).note


@pytest.mark.parametrize(
    ("high", "near", "verdict"),
    [(0.025, 1.25, "undecided"), (0.025, 1.1, "holds"), (0.02, 1.25, "holds"),
     (0.025, 1.0, "holds")],
)  # fmt: skip
def test_where_a_word_alone_decides_the_claim_is_undecided(high, near, verdict):
    little = Word("little", 0.03, "points", 100, near=near)
    found = judge_claim(Decision(0.0, {"a": little.within(interval(-0.005, high))}))
    assert found.verdict == verdict
    alone = "The verdict depends on the paper's word 'little'. We read it as a limit of 3 points, "
    assert found.note.startswith(alone) == (verdict == "undecided")
    assert found.turns_at == pytest.approx(high)


@pytest.mark.parametrize(
    ("gain", "other", "answer", "verdict"),
    [
        (0.2, True, True, "holds"),
        (0.05, True, None, "undecided"),
        (0.02, True, None, "undecided"),
        (0.01, True, False, "does not hold"),
        (0.05, False, False, "does not hold"),
        (0.05, None, None, "undecided"),
    ],
)
def test_a_word_may_mean_half_or_twice_what_we_take_it_to_mean(gain, other, answer, verdict):
    much = Word("much", 0.03, "points", 100)
    decision = Decision(gain, {"much": much.above(Interval.exact(gain)), "other": other})
    assert decision.answer is answer
    assert judge_claim(decision).verdict == verdict


@pytest.mark.parametrize(
    ("found", "verdict"), [(0.5, "calibrated on"), (0.505, "calibrated on"), (0.6, "differs")]
)
def test_a_number_that_was_used_to_choose_a_parameter_confirms_nothing(found, verdict):
    judged = judge_number(0.5, Interval.exact(found), calibrates="MaxJumps")
    assert judged.verdict == verdict
    chosen = "It was used to choose MaxJumps, so it confirms nothing."
    assert judged.note.startswith(chosen) == (verdict == "calibrated on")
    lost = judge_number(0.5, Interval.exact(found), stand_in="KTH-SP2", calibrates="MaxJumps")
    assert lost.verdict == "cannot be tested"


def test_a_claim_has_its_cut_off_and_the_value_at_which_it_turns():
    little = Word("little", 0.03, "points", 100)
    found = judge_claim(Decision(0.0, {"a": little.within(interval(-0.005, 0.013))}))
    assert found.verdict == "holds"
    otherwise = "with a limit below 1.3 points, the claim would be undecided."
    assert found.note == f"We read 'little' as a limit of 3 points; {otherwise}"
    assert found.cut_off == "little: 0.03"
    assert found.turns_at == pytest.approx(0.013)


def test_what_is_no_verdict_or_no_answer_is_refused():
    with pytest.raises(InputError, match="empty"):
        judge_claim(Decision(1.0, {}))
    with pytest.raises(InputError, match=r"0\.3"):
        judge_claim(Decision(1.0, {"a": 0.3}))
    with pytest.raises(InputError, match="verdict = 'fine'"):
        replace(ROW, verdict="fine")


def test_a_ledger_is_written_as_csv_with_six_digits_and_empty_where_there_is_nothing(tmp_path):
    claim = Row("a-study", "MU-1", "limit", "(2C-1)/(2C)", None, None, None, "holds", 'say "so"')
    claim = replace(claim, cut_off="little: 0.03", turns_at=0.0125)
    write_ledger([replace(ROW, reproduced=0.39812345), claim], tmp_path / "ledger.csv")
    header, number, text = (tmp_path / "ledger.csv").read_text().splitlines()
    columns = "study,item,quantity,published,reproduced,ci95_low,ci95_high,verdict,note"
    assert header == f"{columns},cut_off,turns_at"
    assert number == 'a-study,"Table 1 U[1,4]",loss,0.397,0.398123,0.397,0.3992,reproduced,"a, b",,'
    assert text == 'a-study,MU-1,limit,(2C-1)/(2C),,,,holds,"say ""so""",little: 0.03,0.0125'
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.csv"]


def test_unknown_studies_and_a_lone_package_are_named(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"claims\.csv; choose one of .*online-batch.*, or add"):
        published.load_claims("weather")
    with pytest.raises(InputError, match=r"MU-99.*or add it to .*claims\.csv"):
        published.published_claim("maximal-utilization", "MU-99")
    published._table.cache_clear()  # other tests have read them
    published._losses.cache_clear()
    monkeypatch.setattr(published, "FOLDER", tmp_path / "published")
    with pytest.raises(InputError, match="come with the repository"):
        published.load_claims("online-batch")


def test_a_verdict_line_tells_claim_interval_and_reason():
    known = {"study": "cluster-configurations", "item": "CC-3", "note": "fails: <x>"}
    html = verdict_lines([replace(ROW, **known, verdict="does not hold")])
    for part in ("CC-3 does not hold", "Loss: 0.398 (95 %: 0.397 to 0.399)", "Fails: &lt;x&gt;."):
        assert part in html
    assert verdict_lines([]) == ""


def test_each_list_of_a_note_has_its_own_line():
    lists = "fails: a; b < fails: c; undecided elsewhere: fails often; d"
    known = {"study": "cluster-configurations", "item": "CC-3", "verdict": "undecided"}
    html = verdict_lines([replace(ROW, **known, note=f"so it is | {lists}")])
    fold = html.split("<summary>which</summary>")[1].removesuffix("</details></details>")
    assert (
        fold == "• <b>fails:</b> a; b &lt; fails: c<br>• <b>undecided elsewhere:</b> fails often; d"
    )


def test_several_claims_are_collapsed_to_their_verdicts():
    known = {"study": "cluster-configurations", "item": "CC-3", "verdict": "holds"}
    row = replace(ROW, **known)
    sentence = verdict_lines([row])
    assert sentence.count("<summary>") == sentence.count("CC-3 holds") == 1
    assert "similar at low utilizations" in sentence.split("</summary>")[0]
    for count in (2, 4):
        head, rest = verdict_lines([row] * count).split("</summary>", 1)
        assert (head.count("CC-3 holds"), "similar" in head) == (count, False)
        assert rest == f"{sentence * count}</details>"


def test_numbers_that_cannot_be_tested_are_not_counted():
    result = toy().reproduce()
    assert tally(result)["numbers"] == 1
    result.rows[0] = replace(result.rows[0], verdict="cannot be tested")
    assert tally(result)["numbers"] == 0
