"""Tables, pictures and exercises of notebook 05, on online and batch scheduling."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of
from coalloc_lib.schedules.reading import booked_end
from coalloc_lib.statistics import Interval, interval_columns, pick
from coalloc_lib.widgets import booking_session
from lessons.teaching import checker, folded, follows, near
from studies.online_batch import Setting, model, simulate, study
from studies.online_batch.busy import used
from studies.online_batch.claims import small_and_middle, waits_over_length
from studies.online_batch.figures import (
    GROUPS,
    LOOK,
    WEEKS,
    beside_the_record,
    plain,
    sums_of,
    sums_of_groups,
)
from studies.online_batch.model import (
    BOOKERS,
    CTC,
    EXACT,
    HOUR,
    HPC2N,
    KTH,
    LEAST,
    ONLINE,
    OWN_SERVERS,
    QUEUERS,
    RECORDED,
    REQUESTED,
)
from studies.online_batch.reserved import power
from studies.online_batch.runs import over_weeks
from studies.online_batch.settings import BY_LENGTH, BY_SERVERS, OVERLOAD
from studies.online_batch.waiting_limits import BY_WEEKS, hours_by_week
from studies.online_batch.worked_example import worked_example
from studies.weeks import week_of, weekly_sums

#: The figures of `in_numbers`: the columns of its value and of its rows, and that of its columns.
TABLES = {
    "waits": ("mean_wait_h", ["log", "length"], "policy"),
    "certainty": ("ratio", ["log", "length"], "policy"),
    "beside": ("ratio", ["panel", "length", "at"], "line"),
}


def in_numbers(result: Any, name: str) -> HTML:
    """Return the estimates and 95 % intervals of a figure as a folded table.

    `name` is that of the figure: ``"waits"``, ``"certainty"`` or ``"beside"``.
    """
    value, rows, columns = TABLES[name]
    table = result.figure(name).data()
    ends = table[[value, "ci95_low", "ci95_high"]].itertuples(index=False)
    texts = [f"{x:.2f} [{low:.2f}, {high:.2f}]".replace(" [nan, nan]", "") for x, low, high in ends]
    table = table.assign(text=texts).pivot(index=rows, columns=columns, values="text")
    return folded("Numbers", table.rename_axis(columns=None).fillna(""))


#: The panel of Figure 7(a) that a question in the notebook refers to, and the columns with the mean
#: wait and the two ends of its interval.
SINCE, COLUMNS = "from the submission", ("estimate", "ci95_low", "ci95_high")
#: The possible answers to the question: how long is the longest wait under EASY?
LONGEST = (
    "about as long as with online booking",
    "about as long as in the record",
    "far from both",
)  # fmt: skip
#: The options of a question in the notebook: how much does the mean wait, counted from the
#: submission, grow if all jobs reserve ahead, by 1.5 hours on average?
AHEAD = (
    "by far less, because jobs that plan ahead find idle servers",
    "by 1.5 hours or a little less",
    "by far more, because reservations fragment the calendar",
)  # fmt: skip
#: The options of the question which widths wait less online: whether jobs of one server do, and
#: whether the widest do.
WIDTHS = {
    (True, False): "the jobs of one server",
    (False, True): "the jobs of more than 64 servers",
    (True, True): "both",
    (False, False): "neither",
}
#: The options of the question how long jobs that book wait beside a queue.
BOOKED = ("less than if nobody books", "about as long", "at least 1.5 times as long")
#: The options of the question how many servers booking keeps busy: whether it keeps more of them
#: busy than EASY, and whether more than FCFS.
KEPT_BUSY = {
    (True, True): "more servers busy than EASY and than FCFS",
    (False, True): "fewer servers busy than EASY, and more than FCFS",
    (False, False): "fewer servers busy than EASY and than FCFS",
}
#: The options of the question how much longer jobs wait if they are booked: the ends of each range,
#: as ratios of mean waits.
LONGER = {
    "at most 10 % longer": (0, 1.1), "10 to 80 % longer": (1.1, 1.8),
    "more than 80 % longer": (1.8, np.inf),
}  # fmt: skip
#: The seed and the current time of the calendar of stop 1; the number of servers and the length of
#: a request, of one for fewer servers and of one for a shorter time; and the options of the
#: question which of these two starts earlier.
CALENDAR, NOON = 33, 12.0
REQUESTS = ((5, 4.0), (3, 4.0), (5, 1.0))
SMALLER = {
    (True, False): "three servers for four hours",
    (False, True): "five servers for one hour",
    (True, True): "each of these two",
    (False, False): "neither of them",
}
#: Exercise 1: the start and the end of the interval for which a job requests servers.
ASKED = (13, 23)
#: Exercise 2: three jobs for four servers, and a booking policy whose possible starts are
#: 15 seconds apart.
THREE = co.JobStream([0, 0, 1], [50, 50, 20], [3, 3, 1], request="total")
DESK = co.Online(slot=10, step=15, max_attempts=8, horizon=240)
#: The project: the longest time, in seconds, by which a job books ahead, and the seed that samples
#: these times.
BOOKED_AHEAD, DRAWN = 3 * HOUR, 5
#: Exercises 3 and 4: a job is wide if it needs more than `WIDE` servers (half of all servers). A
#: request that may start at most two hours late gets `LIMITED` attempts.
WIDE, LIMITED = 50, 1 + 2 * 4


def start_in_calendar(servers: int, length: float) -> float:
    """Return when a request at noon starts in the calendar of stop 1, if it is the first one.

    The result is infinite if the calendar rejects the request.

    This does not make the calendar widget, because a notebook stores every widget.
    """
    setting = booking_session.Setting((8,), 1.0, 1.0, None, 24.0, "latest-start", 0.0)
    others = booking_session.Others(12, 0.5, 10.0, CALENDAR).sample(NOON, 24.0, 8, 0.2)
    session = booking_session.BookingSession(setting, others, NOON, "h")
    reserved = session.submit(NOON, length, servers).reserved
    return np.inf if reserved is None else reserved.booking.start


def smaller_request() -> str:
    """Return the correct answer to the question: which smaller request starts earlier?"""
    base, *smaller = (start_in_calendar(*request) for request in REQUESTS)
    return SMALLER[tuple(at < base for at in smaller)]


def unused_time(schedules: Mapping[str, co.Schedule]) -> plots.Picture:
    """Draw when each job runs, and the booked time after it that nobody uses.

    There is a row for each schedule, so each job should take all processors.
    """
    figure, axes = plots.new_figure(1.5)
    for row, schedule in enumerate(schedules.values()):
        begin, end = schedule.start, schedule.end
        late = booked_end(schedule) if isinstance(schedule.scheduling, co.Online) else end
        axes.broken_barh([*zip(end, late - end, strict=True)], (row - 0.35, 0.7),
                         facecolor="white", edgecolor=plots.GREY, hatch="///")  # fmt: skip
        axes.broken_barh([*zip(begin, end - begin, strict=True)], (row - 0.35, 0.7),
                         facecolor="0.8", edgecolor="white")  # fmt: skip
        for job, middle in enumerate((begin + end) / 2, start=1):
            axes.text(middle, row, f"job {job}", ha="center", va="center", fontsize=8)
    axes.set_yticks(range(len(schedules)), [*schedules])
    axes.set(xlabel="time (hours)", xlim=0, ylim=(len(schedules) - 0.5, -0.5))
    plots.title_figure(figure, "Booked time that a job does not use stays blocked",
                       "hatched: booked, but not used")  # fmt: skip
    return plots.Picture(figure)


def _among(found: Interval, options: dict[str, tuple[float, float]]) -> str | None:
    fits = (name for name, (low, high) in options.items() if low <= found.low <= found.high <= high)
    return next(fits, None)


def small_jobs(result: Any) -> str | None:
    """Return the correct answer to the question: how long do small jobs wait under booking?

    The wait is compared with the wait under EASY.
    """
    small, _ = small_and_middle(pick(beside_the_record(result.runs), log=KTH))
    online, easy = (waits_over_length(small, policy) for policy in (LEAST, "EASY"))
    found = over_weeks(small).ratio(online, easy)
    options = {
        "a tenth of it": (0, 0.3),
        "about the same": (0.6, 1.6),
        "ten times as much": (3, 30),
    }
    return _among(found, options)


def longest_under_easy(result: Any) -> str | None:
    """Return the correct answer to the question: where is the longest wait under EASY?

    It is compared with the longest wait under booking and with the longest recorded wait.
    """
    shares = result.figure("figure4").data().query("estimate > 0")
    longest = shares.groupby(["log", "line"])["at"].max().unstack()
    to_booking = np.exp(abs(np.log(longest["EASY"] / longest[LEAST])))
    to_record = longest["recorded"] / longest["EASY"]
    if (to_booking < 1.5).all() and (to_record > 2).all():
        return LONGEST[0]
    if (to_record < 1.5).all() and (to_booking > 2).all():
        return LONGEST[1]
    return LONGEST[2] if (to_record > 2).all() and (to_booking > 2).all() else None


def reserving_ahead(result: Any) -> str | None:
    """Return the correct answer to the question: how does the mean wait change with reservations?

    The mean wait if all jobs reserve ahead is compared with the mean wait if none do.
    """
    rows = pick(result.figure("figure7a").data(), panel=SINCE, line="KTH-SP2, online")
    waits = (Interval(*row, 0) for row in rows[[*COLUMNS]].itertuples(index=False))
    none_ahead, *_, all_ahead = waits
    growth = Interval(0, all_ahead.low - none_ahead.high, all_ahead.high - none_ahead.low, 0)
    options = dict(zip(AHEAD, ((-9, 0.75), (0.75, 1.6), (2.0, 99)), strict=True))
    return _among(growth, options)


def widths_that_gain(result: Any) -> str:
    """Return the correct answer to the question: which jobs wait less online than under EASY?"""
    rows = pick(beside_the_record(result.runs), log=KTH, grouping=BY_SERVERS)
    waits_less = []
    for limit in ({"up_to": 1}, {"above": 64}):
        online, easy = (
            weekly_sums(pick(rows, policy=policy, **limit), "wait_h", "jobs")
            for policy in (LEAST, "EASY")
        )
        waits_less.append(over_weeks(rows).ratio(online, easy).high < 1)
    return WIDTHS[tuple(waits_less)]


#: Groups of jobs by length, each with its shortest and its longest length in hours.
BY_HOURS = {
    "up to 1 hour": (0, 1), "1 to 2 hours": (1, 2), "2 to 10 hours": (2, 10),
    "more than 10 hours": (10, np.inf),
}  # fmt: skip


def penalties_beside_easy(result: Any) -> plots.Picture:
    """Draw the temporal penalties of KTH jobs divided by those under EASY, by length."""
    runs = pick(beside_the_record(result.runs), log=KTH, grouping=BY_LENGTH)
    title = "Mean of wait / length, divided by that under EASY"
    return _beside_easy(runs, "wait_over_length", BY_HOURS, (LEAST, RECORDED), title)


def waits_beside_easy(result: Any) -> plots.Picture:
    """Draw the mean waits of KTH jobs divided by those under EASY, by requested servers."""
    runs = pick(beside_the_record(result.runs), log=KTH, grouping=BY_SERVERS)
    widths = {}
    for above, up_to in runs[[*GROUPS]].drop_duplicates().itertuples(index=False):
        widths[f"{up_to:g}" if up_to == above + 1 else f"{above + 1:g} to {up_to:g}"] = above, up_to
    title = "Mean wait by requested servers, divided by that under EASY"
    return _beside_easy(runs, "wait_h", widths, (LEAST, "conservative"), title)


def _beside_easy(runs, top, groups, policies, title) -> plots.Picture:
    rows: list[dict[str, Any]] = []
    for (name, (least, most)), policy in product(groups.items(), policies):
        here = runs[(runs["above"] >= least) & (runs["up_to"] <= most)]
        one, easy = (sums_of_groups(pick(here, policy=p), top) for p in (policy, "EASY"))
        ratio = interval_columns(over_weeks(runs).ratio(one, easy), "ratio")
        rows.append({"group": name, "policy": policy} | ratio)
    figure = plots.intervals(
        pd.DataFrame(rows), x="ratio", row="group", series="policy", factors=True, look=LOOK,
        row_height=0.3, xlabel="ratio to EASY", title=title, subtitle=f"KTH; {WEEKS}",
        beyond="arrow: continues beyond the axis",
    )  # fmt: skip
    words = [f"{row['group']}, {row['policy']}: {row['ratio']:.2f}" for row in rows]
    return plots.Picture(figure, rows=words)


def waits_beside(result: Any) -> str | None:
    """Return the correct answer to the question: how long do jobs wait that book beside a queue?"""
    rows = result.figure("beside").data()
    (row,) = pick(rows, panel=KTH, length=REQUESTED, line=BOOKERS, at=0.1).to_dict("records")
    found = Interval(row["ratio"], row["ci95_low"], row["ci95_high"], 0)
    return _among(found, dict(zip(BOOKED, ((0, 1), (0.8, 1.25), (1.5, np.inf)), strict=True)))


def told_requests(result: Any) -> str | None:
    """Return the correct answer to the question: how long are waits without known run times?

    The policy then knows only requested times.
    """
    online = plain(result.runs, log=KTH, policy=ONLINE)
    guessed, exact = (
        sums_of(pick(online, length=length), "wait_h") for length in (REQUESTED, EXACT)
    )
    options = {"about as long": (0.8, 1.25), "twice as long": (1.5, 3)}
    options["ten times as long or more"] = (10, np.inf)
    return _among(over_weeks(online).ratio(guessed, exact), options)


def kept_busy(result: Any) -> str | None:
    """Return the correct answer to the question: how many servers does booking keep busy?"""
    runs = pick(result.runs, kind=OVERLOAD, log=KTH, length=EXACT)
    online = used(runs, LEAST)
    gaps = (over_weeks(runs).difference(online, used(runs, policy)) for policy in ("EASY", "FCFS"))
    return KEPT_BUSY.get(tuple(gap.above(0) for gap in gaps))


def longer_than_easy(result: Any) -> str | None:
    """Return the correct answer to the question: how much longer do booked jobs of CTC wait?"""
    rows = result.figure("certainty").data()
    (row,) = pick(rows, log=CTC, length=EXACT, policy=ONLINE).to_dict("records")
    return _among(Interval(row["ratio"], row["ci95_low"], row["ci95_high"], 0), LONGER)


def twice_the_slots(result: Any) -> str | None:
    """Return the correct answer to the question: what does an update cost with twice the slots?"""
    options = {
        "stay the same, because the trees are balanced": (-1, 0.3),
        "nearly double": (0.6, 1.2),
    }
    return _among(power(result.runs, "slots", "update"), options)


class Submitted:
    """A view of jobs that hides the attributes unknown at submission: run times and work."""

    def __init__(self, jobs: co.JobStream) -> None:
        self._jobs = jobs

    def __getattr__(self, name: str) -> Any:
        if name in ("runtime", "work"):
            raise InputError(
                f"{name} is not known when a job is submitted; use estimate, the requested time"
            )
        return getattr(self._jobs, name)


def who_books(
    jobs: co.JobStream, machine: co.Multicluster, rules: Mapping[str, Callable]
) -> pd.DataFrame:
    """Return how the waits of all jobs change if different rules choose the jobs that book.

    Jobs that book request a start up to three hours ahead. All other jobs are backfilled around
    them.

    Parameters
    ----------
    jobs : JobStream
        The jobs, with submissions in seconds.
    machine : Multicluster
        The machine that runs them.
    rules : mapping
        The rules by name. A rule takes the jobs without their run times, and returns a boolean
        array that is true for the jobs that book.

    Returns
    -------
    DataFrame
        A row for each rule. Waits are counted from the requested start. They are divided by the
        wait of the same jobs under conservative backfilling, in the same weeks. The column ``than
        at random`` has the wait of all jobs over their wait if the same number of jobs, chosen at
        random, books. The intervals of 95 % are by bootstrap over weeks.
    """
    instance_of("rules", rules, dict, "functions by name")
    week = week_of(jobs.submit)
    ahead = jobs.reserved_ahead(1.0, BOOKED_AHEAD, DRAWN).earliest_start

    def waits(books: np.ndarray) -> np.ndarray:
        asked = jobs.replace(earliest_start=np.where(books, ahead, jobs.submit))
        return co.simulate(machine, asked, scheduling=co.Conservative()).delay

    def over(one: np.ndarray, other: np.ndarray, asked: np.ndarray) -> str:
        both = (hours_by_week(wait, week, asked) for wait in (one, other))
        ratio = BY_WEEKS.ratio(*both)
        return f"{ratio.estimate:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"

    everyone, queued = np.ones(len(jobs), bool), waits(np.zeros(len(jobs), bool))
    chance, rows = np.random.default_rng(DRAWN).random(len(jobs)), {}
    for name, rule in rules.items():
        books = np.asarray(rule(Submitted(jobs)))
        if books.shape != everyone.shape or books.dtype != bool or books.all() or not books.any():
            raise InputError(
                f"rules[{name!r}] must choose some of the jobs, but not all; return a boolean "
                "array that has True for each job that books, and False for the others"
            )
        wait = waits(books)
        work = jobs.work[books].sum() / jobs.work.sum()
        row = {"share of jobs": f"{books.mean():.0%}", "share of work": f"{work:.0%}"}
        groups = {"all jobs": everyone, "those that book": books, "those that queue": ~books}
        row |= {group: over(wait, queued, asked) for group, asked in groups.items()}
        row["than at random"] = over(wait, waits(chance < books.mean()), everyone)
        rows[name] = row
    return pd.DataFrame(rows).T.rename_axis("who books")


def _idle_in_example(answer: Any) -> str:
    book, _, _ = worked_example()
    begin, end = ASKED
    found = book.search(begin, end, 2).found
    slips = {
        "that many servers are idle at the start, but some are not idle until the end": len(
            book.feasible(begin, begin)
        ),
        "the search stops when it has enough servers; count all idle servers": len(found),
    }
    hint = "an idle period has to begin no later than the start, and end no earlier than the end"
    return near(answer, len(book.feasible(begin, end)), 0.01, hint, slips)


def _attempts_of_second(answer: Any) -> str:
    schedule = co.simulate(co.Multicluster([4]), THREE, scheduling=DESK)
    right = int(schedule.attempts[1])
    hint = "try the starts 0, 15, 30, ...: when are three servers idle for 50 seconds?"
    slips = {"the successful attempt counts too": right - 1}
    return near(answer, right, 0.01, hint, slips)


@lru_cache
def _schedules(log: model.Log) -> dict[str, co.Schedule]:
    limited = co.Online(release_early=True, max_attempts=LIMITED)
    exact = Setting(KTH, OWN_SERVERS[KTH])
    guessed = replace(exact, length=REQUESTED)
    settings = {"booked": exact, "queued": replace(exact, policy="EASY"), "guessed": guessed}
    settings["limited"] = replace(guessed, policy=limited)
    fewer = replace(limited, max_attempts=LIMITED - 1)
    settings["fewer"] = replace(guessed, policy=fewer)
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
        "that is the ratio for all jobs; take only the wide jobs": booked.mean() / queued.mean(),
        "that is the inverse ratio; exchange the two waits": 1 / right,
        "that is with requested times; use exact lengths for both": float(
            np.nanmean(guessed[wide]) / queued[wide].mean()
        ),
    }
    hint = "divide the mean wait of the wide jobs when booked by their mean wait under EASY"
    return near(answer, right, 0.02, hint, slips)


def _refused_by_a_limit(answer: Any) -> str:
    made = _schedules(model.logs()[KTH])
    jobs, gone = made["limited"].jobs, ~made["limited"].served
    wide = jobs.processors > WIDE
    kept = ~made["kept"].served[wide]
    right = gone[wide].mean()
    slips = {
        "that is the share of all jobs": gone.mean(),
        "that is the share of the work": jobs.work[gone].sum() / jobs.work.sum(),
        "that is the share of wide jobs among the rejected jobs": wide[gone].mean(),
        "that is the share of the jobs that ran": 1 - right,
        "give a share, not percent": 100 * right,
        "release the unused time of bookings: release_early=True": kept.mean(),
        "count the attempts again; the first one is at once": (~made["fewer"].served)[wide].mean(),
    }
    hint = "attempts are every 15 minutes, the first at 0; rejected jobs are ~schedule.served"
    return near(answer, right, 0.003, hint, slips)


def _cost_of_reservations(answer: Any) -> str:
    made = _schedules(model.logs()[KTH])
    ahead, booked = made["ahead"], made["booked"]
    slips = {
        "that is the mean time by which jobs reserve ahead; compare the mean waits": float(
            (ahead.jobs.earliest_start - ahead.jobs.submit).mean() / HOUR
        ),
        "that is the delay, from the requested start; take the wait, from the submission": float(
            (ahead.delay.mean() - booked.delay.mean()) / HOUR
        ),
        "give hours": float(ahead.wait.mean() - booked.wait.mean()),
    }
    right = (ahead.wait.mean() - booked.wait.mean()) / HOUR
    hint = "use exact lengths, and subtract the mean wait without reservations, in hours"
    return near(answer, right, 0.03, hint, slips)


def _cut_of_ctc(answer: Any) -> str:
    log = model.logs()[CTC]
    if not log.has_waits:
        return "this exercise needs the real log; run: coalloc traces fetch CTC-SP2"
    right = _least_minutes(log, round(model.LONGEST[CTC, model.RECORDED]))
    slips = {
        "with this cut, a longer wait remains": right - 1,
        "this cut gives the longest wait, but a shorter cut does too": right + 1,
        "give minutes, not seconds": 60 * right,
    }
    hint = "find the longest wait of the jobs that ran for at least 1, 2, 3, ... minutes"
    return near(answer, right, 0.01, hint, slips)


def _least_minutes(log: model.Log, hours: int) -> int:
    minutes = 0
    while round(np.nanmax(log.recorded[log.jobs.runtime >= 60 * minutes]) / HOUR) > hours:
        minutes += 1
    return minutes


def _what_follows(answer: Any) -> str:
    """Check the last exercise, with the letters of its sentences in notebook 05."""
    result = study.judge(study.archived())
    certain = result.figure("certainty").data().set_index(["log", "length", "policy"])
    beside = result.figure("beside").data().set_index(["panel", "length", "line"])
    hpc2n = certain.loc[(HPC2N, EXACT, ONLINE)]
    kth_queue = beside.loc[(KTH, REQUESTED, QUEUERS)].set_index("at")
    sentences = {
        "a": (
            any(row.item == "OB-4" and row.verdict == "holds" for row in result.rows),
            "for what did we use the longest waits before we judged this claim?",
        ),
        "b": (
            bool(0.95 < hpc2n["ci95_low"] <= hpc2n["ci95_high"] < 1.05),
            "which differences does the interval leave open?",
        ),
        "c": (
            bool((beside.loc[(KTH, EXACT, BOOKERS), "ci95_high"] < 1).all()),
            "compare the line of the jobs that book with the dashed line",
        ),
        "d": (
            certain.loc[(CTC, REQUESTED, "conservative"), "ci95_low"] > 1,
            "compare the interval with the dashed line",
        ),
        "e": (
            kth_queue["ci95_low"][0.1] > 1,
            "look at the whole interval at one job in ten",
        ),
        "f": (
            bool(certain.loc[(CTC, EXACT, ONLINE), "ci95_high"] < 1),
            "which lengths did the scheduler of the log know?",
        ),
    }
    return follows(answer, sentences)


check = checker(
    {
        1: _idle_in_example, 2: _attempts_of_second, 3: _wide_jobs, 4: _refused_by_a_limit,
        5: _cost_of_reservations, 6: _cut_of_ctc, 7: _what_follows,
    }
)  # fmt: skip
