"""Each option is what a direct run gives, with the intervals of the same weeks."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib import sites
from coalloc_lib.intervals import WEEK, resample_weeks
from coalloc_lib.report.options import ALONE, METRICS, SHARED, Comparison, with_more
from coalloc_lib.sites import ALL, together
from tests.report.conftest import CLUSTERS


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
        "conservative, alone": sites.local(system, jobs, site, scheduling=co.Conservative()),
        "dispatch at submission": sites.dispatch(system, jobs, **easy),
        SHARED: sites.sharing(system, jobs, **easy),
        "span, penalty 0": sites.multi_site(system, jobs, 0, **easy),
        "span, penalty 0.25": sites.multi_site(system, jobs, 0.25, **easy),
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
                "slowdown": ran.slowdown(10)[mine].mean(),
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
        change = weeks.interval(lambda means: means[1] - means[0])
        row = row_of(report, SHARED, group, "mean wait")
        shown = [row["change"], row["change_low"], row["change_high"]]
        np.testing.assert_allclose(shown, [change.estimate, change.low, change.high], rtol=1e-6)
        assert row["change_low"] < row["change_high"]
        assert row["weeks"] == change.count


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

    # Each copy comes at the same time of the week as a job of its site that is like it.
    def alike(at, of, chosen):
        columns = at[chosen], of.work[chosen], of.processors[chosen]
        return {*zip(*columns, np.round(of.submit[chosen] % WEEK), strict=True)}

    assert alike(more_site, more, copies) <= alike(site, jobs, slice(None))
    assert more.submit.min() >= jobs.submit.min()


def compared(waits, weeks=6, late=()):
    """Return a comparison of options with these waits, the same of each job."""
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
    interval = comparison.root(("all", ALL), "mean wait", at, "level")
    assert [interval.estimate, interval.low, interval.high] == [root] * 3
    down = dict(zip((2, 1, 0), names, strict=True))
    mirrored = comparison.root(("all", ALL), "mean wait", down, "level").estimate
    assert mirrored == (2 - root if np.isfinite(root) else -root)


def test_short_and_saturated_options_say_so_in_the_place_of_figures():
    group = "all", ALL
    short = compared({ALONE: 5, SHARED: 2}, weeks=3)
    for metric in METRICS:
        change = short.change(group, metric, SHARED)
        assert change.estimate == -3
        assert change.warning == "its jobs come from less than four weeks"
    full = compared({ALONE: 5, SHARED: 2}, late=[SHARED])
    assert full.fault(group, SHARED).startswith("saturated: 100% of the work still waits")
    assert full.fault(group, ALONE) == ""


def test_what_cannot_be_run_and_what_is_saturated_has_no_number(logs):
    small = {"north": 16, "south": 8}
    many = logs["north"].jobs()
    # All of the work of the north in a tenth of the time.
    busy = many.replace(submit=many.submit / 10 + 2 * WEEK)
    quiet = logs["south"].jobs()
    report = co.sites_report(small, {"north": busy, "south": quiet}, penalties=[0.5])
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
        ({"penalties": [0]}, r"penalties = \[0\]; give one above 0"),
        ({"penalties": [-1]}, "penalties = -1"),
        ({"clusters": {"north": 16}}, "give a dict of two sites"),
        ({"clusters": {"north": 4, "south": 8}}, r"north: \d+ of 302 .* 4 proc.* of 16;"),
        ({"largest": 0}, "largest = 0; give a whole number of 1"),
        ({"clock": "hours"}, "clock = 'hours'"),
        ({"workers": 0}, "workers = 0"),
    ],
)
def test_bad_arguments_are_named(logs, change, words):
    with pytest.raises(co.InputError, match=words):
        co.sites_report(**{"clusters": CLUSTERS, "logs": logs} | change)
