"""The first study: a row for everything printed, and verdicts that could say the opposite."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.intervals import Interval, Sample
from coalloc_lib.saturation import heavy_traffic
from coalloc_lib.studies import maximal_utilization as mu
from coalloc_lib.studies.core import Results, Scale, cases_of
from coalloc_lib.studies.losses import InOrder, Loss, Saturated, TableCell, beside_print
from coalloc_lib.studies.maximal_utilization import EXCEPTION, FIVE, FOUR, study
from coalloc_lib.studies.published import load_claims, load_published
from tests.studies.small import SMALL

TINY = SMALL[study.name]
CELLS = [cell for cell in load_published(study.name) if cell.method == "simulation"]


@pytest.fixture(scope="module")
def result():
    study.scales["tiny"] = TINY
    yield study.reproduce("tiny", seed=1)
    del study.scales["tiny"]


@pytest.fixture
def figure8(monkeypatch):
    monkeypatch.setitem(study.scales, "quick", TINY)
    return study.figure("figure8")


def made(result, figure, change):
    """Return results in which the losses of a figure are others."""
    found = dict(result.results.by_case)
    for label, case in study.figures[figure].cases(TINY, 1).items():
        if isinstance(case, Loss):
            values = result.results[case].values
            found[case] = Sample(np.broadcast_to(change(*label, values), values.shape))
    return Results(study, TINY, 1, found)


def test_every_cell_and_claim_has_its_row_and_every_figure_its_picture(result):
    items = [row.item for row in result.rows]
    assert len(items) == len(set(items)) == 140 + 11 + 12
    assert {cell.item for cell in load_published(study.name)} <= set(items)
    assert set(load_claims(study.name)) <= set(items)
    for figure in result.figures:
        figure.plot().canvas.draw()
        assert len(figure.data())
    texts = " ".join(text.get_text() for text in result.figure("figure7").plot().texts)
    assert mu.ctc()[0].replace(" ", "") in "".join(texts.split())


def test_cells_are_the_printed_ones(result):
    """Calculated ones but for the last digit, simulated ones but for their noise."""
    for number in (3, 4):
        table = result.figure(f"table{number}").data()
        off = (table["capacity_loss"] - table["published"]).abs()
        assert table["ci95_low"].notna().sum() == 30
        assert (off < (table["ci95_high"] - table["ci95_low"]).fillna(-0.0094) + 0.01).all()
        paper = beside_print(table).data
        row = table[(table["method"] == "exact") & (table["request"] == "ordered")].iloc[2]
        sizes, system = (
            row["component_sizes"].replace(" on ", ""),
            f"ordered, {row['clusters']} × 32",
        )
        both = [paper.at[sizes, (system, "exact", name)] for name in ("print", "here")]
        assert both == [row["published"], row["capacity_loss"]]


def test_which_cells_are_simulated_until_the_response_time_is_reached():
    assert sum(map(mu.by_response, CELLS)) == 30
    assert not any(mu.by_response(cell) for cell in CELLS if cell.request == "ordered")
    cell = next(cell for cell in CELLS if cell.component_sizes == "U[13,16]" and cell.clusters == 1)
    scale = Scale(response_jobs=20_000, response_replications=2, cell_jobs=20_000)
    quick = Scale(response_jobs=None, cell_jobs=20_000)
    seed = np.random.SeedSequence(1)
    first, second = (TableCell(cell, by).measure(scale, seed) for by in (True, False))
    assert (first.count, second.count) == (2, 30)
    assert first.estimate == pytest.approx(second.estimate, abs=0.005)
    assert TableCell(cell, True).measure(quick, seed) == second


def test_a_total_request_has_one_cluster_as_large_as_all():
    """Sums of four sizes on one cluster of 128, as any printed number of the kind."""
    wanted = "total", "exact", 4
    cell = next(
        cell
        for cell in load_published(study.name)
        if (cell.request, cell.method, cell.clusters) == wanted
    )
    law = co.parse_sizes(cell.component_sizes).sum_of(4)
    expected = co.maximal_utilization(co.Multicluster([128]), law).capacity_loss
    assert TableCell(cell, False).measure(TINY, None).estimate == pytest.approx(expected, rel=1e-9)


def test_results_do_not_depend_on_the_number_of_workers(result):
    cases = cases_of([study.figures["figure4"].cases(TINY, 1)])[:3]
    again = study.measure_all(cases, TINY, 1, workers=1)
    for case in cases:
        np.testing.assert_array_equal(again[case].values, result.results[case].values)


def test_differences_are_students_or_welchs(result):
    one, base = (Saturated(co.Scenario(FOUR, co.JobModel(co.parse_sizes(FIVE[0]), 4), placement=p))
                 for p in (co.FirstFit(), None))  # fmt: skip
    test = stats.ttest_rel(result.results[one].values, result.results[base].values)
    less = mu.differences(result.figure("figure6").data())[FIVE[0], mu.FIRST]
    assert (less.low, less.high) == pytest.approx(tuple(test.confidence_interval()))
    figure = result.figure("figure5")
    many, fcfs = (result.results[figure.entries[FIVE[3], name]].values
                  for name in (f"FPFS(50), {mu.POISSON}", "FCFS"))  # fmt: skip
    test = stats.ttest_ind(many, fcfs, equal_var=False)
    less = mu.differences(figure.data())[FIVE[3], f"FPFS(50), {mu.POISSON}"]
    assert (less.low, less.high) == pytest.approx(tuple(test.confidence_interval()))


def test_scenarios_share_their_random_numbers():
    """Differences of policies are far more certain than the losses themselves."""
    scenario = co.Scenario(FOUR, co.JobModel(co.parse_sizes("D(0.894)[1,32]"), 4))
    scale = Scale(jobs=10_000, replications=12)
    worst, first = (
        Saturated(scenario.with_(placement=rule)).measure(scale, 5)
        for rule in (co.WorstFit(), co.FirstFit())
    )
    apart = np.hypot(first.interval.half_width, worst.interval.half_width)
    assert (first - worst).interval.half_width < 0.7 * apart


#: By claim: the figure, and other losses of its bars, by group, series and the losses there are.
OPPOSITES = {
    "MU-4": ("figure3", lambda g, s, v: v + 0.5 * (s == mu.UNORDERED)),
    "MU-5 another": ("figure3", lambda g, s, v: v * 2 if (g, s) == (FIVE[0], mu.UNORDERED) else v),
    "MU-7": ("figure4", lambda g, s, v: v + 0.05 * len(g) if s == mu.DEPENDENT else 0.2),
    "MU-7 dependent": ("figure4", lambda g, s, v: v + 0.05 * len(g) * (s == mu.DEPENDENT)),
    "MU-7 independent": ("figure4", lambda g, s, v: v if s == mu.DEPENDENT else 0.2),
    "MU-8 other way": ("service-times", lambda g, s, v: v * 0.2 if "cv 10" in s else v),
    "MU-9 few": ("figure5", lambda g, s, v: v + 0.3 * (s == f"FPFS(5), {mu.HOLD}")),
    "MU-10 other way": ("figure6", lambda g, s, v: v - 0.3 * (s == mu.FIRST)),
}


@pytest.mark.parametrize("name", OPPOSITES)
def test_verdicts_follow_the_figures(name, result):
    item = name.split()[0]
    before = next(row for row in result.rows if row.item == item)
    after = study.claim_row(item, made(result, *OPPOSITES[name]))
    assert (before.verdict, before.note) != (after.verdict, after.note)
    if name in ("MU-4", "MU-7"):
        assert before.verdict != after.verdict


def by_words(otherwise, **words):
    """Return a loss by what a series holds, `_` for a blank; that of the exception is `but`."""
    but = words.pop("but", None)

    def loss(group, series, values):
        found = (x for word, x in words.items() if word.replace("_", " ") in series)
        value = next(found, otherwise)
        if group == EXCEPTION and but and (mu.UNORDERED in series or "dependent" in series):
            value = but[series != mu.INDEPENDENT]
        spread = 1e-4 * (1 + len(series) % 5)
        return value + (np.resize([-spread, spread], values.shape) if values.ndim else 0.0)

    return loss


def fpfs(few, many):
    losses = {"FCFS": 0.4, "FPFS(5)": few, "FPFS(50)": many}
    return lambda g, s, v: by_words(losses[s.split(",")[0]])(g, s, v)


def wild(group, series, values):
    """One distribution, unordered, loses far more with the wildest service times."""
    return by_words(0.5 if (group, series) == (FIVE[2], f"unordered, {mu.WILD}") else 0.2)(
        group, series, values
    )


#: By figure, claim and its verdicts: losses of which its notice is true, and of which it is not.
MADE = [
    ("figure3", "MU-5", by_words(0.1, unordered=0.2, ordered=0.4, but=(0, 0.36)), "holds",
     by_words(0.1, unordered=0.36, ordered=0.4, but=(0, 0.2)), "does not hold"),
    ("figure4", "MU-6", by_words(0.2, independent=0.2, dependent=0.3, but=(0.3, 0.25)), "holds",
     by_words(0.2, independent=0.3, dependent=0.2, but=(0.2, 0.25)), "does not hold"),
    ("service-times", "MU-8", wild, "holds in part", by_words(0.3, cv_10=0.5), "does not hold"),
    ("figure5", "MU-9", fpfs(0.39, 0.3), "holds", fpfs(0.3, 0.39), "does not hold"),
    ("figure6", "MU-10", by_words(0.3, worst=0.29), "holds",
     by_words(0.3, worst=0.4), "does not hold"),
    ("figure7", "MU-11", by_words(0.3, DAS1=0.5), "does not hold", by_words(0.3), "holds"),
    ("figure8", "MU-12", by_words(0.1, one_comp=0.25), "holds",
     by_words(0.25, one_comp=0.1), "does not hold"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "item", "yes", "verdict", "no", "other"), MADE)
def test_notices_and_verdicts_are_true_of_the_losses(name, item, yes, verdict, no, other, result):
    figure = study.figure(name)
    figure._results = made(result, name, yes)
    assert figure.title == figure.notice
    assert study.claim_row(item, figure._results).verdict == verdict
    figure._results, figure._table = made(result, name, no), None
    assert figure.title != figure.notice
    assert not figure.when(figure.data().assign(against=None, less_warning="few"))
    assert study.claim_row(item, figure._results).verdict == other
    figure.plot().canvas.draw()


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("figure3", {0.16, 0.24}),
        ("figure4", {0.2, 0.21}),
        ("figure5", {0.28, 0.32}),
        ("figure6", {0.17, 0.23}),
        ("figure7", {0.17, 0.23}),
        ("figure8", {0.2}),
    ],
)
def test_what_a_claim_is_judged_by_is_drawn(name, ends, result):
    figure = study.figure(name)
    figure._results = made(
        result, name, lambda g, s, v: 0.4 if s in ("FCFS", mu.ORDERED) else 0.2 + 0 * v
    )
    lines = figure.plot().axes[0].lines
    drawn = {
        round(x, 9) for each in lines if each.get_linestyle() == "--" for x in each.get_xdata()
    }
    assert drawn == ends


def test_service_times_are_lines_of_growth_over_a_true_axis(result):
    figure = study.figure("service-times")
    figure._results = made(result, "service-times", wild)
    ordered, unordered = figure.plot().axes
    lines = [line.get_xydata() for line in unordered.lines if len(line.get_xdata()) == 3]
    (grown,) = {tuple(map(tuple, np.round(line, 6))) for line in lines if line[-1, 1] > 1}
    assert grown == ((0, 0), (1, 0), (10, 150))
    assert {line.get_ydata()[0] for line in ordered.lines if line.get_linestyle() == "--"} == {25}


def test_a_printed_table_is_coloured_where_it_does_not_come_out(result):
    table = result.figure("table3").data().assign(verdict="reproduced")
    table.loc[:1, "verdict"] = "differs", "undecided"
    page = beside_print(table)._repr_html_()
    assert page.count("#F8D3BF") == page.count("#E4E4E4") == 1
    assert page.index("#F8D3BF") < page.index("#E4E4E4")


@pytest.mark.parametrize("item", ["MU-2", "MU-3"])
@pytest.mark.parametrize(
    ("shift", "half", "verdict"),
    [(0, 0, "holds"), (0.1, 0.01, "does not hold"), (0, 0.1, "undecided")],
    ids=["as printed", "far off", "noisy"],
)
def test_verdicts_follow_the_tables(item, shift, half, verdict, result):
    found = dict(result.results.by_case)
    for cell in CELLS:
        loss = cell.capacity_loss + shift
        simulated = Interval(loss, loss - half, loss + half, 9)
        found[TableCell(cell, mu.by_response(cell))] = simulated
    assert study.claim_row(item, Results(study, TINY, 1, found)).verdict == verdict


def test_what_is_in_doubt_decides_nothing(result):
    doubtful = {
        case: replace(found, warning="three jobs") if isinstance(case, Loss) else found
        for case, found in result.results.by_case.items()
    }
    for number in range(4, 13):
        row = study.claim_row(f"MU-{number}", Results(study, TINY, 1, doubtful))
        assert row.verdict == "undecided", row.item


def test_the_pathological_example_is_simulated_too():
    """MU-1's formula against the definition: each job runs alone."""
    jobs = co.JobStream(np.zeros(500), np.ones(500), np.tile([8, 1], (500, 1)), request="ordered")
    busy = heavy_traffic(co.Scenario(co.Multicluster([15, 15]), jobs), jobs)
    assert mu.pathological_loss(2, 15) == pytest.approx(1 - busy.mean())
    assert mu.pathological_loss(2, 15) == pytest.approx(1 - 9 / 30)


def test_bars_of_ones_own_join_a_figure(figure8):
    two = co.Scenario(FOUR, co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4, merged_into=2))
    label = "4 × 32", "two components"
    for bad in ("two", (4, "x")):
        with pytest.raises(co.InputError, match="give a pair of texts"):
            figure8.add(bad, two)
    with pytest.raises(co.InputError, match="give a Scenario"):
        figure8.add(label, co.FCFS())
    assert figure8.run(seed=1).title == figure8.notice
    losses = figure8.add(label, two).run(seed=1).data().set_index("series")["capacity_loss"]
    assert figure8.title != figure8.notice  # it says nothing of two
    assert len(losses) == 3
    assert losses["two components"] < losses["one component"]
    figure8.plot().canvas.draw()


def test_a_size_distribution_joins_a_figure_with_all_its_bars(monkeypatch):
    monkeypatch.setitem(study.scales, "quick", Scale(jobs=1000, replications=2, variations=(10,)))
    figure = study.figure("service-times").add("U[1,3]")
    # Added ones are those of the scale that has most, so that a later run at it lacks none.
    assert len(figure.entries) == 6 * len(FIVE) + 10
    figure.add(("mine", "bar"), co.Scenario(FOUR, co.JobModel(co.uniform(1, 3), 4)))
    figure.run().plot().canvas.draw()
    with pytest.raises(co.InputError, match="or a size distribution alone"):
        study.figure("figure3").add("U[1,3]", co.FCFS())


def test_bars_on_tails_that_were_not_drawn_are_in_doubt(figure8):
    rare = co.Hyperexponential(1.0, 1000)
    model = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4, service=rare)
    figure8.add(("4 × 32", "rare long jobs"), co.Scenario(FOUR, model)).run(seed=1)
    data = figure8.data().set_index("series")
    assert "of the work" in data.loc["rare long jobs", "warning"]
    assert data.drop(index="rare long jobs")["warning"].tolist() == ["", ""]
    assert mu.differences(figure8.data())["4 × 32", "rare long jobs"].above(0) is None


def test_a_log_is_served_by_the_scenarios_own_policies():
    jobs = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4).sample(2000, 3)
    rules = co.WorstFit(), co.FirstFit()
    worst, first = (InOrder(co.Scenario(FOUR, jobs, placement=r)).measure(TINY, 0) for r in rules)
    assert first.mean > worst.mean


def test_what_overtakes_is_measured_with_a_queue():
    model = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4)
    fcfs, fpfs = (
        Saturated(co.Scenario(FOUR, model, policy)).measure(TINY, 1).mean
        for policy in (co.FCFS(), co.FPFS(50))
    )
    assert fpfs < fcfs - 0.02
