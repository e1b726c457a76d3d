"""The second study: a row for everything printed, and verdicts that could say the opposite."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.curves import response_point
from coalloc_lib.intervals import Bound, Interval, Sample, student
from coalloc_lib.studies import cluster_configurations as cc
from coalloc_lib.studies import response_lines
from coalloc_lib.studies.cluster_configurations import LINES, BreakEven, study
from coalloc_lib.studies.core import Results, Scale
from coalloc_lib.studies.published import load_claims
from coalloc_lib.studies.response_lines import Line
from tests.studies.small import SMALL

TINY = SMALL[study.name]
SEED = np.random.SeedSequence(1, spawn_key=(0,))


def shifted(result, change):
    """Return results whose maximal utilizations `change` makes; a lower one is slower too."""
    found = dict(result.results.by_case)
    for case in set(LINES.values()) & set(found):
        old, names = found[case], [name for name in LINES if LINES[name] == case]
        busy = Sample(change(names, old.max_utilization.values))
        slow = 3 if busy.mean < old.max_utilization.mean else 1
        at = {load: Sample(slow * times.values) for load, times in old.at.items()}
        found[case] = replace(old, max_utilization=busy, at=at)
    return Results(study, TINY, 1, found)


def moved(part, by):
    return lambda names, values: values + by * any(part in name for name in names)


def turned(begin):
    return lambda names, values: 1.2 - values if any(n.startswith(begin) for n in names) else values


def notices(figure, results):
    return study.figures[figure].when(results.table(figure))


def test_points_lie_below_the_maximum_which_is_exact_where_a_formula_is(result):
    exact = set()
    for name, line in LINES.items():
        if line not in result.results.by_case:  # ordered and small first, where no figure has it
            continue
        found = result.results[line]
        bound = found.curve.maximum.interval
        asked = [share * bound.estimate for share in TINY.shares]
        points = found.curve.to_frame().utilization.tolist()
        assert points == [load for load in asked if load < bound.low]
        assert {*found.at} == {u for u in cc.COMPARED if u < bound.low}
        if found.curve.maximum.method == "exact":
            exact.add(name)
            assert student(found.max_utilization.values, confidence=0.999).contains(bound.estimate)
    assert exact == {"4×32 ordered", "64+32+2×16 ordered", "64 alone, total"}


#: By claim: what changes the lines so that the paper is less right, or more, and by figure: what
#: makes its notice untrue.
OPPOSITES = {
    "CC-1": moved("4×32", -0.6), "CC-2": moved("64 alone", -0.4),
    "CC-3": moved("8×16 first fit", 0.2), "CC-4": moved("small first", 0.6),
    "CC-5": moved("4×16+8×8 first fit", -0.3), "CC-6": moved("4×16+8×8 worst fit", -0.3),
    "CC-7": moved("worst fit", -0.3), "CC-8": moved("worst fit", 0.3), "CC-9": turned("same size"),
    "CC-11": turned("same total"), "CC-12": moved("4, worst fit", -0.3),
    "CC-14": moved("4×32 first fit", 0.05),
}  # fmt: skip
FALSE = {
    "figure3": moved("4×32", -0.6), "figure4": moved("8×16 first fit", -0.2),
    "figure5a": moved("2×32", -0.3), "figure5b": moved("small first", 0.6),
    "figure6": moved("4×32 worst fit", -0.2), "figure7": moved("4×32 worst fit", -0.8),
    "figure8": moved("worst fit", 0.2), "figure9": turned("same size"),
    "figure10": moved("4×32 worst fit", -0.3), "figure11": turned("same total"),
    "figure12": moved("4×32 worst fit", -0.3),
}  # fmt: skip


@pytest.mark.parametrize("item", OPPOSITES)
def test_verdicts_follow_the_figures(item, result):
    results = result.results, shifted(result, OPPOSITES[item])
    before, after = (study.claim_row(item, each) for each in results)
    assert before.verdict != after.verdict


def test_systems_that_the_paper_does_not_print_count_elsewhere(result):
    fewer = shifted(result, moved("2×40+3×16", -0.3))
    before, after = (study.claim_row("CC-6", each) for each in (result.results, fewer))
    assert before.verdict == after.verdict
    assert "fails elsewhere: 4×32 much better than 2×40+3×16" in before.note
    assert "2×40+3×16" not in after.note


def test_mostly_jobs_of_one_component_are_to_be_left_as_they_are(result):
    first, worst = (LINES[f"same size: 75% 1, 25% 4, {rule} fit"] for rule in ("first", "worst"))
    found = result.results.by_case
    alike = Results(study, TINY, 1, {**found, worst: found[first]})
    far = shifted(result, moved("75% 1, 25% 4, worst", 0.1))
    failed = [study.claim_row("CC-10", r).verdict == "does not hold" for r in (alike, far)]
    assert failed == [False, True]


def test_a_line_is_alike_where_it_is_moved_a_little(result):
    """A response that is a tenth longer is much at a light load, and little near saturation."""
    by = Interval(0.1, 0.09, 0.11, 9)
    lines = Sample([0.0, 0.0]), Interval(0.0, -0.001, 0.001, 9)
    near, light = (cc.Comparison(*lines, {load: by}, 0.85) for load in (0.8, 0.3))
    assert (near.alike(), light.alike()) == (True, False)


@pytest.mark.parametrize(
    ("times", "loads", "better"),
    [(1.001, cc.COMPARED, True), (2, cc.COMPARED, False), (1.1, [0.3], False)],
)
def test_more_load_is_not_better_where_responses_are_slower(result, times, loads, better):
    """Paired intervals can tell a thousandth apart, which is no reason to call a line worse."""
    one, other = LINES["4×32 worst fit"], LINES["64+32+2×16 worst fit"]
    theirs = result.results[other].at
    slow = {load: Sample(theirs[load].values * times) for load in loads if load in theirs}
    mine = replace(result.results[one], at=result.results[one].at | slow)
    found = Results(study, TINY, 1, {**result.results.by_case, one: mine})
    assert cc.compare(found, "4×32", "64+32+2×16", "{} worst fit").better() is better


def test_service_times_scale_with_alpha(result, monkeypatch):
    case, replaced = cc.Stretched(1.25), co.JobStream.replace
    assert 0 < result.results[case] < cc.EXACT

    def wrong(jobs, submit, runtime):
        return replaced(jobs, submit=submit, runtime=1.05 * runtime)

    monkeypatch.setattr(co.JobStream, "replace", wrong)
    off = case.measure(TINY, SEED)
    row = study.claim_row("CC-13", Results(study, TINY, 1, {**result.results.by_case, case: off}))
    assert off > 0.01
    assert (row.verdict, row.reproduced) == ("does not hold", off)


def test_runs_in_doubt_decide_nothing_and_leave_figures_without_their_notice(result):
    found = dict(result.results.by_case)
    for case in set(LINES.values()) & set(found):
        at = {u: replace(times, warning="three jobs") for u, times in found[case].at.items()}
        busy = replace(found[case].max_utilization, warning="three jobs")
        found[case] = replace(found[case], max_utilization=busy, at=at)
    doubtful = Results(study, TINY, 1, found)
    rows = [study.claim_row(item, doubtful) for item in load_claims(study.name)]
    # CC-13 compares jobs, not means.
    undecided = {row.item for row in rows if row.verdict == "undecided"}
    assert undecided == {f"CC-{number}" for number in (*range(1, 13), 14)}
    assert not any(notices(name, doubtful) for name in FALSE)


def test_a_part_of_the_processors_has_all_of_the_load():
    """A quarter of 128 processors is half of what 64 alone can do."""
    alone = LINES["64 alone, total"].scenario
    scale = Scale(jobs=1000, replications=2, shares=(0.5,), precision=0.5, most_jobs=400)
    (point,) = Line(alone, 128).measure(scale, SEED).curve.points
    how = {"precision": 0.5, "jobs": 400, "most_jobs": 400, "seed": SEED}
    expected = response_point(alone, 2 * point.utilization, **how)
    assert point.response.estimate == expected.response.estimate


def test_loads_that_past_saturation_have_no_response(monkeypatch):
    """Neither a point nor a comparison stands within the interval of the maximal utilization."""
    busy = np.array([[0.5], [0.7]])
    monkeypatch.setattr(response_lines, "replicated_traffic", lambda *_, **__: (busy, ""))
    scale = Scale(jobs=400, replications=2, shares=(0.1, 1.0), precision=0.5, most_jobs=400)
    found = replace(LINES["4×32 first fit"], compared=(0.3,)).measure(scale, SEED)
    assert found.curve.maximum == Bound(student(busy[:, 0]), "simulation")
    assert found.curve.maximum.interval.low < 0
    assert (found.curve.points, found.at) == ([], {})


@pytest.mark.parametrize("name", FALSE)
def test_notices_follow_the_lines(name, result):
    # By 3.2 points worst fit is worse on 8×16, too near to 3 for runs this small.
    assert notices(name, shifted(result, moved("8×16 worst fit", -0.01)))
    assert not notices(name, shifted(result, FALSE[name]))
    table = shifted(result, moved("8×16 worst fit", -0.01)).table(name)
    mine = table[:1].assign(label="mine", gain=np.nan)
    assert not any(map(study.figures[name].when, (table[:0], pd.concat([table, mine]))))


def spread(clusters, sizes, components, **parts):
    model = co.JobModel(co.parse_sizes(sizes), components)
    return co.Scenario(co.Multicluster(clusters), model, **parts)


@pytest.mark.parametrize(
    ("clusters", "sizes", "components", "penalty"),
    [
        # Six jobs of 4 × 5 beside each other keep 120 of 128 busy; whole, one of 20 a cluster, 80.
        ([32] * 4, "U[5,5]", 4, 0.5),
        # A whole job of 18 wastes 14 of 32; spread over both clusters three run, 54 of 64.
        ([32, 32], "U[9,9]", 2, 0.5),
        # Spread jobs of 2 × 3 leave 2 of each 8; a whole job of 6 does too.
        ([8, 8], "U[3,3]", 2, 0.0),
        # One job fills the small cluster; whole, one of 6 fits no other.
        ([6, 3], "U[3,3]", 2, 0.0),
    ],
)
@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(50)])
def test_jobs_of_one_size_break_even_where_counting_says(
    clusters, sizes, components, penalty, policy
):
    case = BreakEven(spread(clusters, sizes, components, scheduling=policy))
    np.testing.assert_allclose(case.measure(TINY, 1).values, penalty, atol=1e-3)


def test_a_reader_adds_points_and_panels(result):
    figure, whole = result.figure("break-even"), result.figure("break-even").data()
    for sizes, policy in (("U[1,8]", co.FCFS()), ("U[1,4]", co.FCFS()), ("U[1,4]", co.FPFS(1))):
        figure.add("mine", spread([16, 16], sizes, 2, scheduling=policy))
    table = figure.run().data()
    assert {*table["panel"]} == {*cc.POLICIES, "FPFS(max_jumps=1)"}
    assert table.query("line == 'mine'")["share"].tolist() == [9 / 16, 5 / 16, 5 / 16]
    pd.testing.assert_frame_equal(table[table["line"] != "mine"], whole)
    mine = whole[:1].assign(line="mine", penalty=9.0, ci95_low=8.0, ci95_high=10.0)
    assert not figure.when(pd.concat([whole, mine]))


def test_the_notice_of_when_it_pays_follows_the_numbers(result):
    table, when = result.figure("break-even").data(), study.figures["break-even"].when
    assert when(table)
    assert not when(table.assign(warning="too few jobs"))
    other = table.copy()
    other.loc[other["line"] == "2×32", ["penalty", "ci95_low", "ci95_high"]] = 0.5
    assert not when(other)
    assert not when(table.assign(ci95_high=0.6))  # which of them is most is not certain
