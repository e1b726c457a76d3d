"""The third study: what is measured of split jobs, and from which penalty on splitting loses."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.statistics import Replications
from coalloc_lib.statistics.settling import RISING, WARM_UP
from studies.communication_penalty import Search, Setting, model, responses, scenario
from studies.communication_penalty.model import GROUPS, NAMES
from studies.communication_penalty.responses import Responses, change, lost, respond
from studies.communication_penalty.runs import measure, search_thresholds
from studies.communication_penalty.thresholds import (
    GRID,
    find_thresholds,
    read_thresholds,
    roots_of_runs,
)
from studies.storage import table_of_runs

TINY = (4_000, 6)
SEARCH = SimpleNamespace(search_jobs=4_000, search_runs=6, search_budget=20, search_longest=40_000)
NOISE = np.array([0.99, 1.0, 1.01, 1.0])
#: Maximal utilizations: above the load for certain, and far below it.
MUCH, LITTLE = 0.95 * NOISE, 0.4 * NOISE


def split(psi=0.0, max_jumps=20, **how):
    return Setting(max_jumps, 0.6, above=10, psi=psi, **how).scenario


def made(by_group=10.0, busy=MUCH, warning=""):
    """Return responses of four runs, of a mean or of values by group."""
    values = by_group if isinstance(by_group, dict) else dict.fromkeys(NAMES, by_group * NOISE)
    return Responses(
        Replications(busy), {g: Replications(each, warning) for g, each in values.items()}
    )


FULL = Responses(Replications(LITTLE))


def thresholds_of(search):
    """Return the thresholds that are found by simulating, at the scale `SEARCH`."""
    size = SEARCH.search_jobs, SEARCH.search_runs

    def respond_at(psi):
        return respond(search.scenario(psi), search.load, size, 1, SEARCH.search_longest)

    return find_thresholds(respond_at, SEARCH.search_budget)


def test_means_are_those_of_the_runs_after_the_warm_up():
    """Against the schedules job by job, by size and, of those that are split, by penalty."""
    asked = Setting(5, 0.5, above=3, psi=0.1, spread=0.099).scenario
    jobs, runs = 2_000, 3
    found = respond(asked, 0.5, (jobs, runs), seed=2)
    assert not found.saturated
    assert set(found.response) == {*NAMES, model.ALL_SPLIT, *model.BY_PENALTY}
    first = int(WARM_UP * jobs)
    for run, seed in enumerate(spawn(2, runs)):
        schedule = asked.simulate(jobs, load=0.5, seed=seed)
        by_size = {"stream": (0, 99)} | GROUPS
        for name, (least, most) in by_size.items():
            mine = [j for j in range(first, jobs) if least <= schedule.jobs.processors[j] <= most]
            expected = schedule.response[mine].mean()
            assert found.response[name].values[run] == pytest.approx(expected, rel=1e-5)
        for name, (least, most) in ({model.ALL_SPLIT: (0, 1)} | model.BY_PENALTY).items():
            mine = [
                job for job in range(first, jobs)
                if np.count_nonzero(schedule.allocation[job]) > 1
                and least <= schedule.jobs.span_penalty[job] < most
            ]  # fmt: skip
            expected = schedule.response[mine].mean()
            assert found.response[name].values[run] == pytest.approx(expected, rel=1e-5)
            expected = schedule.wait[mine].mean()
            assert found.wait[name].values[run] == pytest.approx(expected, rel=1e-5)


def test_a_load_past_saturation_has_no_means_and_the_maximal_utilization_does_not_depend_on_it():
    asked = scenario(20, split(0.1).workload, "waiting")
    low, high = (respond(asked, load, TINY, 1) for load in (0.6, 0.95))
    assert (low.saturated, high.saturated) == (False, True)
    np.testing.assert_array_equal(low.max_utilization.values, high.max_utilization.values)
    assert low.max_utilization.mean == pytest.approx(0.87, abs=0.02)
    assert high.response == high.wait == high.first == {}


def test_a_cell_near_saturation_is_right_or_has_no_number():
    """Whole jobs under FCFS carry .80: runs of 1,000 jobs would never show their queue at .786."""

    def cell(load, psi, size, seed):
        setting = Setting(0, load, above=10, psi=psi)
        pair = setting, setting.whole
        return change(*(respond(x.scenario, load, size, seed) for x in pair), "stream")

    long = cell(0.786, 0.1, (250_000, 6), 4)
    assert long.percent.high < -40
    cells = [cell(0.786, 0.1, (1_000, 6), seed) for seed in (2008, 3)]
    known = [each for each in cells if not each.saturated]
    assert known
    for each in known:
        assert each.verdict == "gains"
        assert each.percent.low < long.percent.estimate < each.percent.high
    for load, psi, side in ((0.786, 0.4, "split"), (0.797, 0.1, "whole"), (0.797, 0.25, "both")):
        found = cell(load, psi, (1_000, 6), 2008)
        assert found.saturated == side
        assert not np.isfinite(found.percent.estimate) or found.percent.estimate == -100
    # A load that can be carried, too near the maximum for runs of the length that is allowed.
    near = respond(scenario(0), 0.75, (1_000, 6), 2008, longest=4_000)
    assert near.saturated
    assert near.max_utilization.interval.low > 0.76


def test_responses_that_still_rise_are_in_doubt(monkeypatch):
    """Past saturation, were it not known, each second half is slower than the first."""
    maximum = np.full((6, 3), 2.0)
    monkeypatch.setattr(responses, "replicated_traffic", lambda *_, **__: (maximum, ""))
    assert respond(scenario(20), 1.3, TINY, seed=91).response["S2"].warning == RISING
    assert respond(scenario(20), 0.3, TINY, seed=91).response["S2"].warning == ""
    monkeypatch.setattr(responses, "replicated_traffic", lambda *_, **__: (maximum, "few jobs"))
    assert respond(scenario(20), 0.3, TINY, seed=92).response["S2"].warning == "few jobs"
    responses._max_utilization.cache_clear()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Setting(20, np.nan, above=10), "load = nan"),
        (lambda: Setting(20, 0.5, above=10, parts=6), "can never start"),
        (lambda: Setting(20, 0.5, above=10, placement="best fit"), "placement = 'best fit'"),
        (lambda: Setting(20, 0.5, above=10, kind="search"), "kind = 'search'"),
        (lambda: Setting(20, 0.5, above=10, psi=0.1, spread=0.2), "low = -0.1"),
        (lambda: Setting(20, 0.5, psi=0.1), "above = None"),
        (lambda: Setting(-1, 0.5), "max_jumps = -1"),
        (lambda: Search(5, -1.0), "load = -1"),
        (lambda: Search(5, 0.5, "late"), "late"),
    ],
)
def test_what_cannot_be_served_is_refused(make, words):
    with pytest.raises(co.InputError, match=words):
        make()


def test_what_is_lost_in_its_three_cases():
    whole = made({"S1": np.array([10.0, 12.0])}, [0.80, 0.82])
    some = made({"S1": np.array([9.0, 13.5])}, [0.70, 0.73])
    full = Responses(Replications(np.array([0.60, 0.62])))
    fuller = Responses(Replications(np.array([0.55, 0.56]), "short"))
    assert lost(some, whole, "S1").values.tolist() == [-1.0, 1.5]
    assert lost(full, whole, "S1").values.tolist() == [np.inf, np.inf]
    assert lost(fuller, whole, "S1").warning == lost(fuller, full, "S1").warning == "short"
    np.testing.assert_allclose(lost(fuller, full, "S1").values, [0.05, 0.06])
    np.testing.assert_allclose(lost(some, full, "S1").values, [-0.10, -0.11])
    # Infinite, but perhaps the whole jobs can carry no more.
    near = Responses(Replications(np.array([0.76, 0.84])))
    assert lost(near, whole, "S1").warning == responses.UNCERTAIN
    assert lost(full, whole, "S1").warning == ""


def test_at_a_vanishing_load_a_split_job_pays_its_penalty_and_nobody_else_changes():
    whole, pays = (respond(each, 0.01, TINY, 1) for each in (scenario(0), split(0.2, 0)))
    need = split(0.2, 0, placement="at need")
    stream, largest = (change(pays, whole, name) for name in ("stream", "S4"))
    expected = 20 * model.SIZES.probabilities[11:].sum()
    assert stream.percent.estimate == pytest.approx(expected, rel=0.1)
    assert largest.percent.estimate > stream.percent.high
    for found, names in ((pays, ("S1", "S2", "S3")), (respond(need, 0.01, TINY, 1), NAMES)):
        for name in names:
            assert change(found, whole, name).percent.estimate == pytest.approx(0, abs=1e-6)


def test_a_change_is_that_of_the_geometric_mean_run_by_run():
    whole = made({"stream": 10 * np.array([1.0, 2.0, 4.0, 8.0])})
    less = made({"stream": 10 * np.array([0.5, 1.0, 2.0, 4.4])})
    found = change(less, whole, "stream")
    assert found.percent.estimate == pytest.approx(100 * (0.5**0.75 * 0.55**0.25 - 1))
    assert found.percent.low < found.percent.estimate < found.percent.high < 0
    assert found.verdict == "gains"
    assert found.ratio_columns()["ratio"] == pytest.approx(0.5**0.75 * 0.55**0.25)
    # The differences of the means tell nothing: the runs differ by too much.
    assert lost(less, whole, "stream").interval.below(0) is None


def test_the_interval_decides_and_a_doubt_does_not():
    verdicts = [change(made(mean), made(), "S2").verdict for mean in (12.0, 8.0)]
    assert verdicts == ["loses", "gains"]
    noisy = made({"S1": 10.1 * np.array([0.7, 1.0, 1.4, 0.9])})
    assert change(noisy, made(), "S1").verdict == "undecided"
    rising = change(made(15.0, warning=RISING), made(), "S1")
    assert (rising.verdict, rising.percent.warning) == ("undecided", RISING)


def test_saturation_is_told_and_not_averaged():
    found = [change(*each, "S1") for each in ((FULL, made()), (made(), FULL), (FULL, FULL))]
    told = [(each.verdict, each.saturated) for each in found]
    assert told == [("loses", "split"), ("gains", "whole"), ("both saturate", "both")]
    np.testing.assert_array_equal([each.percent.estimate for each in found], [np.inf, -100, np.nan])
    # One of the two may be saturated, and its maximal utilization is that of the other.
    near = Responses(Replications(MUCH[::-1] * NOISE))
    for both in ((near, made()), (made(), near)):
        assert change(*both, "S1").verdict == "undecided"


def test_thresholds_hold_the_loss_at_zero():
    """Beyond the ends of an interval, though not at once, the paired loss has a sign."""
    found = thresholds_of(Search(20, 0.6))
    assert found.one_run
    ends = found.by_group["S4"].interval
    assert 0 < ends.low < ends.estimate < ends.high < 0.6
    whole = respond(scenario(20), 0.6, TINY, seed=1)
    low, middle, high = (
        lost(respond(split(psi), 0.6, TINY, 1), whole, "S4").interval
        for psi in (ends.low - 0.05, ends.estimate, ends.high + 0.05)
    )
    assert low.high < 0 < high.low
    assert middle.contains(0)
    assert lost(respond(split(2.0), 0.6, TINY, 1), whole, "S4").mean == np.inf


def test_a_single_run_is_the_first_jobs_of_each():
    """Against the schedules."""
    jobs, found = responses.ONE_RUN + 1_000, respond(split(0.1), 0.5, (6_000, 3), seed=4)
    for run, seed in enumerate(spawn(4, 3)):
        schedule = split(0.1).simulate(jobs, load=0.5, seed=seed)
        kept = slice(int(WARM_UP * responses.ONE_RUN), responses.ONE_RUN)
        size, response = schedule.jobs.processors[kept], schedule.response[kept]
        assert found.first["stream"].values[run] == pytest.approx(response.mean(), rel=1e-5)
        assert found.first["S4"].values[run] == pytest.approx(response[size >= 7].mean(), rel=1e-5)


def test_the_threshold_of_a_run_is_where_its_line_first_rises_above_one():
    whole = Responses(Replications(MUCH), first={"S1": Replications(10 * NOISE)})

    def roots(ratios):
        ratios = dict(zip(GRID, ratios, strict=True))
        split = {
            psi: replace(whole, first={"S1": Replications(r * 10 * NOISE)})
            for psi, r in ratios.items()
        }
        full = {psi: FULL for psi, ratio in ratios.items() if np.isinf(ratio)}
        return roots_of_runs(split | full, whole, "S1").values

    line = np.linspace(0.7, 1.5, 9)  # above one from between the fourth place and the fifth
    np.testing.assert_allclose(roots(line), 3 * 0.075, atol=1e-12)
    np.testing.assert_allclose(roots(line + 0.05), 2.5 * 0.075)
    steep = np.where(line > 1.25, np.inf, np.minimum(line, 0.9))
    np.testing.assert_allclose(roots(steep), 5 * 0.075)
    assert roots(line + 1).tolist() == [0.0] * 4
    assert roots(line - 1).tolist() == [0.6] * 4


def test_stored_runs_have_the_thresholds_of_the_search_that_made_them():
    """All of them, to the last digit, after a table of runs was written and read."""
    search, seed = Search(20, 0.6), np.random.SeedSequence(1)
    scale = SimpleNamespace(**vars(SEARCH) | {"search_jobs": 1_000, "search_budget": 5})
    rows = [*search_thresholds(search, scale, seed)]
    stored = read_thresholds(table_of_runs([search], [rows], {"missing_logs": ""}))
    size = scale.search_jobs, scale.search_runs
    found = find_thresholds(lambda psi: respond(search.scenario(psi), 0.6, size, seed), 5)
    assert stored.by_group == found.by_group
    assert {*stored.responses} == {*found.responses}
    assert (stored.full, stored.as_printed) == (found.full, found.as_printed)
    for name in ("one_run", "at_stream"):
        ours, theirs = getattr(stored, name), getattr(found, name)
        assert ours.keys() == theirs.keys() != set()
        assert all(np.array_equal(ours[group].values, theirs[group].values) for group in ours)


def test_stored_runs_past_saturation_have_the_maximal_utilization_alone():
    scale = SimpleNamespace(jobs=1_000, runs=3)
    for load, saturated in ((0.5, False), (0.97, True)):
        setting = Setting(8, load, above=10, psi=0.1)
        rows = [*measure(setting, scale, np.random.SeedSequence(1))]
        found = responses.read_responses(table_of_runs([setting], [rows], {"missing_logs": ""}))
        asked = respond(setting.scenario, load, (1_000, 3), np.random.SeedSequence(1))
        assert found.saturated == asked.saturated == saturated
        assert not found.first  # nothing reads it of a figure
        for name in ("response", "wait"):
            ours, theirs = getattr(found, name), getattr(asked, name)
            assert ours.keys() == theirs.keys()
            assert all(np.array_equal(ours[group].values, theirs[group].values) for group in ours)
        np.testing.assert_array_equal(found.max_utilization.values, asked.max_utilization.values)


def test_single_runs_tell_the_order_of_the_groups_where_it_is_plain():
    """Jumped often at the head, S4 breaks even before the stream, and S1 hardly loses."""
    found = thresholds_of(Search(20, 0.75))
    later = found.one_run["S4"].values < found.one_run["stream"].values
    assert found.as_printed == (later & (found.one_run["S1"].values > 0.3)).mean() > 0.5
    assert found.at_stream["S4"].mean > 0 > found.at_stream["S1"].mean
    for name in ("stream", "S4"):
        inner, outer = found.by_group[name].interval, found.one_run[name].prediction
        assert outer.high - outer.low > inner.high - inner.low
    alike = thresholds_of(Search(5, 0.75, "waiting"))
    assert alike.as_printed < found.as_printed


@pytest.mark.parametrize("warnings", [("rising", ""), ("", "rising"), ("", "")])
def test_a_warning_of_either_run_of_a_mirrored_pair_is_kept(monkeypatch, warnings):
    pair = iter([replace(made(warning=each), wait=made(warning=each).response)
                 for each in warnings])  # fmt: skip
    monkeypatch.setattr(responses, "respond", lambda *_: next(pair))
    asked = Setting(5, 0.5, above=3, psi=0.1, spread=0.099).scenario
    found = responses.respond_in_mirrored_pairs(asked, 0.5, TINY, 1)
    for samples in (found.response, found.wait):
        assert {sample.warning for sample in samples.values()} == {"".join(warnings)}
