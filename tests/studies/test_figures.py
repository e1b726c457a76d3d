"""Figures show themselves; titles and thresholds follow the numbers, whatever they are."""

import re
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.studies import StudyResult
from coalloc_lib.studies import maximal_utilization as study
from coalloc_lib.studies.claims import Claims
from coalloc_lib.studies.densities import Das1Densities
from coalloc_lib.studies.headlines import compared, points, tally
from coalloc_lib.studies.loss_tables import Cell, table_figures
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, SEED
from coalloc_lib.studies.published import load_published
from tests.conftest import ROOT
from tests.studies.cells import TINY

NOISE = np.array([-1e-4, 1e-4] * 4)


def given(name, loss, noise=NOISE):
    """Return a figure whose losses are made up, by a function of group and series."""
    figure = study.figure(name)
    figure.found = {
        entry: Sample(loss(*label) + (i + 1) * noise)
        for i, (label, entry) in enumerate(figure.entries.items())
    }
    figure.ran = TINY, SEED
    return figure


def by_words(otherwise, **words):
    """Return a loss by what a series holds, `_` for a blank."""
    return lambda _, series: next(
        (loss for word, loss in words.items() if word.replace("_", " ") in series), otherwise
    )


#: By figure: losses, words of the title that they make, other losses, and their words.
MADE = {
    "figure3": (
        by_words(0.1, unordered=0.2, ordered=0.4), "for 5 of 5 distributions: 0.50 to 0.50",
        by_words(0.1, unordered=0.36, ordered=0.4), "for none of 5 distributions: 0.90 to 0.90",
    ),
    "figure4": (
        by_words(0.2, independent=0.2, dependent=0.3), "for 5 of 5 distributions",
        by_words(0.2, independent=0.3, dependent=0.25), "for none of 5 distributions; 5.0 points",
    ),
    "service-times": (
        by_words(0.2), "in 10 of 10 cases",
        by_words(0.2, cv_10=0.5), "in none of 10 cases",
    ),
    "figure5": (
        lambda _, s: {"FCFS": 0.4, "FPFS(5)": 0.39, "FPFS(50)": 0.3}[s.split(",")[0]],
        "by 10.0 points, by about ten in 4 of 4 cases; with 5 by 1.0 points",
        lambda _, s: {"FCFS": 0.4, "FPFS(5)": 0.39, "FPFS(50)": 0.38}[s.split(",")[0]],
        "by 2.0 points, by about ten in none of 4 cases",
    ),
    "figure6": (
        by_words(0.3, worst=0.1, first=0.2), "for 5 of 5 distributions: first fit loses 10.0 po",
        by_words(0.3, worst=0.4, first=0.2), "for none of 5 distributions: first fit loses -20.0",
    ),
    "figure7": (
        by_words(0.3), "alike in 4 of 4 comparisons",
        by_words(0.3, DAS1=0.5), "none of 4 comparisons; DAS1 loses up to 20.0 points more",
    ),
    "figure8": (
        by_words(0.1, one_comp=0.25), "loses 15.0 points more as one component",
        by_words(0.25, one_comp=0.1), "loses 15.0 points less as one component",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_titles_follow_the_losses(name):
    one, said, other, then_said = MADE[name]
    assert said in given(name, one).title
    assert then_said in given(name, other).title


@pytest.mark.parametrize("name", MADE)
def test_titles_say_what_is_undecided(name):
    title = given(name, by_words(0.3), np.array([-2.0, 2.0] * 4)).title
    assert "undecided" in title or "for certain" in title


def dashes(axes):
    return [line for line in axes.lines if line.get_linestyle() == "--"]


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("figure3", (0.16, 0.24)),
        ("figure5", (0.28, 0.32)),
        ("figure6", (0.17, 0.23)),
        ("figure7", (0.17, 0.23)),
        ("figure8", (0.2,)),
    ],
)
def test_the_threshold_of_a_claim_is_drawn(name, ends):
    loss = by_words(0.2, unordered=0.2, ordered=0.4, FCFS=0.4)
    figure = given(name, loss)
    axes = figure.plot().axes[0]
    assert {round(line.get_xdata()[0], 9) for line in dashes(axes)} == set(ends)
    assert figure.threshold[0] in [text.get_text() for text in axes.texts]


def test_dependent_sizes_are_judged_among_those_of_one_mean():
    losses = dict(zip(FIVE, (0.25, 0.26, 0.27, 0.4, 0.41), strict=True))
    figure = given("figure4", lambda group, _: losses[group])
    levels = figure.threshold[1](figure)
    assert levels["U[1,7]"] == levels["D(0.768)[1,32]"] == pytest.approx((0.25, 0.26))
    assert levels["U[1,14]"] == levels["D(0.894)[1,32]"] == pytest.approx((0.4, 0.41))


def test_service_times_are_lines_of_growth_over_a_true_axis():
    def loss(group, series):
        return 0.2 * (1 + 0.5 * ("cv 10" in series and group == "U[1,7]"))

    figure = given("service-times", loss)
    left, _ = figure.plot().axes
    first, *others = (line for line in left.lines if len(line.get_xdata()) == 5)
    assert list(first.get_xdata()) == [0, 1, 2, 5, 10]
    assert list(first.get_ydata()) == pytest.approx([0, 0, 0, 0, 50])
    assert first.get_linewidth() > max(line.get_linewidth() for line in others)
    assert {line.get_ydata()[0] for line in dashes(left)} == {25}
    assert "ordered: U[1,7] +50 %" in figure.words()


def test_a_size_distribution_joins_with_all_its_bars(monkeypatch):
    figure = given("figure6", by_words(0.2, worst=0.1))
    before = figure.found
    assert figure.add("U[1,10]") is figure
    assert list(figure.entries)[-3:] == [
        ("U[1,10]", series) for _, series in list(figure.entries)[:3]
    ]
    asked = []
    monkeypatch.setattr(
        figure, "measure", lambda entries, *_, **__: asked.extend(entries)
        or {entry: Sample(0.2 + NOISE) for entry in entries.values()},
    )  # fmt: skip
    figure.run()
    assert asked == list(figure.entries)[-3:]
    assert before.items() <= figure.found.items()
    assert "for 5 of 6 distributions" in figure.title
    assert "U[1,10]" in set(figure.data()["group"])
    groups = [label.get_text() for label in figure.plot().axes[0].get_yticklabels()]
    assert groups == [*FIVE, "U[1,10]"]


def test_a_scenario_that_can_change_and_a_label_that_is_not_there_are_refused():
    @dataclass
    class Changing(co.Placement):
        first: int = 0

    figure = study.figure("figure6")
    scenario = next(iter(figure.entries.values())).scenario.with_(placement=Changing())
    with pytest.raises(InputError, match="make its dataclass frozen"):
        figure.add(("mine", "changing"), scenario)
    with pytest.raises(InputError, match=r"\('mine', 'x'\) is not in figure6; it has"):
        figure.result(("mine", "x"))


def test_a_distribution_that_is_none_is_refused_and_one_that_is_there_stays():
    figure = study.figure("figure6")
    with pytest.raises(InputError, match="write U"):
        figure.add("U[1;10]")
    assert len(figure.add("U[1,10]").entries) == 18
    assert len(figure.add("U[1,10]").add("U[1,7]").entries) == 18
    other = figure.entries["U[1,14]", "worst fit"]
    with pytest.raises(InputError, match="is taken in figure6"):
        figure.add(("U[1,7]", "worst fit"), other)
    with pytest.raises(InputError, match="give a pair of texts"):
        study.figure("figure8").add("U[1,10]")


ROWS = Claims(study.NAME)


@ROWS("MU-10", "first less worst fit loss")
def _judge(change):
    return change, {"little": change.between(-0.03, 0.03)}


@pytest.fixture
def shown():
    figure = given("figure6", by_words(0.2, worst=0.1))
    result = StudyResult(ROWS.rows(Interval(0.1, 0.08, 0.12, 8)), [figure, Das1Densities()])
    return result


def test_a_figure_shows_its_picture_and_the_verdicts_of_its_claims(shown):
    bundle = shown.figure("figure6")._repr_mimebundle_()
    assert bundle["text/html"].count("<img") == 1
    assert "Worst fit loses least, for 5 of 5" in bundle["text/html"]
    for part in (
        "MU-10 does not hold",
        "First fit and worst fit differ little",
        "0.080 to 0.120",
        "Dashed: worst fit ± 3 points.",
    ):
        assert part in bundle["text/html"]
    assert "MU-10 does not hold." in bundle["text/plain"]
    assert "MU-10" not in shown.figure("figure1-2")._repr_mimebundle_()["text/html"]


def test_a_figure_that_is_not_run_says_so_in_place_of_a_picture(shown):
    figure = shown.figure("figure6").add("U[1,10]")
    bundle = figure._repr_mimebundle_()
    assert "call its run() first" in bundle["text/html"]
    assert "<img" not in bundle["text/html"]


def test_verdicts_stay_with_the_numbers_that_they_were_made_from(shown, monkeypatch):
    figure = shown.figure("figure6")
    monkeypatch.setattr(
        figure, "measure", lambda entries, *_, **__: dict.fromkeys(entries.values(), Sample(NOISE))
    )
    figure.add("U[1,10]").run()
    assert [row.item for row in figure.verdicts] == ["MU-10"]
    figure.run(seed=5)
    assert figure.verdicts == []


def test_the_index_of_claims_has_their_words_and_verdicts(shown):
    index = shown.claims()
    assert list(index.data.index) == ["MU-10"]
    row = index.data.loc["MU-10"]
    assert row["the paper"].startswith("First fit and worst fit")
    assert (row["verdict"], row["here"]) == ("does not hold", 0.1)
    assert "#F8D3BF" in index.to_html()


@pytest.fixture
def table():
    """Table 3 as printed, but for one cell far off and one that noise may have moved."""
    losses = [Interval.exact(cell.capacity_loss) for cell in load_published(study.NAME)]
    losses[0] = losses[0].plus(0.1)
    losses[1] = Interval(0.033, 0.0, 0.066, 8)
    published = load_published(study.NAME)
    cells = [Cell(p, loss) for p, loss in zip(published, losses, strict=True)]
    return table_figures(cells, {3: ["MU-2"]})[0]


def test_a_table_counts_and_colours_the_cells_that_differ(table):
    assert table.title == (
        "68 of 70 cells come out as printed; the other differs by at most 0.100; undecided: 1"
    )
    shown = table.table()
    differs = next(name for name in shown.data.columns if name[2] == "differs")
    assert shown.data[differs].sum() == shown.data[differs].iloc[0] == 1
    html = shown.to_html()
    assert html.count("#F8D3BF") == html.count("#E4E4E4") == 1
    assert "#T_table3_row0_col1 {" in html.replace(",", " {")
    assert [name[0] for name in shown.data.columns][:4] == ["total, 1 × 32"] * 4
    assert table.claims == ("MU-2",)


def test_a_table_keeps_its_colours_where_style_sheets_are_dropped(table):
    page = table.table()._repr_html_()
    assert "<style" not in page
    (off,) = re.findall(r"<td[^>]*#F8D3BF[^>]*>", page)
    assert 'id="T_table3_row0_col1"' in off
    assert "text-align: left" in off
    assert page.count("text-align: center") == page.count('class="col_heading')


def test_a_table_is_drawn_by_request_and_says_what_is_off(table):
    headings = [axes.get_title(loc="left") for axes in table.plot().axes]
    assert headings == ["total, 1 × 32", "ordered, 4 × 32", "unordered, 4 × 32", "total, 1 × 128"]
    assert table.words().endswith("Not as printed: Table 3 U[1,4] 1 cluster total exact.")


def test_words_for_titles():
    assert tally({"a": None, "b": None}, "cases") == "0 of 2 cases (undecided: a, b)"
    assert points([Interval.exact(0.1), Interval.exact(0.1)]) == "10.0 points"
    assert compared(Interval(0.1, -0.1, 0.3, 5)).startswith("neither more nor less")


def test_studies_are_there_without_what_only_notebooks_need():
    code = (
        "import sys, coalloc_lib.studies.maximal_utilization, coalloc_lib.studies.figure\n"
        "assert 'ipywidgets' not in sys.modules and 'IPython' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
