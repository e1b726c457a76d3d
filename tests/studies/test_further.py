"""Settings beyond the figures of the first paper: waiting jobs, balance, and a counterexample."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import pick, sample
from studies.maximal_utilization import study
from studies.maximal_utilization.further import (
    Balance,
    Counterexample,
    Fewer,
    Held,
    busy_shares,
    exact_loss,
    loss_with_waiting,
    measure_further,
    smallest_counterexample,
)
from studies.maximal_utilization.further_figures import (
    draw_balance,
    two_starts_explorer,
    two_starts_picture,
)
from studies.maximal_utilization.model import (
    AT_ONCE,
    CALM,
    FIRST,
    MANY,
    ORDERED,
    SERVICES,
    UNORDERED,
    WORST,
)
from tests.studies.small import SMALL
from tests.widgets.reading import lettering

TINY = SMALL[study.name]
SEED = np.random.SeedSequence(1, spawn_key=(0,))


def test_the_counterexample_is_the_smallest_and_exact():
    system, jobs = smallest_counterexample()
    assert system.sizes == (3, 3)
    assert sorted(map(tuple, jobs.vectors.tolist())) == [(0, 1), (3, 1)]
    losses = {
        request: exact_loss(system, jobs, Counterexample(request, placement))
        for request, placement in ((ORDERED, ""), (UNORDERED, WORST))
    }
    formula = co.maximal_utilization(system, jobs, request=ORDERED).capacity_loss
    assert losses[ORDERED] == pytest.approx(formula)
    assert losses[ORDERED] == pytest.approx(3 / 13)
    assert losses[UNORDERED] > losses[ORDERED] + 0.009


def test_the_counterexample_is_simulated_too():
    """An independent way: many jobs in a queue that never ends."""
    system, jobs = smallest_counterexample()
    drawn = jobs.vectors[np.random.default_rng(1).integers(2, size=200_000)]
    times = np.random.default_rng(2).exponential(size=len(drawn))
    for request, placement in ((ORDERED, None), (UNORDERED, co.WorstFit())):
        stream = co.JobStream(np.zeros(len(drawn)), times, drawn, request=request)
        scenario = co.Scenario(system, stream, placement=placement)
        busy = co.statistics.saturation.heavy_traffic(scenario, stream)
        name = "" if placement is None else WORST
        exact = exact_loss(system, jobs, Counterexample(request, name))
        assert 1 - busy.mean() == pytest.approx(exact, abs=0.004)


def test_overtaking_gains_less_if_more_jobs_wait():
    few, many = (loss_with_waiting(Held("U[1,14]", MANY, n), TINY, SEED) for n in (100, 1_000))
    assert few.mean < many.mean - 0.05


def test_busy_shares_are_those_of_the_schedule_and_first_fit_is_not_balanced():
    shares = busy_shares(Balance("U[1,7]", FIRST), TINY, SEED)
    assert shares.shape == (TINY.replications, 4)
    assert ((shares > 0) & (shares < 1)).all()
    spread = shares.mean(axis=0)
    assert spread[0] > spread[3] + 0.2
    scenario = Balance("U[1,7]", FIRST).scenario
    loss = co.saturated_loss(scenario, jobs=50_000).estimate
    assert 1 - shares.mean() == pytest.approx(loss, abs=0.01)
    rows = pd.DataFrame(measure_further(Balance("U[1,7]", FIRST), TINY, SEED))
    assert sample(pick(rows, cluster=1), "busy").mean == pytest.approx(spread[0])


def test_equation_5_is_too_high_with_fewer_components_than_clusters():
    losses = {}
    for method in ("approximation", "simulation"):
        rows = list(measure_further(Fewer("U[1,6]", 2, 8, 16, method), TINY, SEED))
        losses[method] = np.mean([row["capacity_loss"] for row in rows])
    assert losses["approximation"] == pytest.approx(0.152, abs=0.001)
    assert losses["simulation"] < 0.115


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        (lambda: Held("U[1,7]", "LIFO", 10), "policy"),
        (lambda: Held("U[1,7]", MANY, 0), "waiting"),
        (lambda: Balance("U[1,7]", "best fit"), "placement"),
        (lambda: Fewer("U[1,6]", 2, 8, 16, "guess"), "method"),
        (lambda: Counterexample("total"), "request"),
    ],
)
def test_a_setting_of_unknown_words_is_refused(setting, name):
    with pytest.raises(co.InputError, match=rf"^{name} = "):
        setting()


def test_constant_service_times_are_exactly_or_almost_equal():
    assert SERVICES[AT_ONCE].cv == 0
    assert 0 < SERVICES[CALM].cv < 1e-6


def test_two_starts_at_one_load_end_apart():
    picture = two_starts_picture(0.84, 1_500, coarse=True)
    words = picture._repr_mimebundle_()["text/html"]
    assert "starts with an empty queue" in words
    assert "starts with 1,500 waiting jobs" in words


def test_the_short_and_the_long_queue_are_seen_on_a_logarithmic_axis():
    assert " 10 100 1000 jobs waiting " in f"{lettering(two_starts_explorer())} "


def test_the_utilizations_of_all_placements_are_drawn_on_one_axis():
    rows = [(WORST, 1, 0.8), (WORST, 2, 0.8), (FIRST, 1, 0.4), (FIRST, 2, 0.2)]
    table = pd.DataFrame(rows, columns=["placement", "cluster", "busy"]).assign(sizes="U[1,7]")
    worst, first = draw_balance(table).axes
    assert worst.get_ylim() == first.get_ylim()
