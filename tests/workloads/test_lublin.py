"""The model of Lublin and Feitelson, adapted to logs, and the stand-ins."""

import json

import make_traces
import numpy as np
import pytest
from adapted_lublin import DAY, AdaptedLublin
from fit_model import fit
from scipy import stats

from coalloc_lib.workloads import Workload
from coalloc_lib.workloads.catalogue import load_stand_in, load_trace
from coalloc_lib.workloads.swf import read_swf
from coalloc_lib.workloads.swf_writer import write_swf

MODEL = AdaptedLublin(
    name="test", processors=64, serial=0.25, power_of_two=0.6,
    log_low=0.8, log_medium=4.0, log_high=6.0, low_stage=0.8,
    runtime_shape=(4.2, 80.0), runtime_scale=(0.9, 0.11), mixing_slope=-0.005, mixing_intercept=0.7,
    longest=50_000.0, gap_shape=0.5, gap_mean=600.0,
    daily_cycle=tuple(1 + 0.9 * np.sin(np.arange(48) / 48 * 2 * np.pi)), start=36_000.0,
    requested=((300.0, 0.3), (3600.0, 0.4), (43_200.0, 0.3)),
)  # fmt: skip


@pytest.fixture(scope="module")
def sample():
    return MODEL.sample(60_000, 5)


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


def test_it_is_a_workload_that_the_seed_decides_and_a_rate_stretches():
    assert isinstance(MODEL, Workload)
    own, fast, other = (MODEL.sample(300, *how) for how in ((7,), (7, 2 / 600), (8,)))
    # Its own instants are whole seconds.
    np.testing.assert_allclose(own.submit, 2 * fast.submit, rtol=0, atol=1)
    assert (MODEL.sample(300, np.random.SeedSequence(7)).runtime == own.runtime).all()
    for column in ("runtime", "components", "estimate"):
        assert (getattr(fast, column) == getattr(own, column)).all()
        assert (getattr(other, column) != getattr(own, column)).any()


def test_a_fit_finds_the_parameters_again(tmp_path, sample):
    path = tmp_path / "model.swf"
    write_swf(path, sample, {"StartTime": "Mon Jan 1 10:00:00 UTC 2001"})
    fitted = fit(read_swf(path))
    error = sample.work.std() / np.sqrt(len(sample))
    assert MODEL.mean_work == pytest.approx(sample.work.mean(), abs=4 * error)
    for name, error in (
        ("serial", 0.01), ("power_of_two", 0.03), ("log_medium", 0.3), ("low_stage", 0.05),
        ("mixing_intercept", 0.05), ("gap_mean", 30), ("gap_shape", 0.05), ("start", 0),
    ):  # fmt: skip
        assert getattr(fitted, name) == pytest.approx(getattr(MODEL, name), abs=error)
    means, wanted = (np.multiply(m.runtime_shape, m.runtime_scale) for m in (fitted, MODEL))
    assert means == pytest.approx(wanted, rel=0.05)
    assert np.corrcoef(fitted.daily_cycle, MODEL.daily_cycle)[0, 1] > 0.97


@pytest.mark.long
@pytest.mark.parametrize("name", ["CTC-SP2", "KTH-SP2"])
def test_a_fit_keeps_the_moments_of_a_real_log(real_logs, name):
    log = load_trace(name, missing="error")
    model = fit(log)
    real, drawn = log.jobs(), model.sample(100_000, 1)
    for column in ("processors", "runtime"):
        a, b = getattr(real, column), getattr(drawn, column)
        assert b.mean() == pytest.approx(a.mean(), rel=0.05)
        assert b.std() / b.mean() == pytest.approx(a.std() / a.mean(), rel=0.05)
    assert drawn.work.mean() == pytest.approx(real.work.mean(), rel=0.05)
    committed = AdaptedLublin.from_dict(json.loads(make_traces.model_file(name).read_text("utf-8")))
    assert model.sizes.mean == pytest.approx(committed.sizes.mean, rel=0.01)
    assert model.daily_cycle == pytest.approx(committed.daily_cycle, rel=1e-8)


@pytest.mark.parametrize("name", ["CTC-SP2", "KTH-SP2"])
def test_stand_ins_come_from_their_parameters_and_seed(name, tmp_path):
    log, text = load_stand_in(name), make_traces.model_file(name).read_text("utf-8")
    assert (log.title, log.is_stand_in) == (f"{name} (synthetic stand-in)", True)
    assert json.loads(log.header["Parameters"]) == json.loads(text)
    (tmp_path / f"{name.lower()}.model.json").write_text(text)
    make_traces.make(name, tmp_path)
    drawn = read_swf(tmp_path / f"{name}-synthetic.swf.gz")
    assert drawn.header == log.header
    assert (drawn.jobs().processors == log.jobs().processors).all()
    # The last digit of a time may be rounded differently by another release of SciPy.
    assert drawn.jobs().submit == pytest.approx(log.jobs().submit, abs=1)
    assert drawn.jobs().runtime == pytest.approx(log.jobs().runtime, abs=1)


def test_adapted_run_times_are_a_mixture_by_size_and_arrivals_follow_the_cycle(sample):
    gammas = [stats.gamma(*each) for each in ((4.2, 0, 0.9), (80, 0, 0.11))]
    top = np.log1p(MODEL.longest)
    for size in (1, 16):
        p = 0.7 - 0.005 * size

        def below(x, p=p):
            one, two = (gamma.cdf(x) / gamma.cdf(top) for gamma in gammas)
            return p * one + (1 - p) * two

        logs = np.log1p(sample.runtime[sample.processors == size])
        assert np.mean(logs <= 3) == pytest.approx(below(3), abs=0.02)
        # Above 3, which is 19 seconds, rounding to whole seconds hardly changes the distribution.
        rest = stats.kstest(logs[logs > 3], lambda x: (below(x) - below(3)) / (1 - below(3)))
        assert rest.statistic < 0.03
    assert 1 <= sample.runtime.min() <= sample.runtime.max() <= MODEL.longest
    half_hour = ((sample.submit + MODEL.start) % DAY // 1800).astype(int)
    rate = np.bincount(half_hour, minlength=48) * 48 / len(sample)
    assert rate == pytest.approx(np.array(MODEL.daily_cycle), abs=0.25)
    assert np.corrcoef(rate, MODEL.daily_cycle)[0, 1] > 0.98
    assert np.diff(sample.submit).mean() == pytest.approx(600, rel=4 * np.sqrt(2 / len(sample)))
