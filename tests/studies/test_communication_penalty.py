"""The third study: figures, verdicts that can say the opposite, and what may be added."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.intervals import Crossing, Interval, Sample
from coalloc_lib.studies import communication_penalty as claims
from coalloc_lib.studies.communication_penalty import WHOLE, served, study
from coalloc_lib.studies.communication_penalty import figures as drawn
from coalloc_lib.studies.communication_penalty import responses as paper
from coalloc_lib.studies.communication_penalty.responses import NAMES, Responses, Thresholds
from coalloc_lib.studies.core import Results, Scale
from tests.studies.small import SMALL

TINY = SMALL["communication-penalty"]
#: Of made-up results, which take no time: a panel, and all penalties and loads of the paper.
FEWER = {"jumps": (8,), "spread_jumps": (8,), "waiting_jumps": (20, 50), "above": (3, 10, 16, 19)}
ONE_PANEL = Scale(**vars(study.scales["paper"]) | FEWER)
NOISE = np.linspace(-1e-3, 1e-3, 8)


def means(of, noise=NOISE):
    """Return responses of eight runs, ``of(group)`` of each group; None where they saturate."""
    values = {group: of(group) for group in (*NAMES, *paper.BY_PENALTY, paper.ALL_SPLIT)}
    values |= {f"{name} wait": of(f"{name} wait") for name in paper.BY_PENALTY}
    known = {} if None in values.values() else values
    return Responses(Sample(np.full(8, 0.9)), {g: Sample(v + noise) for g, v in known.items()})


def made_up(name, of, whole=lambda group: 10.0):
    """Return results of a figure with responses ``of(line, place, group)`` beside those of 10."""
    found = {}
    for (_, line, place), (case, other) in study.figures[name].cases(ONE_PANEL, 1).items():
        found.setdefault(other, means(whole, -NOISE))
        found[case] = means(lambda group, at=(line, place): of(*at, group))
    return Results(study, ONE_PANEL, 1, found)


def verdict(item, results):
    return study.claim_row(item, results).verdict


def along(found, later=None):
    """Return responses by place; in the last line others, where these are given."""
    last = ("penalty 0.2", "load 0.786")
    return lambda line, place, group: (later if later and line in last else found)[place]


UPWARDS, DOWNWARDS, MIDDLE = (
    dict(zip((3, 10, 16, 19), responses, strict=True))
    for responses in ((5.0, 8.0, 9.5, 10.0), (14.0, 9.0, 8.5, 8.0), (9.0, 8.0, 9.0, 10.0))
)


def test_ratios_are_those_of_the_cases_run_by_run(result):
    case = served(20, 0.786, above=3, span_penalty=0.05)
    split, whole = (result.results[each].means["S4"] for each in (case, case.whole))
    table = result.figure("figure2").data().set_index(["max_jumps", "place", "group"])
    row = table.loc[("20", 3, "S4")]
    assert row["ratio"] == pytest.approx(np.exp(np.log(split.values / whole.values).mean()))
    assert row["response_against"] == whole.mean
    found = result.results[served(8, 0.786, above=3, span_penalty=drawn.SPREAD)].means
    row = result.figure("figure6").data().set_index(list(table.index.names)).loc[("8", 3, "C4")]
    assert row["wait"] == found["C4 wait"].mean
    ratios = found["C4"].values / found[paper.ALL_SPLIT].values
    assert row["ratio"] == pytest.approx(np.exp(np.log(ratios).mean()))


def test_spread_penalties_are_drawn_in_mirrored_pairs(result):
    case = served(8, 0.786, above=3, parts=4, span_penalty=drawn.SPREAD)
    twin = case.with_jobs(span_penalty=paper.Mirrored(0.001, 0.199))
    _, same = drawn.beside(case, drawn.SAME_PENALTY)
    streams = [each.jobs.sample(500, 3, rate=1.0) for each in (case, twin, same)]
    np.testing.assert_allclose(streams[0].span_penalty + streams[1].span_penalty, 0.2)
    assert all(np.array_equal(s.runtime, streams[2].runtime) for s in streams)
    one, other = (paper.respond(x.scenario, 0.786, (1_000, 3), 5).means for x in (case, twin))
    both = case.measure(SimpleNamespace(jobs=1_000, runs=3), 5).means
    for group in ("S4", "C1", "C4 wait"):
        expected = (one[group].values + other[group].values) / 2
        np.testing.assert_allclose(both[group].values, expected)


def test_saturated_points_have_no_ratio_and_a_doubt_stays():
    results = made_up("figure2", lambda line, place, group: None if place == 3 else float(place))
    table = results.table("figure2").set_index(["place", "group"])
    assert table.loc[(3, "stream"), "saturated"]
    assert np.isnan(table.loc[(3, "stream"), "ratio"])
    assert table.loc[(19, "stream"), "ratio"] == pytest.approx(1.9, abs=1e-3)
    for against in ("", "no co-allocation"):
        drawn.draw_lines(results.table("figure2"), "title", "", against=against).canvas.draw()
    cases = study.figures["figure2"].cases(ONE_PANEL, 1).items()
    line = {place: tuple(results[each] for each in pair) for (_, _, place), pair in cases}
    assert claims.pays(line, "stream") == {3: None, 10: None, 16: False, 19: False}
    assert drawn.best(line, "stream") == [10]
    doubt = {group: replace(s, warning="short") for group, s in line[16][0].means.items()}
    line[16] = replace(line[16][0], means=doubt), line[16][1]
    assert claims.pays(line, "stream")[16] is None
    assert claims.mean_of([None, paper.ratio(*line[16], "stream")]).warning == "short"
    assert claims.mean_of([None]) is None


@pytest.mark.parametrize(
    ("name", "of", "other"),
    [
        ("figure1", lambda _, psi, g: 9 + 10 * psi, lambda _, psi, g: 9.0),
        ("figure2", lambda *at: UPWARDS[at[1]], lambda *at: DOWNWARDS[at[1]]),
        ("figure3", lambda *at: along(UPWARDS, DOWNWARDS)(*at), lambda *at: UPWARDS[at[1]]),
        ("figure4", along(MIDDLE), along(MIDDLE, MIDDLE | {10: 10.0, 16: 7.0})),
        ("figure4", lambda line, x, _: (UPWARDS if "0.5" in line else MIDDLE)[x], along(UPWARDS)),
        ("figure5", lambda *_: 10.0, lambda *_: 10.5),
        ("figure6", lambda line, x, g: 11.0 if g == "C4" else 10.0, lambda *_: 10.0),
    ],
)
def test_a_notice_is_there_only_where_the_table_shows_it(name, of, other):
    when = study.figures[name].when
    tables = [made_up(name, each).table(name) for each in (of, other)]
    tables += [tables[0][:0], tables[0].assign(warning="short", verdict="undecided")]
    assert [bool(when(table)) for table in tables] == [True, False, False, False]


def test_where_both_sides_saturate_neither_is_certain_to_lose():
    full = made_up("figure3", lambda *_: None, whole=lambda _: None).table("figure3")
    assert set(full["warning"]) == {paper.NEITHER}
    results = made_up("figure3", along(UPWARDS, dict.fromkeys(UPWARDS)))
    low = {c: replace(r, max_utilization=Sample(r.max_utilization.values - 0.3 + NOISE)) for c, r in
           results.by_case.items() if r.saturated}  # fmt: skip
    for found, verdict in ((results.by_case, "undecided"), (results.by_case | low, "loses")):
        table = Results(study, ONE_PANEL, 1, found).table("figure3").query("saturated")
        assert set(table["verdict"]) == {verdict}
        assert set(table["warning"]) == {paper.UNCERTAIN if verdict == "undecided" else ""}


def test_cp1_fails_by_the_slip_and_by_every_share_outside_of_samples():
    table = study.figure("shares").run().data()
    exact = table.groupby("quantity")["exact"].sum()
    assert exact[[drawn.JOBS, drawn.WORK]].tolist() == pytest.approx([1, 1])
    assert table["exact"].iloc[0] == pytest.approx(0.248, abs=5e-4)
    half = (table["sample_high"] - table["sample_low"]).iloc[0] / 2
    assert half == pytest.approx(1.96 * np.sqrt(0.248 * 0.752 / drawn.SAMPLED), rel=0.15)
    # A sample's load strays as a job's work does, and as a gap.
    load, second = table.iloc[-1], 2 * (np.arange(20) ** 2 @ paper.SIZES.probabilities)
    spread = load["exact"] * np.sqrt(second / drawn.SAMPLED) / paper.SIZES.mean
    assert load["sample_high"] - load["sample_low"] == pytest.approx(2 * 1.96 * spread, rel=0.15)

    def row(table):
        return study.claim_row("CP-1", SimpleNamespace(table=lambda name: table))

    slip = (table["quantity"] == drawn.WORK) & (table["group"] == "S2")
    assert row(table).verdict == "does not hold"
    assert row(table).note.endswith("| fails: share of the load S2")
    assert "Samples lie around the 13.3% left" in row(table).note
    assert row(table.assign(explained=table["explained"] | slip)).verdict == "holds"
    assert row(table).reproduced == pytest.approx(paper.EXACT_LOAD)
    less = table["printed"].mask((table["quantity"] == drawn.WORK) & (table["group"] == "S4"), 0.5)
    assert "Samples do not lie around the 20.9% left" in row(table.assign(printed=less)).note


MAPS = pd.DataFrame(
    {"group": "stream", "load": [0.5] + [0.7] * 3, "psi": [0] + [0.2] * 3, "parts": [5, 2, 3, 4]}
)


@pytest.mark.parametrize(
    ("name", "verdicts", "shown"),
    [
        ("viability-8", ["loses"] + ["gains"] * 3, True), ("viability-8", "loses", False),
        ("viability-no-limit", "loses", True), ("viability-no-limit", "undecided", False),
        ("viability-no-limit", ["loses"] * 3 + ["gains"], False),
    ],
)  # fmt: skip
def test_notices_of_maps_count_cells(name, verdicts, shown):
    when = study.figures[name].when
    assert when(MAPS.assign(verdict=verdicts)) == shown
    assert not when(MAPS.assign(verdict=verdicts)[:0])


@pytest.mark.parametrize(
    ("five", "fcfs", "shown"), [("loses", -60, True), ("gains", -60, False), ("loses", -20, False)]
)
def test_the_notice_on_components_compares_fcfs_and_five(five, fcfs, shown):
    """Under FCFS by its interval, here of ten percent to each side."""
    when, rows = study.figures["components"].when, []
    for (jumps, change), parts in product({"0": fcfs, "8": -10}.items(), (2, 4, 5)):
        ends = {"ci95_low": change - 10, "ci95_high": change + 10}
        verdict = five if parts == 5 else "gains"
        rows.append({"max_jumps": jumps, "parts": parts, "verdict": verdict} | ends)
    table = pd.DataFrame(rows).assign(group="stream", psi=0.0)
    assert when(table) == shown
    assert not when(table[:0])
    assert not when(table[table["max_jumps"] == "0"])


def searched(found, told=1.0, beyond=0.1, runs=0.05, **how):
    """Return results of the search with thresholds ``found(case, group)``, known to 0.005.

    A single run strays by some `runs`, and a share `told` has the printed order; where the stream
    breaks even, S4 loses by `beyond`, and S1 gains.
    """
    at_stream = {"S4": Sample(beyond + NOISE), "S1": Sample(NOISE - beyond)}
    known = {}
    for case in study.figures["thresholds"].cases(ONE_PANEL, 1).values():
        means = {group: found(case, group) for group in NAMES}
        ends = {n: Interval(x, x - 0.005, x + 0.005, 8) for n, x in means.items()}
        single = {n: Sample(x + runs * NOISE / NOISE.std()) for n, x in means.items()}
        late = np.arange(8) < round(8 * (1 - told))  # in these runs S4 is behind the stream
        single["S4"] = Sample(single["S4"].values + late)
        known[case] = Thresholds(
            {n: Crossing(replace(end, **how.get(n, {})), 0) for n, end in ends.items()},
            single, at_stream, how.get("full", np.inf),
        )  # fmt: skip
    return Results(study, ONE_PANEL, 1, known)


def as_printed(case, group):
    """The printed thresholds at the head with MaxJumps 8, and else far from them."""
    there = case.counted == "head" and case.max_jumps == 8
    return drawn.PRINTED.get(group, 0.2) + 0.02 * (group == "S1") + 0.2 * (not there)


def test_thresholds_tell_which_max_jumps_fit_print():
    def fitting(*found, prefix="ci95", **how):
        fits = drawn.fits(searched(*found, **how).table("thresholds"), prefix)
        return fits[fits].index.tolist()

    for prefix in ("ci95", "run"):
        assert fitting(as_printed, prefix=prefix, runs=0.02) == [("head", 8.0)]
    assert fitting(as_printed, prefix="run", told=0.0) == []
    assert fitting(as_printed, beyond=-0.1) == []  # S4 after the stream, whatever the means
    # Over 0.3 is more than 0.3, and without its rounding.
    low = {"S1": {"estimate": 0.29, "low": 0.28, "high": 0.3}}
    assert fitting(as_printed, **low) == []
    assert fitting(as_printed, S1=low["S1"] | {"high": 0.3001}) == [("head", 8.0)]
    results = searched(as_printed, runs=0.02)
    assert "MaxJumps 8 (by the mean) and 8 (by one run)" in claims.identified(results)
    when, table = study.figures["thresholds"].when, results.table("thresholds")
    assert when(table)
    everywhere = searched(lambda case, group: as_printed(paper.BreakEven(0.786, 8), group))
    assert "50, no limit, 20 over the wait, 50 over the wait (by" in claims.identified(everywhere)
    others = everywhere.table("thresholds"), table[:0], table.assign(warning="short")
    assert not any(map(when, others))


def test_an_end_out_of_reach_or_where_split_jobs_saturate_is_a_bound():
    far = {"S1": {"high": np.inf}, "S2": {"low": -np.inf}, "S3": {"low": -np.inf, "high": 0.4}}
    table = searched(lambda case, group: 0.2, full=0.4, **far).table("thresholds")
    bounds = table.set_index("group")["bound"].groupby(level=0).first()
    assert bounds[["stream", "S1", "S2", "S3", "S4"]].tolist() == [
        "", "at least", "at most", "at most and at least", ""]  # fmt: skip
    study.figures["thresholds"].draw(table, title="", subtitle="").canvas.draw()


def test_claims_on_thresholds_are_judged_at_the_jumps_of_the_study():
    items = ("CP-2", "CP-3", "CP-9", "CP-10", "CP-13")

    def verdicts(*found, **how):
        results = searched(*found, **how)
        return [verdict(item, results) for item in items]

    assert verdicts(as_printed) == ["holds"] * 5
    later = {8: paper.BreakEven(0.786, 9), 10: paper.BreakEven(0.786, 8)}  # fits at 10 alone
    at_ten = verdicts(lambda case, group: as_printed(later.get(case.max_jumps, case), group))
    assert at_ten[0] == at_ten[3] == "does not hold"
    assert verdicts(lambda case, group: 0.35) == ["does not hold"] * 2 + [
        "holds", "does not hold", "holds"]  # fmt: skip
    for beyond, expected in ((-0.1, "does not hold"), (0.0, "undecided")):
        assert verdicts(as_printed, beyond=beyond)[1::3] == [expected] * 2
    below = {"S1": {"estimate": -np.inf, "low": -np.inf, "high": -np.inf}}
    assert verdicts(lambda case, group: 0.2, **below)[2] == "does not hold"
    none = {"stream": {"estimate": 0.185, "low": np.inf, "high": np.inf}}
    assert verdicts(as_printed, **none)[0] == "does not hold"
    for how in ({"warning": "too short"}, {"low": -np.inf}):  # what is open decides nothing
        assert verdicts(as_printed, stream=how)[0] == "undecided"
    assert verdicts(as_printed, runs=0.0)[0] == "undecided"  # runs at the end of what is searched


def steeper(line, place, group):
    return 10 - (10 - UPWARDS[place]) * (2 if group == "S4" else 1) / 2


@pytest.mark.parametrize(
    ("item", "name", "of", "expected"),
    [
        ("CP-4", "figure2", steeper, "holds"),
        ("CP-4", "figure2", lambda *at: 20 - steeper(*at), "does not hold"),
        ("CP-4", "figure2", lambda *at: 9.0 if at[2] == "S1" else steeper(*at), "does not hold"),
        ("CP-4", "figure2", along(UPWARDS), "does not hold"),  # S4 rises as the others do
        ("CP-5", "figure3", along(UPWARDS, {3: 14.0, 10: 9.0, 16: 9.0, 19: 10.0}), "holds"),
        ("CP-5", "figure3", along(DOWNWARDS, UPWARDS), "does not hold"),
        ("CP-5", "figure3", along(UPWARDS), "undecided"),
        ("CP-5", "figure3", lambda *_: None, "undecided"),
        ("CP-6", "figure4", along(MIDDLE), "holds"),
        ("CP-6", "figure4", along(MIDDLE, UPWARDS), "does not hold"),
        ("CP-6", "figure4", lambda line, x, _: (UPWARDS if "0.5" in line else MIDDLE)[x], "holds"),
        ("CP-6", "figure4", along(dict.fromkeys(MIDDLE, 9.0), MIDDLE), "undecided"),
        ("CP-6", "figure4", along(UPWARDS), "undecided"),  # the best may lie below all thresholds
        ("CP-6", "figure4", lambda *_: None, "undecided"),
        ("CP-7", "figure5", lambda *_: 10.05, "holds"),
        ("CP-7", "figure5", lambda *_: 10.0, "undecided"),
        ("CP-7", "figure5", lambda *_: 9.9, "does not hold"),
        ("CP-7", "figure5", lambda *at: 9.9 if at[2] == "S1" else 10.5, "does not hold"),
        ("CP-7", "figure5", lambda *at: 10.0 if at[2] == "S1" else 10.5, "undecided"),
        ("CP-8", "figure6", lambda *_: 20.0, "holds"),
        ("CP-8", "figure6", lambda *at: 20.0 + 5 * (at[2] == "C4 wait"), "does not hold"),
        ("CP-8", "figure6", lambda *_: 10.0, "does not hold"),
        ("CP-11", "figure2", lambda *at: 20.0 + (at[2] == "S4"), "holds"),
        ("CP-11", "figure2", lambda *at: 20.0 + (at[2] == "S3"), "does not hold"),
        ("CP-12", "figure4", lambda line, *_: 10 + float(line[5:]), "holds"),
        ("CP-12", "figure4", lambda line, *_: 10 - float(line[5:]), "does not hold"),
    ],
)
def test_verdicts_say_what_the_lines_do(item, name, of, expected):
    assert verdict(item, made_up(name, of)) == expected


def test_places_that_are_alike_decide_nothing():
    gains, loses, other = {3: True, 10: True}, {3: False, 10: True}, {3: True, 10: False}
    pairs = (gains, loses), (loses, gains), (other, loses), (gains, {3: None, 10: True})
    assert [claims.shrinks(*pair) for pair in pairs] == [True, False, False, None]


def test_jobs_of_c4_run_longer_than_those_of_c1_by_their_own_penalty_alone():
    jobs = WHOLE.with_(above=3, span_penalty=drawn.SPREAD).sample(400_000, 1, rate=1.0)
    psi, extra = jobs.span_penalty, jobs.span_penalty * jobs.runtime
    first, *_, last = (extra[(psi >= x) & (psi < y)].mean() for x, y in paper.BY_PENALTY.values())
    assert last - first == pytest.approx(claims.LONGER, abs=0.03)
