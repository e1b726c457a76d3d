"""Maps of where splitting pays: what their cells, tables and titles say of made-up responses."""

import numpy as np
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.curves import RISING
from coalloc_lib.inference import Sample
from coalloc_lib.plots import LONGER, NEITHER, SHORTER
from coalloc_lib.studies.communication_penalty import adaptive, viability
from coalloc_lib.studies.communication_penalty.adaptive import (
    AdaptiveMap,
    KeptWholeMap,
    SplitShares,
)
from coalloc_lib.studies.communication_penalty.parameters import NO_LIMIT, scenario
from coalloc_lib.studies.communication_penalty.responses import NAMES, Responses
from coalloc_lib.studies.communication_penalty.viability import ComponentsMap, ViabilityMap, WhoPays
from tests.studies.made_up_changes import MUCH, NOISE, SATURATED, filled, responded, split_jobs


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
