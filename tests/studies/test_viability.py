"""Where splitting pays: theory at a vanishing load, hand-made responses, and what titles say."""

import numpy as np
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.curves import RISING
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.placement import SingleThenSpan, WorstFit
from coalloc_lib.plots import LONGER, NEITHER, SHORTER
from coalloc_lib.seeds import spawn
from coalloc_lib.studies.communication_penalty import adaptive, cases, viability
from coalloc_lib.studies.communication_penalty.adaptive import (
    AdaptiveMap,
    KeptWholeMap,
    SplitShares,
)
from coalloc_lib.studies.communication_penalty.changes import change, columns_of, gain
from coalloc_lib.studies.communication_penalty.need_thresholds import NeedThresholds, Way
from coalloc_lib.studies.communication_penalty.parameters import NO_LIMIT, SIZES, scenario
from coalloc_lib.studies.communication_penalty.responses import (
    NAMES,
    Responses,
    Size,
    lost,
    respond,
)
from coalloc_lib.studies.communication_penalty.served import (
    Served,
    measure_served,
    served,
)
from coalloc_lib.studies.communication_penalty.threshold_figure import Threshold
from coalloc_lib.studies.communication_penalty.thresholds import break_even
from coalloc_lib.studies.communication_penalty.viability import (
    ComponentsMap,
    ViabilityMap,
    WhoPays,
)
from coalloc_lib.studies.measurements import Scale

SMALL = Scale(jobs=800, replications=4)
NOISE = np.array([0.99, 1.0, 1.01, 1.0])
#: Loads that are borne: for certain, and not even nearly.
MUCH, LITTLE = 0.95 * NOISE, 0.4 * NOISE


def split_jobs(jumps=0, load=0.5, rule=None, **how):
    jobs = {"above": 10, "span_penalty": 0.2} | how
    return adaptive.placed(served(jumps, load, **jobs), rule or WorstFit())


def responded(by_group=1.0, borne=MUCH, doubt="", split=None, spread=NOISE):
    """Return responses of four runs: 10 time units, times a factor, of each group."""
    factors = by_group if isinstance(by_group, dict) else {}
    means = {g: Sample(10 * factors.get(g, by_group) * spread, doubt) for g in NAMES}
    return Responses(Sample(borne), means, split)


SATURATED = Responses(Sample(LITTLE), {})


def filled(figure, factor, **how):
    """Give a figure responses that are so many times those of the whole jobs, by label."""
    for label, entry in figure.entries.items():
        by_group = {g: factor(label, g) for g in NAMES}
        found = SATURATED if None in by_group.values() else responded(by_group, **how)
        figure.found[entry] = found
        figure.found[entry.whole] = responded(1.0)
    return figure


# What a change is


def test_at_a_vanishing_load_a_split_job_pays_its_penalty_and_nobody_else_changes():
    always = split_jobs(load=0.01)
    need = split_jobs(load=0.01, rule=SingleThenSpan(WorstFit()))
    found = measure_served([always, need], Scale(jobs=4_000, replications=6), seed=1)
    pays, whole = found[always], found[always.whole]
    large = SIZES.probabilities[11:].sum()
    assert change(pays, whole, "stream").percent.estimate == pytest.approx(20 * large, rel=0.1)
    assert change(pays, whole, "S4").percent.estimate > change(pays, whole, "stream").percent.high
    for group in ("S1", "S2", "S3"):
        assert change(pays, whole, group).percent.estimate == pytest.approx(0, abs=1e-6)
    for group in NAMES:
        assert change(found[need], whole, group).percent.estimate == pytest.approx(0, abs=1e-6)
    assert pays.split.values == pytest.approx(1.0)
    assert found[need].split.values == pytest.approx(0.0)
    assert whole.split.values == pytest.approx(0.0)


def test_what_a_sweep_finds_is_what_each_entry_alone_responds():
    entries = [split_jobs(20, load) for load in (0.5, 0.65)] + [split_jobs(20, 1.2)]
    found = measure_served(entries, SMALL, seed=7, workers=1)
    child = spawn(7, 1)[0]
    for entry in [*entries, entries[0].whole]:
        alone = respond(entry.scenario, entry.load, Size(800, 4), child)
        assert alone.saturated == found[entry].saturated == (entry.load > 1)
        np.testing.assert_array_equal(alone.borne.values, found[entry].borne.values)
        for group, sample in alone.means.items():
            np.testing.assert_array_equal(sample.values, found[entry].means[group].values)
            assert sample.doubt == found[entry].means[group].doubt
    again = measure_served(entries, SMALL, seed=7, workers=2)
    assert str(again) == str(found)


def test_a_change_is_that_of_the_geometric_mean_run_by_run():
    whole = responded(1.0, spread=np.array([1.0, 2.0, 4.0, 8.0]))
    split = responded(1.0, spread=np.array([0.5, 1.0, 2.0, 4.4]))
    found = change(split, whole, "stream")
    assert found.percent.estimate == pytest.approx(100 * (0.5**0.75 * 0.55**0.25 - 1))
    assert found.percent.low < found.percent.estimate < found.percent.high < 0
    assert found.verdict == "gains"
    # The differences of the means tell nothing: the runs differ by too much.
    assert lost(split, whole, "stream").interval.below(0) is None


@pytest.mark.parametrize(("factor", "verdict"), [(1.2, "loses"), (0.8, "gains")])
def test_the_sign_decides(factor, verdict):
    found = change(responded(factor), responded(), "S2")
    assert (found.verdict, found.saturated) == (verdict, "")
    assert found.percent.estimate == pytest.approx(100 * (factor - 1))


def test_what_is_noisy_or_in_doubt_is_undecided():
    noisy = responded(1.01, spread=np.array([0.7, 1.0, 1.4, 0.9]))
    assert change(noisy, responded(), "S1").verdict == "undecided"
    rising = change(responded(1.5, doubt=RISING), responded(), "S1")
    assert (rising.verdict, rising.percent.doubt) == ("undecided", RISING)


def test_saturation_is_told_and_not_averaged():
    borne = responded()
    only_split, only_whole = change(SATURATED, borne, "S1"), change(borne, SATURATED, "S1")
    both = change(SATURATED, SATURATED, "S1")
    assert (only_split.verdict, only_split.saturated) == ("loses", "split")
    assert (only_whole.verdict, only_whole.saturated) == ("gains", "whole")
    assert (both.verdict, both.saturated) == ("not borne", "both")
    assert only_split.percent.estimate == np.inf
    assert only_whole.percent.estimate == -100
    assert np.isnan(both.percent.estimate)
    # One of the two is not certain to bear the load, and bears as much as the other.
    near = Responses(Sample(MUCH[::-1] * NOISE), {})
    assert change(near, borne, "S1").verdict == "undecided"
    assert change(borne, near, "S1").verdict == "undecided"


def test_a_gain_is_a_share_of_the_whole_response_and_none_where_one_saturates():
    np.testing.assert_allclose(gain(responded(0.75), responded(), "S3").values, 0.25)
    assert np.isnan(gain(SATURATED, responded(), "S3").values).all()
    assert np.isnan(gain(responded(), SATURATED, "S3").values).all()


def test_a_row_says_what_an_entry_is():
    row = columns_of(split_jobs(20, 0.5, SingleThenSpan(WorstFit()), kept_whole=0.5, parts=3))
    assert (row["load"], row["above"], row["parts"], row["psi"]) == (0.5, 10, 3, 0.2)
    assert (row["kept_whole"], row["placement"]) == (0.5, str(SingleThenSpan(WorstFit())))
    jumps = [columns_of(split_jobs(jumps))["max_jumps"] for jumps in (0, 20, NO_LIMIT)]
    assert jumps == ["0", "20", "no limit"]


# What the maps say


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (
            lambda label, group: 0.9,
            "in most cells up to ψ = 0.4 (24 of 24 there), still in 24 at 0.4",
        ),
        (lambda label, group: 1.1, "in 0 of 24 cells at ψ = 0, in none from 0 on, where 24"),
        (
            lambda label, group: 0.9 if float(label[2]) < 0.15 else None,
            "in most cells up to ψ = 0.1 (24 of 24 there), in none from 0.2 on, where 24 lose",
        ),
        (  # few gain beyond, and most again far beyond: that is no gain up to there
            lambda label, group: {"0": 0.9, "0.4": 0.9}.get(label[2], 1.6 - int(label[1]) / 20),
            "in most cells up to ψ = 0 (24 of 24 there), still in 24 at 0.4",
        ),
    ],
)
def test_the_title_of_a_map_says_up_to_where_most_gain(factor, said):
    figure = filled(ViabilityMap(20), factor)
    assert figure.title.startswith("FPFS(20): all jobs gain in ")
    assert said in figure.title
    assert figure.title in figure.words()


def test_a_map_has_its_cells_in_its_table_and_marks_the_saturated():
    figure = filled(ViabilityMap(0), lambda label, group: 0.9 if label[1] == "3" else None)
    first, *_, last = figure.entries
    figure.found[figure.entries[last].whole] = SATURATED
    table = figure.data()
    assert len(table) == len(figure.entries) * len(NAMES)
    mine = table[(table["above"] == 3) & (table["group"] == "S1") & (table["load"] == 0.5)]
    assert (mine["verdict"] == "gains").all()
    assert mine["psi"].tolist() == list(viability.PENALTIES)
    assert set(table["saturated"]) == {"", "split", "whole", "both"}
    assert figure.cell(last, "S1") == NEITHER
    assert figure.cell(first, "S1").estimate == pytest.approx(-10)
    lost_for_good = figure.cell(("load 0.500", "16", "0"), "S1")
    assert lost_for_good == LONGER
    told = " ".join(text.get_text().replace("\n", " ") for text in figure.plot("S4").texts)
    assert "∞: only the split" in told
    assert "mean response of S4" in told


def test_a_saturation_that_is_not_certain_is_hatched():
    figure = filled(ViabilityMap(0), lambda label, group: 1.0)
    first = next(iter(figure.entries))
    figure.found[figure.entries[first]] = Responses(Sample(MUCH[::-1] * NOISE), {})
    assert figure.cell(first, "S1") == LONGER._replace(colour="")
    figure.found[figure.entries[first]] = responded()
    figure.found[figure.entries[first].whole] = SATURATED
    assert figure.cell(first, "S1") == SHORTER


def test_the_components_map_names_the_largest_penalty_of_each_number():
    def factor(label, group):
        return 0.9 if float(label[2]) <= 0.1 * (int(label[1]) - 1) else 1.1

    figure = filled(ComponentsMap(), factor)
    assert "FPFS(no limit) 0.1, 0.2, 0.3, 0.4." in figure.words()
    assert figure.title == (
        "2 components gain least: all jobs gain in 12 of 24 cells, with other numbers in 16 to 24"
    )
    figure = filled(ComponentsMap(), lambda label, group: 1.1)
    assert "FCFS none, none, none, none" in figure.words()
    assert figure.title == (
        "No number of components gains least: all jobs gain in 0 of 24 cells each"
    )
    # A gain beyond a loss is not overlooked, and not taken for a gain throughout.
    figure = filled(ComponentsMap(), lambda label, group: 0.9 if label[2] == "0.4" else 1.1)
    assert "FCFS 0.4" in figure.words()


def test_who_pays_counts_small_gains_beside_large_losses_and_the_reverse():
    maps = viability.viability_maps()
    factors = {"0": (0.9, 1.1), "20": (1.1, 0.9), "100": (0.9, 0.9), "no limit": (1.1, 1.1)}
    for jumps, (small, large) in factors.items():
        filled(maps[jumps], lambda label, group, s=small, g=large: s if group == "S1" else g)
    figure = WhoPays(maps)
    assert "Small jobs gain where large ones lose in 144 of 576 cells (FCFS 144, " in figure.title
    assert "large ones where small ones lose in 144 (FCFS 0, FPFS(20) 144" in figure.title
    assert figure.title.endswith("both gain in 144, both lose in 144")
    table = figure.data()
    assert set(table["who"]) == set(viability.KINDS.values()) - {"not borne"}
    assert (table.loc[table["max_jumps"] == "0", "who"] == "S1 gains, S4 loses").all()
    rising = filled(maps["0"], lambda label, group: 0.9, doubt=RISING)
    assert set(WhoPays({"0": rising}).data()["who"]) == {viability.UNDECIDED}


def test_what_a_penalty_leaves_of_the_gain_is_told_for_both_ways_of_splitting():
    def factor(label, group):
        if label[2] == "0":
            return 0.8
        return 0.9 if adaptive.AT_NEED in label[1] else 1.1

    figure = filled(AdaptiveMap(), factor)
    assert "FCFS 50% (−50%)" in figure.title
    assert "FCFS no certain gain" in filled(AdaptiveMap(), lambda label, group: 1.1).title
    half = filled(AdaptiveMap(), lambda label, group: 0.8 if label[2] == "0" else None)
    assert "FCFS saturated (saturated)" in half.title
    assert "?" not in half.title
    noisy = responded(0.99, spread=np.array([0.9, 1.1, 1.0, 1.0]))
    for label in (("FCFS", "above 10, at need", "0.1"), ("FCFS", "above 10, always", "0.1")):
        half.found[half.entries[label]] = noisy
    assert "FCFS 5%? (5%?)" in half.title
    assert half.title.endswith("(?: not for certain)")


@pytest.mark.parametrize(
    "figure", [ViabilityMap(NO_LIMIT), ComponentsMap(), AdaptiveMap(), KeptWholeMap()]
)
def test_titles_stay_inside_the_picture(figure):
    drawn = filled(figure, lambda label, group: 0.9 - float(label[2])).plot()
    drawn.canvas.draw()
    assert drawn._suptitle.get_window_extent().x1 <= drawn.bbox.x1


def test_the_share_split_is_drawn_at_need_only_and_ends_where_it_saturates():
    figure = AdaptiveMap()
    for label, entry in figure.entries.items():
        share = Sample((0.4 + float(label[2])) * NOISE)
        bears = label[2] != "0.4"
        figure.found[entry] = responded(0.9, split=share) if bears else SATURATED
        figure.found[entry.whole] = responded()
    shares = SplitShares(figure)
    assert {label[2] for label in shares.shares()} == {"0", "0.05", "0.1", "0.2", "0.3"}
    assert all(label[1].endswith(adaptive.AT_NEED) for label in shares.shares())
    assert "above 10, from 40% (FCFS, ψ = 0) to 70% (FCFS, ψ = 0.3)" in shares.title
    assert len(shares.data()) == len(shares.shares())
    assert len(shares.plot().axes) == len(viability.JUMPS)


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        # In proportion: neither less nor not less.
        ((0.8, 0.85, 0.9, 0.95), "75%"),
        ((0.8, 0.95, 0.97, 0.99), "25%"),
        ((0.8, 0.8, 0.8, 0.8), "100%"),
        ((0.8, 1.1, 1.1, 1.1), "−50%"),
    ],
)
def test_what_is_kept_whole_takes_its_part_of_the_gain(factors, said):
    rows = dict(zip(("0%", "25%", "50%", "75%"), factors, strict=True))
    figure = filled(KeptWholeMap(), lambda label, group: rows[label[1]])
    less = 12 if factors[1] > 0.85 else 0
    assert f"FCFS {said}" in figure.words()
    assert f"less than in proportion in {less} of 12 cases" in figure.words()
    gone = 4 if factors[1] > 0.9 else 0
    assert figure.title.endswith(
        f"{said} is left of what all jobs gain at ψ = 0; for certain below half under {gone} of 4 "
        "policies"
    )
    drawn = " ".join(text.get_text().replace("\n", " ") for text in figure.plot().texts)
    assert f"FCFS {said}" in drawn


def test_a_map_takes_cells_of_its_own_kind_only():
    figure = KeptWholeMap()
    with pytest.raises(InputError, match="served"):
        figure.add(("FCFS", "0%", "1"), scenario(0))
    with pytest.raises(InputError, match="panel, the row and the column"):
        figure.add("mine", split_jobs())
    with pytest.raises(InputError, match="group"):
        filled(figure, lambda label, group: 1.0).changes("S9")


@pytest.mark.parametrize(
    "figure", [AdaptiveMap(), KeptWholeMap(), ComponentsMap(), ViabilityMap(0)]
)
def test_a_cell_of_ones_own_does_not_spoil_the_title(figure):
    before = filled(figure, lambda label, group: 0.8).title
    figure.add(("mine", "4", "0.15"), split_jobs(5, 0.3))
    after = filled(figure, lambda label, group: 0.8)
    assert after.title.startswith(before)
    after.plot()


def test_who_pays_draws_cells_of_ones_own():
    mine = ViabilityMap(20).add(("load 0.500", "4", "0.15"), split_jobs(20, above=4))
    figure = WhoPays({"20": filled(mine, lambda label, group: 0.8)})
    assert f"{len(mine.entries)} cells" in figure.title
    figure.plot()


def test_a_way_of_splitting_is_one_of_those_that_are_compared():
    figure = NeedThresholds()
    label = ("FPFS(5)", "above 3, at need")
    assert Way(*label) in figure.add(label, split_jobs(5)).entries
    with pytest.raises(InputError, match="label"):
        figure.add(("FPFS(5)", "mine"), split_jobs(5))


# Thresholds


def test_a_threshold_at_need_is_that_of_its_own_jobs_and_placement():
    figure = NeedThresholds()
    label = Way("FPFS(20)", "above 3, at need")
    entry = figure.entries[label]
    assert entry.scenario.placement == SingleThenSpan(WorstFit())
    assert columns_of(entry) | {"above": 3, "max_jumps": "20", "load": 0.786} == columns_of(entry)
    found = figure.measure({label: entry}, SMALL, seed=3)[entry]["stream"]
    row = break_even(entry, ("stream",), Size(800, 4), spawn(3, 1)[0])
    ends = found.interval
    assert [ends.low, ends.estimate, ends.high] == [
        row[f"stream {end}"] for end in ("low", "estimate", "high")
    ]
    # Its own penalty does not count.
    paying = Served(scenario(20, entry.scenario.workload.with_(span_penalty=0.5)), entry.load)
    free = Served(scenario(20, entry.scenario.workload), entry.load)
    size = Size(800, 4)
    assert break_even(paying, ("S4",), size, 1) == break_even(free, ("S4",), size, 1)


def test_the_title_of_thresholds_tells_each_way_and_what_is_not_certain():
    figure = NeedThresholds()
    for label, entry in figure.entries.items():
        psi = 0.3 if "need" in label.splits else 0.2
        figure.found[entry] = {"stream": Threshold(Interval(psi, psi - 0.01, psi + 0.01, 8), False)}
    assert "above 10, always 0.20, 0.20, 0.20, 0.20; above 10, at need 0.30" in figure.title
    assert "?" not in figure.title
    first = next(iter(figure.entries.values()))
    figure.found[first] = {"stream": Threshold(Interval(0.5, 0.3, np.inf, 8), False)}
    assert "above 10, always 0.50?, 0.20" in figure.title
    assert figure.title.endswith("(?: not for certain)")
    assert figure.data()["answer"].tolist() == ["undecided"] + ["crossing"] * 11
    assert figure.plot().axes[0].get_title(loc="left") == "load 0.786"


# Cases for the player


def test_the_cases_are_those_that_the_search_finds():
    assert cases.search() == cases.FOUND
    helps, hurts = (cases.splitting_case(kind) for kind in ("helps", "hurts"))
    assert helps.ratio < 0.95 < 1.05 < hurts.ratio


@pytest.mark.parametrize("kind", ["helps", "hurts"])
def test_a_case_shows_the_same_jobs_whole_and_split(kind):
    case = cases.splitting_case(kind)
    whole, split = cases.splitting_cases()[kind].values()
    for schedule in (whole, split):
        schedule.verify()
        assert len(schedule.jobs) == 20
    np.testing.assert_array_equal(whole.jobs.processors, split.jobs.processors)
    np.testing.assert_array_equal(whole.jobs.submit, split.jobs.submit)
    assert (np.count_nonzero(whole.allocation, axis=1) == 1).all()
    assert np.count_nonzero(split.allocation, axis=1).max() == 4
    sooner = int((split.end < whole.end - 1e-9).sum())
    assert f"{sooner} of 20 jobs end sooner" in case.words
    assert all(f"{s.response.mean():.1f}" in label for label, s in case.schedules.items())
    with pytest.raises(InputError, match="kind"):
        cases.splitting_case("either")
