"""The second study: curves below their ends, and verdicts that could say the opposite."""

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import Interval, Replications, groups_of, pick, sample, student
from coalloc_lib.statistics.curves import response_point
from coalloc_lib.statistics.settling import SETTLES
from studies.cluster_configurations import BreakEven, Setting, claims, runs, study
from studies.cluster_configurations.curves import LINE
from studies.cluster_configurations.figures import PANELS
from studies.cluster_configurations.model import (
    ALMOST_UNCHANGED,
    ALONE,
    COMPARED,
    EXACT,
    FIRST_FIT,
    FOUR_COMPONENTS,
    HIGH,
    LOW,
    MODERATE,
    MOSTLY_ONE,
    ONE_COMPONENT,
    ORDERED,
    PRINTED,
    STANDARD,
    TOTAL,
    UNORDERED,
    WORST_FIT,
    of_one_total,
)
from studies.cluster_configurations.runs import (
    AT_LOAD,
    BREAK_EVEN,
    CURVE,
    EXACT_END,
    POINT,
    PRINTED_TABLE,
    SATURATED,
    SPANS,
    STRETCHED,
    WHOLE,
    Stretched,
    measure,
)
from studies.published import load_claims
from studies.study import Scale
from tests.studies.small import SMALL

TINY = SMALL[study.name]
SEED = np.random.SeedSequence(1, spawn_key=(0,))
#: Claims that compare jobs, not means.
OF_JOBS = {"CC-13"}
#: Claims that rest on a word of the paper, and which word it is that turns them first, or may.
WORDS = {
    "CC-1": {"much"},
    "CC-3": {"similar", "slightly"},
    "CC-10": {"visible", "little"},
    "CC-12": {"almost unchanged"},
    "CC-14": {"similar"},
    "CC-15": {"extremely well", "very accurate"},
}


def rows_with(table, **where):
    """Return which rows have these values."""
    return table.index.isin(pick(table, kind=CURVE, **where).index)


def moved(table, by, **where):
    """Return runs in which some lines saturate so much later; or earlier, and then are slower."""
    table, lines = table.copy(), rows_with(table, **where)
    assert lines.any()
    table.loc[lines, "max_utilization"] += by
    table.loc[lines & (table["measured"] == AT_LOAD), "response"] *= 3 if by < 0 else 1
    return table


def verdict(item, table):
    return study.ask(item, table).verdict


def settles(load, end):
    """Whether the runs of a pair are long enough for a load below the end of a line."""
    jobs = TINY.high_jobs if load == HIGH else TINY.jobs
    return jobs >= SETTLES / (1 - load / end) ** 2


def test_points_lie_below_the_maximum_which_is_exact_where_a_formula_is(result):
    exact = []
    for line, rows in groups_of(pick(result.runs, kind=CURVE), LINE):
        of = {name: pick(rows, measured=name) for name in (SATURATED, EXACT_END, AT_LOAD, POINT)}
        simulated, end = (of[name]["max_utilization"] for name in (SATURATED, EXACT_END))
        bound = student(simulated) if end.empty else Interval.exact(end.item())
        asked = [share * bound.estimate for share in TINY.shares]
        points = sorted(of[POINT]["load"].unique())
        assert points == pytest.approx([load for load in asked if load < bound.low], rel=1e-12)
        compared = [load for load in COMPARED if load < bound.low and settles(load, bound.estimate)]
        assert {*of[AT_LOAD]["load"]} == {*compared}
        assert len(simulated) == TINY.replications
        if not end.empty:
            exact.append((line["system"], line["request"]))
            assert student(simulated, confidence=0.999).contains(bound.estimate)
    assert exact == [(STANDARD, ORDERED), (PRINTED, ORDERED), (ALONE, TOTAL)]


def test_a_figure_has_the_numbers_of_its_runs(result):
    """By hand: 8×16 under worst fit, against first fit on the same jobs."""
    table = result.figure("figure6").data().query("label == '8×16'")
    eight = pick(result.runs, kind=CURVE, system="8×16")
    worst, first = (
        sample(pick(eight, measured=SATURATED, placement=placement), "max_utilization")
        for placement in (WORST_FIT, FIRST_FIT)
    )
    gain = student(worst.values - first.values)
    columns = ["maximal_utilization", "beside", "gain", "gain_low", "gain_high"]
    expected = worst.mean, first.mean, gain.estimate, gain.low, gain.high
    assert table[columns].drop_duplicates().to_numpy() == pytest.approx(np.array([expected]))
    points = pick(eight, measured=POINT, placement=WORST_FIT)
    assert table["response"].tolist() == pytest.approx(
        points.groupby("load")["response"].mean().tolist()
    )


#: By claim: how much later some lines saturate, and which, so that the paper is wrong, or right.
OPPOSITES = {
    "CC-1": (-0.6, {"system": STANDARD}),
    "CC-2": (-0.4, {"system": ALONE}),
    "CC-3": (0.2, {"system": "8×16", "placement": FIRST_FIT}),
    "CC-9": (0.3, {"jobs": FOUR_COMPONENTS}),
    "CC-10": (-0.3, {"jobs": FOUR_COMPONENTS, "placement": WORST_FIT}),
    "CC-11": (0.3, {"jobs": of_one_total(MOSTLY_ONE)}),
    "CC-12": (-0.3, {"jobs": FOUR_COMPONENTS, "placement": WORST_FIT}),
    "CC-18": (0.3, {"jobs": of_one_total(ONE_COMPONENT)}),
    "CC-23": (0.3, {"jobs": of_one_total(ONE_COMPONENT)}),
}


@pytest.mark.parametrize("item", OPPOSITES)
def test_a_claim_does_not_hold_where_lines_lie_elsewhere(item, result):
    by, lines = OPPOSITES[item]
    assert verdict(item, result.runs) in ("holds", "undecided")
    assert verdict(item, moved(result.runs, by, **lines)) == "does not hold"


#: By claim that does not hold: how much later some lines would saturate where it did.
WOULD_HOLD = {
    # First fit does as well; and worst fit gains as much on unequal clusters.
    "CC-14 placements": (0.05, {"system": STANDARD, "placement": FIRST_FIT}),
    "CC-14 gaps": (0.04, {"system": PRINTED, "placement": WORST_FIT}),
    "CC-17": (-0.3, {"jobs": FOUR_COMPONENTS}),
}


@pytest.mark.parametrize("case", WOULD_HOLD)
def test_a_claim_holds_where_lines_lie_elsewhere(case, result):
    by, lines = WOULD_HOLD[case]
    item = case.partition(" ")[0]
    assert verdict(item, result.runs) in ("does not hold", "undecided")
    assert verdict(item, moved(result.runs, by, **lines)) == "holds"


def test_many_components_are_asked_of_one_distribution_and_of_one_total(result):
    """Of one total, jobs of one component are moved above those of four, or below."""
    one_total = {"jobs": of_one_total(ONE_COMPONENT)}
    assert verdict("CC-17", moved(result.runs, -0.6, **one_total)) == "undecided"
    assert verdict("CC-17", moved(result.runs, 0.3, jobs=FOUR_COMPONENTS)) == "does not hold"
    note = study.ask("CC-17", result.runs).note.lower()
    assert "the components have the same distribution:" in note
    assert "the jobs have the same total size:" in note


@pytest.mark.parametrize("request_type", [TOTAL, UNORDERED])
def test_formulas_are_accurate_where_simulated_losses_are_near_them(request_type, result):
    """Near each cell's formula, and further off in cells of one cluster or of four."""
    table = result.runs.copy()
    printed = table["kind"] == PRINTED_TABLE
    simulated = printed & (table["method"] == "simulation")
    for _, cell in groups_of(table[printed], ["table", "component_sizes", "request", "clusters"]):
        known = cell.loc[cell["method"] != "simulation", "capacity_loss"].iloc[0]
        runs_of_cell = cell.index[cell["method"] == "simulation"]
        table.loc[runs_of_cell, "capacity_loss"] = known + 0.001
    table.loc[simulated, "warning"] = ""
    assert verdict("CC-15", table) == "holds"
    table.loc[simulated & (table["request"] == request_type), "capacity_loss"] += 0.04
    assert verdict("CC-15", table) == "does not hold"


def test_a_claim_that_rests_on_a_word_has_a_cut_off(result):
    rows = {item: study.ask(item, result.runs) for item in load_claims(study.name)}
    found = {item: row.cut_off.partition(":")[0] for item, row in rows.items() if row.cut_off}
    of_words = {item: word for item, word in found.items() if item in WORDS}
    assert of_words["CC-1"] == "much"
    assert all(word in WORDS[item] for item, word in of_words.items())
    # A claim that only the meaning of its word decides is undecided, and says so.
    left = {item: rows[item] for item in WORDS.keys() - of_words.keys()}
    assert all(row.verdict == "undecided" for row in left.values())
    assert "The verdict depends on the paper's word 'similar'" in rows["CC-14"].note


def test_mostly_jobs_of_one_component_are_to_be_left_as_they_are(result):
    """Runs under worst fit that are those under first fit, and such that are far from them."""
    table = result.runs.copy()
    worst, first = (rows_with(table, jobs=MOSTLY_ONE, placement=p) for p in (WORST_FIT, FIRST_FIT))
    copied = table[first].assign(placement=WORST_FIT)
    alike = pd.concat([table[~worst], copied], ignore_index=True)
    far = moved(table, 0.1, jobs=MOSTLY_ONE, placement=WORST_FIT)
    failed = [verdict("CC-10", each) == "does not hold" for each in (alike, far)]
    assert failed == [False, True]


def test_a_claim_is_asked_at_all_placements_and_policies_that_were_run(result):
    """Moved under worst fit alone, the order of the jobs turns there and nowhere else."""
    where = {"jobs": FOUR_COMPONENTS, "placement": WORST_FIT}
    turned = moved(result.runs, 0.3, **where)
    assert verdict("CC-9", turned) == verdict("CC-9", result.runs)
    assert study.ask("CC-9", turned, placement=WORST_FIT).verdict == "does not hold"
    by_other = pick(result.runs, kind=CURVE).assign(policy="FPFS(50)")
    both = pd.concat([result.runs, by_other], ignore_index=True)
    note = study.ask("CC-2", both).note
    assert "also holds at the one other setting" in note.lower()


def test_a_line_is_alike_where_it_is_moved_a_little():
    """A response that is a tenth longer is much at a light load, and little near saturation."""
    by = Interval(0.1, 0.09, 0.11, 9)
    near, light = (
        claims.Advantage(Replications([-0.001, 0.0, 0.001]), {load: by}, 0.85)
        for load in (0.8, 0.3)
    )
    answers = [change.alike(ALMOST_UNCHANGED).answer for change in (near, light)]
    assert answers == [True, False]


@pytest.mark.parametrize(
    ("times", "loads", "better"),
    [(1.001, COMPARED, True), (2, COMPARED, False), (1.1, [0.3], False)],
)
def test_more_load_is_not_better_where_responses_are_slower(result, times, loads, better):
    """Paired intervals can tell a thousandth apart, which is no reason to call a line worse."""
    table = pick(result.runs, kind=CURVE, request=UNORDERED, placement=WORST_FIT).copy()
    of_four = pick(table, jobs=FOUR_COMPONENTS)
    one, other = (
        pick(of_four, measured=AT_LOAD, system=system).set_index(["load", "replication"])
        for system in (STANDARD, PRINTED)
    )
    slow = times * other["response"].reindex(one.index)
    changed = slow.notna() & one.index.isin(loads, level="load")
    rows = pick(of_four, measured=AT_LOAD, system=STANDARD).index[changed]
    of_four.loc[rows, "response"] = slow[changed].to_numpy()
    assert len(rows)
    assert claims.compare_systems(of_four, STANDARD, PRINTED).better() is better


def test_a_load_that_saturates_a_line_cannot_be_asked(result):
    table = result.runs
    high = rows_with(table, system="8×16") & (table["load"] == 0.8)
    assert high.any()
    assert verdict("CC-3", table[~high]) == "cannot be tested"


def test_service_times_scale_with_alpha(result, monkeypatch):
    errors, replaced = pick(result.runs, kind=STRETCHED)["error"], co.JobStream.replace
    assert len(errors) == 3
    assert errors.between(0, EXACT).all()
    assert verdict("CC-13", result.runs) == "holds"

    def wrong(jobs, submit, runtime):
        return replaced(jobs, submit=submit, runtime=1.05 * runtime)

    monkeypatch.setattr(co.JobStream, "replace", wrong)
    (off,) = measure(Stretched(1.25), TINY, SEED)
    assert off["error"] > 0.01
    row = study.ask("CC-13", result.runs.assign(error=off["error"]))
    assert (row.verdict, row.reproduced) == ("does not hold", off["error"])


def test_runs_in_doubt_decide_nothing(result):
    doubtful = result.runs.assign(warning="three jobs")
    verdicts = {item: verdict(item, doubtful) for item in load_claims(study.name)}
    assert "holds" not in {each for item, each in verdicts.items() if item not in OF_JOBS}
    assert {item for item, each in verdicts.items() if each != "undecided"} == OF_JOBS


def scale_of(**how):
    """Return a scale for one line."""
    small = {"jobs": 400, "high_jobs": 400, "replications": 2, "precision": 0.5, "most_jobs": 400}
    return Scale(**small | how)


def test_a_load_at_which_runs_are_too_short_is_not_compared():
    """Four clusters saturate at .847 under first fit: load .8 takes 26,000 jobs to settle."""
    loads = {}
    for high_jobs in (5_000, 60_000):
        scale = scale_of(shares=(), jobs=5_000, high_jobs=high_jobs)
        rows = pd.DataFrame(measure(Setting(STANDARD), scale, SEED))
        loads[high_jobs] = [*pick(rows, measured=AT_LOAD)["load"].unique()]
    assert loads == {5_000: [LOW, MODERATE], 60_000: [*COMPARED]}


def test_a_part_of_the_processors_has_all_of_the_load():
    """A quarter of 128 processors is half of what 64 alone can do."""
    alone = Setting(ALONE, None, request=TOTAL)
    scale = scale_of(shares=(0.5,), jobs=1000)
    rows = pd.DataFrame(measure(alone, scale, SEED))
    points = pick(rows, measured=POINT)
    (load,) = points["load"].unique()
    exact = pick(rows, measured=EXACT_END)["max_utilization"].item()
    assert load == pytest.approx(0.5 * exact)
    assert exact == pytest.approx(
        0.5 * co.max_utilization_by_simulation(alone.scenario).max_utilization
    )
    how = {"precision": 0.5, "jobs": 400, "most_jobs": 400, "seed": SEED}
    assert points["response"].tolist() == [*response_point(alone.scenario, 2 * load, **how).means]


def test_loads_past_saturation_have_no_response(monkeypatch):
    """Neither a point nor a comparison stands within the interval of the maximal utilization."""
    busy = np.array([[0.5], [0.7]])
    monkeypatch.setattr(runs, "replicated_traffic", lambda *_, **__: (busy, ""))
    scale = scale_of(shares=(0.1, 1.0))
    rows = pd.DataFrame(measure(Setting(STANDARD), scale, SEED))
    assert student(busy[:, 0]).low < 0
    assert rows["measured"].tolist() == [SATURATED] * 2
    assert rows["max_utilization"].tolist() == [0.5, 0.7]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"system": "16×8"}, "^system = '16×8'"),
        ({"placement": "best"}, "^placement = 'best'"),
        ({"jobs": "5 components"}, "^jobs = "),
        ({"policy": "LIFO"}, "^policy = "),
        ({"request": ORDERED}, "give placement=None"),
        ({"jobs": co.JobModel(co.uniform(1, 4), 4, ORDERED)}, "the jobs have 'ordered'"),
    ],
)
def test_a_setting_of_unknown_words_is_refused(wrong, words):
    with pytest.raises(co.InputError, match=words):
        Setting(**{"system": STANDARD} | wrong)


def made(**how):
    """Return the study at the tiny scale."""
    copied = copy(study)
    copied.scales = {"quick": TINY}
    return copied


def test_a_reader_adds_systems_and_policies_and_sees_them_in_the_figures(result):
    sixteen = co.Multicluster([8] * 16)
    mine = [Setting(sixteen, placement) for placement in (FIRST_FIT, WORST_FIT)]
    mine += [Setting(STANDARD, co.BestFit()), Setting("8×16", policy=co.FPFS(5))]
    mine += [Setting(STANDARD, jobs=co.JobModel(co.uniform(1, 4), 4))]
    after = study.judge(made().add(result.runs, *mine, workers=1))
    more = {}
    for name in ("figure3", "figure4", "figure5a", "figure6", "figure8", "figure9"):
        labels = (set(each.figure(name).data()["label"]) for each in (after, result))
        more[name] = set.difference(*labels)
    assert more["figure4"] == {"16 × 8", "8×16, FPFS(max_jumps=5)"}
    assert more["figure6"] == {"16 × 8"}
    assert more["figure9"] == {"4 × U[1,4], unordered, Exponential(mean=1.0)"}
    assert more["figure3"] == more["figure5a"] == more["figure8"] == set()
    assert after.figure("figure4").plot().axes
    gain = after.figure("figure6").data().set_index("label").loc["16 × 8", "gain"]
    assert np.isfinite(gain).all()


# --- Break-even penalties ---


def spread(clusters, sizes, components, policy=None):
    model = co.JobModel(co.parse_sizes(sizes), components)
    return BreakEven("mine", co.Multicluster(clusters), model, policy or co.FCFS())


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
    rows = pd.DataFrame(measure(spread(clusters, sizes, components, policy), TINY, SEED))
    ends = {way: pick(rows, way=way)["max_utilization"].to_numpy() for way in (SPANS, WHOLE)}
    np.testing.assert_allclose(ends[SPANS] / ends[WHOLE] - 1, penalty, atol=1e-3)


def test_a_reader_adds_points_and_panels_to_break_even(result):
    whole = result.figure("break-even").data()
    mine = [spread([16, 16], "U[1,8]", 2), spread([16, 16], "U[1,4]", 2)]
    mine += [replace(mine[1], policy=co.FPFS(1))]
    table = study.judge(made().add(result.runs, *mine, workers=1)).figure("break-even").data()
    assert {*table["panel"]} == {*PANELS.values(), "FCFS()", "FPFS(max_jumps=1)"}
    assert table.query("line == 'mine'")["share"].tolist() == [9 / 16, 5 / 16, 5 / 16]
    pd.testing.assert_frame_equal(table[table["line"] != "mine"], whole)


def test_a_penalty_is_the_mean_of_the_ratios(result):
    """By hand, from the runs of one point."""
    row = result.figure("break-even").data().iloc[0]
    point = pick(result.runs, kind=BREAK_EVEN, line=row["line"], sizes=row["sizes"], policy="FCFS")
    spanning, whole = (sample(point, "max_utilization", way=way).values for way in (SPANS, WHOLE))
    by_hand = student(spanning / whole - 1)
    expected = by_hand.estimate, by_hand.low, by_hand.high
    assert row[["penalty", "ci95_low", "ci95_high"]].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("jobs", "words"),
    [
        (co.JobModel(co.uniform(1, 9), 4), "up to 36 processors, but the"),
        (co.JobModel(co.uniform(1, 4), 1), "at least two components"),
        (co.JobModel(co.uniform(1, 4), 4, "flexible"), "at least two components"),
        ("a guess", "jobs = "),
    ],
)
def test_jobs_that_cannot_break_even_are_refused(jobs, words):
    with pytest.raises(co.InputError, match=words):
        BreakEven("mine", STANDARD, jobs)
