"""The recommendation, from made-up tables: each way that it can go."""

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.intervals import Interval
from coalloc_lib.report.answer import changed, duration, listed, recommend
from coalloc_lib.report.options import ALONE, SHARED, columns_of
from coalloc_lib.simulation.sites import ALL

DISPATCH, SPAN = "dispatch at submission", "span only if sooner, penalty 0.25"


def hours(low, high):
    return Interval((low + high) / 2 * 3600, low * 3600, high * 3600, 9)


def table(changes, awrt=None, sites=None, today="", kind="policy", warning=""):
    """Return changes of options in hours, for all; at sites and of the AWRT where they differ."""
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
    """Return how options differ: by half an hour or none where that is not sure."""
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
    changes = {DISPATCH: (-3, -1), SHARED: (-5, -3)}
    best = answer(changes, tell_apart=True)
    assert best.option == SHARED
    assert best.words.startswith(
        "Let the sites share one queue. A job then waits 6.0 h on average instead of 10.0 h: "
        "−4.0 h (95 %: −5.0 to −3.0). The wait surely falls at each site."
    )
    assert (best.figure.estimate, best.figure.low) == (-4 * 3600, -5 * 3600)
    assert best.figure.count == 9  # weeks


def test_what_changes_less_is_taken_where_the_best_is_not_surely_better():
    easy = answer({DISPATCH: (-3, -1), SHARED: (-5, -3)})
    assert easy.option == DISPATCH
    assert easy.words.endswith("at each site. 'share one queue' is not surely better than this.")


def test_nothing_is_changed_where_no_option_differs_or_none_is_better():
    same = answer({SHARED: (-2, 1), SPAN: (-1, 3)})
    assert same.option is None
    assert same.words.startswith("Change nothing: no option differs from what you have.")
    assert f"'{SHARED}': −0.5 h (95 %: −2.0 to +1.0)" in same.words
    worse = answer({SHARED: (-2, 1), SPAN: (1, 3)})
    assert worse.words.startswith("Change nothing: no option is surely better than what you have.")


def test_a_site_that_loses_is_asked_first():
    asked = answer({SHARED: (-3, -1)}, sites={(SHARED, "south"): (1, 3)})
    assert asked.option == SHARED
    assert "but only if those who lose agree" in asked.words
    assert asked.words.endswith("Jobs of south wait 2.0 h longer.")
    other = answer({SHARED: (-3, -1), SPAN: (-2, -1)}, sites={(SHARED, "south"): (1, 3)})
    assert other.option == SPAN
    assert "only where it then ends sooner (at a penalty of 0.25). A job then waits" in other.words


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
    assert asked.option == SHARED
    assert "but only if south can bear not to know what it changes" in asked.words
    assert asked.words.endswith(
        "of south it is not known: the jobs come from less than four weeks."
    )
    # One of which all is known is taken first, even where jobs wait longer under it.
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
    assert lost.words.endswith(f"Alone, it is {full}. Jobs of south wait 2.0 h longer.")
    assert "but only if those who lose agree: a job then waits" in lost.words
    assert "agree" not in least.words


def test_a_change_that_no_one_would_feel_is_not_recommended():
    seconds = 1 / 3600
    small = answer({SHARED: (-50 * seconds, -40 * seconds)})
    assert small.option is None
    assert (
        "no option surely shortens that by a minute. The most is 'share one queue': −45 s"
        in small.words
    )
    assert answer({SHARED: (-80 * seconds, -40 * seconds)}).option == SHARED


def test_nothing_is_changed_where_no_one_waits_in_the_model():
    made = table({SHARED: (-0.01, -0.005)})
    made["value"] = 5.0
    words = recommend(made, pairs({SHARED: (-0.01, -0.005)})).words
    assert words == "Change nothing: in the model a job waits 5 s on average today."


def test_sites_where_it_is_not_sure_are_named():
    words = answer({SHARED: (-3, -1)}, sites={(SHARED, "south"): (-1, 1)}).words
    assert words.endswith("surely falls at north; whether it rises or falls at south is not sure.")


def test_only_policies_are_recommended():
    changes = table({"10 % more processors, alone": (-9, -8)}, kind="what if")
    both = pd.concat([changes, table({SHARED: (-1, 1)}).query("option != @ALONE")])
    assert recommend(both, pairs({SHARED: (-1, 1)})).option is None


def test_a_short_log_and_saturated_sites_are_told():
    short = answer({SHARED: (-3, -1)}, warning="20 days make 2 blocks of 7")
    assert short.option is None
    assert short.words == "Change nothing yet, nothing is sure: 20 days make 2 blocks of 7."
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
    assert served.words.endswith(f"{full}.")
    none = table(changes, today=full)
    none.loc[none["option"] != ALONE, ["value", "warning"]] = [np.nan, full]
    assert recommend(none, pairs(changes)).words.startswith("No option serves this load")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (-0.4, "0 s"), (89, "89 s"), (600, "10 min"), (5400, "1.5 h"), (86_400, "24 h"),
     (1e6, "11.6 days"), (np.nan, "–")],
)  # fmt: skip
def test_times_are_in_the_unit_that_suits_them(seconds, words):
    assert duration(seconds) == words


def test_a_change_and_its_interval_have_one_unit():
    assert changed(-11_000, -17_000, 30) == "−3.1 h (−4.7 to +0.0)".replace("+0.0", "0.0")
    assert changed(60) == "+60 s"
    assert changed(1.25, -0.5, 3, times=False) == "+1.2 (−0.5 to +3.0)"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
