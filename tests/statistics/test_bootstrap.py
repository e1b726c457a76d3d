"""Intervals for one log: against a queue whose mean is known, and against sums by hand."""

import importlib

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.basics.seeds import generators, spawn
from coalloc_lib.statistics import (
    DAY,
    WEEK,
    block_of,
    resample_quantiles,
    resample_sums,
    resample_weeks,
)
from tests.conftest import ROOT

LOAD, WEEKS, LENGTH = 0.5, 6, 400.0


def a_log(seed):
    """Return the response and submission times of an M/M/1 queue over several weeks."""
    jobs = co.JobModel(co.uniform(1, 1), request="total").sample(2_000, seed, rate=LOAD)
    schedule = co.simulate(co.Multicluster([1]), jobs)
    begin = jobs.submit[400]
    kept = (jobs.submit >= begin) & (jobs.submit < begin + WEEKS * LENGTH)
    return schedule.response[kept], jobs.submit[kept]


def first(means):
    return means[0]


def resampled(values, submit, weights=None, **how):
    weights = np.ones(len(submit)) if weights is None else weights
    given = {"block": LENGTH, "step": LENGTH / 7, "resamples": 300} | how
    return resample_weeks(values, weights, submit, **given)


def test_95_of_100_intervals_have_the_mean_of_the_queue():
    """Intervals that ignore the dependence of neighbouring jobs would be too narrow."""
    hits = 0
    for seed in spawn(3, 300):
        interval = resampled(*a_log(seed), seed=seed).interval(first)
        hits += interval.contains(1 / (1 - LOAD))
    assert 0.91 <= hits / 300 <= 0.98  # 95 of 100, by three standard errors
    values, submit = a_log(1)
    weeks, alone = resampled(values, submit), resampled(values, submit, block=1.0, step=1.0)
    assert weeks.resampled.std() > 1.5 * alone.resampled.std()
    # A dependence between weeks is also visible between shorter steps, so both intervals are about
    # equally long.
    widths = [each.interval(first).half_width for each in (weeks, alone)]
    assert 0.7 < widths[0] / widths[1] < 1.4


def test_the_mean_is_weighted_and_the_same_weeks_are_drawn_for_all():
    values, submit = a_log(2)
    weights = np.arange(1, len(submit) + 1)
    both, again = (resampled([values, values + 1], submit, weights, seed=1) for _ in range(2))
    assert both.means[0] == pytest.approx(np.average(values, weights=weights))
    np.testing.assert_allclose(both.resampled[:, 1] - both.resampled[:, 0], 1)
    difference = both.interval(lambda means: means[1] - means[0])
    assert difference.half_width < both.interval(first).half_width / 20
    np.testing.assert_array_equal(both.resampled, again.resampled)


def test_every_resample_is_of_whole_blocks_around_the_end():
    """Eight steps with one job each give blocks of two neighbours; the last joins the first."""
    values, submit = 10.0 ** np.arange(8), np.arange(8.0)
    found = resample_weeks(values, np.ones(8), submit, block=2, step=1, resamples=200)
    pairs = {10.0**i + 10.0 ** ((i + 1) % 8) for i in range(8)}
    sums = {sum(each) for each in np.array(np.meshgrid(*[list(pairs)] * 4)).reshape(4, -1).T}
    assert found.blocks == 4
    assert all(any(np.isclose(8 * mean, s) for s in sums) for mean in found.resampled[:5, 0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"values": np.full(2_000, np.nan)}, "job 0 in row 0 of values has the value nan"),
        ({"weights": np.zeros(2_000)}, "weights are all 0"),
        ({"weights": np.full(2_000, -1.0)}, "weights of 0 or more"),
        ({"submit": np.arange(3.0)}, "give one value and one submission time for each job"),
        ({"weights": np.ones(3)}, r"weights has the shape \(3,\) and values \(1, 2000\); give one"),
        ({"values": ["a"] * 2_000}, r"values\[0\] = 'a'; give a number"),
        (
            {"step": 1e-9},
            "step = 1e-09 divides the log into more than 1,000,000 steps; give a long",
        ),
        ({"block": 0}, "block = 0"),
        ({"block": 1_000}, "make 2 blocks of 20 days, but a bootstrap needs 4"),
    ],
)
def test_wrong_arguments_are_named(change, words):
    given = {"values": np.ones(2_000), "weights": np.ones(2_000), "submit": np.arange(2_000.0)}
    with pytest.raises(co.InputError, match=words):
        resample_weeks(**given | {"block": 100.0, "step": 50.0} | change)
    with pytest.raises(
        co.InputError, match="submit is empty; give the submission time of at least"
    ):
        resample_weeks([], [], [])
    top = np.where(np.arange(28) == 3, np.nan, 1.0)
    with pytest.raises(co.InputError, match="check that all jobs have run"):
        resample_sums(top, np.ones(28), 7)
    with pytest.raises(co.InputError, match="give both the same shape"):
        resample_sums(np.ones(28), np.ones(27), 7)
    resamples = resample_sums(np.ones(28), np.ones(28), 7)
    for interval in (lambda: resamples.interval(first, 95), lambda: resamples.difference(0, 0, 95)):
        with pytest.raises(co.InputError, match="confidence = 95; give a number between 0 and 1"):
            interval()
    submit = np.where(np.arange(2_000) == 7, np.nan, np.arange(2_000.0))
    with pytest.raises(co.InputError, match=r"submit\[7\] = nan; give a finite number"):
        resample_weeks(np.ones(2_000), np.ones(2_000), submit, block=100.0, step=50.0)


def test_a_length_of_blocks_may_be_a_whole_float():
    values, weights = np.arange(1.0, 50.0), np.ones(49)
    found = [resample_sums(values, weights, length) for length in (7, WEEK / DAY)]
    assert found[0].means.tolist() == found[1].means.tolist()
    with pytest.raises(co.InputError, match=r"^length = 7\.5; give a whole number"):
        resample_sums(values, weights, 7.5)


def test_a_block_that_is_not_a_multiple_of_the_step_is_refused():
    given = np.ones(56), np.ones(56), np.arange(56) * DAY
    for block, step in ((1.4 * DAY, DAY), (0.3 * DAY, DAY), (WEEK, 2 * DAY)):
        for call in (resample_weeks, resample_quantiles):
            values, weights, submit = given
            held = (values, 0.5 if call is resample_quantiles else weights, submit)
            with pytest.raises(co.InputError, match=r"^block = .* is not a multiple of step = "):
                call(*held, block=block, step=step)
    rounded = resample_weeks(np.ones(56), np.ones(56), np.arange(56.0), block=2.1, step=0.3)
    assert rounded.length == 7  # 2.1 / 0.3 is not exactly 7
    assert resample_weeks(*given, step=2 * DAY).length == 4  # the default is rounded


@pytest.mark.parametrize(
    ("numerators", "denominators", "words"),
    [
        (["a"] * 28, np.ones(28), r"numerators\[0\] = 'a'; give a number"),
        (np.ones(28), np.zeros(28), "denominators has a row of zeros; give each row a value"),
        (np.ones(28), np.r_[np.ones(27), -1.0], r"denominators is -1\.0 on day 27 of row 0; give"),
        (np.ones((1, 2, 28)), np.ones((1, 2, 28)), r"numerators have the shape \(1, 2, 28\) and"),
    ],
)
def test_wrong_sums_are_named(numerators, denominators, words):
    with pytest.raises(co.InputError, match=f"^{words}"):
        resample_sums(numerators, denominators, 7)


def test_values_of_three_dimensions_are_refused():
    days = np.arange(56) * DAY
    with pytest.raises(co.InputError, match=r"have the shapes .* a row of values for each"):
        resample_weeks(np.ones((2, 2, 56)), 1.0, days)


def test_the_interval_of_a_rising_function_is_the_function_of_the_interval():
    """This also holds if the function is infinite, such as a break-even out of the range."""
    means = resampled(*a_log(2))
    plain = means.interval(first)
    above = (plain.estimate + plain.high) / 2
    cut = means.interval(lambda each: np.inf if each[0] > above else each[0])
    assert (cut.estimate, cut.low, cut.high) == (plain.estimate, plain.low, np.inf)
    assert means.interval(lambda each: np.exp(each[0])).low == pytest.approx(np.exp(plain.low))
    assert means.interval(first, confidence=0.5).half_width < plain.half_width / 2
    odd = means.interval(lambda each: 9.0 if each is means.means else each[0])
    assert odd.low < odd.high == odd.estimate == 9, "the estimate lies in its interval"
    with pytest.raises(co.InputError, match="statistic is not a number"):
        means.interval(lambda means: float("nan"))


def test_resamples_in_which_no_job_counts_give_a_warning():
    """One of eight days has all of the weight, and four blocks of two days often miss it."""
    weights = np.zeros(8)
    weights[3] = 1
    found = resample_weeks(np.ones(8), weights, np.arange(8.0), block=2, step=1)
    assert "no job counts in 3" in found.interval(first).warning  # (3 / 4)^4, about 32 %
    assert not resampled(*a_log(2)).interval(first).warning


@pytest.mark.parametrize("call", [resample_weeks, resample_quantiles])
def test_a_resample_without_jobs_is_refused_if_it_is_the_only_one(call):
    """Of 1001 days only the first and the last have a job, and the resample has neither."""
    weights = [0.5] if call is resample_quantiles else [np.ones(2)]
    with pytest.raises(co.InputError, match=r"^no resample has a job with a positive weight"):
        call(np.ones(2), *weights, [0, 1000 * DAY], block=WEEK, resamples=1, seed=7)


def test_quantiles_are_those_of_the_jobs_of_the_weeks_that_are_drawn():
    """The jobs of the sampled weeks are put together; they are the weeks of the means."""
    rng = np.random.default_rng(8)
    submit = np.sort(rng.uniform(0, 35, 400))
    values = rng.exponential(1.0, (2, 400)).round(2)
    how = {"block": 7.0, "step": 1.0, "resamples": 40, "seed": 5}
    drawn = resample_quantiles(values, 0.9, submit, **how)
    day = (submit - submit.min()).astype(int)
    days = int(day.max()) + 1
    begins = generators(5, 1)[0].integers(days, size=(40, days // 7))
    jobs_of = [np.flatnonzero(day == each) for each in range(days)]
    means = resample_weeks(values, np.ones(400), submit, **how)
    for resample, row, mean in zip(begins, drawn.resampled, means.resampled, strict=True):
        jobs = np.concatenate([jobs_of[(b + i) % days] for b in resample for i in range(7)])
        np.testing.assert_allclose(mean, values[:, jobs].mean(axis=1))
        middle = int(np.ceil(0.9 * len(jobs))) - 1
        np.testing.assert_array_equal(row, np.sort(values[:, jobs], axis=1)[:, middle])
    chosen = [
        np.concatenate([jobs_of[(b + i) % days] for b in r for i in range(7)]) for r in begins
    ]
    np.testing.assert_allclose(means.resampled[:, 0], [values[0, jobs].mean() for jobs in chosen])
    np.testing.assert_array_equal(drawn.means, np.sort(values, axis=1)[:, 359])
    many = rng.exponential(1.0, (1, 20_000))
    rough = resample_quantiles(many, 0.95, np.linspace(0, 35, 20_000), **how)
    ranks = np.searchsorted(np.sort(many[0]), rough.resampled[:, 0])
    assert (abs(ranks / 20_000 - 0.95) < 0.01).all()
    with pytest.raises(co.InputError, match="but a bootstrap needs 4; give a longer log"):
        resample_quantiles(values, 0.9, submit / 2, **how)
    unknown = np.where(values > 1, np.nan, values)
    wrong = {"share = 95": (values, 95), "have the": (values[:, 1:], 0.9), "finite": (unknown, 0.9)}
    for words, given in wrong.items():
        with pytest.raises(co.InputError, match=words):
            resample_quantiles(*given, submit, **how)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_quantiles_of_a_long_log_have_no_steps(share):
    """The jobs of each resample are drawn again, and their values sorted."""
    rng = np.random.default_rng(4)
    values, day = rng.random(30_000), np.sort(rng.integers(0, 28, 30_000))
    drawn = resample_quantiles(values, share, day * DAY, resamples=30, seed=2)
    begins = generators(2, 1)[0].integers(28, size=(30, 4))
    jobs_of = [values[day == each] for each in range(28)]
    for resample, found in zip(begins, drawn.resampled[:, 0], strict=True):
        jobs = np.concatenate([jobs_of[(b + i) % 28] for b in resample for i in range(7)])
        assert found == np.quantile(jobs, share, method="inverted_cdf")


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_intervals_of_quantiles_of_a_long_log_hold(share):
    """The values are independent and uniform on [0, 1], so the quantile of each log is `share`."""
    rng = np.random.default_rng(6)
    submit = np.sort(rng.uniform(0, 8 * WEEK, 60_000))
    logs = resample_quantiles(rng.random((40, 60_000)), share, submit, resamples=200)
    intervals = [logs.of([log]).interval(first) for log in range(40)]
    hits = sum(interval.contains(share) for interval in intervals)
    assert hits >= 34  # 38 of 40, by three standard errors
    assert sum(interval.low > share for interval in intervals) <= 5


def test_blocks_are_longer_in_longer_logs():
    for weeks, block in ((3, 1), (6, 1), (15, 1), (16, 2), (40, 4), (90, 4)):
        assert block_of([0, weeks * WEEK]) == block * WEEK


def test_intervals_hold_where_weeks_depend_on_one_another():
    """A difference with mean 0 lasts for a week; 95 % of 100 intervals should contain 0."""
    submit, found = np.arange(52 * 7) * 86_400.0, {"single weeks": 0, WEEK: 0, None: 0}
    for seed in range(100):
        noise = np.random.default_rng(seed).normal(size=len(submit) + 30)
        lasting = np.convolve(noise, np.exp(-np.arange(31) / 7), "valid")
        values = np.stack([np.zeros(len(submit)), lasting])
        for block in (WEEK, None):
            means = resample_weeks(values, np.ones(len(submit)), submit, block=block)
            change = means.interval(lambda means: means[1] - means[0])
            found[block] += change.low <= 0 <= change.high
            if block:
                low, high = np.quantile(
                    means.resampled[:, 1] - means.resampled[:, 0], [0.025, 0.975]
                )
                found["single weeks"] += low <= 0 <= high
    assert found["single weeks"] < 85
    assert min(found[WEEK], found[None]) >= 89  # 95 of 100, by three standard errors


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("bench_coverage")


@pytest.mark.parametrize(("load", "weeks"), [(0.3, 12), (0.6, 12), (0.9, 12), (0.9, 52)])
def test_intervals_hold_also_near_saturation(bench, load, weeks):
    """At least 90 of 100 intervals contain the mean, also if the relaxation time is 16 days."""
    for name, (given, holds, _, width) in bench.coverage(load, weeks, 120).items():
        assert holds > 0.9 - 2 * np.sqrt(0.9 * 0.1 / 120), name
        assert given > 0.85, name
        if load < 0.7:
            assert given > 0.98, name
            assert name == "none" or width < 0.6, name


def test_a_log_that_is_too_short_for_what_happens_in_it_has_no_interval():
    """Values rise and fall with a period of eleven days, which blocks of a week cancel."""
    days = np.arange(40)
    wave = 50 + 10 * np.sin(2 * np.pi * days / 11)
    interval = resample_weeks(wave, np.ones(40), days * 86_400.0).interval(first)
    assert "the log is too short" in interval.warning
    assert interval.above(0) is None


def test_a_cycle_of_weekdays_and_weekends_widens_nothing():
    """Each block contains every day of the week, so its mean does not depend on the cycle."""
    days = np.arange(84)
    noise = 50 + np.random.default_rng(1).normal(size=84)
    cycle = 20 * np.sin(2 * np.pi * days / 7)
    one, other = (
        resample_weeks(each, np.ones(84), days * 86_400.0).interval(first)
        for each in (noise, noise + cycle)
    )
    assert (other.low, other.high) == pytest.approx((one.low, one.high))
    assert not other.warning


def test_some_figures_alone_have_the_interval_that_they_have_among_others():
    values, submit = a_log(2)
    all_three = resampled([values, values[::-1], values**2], submit)
    found, of_all = (
        each.interval(lambda means, pair=pair: means[pair[0]] - means[pair[1]])
        for each, pair in ((all_three.of([2, 0]), (0, 1)), (all_three, (2, 0)))
    )
    assert (found.low, found.high) == pytest.approx((of_all.low, of_all.high))


def test_a_difference_is_stretched_away_from_zero_and_where_signs_differ_by_itself():
    """For independent days the interval is nearly that of all rows, and symmetric in sign."""
    rng, submit = np.random.default_rng(2), np.arange(84) * 86_400.0
    one, other = rng.exponential(1.0, (2, 84))
    for apart in (0, 3):
        both = resample_weeks([one + apart, other], np.ones(84), submit)
        found, mirrored = both.difference(0, 1), both.difference(1, 0)
        assert (found.low, found.high) == pytest.approx((-mirrored.high, -mirrored.low), rel=0.05)
        of_rows = both.interval(lambda means: means[0] - means[1])
        assert found.estimate == of_rows.estimate
        assert (found.low, found.high) == pytest.approx((of_rows.low, of_rows.high), abs=0.1)
    week = np.where(submit // WEEK == 3, 40.0, 1.0)
    far = resample_weeks([week, np.ones(84)], np.ones(84), submit).difference(0, 1)
    assert far.high - far.estimate > far.estimate - far.low
