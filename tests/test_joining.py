"""What each site gains by sharing and by spanning, on days made by hand."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib import joining
from coalloc_lib.intervals import DAY, WEEK
from coalloc_lib.joining import ALL, compare_sites
from coalloc_lib.sites import local, multi_site, sharing

HOUR = 3600
CLUSTERS = {"north": 4, "south": 4}


def days_of(first, last, jobs):
    """Return a stream of the same jobs each day: (second of the day, run time, processors)."""
    rows = [(day * DAY + at, *rest) for day in range(first, last) for at, *rest in jobs]
    submit, runtime, processors = zip(*rows, strict=True)
    return co.JobStream(submit, runtime, processors, request="total")


def two_sites(north=(0, 35), south=(2, 40)):
    """Each day two jobs come in the north and one in the south.

    The second of the north finds one processor idle in each cluster: it waits an hour for either,
    or spans both at once.
    """
    return {
        "north": days_of(*north, [(100, HOUR, 3), (136, 2 * HOUR, 2)]),
        "south": days_of(*south, [(100, HOUR, 3)]),
    }


def numbers(table, site, weight):
    (row,) = table.query(f"site == {site!r} and weight == {weight!r}").to_dict("records")
    return row


def test_what_sites_gain_by_hand():
    table = compare_sites(CLUSTERS, two_sites(), 0.25)
    waiting, spanning = 2.99, 2.5  # an hour of waiting, less 36 s; a quarter more of running
    for weight, (first, second) in {"work": (3, 4), "processors": (3, 2)}.items():
        row = numbers(table, "north", weight)
        total = first + second
        alone, spread = (first + second * long for long in (waiting, spanning))
        assert row["local_h"] == pytest.approx(alone / total)
        assert row["sharing"] == pytest.approx(1)
        assert row["spanning"] == pytest.approx(spread / alone)
        assert row["spanned"] == pytest.approx(0.5)
        south, every = (numbers(table, site, weight) for site in ("south", ALL))
        assert [south[name] for name in ("local_h", "sharing", "spanning")] == pytest.approx(
            [1] * 3
        )
        assert every["local_h"] == pytest.approx((alone + 3) / (total + 3))
        assert every["spanning"] == pytest.approx((spread + 3) / (alone + 3))
    # From the first day that both have to the last.
    assert table["jobs"].tolist() == [66, 66, 33, 33, 99, 99]


def test_a_policy_of_the_readable_engine_alone_can_be_compared():
    class Own(co.FCFS):
        """A policy that the compiled engine does not know."""

    own = compare_sites(CLUSTERS, two_sites(), 0.25, scheduling=Own(), engine="reference")
    known = compare_sites(CLUSTERS, two_sites(), 0.25, scheduling=co.FCFS())
    pd.testing.assert_frame_equal(own, known)


def test_it_is_what_the_ways_to_run_give_of_each_sites_jobs():
    rng = np.random.default_rng(5)
    logs = {}
    for name, size, count in (("a", 32, 900), ("b", 8, 300), ("c", 16, 500)):
        runtime = rng.gamma(0.5, 30_000, count)
        submit = rng.uniform(0, 5 * WEEK, count)
        submit[:2] = 0, 5 * WEEK
        logs[name] = co.JobStream(submit, runtime, rng.integers(1, size + 1, count))
    # The names come in another order than the logs.
    clusters, policy = {"c": 16, "a": 32, "b": 8}, co.FCFS()
    table = compare_sites(clusters, logs, 0.1, scheduling=policy)
    jobs = co.merge(*logs.values()).replace(request="total")
    site = np.array([
        next(i for i, name in enumerate(clusters) if at in logs[name].submit) for at in jobs.submit
    ])  # fmt: skip
    site[:3], site[-3:] = (1, 2, 0), (1, 2, 0)  # those of one instant, in the order of the logs
    how, system = {"scheduling": policy}, co.Multicluster([16, 32, 8])
    ran = [local(system, jobs, site, **how), sharing(system, jobs, **how),
           multi_site(system, jobs, 0.1, **how)]  # fmt: skip
    for number, name in enumerate(clusters):
        mine = site == number
        work = jobs.work[mine]
        alone, shared, spread = ((work @ each.response[mine]) / work.sum() for each in ran)
        row = numbers(table, name, "work")
        got = [row["local_h"], row["sharing"], row["spanning"]]
        assert got == pytest.approx([alone / HOUR, shared / alone, spread / shared], rel=0.02)
        assert row["sharing_low"] < row["sharing"] < row["sharing_high"]
        assert row["jobs"] == len(logs[name])


def written(tmp_path, name, stream, start):
    path = tmp_path / f"{name}.swf"
    co.write_swf(path, stream, {} if start is None else {"UnixStartTime": start})
    return co.read_swf(path)


def test_logs_count_from_their_own_beginnings(tmp_path):
    """Two logs that each begin on their first day, the one two days after the other."""
    north, south = two_sites(north=(0, 35), south=(0, 38)).values()
    began = 900_000_000
    logs = {
        "north": written(tmp_path, "north", north, began),
        "south": written(tmp_path, "south", south, began + int(2 * DAY)),
    }
    table = compare_sites(CLUSTERS, logs, 0.25)
    hand = compare_sites(CLUSTERS, two_sites(), 0.25)
    for name in ("site", "jobs"):
        assert table[name].tolist() == hand[name].tolist()
    for name in ("local_h", "sharing", "spanning", "spanned"):
        np.testing.assert_allclose(table[name], hand[name])


def test_logs_of_different_years_are_moved_by_whole_weeks_only_if_asked(tmp_path):
    year = int(52 * WEEK)
    north, south = two_sites().values()
    logs = {
        "north": written(tmp_path, "north", north, 900_000_000),
        "south": written(tmp_path, "south", south, 900_000_000 + year),
    }
    with pytest.raises(
        co.InputError, match=r"logs\['north'\] has no job in the time of the others"
    ):
        compare_sites(CLUSTERS, logs, 0.25)
    table = compare_sites(CLUSTERS, logs, 0.25, clock="weeks")
    spanned = numbers(table, "north", "work")["spanned"]
    assert spanned == pytest.approx(0.5)  # at the same seconds of the same days
    one = joining._on_one_clock(logs, "weeks")
    assert all(0 <= stream.submit.min() < WEEK for stream in one.values())
    moved = one["south"].submit - south.submit - 900_000_000
    assert set(moved % WEEK) == {0}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"clusters": {"north": 4}}, "clusters = {'north': 4}; give a dict of two sites"),
        ({"clusters": pd.Series(CLUSTERS)}, "clusters = .*; give a dict of two sites"),
        ({"clusters": {ALL: 4, "south": 4}}, "clusters has a site 'all sites', as the row of all"),
        (
            {"scheduling": co.Online(max_attempts=1, horizon=1800)},
            r"scheduling = Online\(.*\) refuses 99 of 99 jobs; give a policy that runs all",
        ),
        ({"logs": [1, 2]}, r"logs = \[1, 2\]; give a dict"),
        ({"clusters": CLUSTERS | {"west": 4}}, "clusters and logs differ in 'west'"),
        ({"clusters": {"north": 4, "east": 4}}, "differ in 'east', 'south'"),
        ({"clusters": {"north": 4, "south": 2}}, r"logs\['south'\] has a job of 3 processors and"),
        ({"clusters": {"north": 4, "south": 0}}, "sizes"),
        ({"overhead": -0.1}, "overhead = -0.1"),
        ({"clock": "days"}, "clock = 'days'"),
        (
            {"logs": two_sites(north=(0, 20), south=(0, 20))},
            "north, in the time that all logs have",
        ),
        ({"logs": two_sites(north=(0, 30), south=(40, 70))}, r"\['north'\] has no job in the time"),
    ],
)
def test_bad_input_is_named(change, words):
    how = {"clusters": CLUSTERS, "logs": two_sites(), "overhead": 0.25} | change
    with pytest.raises(co.InputError, match=words) as error:
        compare_sites(**how)
    assert "\n" not in str(error.value)


def test_logs_that_do_not_say_when_they_begin_or_are_mixed_with_streams_are_named(tmp_path):
    north, south = two_sites().values()
    silent = written(tmp_path, "north", north, None)
    with pytest.raises(co.InputError, match=r"logs\['north'\] has no UnixStartTime"):
        compare_sites(CLUSTERS, {"north": silent, "south": silent}, 0.25)
    with pytest.raises(co.InputError, match="give all as"):
        compare_sites(CLUSTERS, {"north": silent, "south": south}, 0.25)
    ordered = co.JobStream([0, 1], [1, 1], [[3, 0], [0, 3]], request="ordered")
    with pytest.raises(co.InputError, match=r"logs\['south'\] has ordered requests"):
        compare_sites(CLUSTERS, {"north": north, "south": ordered}, 0.25)
