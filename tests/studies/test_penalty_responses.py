"""Response times by group of sizes, what a group loses by splitting, and from which penalty on."""

from functools import partial

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.curves import RISING
from coalloc_lib.inference import Sample, student
from coalloc_lib.saturation import WARM_UP
from coalloc_lib.seeds import spawn
from coalloc_lib.studies.communication_penalty import responses
from coalloc_lib.studies.communication_penalty.parameters import ABOVE, SIZES, WHOLE, scenario
from coalloc_lib.studies.communication_penalty.responses import (
    GROUPS,
    NAMES,
    Responses,
    Size,
    group_means,
    lost,
    respond,
    size_groups,
)
from coalloc_lib.studies.communication_penalty.thresholds import thresholds
from coalloc_lib.sweep import sweep
from coalloc_lib.workloads.models import JobModel, SplitJobs

TINY = Size(jobs=4000, runs=6)
SPLIT = WHOLE.with_(above=ABOVE)


def test_the_groups_are_those_of_the_paper_and_have_these_shares():
    """From D(0.85) on [1, 19] with 1, 2, 4, 8 and 16 of threefold weight, as its tables print."""
    assert list(GROUPS.values()) == [(1, 1), (2, 3), (4, 6), (7, 19)]
    assert NAMES == ("stream", "S1", "S2", "S3", "S4")
    weights = {size: (3 if size in (1, 2, 4, 8, 16) else 1) * 0.85**size for size in range(1, 20)}
    total = sum(weights.values())
    shares = [
        sum(weights[size] for size in range(least, most + 1)) / total
        for least, most in GROUPS.values()
    ]
    found = [SIZES.probabilities[least : most + 1].sum() for least, most in GROUPS.values()]
    np.testing.assert_allclose(found, shares, rtol=1e-12)
    assert sum(found) == pytest.approx(1)
    # No other ends lie nearer to the quarters.
    cumulative = np.cumsum(SIZES.probabilities)
    for quarter, (_, end) in zip((0.25, 0.5, 0.75), GROUPS.values(), strict=False):
        assert abs(cumulative[end] - quarter) == min(abs(cumulative - quarter))


@pytest.mark.parametrize(
    ("sizes", "count", "groups"),
    [
        (co.uniform(1, 8), 4, [(1, 2), (3, 4), (5, 6), (7, 8)]),
        (co.uniform(5, 8), 4, [(5, 5), (6, 6), (7, 7), (8, 8)]),
        (co.uniform(5, 8), 1, [(5, 8)]),
        (co.uniform(1, 9), 3, [(1, 3), (4, 6), (7, 9)]),
        (co.SizeDistribution.empirical([2, 2, 16, 64, 64]), 2, [(2, 2), (3, 64)]),
    ],
)
def test_groups_have_nearly_equal_shares(sizes, count, groups):
    found = size_groups(sizes, count)
    assert list(found) == [f"S{i + 1}" for i in range(count)]
    assert list(found.values()) == groups


@pytest.mark.parametrize(
    ("sizes", "count", "words"),
    [
        (co.uniform(1, 3), 4, "leave group S[1-4] of 4 empty"),
        (co.SizeDistribution([0, 0.6, 0.2, 0.1, 0.1]), 4, "leave group S1 of 4 empty"),
        (co.SizeDistribution([0, 0.1, 0.8, 0.1]), 4, "leave group S[23] of 4 empty"),
        (co.SizeDistribution([0, 0.1, 0.1, 0.8]), 3, "leave group S[123] of 3 empty"),
        (co.uniform(1, 8), 0, "count = 0"),
        (co.uniform(1, 8), 2.5, "count = 2.5"),
    ],
)
def test_a_group_that_would_be_empty_is_named(sizes, count, words):
    with pytest.raises(co.InputError, match=words):
        size_groups(sizes, count)


def test_means_by_group():
    values, sizes = np.array([1.0, 2.0, 4.0, 9.0]), np.array([1, 2, 3, 19])
    means = group_means(values, sizes, {"small": (1, 1), "middle": (2, 3), "large": (4, 19)})
    assert means == {"stream": 4.0, "small": 1.0, "middle": 3.0, "large": 9.0}
    with pytest.raises(co.InputError, match="jobs = 4, of which none is in S3, 4 to 6; give more"):
        group_means(values, sizes, GROUPS)


def test_a_run_too_short_for_its_groups_is_refused():
    with pytest.raises(co.InputError, match=r"none is in S[1-4]"):
        respond(scenario(20), 0.5, Size(jobs=3, runs=2), seed=1)


def test_means_are_those_of_the_runs_after_the_warm_up():
    """Against the schedules one by one, and groups weighted by their jobs make the stream."""
    found = respond(scenario(5, SPLIT), 0.5, TINY, seed=2)
    assert not found.saturated
    assert list(found.means) == list(NAMES)
    first = int(WARM_UP * TINY.jobs)
    for run, seed in enumerate(spawn(2, TINY.runs)):
        schedule = scenario(5, SPLIT).simulate(TINY.jobs, load=0.5, seed=seed)
        response, sizes = schedule.response[first:], schedule.jobs.processors[first:]
        assert found.means["stream"].values[run] == pytest.approx(response.mean())
        for name, (least, most) in GROUPS.items():
            mine = [r for r, size in zip(response, sizes, strict=True) if least <= size <= most]
            assert found.means[name].values[run] == pytest.approx(np.mean(mine))


def test_scenarios_of_one_seed_have_the_same_jobs():
    """With nothing to pay, of jobs that hardly wait, splitting changes nothing, run by run."""
    size = Size(jobs=2000, runs=4)
    whole, split = (respond(scenario(20, jobs), 0.01, size, seed=3) for jobs in (WHOLE, SPLIT))
    for name in NAMES:
        np.testing.assert_allclose(lost(split, whole, name).values, 0, atol=0.05)
    paying = respond(scenario(20, SPLIT.with_(span_penalty=0.5)), 0.01, size, seed=3)
    assert lost(paying, whole, "S4").interval.low > 0.5
    assert abs(lost(paying, whole, "S1").values).max() < 0.05


def test_a_load_that_is_not_borne_has_no_means():
    """Every job has the whole system, and pays as much again: at most a half is borne."""
    jobs = SplitJobs(JobModel(co.uniform(2, 2)), 1, 2, span_penalty=1.0)
    alone = co.Scenario(co.Multicluster([1, 1]), jobs)
    size, groups = Size(jobs=4000, runs=4), {"S1": (2, 2)}
    low, high = (respond(alone, load, size, 1, groups) for load in (0.4, 0.501))
    assert (low.saturated, high.saturated) == (False, True)
    np.testing.assert_allclose(low.borne.values, 0.5)
    np.testing.assert_array_equal(low.borne.values, high.borne.values)
    np.testing.assert_array_equal(low.means["S1"].values, low.means["stream"].values)


def test_responses_that_still_rise_are_in_doubt(monkeypatch):
    """Past saturation, were it not known, each second half is slower than the first."""
    bears = np.full((6, 3), 2.0)
    monkeypatch.setattr(responses, "replicated_traffic", lambda *_, **__: (bears, ""))
    assert respond(scenario(20), 1.3, TINY, seed=1).means["S2"].doubt == RISING
    assert respond(scenario(20), 0.3, TINY, seed=1).means["S2"].doubt == ""
    monkeypatch.setattr(responses, "replicated_traffic", lambda *_, **__: (bears, "few jobs"))
    assert respond(scenario(20), 0.3, TINY, seed=1).means["S2"].doubt == "few jobs"


def made_up(borne, means=None, doubt=""):
    """Responses of two runs."""
    samples = {name: Sample(np.array(values)) for name, values in (means or {}).items()}
    return Responses(Sample(np.array(borne), doubt), samples)


def test_what_is_lost_in_its_three_cases():
    whole = made_up([0.80, 0.82], {"S1": [10.0, 12.0], "stream": [20.0, 22.0]})
    split = made_up([0.70, 0.73], {"S1": [9.0, 13.5], "stream": [25.0, 26.0]})
    full, fuller = made_up([0.60, 0.62]), made_up([0.55, 0.56], doubt="short")
    assert lost(split, whole, "S1").values.tolist() == [-1.0, 1.5]
    assert lost(split, whole, "stream").values.tolist() == [5.0, 4.0]
    assert lost(full, whole, "S1").values.tolist() == [np.inf, np.inf]
    assert lost(fuller, whole, "S1").doubt == lost(fuller, full, "S1").doubt == "short"
    np.testing.assert_allclose(lost(fuller, full, "S1").values, [0.05, 0.06])
    np.testing.assert_allclose(lost(split, full, "S1").values, [-0.10, -0.11])


def test_an_infinite_loss_is_in_doubt_where_the_whole_jobs_may_bear_no_more():
    """Both bear about the load, and only for the whole jobs it is certain."""
    whole = made_up([0.80, 0.82], {"S1": [10.0, 12.0]})
    near = made_up([0.76, 0.84])
    assert lost(near, whole, "S1").values.tolist() == [np.inf, np.inf]
    assert lost(near, whole, "S1").doubt == responses.UNCERTAIN
    assert lost(made_up([0.79, 0.81]), whole, "S1").doubt == ""


def test_the_loss_rises_with_the_penalty_up_to_infinity():
    whole = respond(scenario(20), 0.6, TINY, seed=1)
    losses = [
        lost(respond(scenario(20, SPLIT.with_(span_penalty=psi)), 0.6, TINY, 1), whole, "S4").mean
        for psi in (0.0, 0.2, 0.5, 2.0)
    ]
    assert losses == sorted(losses)
    assert losses[0] < 0 < losses[2] < losses[3] == np.inf


@pytest.fixture(scope="module")
def found():
    """Thresholds of a tiny run on one worker and on two."""
    one = partial(thresholds, max_jumps=20, size=TINY)
    grid = {"load": [0.6, 0.95], "splitting": ["floor", "ceiling"]}
    return [sweep(one, grid, seed=4, workers=workers) for workers in (None, 2)]


def test_one_worker_and_two_find_the_same(found):
    one, two = found
    assert list(one) == list(two)
    for name in one:
        np.testing.assert_array_equal(one[name].to_numpy(), two[name].to_numpy())


def test_thresholds_hold_the_loss_at_zero():
    """Beyond the ends of an interval, though not at once, the paired loss has a sign."""
    row = thresholds(0.6, 20, "floor", TINY, seed=1)
    assert not row["saturated"]
    low, high = row["S4 low"], row["S4 high"]
    assert 0 < low < row["S4 estimate"] < high < 0.6
    whole = respond(scenario(20), 0.6, TINY, seed=1)

    def loss(psi):
        paying = respond(scenario(20, SPLIT.with_(span_penalty=psi)), 0.6, TINY, seed=1)
        return lost(paying, whole, "S4").interval

    assert loss(low - 0.05).high < 0
    assert loss(row["S4 estimate"]).contains(0)
    assert loss(high + 0.05).low > 0


def test_past_saturation_all_groups_have_one_threshold(found):
    """There both sides' response times grow without end, the faster the less is borne."""
    table = found[0].set_index(["load", "splitting"])
    full = table.loc[0.95]
    assert full["saturated"].all()
    assert not table.loc[0.6]["saturated"].any()
    for column in ("estimate", "low", "high", "doubted"):
        for name in NAMES:
            np.testing.assert_array_equal(full[f"{name} {column}"], full[f"stream {column}"])


def test_the_threshold_past_saturation_is_where_both_bear_the_same():
    """On common random numbers, by the saturated runs themselves."""
    row = thresholds(0.95, 20, "floor", TINY, seed=1)
    whole = respond(scenario(20), 0.95, TINY, seed=1).borne
    psi = row["stream estimate"]
    assert 0 < psi < 0.6
    split = respond(scenario(20, SPLIT.with_(span_penalty=psi)), 0.95, TINY, seed=1).borne
    assert student(whole.values - split.values).contains(0)
