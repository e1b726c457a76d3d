"""The sharing explorer: several sites run a workload locally, by job sharing or by spanning."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib import plots
from coalloc_lib.basics.checks import not_negative, one_of
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.plots import Picture
from coalloc_lib.schedules.metrics import STILL_WAITING, utilization_timeline
from coalloc_lib.schedules.schedule import WEIGHTS
from coalloc_lib.statistics import DAY, Interval, interval_columns, resample_sums
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import choice, slider_with_entry
from studies.job_sharing import model
from studies.job_sharing.figures import LOOK
from studies.job_sharing.runs import Setting, simulate

#: The weights of the average weighted response time (AWRT) that the user can choose. Each key is
#: the text that the control shows, and each value is the name of the weight in the code.
WEIGHINGS = dict(zip(("processors × run time", "processors"), WEIGHTS, strict=True))
#: The pictures that the user can choose from.
PICTURES = TIMES, BY_PENALTY, WHO, BUSY = (
    "response times", "by the penalty", "who gains", "how busy each site is"
)  # fmt: skip
#: The widest job in each group of the picture `WHO`. A group begins above the one before it.
WIDTHS = 1, 4, 16, 64, 512
#: The penalties in the picture `BY_PENALTY`, in addition to the one that the user chooses.
PENALTIES = 0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0
#: The number of bootstrap resamples for each confidence interval.
RESAMPLES = 300
#: The largest number of workloads of each kind, extracts of the log or synthetic samples, that the
#: user can choose from.
OFFERED = 7
#: The names of the workloads of each kind.
NAMES = {model.EXTRACTS: "extract {} of the log", model.SYNTHETIC: "synthetic workload {}"}
#: Two limits on the number of jobs that are simulated, counted from the start of a workload: under
#: conservative backfilling, which is slow, and under every policy while the user moves a control.
BOUNDED, SOON = {"conservative": 3_000}, 500
#: The bootstrap divides the time from the first to the last submission into `PARTS` equal parts,
#: and resamples blocks of `BLOCK` successive parts. For 10,000 jobs, a part is about a day and a
#: block is about a week.
PARTS, BLOCK = 42, 7
#: The two ends of the axis for the AWRT divided by that of sharing. They stay the same for all
#: settings of the controls. An arrow shows a ratio that lies beyond the axis.
SPAN = 0.25, 4.0
#: If an interval ends beyond this multiple of its estimate, a note says why it is so wide.
MOST_GROWTH = 10
#: The treatment of jobs that are wider than a machine, in local execution and on a single machine.
#: Job sharing and spanning divide these jobs into subjobs of the size of the largest machine.
WIDE = {model.LOCAL: model.OF_SITE, model.SINGLE: model.UNCHANGED}
#: A dict from each label of the load control to an offered load. None keeps the submission times of
#: the workload.
LOADS = {"as they came": None} | {f"{load / 10:g}": load / 10 for load in range(3, 10)}


def streams() -> dict[str, JobStream]:
    """Return a dict from names to workloads: extracts of the log, and synthetic samples."""
    return {
        NAMES[kind].format(number): jobs
        for kind, draws in model.workloads(OFFERED).items()
        for number, jobs in enumerate(draws[:OFFERED], start=1)
    }


class RanJobs(NamedTuple):
    """The measurements of one simulated schedule of a workload.

    For each weight, `sums` has two rows by part of the time: the weighted sum of the response
    times, and the sum of the weights. `by_width` has the same two rows for the jobs of each of the
    `WIDTHS`, without weights. `spanned` is the share of the jobs that span machines, and `busy` has
    the utilization of each site on each day. `waiting` is the share of the work that has not
    started at the last submission.
    """

    sums: dict[str, NDArray[np.float64]]
    by_width: NDArray[np.float64]
    spanned: float
    busy: pd.DataFrame
    waiting: float

    @property
    def is_saturated(self) -> bool:
        """Whether so much work still waits at the end that the queue seems to grow with time."""
        return self.waiting > STILL_WAITING


@lru_cache(maxsize=256)
def sharing_run(setting: Setting, jobs: JobStream, count: int) -> RanJobs:
    """Simulate the first `count` jobs of a workload in a setting, and return the measurements."""
    schedule = simulate(setting, jobs[np.arange(min(count, len(jobs)))]).schedule
    submit = schedule.jobs.submit
    part = (PARTS * (submit - submit.min()) / (1 + np.ptp(submit))).astype(np.int64)

    def summed(weight: Any) -> NDArray[np.float64]:
        values = schedule.response, 1.0
        return np.array([np.bincount(part, weight * value, PARTS) for value in values])

    sums = {name: summed(getattr(schedule.jobs, name)) for name in WEIGHTS}
    group = np.searchsorted(WIDTHS, schedule.jobs.processors)
    by_width = np.array([summed(group == number) for number in range(len(WIDTHS))])
    edges = submit.min() + DAY * np.arange(np.ptp(submit) // DAY + 1)
    busy = utilization_timeline(schedule, edges).query("grouping == 'cluster'")
    busy = busy.assign(day=(busy["begin"] - edges[0]) / DAY)
    work = schedule.jobs.work
    waiting = float(work[schedule.start > submit.max()].sum() / work.sum())
    return RanJobs(sums, by_width, float(schedule.spans.mean()), busy, waiting)


@lru_cache(maxsize=64)
def _picture(
    picture: str, configuration: str, workload: str, jobs: JobStream, policy: str, penalty: float,
    weight: str, load: float | None, count: int, before: tuple[float, ...],
) -> Picture:  # fmt: skip
    label = f"{configuration}, {workload}, {policy}, penalty {penalty:g}"
    label += f", load {load:g}" if load else ""
    if count < len(jobs):
        label += f", first {count:,} jobs"
    how = configuration, jobs, policy, penalty, load, count
    if picture == BY_PENALTY:
        return _penalty_picture(how, label, weight)
    ran = _run_each_way(*how)
    if picture == WHO:
        return _width_picture(ran, label)
    if picture == BUSY:
        return _busy_picture(ran, label)
    return _response_picture(ran, label, weight, before)


def _response_picture(ran, label, weight, before):
    rings = "; rings: before the last change" if before else ""
    table = _response_times(ran, WEIGHINGS[weight], before)
    spanning_over_sharing = _ratio(ran[model.MULTI_SITE], ran[model.SHARING], WEIGHINGS[weight])
    if (table["ci95_high"] > MOST_GROWTH * table["ratio"]).any():
        rings += "; a very wide interval: the queue may have grown to the end of the log"
    dots = plots.intervals(
        table, x="ratio", row="mode", series="mode", look=LOOK, factors=True, row_height=0.34,
        span=SPAN, before="before", beyond="arrows: beyond the axis",
        xlabel="AWRT divided by that of sharing", title=_title(ran, spanning_over_sharing),
        subtitle=f"{label}; weighted by {weight}; 95 % intervals by bootstrap over sixths of the "
        f"time{rings}",
    )  # fmt: skip
    plots.label_right(dots.axes[0], table["hours"])
    rows = table["mode"] + " " + table["words"] + " times, " + table["hours"]
    return Picture(dots, rows=rows)


def _penalty_picture(how, label, weight):
    configuration, jobs, policy, chosen, load, count = how
    sharing = _run(model.SHARING, configuration, jobs, policy, 0.0, load, count)
    rows = []
    for penalty in sorted({*PENALTIES, chosen}):
        spanning = _run(model.MULTI_SITE, configuration, jobs, policy, penalty, load, count)
        no_verdict = _no_verdict({model.SHARING: sharing, model.MULTI_SITE: spanning})
        ratio = _ratio(spanning, sharing, WEIGHINGS[weight])
        row = {"penalty": penalty, "ends": ratio, "grows": no_verdict}
        rows.append(row | interval_columns(ratio, "ratio"))
    table = pd.DataFrame(rows)
    lines = plots.factor_lines(
        table, base="job sharing", x="penalty", y="ratio", xlabel="penalty",
        ylabel="AWRT, spanning over sharing", title=_title_of_penalties(table, chosen),
        subtitle=f"{label}; weighted by {weight}; dotted: the chosen penalty; 95 % intervals by "
        "bootstrap over sixths of the time; below 1, spanning pays",
    )  # fmt: skip
    lines.axes[0].axvline(chosen, color="black", linestyle=":", linewidth=1)
    words = [f"penalty {row.penalty:g}: {row.ratio:.3f} {_ends(row.ends, '{:.3f}'.format)}"
             for row in table.itertuples()]  # fmt: skip
    return Picture(lines, rows=words)


def _title_of_penalties(table, chosen):
    """Return the penalties at which spanning surely pays or loses, where the queue is stable."""
    grows = table["grows"] != ""
    stable = table[~grows]
    if stable.empty:
        return table.loc[table["penalty"] == chosen, "grows"].item()
    pays, loses = stable.query("ci95_high < 1"), stable.query("ci95_low > 1")
    both = {"pays": pays["penalty"], "loses": loses["penalty"]}
    words = [
        f"{verb} at {', '.join(map('{:g}'.format, penalties))}"
        for verb, penalties in both.items() if len(penalties)
    ]  # fmt: skip
    title = f"Spanning surely {' and '.join(words)}" if words else "No penalty decides it"
    if grows.any():
        title += f"; from {table['penalty'][grows].min():g} on, the queue grows to the end"
    return title


def _ratio(spanning, sharing, weight):
    responses, weights = np.stack([spanning.sums[weight], sharing.sums[weight]], axis=1)
    resampled = resample_sums(responses, weights, BLOCK, resamples=RESAMPLES, seed=model.SEED)
    return resampled.interval(lambda means: float(means[0] / means[1]))


def _width_picture(ran, label):
    table = _changes_by_width(ran)
    # The axis is limited, because one very wide interval would leave the others no room.
    most = 3 * table["change"].abs().max() or 1.0
    figure = plots.intervals(
        table, x="change", row="row", row_height=0.34, span=(-most, most),
        beyond="arrows: beyond the axis", xlabel="change of the mean response, hours",
        title=_no_verdict(ran) or _who_gains(table),
        subtitle=f"{label}; mean response of spanning minus that of sharing, by the processors of "
        "a job or of a piece of a divided job; 95 % intervals by bootstrap over sixths of the time",
    )  # fmt: skip
    plots.mark_zero(figure.axes[0])
    plots.label_right(figure.axes[0], table["words"])
    return Picture(figure, rows="processors " + table["row"] + ": " + table["words"])


def _who_gains(table):
    found = []
    for name, chosen in (("shorter", table["ci95_high"] < 0), ("longer", table["ci95_low"] > 0)):
        if chosen.any():
            found.append(f"{name} at widths of {', '.join(table['row'][chosen])}")
    if not found:
        return "No width surely gains or loses by spanning"
    return f"With spanning, responses are {'; '.join(found)}"


def _changes_by_width(ran):
    spanning, sharing = ran[model.MULTI_SITE].by_width, ran[model.SHARING].by_width
    rows = []
    for number, widest in enumerate(WIDTHS):
        if not spanning[number][1].sum():
            continue  # There are no jobs of these widths.
        above = WIDTHS[number - 1] if number else 0
        responses, weights = np.stack([spanning[number], sharing[number]], axis=1)
        resampled = resample_sums(responses, weights, BLOCK, resamples=RESAMPLES, seed=model.SEED)
        change = resampled.interval(lambda means: float(means[0] - means[1]) / 3600)
        row = f"{above + 1}-{widest}" if above else f"{widest}"
        if widest == WIDTHS[-1]:
            row = f"{above + 1} or more"
        words = f"{change.estimate:+.2f} h {_ends(change, '{:+.2f}'.format)}"
        rows.append({"row": row, "words": words} | interval_columns(change, "change"))
    return pd.DataFrame(rows)


def _busy_picture(ran, label):
    busy, spreads = _busy_sites(ran)
    strips = plots.timelines(
        busy, panel="panel", strip="site", time="day", busy="utilization",
        until=busy["day"].max() + 1, xlabel="day", ylabel="site",
        title=f"The busiest and the least busy site differ by {spreads[model.LOCAL]:.0f} points "
        f"locally, and by {spreads[model.SHARING]:.0f} with sharing",
        subtitle=f"{label}; up to the last submission; headings: the least and the most busy site",
    )  # fmt: skip
    return Picture(strips, rows=busy["panel"].unique())


def _response_times(ran, weight, before):
    """Return the AWRT of each way, in hours and divided by that of sharing, as a table."""
    rows = []
    for row, (mode, way) in enumerate(ran.items()):
        ratio = _ratio(way, ran[model.SHARING], weight)
        if way.is_saturated or ran[model.SHARING].is_saturated:
            ratio = replace(ratio, warning="the queue grows to the end")
        words = f"{ratio.estimate:.3f} {_ends(ratio, '{:.3f}'.format)}"
        earlier = before[row] if before and mode != model.SHARING else float("nan")
        described = {"mode": mode, "hours": f"{_hours(way, weight):,.1f} h", "words": words}
        rows.append(described | {"before": earlier} | interval_columns(ratio, "ratio"))
    return pd.DataFrame(rows)


def _hours(way, weight):
    """Return the AWRT of a way of running the jobs, in hours."""
    responses, weights = way.sums[weight].sum(axis=1)
    return float(responses / weights) / 3600


def _busy_sites(ran):
    panels, spreads = [], {}
    for mode, way in ran.items():
        if mode == model.SINGLE:
            continue
        busy = way.busy
        shares = 100 * busy.groupby("group")["utilization"].mean()
        spreads[mode] = np.ptp(shares)
        heading = f"{mode}: {shares.min():.0f} to {shares.max():.0f} % busy"
        if mode == model.MULTI_SITE:
            heading += f", {100 * way.spanned:.1f} % of the jobs span"
        panels.append(busy.assign(panel=heading, site=busy["group"] + 1))
    return pd.concat(panels), spreads


def _run(way, configuration, jobs, policy, penalty, load, count):
    setting = Setting(
        model.SYNTHETIC,  # a setting needs a workload, but the jobs are given
        configuration,
        way,
        penalty if way == model.MULTI_SITE else 0.0,
        policy,
        wide=WIDE.get(way, model.OF_LARGEST),
        load=load,
    )
    return sharing_run(setting, jobs, count)


def _run_each_way(*how):
    return {way: _run(way, *how) for way in model.WAYS}


def _title(ran, ratio):
    return _no_verdict(ran) or verdict(ratio)


def _no_verdict(ran):
    saturated = [way for way in (model.SHARING, model.MULTI_SITE) if ran[way].is_saturated]
    if not saturated:
        return ""
    return f"With {' and with '.join(saturated)}, the queue grows to the end: no verdict"


def verdict(ratio: Interval) -> str:
    """Return a sentence that says whether spanning sites beats job sharing.

    `ratio` is the confidence interval of the AWRT of spanning divided by that of job sharing.

    Examples
    --------
    >>> verdict(Interval(0.92, 0.832, 0.9982, 6))
    'Spanning pays: its AWRT is 0.920 times that of sharing (0.832 to 0.998)'
    """
    answers: dict = {True: "Spanning pays", False: "Spanning loses"}
    answer = answers.get(ratio.below(1), "Whether spanning pays is undecided")
    sentence = f"{answer}: its AWRT is {ratio.estimate:.3f} times that of sharing"
    return f"{sentence} {_ends(ratio, '{:.3f}'.format)}"


def _ends(interval, shown):
    if interval.warning:
        return f"(no interval: {interval.warning})"
    return f"({shown(interval.low)} to {shown(interval.high)})"


def sharing_picture(
    configuration: str = model.STANDARD, workload: str = "", policy: str = "EASY",
    penalty: float = 0.25, weight: str = "processors × run time", load: str = "as they came",
    picture: str = TIMES, coarse: bool = False, before: Mapping[str, Any] | None = None,
) -> Picture:  # fmt: skip
    """Draw the weighted response times, and other pictures that compare spanning with sharing.

    Parameters
    ----------
    configuration, policy : str
        A configuration and a policy of the study.
    workload : str
        A name of `streams`, by default the first.
    penalty : float
        How much longer a job runs if it spans machines, as a share of its run time.
    weight, load : str
        Keys of `WEIGHINGS` and of `LOADS`.
    picture : str
        One of `PICTURES`.
    coarse : bool
        Whether to run only the first 500 jobs. Conservative backfilling is slow, so it never runs
        more than 3,000 jobs.
    before : mapping, optional
        Earlier arguments. Their ratios are drawn as rings among the response times.
    """
    workloads = streams()
    workload = one_of("workload", workload or next(iter(workloads)), tuple(workloads))
    one_of("configuration", configuration, tuple(model.CONFIGURATIONS))
    one_of("policy", policy, tuple(model.POLICIES))
    one_of("weight", weight, tuple(WEIGHINGS))
    one_of("load", load, tuple(LOADS))
    one_of("picture", picture, PICTURES)
    count = SOON if coarse else BOUNDED.get(policy, model.JOBS)
    penalty = not_negative("penalty", penalty)
    arguments = policy, penalty, weight, LOADS[load], count
    earlier = () if before is None or coarse else _earlier(workloads, **before)
    return _picture(picture, configuration, workload, workloads[workload], *arguments, earlier)


def _earlier(workloads, configuration, workload, policy, penalty, weight, load, picture):
    """Return the AWRT of each way divided by that of sharing, for earlier arguments."""
    count = BOUNDED.get(policy, model.JOBS)
    jobs = workloads[workload]
    ran = _run_each_way(configuration, jobs, policy, penalty, LOADS[load], count)
    hours = {name: _hours(way, WEIGHINGS[weight]) for name, way in ran.items()}
    return tuple(each / hours[model.SHARING] for each in hours.values())


def sharing_explorer(state: str = "") -> Explorer:
    """Return controls for a system of sites, with a picture that compares sharing and spanning.

    `state` is the copied text of an earlier scenario; by default the controls have their usual
    values.
    """
    controls = {
        "configuration": choice("configuration", model.CONFIGURATIONS, model.STANDARD),
        "workload": choice("workload", streams()),
        "policy": choice("policy", model.POLICIES),
        "penalty": slider_with_entry("penalty", 0.25, 0.0, 1.0, 0.05),
        "load": choice("load", LOADS),
        "weight": choice("weighted by", WEIGHINGS),
        "picture": choice("picture", PICTURES),
    }

    def simulates(policy: str, **_: object) -> bool:
        return policy in BOUNDED  # runs under these policies are long, so a coarse one comes first

    more = ("workload", "load", "weight")
    return Explorer(controls, sharing_picture, state=state, simulates=simulates, more=more)
