"""Each option is what a direct run gives, with the intervals of the same weeks."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.basics.progress import NO_PROGRESS
from coalloc_lib.basics.seeds import generators
from coalloc_lib.simulation import sites
from coalloc_lib.statistics import WEEK, resample_weeks
from coalloc_lib.statistics.site_comparison import ALL, together
from own_system import sites_report
from own_system.comparison import METRICS, Comparison, _fall_below
from own_system.options import (
    ALONE,
    CONSERVATIVE,
    SHARED,
    Option,
    likely_penalty,
    options,
    with_more,
)
from own_system.simulation import run_all
from tests.own_system.conftest import CLUSTERS


@pytest.fixture(scope="module")
def case(logs):
    system, jobs, site, _ = together(CLUSTERS, logs, "calendar")
    return system, jobs, site


def wait(ran):
    return ran.response - ran.jobs.runtime


def p95(values):
    return np.sort(values)[int(np.ceil(0.95 * len(values))) - 1]


def row_of(report, option, group, metric):
    rows = report.tables["options"].to_dict("records")
    names = ("option", "group", "metric")
    (row,) = [row for row in rows if [row[name] for name in names] == [option, group, metric]]
    return row


def test_every_figure_is_that_of_a_direct_run_of_its_option(report, case):
    system, jobs, site = case
    easy = {"scheduling": co.EASY()}
    larger = co.Multicluster([18, 9])  # 17.6 and 8.8 in whole processors
    runs = {
        ALONE: sites.local(system, jobs, site, **easy),
        CONSERVATIVE: sites.local(system, jobs, site, scheduling=co.Conservative()),
        SHARED: sites.sharing(system, jobs, **easy),
        "span if no site has room, penalty 0": sites.multi_site(system, jobs, 0, **easy),
        "span if no site has room, penalty 0.25": sites.multi_site(system, jobs, 0.25, **easy),
        "span only if sooner, penalty 0.25": sites.multi_site(
            system, jobs, 0.25, scheduling=co.EASY(adaptive=True)
        ),
        "exact estimates, alone": sites.local(system, jobs.replace(estimate=None), site, **easy),
        "10 % more processors, alone": sites.local(larger, jobs, site, **easy),
    }
    for name, ran in runs.items():
        for number, group in enumerate([*CLUSTERS, ALL]):
            mine = (site == number) | (group == ALL)
            work = jobs.work[mine]
            by_hand = {
                "mean wait": wait(ran)[mine].mean(),
                "p95 wait": p95(wait(ran)[mine]),
                "AWRT": work @ ran.response[mine] / work.sum(),
                "slowdown": np.maximum(ran.response / np.maximum(jobs.runtime, 10), 1)[mine].mean(),
            }
            for metric, value in by_hand.items():
                row = row_of(report, name, group, metric)
                assert row["value"] == pytest.approx(value, rel=1e-9), (name, group, metric)
                assert row["jobs"] == mine.sum()
                assert row["spanned"] == pytest.approx(ran.spans[mine].mean())
    assert {"10 % more load, alone", "half of the users exact, alone"} <= {
        *report.tables["options"]["option"]
    }


def test_changes_have_the_intervals_of_weeks_drawn_anew(report, case):
    system, jobs, site = case
    alone = sites.local(system, jobs, site, scheduling=co.EASY())
    shared = sites.sharing(system, jobs, scheduling=co.EASY())
    for number, group in enumerate([*CLUSTERS, ALL]):
        mine = (site == number) | (group == ALL)
        values = [wait(alone)[mine], wait(shared)[mine]]
        weeks = resample_weeks(values, np.ones(mine.sum()), jobs.submit[mine])
        change = weeks.difference(1, 0)
        row = row_of(report, SHARED, group, "mean wait")
        shown = [row["change"], row["change_low"], row["change_high"]]
        np.testing.assert_allclose(shown, [change.estimate, change.low, change.high], rtol=1e-6)
        assert row["change_low"] < row["change_high"]
        assert row["blocks"] == change.count


def test_groups_are_sites_widths_and_queues_and_each_has_all_its_jobs(report, case):
    _, jobs, _ = case
    table = report.tables["options"].query("option == @ALONE and metric == 'AWRT'", local_dict={
        "ALONE": ALONE})  # fmt: skip
    counts = table.groupby("grouping")["jobs"].sum()
    assert counts.to_dict() == dict.fromkeys(("all", "site", "width", "partition"), len(jobs))
    assert {"north queue 1", "south queue 2"} < {*table["group"]}
    widths = dict(table.query("grouping == 'width'")[["group", "jobs"]].itertuples(index=False))
    for width, (low, high) in {"1": (1, 1), "2": (2, 2), "3-8": (3, 8), "9-16": (9, 16)}.items():
        assert widths.pop(width) == ((jobs.processors >= low) & (jobs.processors <= high)).sum()
    assert not widths


def test_more_load_is_copies_at_whole_weeks_beside_the_jobs_as_they_were(case):
    _, jobs, site = case
    more, more_site, mine = with_more(jobs, site, 0.1, np.random.default_rng(1))
    for column in ("submit", "runtime", "estimate"):
        assert (getattr(more, column)[mine] == getattr(jobs, column)).all()
    assert (more_site[mine] == site).all()
    copies = np.delete(np.arange(len(more)), mine)
    for number in range(2):
        work, added = jobs.work[site == number], more.work[copies][more_site[copies] == number]
        assert 0.1 <= added.sum() / work.sum() <= 0.1 + work.max() / work.sum()

    # Each additional job is a copy of a job of the same site, at the same time of the week.
    def alike(at, of, chosen):
        columns = at[chosen], of.work[chosen], of.processors[chosen]
        return {*zip(*columns, np.round(of.submit[chosen] % WEEK), strict=True)}

    assert alike(more_site, more, copies) <= alike(site, jobs, slice(None))
    assert more.submit.min() >= jobs.submit.min()
    assert more.submit.max() <= jobs.submit.max()


def compared(waits, weeks=6, late=()):
    """Return a comparison of options; all jobs wait equally long under an option."""
    count = 10 * weeks
    submit = np.linspace(0, weeks * WEEK, count)
    outcomes = {}
    for name, value in waits.items():
        wait = np.full(count, float(value))
        outcomes[name] = dict.fromkeys(("wait", "response", "slowdown"), wait)
        outcomes[name] |= {"late": np.full(count, name in late), "spans": np.zeros(count, bool)}
    group = {("all", ALL): np.ones(count, dtype=bool)}
    return Comparison(outcomes, group, submit, np.ones(count))


@pytest.mark.parametrize(
    ("waits", "root"),
    [((9, 7, 3), 1.5), ((4, 3, 2), -np.inf), ((9, 8, 7), np.inf), ((9, 5, 1), 1.0)],
)
def test_the_root_is_where_the_line_falls_below_the_level(waits, root):
    names = ["none", "some", "all"]
    comparison = compared(dict(zip(names, waits, strict=True)) | {"level": 5})
    at = dict(zip((0, 1, 2), names, strict=True))
    interval = comparison.crossing(("all", ALL), "mean wait", at, "level")
    assert [interval.estimate, interval.low, interval.high] == [root] * 3
    down = dict(zip((2, 1, 0), names, strict=True))
    mirrored = comparison.crossing(("all", ALL), "mean wait", down, "level").estimate
    assert mirrored == (2 - root if np.isfinite(root) else -root)


@pytest.mark.parametrize(
    ("y", "first", "for_good"),
    [
        ([3, 1, -1, -3], 1.5, 1.5),
        ([3, -1, 1, -1], 0.75, 2.5),  # It falls below 0, rises, and falls again.
        ([-1, 1, -1, -2], -np.inf, 1.5),
        ([1, -1, -2, 2], 0.5, np.inf),
        ([1, 2, 3, 4], np.inf, np.inf),
        ([-1, -2, -3, -4], -np.inf, -np.inf),
    ],
)
def test_the_ends_of_an_interval_are_the_outermost_crossings(y, first, for_good):
    x = np.arange(4.0)
    assert _fall_below(0, x, np.array(y), False) == first
    assert _fall_below(0, x, np.array(y), True) == for_good
    assert _fall_below(0, 3 - x, np.array(y), False) == 3 - first


def test_short_and_saturated_options_say_so_in_the_place_of_figures():
    group = "all", ALL
    short = compared({ALONE: 5, SHARED: 2}, weeks=3)
    for metric in METRICS:
        change = short.change(group, metric, SHARED)
        assert change.estimate == -3
        assert change.warning == "the jobs come from less than four weeks"
    full = compared({ALONE: 5, SHARED: 2}, late=[SHARED])
    assert full.fault(group, SHARED).startswith("saturated: 100% of the work still waits")
    assert full.fault(group, ALONE) == ""


def test_what_cannot_be_run_and_what_is_saturated_has_no_number(logs):
    small = {"north": 16, "south": 8}
    many = logs["north"].jobs()
    # All jobs of the northern site are submitted in a tenth of the time.
    busy = many.replace(submit=many.submit / 10 + 2 * WEEK)
    quiet = logs["south"].jobs()
    report = sites_report(small, {"north": busy, "south": quiet}, penalties=[0.5])
    row = row_of(report, ALONE, "north", "mean wait")
    assert np.isnan(row["value"])
    assert row["warning"].startswith("saturated")
    assert row["warning"] in report.doubts["north"]
    shared = row_of(report, SHARED, "north", "mean wait")
    assert np.isnan(shared["change"])
    assert shared["warning"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"penalties": [0]}, r"penalties = \[0\]; give at least one penalty above 0"),
        ({"penalties": [-1]}, "penalties = -1"),
        ({"clusters": {"north": 16}}, "give a dict of two sites"),
        ({"clusters": {"north": 4, "south": 8}}, r"north: \d+ of 302 .* 4 proc.* needs 16;"),
        ({"largest": 0}, "largest = 0; give a whole number of 1"),
        ({"clock": "hours"}, "clock = 'hours'"),
        ({"workers": 0}, "workers = 0"),
    ],
)
def test_bad_arguments_are_named(logs, change, words):
    with pytest.raises(co.InputError, match=words):
        sites_report(**{"clusters": CLUSTERS, "logs": logs} | change)


def test_break_even_and_buying_are_those_of_direct_runs(report, case):
    """The expected results are interpolated between direct simulations, with the same bootstrap."""
    system, jobs, site = case
    easy = {"scheduling": co.EASY()}
    shared = sites.sharing(system, jobs, **easy)
    spans = [sites.multi_site(system, jobs, p, **easy) for p in (0, 0.25)]
    break_even = report.tables["break_even"].set_index(["group", "metric"])
    for number, group in enumerate([*CLUSTERS, ALL]):
        mine = (site == number) | (group == ALL)
        for metric, weights in (("AWRT", jobs.work[mine]), ("mean wait", np.ones(mine.sum()))):
            times = [
                (ran.response if metric == "AWRT" else wait(ran))[mine] for ran in (shared, *spans)
            ]

            runs = resample_weeks(times, weights, jobs.submit[mine])
            free, dear = (runs.difference(k, 0) for k in (1, 2))

            def crossing(free, dear):
                """Return the penalty between 0 and 0.25 at which the difference is 0."""
                if dear < 0:
                    return np.inf
                return -np.inf if free >= 0 else 0.25 * -free / (dear - free)

            by_hand = [
                crossing(free.estimate, dear.estimate), crossing(free.high, dear.high),
                crossing(free.low, dear.low),
            ]  # fmt: skip
            row = break_even.loc[group, metric]
            shown = row[["penalty", "penalty_low", "penalty_high"]].tolist()
            np.testing.assert_allclose(shown, by_hand)
    sizes = {1.0: co.Multicluster([16, 8])}
    for percent in (5, 10, 20, 35, 50, 100):
        sizes[1 + percent / 100] = co.Multicluster(
            [int(np.ceil(size * (100 + percent) / 100)) for size in (16, 8)]
        )
    alone = [sites.local(each, jobs, site, **easy) for each in sizes.values()]
    bought = report.tables["buy_or_share"].set_index("site")
    for number, name in enumerate(CLUSTERS):
        mine = site == number
        # If a percentage adds no whole processor, the same size occurs twice, and counts once.
        by_size = {
            each.sizes[number]: wait(ran)[mine]
            for each, ran in zip(sizes.values(), alone, strict=True)
        }

        def needed(y, x=(*by_size,)):
            """Return the number of processors at which the differences `y` fall below 1 s."""
            if y[0] < 1:
                return -np.inf
            for k in range(1, len(x)):
                if y[k] < 1:
                    return x[k - 1] + (x[k] - x[k - 1]) * (y[k - 1] - 1) / (y[k - 1] - y[k])
            return np.inf

        times = [wait(shared)[mine], *by_size.values()]
        runs = resample_weeks(times, np.ones(mine.sum()), jobs.submit[mine])
        apart = [runs.difference(k, 0) for k in range(1, len(times))]
        by_hand = [
            needed([getattr(each, end) for each in apart]) for end in ("estimate", "low", "high")
        ]
        row = bought.loc[name]
        shown = row[["processors", "processors_low", "processors_high"]].tolist()
        np.testing.assert_allclose(shown, by_hand)
        assert row["today"] == CLUSTERS[name]


def test_what_ifs_are_of_the_users_and_jobs_that_they_say(report, case, logs):
    system, jobs, site = case
    _, _, _, row = together(CLUSTERS, logs, "calendar")
    user = np.array([
        f"{[*CLUSTERS][s]} {logs[[*CLUSTERS][s]].usable['user'].iloc[r]}"
        for s, r in zip(site, row, strict=True)
    ])  # fmt: skip
    choosing, copying, binding = generators(0, 3)
    users = np.unique(user)

    def half(rng):
        return np.isin(user, users[rng.permutation(len(users)) < len(users) / 2])

    exact, bound = half(choosing), half(binding)
    assert 0.3 < exact.mean() < 0.7
    halved = jobs.replace(estimate=np.where(exact, jobs.runtime, jobs.estimate))
    shorter = jobs.replace(estimate=np.maximum(jobs.runtime, jobs.estimate / 2))
    easy = {"scheduling": co.EASY()}
    more, more_site, mine = with_more(jobs, site, 0.1, copying)
    every = np.arange(len(jobs))
    runs = {
        "half of the users exact, alone": (sites.local(system, halved, site, **easy), every),
        "estimates half as long, alone": (sites.local(system, shorter, site, **easy), every),
        "half of the users bound, one queue": (
            sites.sharing(system, jobs, home=np.where(bound, site, -1), **easy), every),
        "10 % more load, alone": (sites.local(system, more, more_site, **easy), mine),
        "10 % more load, one queue": (sites.sharing(system, more, **easy), mine),
    }  # fmt: skip
    for name, (ran, rows) in runs.items():
        row = row_of(report, name, ALL, "mean wait")
        assert row["value"] == pytest.approx(wait(ran)[rows].mean(), rel=1e-9), name


def test_a_saturated_site_leaves_no_figure_of_all_and_few_late_jobs_saturate_no_group():
    count, submit = 60, np.linspace(0, 6 * WEEK, 60)
    wait = np.ones(count)
    job = np.arange(count)
    groups = {("all", ALL): job >= 0, ("site", "small"): job < 20}
    groups |= {("site", "large"): job >= 20, ("width", "9"): (job >= 10) & (job < 18)}
    outcome = dict.fromkeys(("wait", "response", "slowdown"), wait) | {"spans": wait < 0}
    late = outcome | {"late": job < 12}
    work = np.where(job < 20, 1.0, 100.0)
    comparison = Comparison(
        {ALONE: late, SHARED: outcome | {"late": wait < 0}}, groups, submit, work
    )
    said = "saturated at small: 60% of the work still waits at the last submission"
    assert comparison.fault(("all", ALL), ALONE) == said
    assert comparison.fault(("site", "small"), ALONE).startswith("saturated: 60%")
    assert comparison.fault(("site", "large"), ALONE) == ""
    assert comparison.fault(("width", "9"), ALONE) == ""
    assert comparison.fault(("all", ALL), SHARED) == ""
    nothing = Comparison({ALONE: late, SHARED: late}, groups, submit, np.zeros(count))
    assert nothing.fault(("site", "small"), ALONE) == ""


def test_what_plans_a_long_queue_is_not_run_where_easy_cannot_serve(logs):
    slow = {name: log.jobs() for name, log in logs.items()}
    slow = {
        name: jobs.replace(runtime=3 * jobs.runtime, submit=jobs.submit + 1)
        for name, jobs in slow.items()
    }
    table = sites_report(CLUSTERS, slow, penalties=[0.5]).tables["options"]
    why = table[table["grouping"] == "all"].groupby("option")["warning"].first()
    assert why[CONSERVATIVE] == f"not simulated, because '{ALONE}' is saturated"


def test_of_spanning_only_the_middle_penalty_can_be_recommended(case):
    system, jobs, site = case
    found = options(system, jobs, site, ["one"] * len(jobs), [0, 0.1, 0.25, 0.5], 0)
    policies = [option.name for option in found if option.kind == "policy"]
    assert [name for name in policies if "span" in name] == ["span only if sooner, penalty 0.25"]
    assert all(option.advice for option in found if option.kind == "policy")
    choices = [0.5], [0, 0.2, 0.4], [0, 0.1, 0.2, 0.3]
    assert [likely_penalty(penalties) for penalties in choices] == [0.5, 0.2, 0.2]


def test_who_starts_after_the_last_submission_is_late(case):
    system, jobs, site = case
    ran = sites.local(system, jobs, site, scheduling=co.EASY())
    last = jobs.submit.max()
    assert 0 < (ran.start > last).sum() < 100
    found = [Option(name, "policy", lambda: ran) for name in (ALONE, SHARED)]
    outcomes = run_all(found, jobs.work, NO_PROGRESS, 1)
    assert outcomes[ALONE]["late"].tolist() == (ran.start > last).tolist()
