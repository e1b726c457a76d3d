import dataclasses
import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.workloads import Workload
from coalloc_lib.workloads.catalogue import load_stand_in, load_trace
from coalloc_lib.workloads.lublin import (
    DAY,
    AdaptedLublin,
    parallel_sizes,
    to_cycle_clock,
)
from coalloc_lib.workloads.swf import read_swf, write_swf

DATA = Path(__file__).parents[2] / "data" / "traces"
fit = runpy.run_path(str(DATA / "fit_model.py"))["fit"]
MODEL = AdaptedLublin(
    name="test",
    processors=64,
    serial=0.25,
    power_of_two=0.6,
    log_low=0.8,
    log_medium=4.0,
    log_high=6.0,
    low_stage=0.8,
    runtime_shape=(4.2, 80.0),
    runtime_scale=(0.9, 0.11),
    mixing_slope=-0.005,
    mixing_intercept=0.7,
    longest=50_000.0,
    gap_shape=0.5,
    gap_mean=600.0,
    daily_cycle=tuple(1 + 0.9 * np.sin(np.arange(48) / 48 * 2 * np.pi)),
    start=36_000.0,
    requested=((300.0, 0.3), (3600.0, 0.4), (43_200.0, 0.3)),
)


@pytest.fixture(scope="module")
def sample():
    return MODEL.sample(60_000, 5)


def test_sizes_are_those_of_the_two_stages():
    draws = np.random.default_rng(3)
    count = 400_000
    low = draws.random(count) < 0.8
    x = np.where(low, draws.uniform(0.8, 4, count), draws.uniform(4, 6, count))
    is_power = draws.random(count) < 0.6
    sizes = np.round(2 ** np.where(is_power, np.round(x), x)).astype(int)
    seen = np.bincount(sizes, minlength=65) / count
    exact = parallel_sizes(64, 0.6, 0.8, 4.0, 6.0, low_stage=0.8)
    assert np.abs(seen - exact).max() < 0.004
    assert exact.sum() == pytest.approx(1)


def test_sizes_above_the_machine_are_drawn_anew():
    cut = parallel_sizes(48, 0.6, 0.8, 4.0, 6.0, low_stage=0.8)
    whole = parallel_sizes(64, 0.6, 0.8, 4.0, 6.0, low_stage=0.8)
    assert len(cut) == 49
    assert cut == pytest.approx(whole[:49] / whole[:49].sum())
    assert MODEL.sizes.probabilities[1] == pytest.approx(0.25)


def test_run_times_are_a_mixture_by_size(sample):
    from scipy import stats

    for size in (1, 16):
        logs = np.log1p(sample.runtime[sample.processors == size])
        p = 0.7 - 0.005 * size

        def cdf(x, p=p):
            cut = np.log1p(MODEL.longest)
            parts = [
                stats.gamma.cdf(x, a, scale=b) / stats.gamma.cdf(cut, a, scale=b)
                for a, b in zip(MODEL.runtime_shape, MODEL.runtime_scale, strict=True)
            ]
            return p * parts[0] + (1 - p) * parts[1]

        above_rounding = logs[logs > 3]
        seen = np.mean(logs <= 3)
        assert seen == pytest.approx(cdf(3.0), abs=0.02)
        conditional = stats.kstest(above_rounding, lambda x: (cdf(x) - cdf(3)) / (1 - cdf(3)))
        assert conditional.statistic < 0.03
    assert sample.runtime.min() >= 1
    assert sample.runtime.max() <= MODEL.longest
    assert (sample.runtime == np.round(sample.runtime)).all()


def test_arrivals_follow_the_daily_cycle_and_keep_the_mean(sample):
    assert sample.submit[0] == 0
    assert (np.diff(sample.submit) >= 0).all()
    gaps = np.diff(sample.submit)
    assert gaps.mean() == pytest.approx(600, rel=4 * np.sqrt(2 / len(gaps)))
    half_hour = ((sample.submit + MODEL.start) % DAY // 1800).astype(int)
    rate = np.bincount(half_hour, minlength=48) / (len(sample) / 48)
    assert rate == pytest.approx(np.array(MODEL.daily_cycle), abs=0.25)
    assert np.corrcoef(rate, MODEL.daily_cycle)[0, 1] > 0.98


def test_the_cycle_clock_can_be_turned_back():
    instants = np.sort(np.random.default_rng(1).uniform(0, 20 * DAY, 500))
    cycle = np.array(MODEL.daily_cycle)
    there = to_cycle_clock(instants, cycle)
    assert to_cycle_clock(there, cycle, back=True) == pytest.approx(instants, abs=1e-5)
    assert (np.diff(there) > 0).all()
    assert to_cycle_clock(np.array([DAY * 3.0]), cycle) == pytest.approx([3 * DAY])
    assert not np.allclose(there, instants)


def test_requested_times_are_popular_values_that_suffice(sample):
    assert (sample.estimate >= sample.runtime).all()
    beyond = sample.runtime > 43_200
    assert (sample.estimate[beyond] == sample.runtime[beyond]).all()
    assert set(sample.estimate[~beyond]) == {300.0, 3600.0, 43_200.0}
    short = sample.runtime <= 300
    shares = [np.mean(sample.estimate[short] == value) for value in (300, 3600, 43_200)]
    assert shares == pytest.approx([0.3, 0.4, 0.3], abs=0.02)
    middle = (sample.runtime > 300) & (sample.runtime <= 3600)
    assert np.mean(sample.estimate[middle] == 3600) == pytest.approx(4 / 7, abs=0.03)


def test_a_request_may_equal_the_run_time():
    requests = MODEL._requested_times(np.full(1000, 3600.0), np.random.default_rng(2))
    assert np.mean(requests == 3600) == pytest.approx(4 / 7, abs=0.06)


def test_without_requested_times_estimates_are_exact():
    jobs = dataclasses.replace(MODEL, requested=()).sample(50, 0)
    assert (jobs.estimate == jobs.runtime).all()


def test_the_seed_decides_and_the_parameters_survive_json():
    again = AdaptedLublin.from_dict(json.loads(json.dumps(MODEL.to_dict())))
    assert again == MODEL
    one, two = (model.sample(200, 9) for model in (MODEL, again))
    other = MODEL.sample(200, 10)
    for column in ("submit", "runtime", "components", "estimate"):
        assert (getattr(one, column) == getattr(two, column)).all()
        assert (getattr(one, column) != getattr(other, column)).any()
    assert one.request == "total"


def test_it_is_a_workload(sample):
    assert isinstance(MODEL, Workload)
    error = sample.work.std() / np.sqrt(len(sample))
    assert MODEL.mean_work == pytest.approx(sample.work.mean(), abs=4 * error)
    seed = np.random.SeedSequence(5)
    assert (MODEL.sample(100, 5).runtime == MODEL.sample(100, seed).runtime).all()
    for bad in (None, -1, "5", np.random.default_rng(5)):
        with pytest.raises(InputError, match="seed = "):
            MODEL.sample(10, bad)


def test_a_rate_stretches_the_arrivals_and_nothing_else(sample):
    jobs = MODEL.sample(60_000, 5, rate=0.25)
    assert np.floor(jobs.submit * 0.25 * MODEL.gap_mean) == pytest.approx(sample.submit, abs=1)
    assert np.diff(jobs.submit).mean() == pytest.approx(4, rel=4 * np.sqrt(2 / len(jobs)))
    for column in ("runtime", "components", "estimate"):
        assert (getattr(jobs, column) == getattr(sample, column)).all()
    with pytest.raises(InputError, match="rate = 0"):
        MODEL.sample(10, 5, rate=0)


def test_a_fit_finds_the_parameters_again(tmp_path, sample):
    path = tmp_path / "model.swf"
    write_swf(path, sample, {"StartTime": "Mon Jan 1 10:00:00 UTC 2001"})
    fitted = fit(read_swf(path))
    assert fitted.serial == pytest.approx(MODEL.serial, abs=0.01)
    assert fitted.power_of_two == pytest.approx(MODEL.power_of_two, abs=0.03)
    assert fitted.log_medium == pytest.approx(MODEL.log_medium, abs=0.3)
    assert fitted.low_stage == pytest.approx(MODEL.low_stage, abs=0.05)
    for a, b, shape, scale in zip(
        fitted.runtime_shape,
        fitted.runtime_scale,
        MODEL.runtime_shape,
        MODEL.runtime_scale,
        strict=True,
    ):
        assert a * b == pytest.approx(shape * scale, rel=0.05)
    assert fitted.mixing_intercept == pytest.approx(MODEL.mixing_intercept, abs=0.05)
    assert fitted.gap_mean == pytest.approx(MODEL.gap_mean, rel=0.05)
    assert fitted.gap_shape == pytest.approx(MODEL.gap_shape, rel=0.1)
    assert np.corrcoef(fitted.daily_cycle, MODEL.daily_cycle)[0, 1] > 0.97
    assert fitted.start == MODEL.start


@pytest.mark.parametrize("name", ["CTC-SP2", "KTH-SP2"])
def test_a_fit_keeps_the_moments_of_a_real_log(real_traces, name):
    log = load_trace(name, missing="error")
    model = fit(log)
    real = log.jobs()
    drawn = model.sample(100_000, 1)
    for column in ("processors", "runtime"):
        a, b = getattr(real, column), getattr(drawn, column)
        assert b.mean() == pytest.approx(a.mean(), rel=0.05)
        assert b.std() / b.mean() == pytest.approx(a.std() / a.mean(), rel=0.05)
    assert drawn.work.mean() == pytest.approx(real.work.mean(), rel=0.05)
    committed = AdaptedLublin.from_dict(
        json.loads((DATA / f"{name.lower()}.model.json").read_text("utf-8"))
    )
    assert model.sizes.mean == pytest.approx(committed.sizes.mean, rel=0.01)
    assert model.daily_cycle == pytest.approx(committed.daily_cycle, rel=1e-8)


@pytest.mark.parametrize(("name", "seed"), [("CTC-SP2", 20031), ("KTH-SP2", 20032)])
def test_stand_ins_come_from_their_parameters_and_seed(name, seed):
    log = load_stand_in(name)
    text = (DATA / f"{name.lower()}.model.json").read_text("utf-8")
    assert json.loads(log.header["Parameters"]) == json.loads(text)
    assert log.header["Seed"] == f"numpy.random.default_rng({seed})"
    drawn = AdaptedLublin.from_dict(json.loads(text)).sample(10_000, seed)
    kept = log.jobs()
    assert (drawn.processors == kept.processors).all()
    # Another release of SciPy may round the last digit of a time to the other side.
    assert drawn.submit == pytest.approx(kept.submit, abs=1)
    assert drawn.runtime == pytest.approx(kept.runtime, abs=1)


def test_stand_ins_are_small():
    for path in DATA.glob("*"):
        assert path.stat().st_size < 300_000


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"serial": 1.5}, "serial = 1.5"),
        ({"log_low": 5.0}, "log_low, log_medium, log_high = 5.0"),
        ({"gap_mean": 0}, "gap_mean = 0"),
        ({"mixing_slope": float("nan")}, "mixing_slope = nan"),
        ({"runtime_shape": (1.0,)}, "runtime_shape has 1 values; give 2"),
        ({"daily_cycle": (1.0,) * 47 + (0.0,)}, r"daily_cycle\[47\] = 0"),
        ({"requested": ((2.0, 1.0), (1.0, 1.0))}, "requested is not increasing"),
        ({"processors": 0}, "processors = 0"),
        ({"serial": "0.5"}, "serial = '0.5'"),
        ({"log_high": None}, "log_high = None"),
        ({"daily_cycle": None}, "daily_cycle = None"),
        ({"requested": ((1.0, 1.0, 1.0),)}, "requested = .*; give pairs"),
        ({"requested": 3}, "requested = 3"),
    ],
)
def test_bad_parameters_are_named(changes, cause):
    with pytest.raises(InputError, match=cause):
        dataclasses.replace(MODEL, **changes)


def test_unknown_and_missing_parameters_are_named():
    parameters = MODEL.to_dict()
    with pytest.raises(InputError, match=r"^parameters = .*'colour'"):
        AdaptedLublin.from_dict(parameters | {"colour": 1})
    del parameters["serial"]
    with pytest.raises(InputError, match=r"^parameters = .*'serial'"):
        AdaptedLublin.from_dict(parameters)
    with pytest.raises(InputError, match=r"^parameters = None; "):
        AdaptedLublin.from_dict(None)
    with pytest.raises(InputError, match="count = 0"):
        MODEL.sample(0, 0)


def test_logs_that_cannot_be_fitted_are_refused(tmp_path, sample):
    def log_of(jobs):
        write_swf(tmp_path / "log.swf", jobs)
        return read_swf(tmp_path / "log.swf")

    few = sample[:50]
    with pytest.raises(InputError, match="50 usable jobs; give 100 or more"):
        fit(log_of(few))
    many = sample[:200]
    with pytest.raises(InputError, match="widest job has 1 processors"):
        fit(log_of(many.replace(components=np.ones(200, dtype=int))))
    with pytest.raises(InputError, match="submitted at one instant"):
        fit(log_of(many.replace(submit=np.zeros(200))))
