"""Figures of the second study: titles and thresholds follow the lines, panels stay readable."""

from dataclasses import replace

import numpy as np
import pytest

from coalloc_lib.studies.cluster_configurations import claims, figures, placement_map
from coalloc_lib.studies.cluster_configurations.parameters import SCALES, SEED
from coalloc_lib.studies.cluster_configurations.scenarios import LINES
from tests.studies.cells import TINY
from tests.studies.lines import drawn, moved, shifted


def line_moved(line, by):
    """Move a line, whatever figures call it."""
    return lambda name, values: values + by * (LINES[name] is LINES[line])


#: By figure: what changes the lines, and words of its title before and after.
HEADLINES = {
    "figure3": (moved("4×32", -0.6), "more than 64+32+2×16 for ordered", "less than 64+32+2×16"),
    "figure4": (moved("8×16 first fit", -0.2), "points more", "points less"),
    "figure5a": (moved("2×32", -0.3), "2 of 2 of many", "1 of 2 of many"),
    "figure5b": (moved("small first", 0.6), "for 5 of 5", "for none of 5"),
    "figure6": (line_moved("4×32 worst fit", -0.2), "bears 4", "points less than first fit"),
    "figure7": (line_moved("4×32 worst fit", -0.8), "more than 5 of 5", "more than none of 5"),
    "figure8": (moved("worst fit", 0.2), "on 2 of 2", "on none of 2"),
    "figure9": (lambda name, v: 1.2 - v, "in 3 of 3 steps", "in none of 3 steps"),
    "figure10": (
        line_moved("4×32 worst fit", -0.3),
        "points more than first fit",
        "points less than first fit",
    ),
    "figure11": (lambda name, v: 1.2 - v, "more than one", "less than one"),
    "figure12": (
        line_moved("4×32 worst fit", -0.3),
        "points more than first fit",
        "points less than first fit",
    ),
}


@pytest.mark.parametrize("name", HEADLINES)
def test_titles_follow_the_lines(name, found):
    change, before, after = HEADLINES[name]
    titles = [drawn(each, name).title for each in (found, shifted(found, change))]
    assert before in titles[0]
    assert after in titles[1]
    assert before not in titles[1]


def test_titles_say_what_is_undecided(found):
    doubtful = {name: replace(sample, doubt="three jobs") for name, sample in found.borne.items()}
    found = replace(found, borne=doubtful)
    assert "neither more nor less for certain" in drawn(found, "figure4").title
    assert "undecided: 64+32+2×16" in drawn(found, "figure5a").title


def test_the_title_of_the_map_says_where_worst_fit_wins(found):
    assert "4×32 with 3 to 4" in figures.PlacementMap(found.gains).title
    turned = found.gains.assign(gain=-found.gains["gain"])
    assert "4×32 with 1 to 2" in figures.PlacementMap(turned).title
    never = found.gains.assign(gain=-1.0)
    assert "on no system" in figures.PlacementMap(never).title
    assert "first fit in 31 of 31 cases" in figures.PlacementMap(never).title


def test_the_map_is_run_again_at_the_scale_and_seed_of_what_is_there(found, monkeypatch):
    asked = []
    monkeypatch.setattr(placement_map, "gains", lambda *how: asked.append(how) or found.gains)
    *_, drawn_map = figures.all_figures(found, TINY, 7)
    drawn_map.run()
    assert not asked
    drawn_map.run(seed=8)
    drawn_map.run()
    drawn_map.run("quick")
    assert asked == [(TINY, 8), (SCALES["quick"], 8)]
    figures.PlacementMap().run()
    assert asked[-1] == (SCALES["quick"], SEED)


@pytest.mark.parametrize("name", HEADLINES)
def test_no_panel_has_more_than_five_lines_and_each_says_what_it_bears(name, found):
    figure = drawn(found, name)
    picture = figure.plot()
    panels = picture.axes[: len(figure.panels)], picture.axes[len(figure.panels) :]
    shown = set()
    for upper, below in zip(*panels, strict=True):
        names = [text.get_text().split("  ")[0] for text in below.texts]
        assert 2 <= len(names) <= 5
        shown |= set(names)
        assert len({line.get_color() for line in upper.lines}) == len(names)
    assert shown == set(figure.entries)
    assert figure.words().count("bears 0.") >= len(figure.entries)


def test_thresholds_of_claims_lie_where_the_claims_have_them(found):
    least = found.borne["4×32 first fit"].mean
    for name, label, level in (
        ("figure4", "8×16", (least, least + claims.MUCH)),
        ("figure5a", "64+4×16", least - claims.MUCH),
        ("figure6", "4×32", (least - claims.MUCH, least + claims.MUCH)),
        ("figure10", "4 components", least + claims.MUCH),
    ):
        figure = drawn(found, name)
        assert figure.threshold[1](figure)[label] == pytest.approx(level), name
        dashed = [
            round(path.vertices[0, 0], 9)
            for axes in figure.plot().axes[len(figure.panels) :]
            for marks in axes.collections
            for path in marks.get_paths()
        ]
        assert round(np.ravel(level)[-1], 9) in dashed
