"""Numbers in notebook 05 that no cell prints: waits of random jobs after a line is changed."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.calendar.trees import leaves
from coalloc_lib.statistics import pick
from studies.online_batch import lesson, model, study, tree_search
from studies.online_batch.claims import small_and_middle, waits_over_length
from studies.online_batch.figures import beside_the_record
from studies.online_batch.runs import over_weeks
from studies.online_batch.waiting_limits import book_or_queue


def test_the_same_requests_without_notice_wait_as_briefly_as_jobs_without_reservations():
    machine, step = co.Multicluster([100]), co.Online(slot=0.25, step=0.25, horizon=28 * 24)
    how = {"service": co.Hyperexponential(2.5, 2.0), "request": "total"}
    jobs_of = co.JobModel(sizes=co.parse_sizes("D(0.9)[1,64]"), **how)
    waits = []
    for seed in range(10):
        jobs = jobs_of.sample(count=5_000, seed=seed + 1, rate=1.0).with_load(machine, 0.7)
        wanted = jobs.submit + np.random.default_rng(seed).exponential(16, len(jobs))
        order = np.argsort(wanted, kind="stable")
        columns = {"submit": wanted, "runtime": jobs.runtime, "components": jobs.processors}
        late = co.JobStream(**{n: x[order] for n, x in columns.items()}, request="total")
        ran = co.simulate(machine, late, scheduling=step)
        waits.append(ran.wait[ran.served].mean())
    assert np.mean(waits) == pytest.approx(1.12, abs=0.005)


MACHINE, HORIZON = co.Multicluster([100]), 28 * 24


def online(minutes):
    attempts = 14 * 24 * 60 // minutes
    return co.Online(slot=0.25, step=minutes / 60, max_attempts=attempts, horizon=HORIZON)


def waits(load, policy, hours=0):
    """Return the mean waits, from the requested start, of ten samples that reserve ahead."""
    how = {"service": co.Hyperexponential(2.5, 2.0), "request": "total"}
    jobs_of, means = co.JobModel(sizes=co.parse_sizes("D(0.9)[1,64]"), **how), []
    for seed in range(10):
        jobs = jobs_of.sample(count=5_000, seed=seed + 1, rate=1.0).with_load(MACHINE, load)
        notice = np.random.default_rng(seed).exponential(hours, len(jobs)) if hours else 0
        jobs = jobs.replace(earliest_start=jobs.submit + notice)
        ran = co.simulate(MACHINE, jobs, scheduling=policy)
        means.append(ran.delay[ran.served].mean())
    return co.statistics.Replications(means)


@pytest.mark.parametrize(
    ("load", "one", "other", "hours", "half"),
    [
        (0.8, online(15), co.Conservative(), 0.573, 0.090),
        (0.8, online(15), online(1), 0.53, 0.07),
        (0.8, online(1), co.Conservative(), 0.045, 0.031),
    ],
)
def test_policies_differ_by_this_at_other_loads(load, one, other, hours, half):
    found = (waits(load, one) - waits(load, other)).interval
    assert (found.estimate, found.half_width) == pytest.approx((hours, half), abs=0.005)


def test_reservations_lengthen_waits_less_at_a_lower_load():
    ahead, none = (waits(0.5, online(15), hours) for hours in (16, 0))
    grown = (ahead - none).interval
    assert (none.mean, grown.estimate) == pytest.approx((0.20, 0.08), abs=0.006)
    assert grown.half_width == pytest.approx(0.05, abs=0.006)


def test_small_jobs_of_kth_wait_about_as_long_for_their_length_online_as_under_easy():
    runs = beside_the_record(study.judge(study.archived()).runs)
    small, _ = small_and_middle(pick(runs, log=model.KTH))
    sums = (waits_over_length(small, policy) for policy in (model.LEAST, "EASY"))
    found = over_weeks(small).ratio(*sums)
    assert (found.estimate, found.low, found.high) == pytest.approx((1.16, 1.00, 1.32), abs=0.006)


def test_what_a_limit_of_twelve_hours_rejects_in_the_real_log(real_logs):
    jobs = co.read_swf(real_logs / "KTH-SP2-1996-2.1-cln.swf.gz").jobs(request="total")
    row = book_or_queue(jobs, co.Multicluster([100]), limits=[12]).iloc[-1]
    waits_and_shares = row[["mean_wait", "easy_wait", "refused", "refused_work", "wide_refused"]]
    assert waits_and_shares.tolist() == pytest.approx([1.54, 1.57, 0.03, 0.16, 0.45], abs=0.006)


@pytest.mark.parametrize(
    ("request_", "marked", "result"),
    [
        ((17, 12, 2), "XVZY", "Accepted: Y and Z"),
        ((5, 12, 2), "VX", "1 feasible period is too few for 2"),
        ((17, 20, 2), "XVZY", "0 feasible periods are too few for 2"),
    ],
)
def test_which_requests_the_trees_of_the_example_can_serve(request_, marked, result):
    _, search = tree_search.walk(*request_)
    *_, (words, marks) = search.steps()
    periods = [period for node in marks.order for period in leaves(node)]
    assert "".join(search.names[period] for period in periods) == marked
    assert words.startswith(result)


@pytest.mark.parametrize(
    ("policy", "ends"), [("online", (1.39, 1.24, 1.61)), ("conservative", (1.22,))]
)
def test_promises_lengthen_the_waits_of_ctc_this_much(policy, ends):
    rows = study.judge(study.archived()).figure("certainty").data()
    exact = rows.query("length == 'exact' and policy == @policy").set_index("log")
    row = exact.loc["CTC-SP2"]
    found = [row["ratio"], row["ci95_low"], row["ci95_high"]]
    assert found[: len(ends)] == pytest.approx(ends, abs=0.005)
    assert exact["ratio"].idxmax() == "CTC-SP2"  # on the other logs, the price is smaller


def test_bookings_of_requested_times_lengthen_the_wait_of_kth_to_154_hours():
    rows = study.judge(study.archived()).figure("certainty").data()
    kth = rows.query("log == 'KTH-SP2' and policy == 'online'").set_index("length")
    assert kth["mean_wait_h"].loc[["exact", "requested"]].tolist() == pytest.approx(
        [2.1, 154], rel=0.03
    )


def test_the_numbers_of_a_figure_stand_in_a_table_with_their_intervals():
    result = study.judge(study.archived())
    table = lesson.in_numbers(result, "certainty").data
    assert "1.39 [1.24, 1.61]" in table  # as the text says of CTC
    assert "nan" not in "".join(lesson.in_numbers(result, name).data for name in lesson.TABLES)
