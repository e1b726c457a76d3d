"""The third study: figures, verdicts that can say the opposite, and what may be added."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.intervals import Crossing, Interval, Sample
from coalloc_lib.studies import communication_penalty as claims
from coalloc_lib.studies.communication_penalty import figures as drawn
from coalloc_lib.studies.communication_penalty import responses as paper
from coalloc_lib.studies.communication_penalty import served, study
from coalloc_lib.studies.communication_penalty.responses import NAMES, Responses, Thresholds
from coalloc_lib.studies.core import Results, Scale
from tests.studies.small import SMALL

TINY = SMALL["communication-penalty"]
#: Of made-up results, which take no time: a panel, and all penalties and loads of the paper.
ONE_PANEL = Scale(**vars(study.scales["paper"]) | {"jumps": (8,), "above": (3, 10, 16, 19)})
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
    for (_, line, place), (case, other, *twin) in study.figures[name].cases(ONE_PANEL, 1).items():
        found.setdefault(other, means(whole, -NOISE))
        for each in (case, *twin):
            found[each] = means(lambda group, at=(line, place): of(*at, group))
    return Results(study, ONE_PANEL, 1, found)


def verdict(item, results):
    return study.claim_row(item, results).verdict


def along(found, later=None):
    """Return responses by place; in the last line others, where these are given."""
    last = ("ψ = 0.2", "load 0.786")
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
    assert row["ratio"] == pytest.approx(np.mean(split.values / whole.values))
    assert row["response_against"] == whole.mean
    found = result.results[served(8, 0.786, above=3, span_penalty=drawn.SPREAD)].means
    row = result.figure("figure6").data().set_index(list(table.index.names)).loc[("8", 3, "C4")]
    assert row["wait"] == found["C4 wait"].mean
    ratios = found["C4"].values / found[paper.ALL_SPLIT].values
    assert row["ratio"] == pytest.approx(ratios.mean())


def test_spread_penalties_are_drawn_in_mirrored_pairs(result):
    case = served(8, 0.786, above=3, parts=4, span_penalty=drawn.SPREAD)
    _, same, twin = drawn.beside(case, drawn.SAME_PENALTY)
    streams = [each.jobs.sample(500, 3, rate=1.0) for each in (case, twin, same)]
    np.testing.assert_allclose(streams[0].span_penalty + streams[1].span_penalty, 0.2)
    assert all(np.array_equal(s.runtime, streams[2].runtime) for s in streams)
    row = result.figure("figure5").data().query("max_jumps == '8' and place == 3 and group == 'S4'")
    mine, mirrored, constant = (result.results[x].means["S4"].values for x in (case, twin, same))
    expected = ((mine + mirrored) / 2 / constant).mean()
    assert row["ratio"].item() == pytest.approx(expected)
    assert drawn.beside(served(8, 0.5, above=3, span_penalty=0.3), drawn.SAME_PENALTY)[2] == (
        served(8, 0.5, above=3, span_penalty=0.3)
    )


def test_saturated_points_have_no_ratio_and_a_doubt_stays():
    results = made_up("figure2", lambda line, place, group: None if place == 3 else float(place))
    table = results.table("figure2").set_index(["place", "group"])
    assert table.loc[(3, "stream"), "saturated"]
    assert np.isnan(table.loc[(3, "stream"), "ratio"])
    assert table.loc[(19, "stream"), "ratio"] == pytest.approx(1.9, abs=1e-3)
    for draw in (drawn.draw_ratios, drawn.draw_responses):
        draw(results.table("figure2"), "title", "subtitle").canvas.draw()
    line = claims.lines_of(results, "figure2")["8"][""]
    assert claims.pays(line, "stream") == {3: False, 10: None, 16: False, 19: False}
    assert claims.best(line, "stream") == [10]
    means = {group: replace(s, warning="short") for group, s in line[16][0].means.items()}
    line[16] = replace(line[16][0], means=means), line[16][1]
    assert claims.pays(line, "stream")[16] is None
    assert claims.mean_of(claims.along(line, "stream")).warning == "short"


@pytest.mark.parametrize(
    ("name", "of", "other", "theirs"),
    [
        ("figure1-ratios", lambda _, psi, g: 9 + 10 * psi, lambda _, psi, g: 9.0, {"psi": 0.3}),
        ("figure2-ratios", along(UPWARDS), along(DOWNWARDS), {"above": 16}),
        ("figure3-ratios", along(UPWARDS, DOWNWARDS), along(UPWARDS), {"above": 3, "psi": 0.2}),
        ("figure4-ratios", along(DOWNWARDS, UPWARDS), along(DOWNWARDS), {"above": 3, "load": 0.5}),
        ("figure5", lambda *_: 10.0, lambda *_: 10.5, {}),
        ("figure6", lambda line, x, g: 11.0 if g == "C4" else 10.0, lambda *_: 10.0,
         {"group": "C4", "above": 3}),
    ],
)  # fmt: skip
def test_a_notice_is_there_where_the_table_shows_it_and_only_there(name, of, other, theirs):
    """A reader's line that does otherwise takes it away."""
    tables = [made_up(name.split("-")[0], each).table(name) for each in (of, other)]
    when, known = study.figures[name].when, tables[0]
    ends = ["ratio", "ci95_low", "ci95_high"]
    tables += [known[:0], known.assign(**dict.fromkeys(ends, np.nan), saturated=False)]
    mine = drawn.pick(known, **theirs).assign(line="mine", **dict.fromkeys(ends, 0.1))
    tables += [known.assign(warning="short"), pd.concat([known, mine])]
    assert [bool(when(table)) for table in tables] == [True, False, False, False, False, False]


@pytest.mark.parametrize(
    ("name", "of", "other"),
    [
        ("figure2", lambda *at: steeper(*at), lambda *at: 20 - steeper(*at)),
        ("figure2", lambda *at: steeper(*at), along(UPWARDS)),
        ("figure3", along(UPWARDS, DOWNWARDS), along(UPWARDS)),
        ("figure4", lambda line, x, g: 10.0 + 10 * float(line[5:]), along(UPWARDS)),
    ],
)
def test_a_notice_on_response_times_is_there_only_where_they_show_it(name, of, other):
    when = study.figures[name].when
    tables = [made_up(name, each).table(name) for each in (of, other)]
    assert [bool(when(table)) for table in (*tables, tables[0][:0])] == [True, False, False]


def test_where_both_sides_saturate_neither_is_certain_to_lose():
    full = made_up("figure3", lambda *_: None, whole=lambda _: None).table("figure3")
    assert set(full["warning"]) == {paper.NEITHER}
    results = made_up("figure3", along(UPWARDS, dict.fromkeys(UPWARDS)))
    low = {c: replace(r, max_utilization=Sample(r.max_utilization.values - 0.3 + NOISE)) for c, r in
           results.by_case.items() if r.saturated}  # fmt: skip
    for found, when in ((results.by_case, False), (results.by_case | low, True)):
        table = Results(study, ONE_PANEL, 1, found).table("figure3")
        assert set(table["warning"]) == {""} | ({paper.UNCERTAIN} if not when else set())
        assert bool(study.figures["figure3-ratios"].when(table)) == when


def test_cp1_needs_every_share_but_the_slip_within_samples():
    table = study.figure("shares").run().data()
    exact = table.groupby("quantity")["exact"].sum()
    assert exact[[drawn.JOBS, drawn.WORK]].tolist() == pytest.approx([1, 1])
    assert table["exact"].iloc[0] == pytest.approx(0.248, abs=5e-4)
    half = (table["sample_high"] - table["sample_low"]).iloc[0] / 2
    assert half == pytest.approx(1.96 * np.sqrt(0.248 * 0.752 / drawn.SAMPLED), rel=0.15)

    def row(table):
        return study.claim_row("CP-1", SimpleNamespace(table=lambda name: table))

    assert row(table).verdict == "holds"
    assert row(table).reproduced == pytest.approx(paper.EXACT_LOAD)
    odd = row(table.assign(explained=table["explained"] & (table["group"] != "S4")))
    assert odd.verdict == "does not hold"
    assert "fails: share of the jobs S4; share of the load S4" in odd.note
    less = table["printed"].mask((table["quantity"] == drawn.WORK) & (table["group"] == "S4"), 0.5)
    assert "fails: share of the load S2" in row(table.assign(printed=less)).note


MAPS = pd.DataFrame(
    {"group": "stream", "load": [0.5] + [0.7] * 3, "psi": [0] + [0.2] * 3, "parts": [5, 2, 3, 4]}
)


@pytest.mark.parametrize(
    ("name", "verdicts", "shown"),
    [
        ("viability-8", ["loses"] + ["gains"] * 3, True), ("viability-8", "loses", False),
        ("viability-no-limit", "loses", True), ("viability-no-limit", "undecided", False),
        ("viability-no-limit", ["loses"] * 3 + ["gains"], False), ("components", "gains", False),
        ("components", ["loses"] + ["gains"] * 3, True),
    ],
)  # fmt: skip
def test_notices_of_maps_count_cells(name, verdicts, shown):
    when = study.figures[name].when
    assert when(MAPS.assign(verdict=verdicts)) == shown
    assert not when(MAPS.assign(verdict=verdicts)[:0])


def searched(found, told=0.9, beyond=0.1, **how):
    """Return results of the search with thresholds ``found(case, group)``, known to 0.005.

    A single run lies within 0.05; where the stream breaks even, S4 loses by `beyond`, S1 gains.
    """
    cases = study.figures["thresholds"].cases(ONE_PANEL, 1).values()

    def crossings(case, by, change):
        return {
            group: Crossing(replace(Interval(x, x - by, x + by, 8), **change.get(group, {})), 0)
            for group in NAMES for x in [found(case, group)]
        }  # fmt: skip

    at_stream = {"S4": Sample(beyond + NOISE), "S1": Sample(NOISE - beyond)}
    known = {
        case: Thresholds(
            crossings(case, 0.005, how), False, crossings(case, 0.05, {}), told, at_stream
        )
        for case in cases
    }
    return Results(study, ONE_PANEL, 1, known)


def as_printed(case, group):
    """The printed thresholds at the head with MaxJumps 8, and else far from them."""
    there = case.counted == "head" and case.max_jumps == 8
    return drawn.PRINTED.get(group, 0.2) + 0.02 * (group == "S1") + 0.2 * (not there)


def test_thresholds_tell_which_max_jumps_fit_print():
    table = searched(as_printed).table("thresholds")
    for prefix in ("ci95", "run"):
        fitting = drawn.fits(table, prefix)
        assert fitting[fitting].index.tolist() == [("head", 8.0)]
    assert not drawn.fits(searched(as_printed, told=0.01).table("thresholds"), "run").any()
    assert "MaxJumps 8 (by the mean) and 8 (by one run)" in claims.identified(searched(as_printed))
    when = study.figures["thresholds"].when
    assert when(table)
    everywhere = searched(lambda case, group: drawn.PRINTED.get(group, 0.2)).table("thresholds")
    assert not any(map(when, (everywhere, table[:0], table.assign(warning="short"))))
    study.figures["jumps"].draw(table, title="", subtitle="").canvas.draw()


def test_claims_on_thresholds_need_them_as_they_are_printed():
    items = ("CP-2", "CP-3", "CP-9", "CP-10", "CP-13")

    def verdicts(*found, **how):
        results = searched(*found, **how)
        return [verdict(item, results) for item in items]

    assert verdicts(as_printed) == ["holds"] * 5
    assert verdicts(lambda case, group: 0.28) == ["does not hold"] * 2 + [
        "holds", "does not hold", "holds"]  # fmt: skip
    assert verdicts(as_printed, beyond=-0.1)[1] == "does not hold"
    assert verdicts(as_printed, beyond=-0.1)[4] == "does not hold"
    assert verdicts(as_printed, beyond=0.0)[1] == verdicts(as_printed, beyond=0.0)[4] == "undecided"
    below = {"S1": {"estimate": -np.inf, "low": -np.inf, "high": -np.inf}}
    assert verdicts(lambda case, group: 0.2, **below)[2] == "does not hold"
    none = {"stream": {"estimate": 0.185, "low": np.inf, "high": np.inf}}
    assert verdicts(as_printed, **none)[0] == "does not hold"
    for how in ({"warning": "too short"}, {"low": -np.inf}):  # what is open decides nothing
        assert verdicts(as_printed, stream=how)[0] == "undecided"


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
        ("CP-7", "figure5", lambda *_: 10.5, "holds"),
        ("CP-7", "figure5", lambda *_: 10.05, "does not hold"),
        ("CP-7", "figure5", lambda *_: 10.1, "undecided"),
        ("CP-7", "figure5", lambda *at: 10.05 if at[2] == "S1" else 10.5, "does not hold"),
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


@pytest.mark.parametrize(
    ("response", "waits", "expected"),
    [(20.0, 0.0, "holds"), (20.0, 5.0, "does not hold"), (10.0, 0.0, "does not hold")],
)
def test_cp8_needs_groups_that_respond_and_wait_alike(response, waits, expected):
    results = made_up("figure6", lambda line, x, g: waits if g == "C4 wait" else
                      0.0 if g == "C1 wait" else response)  # fmt: skip
    assert verdict("CP-8", results) == expected
    assert study.claim_row("CP-8", results).reproduced == pytest.approx(1.5 / response, abs=1e-3)
