"""Notebook 05, online and batch scheduling: what a limit on waits costs, and the exercises."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import joblib
import numpy as np
import pandas as pd
from matplotlib.ticker import NullFormatter

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of, not_negative
from coalloc_lib.basics.progress import SILENT, Silent
from coalloc_lib.calendar import worked_example
from coalloc_lib.experiments import pick
from coalloc_lib.experiments.weeks import Bootstrap, WeeklySums, week_of
from coalloc_lib.intervals import Interval
from coalloc_lib.plots import format_interval
from coalloc_lib.widgets.controls import Explorer, slider_with_entry
from lessons.teaching import checker, near
from studies.online_batch import Setting, model, simulate
from studies.online_batch.claims import penalties, small_and_middle
from studies.online_batch.figures import LOOK, beside_the_record, plain, sums_of
from studies.online_batch.model import (
    CTC,
    EXACT,
    HOUR,
    KTH,
    LEAST,
    ONLINE,
    OWN_SERVERS,
    POLICIES,
    REQUESTED,
)
from studies.online_batch.reserved import power
from studies.online_batch.runs import over_weeks, refused_work

#: Limits in hours; the last is that of the paper's rule with our horizon. Jobs of a quick look.
LIMITS, FEW = (6, 12, 24, 48, 96, 336), 3_000
SINCE, COLUMNS = "from the request", ("estimate", "ci95_low", "ci95_high")
AHEAD = (
    "by far less: who plans ahead finds room", "about that, or a little less",
    "much more: the calendar is in pieces",
)  # fmt: skip
#: Exercise 1: a start and an end.
ASKED = (13, 23)
#: Exercise 2: three jobs on four servers, an attempt each 15 seconds.
THREE = co.JobStream([0, 0, 1], [50, 50, 20], [3, 3, 1], request="total")
DESK = co.Online(slot=10, step=15, max_attempts=8, horizon=240)
#: The project: how far ahead a booking asks to start, at most, and the seed that it is drawn by.
BOOKED_AHEAD, DRAWN = 3 * HOUR, 5
#: Exercises 3 and 4: jobs wider than half of the servers, and the attempts of half a day.
WIDE, LIMITED = 50, 1 + 12 * 4


#: Intervals of these tables.
BY_WEEKS = Bootstrap(1_000, model.SEED)


def hours_by_week(wait: np.ndarray, week: np.ndarray, mine: np.ndarray) -> WeeklySums:
    """Return the hours that some of the jobs wait, and their number, by the week that they came."""
    weeks = int(week.max()) + 1
    waited = np.bincount(week[mine], wait[mine] / HOUR, minlength=weeks)
    return WeeklySums(waited, np.bincount(week[mine], minlength=weeks).astype(float))


def book_or_queue(
    jobs: co.JobStream, machine: co.Multicluster, limits: Sequence[float] = LIMITS,
    overestimate: float = 1.0, progress: Silent = SILENT,
) -> pd.DataFrame:  # fmt: skip
    """Return what jobs wait, what they are promised, and what is refused, queued or booked.

    A row for EASY, conservative backfilling, online booking as in the paper, and with attempts up
    to each limit in hours, and what is left over released. Waits are in hours, of the jobs that
    ran, with 95 % intervals by bootstrap over weeks: ``told`` up to the start that was promised,
    ``early`` from the start up to it, ``easy_wait`` of the same jobs with EASY; wide jobs ask for
    more than half of the processors. What is refused is a share of the jobs, of their work, and of
    the wide jobs. What users ask for beyond the run time is multiplied by `overestimate`.
    """
    instance_of("jobs", jobs, co.JobStream, 'co.read_swf("my-log.swf.gz").jobs(request="total")')
    beyond = np.maximum(jobs.estimate - jobs.runtime, 0) * not_negative(
        "overestimate", overestimate
    )
    jobs = jobs.replace(estimate=jobs.runtime + beyond)
    ways = {name: POLICIES[name] for name in ("EASY", "conservative", ONLINE)}
    for hours in limits:
        limit = co.Online(release_early=True, max_attempts=1 + int(hours * HOUR / co.Online().step))
        ways[f"online, released, up to {hours:g} h"] = limit
    wide = jobs.processors > machine.processors / 2
    week = week_of(jobs.submit)
    run = joblib.delayed(lambda way: co.simulate(machine, jobs, scheduling=way))
    progress.total(len(ways))
    # Threads: the compiled loops let each other run.
    threads, schedules = joblib.Parallel(n_jobs=-1, prefer="threads", return_as="generator"), []
    for schedule in threads(run(way) for way in ways.values()):
        schedules.append(schedule)
        progress.step()
    queued, rows = schedules[0].wait, {}
    for name, schedule in zip(ways, schedules, strict=True):
        ran, hours = schedule.served, pd.Series(schedule.wait / HOUR)
        told = ran & np.isfinite(schedule.promised)
        ahead, early = (
            pd.Series(schedule.promised - since)[told].mean() / HOUR
            for since in (jobs.submit, schedule.start)
        )
        means = {}
        for column, wait in (("mean_wait", schedule.wait), ("easy_wait", queued)):
            mean = BY_WEEKS.mean(hours_by_week(wait, week, ran))
            means |= {column: mean.estimate, f"{column}_low": mean.low, f"{column}_high": mean.high}
        rows[name] = means | {
            "p99_wait": hours[ran].quantile(0.99), "wide_wait": hours[ran & wide].mean(),
            "told": ahead, "early": early, "refused": (~ran).mean(),
            "refused_work": refused_work(schedule), "wide_refused": (~ran)[wide].mean(),
        }  # fmt: skip
    return pd.DataFrame(rows).T


def limits_picture(table: pd.DataFrame, note: str = "") -> plots.Picture:
    """Draw the mean wait against the work that is refused, a point per limit."""
    figure, axes = plots.new_figure(3.6)
    booked = table.loc[[f"online, released, up to {hours:g} h" for hours in LIMITS]]
    refused = 100 * booked["refused_work"]
    ways = {"online": ("mean_wait", "booked, up to"), "EASY": ("easy_wait", "the same jobs, EASY")}
    for policy, (column, label) in ways.items():
        ends = [booked[column] - booked[f"{column}_low"], booked[f"{column}_high"] - booked[column]]
        sign = LOOK[policy]
        axes.errorbar(
            refused, booked[column], np.maximum(np.nan_to_num(ends), 0), color=sign.colour,
            marker=sign.marker, capsize=2, label=label + " ..." * (policy == "online"),
        )  # fmt: skip
    last = np.inf
    for hours, x, y in zip(LIMITS, refused, booked["mean_wait"], strict=True):
        if last - x > 0.02 * refused.max():  # else it lies on the one before
            axes.annotate(f"{hours:g} h", (x, y), (6, 4), textcoords="offset points", fontsize=8)
            last = x
    for policy in ("EASY", "conservative"):
        sign, wait = LOOK[policy], table.loc[policy, "mean_wait"]
        axes.plot(0, wait, color=sign.colour, marker=sign.marker, markersize=9, linestyle="",
                  label=f"all jobs, {policy}", clip_on=False)  # fmt: skip
    axes.set(
        yscale="log", xlabel="share of the work that is refused, %", ylabel="mean wait (hours)"
    )
    axes.set_xlim(left=0)
    low, high = axes.get_ylim()
    marks = [part * 10.0**power for power in range(-3, 4) for part in (1, 2, 5)]
    axes.set_yticks([at for at in marks if low <= at <= high])
    axes.yaxis.set_major_formatter(lambda at, _: f"{at:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.legend(fontsize=8, frameon=False)
    sooner = refused[booked["mean_wait"] <= table.loc["EASY", "mean_wait"]]
    title = "No limit here makes those who book wait less than those who queue"
    if len(sooner):
        title = (
            f"To wait no longer than in the queue, booking refuses {sooner.min():.0f} % of the work"
        )
    plots.title_figure(figure, title, f"bars: 95 %, bootstrap over weeks{note}")
    told = (
        f"up to {hours:g} h: wait {row.mean_wait:.3g} h, refused {100 * row.refused_work:.0f} %"
        for hours, row in zip(LIMITS, booked.itertuples(), strict=True)
    )
    return plots.Picture(figure, rows=told)


def book_or_queue_explorer(jobs: co.JobStream, machine: co.Multicluster) -> Explorer:
    """Return a slider of how far users overestimate, and what each limit on waits then costs.

    At 0 each job asks for as long as it runs; at 1 users ask for what they asked for.
    """

    @lru_cache
    def answers(overestimate: float, count: int) -> pd.DataFrame:
        with co.Progress(shown=not done) as progress:  # later the picture says that it is refined
            return book_or_queue(jobs.sample(count, 0), machine, LIMITS, overestimate, progress)

    done = set()

    def draw(overestimate: float, coarse: bool) -> plots.Picture:
        count = min(FEW, len(jobs)) if coarse else len(jobs)
        table = answers(overestimate, count)
        if not coarse:
            done.add(overestimate)
        return limits_picture(table, f"; the first {count:,} jobs" * coarse)

    slider = slider_with_entry("overestimate", 1.0, 0.0, 2.0, 0.5)
    return Explorer(
        {"overestimate": slider}, draw,
        simulates=lambda overestimate: overestimate not in done,
    )  # fmt: skip


def _among(found: Interval, options: dict[str, tuple[float, float]]) -> str | None:
    """Return the option between whose ends an interval lies; None if it lies between no two."""
    fits = (name for name, (low, high) in options.items() if low <= found.low <= found.high <= high)
    return next(fits, None)


def small_jobs(result: Any) -> str | None:
    """Answer the guess on the wait over length of small jobs, booked over EASY."""
    small, _ = small_and_middle(pick(beside_the_record(result.runs), log=KTH))
    found = over_weeks(small).ratio(penalties(small, LEAST), penalties(small, "EASY"))
    options = {"a tenth": (0, 0.3), "about the same": (0.6, 1.6), "ten times as much": (3, 30)}
    return _among(found, options)


def reserving_ahead(result: Any) -> str | None:
    """Answer the guess on the mean wait where all reserve ahead, less that where nobody does."""
    rows = pick(result.figure("figure7a").data(), panel=SINCE, line="KTH-SP2, online")
    one, *_, all_ahead = (Interval(*r, 0) for r in rows[[*COLUMNS]].itertuples(index=False))
    options = dict(zip(AHEAD, ((-9, 0.75), (0.75, 1.6), (2.0, 99)), strict=True))
    return _among(Interval(0, all_ahead.low - one.high, all_ahead.high - one.low, 0), options)


def told_requests(result: Any) -> str | None:
    """Answer the guess on the mean wait online with requested lengths, over exact."""
    online = plain(result.runs, log=KTH, policy=ONLINE)
    guessed, exact = (
        sums_of(pick(online, length=length), "wait_h") for length in (REQUESTED, EXACT)
    )
    options = {"about as long": (0.8, 1.25), "twice as long": (1.5, 3), "far longer": (10, np.inf)}
    return _among(over_weeks(online).ratio(guessed, exact), options)


def twice_the_slots(result: Any) -> str | None:
    """Answer the guess on the operations of an update where there are twice as many slots."""
    options = {"stay: the trees are balanced": (-1, 0.3), "nearly double": (0.6, 1.2)}
    return _among(power(result.runs, "slots", "update"), options)


class Submitted:
    """Jobs as a rule may see them when they are submitted: nobody knows yet how long they run."""

    def __init__(self, jobs: co.JobStream) -> None:
        self._jobs = jobs

    def __getattr__(self, name: str) -> Any:
        """Return what is known of the jobs."""
        if name in ("runtime", "work"):
            text = f"{name} is not known when a job is submitted; use estimate, what its user says"
            raise InputError(text)
        return getattr(self._jobs, name)


def who_books(
    jobs: co.JobStream, machine: co.Multicluster, rules: Mapping[str, Callable]
) -> pd.DataFrame:
    """Return what rules cost that say which jobs book; all others are backfilled around them.

    A rule takes the jobs, but for their run times, and returns a truth value for each: those that
    are true book up to three hours ahead. Waits are counted from the start that was asked for, and
    held against the same jobs where nobody books (conservative backfilling), in the same weeks;
    ``than drawn`` is the wait of all jobs over that where as many jobs, drawn at random, book.
    Intervals of 95 % are by bootstrap over weeks.
    """
    instance_of("rules", rules, dict, "functions by name")
    week = week_of(jobs.submit)
    ahead = jobs.reserved_ahead(1.0, BOOKED_AHEAD, DRAWN).earliest_start

    def waits(books: np.ndarray) -> np.ndarray:
        asked = jobs.replace(earliest_start=np.where(books, ahead, jobs.submit))
        return co.simulate(machine, asked, scheduling=co.Conservative()).delay

    def over(one: np.ndarray, other: np.ndarray, mine: np.ndarray) -> str:
        both = (hours_by_week(wait, week, mine) for wait in (one, other))
        return format_interval(BY_WEEKS.ratio(*both), 2)

    everyone, queued = np.ones(len(jobs), bool), waits(np.zeros(len(jobs), bool))
    chance, rows = np.random.default_rng(DRAWN).random(len(jobs)), {}
    for name, rule in rules.items():
        books = np.asarray(rule(Submitted(jobs)))
        if books.shape != everyone.shape or books.dtype != bool or books.all() or not books.any():
            raise InputError(
                f"rules[{name!r}] chooses no part of the jobs; give a truth value each"
            )
        wait = waits(books)
        work = jobs.work[books].sum() / jobs.work.sum()
        row = {"share of jobs": f"{books.mean():.0%}", "share of work": f"{work:.0%}"}
        groups = {"all jobs": everyone, "those that book": books, "those that queue": ~books}
        row |= {group: over(wait, queued, mine) for group, mine in groups.items()}
        row["than drawn"] = over(wait, waits(chance < books.mean()), everyone)
        rows[name] = row
    return pd.DataFrame(rows).T.rename_axis("who books")


def _told(answer: Any, right: float, within: float, hint: str, slips: dict[str, float]) -> str:
    """Return the hint of the slip that an answer is, if it is one; else the usual one."""
    for its_hint, value in slips.items():
        if abs(float(answer) - value) <= within < abs(right - value):
            return its_hint
    return near(answer, right, within, hint)


def _idle_in_example(answer: Any) -> str:
    book, _, _ = worked_example()
    begin, end = ASKED
    slips = {
        "so many are idle at the start; are they until the end?": len(book.feasible(begin, begin)),
        "the search stops with as many as were asked for; count them all": len(
            book.search(begin, end, 2).found
        ),
    }
    hint = "an idle period has to begin by the start and to last until the end"
    return _told(answer, len(book.feasible(begin, end)), 0.01, hint, slips)


def _attempts_of_second(answer: Any) -> str:
    schedule = co.simulate(co.Multicluster([4]), THREE, scheduling=DESK)
    right = int(schedule.attempts[1])
    hint = "try 0, 15, 30, ... one after the other: where are three servers idle for 50?"
    slips = {"the attempt that is accepted counts, too": right - 1}
    return _told(answer, right, 0.01, hint, slips)


@lru_cache
def _schedules(log: model.Log) -> dict[str, co.Schedule]:
    """Return the schedules of the log behind exercises 3 to 5."""
    limited = co.Online(release_early=True, max_attempts=LIMITED)
    exact = Setting(KTH, OWN_SERVERS[KTH])
    guessed = replace(exact, length=REQUESTED)
    settings = {"booked": exact, "queued": replace(exact, policy="EASY"), "guessed": guessed}
    settings["limited"] = replace(guessed, policy=limited)
    settings["kept"] = replace(guessed, policy=replace(limited, release_early=False))
    schedules = {name: simulate(setting, log) for name, setting in settings.items()}
    ahead = schedules["booked"].jobs.reserved_ahead(0.5, 3 * HOUR, seed=1)
    machine = schedules["booked"].system
    return schedules | {"ahead": co.simulate(machine, ahead, scheduling=co.Online())}


def _wide_jobs(answer: Any) -> str:
    made = _schedules(model.logs()[KTH])
    wide = made["queued"].jobs.processors > WIDE
    booked, queued, guessed = (made[name].wait for name in ("booked", "queued", "guessed"))
    right = booked[wide].mean() / queued[wide].mean()
    slips = {
        "that is the ratio of all jobs; take those that are wider": booked.mean() / queued.mean(),
        "turn the ratio over": 1 / right,
        "both are to know the run times": float(np.nanmean(guessed[wide]) / queued[wide].mean()),
    }
    hint = (
        "divide the mean wait of the wide jobs that are booked by that of the same jobs with EASY"
    )
    return _told(answer, right, 0.02, hint, slips)


def _refused_by_a_limit(answer: Any) -> str:
    made = _schedules(model.logs()[KTH])
    jobs, gone = made["limited"].jobs, ~made["limited"].served
    wide = jobs.processors > WIDE
    right = gone[wide].mean()
    slips = {
        "that is the share of all jobs": gone.mean(),
        "that is the share of the work": jobs.work[gone].sum() / jobs.work.sum(),
        "that is which share of the refused jobs are wide": wide[gone].mean(),
        "that is the share that is served": 1 - right,
        "give a share, not percent": 100 * right,
        "release what is left over: release_early=True": (~made["kept"].served)[wide].mean(),
    }
    hint = "an attempt each quarter of an hour, from the first at 0; then ~schedule.served"
    return _told(answer, right, 0.01, hint, slips)


def _cost_of_reservations(answer: Any) -> str:
    made = _schedules(model.logs()[KTH])
    ahead, booked = made["ahead"], made["booked"]
    slips = {
        "so far ahead do they ask, on average; does the wait grow by all of it?": float(
            (ahead.jobs.earliest_start - ahead.jobs.submit).mean() / HOUR
        ),
        "that is the delay, from the start asked for; take the wait, from the request": float(
            (ahead.delay.mean() - booked.delay.mean()) / HOUR
        ),
        "give hours": float(ahead.wait.mean() - booked.wait.mean()),
    }
    right = (ahead.wait.mean() - booked.wait.mean()) / HOUR
    hint = "both know exact lengths; the mean wait with reservations less that without, in hours"
    return _told(answer, right, 0.03, hint, slips)


def _cut_of_ctc(answer: Any) -> str:
    log = model.logs()[CTC]
    if not log.has_waits:
        return "this one needs the real log: coalloc traces fetch CTC-SP2"
    right = _least_minutes(log, round(model.LONGEST[CTC, model.RECORDED]))
    slips = {
        "a longer wait is left then": right - 1,
        "the longest wait is the right one then; with which fewer minutes is it, too?": right + 1,
        "give minutes, not seconds": 60 * right,
    }
    hint = "what is the longest wait of the jobs that ran for 1, 2, 3, ... minutes or more?"
    return _told(answer, right, 0.01, hint, slips)


def _least_minutes(log: model.Log, hours: int) -> int:
    """Return the least run time in minutes that leaves no longer recorded wait than so many hours.

    0 where there is none in the whole log.
    """
    minutes = 0
    while round(np.nanmax(log.recorded[log.jobs.runtime >= 60 * minutes]) / HOUR) > hours:
        minutes += 1
    return minutes


check = checker(
    {
        1: _idle_in_example, 2: _attempts_of_second, 3: _wide_jobs, 4: _refused_by_a_limit,
        5: _cost_of_reservations, 6: _cut_of_ctc,
    }
)  # fmt: skip
