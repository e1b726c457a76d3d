"""The last stop of notebook 05: what a limit on the wait of a booked job costs, and whom."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import joblib
import numpy as np
import pandas as pd
from matplotlib.ticker import NullFormatter

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.checks import instance_of, not_negative
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import slider_with_entry
from studies.online_batch import model
from studies.online_batch.figures import LOOK
from studies.online_batch.model import HOUR, ONLINE, POLICIES
from studies.online_batch.schedules import refused_work
from studies.weeks import Bootstrap, WeeklySums, week_of

#: Limits, in hours, on how long a booked job may wait. The last limit, two weeks, is half of our
#: planning horizon of four weeks. In the paper, a job has at most half as many attempts as the
#: horizon has time slots. With one attempt per slot, a job can therefore be delayed by at most half
#: the horizon.
LIMITS = (6, 12, 24, 48, 96, 336)
#: The number of jobs that are simulated for a picture while the user moves a control.
FEW = 3_000
#: Two labels of limits that are nearer to each other than this, in fractions of the width and the
#: height of the picture, would overlap.
NEAR = np.array([0.05, 0.06])
#: The bootstrap over weeks that computes the intervals in the tables of the notebook.
BY_WEEKS = Bootstrap(1_000, model.SEED)


def hours_by_week(wait: np.ndarray, week: np.ndarray, asked: np.ndarray) -> WeeklySums:
    """Return the total waiting time in hours and the number of jobs, for each week.

    A job belongs to the week of its submission. `wait` is in seconds, and `asked` is a mask of the
    jobs that count.
    """
    weeks = int(week.max()) + 1
    waited = np.bincount(week[asked], wait[asked] / HOUR, minlength=weeks)
    jobs = np.bincount(week[asked], minlength=weeks)
    return WeeklySums(waited.astype(float), jobs.astype(float))


def book_or_queue(
    jobs: co.JobStream, machine: co.Multicluster, limits: Sequence[float] = LIMITS,
    overestimate: float = 1.0, progress: NullProgress = NO_PROGRESS,
) -> pd.DataFrame:  # fmt: skip
    """Compare waits, promised starts and rejected work if jobs queue and if each job is booked.

    Parameters
    ----------
    jobs : JobStream
        The jobs, with submissions in seconds.
    machine : Multicluster
        The machine that runs them.
    limits : sequence of float
        Limits on the wait of a booking, in hours.
    overestimate : float
        The time that users request beyond the run time is multiplied by this factor.
    progress : NullProgress
        Is told of each policy that has run.

    Returns
    -------
    DataFrame
        A row for EASY, for conservative backfilling, for online booking as in the paper, and for
        booking with each limit. With a limit, time that is booked but not used is released. Waits
        are in hours over the jobs that ran, with 95 % intervals by bootstrap over weeks. Wide jobs
        need more than half of the processors. The columns are:

        - ``mean_wait``, ``p99_wait``, ``wide_wait``: the mean wait, its 99th percentile, and the
          mean wait of wide jobs
        - ``easy_wait``: the mean wait of the same jobs under EASY
        - ``told``: the mean time from the submission to the promised start
        - ``early``: the mean time by which jobs start before the promised start
        - ``refused``, ``refused_work``, ``wide_refused``: the rejected share of the jobs, of the
          work, and of the wide jobs
    """
    instance_of("jobs", jobs, co.JobStream, 'co.read_swf("my-log.swf.gz").jobs(request="total")')
    beyond = np.maximum(jobs.estimate - jobs.runtime, 0)
    beyond *= not_negative("overestimate", overestimate)
    jobs = jobs.replace(estimate=jobs.runtime + beyond)
    ways = {name: POLICIES[name] for name in ("EASY", "conservative", ONLINE)}
    for hours in limits:
        limit = co.Online(release_early=True, max_attempts=1 + int(hours * HOUR / co.Online().step))
        ways[f"online, released, up to {hours:g} h"] = limit
    schedules = dict(
        zip(ways, _schedules_of(machine, jobs, [*ways.values()], progress), strict=True)
    )
    queued = schedules["EASY"].wait
    return pd.DataFrame({name: _costs(schedules[name], queued) for name in ways}).T


def _schedules_of(machine, jobs, policies, progress) -> list[co.Schedule]:
    run = joblib.delayed(lambda policy: co.simulate(machine, jobs, scheduling=policy))
    progress.total(len(policies))
    # Threads are enough for parallel simulations, because the compiled loops do not hold Python's
    # interpreter lock.
    threads, schedules = joblib.Parallel(n_jobs=-1, prefer="threads", return_as="generator"), []
    for schedule in threads(run(policy) for policy in policies):
        schedules.append(schedule)
        progress.step()
    return schedules


def _costs(schedule: co.Schedule, queued: np.ndarray) -> dict[str, float]:
    jobs, ran, hours = schedule.jobs, schedule.served, pd.Series(schedule.wait / HOUR)
    wide = jobs.processors > schedule.system.processors / 2
    week = week_of(jobs.submit)
    means: dict[str, float] = {}
    for column, wait in (("mean_wait", schedule.wait), ("easy_wait", queued)):
        mean = BY_WEEKS.mean(hours_by_week(wait, week, ran))
        means |= {column: mean.estimate, f"{column}_low": mean.low, f"{column}_high": mean.high}
    has_promise = ran & np.isfinite(schedule.promised)
    ahead, early = (
        pd.Series(schedule.promised - since)[has_promise].mean() / HOUR
        for since in (jobs.submit, schedule.start)
    )
    return means | {
        "p99_wait": hours[ran].quantile(0.99), "wide_wait": hours[ran & wide].mean(),
        "told": ahead, "early": early, "refused": (~ran).mean(),
        "refused_work": refused_work(schedule), "wide_refused": (~ran)[wide].mean(),
    }  # fmt: skip


def limits_picture(
    table: pd.DataFrame, note: str = "", earlier: Mapping[str, pd.DataFrame] | None = None
) -> plots.Picture:
    """Plot the mean wait against the rejected share of the work, for each limit on a wait.

    `table` is the result of `book_or_queue`. A `note` says that the picture is a draft; it is the
    subtitle, the points have no intervals, and the title has no conclusion. `earlier` has tables
    that were drawn before: the axes show them all, so that they stay the same from one picture to
    the next, and a dashed line shows the last one with its name.
    """
    figure, axes = plots.new_figure(3.0)
    booked, refused = _of_limits(table)
    _draw_limits(axes, booked, refused, has_bars=not note)
    _draw_earlier(axes, earlier or {})
    for policy in ("EASY", "conservative"):
        sign, wait = LOOK[policy], table.loc[policy, "mean_wait"]
        axes.plot(0, wait, color=sign.colour, marker=sign.marker, markersize=9, linestyle="",
                  label=f"all jobs, {policy}", clip_on=False)  # fmt: skip
    _label_axes(axes)
    _name_limits(axes, booked, refused)
    is_sooner = booked["mean_wait"] <= table.loc["EASY", "mean_wait"]
    title = "At every limit shown, booked jobs wait longer than queued jobs"
    if note:
        title = "A draft of the waits of booked jobs and queued jobs"
    elif is_sooner.any():
        share = f"{refused[is_sooner].min():.0f} %"
        if not is_sooner.all():  # The lines cross between two of the limits that were run.
            share = f"{refused[~is_sooner].max():.0f} to {share}"
        title = f"To wait no longer than in the queue, booking rejects {share} of the work"
    plots.title_figure(figure, title, note.removeprefix("; ") or "bars: 95 %, bootstrap over weeks")
    in_words = (
        f"up to {hours:g} h: wait {row.mean_wait:.3g} h, rejected {100 * row.refused_work:.0f} %"
        for hours, row in zip(LIMITS, booked.itertuples(), strict=True)
    )
    return plots.Picture(figure, rows=in_words)


def _of_limits(table):
    """Return the rows of the limits on a wait, and the share of the work that each rejects."""
    booked = table.loc[[f"online, released, up to {hours:g} h" for hours in LIMITS]]
    return booked, 100 * booked["refused_work"]


def _draw_earlier(axes, earlier):
    for name, table in earlier.items():
        booked, refused = _of_limits(table)
        axes.update_datalim([*zip(refused, booked["mean_wait_low"], strict=True)])
        axes.update_datalim([*zip(refused, booked["mean_wait_high"], strict=True)])
        if name == [*earlier][-1]:
            axes.plot(refused, booked["mean_wait"], "--", color=plots.GREY, zorder=1, label=name)


def _draw_limits(axes, booked, refused, has_bars):
    ways = {
        "online": ("mean_wait", "booked, up to ..."),
        "EASY": ("easy_wait", "the same jobs, EASY"),
    }
    for policy, (column, label) in ways.items():
        ends = [booked[column] - booked[f"{column}_low"], booked[f"{column}_high"] - booked[column]]
        sign = LOOK[policy]
        # The intervals of a draft would be very wide, and would change the axis.
        bars = np.maximum(np.nan_to_num(ends), 0) if has_bars else None
        axes.errorbar(
            refused, booked[column], bars, color=sign.colour, marker=sign.marker, capsize=2,
            label=label,
        )  # fmt: skip


def _name_limits(axes, booked, refused):
    """Write each limit beside its point; points that nearly coincide share a label."""
    to_axes, labels = axes.transData - axes.transAxes, list[tuple[list[str], np.ndarray]]()
    for hours, share, wait in zip(LIMITS, refused, booked["mean_wait"], strict=True):
        point = np.array([share, wait])
        for names, first in labels:
            apart = to_axes.transform(point) - to_axes.transform(first)
            if (np.abs(apart) < NEAR).all():
                names.append(f"{hours:g}")
                break
        else:
            labels.append(([f"{hours:g}"], point))
    easy = dict(
        zip(zip(refused, booked["mean_wait"], strict=True), booked["easy_wait"], strict=True)
    )
    for names, point in labels:
        # The line of EASY is on the other side of the point.
        # The long label of several points stands above the labels of their neighbours.
        above = (6, 4 if len(names) == 1 else 12)
        beside = (6, -11) if point[1] < easy[tuple(point)] else above
        words, how = f"{', '.join(names)} h", {"textcoords": "offset points", "fontsize": 8}
        axes.annotate(words, point, beside, **how)


def _label_axes(axes):
    axes.set(
        yscale="log", xlabel="share of the work that is rejected, %", ylabel="mean wait (hours)"
    )
    # Whole powers of ten and whole tens of percent keep the axes still for nearly all settings.
    axes.set_xlim(0, 10 * np.ceil(axes.get_xlim()[1] / 10))
    low, high = (
        10.0 ** edge(np.log10(end))
        for edge, end in zip((np.floor, np.ceil), axes.get_ylim(), strict=True)
    )
    axes.set_ylim(low, high)
    marks = [part * 10.0**power for power in range(-3, 4) for part in (1, 2, 5)]
    axes.set_yticks([at for at in marks if low <= at <= high])
    axes.yaxis.set_major_formatter(lambda at, _: f"{at:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.legend(fontsize=8, frameon=False)


def book_or_queue_explorer(jobs: co.JobStream, machine: co.Multicluster) -> Explorer:
    """Return a picture of the waits with a slider for the overestimates of the run times.

    At 0 each job requests exactly its run time; at 1 it requests the time that the log has.
    """

    @lru_cache
    def answers(overestimate: float, count: int) -> pd.DataFrame:
        # Only the first picture needs a progress bar, because later pictures already say that they
        # are still being refined.
        with co.Progress(shown=not done) as progress:
            return book_or_queue(jobs.sample(count, 0), machine, LIMITS, overestimate, progress)

    done = dict[float, pd.DataFrame]()

    def draw(overestimate: float, coarse: bool, before: Any) -> plots.Picture:
        count = min(FEW, len(jobs)) if coarse else len(jobs)
        table = answers(overestimate, count)
        if not coarse:
            done[overestimate] = table
        others = {at: each for at, each in done.items() if at != overestimate}
        if before:  # The picture before this one comes last.
            others[before["overestimate"]] = others.pop(before["overestimate"])
        earlier = {f"before: overestimate {at:g}": each for at, each in others.items()}
        return limits_picture(table, f"; the first {count:,} jobs" * coarse, earlier)

    slider = slider_with_entry("overestimate", 1.0, 0.0, 2.0, 0.5)
    return Explorer(
        {"overestimate": slider}, draw,
        simulates=lambda overestimate: overestimate not in done,
    )  # fmt: skip
