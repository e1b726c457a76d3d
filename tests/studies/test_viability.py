"""Where splitting pays: theory at a vanishing load, hand-made responses, thresholds and cases."""

import numpy as np
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.curves import RISING
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.placement import SingleThenSpan, WorstFit
from coalloc_lib.seeds import spawn
from coalloc_lib.studies.communication_penalty import cases
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
from coalloc_lib.studies.communication_penalty.served import Served, measure_served
from coalloc_lib.studies.communication_penalty.threshold_figure import Threshold
from coalloc_lib.studies.communication_penalty.thresholds import break_even
from coalloc_lib.studies.measurements import Scale
from coalloc_lib.sweep.keys import describe
from tests.studies.made_up_changes import MUCH, NOISE, SATURATED, responded, split_jobs

SMALL = Scale(jobs=800, replications=4)


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


def test_the_same_jobs_whole_are_made_once_and_do_not_count_as_another_point():
    """Maps ask for them in each cell and group."""
    entry, untouched = split_jobs(), split_jobs()
    assert entry.whole is entry.whole
    assert entry.whole.whole == entry.whole
    assert entry == untouched
    assert describe(entry) == describe(untouched)


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
