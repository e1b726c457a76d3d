"""Verdicts and titles of the third study say the opposite where the numbers do."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.studies.communication_penalty import claims, headlines, parameters, shares
from coalloc_lib.studies.communication_penalty.responses import GROUPS, NAMES
from coalloc_lib.studies.communication_penalty.threshold_figure import Threshold, ThresholdFigure
from tests.studies.made_up_ratios import RUNS, made_up

UPWARDS = {3: 5.0, 10: 8.0, 19: 10.0}


def runs(**parts):
    return SimpleNamespace(**parts)


def verdict(item, **parts):
    return claims.claim.row(item, runs(**parts)).verdict


def test_cp4_needs_every_group_to_rise_and_the_largest_most():
    def steeper(line, place, group):
        return 10 - (10 - UPWARDS[place]) * (2 if group == "S4" else 1) / 2

    assert verdict("CP-4", split=made_up(steeper)) == "holds"
    assert verdict("CP-4", split=made_up(lambda line, x, g: 20 - steeper(line, x, g))) == (
        "does not hold"
    )
    flat = made_up(lambda line, x, g: 9.0 if g == "S1" else steeper(line, x, g))
    assert verdict("CP-4", split=flat) != "holds"
    dips = {3: 5.0, 10: 4.0, 19: 10.0}
    assert verdict("CP-4", split=made_up(lambda line, x, g: dips[x])) == "does not hold"


def test_cp5_needs_a_best_threshold_that_grows_and_fewer_that_pay():
    lines = ("ψ = 0.05", "ψ = 0.2")
    grows = {lines[0]: {3: 5.0, 10: 8.0, 19: 10.0}, lines[1]: {3: 14.0, 10: 9.0, 19: 10.0}}

    def best(found):
        return made_up(lambda line, x, g: found[line][x], lines=lines, groups=("S4",))

    assert verdict("CP-5", best=best(grows)) == "holds"
    assert verdict("CP-5", best=best(dict(zip(lines, reversed(grows.values()), strict=True)))) == (
        "does not hold"
    )
    assert verdict("CP-5", best=best(dict.fromkeys(lines, grows[lines[0]]))) == "cannot be tested"


def test_cp6_needs_one_threshold_that_is_best_at_every_load():
    lines = ("load 0.5", "load 0.7")

    def loads(found):
        return made_up(lambda line, x, g: found[line][x], lines=lines, groups=("stream",))

    same = {3: 9.0, 10: 8.0, 19: 10.0}
    assert verdict("CP-6", loads=loads(dict.fromkeys(lines, same))) == "holds"
    other = {lines[0]: same, lines[1]: UPWARDS}
    assert verdict("CP-6", loads=loads(other)) == "does not hold"


def test_cp7_needs_every_group_to_respond_later():
    groups = tuple(GROUPS)
    assert verdict("CP-7", spread=made_up(lambda *_: 10.5, groups=groups)) == "holds"
    assert verdict("CP-7", spread=made_up(lambda *_: 9.5, groups=groups)) == "does not hold"
    some = made_up(lambda line, x, g: 10.5 if g == "S1" else 9.5, groups=groups)
    assert verdict("CP-7", spread=some) == "holds in part"


def own(longer, waits):
    """Return what CP-8 asks a figure: relative differences, each known to 0.001."""

    def spread(jumps, part=""):
        return Sample((waits if part else longer) + np.linspace(-1e-3, 1e-3, RUNS))

    return SimpleNamespace(panels=[5], mean_spread=spread)


def test_cp8_needs_groups_that_respond_and_wait_alike():
    assert verdict("CP-8", own=own(0.05, 0.0)) == "holds"
    assert verdict("CP-8", own=own(0.15, 0.0)) == "holds in part"
    assert verdict("CP-8", own=own(0.15, 0.05)) == "does not hold"


def thresholds(found, saturated=False):
    """Return the figure with thresholds ``found(case, group)``, each known to 0.005."""
    figure = ThresholdFigure()
    for case in figure.entries:
        figure.found[case] = {
            group: Threshold(Interval(x, x - 0.005, x + 0.005, RUNS), saturated)
            for group in NAMES
            for x in [found(case, group)]
        }
    return figure


PRINTED = {"stream": 0.185, "S4": 0.16, "S1": 0.4, "S2": 0.2, "S3": 0.18}


def test_cp2_and_cp3_hold_where_the_thresholds_are_the_printed_ones():
    as_printed = thresholds(lambda case, group: PRINTED[group])
    assert verdict("CP-2", thresholds=as_printed) == "holds"
    assert verdict("CP-3", thresholds=as_printed) == "holds"
    assert as_printed.nearest()[1] == 0
    upside_down = thresholds(lambda case, group: 0.1 + 0.1 * (group == "S4"))
    assert verdict("CP-3", thresholds=upside_down) == "does not hold"
    assert verdict("CP-2", thresholds=upside_down) == "holds in part"
    never = thresholds(lambda case, group: -np.inf)
    assert verdict("CP-2", thresholds=never) == "does not hold"
    assert not np.isfinite(never.nearest()[1])


def test_the_nearest_case_is_found_among_those_of_the_studys_splitting():
    def found(case, group):
        near = case.max_jumps == 50 and case.load == parameters.PRINTED_LOAD
        return PRINTED[group] + (0.01 if near else 0.0 if case.splitting == "ceiling" else 0.05)

    figure = thresholds(found)
    case, distance = figure.nearest()
    assert (case.max_jumps, case.splitting) == (50, "floor")
    assert distance == pytest.approx(0.01 * np.sqrt(2))
    assert figure.nearest("ceiling")[1] < distance
    assert "MaxJumps 50" in figure.title


def test_a_saturated_base_is_said_in_the_answer():
    table = thresholds(lambda case, group: 0.2, saturated=True).data()
    assert set(table["answer"]) == {"crossing of what is borne"}
    assert np.isinf(table["max_jumps"]).any()


def test_shares_are_exact_and_a_sample_strays_less_the_larger_it_is():
    exact = shares.exact_shares()
    for panel in (shares.JOBS, shares.WORK):
        assert sum(exact[panel].values()) == pytest.approx(1)
    # Point 2 of what the paper leaves open: size 1 with 1 counted as a power of two.
    assert exact[shares.JOBS]["S1"] == pytest.approx(0.248, abs=5e-4)
    small, large = (shares.sampled_shares(n, 1)[shares.JOBS]["S1"] for n in (500, 8_000))
    assert small.half_width == pytest.approx(4 * large.half_width, rel=0.25)
    assert small.estimate == large.estimate == exact[shares.JOBS]["S1"]
    normal = 1.96 * np.sqrt(0.248 * 0.752 / 8_000)
    assert large.half_width == pytest.approx(normal, rel=0.15)


def test_cp1_says_what_a_sample_does_not_explain(monkeypatch):
    row = claims.claim.row("CP-1", runs(shares=shares.ShareFigure(1)))
    assert row.verdict == "holds in part"
    assert "share of the load of S2" in row.note
    assert row.reproduced == pytest.approx(parameters.EXACT_LOAD)
    assert row.ci95_low is None  # of a law there is no interval
    exact = shares.exact_shares()
    monkeypatch.setattr(shares, "PRINTED_WORK", exact[shares.WORK])
    monkeypatch.setattr(shares, "PRINTED_LOAD", parameters.EXACT_LOAD)
    assert claims.claim.row("CP-1", runs(shares=shares.ShareFigure(1))).verdict == "holds"


def test_titles_say_the_opposite_where_the_numbers_do():
    sure = made_up(lambda line, x, g: 8.0, places=(3, 10))
    never = made_up(lambda line, x, g: 12.0, places=(3, 10))
    assert "up to ψ = 10" in headlines.pays_below(sure)
    assert "not always (nowhere) (stream)" in headlines.pays_below(never)
    lines = ("load 0.5", "load 0.7")
    falls = {lines[0]: {3: 12.0, 10: 8.0, 19: 10.0}, lines[1]: UPWARDS}
    figure = made_up(lambda line, x, g: falls[line][x], lines=lines, groups=("stream",))
    assert "to split more, at 1 of 1 MaxJumps" in headlines.best_by_load(figure)
    rises = dict(zip(lines, reversed(falls.values()), strict=True))
    figure = made_up(lambda line, x, g: rises[line][x], lines=lines, groups=("stream",))
    assert "to split more, at none of 1" in headlines.best_by_load(figure)


def test_cp1_doubts_shares_of_jobs_that_no_likely_sample_has(monkeypatch):
    """Where 1 does not count as a power of two, S1 has a tenth of the jobs, not a quarter."""
    figure = shares.ShareFigure(1)
    assert figure.likely
    # By construction: what is fitted is no answer.
    assert all(figure.explained(shares.JOBS).values())
    assert not any("of the jobs of" in word for word in figure.title.split(", "))
    assert "explain 2 of 5 other figures" in figure.title
    row = claims.claim.row("CP-1", runs(shares=figure))
    assert "shares of the jobs," not in row.note
    other = dict(zip(GROUPS, (0.099, 0.33, 0.27, 0.301), strict=True))
    monkeypatch.setattr(shares, "PRINTED_JOBS", other)
    few = shares.ShareFigure(1)
    assert not few.likely
    assert few.jobs < 100
    assert "fails: shares of the jobs" in claims.claim.row("CP-1", runs(shares=few)).note


def test_cp5_has_no_number_where_all_saturates():
    lines = ("ψ = 0.05", "ψ = 0.2")
    figure = made_up(lambda *_: None, lines=lines, groups=("S4",))
    row = claims.claim.row("CP-5", runs(best=figure))
    assert row.reproduced is None
    assert row.verdict == "cannot be tested"


def test_titles_claim_no_more_than_the_intervals():
    hollow = made_up(lambda line, x, g: {3: 8.0, 10: 12.0, 19: 8.0}[x])
    assert "up to ψ = 3 (stream)" in headlines.pays_below(hollow)
    noisy = Sample(np.linspace(0.97, 1.03, RUNS))
    spread = SimpleNamespace(panels=[5], groups=GROUPS, mean_ratio=lambda *_: noisy)
    title = headlines.spread_is_worse(spread)
    assert title.startswith("Averaged over the thresholds, no group is seen to respond later")
    assert f"(within {100 * noisy.interval.half_width:.1f} %)" in title
    unseen = "in the waits no difference is seen"
    assert unseen in headlines.own_penalty_matters(own(0.1, 0.0))
    assert unseen not in headlines.own_penalty_matters(own(0.1, 0.05))
    assert "they wait −5.0 % longer" in headlines.own_penalty_matters(own(0.1, -0.05))
    assert "respond +10.0 % later" in headlines.own_penalty_matters(own(0.1, 0.0))


def changed(figure, **how):
    """Change the stream's threshold of every case, such as its doubt or an end."""
    for case, found in figure.found.items():
        known = found["stream"].interval
        figure.found[case] = found | {"stream": Threshold(replace(known, **how), False)}
    return figure


def test_cp2_and_cp3_decide_nothing_from_what_is_open():
    def as_printed():
        return thresholds(lambda case, group: PRINTED[group])

    for open_end in ({"doubt": "too short"}, {"low": -np.inf}):
        row = claims.claim.row("CP-2", runs(thresholds=changed(as_printed(), **open_end)))
        assert "undecided: a threshold at" in row.note
        assert "fails" not in row.note
    overlap = changed(as_printed(), low=0.163)
    assert verdict("CP-3", thresholds=overlap) == "holds in part"
    note = claims.claim.row("CP-3", runs(thresholds=overlap)).note
    assert "undecided: S4 below the stream" in note
    assert "fails" not in note
    later = thresholds(lambda case, group: PRINTED[group] + 0.1 * (group == "S4"))
    assert "fails: S4 below the stream" in claims.claim.row("CP-3", runs(thresholds=later)).note


def test_cp5_and_cp6_decide_nothing_from_many_that_are_alike():
    assert claims._grows([3, 5], [5, 8]) is None
    assert claims._grows([3, 5], [8]) is True
    assert claims._grows([8, 10], [3, 5]) is False
    gains, loses = {3: True, 10: True}, {3: False, 10: True}
    assert claims._shrinks(gains, loses) is True
    assert claims._shrinks(loses, gains) is False
    assert claims._shrinks({3: True, 10: False}, {3: False, 10: True}) is False
    assert claims._shrinks(gains, {3: None, 10: True}) is None
    lines = ("load 0.5", "load 0.7")
    places = (3, 5, 7, 10, 19)
    alike = {
        lines[0]: dict.fromkeys(places, 9.0),
        lines[1]: {3: 8.0, 5: 9.0, 7: 9.0, 10: 9.0, 19: 9.0},
    }
    figure = made_up(
        lambda line, x, g: alike[line][x], lines=lines, places=places, groups=("stream",)
    )
    assert verdict("CP-6", loads=figure) == "cannot be tested"
