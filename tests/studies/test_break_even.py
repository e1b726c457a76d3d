"""When it pays to spread a job: hand-made cases, the exact solution, and what the picture says."""

from dataclasses import replace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample, student
from coalloc_lib.studies.cluster_configurations import break_even
from coalloc_lib.studies.cluster_configurations.break_even import BreakEven, BreakEvenFigure
from tests.studies.cells import TINY


def spread(clusters, sizes, components, **parts):
    model = co.JobModel(co.parse_sizes(sizes), components)
    return co.Scenario(co.Multicluster(clusters), model, **parts)


@pytest.mark.parametrize(
    ("clusters", "sizes", "components", "alpha"),
    [
        # Six jobs of 4 × 5 beside each other keep 120 of 128 busy; whole, one of 20 a cluster, 80.
        ([32] * 4, "U[5,5]", 4, 1.5),
        # A whole job of 18 wastes 14 of 32; spread over both clusters three run, 54 of 64.
        ([32, 32], "U[9,9]", 2, 1.5),
        # Whole jobs of 4 fill their clusters, and so do spread ones.
        ([8, 8], "U[2,2]", 2, 1.0),
        # Spread jobs of 2 × 3 leave 2 of each 8; a whole job of 6 does too.
        ([8, 8], "U[3,3]", 2, 1.0),
        # One job fills the small cluster; whole, one of 6 fits no other.
        ([6, 3], "U[3,3]", 2, 1.0),
    ],
)
@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(50)])
def test_jobs_of_one_size_break_even_where_counting_says(
    clusters, sizes, components, alpha, policy
):
    entry = BreakEven(spread(clusters, sizes, components, scheduling=policy))
    values = entry.measure(TINY, seed=1).values
    np.testing.assert_allclose(values, alpha, rtol=1e-3)


@pytest.mark.parametrize("clusters", [[4, 4], [6, 4]])
@pytest.mark.parametrize("placement", [co.WorstFit(), co.FirstFit()])
def test_the_ratio_is_that_of_the_exact_solutions(clusters, placement):
    scenario = spread(clusters, "U[1,2]", 2, placement=placement)
    sizes = scenario.workload.sizes
    apart, whole = (
        co.exact_utilization(scenario.system, law, parts, placement=placement).max_utilization
        for law, parts in ((sizes, 2), (sizes.sum_of(2), 1))
    )
    scale = replace(TINY, map_jobs=20_000, replications=10)
    found = BreakEven(scenario).measure(scale, seed=2)
    assert student(found.values, confidence=0.999).contains(apart / whole)


def test_both_are_given_the_same_jobs():
    """The ratio run by run is known far better than the two that it is made of."""
    entry = BreakEven(spread([32] * 4, "U[1,4]", 4))
    one, other = entry.scenario.sample(500, seed=3), entry.whole.sample(500, seed=3)
    np.testing.assert_array_equal(one.components.sum(axis=1), other.components[:, 0])
    np.testing.assert_array_equal(one.runtime, other.runtime)


def test_longer_service_makes_the_schedule_slower_and_no_other():
    """What alpha stands for: at the break-even stretch both bear the same net work."""
    scenario = spread([32] * 4, "U[1,8]", 4, scheduling=co.FPFS(50))
    jobs = scenario.sample(2000, seed=4)
    slow = scenario.run(jobs.replace(runtime=1.3 * jobs.runtime), backlog=50)
    np.testing.assert_allclose(slow.end, 1.3 * scenario.run(jobs, backlog=50).end)


@pytest.mark.parametrize(
    ("clusters", "sizes", "components", "message"),
    [
        ([32] * 4, "U[1,9]", 4, r"jobs of up to 36 processors, and no cluster of 4 × 32"),
        ([32] * 4, "U[1,9]", 1, "two components or more"),
    ],
)
def test_what_cannot_be_kept_whole_or_is_not_spread_is_refused(
    clusters, sizes, components, message
):
    with pytest.raises(InputError, match=message):
        BreakEvenFigure().add("mine", spread(clusters, sizes, components))


def test_other_workloads_are_refused_in_one_line():
    figure = BreakEvenFigure()
    ordered = co.JobModel(co.uniform(1, 4), 2, "ordered")
    for scenario in (
        co.Scenario(co.Multicluster([32, 32]), ordered),
        co.Scenario(co.Multicluster([32, 32]), ordered.with_(request="total")),
        "a guess",
    ):
        with pytest.raises(InputError, match="give ") as error:
            figure.add("mine", scenario)
        assert "\n" not in str(error.value)


@pytest.fixture(scope="module")
def drawn():
    """The figure with scenarios of its own kind, but few and small."""
    figure = BreakEvenFigure()
    figure.scales = {"quick": replace(TINY, map_jobs=1000, replications=3)}
    figure.add("mine", spread([16, 16], "U[1,8]", 2))
    figure.add("mine", spread([16, 16], "U[1,4]", 2))
    return figure.run(workers=2)


def test_every_scenario_is_a_point_below_a_whole_cluster(drawn):
    table = drawn.data()
    assert len(table) == len(drawn.entries)
    assert set(table["panel"]) == set(break_even.POLICIES)
    assert table["share"].between(0, 1).all()
    assert (table["ci95_low"] <= table["alpha"]).all()
    assert set(table["method"]) == {"simulation"}
    assert table.query("line == 'mine'")["share"].tolist() == [9 / 16, 5 / 16]


def test_lines_are_drawn_from_small_to_large_jobs_and_named(drawn):
    picture = drawn.plot()
    left, right = picture.axes
    for axes in (left, right):
        for line in axes.lines:
            assert (np.diff(line.get_xdata()) > 0).all()
    names = {text.get_text() for text in left.texts}
    assert {"mine", "4×32", *break_even.LEVELS} <= names
    assert "mine" not in {text.get_text() for text in right.texts}
    assert picture.get_suptitle().replace("\n", " ") == drawn.title


def statement_with(small, large, doubt=""):
    figure = BreakEvenFigure()
    figure.found = {
        entry: Sample(np.array([-0.001, 0.001]) + (small if entry.share < 0.5 else large), doubt)
        for entry in figure.entries.values()
    }
    return figure.title


@pytest.mark.parametrize(
    ("small", "large", "said"),
    [
        (1.2, 1.4, "pays up to a stretch of 1.20 at best; pays up to a stretch of 1.40 at best"),
        (1.3, 1.1, "pays up to a stretch of 1.30 at best; pays up to a stretch of 1.10 at best"),
        (0.9, 1.4, "does not pay; pays up to a stretch of 1.40 at best"),
        (1.0, 1.4, "is not seen to pay for certain; pays up to a stretch of 1.40 at best"),
        (0.8, 0.7, "does not pay, however little it stretches service"),
    ],
)
def test_the_title_follows_the_numbers(small, large, said):
    title = statement_with(small, large)
    for words in (" jobs of less than half a cluster", " jobs of half a cluster or more"):
        title = title.replace(words, "")
    title = title.replace("; spreading ", "; ").replace(" (2×32, FCFS)", "")
    assert title == f"Spreading {said}"


@pytest.mark.parametrize("best", [("2×32", "FCFS"), ("8×32", "FPFS"), ("4×32", "FCFS")])
def test_the_title_names_the_line_that_is_best_where_lines_differ(best):
    figure = BreakEvenFigure()
    figure.found = {
        entry: Sample(np.array([-0.001, 0.001]) + (1.42 if (line, heading[:4]) == best else 0.9))
        for (line, _, heading), entry in figure.entries.items()
        if entry.share >= 0.5
    }
    figure.entries = {label: e for label, e in figure.entries.items() if e.share >= 0.5}
    said = f"1.42 at best ({', '.join(best)})"
    assert (
        figure.title == f"Spreading jobs of half a cluster or more pays up to a stretch of {said}"
    )


def test_the_title_of_large_jobs_alone_speaks_of_them(drawn):
    figure = BreakEvenFigure()
    figure.found = drawn.found
    figure.entries = {label: e for label, e in figure.entries.items() if e.share >= 0.5}
    assert figure.title.startswith("Spreading jobs of half a cluster or more pays up to ")


def test_runs_in_doubt_are_not_called_losses():
    assert "does not pay" in statement_with(0.8, 0.7)
    assert "does not pay" not in statement_with(0.8, 0.7, "too few jobs")


def test_a_long_tail_puts_the_ratio_in_doubt():
    scenario = spread([32] * 4, "U[1,8]", 4)
    heavy = scenario.workload.with_(service=co.Hyperexponential(1.0, 1000))
    found = BreakEven(scenario.with_(workload=heavy)).measure(TINY, seed=1)
    assert found.interval.doubt


def test_levels_are_written_where_they_are():
    line = [(0.1, Interval(1.1, 1.0, 1.2, 5)), (0.6, Interval(1.3, 1.2, 1.5, 5))]
    picture = break_even.against_levels(
        {"a": {"one": line}, "b": {"two": line}}, {"known": 1.4}, title="t", ylabel="y"
    )
    left, right = picture.axes
    (known,) = [text for text in left.texts if text.get_text() == "known"]
    assert known.xy == (0, 1.4)
    assert left.get_ylim() == right.get_ylim()
    assert left.get_ylim()[0] < 1.0
    assert left.get_ylim()[1] > 1.5
