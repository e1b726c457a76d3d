"""Many requests at once: against a brute-force calendar, and what a long run leaves behind."""

from bisect import bisect_left, insort
from math import ceil, floor, inf

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.basics.compilation import call
from coalloc_lib.calendar.kernels import periods
from coalloc_lib.engines import kernel_calls
from coalloc_lib.engines.kernels import booking
from coalloc_lib.schedules.reading import booked_end


def requests(count, servers, load=0.8, seed=1):
    """Sample requests for one cluster at a given load; 40 % ask for a later start."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, servers // 2, count)
    runtime = rng.lognormal(8, 1.2, count).clip(60, 2e5).round(-1)
    submit = rng.exponential(np.mean(size * runtime) / (load * servers), count).cumsum()
    jobs = co.JobStream(submit, runtime, size, request="total")
    return jobs.reserved_ahead(0.4, 20_000.0, seed)


def brute_force(jobs, servers, policy):
    """Yield the start, the number of attempts and the processors of each request.

    They are found by a search through the lists of the reservations of all processors.
    """
    busy = [[(-inf, 0.0)] for _ in range(servers)]
    columns = (jobs.submit, jobs.earliest_start, jobs.estimate, jobs.processors)
    rows_of = zip(*(column.tolist() for column in columns), strict=True)
    for submit, earliest, length, wanted in rows_of:
        for mine in busy:
            while len(mine) > 1 and mine[1][1] <= submit:
                del mine[0]
        until = (floor(submit / policy.slot) + ceil(policy.horizon / policy.slot)) * policy.slot
        answer = (np.nan, policy.max_attempts, [])
        for attempt in range(policy.max_attempts):
            start = earliest + attempt * policy.step
            if start + length > until:
                answer = (np.nan, attempt, [])
                break
            idle = []
            for server, mine in enumerate(busy):
                after = bisect_left(mine, (start + length,))
                since, to = mine[after - 1][1], mine[after][0] if after < len(mine) else inf
                if since <= start:
                    gap = to - since if policy.rule == "best-fit" else 0
                    idle.append((gap, -since, server))
            if len(idle) >= wanted:
                chosen = sorted(server for *_, server in sorted(idle)[:wanted])
                for server in chosen:
                    insort(busy[server], (start, start + length))
                answer = (start, attempt + 1, chosen)
                break
        yield answer


@pytest.mark.parametrize("rule", ["latest-start", "best-fit"])
@pytest.mark.parametrize("count", [2_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_a_brute_force_calendar_gives_the_same_starts_and_servers(count, rule):
    servers, policy = 20, co.Online(900, 900, 60, 3e5, rule)
    jobs = requests(count, servers)
    schedule = co.simulate(co.Multicluster([servers]), jobs, scheduling=policy)
    wanted = list(brute_force(jobs, servers, policy))
    np.testing.assert_array_equal(schedule.start, [start for start, *_ in wanted])
    np.testing.assert_array_equal(schedule.attempts, [tried for _, tried, _ in wanted])
    assert [mine.tolist() for mine in schedule.servers] == [mine for *_, mine in wanted]
    schedule.verify()
    assert schedule.attempts.mean() > 2
    assert 0 < len(schedule.refused) < count / 5


def run(monkeypatch, jobs, servers, policy):
    """Return the schedule of online scheduling, and the table of idle periods after the run."""
    tables = []

    def kept(kernel, *arguments, **how):
        answer = call(kernel, *arguments, **how)
        if kernel is booking.run_online:
            tables.append(answer)
        return answer

    monkeypatch.setattr(kernel_calls, "call", kept)
    schedule = co.simulate(co.Multicluster([servers]), jobs, scheduling=policy)
    return schedule, tables[0]


def idle_left(schedule, servers, now):
    """Return the idle periods that end after `now`, computed from the jobs of a schedule."""
    who = schedule.servers.ids
    job = np.repeat(np.arange(len(schedule)), np.diff(schedule.servers.first))
    order = np.lexsort((schedule.start[job], who))
    who, start, end = who[order], schedule.start[job][order], booked_end(schedule)[job][order]
    is_last = np.append(np.diff(who) > 0, True)
    is_first = np.append(True, is_last[:-1])
    since = np.where(is_first, 0.0, np.append(0.0, end[:-1]))
    assert (since <= start).all()
    found = np.array([who, since, start]).T[since < start]
    found = np.vstack([found, np.array([who, end, np.full(len(end), inf)]).T[is_last]])
    unused = np.setdiff1d(np.arange(servers), who)
    found = np.vstack([found, [[server, 0.0, inf] for server in unused] or np.empty((0, 3))])
    return sorted(map(tuple, found[found[:, 2] > now].tolist()))


def idle_in(table, now):
    """Return the periods of a table of idle periods that end after `now`, by processor number."""
    count = table.count[0]
    columns = (table.server[:count], table.begin[:count], table.end[:count])
    found = zip(*(column.tolist() for column in columns), strict=True)
    return sorted(period for period in found if period[2] > max(now, period[1]))


@pytest.mark.parametrize("count", [6_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_no_idle_period_is_lost_or_doubled_and_what_is_past_is_forgotten(monkeypatch, count):
    """After many requests, the table of idle periods has each idle period exactly once."""
    servers = 128
    jobs = requests(count, servers)
    schedule, table = run(monkeypatch, jobs, servers, co.Online(900, 900))
    now = jobs.submit.max()
    assert now > 86_400 * 365 * 10 * count / 1_000_000
    left = idle_left(schedule, servers, now)
    assert idle_in(table, now) == left
    assert len(left) > servers
    most = 4 * len(left) + booking.OFTEN * servers
    assert len(left) <= table.count[0] < most
    assert len(table.begin) < 2 * most  # A table that is full is copied to one of twice its size.
    schedule.verify()


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("rule", ["latest-start", "best-fit"])
def test_a_thousand_processors_in_place_of_each_are_booked_alike(monkeypatch, rule, early):
    """Jobs and a system that are a thousand times as wide get the same starts."""
    many, servers = 1000, 4
    jobs = requests(300, 2 * servers, load=1.6)
    jobs = jobs.replace(runtime=(jobs.runtime * 0.6).round(), estimate=jobs.runtime)
    policy = co.Online(900, 900, 60, 3e5, rule, release_early=early)
    small, _ = run(monkeypatch, jobs, servers, policy)
    wide = jobs.replace(components=jobs.components * many)
    large, table = run(monkeypatch, wide, servers * many, policy)
    np.testing.assert_array_equal(large.start, small.start)
    np.testing.assert_array_equal(large.attempts, small.attempts)
    ids = small.servers.ids[:, None].astype(np.int64) * many + np.arange(many)
    np.testing.assert_array_equal(large.servers.ids, ids.ravel())
    assert small.attempts.max() > 5
    assert len(table.begin) > 2 * servers * many  # the list had to grow


@pytest.mark.parametrize(("step", "most"), [(0.1, 200), (7.0, 3000)])
def test_many_attempts_are_counted_as_one_by_one(step, most):
    """One pass counts the same idle processors for many attempts as one pass for each attempt."""
    rng = np.random.default_rng(1)
    sizes = np.array([20, 9])
    table = call(periods.new_table, sizes)
    table.begin[:] = (rng.integers(0, most, 58) * step).round(1)
    table.end[:] = table.begin + (rng.integers(0, 90, 58) * step).round(1)
    counts, one = np.empty((booking.MOST_AT_ONCE + 1, 2), np.int64), np.empty(2, np.int64)
    length, total = 12 * step, 0
    for low in range(0, most, 64):
        high = min(low + 64, most)
        periods.count_attempts(table, 0.0, step, length, low, high, counts)
        for attempt in range(low, high):
            begin = 0.0 + attempt * step
            periods.count_idle(table, begin, begin + length, one)
            assert counts[attempt - low].tolist() == one.tolist()
            total += one.sum()
    assert total > 500
