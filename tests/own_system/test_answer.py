"""What is decided, from made-up tables: each way that it can go; and that the words say so."""

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.statistics import Interval
from coalloc_lib.statistics.site_comparison import ALL
from own_system import answer as answer_module
from own_system.comparison import columns_of
from own_system.decision import Verdict
from own_system.log_tables import sites_not_reproduced
from own_system.options import ADVICE, ADVICE_TO_SPAN, ALONE, CONSERVATIVE, SHARED, span_if_sooner

SPAN = span_if_sooner(0.25)


def recommend(changes, pairs, missed=None):
    advice = ADVICE | {SPAN: f"{ADVICE_TO_SPAN} (at a penalty of 0.25)"}
    return answer_module.recommend(changes, pairs, advice, missed)


def hours(low, high):
    return Interval((low + high) / 2 * 3600, low * 3600, high * 3600, 9)


def table(changes, awrt=None, sites=None, today="", kind="policy", warning=""):
    """Return a table of the changes in the mean wait and the AWRT, given in hours, by option.

    Other changes can be given for single sites and for the AWRT.
    """
    rows = []
    for name, (low, high) in {ALONE: (0, 0), **changes}.items():
        for grouping, group in (("all", ALL), ("site", "north"), ("site", "south")):
            for metric in ("mean wait", "AWRT"):
                ends = (sites or {}).get((name, group), (low, high))
                ends = (awrt or {}).get(name, ends) if metric == "AWRT" else ends
                change = hours(*ends)
                row = {"value": 36_000 + change.estimate} | columns_of(change, "change")
                if name == ALONE and today:
                    row |= {"value": np.nan, "warning": today}
                if name != ALONE and warning:
                    row |= {"change_low": np.nan, "change_high": np.nan, "warning": warning}
                row |= {"option": name, "kind": "today" if name == ALONE else kind}
                rows.append(row | {"grouping": grouping, "group": group, "metric": metric})
    return pd.DataFrame(rows)


def pairs(changes, tell_apart=False):
    """Return a table of the differences between options, which are sure only if `tell_apart` is
    true.
    """
    rows = []
    for one in changes:
        for other in changes:
            gap = sum(changes[one]) / 2 - sum(changes[other]) / 2
            room = 0 if tell_apart else 99
            rows.append({"option": one, "other": other}
                        | columns_of(hours(gap - room, gap + room), "change"))  # fmt: skip
    return pd.DataFrame(rows)


def answer(changes, tell_apart=False, **how):
    return recommend(table(changes, **how), pairs(changes, tell_apart))


def test_the_best_is_taken_where_it_is_surely_better_than_what_changes_less():
    changes = {CONSERVATIVE: (-3, -1), SHARED: (-5, -3)}
    best = answer(changes, tell_apart=True)
    assert best.decision == (Verdict.TAKE, SHARED, ("north", "south"), (), (), SHARED, "")
    for words in ("share one queue", "6.0 h", "10.0 h", "−4.0 h (95 %: −5.0 to −3.0)"):
        assert words in best.words
    assert (best.change.estimate, best.change.low) == (-4 * 3600, -5 * 3600)
    assert best.change.count == 9  # weeks


def test_what_changes_less_is_taken_where_the_best_is_not_surely_better():
    easy = answer({CONSERVATIVE: (-3, -1), SHARED: (-5, -3)})
    assert (easy.decision.verdict, easy.option) == (Verdict.TAKE, CONSERVATIVE)
    assert easy.decision.shortest == SHARED
    assert f"'{SHARED}'" in easy.words


def test_nothing_is_changed_where_no_option_differs_or_none_is_better():
    same = answer({SHARED: (-2, 1), SPAN: (-1, 3)})
    assert (same.decision.verdict, same.option) == (Verdict.NOT_BETTER, None)
    assert same.decision.shortest == SHARED
    assert f"'{SHARED}': −0.5 h (95 %: −2.0 to +1.0)" in same.words
    worse = answer({SHARED: (-2, 1), SPAN: (1, 3)})
    assert worse.decision == same.decision
    assert worse.words != same.words  # here one differs, and is worse


def test_a_site_that_loses_is_asked_first():
    asked = answer({SHARED: (-3, -1)}, sites={(SHARED, "south"): (1, 3)})
    assert (asked.decision.verdict, asked.option) == (Verdict.ASK_LOSERS, SHARED)
    assert asked.decision.losers == ("south",)
    assert "south wait 2.0 h longer" in asked.words
    other = answer({SHARED: (-3, -1), SPAN: (-2, -1)}, sites={(SHARED, "south"): (1, 3)})
    assert (other.decision.verdict, other.option) == (Verdict.TAKE, SPAN)
    assert "penalty of 0.25" in other.words


def test_an_option_that_delays_the_work_does_not_win():
    assert answer({SHARED: (-3, -1)}, awrt={SHARED: (1, 2)}).option is None
    assert answer({SHARED: (-3, -1)}, awrt={SHARED: (-1, 2)}).option == SHARED


def test_an_option_that_saturates_a_site_does_not_win():
    made = table({SHARED: (-3, -1)})
    full = (made["option"] == SHARED) & (made["group"] == "south")
    made.loc[full, ["value", "change", "change_low", "change_high"]] = np.nan
    made.loc[full, "warning"] = "saturated: 9% of the work still waits at the last submission"
    assert recommend(made, pairs({SHARED: (-3, -1)})).option is None


def test_a_site_of_which_nothing_is_known_is_no_winner():
    made = table({SHARED: (-3, -1)})
    unknown = (made["option"] == SHARED) & (made["group"] == "south")
    made.loc[unknown, ["change_low", "change_high"]] = np.nan
    made.loc[unknown, "warning"] = "the jobs come from less than four weeks"
    asked = recommend(made, pairs({SHARED: (-3, -1)}))
    assert (asked.decision.verdict, asked.option) == (Verdict.ACCEPT_UNKNOWN, SHARED)
    assert asked.decision.unknown == ("south",)
    assert asked.decision.why == "the jobs come from less than four weeks"
    assert asked.decision.why in asked.words
    # An option whose change is known at every site is taken first, even if jobs wait longer under
    # it.
    both = pd.concat([made, table({SPAN: (-2, -1)}).query("option != @ALONE")])
    assert recommend(both, pairs({SHARED: (-3, -1), SPAN: (-2, -1)})).option == SPAN


def test_who_loses_is_named_where_staying_alone_is_saturated():
    full = "saturated at north: 9% of the work still waits at the last submission"
    changes = {SHARED: (-5, -3), SPAN: (-2, -1)}
    sites = {(SHARED, "south"): (1, 3)}
    least = answer(changes, today=full, sites=sites)
    assert least.option == SPAN  # at which no one loses
    lost = answer(
        {SHARED: (-5, -3), SPAN: (-2, -1)}, today=full, sites=sites | {(SPAN, "south"): (2, 4)}
    )
    assert lost.option == SHARED
    assert lost.decision.verdict == least.decision.verdict == Verdict.SERVE
    assert (lost.decision.losers, least.decision.losers) == (("south",), ())
    assert full in lost.words
    assert "south wait 2.0 h longer" in lost.words
    assert "agree" not in least.words


def test_a_change_that_no_one_would_feel_is_not_recommended():
    seconds = 1 / 3600
    small = answer({SHARED: (-50 * seconds, -40 * seconds)})
    assert (small.decision.verdict, small.option) == (Verdict.TOO_SMALL, None)
    assert f"'{SHARED}': −45 s" in small.words
    assert answer({SHARED: (-80 * seconds, -40 * seconds)}).option == SHARED


def test_nothing_is_changed_where_no_one_waits_in_the_model():
    made = table({SHARED: (-0.01, -0.005)})
    made["value"] = 5.0
    idle = recommend(made, pairs({SHARED: (-0.01, -0.005)}))
    assert (idle.decision.verdict, idle.option) == (Verdict.NO_WAIT, None)
    assert "5 s" in idle.words


def test_sites_where_it_is_not_sure_are_named():
    one = answer({SHARED: (-3, -1)}, sites={(SHARED, "south"): (-1, 1)})
    assert one.decision.gainers == ("north",)
    assert "south is not sure" in one.words


def test_only_policies_are_recommended():
    changes = table({"10 % more processors, alone": (-9, -8)}, kind="what if")
    both = pd.concat([changes, table({SHARED: (-1, 1)}).query("option != @ALONE")])
    assert recommend(both, pairs({SHARED: (-1, 1)})).option is None


def test_a_short_log_and_saturated_sites_are_told():
    short = answer({SHARED: (-3, -1)}, warning="20 days make 2 blocks of 7")
    assert (short.decision.verdict, short.option) == (Verdict.NOTHING_SURE, None)
    assert short.decision.why == "20 days make 2 blocks of 7"
    assert short.decision.why in short.words
    changes, days = {SHARED: (-3, -1), SPAN: (-2, -1)}, "20 days make 2 blocks of 7"
    full = table(changes, today="saturated: 9%")
    full.loc[full["option"] != ALONE, "value"] = np.nan  # all is saturated, and the log short
    assert recommend(full, pairs(changes).assign(warning=days)) == short
    rows = pairs({SHARED: (-3, -1), SPAN: (-2, -1)}).assign(warning="20 days make 2 blocks of 7")
    full = table({SHARED: (-3, -1), SPAN: (-2, -1)}, today="saturated: 9%")
    assert recommend(full, rows) == short
    full = "saturated: 9% of the work still waits at the last submission"
    changes = {SHARED: (-3, -1), SPAN: (-2, -1)}
    served = answer(changes, today=full)
    assert served.option == SHARED
    assert served.decision.why == full
    none = table(changes, today=full)
    none.loc[none["option"] != ALONE, ["value", "warning"]] = [np.nan, full]
    assert recommend(none, pairs(changes)).decision.verdict is Verdict.ADD_PROCESSORS


def test_a_model_whose_queue_only_grows_is_told_in_words():
    row = {"grouping": "all", "site": "north", "recorded_mean": 7_200.0, "known": 9, "jobs": 9}
    rows = pd.DataFrame([row | {"model_mean": np.nan}, row | {"site": "south", "model_mean": 60.0}])
    assert sites_not_reproduced(rows) == {
        "north": "in the model its queue only grows, in its log its jobs wait 2.0 h",
        "south": "in the model its jobs wait 60 s on average, in its log 2.0 h",
    }
    assert sites_not_reproduced(rows.assign(model_mean=7_000.0)) == {}


def test_a_model_that_misses_what_a_log_records_recommends_nothing():
    changes, how = {SHARED: (-5, -3)}, "its jobs wait 1.5 h, in its log 7.2 h"
    made = recommend(table(changes), pairs(changes), {"north": how})
    assert made.decision.verdict is Verdict.MODEL_FAILS
    assert made.option is None
    assert made.words.startswith(f"Nothing can be recommended: at north, {how}.")
    assert f"In the model the best option is '{SHARED}': −4.0 h" in made.words
    assert "surely" not in made.words


def saturated_under_every_option():
    why = "saturated at north: 9% of the work still waits at the last submission"
    full = table({SHARED: (-3, -1)}, today=why)
    full.loc[full["option"] != ALONE, ["value", "warning"]] = [np.nan, why]
    return full


def with_unknown_change_at_south():
    made = table({SHARED: (-3, -1)})
    unknown = (made["option"] == SHARED) & (made["group"] == "south")
    made.loc[unknown, ["change_low", "change_high", "warning"]] = [np.nan, np.nan, "short"]
    return made


#: A table for each verdict but `MODEL_FAILS`, and the option that the model prefers.
TABLES = {
    Verdict.TAKE: (table({SHARED: (-5, -3)}), SHARED),
    Verdict.ASK_LOSERS: (table({SHARED: (-3, -1)}, sites={(SHARED, "south"): (1, 3)}), SHARED),
    Verdict.ACCEPT_UNKNOWN: (with_unknown_change_at_south(), SHARED),
    Verdict.SERVE: (table({SHARED: (-5, -3)}, today="saturated: 9%"), SHARED),
    Verdict.ADD_PROCESSORS: (saturated_under_every_option(), None),
    Verdict.NOTHING_SURE: (table({SHARED: (-3, -1)}, warning="20 days make 2 blocks"), None),
    Verdict.NO_WAIT: (table({SHARED: (-3, -1)}).assign(value=5.0), None),
    Verdict.TOO_SMALL: (table({SHARED: (-50 / 3600, -40 / 3600)}), SHARED),
    Verdict.NOT_BETTER: (table({SHARED: (-5, 3)}), SHARED),
}


def test_every_verdict_of_a_model_that_reproduces_its_logs_has_a_table():
    assert {*TABLES} == {*Verdict} - {Verdict.MODEL_FAILS}


@pytest.mark.parametrize("verdict", TABLES)
def test_a_model_that_misses_what_a_log_records_gives_no_advice(verdict):
    made, preferred = TABLES[verdict]
    differences = pairs({SHARED: (-3, -1)})
    how = "in the model its queue only grows, in its log its jobs wait 5 min"
    assert recommend(made, differences).decision.verdict is verdict
    missed = recommend(made, differences, {"north": how})
    if verdict is Verdict.NOTHING_SURE:
        assert missed == recommend(made, differences)
        return
    assert missed.decision == (
        Verdict.MODEL_FAILS, None, (), (), (), preferred, f"at north, {how}"
    )  # fmt: skip
    assert missed.words.startswith(f"Nothing can be recommended: at north, {how}.")
    assert (f"'{preferred}'" in missed.words) == (preferred is not None)
