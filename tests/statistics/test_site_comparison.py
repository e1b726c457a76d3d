"""What each site gains by sharing and by spanning."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.simulation import sites
from coalloc_lib.statistics import DAY, WEEK
from coalloc_lib.statistics import site_comparison as comparison
from coalloc_lib.statistics.site_comparison import ALL, compare_sites, together

HOUR = 3600
CLUSTERS = {"north": 4, "south": 4}


def days_of(first, last, jobs):
    """Return a stream with the same jobs each day: second of the day, run time, processors."""
    rows = [(day * DAY + at, *rest) for day in range(first, last) for at, *rest in jobs]
    submit, runtime, processors = zip(*rows, strict=True)
    return co.JobStream(submit, runtime, processors, request="total")


def two_sites(north=(0, 35), south=(2, 40)):
    """Return the jobs of two sites: each day, two jobs in the north and one in the south.

    The second of the north finds one processor idle in each cluster: it waits an hour for either,
    or spans both at once.
    """
    return {
        "north": days_of(*north, [(100, HOUR, 3), (136, 2 * HOUR, 2)]),
        "south": days_of(*south, [(100, HOUR, 3)]),
    }


def row_of(table, site, weight):
    (row,) = table.query(f"site == {site!r} and weight == {weight!r}").to_dict("records")
    return row


class Own(co.FCFS):
    """A policy that only the readable engine can run."""


@pytest.mark.parametrize("how", [{}, {"scheduling": Own(), "engine": "reference"}])
def test_what_sites_gain_by_hand(how):
    table = compare_sites(CLUSTERS, two_sites(), 0.25, **how)
    waiting, spanning = 2.99, 2.5  # an hour of waiting, less 36 s; a quarter more of running
    for weight, (first, second) in {"work": (3, 4), "processors": (3, 2)}.items():
        row = row_of(table, "north", weight)
        total = first + second
        alone, spread = (first + second * long for long in (waiting, spanning))
        assert row["local_h"] == pytest.approx(alone / total)
        assert row["sharing"] == pytest.approx(1)
        assert row["spanning"] == pytest.approx(spread / alone)
        assert row["spanned"] == pytest.approx(0.5)
        south, every = (row_of(table, site, weight) for site in ("south", ALL))
        assert [south[name] for name in ("local_h", "sharing", "spanning")] == pytest.approx(
            [1] * 3
        )
        assert every["local_h"] == pytest.approx((alone + 3) / (total + 3))
        assert every["spanning"] == pytest.approx((spread + 3) / (alone + 3))
    # The compared period begins on the first day of both logs and ends on their last common day.
    assert table["jobs"].tolist() == [66, 66, 33, 33, 99, 99]


def test_it_is_what_the_ways_to_run_give_of_each_sites_jobs():
    rng = np.random.default_rng(5)
    logs = {}
    for name, size, count in (("a", 32, 900), ("b", 8, 300), ("c", 16, 500)):
        runtime = rng.gamma(0.5, 30_000, count)
        submit = rng.uniform(0, 5 * WEEK, count)
        submit[:2] = 0, 5 * WEEK
        logs[name] = co.JobStream(submit, runtime, rng.integers(1, size + 1, count))
    # The names of the sites are in another order than the logs.
    clusters, policy = {"c": 16, "a": 32, "b": 8}, co.FCFS()
    table = compare_sites(clusters, logs, 0.1, scheduling=policy)
    jobs = co.merge(*logs.values()).replace(request="total")
    order = np.argsort(np.concatenate([log.submit for log in logs.values()]), kind="stable")
    site = np.repeat([1, 2, 0], [900, 300, 500])[order]
    how, system = {"scheduling": policy}, co.Multicluster([16, 32, 8])
    ran = [sites.local(system, jobs, site, **how), sites.sharing(system, jobs, **how),
           sites.multi_site(system, jobs, 0.1, **how)]  # fmt: skip
    for number, name in enumerate(clusters):
        mine = site == number
        work = jobs.work[mine]
        alone, shared, spread = ((work @ each.response[mine]) / work.sum() for each in ran)
        row = row_of(table, name, "work")
        got = [row["local_h"], row["sharing"], row["spanning"]]
        assert got == pytest.approx([alone / HOUR, shared / alone, spread / shared], rel=0.02)
        assert row["sharing_low"] < row["sharing"] < row["sharing_high"]
        assert row["jobs"] == len(logs[name])


def test_an_awrt_without_waits_has_an_interval_of_both_sides():
    """The jobs of other weeks may have shorter run times, even if no job waits."""
    rng = np.random.default_rng(8)
    submit, runtime = np.sort(rng.uniform(0, 12 * WEEK, 500)), rng.lognormal(8, 1.2, 500)
    logs = {name: co.JobStream(submit, runtime, np.ones(500)) for name in ("a", "b")}
    table = compare_sites({"a": 500, "b": 500}, logs, 0.1)
    assert (table["local_h_low"] < 0.98 * table["local_h"]).all()
    assert (table["local_h_high"] > 1.02 * table["local_h"]).all()


def written(tmp_path, name, stream, start):
    path = tmp_path / f"{name}.swf"
    co.write_swf(path, stream, {} if start is None else {"UnixStartTime": start})
    return co.read_swf(path)


def test_logs_count_from_their_own_beginnings(tmp_path):
    """Each log counts its times from its own first day: two days apart, or a year."""
    began, year = 900_000_000, int(52 * WEEK)
    north, south = two_sites(north=(0, 35), south=(0, 38)).values()
    first = written(tmp_path, "north", north, began)
    later = written(tmp_path, "later", south, began + int(2 * DAY))
    table = compare_sites(CLUSTERS, {"north": first, "south": later}, 0.25)
    hand = compare_sites(CLUSTERS, two_sites(), 0.25)
    assert table["jobs"].tolist() == hand["jobs"].tolist()
    whole = [len(first), len(later)]
    assert table["of"].tolist() == [n for n in [*whole, sum(whole)] for _ in range(2)]
    assert (table["end"] - table["begin"]).dt.total_seconds().iloc[0] == pytest.approx(
        hand["end"].iloc[0] - hand["begin"].iloc[0]
    )
    assert table["begin"].iloc[0].timestamp() == pytest.approx(
        max(first.epoch, later.epoch), abs=86_400
    )
    for name in ("local_h", "sharing", "spanning", "spanned"):
        np.testing.assert_allclose(table[name], hand[name])
    logs = {"north": first, "south": written(tmp_path, "south", south, began + year)}
    words = r"no time .* north has \d+ from 1998-.* to 1998-.*; south has \d+ from 1999-"
    with pytest.raises(co.InputError, match=words + r".*; .* clock='weeks'$"):
        compare_sites(CLUSTERS, logs, 0.25)
    table = compare_sites(CLUSTERS, logs, 0.25, clock="weeks")
    # At the same seconds of the same days.
    assert row_of(table, "north", "work")["spanned"] == pytest.approx(0.5)
    shift = comparison._on_one_clock(logs, "weeks")["south"].submit - south.submit - began
    assert set(shift % WEEK) == {0}


def test_a_log_without_requested_times_says_so_unless_it_is_told_what_they_are(tmp_path):
    logs = {name: written(tmp_path, name, jobs, 0) for name, jobs in two_sites().items()}
    path = tmp_path / "north.swf"
    co.write_swf(path, logs["north"].table.assign(requested_time=-1), {"UnixStartTime": 0})
    logs["north"] = co.read_swf(path)
    with pytest.warns(UserWarning, match=r"north: (\d+) of \1 jobs have no requested time"):
        compare_sites(CLUSTERS, logs, 0.25)
    compare_sites(CLUSTERS, logs, 0.25, missing=7200)  # warnings are errors here
    assert set(comparison._on_one_clock(logs, "calendar", 7200)["north"].estimate) == {7200}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"clusters": pd.Series(CLUSTERS)}, "clusters = .*; give a dict of two sites"),
        (
            {"clusters": {ALL: 4, "south": 4}},
            "clusters has a site 'all sites', but the table has a row of this",
        ),
        ({"clusters": CLUSTERS | {"west": 4}}, "clusters and logs differ in 'west'"),
        ({"clusters": {"north": 2, "south": 1}}, r"south: (\d+) of \1 jobs .* largest=1$"),
        ({"largest": 0}, "largest = 0; give a whole number of 1"),
        ({"largest": 2}, r"largest = 2 leaves no job of (north|south); give 3 or more"),
        (
            {"logs": two_sites() | {"south": co.JobStream([7], [1], [1])}, "clock": "weeks"},
            r"north has 70 from 100 sec.* south has 1 from 7 seconds to 7 seconds; .* longer ones",
        ),
        ({"scheduling": co.Online(max_attempts=1, horizon=1800)}, "rejects 99 of 99 jobs; give a"),
        ({"logs": two_sites((0, 20), (0, 20))}, "north, in the period that all logs cover"),
        ({"span_penalty": -0.1}, "span_penalty = -0.1"),
        ({"clock": "days"}, "clock = 'days'"),
    ],
)
def test_bad_comparisons_are_named(change, words):
    how = {"clusters": CLUSTERS, "logs": two_sites(), "span_penalty": 0.25} | change
    with pytest.raises(co.InputError, match=words):
        compare_sites(**how)


def test_wide_jobs_are_counted_and_left_out_with_the_rows_of_the_rest_as_they_were(tmp_path):
    logs = {name: written(tmp_path, name, jobs, 0) for name, jobs in two_sites().items()}
    table = logs["north"].table.assign(job=lambda all_: all_["job"] + 1000)
    table.loc[3, "runtime"] = 0  # no job: rows below it move up
    table.loc[10, "allocated_processors"], table.loc[31, "allocated_processors"] = 7, 5
    co.write_swf(tmp_path / "north.swf", table, {"UnixStartTime": 0})
    logs["north"] = north = co.read_swf(tmp_path / "north.swf")
    words = rf"^north: 2 of \d+ jobs .* a cluster of 4 processors; job {table['job'][10]} needs 7;"
    with pytest.raises(co.InputError, match=words + r" .* largest=4$"):
        together(CLUSTERS, logs)
    _, jobs, site, row = together(CLUSTERS, logs, largest=4)
    mine, usable = site == 0, north.usable.iloc[row[site == 0]]
    assert set(table["job"]) - set(usable["job"]) >= {table["job"][at] for at in (3, 10, 31)}
    np.testing.assert_array_equal(usable["submit"], jobs.submit[mine])
    np.testing.assert_array_equal(usable["processors"], jobs.processors[mine])
    wide = compare_sites({"north": 8, "south": 4}, logs, 0.25)
    slim = compare_sites(CLUSTERS, logs, 0.25, largest=4)
    assert wide["jobs"].iloc[0] - slim["jobs"].iloc[0] == 2


def test_logs_that_do_not_say_when_they_begin_or_are_mixed_with_streams_are_named(tmp_path):
    north, south = two_sites().values()
    silent = written(tmp_path, "north", north, None)
    words = rf"north: {silent.source} has no UnixStartTime; .* clock='weeks'$"
    with pytest.raises(co.InputError, match=words):
        compare_sites(CLUSTERS, {"north": silent, "south": silent}, 0.25)
    streams = comparison._on_one_clock({"north": silent, "south": silent}, "weeks")
    np.testing.assert_array_equal(streams["south"].submit, north.submit)
    with pytest.raises(co.InputError, match="give all logs as"):
        compare_sites(CLUSTERS, {"north": silent, "south": south}, 0.25)
    ordered = co.JobStream([0, 1], [1, 1], [[3, 0], [0, 3]], request="ordered")
    with pytest.raises(co.InputError, match=r"logs\['south'\] has ordered requests"):
        compare_sites(CLUSTERS, {"north": north, "south": ordered}, 0.25)


def test_jobs_of_streams_without_an_estimate_get_the_missing_one():
    north, south = two_sites().values()
    estimate = np.ma.masked_all(len(north))
    estimate[0] = 9 * HOUR
    logs = {"north": north.replace(estimate=estimate), "south": south}
    _, jobs, site, row = together(CLUSTERS, logs, missing=3 * HOUR)
    is_given = (site == 0) & (row == 0)
    assert (jobs.estimate[~is_given] == 3 * HOUR).all()
    assert (jobs.estimate[is_given] == 9 * HOUR).all()
    with pytest.raises(co.InputError, match=r"^missing = -1; give a finite number above 0"):
        together(CLUSTERS, logs, missing=-1)
