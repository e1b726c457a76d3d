import numpy as np
import pytest
from scipy import integrate

from coalloc_lib.workloads.das1 import _ShortAndLong, das1_service_times, das1_sizes


def test_sizes_have_the_published_moments_and_preferences():
    sizes = das1_sizes()
    assert (len(sizes.sizes), sizes.minimum, sizes.maximum) == (58, 1, 128)
    assert (sizes.mean, sizes.cv) == pytest.approx((23.34, 1.11), abs=1e-9)
    assert "stand-in" in str(sizes)
    p, powers = sizes.probabilities, 2 ** np.arange(8)
    assert p[powers].sum() > 0.6
    for power in powers[2:-1]:
        assert p[power] > 5 * max(p[power - power // 4], p[power + power // 4])
    assert p[1] == p.max()
    assert p[1:9].sum() > 0.45


def test_service_times_have_the_published_moments_and_samples_agree():
    service, count = das1_service_times(), 400_000
    assert (service.mean, service.cv) == pytest.approx((356.45, 5.37), abs=1e-6)
    assert "stand-in" in str(service)
    assert (service.share_short, service.limit) == (0.9445, 15 * 60)
    draws = service.sample(np.random.default_rng(11), count)
    assert abs(draws.mean() - service.mean) < 4 * np.sqrt(service.variance / count)
    assert draws.std() / draws.mean() == pytest.approx(service.cv, rel=0.03)
    assert np.mean(draws < 900) == pytest.approx(0.9445, abs=4 * np.sqrt(0.9445 * 0.0555 / count))
    assert 0 <= draws.min() < draws.max() <= 54_000
    assert service.sample(np.random.default_rng(1), (2, 3)).shape == (2, 3)
    assert np.ndim(service.sample(np.random.default_rng(1))) == 0


@pytest.mark.parametrize("exponent", [0.5, 1.5, 2.5])
def test_moments_are_the_integrals_of_the_densities(exponent):
    times = _ShortAndLong(0.7, 10.0, 0.2, exponent, 100.0)

    def moment(order):
        short = integrate.quad(lambda x: x**order * 0.2 * np.exp(-0.2 * x), 0, 10)[0]
        long = integrate.quad(
            lambda x: x**order * exponent * 10**exponent * x ** (-exponent - 1), 10, 100
        )[0]
        return 0.7 * short / (1 - np.exp(-0.2 * 10)) + 0.3 * long / (1 - 0.1**exponent)

    assert times.mean == pytest.approx(moment(1), rel=1e-9)
    assert times.variance == pytest.approx(moment(2) - moment(1) ** 2, rel=1e-9)
