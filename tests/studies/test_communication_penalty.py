"""The third study: figures that show the runs, verdicts that can say the opposite, own settings."""

from copy import copy
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import NotRunError, Replications, pick, sample
from studies.communication_penalty import (
    Search,
    Setting,
    claims,
    claims_thresholds,
    figures,
    jumps,
    maps,
    model,
    responses,
    study,
)
from studies.communication_penalty.model import (
    ALL_SPLIT,
    BY_PENALTY,
    NAMES,
    NO_LIMIT,
    WHOLE,
)
from studies.communication_penalty.responses import Responses, rows_of_responses
from studies.communication_penalty.runs import (
    IN_FIGURE,
    IN_MAP,
    Samples,
    measure,
)
from studies.communication_penalty.thresholds import find_thresholds
from studies.study import Scale
from tests.studies.small import SMALL

TINY = SMALL["communication-penalty"]
#: Of made-up runs, which take no time: one MaxJumps, and all penalties and loads of the paper.
FEWER = {"jumps": (8,), "spread_jumps": (8,), "above": (3, 10, 16, 19)}
FEWER |= {"search_jumps": (0, 8, 10), "waiting_jumps": (20,)}
ONE_PANEL = Scale(**vars(study.scales["paper"]) | FEWER)
NOISE = np.linspace(-1e-3, 1e-3, 8)
#: Of the search for a threshold.
BUDGET = 14
SEED = np.random.SeedSequence(1, spawn_key=(0,))


def run_made_up(measured, settings):
    """Return runs of settings, with made-up measurements, as a table."""
    made = copy(study)
    made.measure = measured
    made.scales = {"quick": ONE_PANEL}
    return made.run("quick", seed=0, workers=1, settings=settings)


def settings_of(*kinds):
    return [each for each in study.settings(ONE_PANEL) if each.kind in kinds]


def made_up(of, whole=lambda group: 10.0, maximum=0.9, settings=None):
    """Return runs with responses ``of(setting, group)`` beside those of 10; None saturates."""

    def measured(setting, scale, seed):
        def mean(group):
            return whole(group) if setting.above is None else of(setting, group)

        noise = -NOISE if setting.above is None or setting.spread else NOISE
        groups = (*NAMES, *(BY_PENALTY if setting.spread else ()), ALL_SPLIT)
        times = {group: mean(group) for group in groups}
        waits = {group: mean(f"{group} wait") for group in groups}
        if None in times.values():
            yield from rows_of_responses(Responses(Replications(np.full(8, maximum) + noise)))
            return
        samples = [{g: Replications(x + noise) for g, x in each.items()} for each in (times, waits)]
        yield from rows_of_responses(Responses(Replications(np.full(8, 0.9)), *samples))

    return run_made_up(measured, settings or settings_of(IN_FIGURE))


def verdict(item, runs, **at):
    return study.ask(item, runs, **at).verdict


def along(found, later=None, **last):
    """Return responses by splitting threshold; where `last` holds others, if these are given."""

    def value(setting, group):
        is_last = last and all(getattr(setting, name) == x for name, x in last.items())
        return (later if is_last else found)[setting.above]

    return value


UPWARDS, DOWNWARDS, MIDDLE = (
    dict(zip((3, 10, 16, 19), responses, strict=True))
    for responses in ((5.0, 8.0, 9.5, 10.0), (14.0, 9.0, 8.5, 8.0), (9.0, 8.0, 9.0, 10.0))
)

# --- Figures ---


def row_of(table, **where):
    ((_, row),) = pick(table, **where).iterrows()
    return row


def test_ratios_are_those_of_the_runs_one_by_one(result):
    here = pick(result.runs, kind=IN_FIGURE, max_jumps=20, load=0.786)
    split = sample(here, "response", above=3, psi=0.05, group="S4")
    whole = sample(here, "response", above=None, group="S4")
    row = row_of(result.figure("figure2").data(), max_jumps=20, above=3, group="S4")
    ratio = np.exp(np.log(split.values / whole.values).mean())
    assert row["ratio"] == pytest.approx(ratio)
    assert row["response_against"] == whole.mean
    drawn = pick(here, max_jumps=20, above=3, spread=model.SPREAD)
    row = row_of(result.figure("figure6").data(), max_jumps=20, above=3, group="C4")
    assert row["wait"] == sample(drawn, "wait", group="C4").mean
    of_all = sample(drawn, "response", group="C4") / sample(drawn, "response", group=ALL_SPLIT)
    assert row["ratio"] == pytest.approx(np.exp(np.log(of_all.values).mean()))


def test_maps_show_their_own_shorter_runs(result):
    cells = pick(result.runs, kind=IN_MAP, max_jumps=8, load=0.786, group="S1", psi=0.0)
    always, need = (
        sample(cells, "response", above=3, placement=placement).values
        for placement in model.PLACEMENTS
    )
    whole = sample(cells, "response", above=None).values
    table = result.figure("adaptive").data()
    for placement, split in zip(model.PLACEMENTS, (always, need), strict=True):
        row = row_of(table, max_jumps=8, above=3, psi=0.0, group="S1", placement=placement)
        change = 100 * np.expm1(np.log(split / whole).mean())
        assert row["change"] == pytest.approx(change)
        assert row["count"] == TINY.map_runs
    assert set(result.figure("viability").data()["above"]) == {3, 10}


def test_spread_penalties_are_drawn_in_mirrored_pairs():
    setting = Setting(8, 0.786, above=3, psi=0.1, spread=0.099)
    same = Setting(8, 0.786, above=3, psi=0.1).jobs.sample(500, 3, rate=1.0)
    law = responses.Mirrored(0.001, 0.199)
    pair = setting.jobs, setting.jobs.with_(span_penalty=law)
    streams = [jobs.sample(500, 3, rate=1.0) for jobs in pair]
    np.testing.assert_allclose(streams[0].span_penalty + streams[1].span_penalty, 0.2)
    assert all(np.array_equal(each.runtime, same.runtime) for each in streams)
    scenarios = [setting.scenario.with_(workload=jobs) for jobs in pair]
    one, other = (responses.respond(each, 0.786, (1_000, 3), SEED) for each in scenarios)
    rows = pd.DataFrame(measure(setting, SimpleNamespace(jobs=1_000, runs=3), SEED))
    for name in ("response", "wait"):
        for group in ("S4", "C1", "C4"):
            expected = (getattr(one, name)[group].values + getattr(other, name)[group].values) / 2
            np.testing.assert_allclose(rows[rows["group"] == group][name], expected)


def test_saturated_points_have_no_ratio_and_are_drawn():
    runs = made_up(lambda setting, group: None if setting.above == 3 else float(setting.above))
    result = study.judge(runs)
    table = result.figure("figure2").data()
    row = row_of(table, above=3, group="stream")
    assert row["saturated"]
    assert np.isnan(row["ratio"])
    assert row_of(table, above=19, group="stream")["ratio"] == pytest.approx(1.9, abs=1e-3)
    result.figure("figure2").plot().canvas.draw()
    here = pick(runs, load=0.786, spread=0.0)
    line = [pair for pair in figures.against_whole(here) if pair.setting["psi"] == 0.05]
    assert claims.pays(line, "stream") == {3: None, 10: None, 16: False, 19: False}
    assert figures.best_thresholds(claims.line_of(line), "stream") == [10]


def test_a_doubt_of_a_run_is_one_of_its_ratio():
    runs = made_up(lambda setting, group: float(setting.above))
    runs["warning"] = runs["warning"].mask((runs["above"] == 16) & (runs["group"] == "S1"), "short")
    pairs = figures.against_whole(pick(runs, load=0.786, spread=0.0, psi=(0.0, 0.05)))
    assert claims.pays(pairs, "S1")[16] is None
    ratios = [responses.ratio(pair.split, pair.other, "S1") for pair in pairs]
    assert claims.mean_of([None, *ratios]).warning == "short"
    assert claims.mean_of([None]) is None


def test_where_both_sides_saturate_neither_is_certain_to_lose():
    full = made_up(lambda *_: None, whole=lambda _: None)
    assert set(study.judge(full).figure("figure3").data()["warning"]) == {responses.NEITHER}
    later = along(UPWARDS, dict.fromkeys(UPWARDS), psi=0.2)
    for maximum, verdict, warning in ((0.9, "undecided", responses.UNCERTAIN), (0.6, "loses", "")):
        table = study.judge(made_up(later, maximum=maximum)).figure("figure3").data()
        table = table[table["saturated"]]
        assert set(table["verdict"]) == {verdict}
        assert set(table["warning"]) == {warning}


def test_a_line_has_two_places_or_more():
    runs = made_up(along(UPWARDS))
    only_at_ten = Setting(8, 0.786, 10, psi=0.17)
    more = made_up(along(UPWARDS), settings=[*settings_of(IN_FIGURE), only_at_ten])
    before, after = (study.judge(each) for each in (runs, more))
    assert 0.17 not in set(after.figure("figure3").data()["psi"])
    assert 0.17 in set(after.figure("figure1").data()["psi"])
    pd.testing.assert_frame_equal(
        before.figure("figure3").data(), after.figure("figure3").data(), check_like=True
    )


def test_a_reader_adds_settings_and_sees_them_in_the_figures():
    made = copy(study)
    made.scales = {"quick": TINY}
    runs = made.run("quick", workers=2, settings=[Setting(8, 0.5), Samples()])
    own = [Setting(5, 0.786, 10, psi=psi) for psi in (0.0, 0.1)]
    in_two = [Setting(5, 0.786, 10, parts=2, psi=psi) for psi in (0.0, 0.1)]
    cells = [Setting(5, 0.6, 3, psi=0.1, placement=p, kind=IN_MAP) for p in model.PLACEMENTS]
    added = [*own, *in_two, own[0].whole, Search(5, 0.6)]
    result = made.judge(made.add(runs, *added, workers=2))
    table = result.figure("figure1").data()
    assert len(table) == 4 * len(NAMES)
    assert {*figures.by_group(table)["line"]} == {*NAMES, "stream, in 2"}
    assert set(result.figure("thresholds").data()["load"]) == {0.6}
    for name in ("figure1", "figure1-ratios", "thresholds"):
        assert result.figure(name).plot().axes
    lines = result.figure("figure1").plot().axes[0].get_lines()
    assert [line.get_linestyle() for line in lines].count("--") == 3  # one for each group
    assert verdict("CP-9", result.runs, max_jumps=5, load=0.6) != "cannot be tested"
    assert verdict("CP-9", result.runs) == "cannot be tested"
    with_map = made.add(result.runs, *cells, cells[0].whole, workers=2)
    drawn = maps.change_table(pick(with_map, kind=IN_MAP))
    assert set(drawn["placement"]) == {*model.PLACEMENTS}


# --- The shares (CP-1) ---


def shares_with(low=None, high=None, seed=SEED):
    """Return runs of samples, moved so that those of a share lie about another number."""
    runs = run_made_up(measure, [Samples()])
    for at, shift in ((low, -1.0), (high, 1.0)):
        if at:
            quantity, group = at
            moved = (runs["quantity"] == quantity) & (runs["group"] == group)
            runs["share"] = runs["share"] + moved * shift
    return runs


def test_samples_stray_as_theory_says():
    table = study.judge(shares_with()).figure("shares").data()
    exact = table.groupby("quantity")["exact"].sum()
    assert exact[[model.JOBS, model.WORK]].tolist() == pytest.approx([1, 1])
    assert table["exact"].iloc[0] == pytest.approx(0.248, abs=5e-4)
    half = (table["sample_high"] - table["sample_low"]).iloc[0] / 2
    assert half == pytest.approx(1.96 * np.sqrt(0.248 * 0.752 / model.ONE_RUN), rel=0.15)
    # A sample's load strays as a job's work does, and as a gap.
    load, second = table.iloc[-1], 2 * (np.arange(20) ** 2 @ model.SIZES.probabilities)
    spread = load["exact"] * np.sqrt(second / model.ONE_RUN) / model.SIZES.mean
    assert load["sample_high"] - load["sample_low"] == pytest.approx(2 * 1.96 * spread, rel=0.15)


def test_every_printed_share_is_a_row():
    rows = {row.item: row for row in study.judge(shares_with()).rows if "Section 5" in row.item}
    assert len(rows) == 9
    odd = {item: row.verdict for item, row in rows.items() if row.verdict != "reproduced"}
    assert odd == {
        "Section 5 S2 share of the load": "differs",
        "Section 5 all jobs offered load": "calibrated on",
    }


# --- The thresholds of the penalty ---


def searched(found, runs=0.05, late=0.0, full=np.inf, warning="", settings=None):
    """Return runs of searches with thresholds ``found(search, group)``, known to 0.005 or so.

    A single run strays by some `runs`, and in a share that is `late` S4 is behind the stream.
    """

    def measured(search, scale, seed):
        def respond_at(psi):
            if psi is not None and psi >= full:
                return Responses(Replications(0.6 + NOISE))
            times, first = {}, {}
            for place, group in enumerate(NAMES):
                threshold = found(search, group)
                loss = 0.0 if psi is None else psi - threshold
                noise = (psi is not None) * np.roll(NOISE, place) * 50
                strays = runs * NOISE / NOISE.std()
                if group == "S4":
                    strays = strays + (np.arange(8) < round(8 * late))
                times[group] = Replications(10 + 10 * loss + noise, warning)
                first[group] = Replications(10 * (1 + loss - (psi is not None) * strays))
            return Responses(Replications(0.9 + NOISE), times, times, first)

        thresholds = find_thresholds(respond_at, BUDGET)
        for psi, each in thresholds.responses.items():
            for row in rows_of_responses(each, psi_tried=psi):
                yield row | {"budget": BUDGET}

    return run_made_up(measured, settings or settings_of("search"))


def as_printed(search, group):
    """The printed thresholds at the head with MaxJumps 8, and else far from them."""
    there = (search.counted, search.max_jumps, search.load) == ("head", 8, 0.786)
    return model.PRINTED.get(group, 0.2) + 0.02 * (group == "S1") + 0.2 * (not there)


def everywhere(search, group):
    return as_printed(Search(8, 0.786), group)


def fitting(runs, name="fits_mean"):
    table = jumps.thresholds(runs)
    fits = table[table[name]].drop_duplicates(["counted", "max_jumps", "load"])
    return [*zip(fits["counted"], fits["max_jumps"], strict=True)]


def test_thresholds_tell_which_max_jumps_fit_print():
    own = searched(as_printed, runs=0.02)
    assert fitting(own) == fitting(own, "fits_run") == [("head", 8)]
    assert fitting(searched(as_printed, late=1.0, runs=0.02), "fits_run") == []
    # S4 after the stream, whatever the means.
    order = {"stream": 0.185, "S4": 0.2, "S1": 0.32}
    assert fitting(searched(lambda search, group: order.get(group, 0.2))) == []
    # Over 0.3 is more than 0.3.
    low = order | {"S4": 0.16, "S1": 0.2}
    assert fitting(searched(lambda search, group: low.get(group, 0.2))) == []
    assert fitting(searched(as_printed, warning="short")) == []
    assert len(fitting(searched(everywhere))) == len(settings_of("search"))


def test_the_joint_reading_is_that_of_the_three_printed_thresholds():
    reading = study.judge(searched(as_printed)).joint_reading()
    assert reading.ours == reading.best
    assert "MaxJumps 8, counted at the head" in reading.ours
    assert reading.misfit == pytest.approx(0, abs=0.02)
    assert len(reading.readings) == len(settings_of("search"))
    others = [misfit for name, misfit in reading.misfits.items() if name != reading.ours]
    assert min(others) > 0.3
    with pytest.raises(NotRunError, match="the settings of the study were not run"):
        study.judge(searched(as_printed, settings=[Search(10, 0.786)])).joint_reading()


def test_an_end_out_of_reach_or_where_split_jobs_saturate_is_a_bound():
    far = {"S1": 0.5, "S2": -1.0}
    runs = searched(lambda search, group: far.get(group, 0.2), full=0.4)
    table = jumps.thresholds(runs)
    bounds = table.groupby("group")["bound"].first()
    assert bounds[["stream", "S1", "S2"]].tolist() == ["", "at least", "at most"]
    jumps.draw_thresholds(table).canvas.draw()


@pytest.mark.parametrize(
    ("found", "how", "expected"),
    [
        (as_printed, {}, [True, True, True, "holds"]),
        (lambda search, group: as_printed(search, group) - 0.2, {},
         [False, False, None, "does not hold"]),
        (lambda search, group: 0.35, {}, [False, False, None, "holds"]),
        (lambda search, group: 0.185 if group == "stream" else 0.35, {},
         [True, False, False, "holds"]),
        (lambda search, group: 0.7, {}, [False, None, None, "holds"]),
        (as_printed, {"warning": "too short"}, [None, None, None, "undecided"]),
        (as_printed, {"runs": 0.0}, [None, None, True, "holds"]),
    ],
)  # fmt: skip
def test_claims_on_thresholds_follow_them(found, how, expected):
    runs = searched(found, settings=[Search(8, 0.786)], **how)
    own = pick(runs, max_jumps=8, counted="head", load=0.786)
    judges = (
        claims_thresholds.stream_has_the_printed_threshold,
        claims_thresholds.large_jobs_have_a_lower_threshold,
        claims_thresholds.threshold_of_the_stream_misleads,
    )
    assert [judge(own).answer for judge in judges] == expected[:3]
    assert verdict("CP-9", runs) == expected[3]


def test_claims_on_thresholds_are_asked_at_other_jumps_too():
    fits_at_eight = searched(as_printed)
    for item in ("CP-2", "CP-3", "CP-13"):
        row = study.ask(item, fits_at_eight)
        assert row.verdict == "calibrated on"
        assert "used to choose MaxJumps" in row.note
    others = len(settings_of("search")) - 1
    assert f"It fails at all {others} other settings" in study.ask("CP-2", fits_at_eight).note
    note = study.ask("CP-2", searched(everywhere)).note
    assert f"It also holds at all {others} other settings" in note


# --- The claims on lines ---


def steeper(setting, group):
    return 10 - (10 - UPWARDS[setting.above]) * (2 if group == "S4" else 1) / 2


def at_busy(found, other):
    """Return responses by splitting threshold, others at loads below 0.7."""
    return lambda setting, group: (other if setting.load < 0.7 else found)[setting.above]


def spread_of(groups):
    """Return responses of drawn penalties, by group; those of a constant one are 10."""
    return lambda setting, group: groups(group) if setting.spread else 10.0


@pytest.mark.parametrize(
    ("item", "of", "expected"),
    [
        ("CP-4", steeper, "holds"),
        ("CP-4", lambda *at: 20 - steeper(*at), "does not hold"),
        ("CP-4", lambda *at: 9.0 if at[1] == "S1" else steeper(*at), "does not hold"),
        ("CP-4", along(UPWARDS), "does not hold"),  # S4 rises as the others do
        ("CP-4", lambda *_: None, "undecided"),
        ("CP-5", along(UPWARDS, {3: 14.0, 10: 9.0, 16: 9.0, 19: 10.0}, psi=0.2), "holds"),
        ("CP-5", along(DOWNWARDS, UPWARDS, psi=0.2), "does not hold"),
        ("CP-5", along(UPWARDS), "undecided"),
        ("CP-5", lambda *_: None, "undecided"),
        ("CP-6", along(MIDDLE), "holds"),
        ("CP-6", along(MIDDLE, UPWARDS, load=0.786), "does not hold"),
        ("CP-6", at_busy(MIDDLE, DOWNWARDS), "does not hold"),
        ("CP-6", along(dict.fromkeys(MIDDLE, 9.0), MIDDLE, load=0.786), "undecided"),
        ("CP-6", along(UPWARDS), "undecided"),  # the best may lie below all thresholds
        ("CP-6", lambda *_: None, "undecided"),
        ("CP-7", spread_of(lambda group: 10.05), "holds"),
        ("CP-7", spread_of(lambda group: 10.0), "undecided"),
        ("CP-7", spread_of(lambda group: 9.9), "does not hold"),
        ("CP-7", spread_of(lambda group: 9.9 if group == "S1" else 10.5), "does not hold"),
        ("CP-7", lambda *_: None, "undecided"),
        ("CP-8", lambda *_: 20.0, "holds"),
        ("CP-8", lambda *at: 20.0 + 0.8 * (at[1] == "C4"), "holds"),
        ("CP-8", lambda *at: 20.0 + 1.9 * (at[1] == "C4"), "undecided"),  # 'small' alone decides
        ("CP-8", lambda *at: 20.0 + 5 * (at[1] == "C4"), "does not hold"),
        ("CP-10", spread_of(lambda group: 10.05), "holds"),
        ("CP-10", spread_of(lambda group: 10.0), "undecided"),
        ("CP-10", spread_of(lambda group: 9.9), "does not hold"),
        ("CP-8", lambda *_: None, "undecided"),
        ("CP-11", lambda *at: 20.0 + (at[1] == "S4"), "holds"),
        ("CP-11", lambda *at: 20.0 + (at[1] == "S3"), "does not hold"),
        ("CP-11", lambda *_: None, "undecided"),
        ("CP-12", lambda setting, _: 10 + setting.load, "holds"),
        ("CP-12", lambda setting, _: 10 - setting.load, "does not hold"),
        ("CP-12", lambda *_: None, "undecided"),
        ("CP-14", lambda setting, _: 10 + setting.psi, "holds"),
        ("CP-14", lambda *_: 10.5, "does not hold"),
        ("CP-14", lambda *at: 10 + at[0].psi * (-1 if at[1] == "S1" else 1), "does not hold"),
        ("CP-14", lambda *at: 10 + at[0].psi * (-1 if at[1] == "S4" else 1), "does not hold"),
        ("CP-14", lambda *_: None, "undecided"),
        ("CP-19", lambda *at: 9.0 + ("wait" in at[1]) * (20 - at[0].above) / 20, "holds"),
        ("CP-19", lambda *at: 9.0 + ("wait" in at[1]) * at[0].above / 20, "does not hold"),
        ("CP-19", lambda *_: 9.0, "does not hold"),
        ("CP-19", lambda *_: None, "undecided"),
        ("CP-20", lambda *at: 10.0, "does not hold"),  # all use as many processors
        ("CP-20", lambda *_: None, "undecided"),
        ("CP-15", along(UPWARDS), "holds"),
        ("CP-15", along(DOWNWARDS), "does not hold"),
        (
            "CP-15",
            lambda *at: (DOWNWARDS if at[1] == "S2" else UPWARDS)[at[0].above],
            "undecided",  # of 'low' alone, because 19 is less than twice 10
        ),
        ("CP-15", along({3: 10.0, 10: 10.0, 16: 11.0, 19: 12.0}), "holds"),
        ("CP-15", along({3: 10.5, 10: 10.0, 16: 11.0, 19: 12.0}), "undecided"),  # of 'low' alone
        ("CP-15", along({3: 10.5, 10: 10.2, 16: 10.0, 19: 12.0}), "undecided"),
        ("CP-15", along({3: 12.0, 10: 10.2, 16: 10.0, 19: 10.5}), "does not hold"),
        ("CP-15", lambda *_: None, "undecided"),
    ],
)
def test_verdicts_say_what_the_lines_do(item, of, expected):
    assert verdict(item, made_up(of)) == expected


@pytest.mark.parametrize(
    ("more", "of", "expected"),
    [(0.02, UPWARDS, "holds"), (-0.02, UPWARDS, "does not hold"),
     (0.02, DOWNWARDS, "does not hold")],
)  # fmt: skip
def test_fragments_are_processors_that_whole_jobs_cannot_use(more, of, expected):
    """Split jobs carry more or less; where none is split the stream responds latest, or first."""
    runs = made_up(along(of))
    of_system = (runs["group"] == responses.THE_SYSTEM) & (runs["above"] < 19)
    runs["max_utilization"] = runs["max_utilization"] + more * of_system
    assert verdict("CP-20", runs) == expected


def test_split_jobs_that_alone_fill_the_system_wait_longer():
    runs = made_up(along(dict.fromkeys(UPWARDS, 9.0) | {3: None}), maximum=0.7)
    assert verdict("CP-19", runs) == "holds"


def test_a_claim_on_lines_is_asked_at_another_load_and_penalty():
    runs = made_up(lambda setting, group: steeper(setting, group) + setting.load)
    assert verdict("CP-4", runs, psi=0.1, load=0.5) == "holds"
    assert verdict("CP-4", runs, psi=0.1, load=0.4) == "cannot be tested"
    with pytest.raises(NotRunError, match="two or more"):
        claims.line_of(figures.against_itself(pick(runs, above=3, load=0.5)))


def test_the_note_on_the_load_names_the_best_thresholds_at_each_load():
    note = study.ask("CP-6", made_up(along(MIDDLE, UPWARDS, load=0.786))).note
    assert "load 0.5: 10; " in note
    assert "load 0.786: 3" in note
    more = MIDDLE[3] / MIDDLE[10] - 1
    assert f"at load 0.5, S4 responds {more:.1%} later with threshold 3" in note


@pytest.mark.parametrize(
    ("dip", "expected"), [(8.0, "does not hold"), (9.7, "undecided"), (9.8, "holds")]
)
def test_a_trend_may_dip_by_as_little_as_the_word_allows(dip, expected):
    dips = {3: 9.7, 10: 10.0, 16: dip, 19: 10.1}
    row = study.ask(
        "CP-4",
        made_up(
            lambda setting, group: steeper(setting, group) if group == "S4" else dips[setting.above]
        ),
    )
    assert row.verdict == expected
    assert ("S1 follows the trend" in row.note) == (expected == "does not hold")
    assert "S1 responds later" not in row.note
    assert row.turns_at == pytest.approx(1 - dip / 10, abs=2e-4)


def test_processor_hours_and_responses_are_held_against_each_other():
    def hours(split):
        """Return runs whose split jobs lose from 0.2 on, and carry this much at each penalty."""
        runs = searched(lambda *_: 0.2, settings=[Search(8, 0.786)])
        of_system = runs["group"] == responses.THE_SYSTEM
        psi = runs["psi_tried"].where(of_system)
        carried = runs["max_utilization"] + psi.map(split).fillna(0.0)
        return runs.assign(max_utilization=carried)

    # The hours break even at 0.25, at 0.15, and where the response does.
    assert verdict("CP-16", hours(lambda psi: 0.1 * (0.25 - psi))) == "holds"
    assert verdict("CP-16", hours(lambda psi: 0.1 * (0.15 - psi))) == "does not hold"
    assert verdict("CP-16", hours(lambda psi: 0.1 * (0.2 - psi))) == "undecided"


@pytest.mark.parametrize(("threshold", "limits", "any_ratio"), [
    (0.2, "holds", "holds"), (-0.1, "does not hold", "does not hold"),
    (0.7, "does not hold", "holds"), (0.0, "undecided", "undecided"),
])  # fmt: skip
def test_viability_has_limits_and_holds_for_any_ratio_above_no_penalty(
    threshold, limits, any_ratio
):
    runs = searched(lambda *_: threshold, settings=[Search(8, 0.786)])
    assert (verdict("CP-21", runs), verdict("CP-18", runs)) == (limits, any_ratio)


def test_places_that_are_alike_decide_nothing():
    gains, loses, other = {3: True, 10: True}, {3: False, 10: True}, {3: True, 10: False}
    pairs = (gains, loses), (loses, gains), (other, loses), (gains, {3: None, 10: True})
    assert [claims.shrinks(*pair) for pair in pairs] == [True, False, False, None]


def test_jobs_of_c4_run_longer_than_those_of_c1_by_their_own_penalty_alone():
    jobs = WHOLE.with_(above=3, span_penalty=model.penalties(0.1, model.SPREAD))
    jobs = jobs.sample(400_000, 1, rate=1.0)
    psi, extra = jobs.span_penalty, jobs.span_penalty * jobs.runtime
    first, *_, last = (extra[(psi >= x) & (psi < y)].mean() for x, y in BY_PENALTY.values())
    assert last - first == pytest.approx(model.EXECUTION * (0.175 - 0.025), abs=0.03)


def test_lines_of_different_thresholds_are_compared_where_both_are():
    before, after = {3.0: True, 6.0: False}, {6.0: False, 8.0: True}
    assert claims.shrinks(before, after) is None
    assert claims.shrinks(before | {8.0: True}, after | {8.0: False}) is True


def test_jumps_without_a_limit_are_a_number():
    assert Setting(NO_LIMIT, 0.7).scenario.scheduling == co.FPFS(NO_LIMIT, "head")
    with pytest.raises(InputError, match="give NO_LIMIT"):
        Setting("no limit", 0.7)
