"""Two scenarios that are given the same jobs: who waits, who pays, and how much each can carry."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from coalloc_lib import plots
from coalloc_lib.checks import InputError, instance_of, positive
from coalloc_lib.intervals import Interval, Sample, crossing, replicate, student
from coalloc_lib.jobs import JobStream
from coalloc_lib.metrics import by_width
from coalloc_lib.placement import BestFit
from coalloc_lib.plots import Picture
from coalloc_lib.saturation import WARM_UP, replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import EASY, FCFS, Conservative, Online
from coalloc_lib.workloads.models import JobModel

SEED = 21
SIDES = ("A", "B")
LOOK = {"A": plots.STANDARD, "B": plots.MEANINGS["ordered"]}
ALL = "all jobs"
LOADS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
#: Penalties among which the break-even one is searched.
PENALTIES = (0.0, 1.0)
#: Waiting jobs that a policy other than FCFS sees of a full system; nearer to what that carries
#: than this share, runs are too short for a mean; load of a system that books and is full.
HELD, NEAR, OVERLOAD = 50, 0.95, 1.5
#: So sure is it that response times rise: looked at for each of many points.
SURE = 0.998


class Effort(NamedTuple):
    """Jobs of a run and runs, jobs of the full system, evaluations of a search, threads."""

    jobs: int
    runs: int
    full: int
    budget: int
    workers: int


#: At rest, and where a policy plans for every job; while a control moves, and then.
FINE, SLOW = Effort(4_000, 8, 12_000, 14, -1), Effort(1_500, 8, 6_000, 14, -1)
COARSE, COARSEST = Effort(300, 4, 1_200, 5, 1), Effort(200, 4, 600, 5, 1)


def effort_for(*scenarios: Scenario, coarse: bool = False) -> Effort:
    """Return how much is simulated: less where some policy plans for every job."""
    plans = any(isinstance(each.scheduling, Conservative | Online) for each in scenarios)
    return (COARSE, FINE, COARSEST, SLOW)[2 * plans + (not coarse)]


@dataclass(frozen=True, eq=False)
class Measured:
    """Mean wait and run of jobs, a row a run and a column a size; or `why` there is none."""

    names: tuple[str, ...]
    wait: NDArray[np.float64]
    run: NDArray[np.float64]
    why: str = ""

    @property
    def response(self) -> NDArray[np.float64]:
        """Mean response times, from submission to end, shape (runs, sizes)."""
        return self.wait + self.run


@lru_cache(maxsize=512)
def capacity(scenario: Scenario, jobs: int) -> Interval:
    """Return the share of the processors that a full system keeps busy, without the penalty."""
    if isinstance(scenario.scheduling, Online):  # which knows no held queue
        schedule = scenario.simulate(jobs // 2, load=OVERLOAD, seed=SEED)
        last = schedule.jobs.submit[-1]
        return student(schedule.utilization_between(np.linspace(0.3, 1, 21) * last, net=True))
    held = None if isinstance(scenario.scheduling, FCFS) else HELD
    how: dict[str, Any] = {"jobs": jobs // 4, "replications": 4, "seed": SEED, "backlog": held}
    return student(replicated_traffic(scenario, **how)[0].mean(axis=1))


@lru_cache(maxsize=2048)
def measure(scenario: Scenario, load: float, effort: Effort) -> Measured:
    """Return what jobs wait and run by size; no number where the system is full, or nearly so."""
    sizes = scenario.workload.sizes.sizes  # type: ignore[attr-defined]
    groups = by_width(JobStream(np.zeros(len(sizes)), np.zeros(len(sizes)), sizes))
    group_of = np.zeros(sizes.max() + 1, dtype=np.int64)
    group_of[sizes] = groups.codes
    names, most = (ALL, *map(str, groups.categories)), capacity(scenario, effort.full)
    nothing = np.empty((0, len(names)))
    if load > NEAR * most.estimate:
        word = "past" if load > most.high else "near"
        return Measured(names, nothing, nothing, f"{word} saturation: carries {most.estimate:.2f}")

    def one(seed):
        schedule = scenario.simulate(effort.jobs, load=load, seed=seed)
        kept = slice(int(WARM_UP * effort.jobs), None)
        group = group_of[schedule.jobs.processors[kept]]
        halves = [half.mean() for half in np.array_split(schedule.response[kept], 2)]
        means = []
        for times in (schedule.wait[kept], (schedule.end - schedule.start)[kept]):
            with np.errstate(invalid="ignore"):  # a size may have no job
                by_size = np.bincount(group, times, len(names) - 1) / np.bincount(
                    group, minlength=len(names) - 1
                )
            means += [times.mean(), *by_size]
        return [*halves, *means]

    first, second, *columns = replicate(one, effort.runs, SEED, workers=effort.workers).T
    if not np.isfinite(first).all():
        return Measured(names, nothing, nothing, "past saturation: jobs are refused")
    if student(second - first, SURE).low > 0:
        return Measured(names, nothing, nothing, "near saturation: responses still rise")
    wait, run = np.split(np.transpose(columns), 2, axis=1)
    return Measured(names, wait, run)


def loads_of(one: Scenario, other: Scenario, load: float) -> tuple[float, float]:
    """Return the load of each: the same jobs come to both, and `load` is what they offer to one."""
    return load, load * one.system.processors / other.system.processors


def _both(one, other, load, effort):
    effort = effort_for(one, other) if effort is None else effort
    loads = loads_of(one, other, load)
    return [measure(*each, effort) for each in zip((one, other), loads, strict=True)]


def by_size(one: Scenario, other: Scenario, load: float, effort: Effort | None = None) -> pd.DataFrame:
    """Return wait and run of the jobs of each size in A and B, and what B changes, in percent.

    The changes are of pairs of runs with the same jobs. `note` says why there is no number.
    """
    both, rows = _both(one, other, load, effort), []
    known = not any(each.why for each in both)
    for i, name in enumerate(both[0].names):
        for side, each in zip(SIDES, both, strict=True):
            row = {"load": load, "size": name, "scenario": side}
            if each.why:
                rows.append(row | {"note": each.why})
                continue
            if not np.isfinite(each.wait[:, i]).all():  # too few jobs of this size
                continue
            row |= {"wait": each.wait[:, i].mean(), "run": each.run[:, i].mean()}
            rows.append(row | _ends("response", student(each.response[:, i])))
            if side == "B" and known:
                log = student(np.log(both[1].response[:, i] / both[0].response[:, i]))
                change = [100 * np.expm1(at) for at in (log.estimate, log.low, log.high)]
                rows[-1] |= dict(zip(("change", "change_low", "change_high"), change, strict=True))
    table = pd.DataFrame(rows)
    ends = ("ci95_low", "ci95_high", "change", "change_low", "change_high")
    columns = ["load", "size", "scenario", "wait", "run", "response", *ends, "note"]
    return table.reindex(columns=columns).fillna({"note": ""})


def _ends(name, interval):
    return {name: interval.estimate, "ci95_low": interval.low, "ci95_high": interval.high}


def over_load(one: Scenario, other: Scenario, effort: Effort | None = None) -> pd.DataFrame:
    """Return the mean response in A and B at each of `LOADS`, or why it has none."""
    rows = []
    for load in LOADS:
        for side, each in zip(SIDES, _both(one, other, load, effort), strict=True):
            row = {"load": load, "size": ALL, "scenario": side, "note": each.why}
            mean = Interval.exact(np.nan) if each.why else student(each.response[:, 0])
            rows.append(row | _ends("response", mean))
    return pd.DataFrame(rows)


def break_even(scenario: Scenario, load: float, effort: Effort | None = None) -> str:
    """Say up to which penalty spanning pays: where the response is that of the same jobs whole."""
    jobs: Any = scenario.workload
    model = getattr(jobs, "model", jobs)
    kept = model.with_(request="total", span_penalty=0.0)
    effort = effort_for(scenario) if effort is None else effort
    policy = EASY() if isinstance(scenario.scheduling, EASY) else scenario.scheduling
    small = effort._replace(jobs=max(effort.jobs // 2, COARSE.jobs))
    try:
        whole = measure(Scenario(scenario.system, kept, policy, BestFit()), load, small)
    except InputError:
        return "no bound: some jobs must span"

    def difference(penalty):
        paying = measure(scenario.with_(workload=jobs.with_(span_penalty=penalty)), load, small)
        if paying.why or whole.why:
            return Sample(np.full(small.runs, np.inf if paying.why else -np.inf))
        return Sample(paying.response[:, 0] - whole.response[:, 0])

    if whole.why and difference(0.0).mean > 0:
        return "unknown past saturation"
    found = crossing(difference, *PENALTIES, budget=effort.budget)
    middle, low, high = found.interval.estimate, found.interval.low, found.interval.high
    if np.isfinite(middle):
        ends = "" if not np.isfinite([low, high]).all() else f" [{low:.2f}, {high:.2f}]"
        return f"{middle:.2f}{ends}"
    return f"above {PENALTIES[1]:g}" if middle > 0 else "none: spanning does not pay"


def verdict(table: pd.DataFrame) -> str:
    """Say of a table of `by_size` which side responds sooner, where the interval tells."""
    notes = [f"{r.scenario} is {r.note}" for r in table[table["size"] == ALL].itertuples() if r.note]
    if notes:
        return "; ".join(notes)
    row = table[(table["size"] == ALL) & (table["scenario"] == "B")].iloc[0]
    change, low, high = row["change"], row["change_low"], row["change_high"]
    if low == high == 0:
        return "A and B serve these jobs alike"
    if low <= 0 <= high:
        ends = f"{change:+.1f} % [{low:+.1f}, {high:+.1f}]"
        return f"Whether A or B responds sooner is undecided: B by {ends}"
    near, far = sorted((abs(low), abs(high)))
    how = "sooner" if high < 0 else "later"
    return f"B responds {abs(change):.1f} % {how} than A [{near:.1f}, {far:.1f}]"


def draw_bars(axes: Axes, table: pd.DataFrame) -> None:
    """Draw what jobs of each size run (dark) and wait (pale)."""
    names = list(table["size"].unique())
    for row in table.itertuples():
        at = names.index(row.size) + (-0.2 if row.scenario == "A" else 0.2)
        colour = LOOK[row.scenario].colour
        axes.barh(at, row.run, 0.36, color=colour)
        axes.barh(at, row.wait, 0.36, left=row.run, color=colour, alpha=0.45)
    axes.set_yticks(range(len(names)), names)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlabel="response; dark: run, pale: wait")
    axes.grid(False)


def draw_changes(axes: Axes, table: pd.DataFrame) -> None:
    """Draw by how many percent B changes the response of each size, with intervals."""
    rows = table[table["scenario"] == "B"]
    axes.axvline(0, color="black", linewidth=0.8)
    for at, row in enumerate(rows.itertuples()):
        axes.plot([row.change_low, row.change_high], [at, at], color=LOOK["B"].colour)
        axes.plot(row.change, at, LOOK["B"].marker, color=LOOK["B"].colour, markersize=5)
    axes.set_yticks(range(len(rows)), rows["size"])
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel="who pays: B against A, %")


def draw_responses(axes: Axes, table: pd.DataFrame, one: Scenario, other: Scenario) -> None:
    """Draw the mean response over load, and how much each side carries."""
    effort = effort_for(one, other)
    most = np.nanmax([table["ci95_high"].max(), 2.0])
    for side, each, scale in zip(SIDES, (one, other), loads_of(one, other, 1.0), strict=True):
        line = table[(table["scenario"] == side) & table["response"].notna()]
        sign, carried = LOOK[side], capacity(each, effort.full).estimate / scale
        style: Any = {"color": sign.colour, "marker": sign.marker, "markersize": 4}
        axes.plot(line["load"], line["response"], label=side, **style)
        axes.fill_between(
            line["load"], line["ci95_low"], line["ci95_high"], color=sign.colour, alpha=0.2
        )
        axes.axvline(carried, color=sign.colour, linestyle=":", linewidth=1.2)
        height = 0.97 if side == "A" else 0.87
        words = {"va": "top", "ha": "right", "fontsize": 7.5, "color": sign.colour}
        axes.text(carried, height, f"{side} is full: {carried:.2f} ", transform=axes.get_xaxis_transform(), **words)
    axes.set(xlim=(0, None), ylim=(0, 1.15 * most), xlabel="load", ylabel="response")
    axes.legend(loc="center left", frameon=False, fontsize=8)


def words_of(table: pd.DataFrame) -> list[str]:
    """Return the rows of a table of `by_size` or `over_load` in words."""
    said = []
    for row in table.itertuples():
        number = f"{row.response:.2f} ({row.ci95_low:.2f} to {row.ci95_high:.2f})"
        said.append(f"{row.scenario}, {row.size}, load {row.load:g}: {row.note or number}")
    return said


def playground_picture(
    one: Scenario, other: Scenario, load: float = 0.7, effort: Effort | None = None
) -> Picture:
    """Draw two scenarios beside each other: wait and run by size, who pays, response over load.

    Parameters
    ----------
    one, other : Scenario
        A and B, of a `JobModel` of one component or of `SplitJobs`.
    load : float
        What the jobs offer to the processors of `one`; the same jobs come to `other`.
    effort : Effort, optional
        How much is simulated.
    """
    for name, each in (("one", one), ("other", other)):
        instance_of(name, each, Scenario, "co.Scenario(...)")
    table, curve = by_size(one, other, positive("load", load), effort), over_load(one, other, effort)
    figure, (left, middle, right) = plots.new_figure(2.5, 1, 3)
    draw_bars(left, table)
    draw_changes(middle, table)
    draw_responses(right, curve, one, other)
    kinds = [f"{side}: {each.scheduling}, {each.system}" for side, each in zip(SIDES, (one, other), strict=True)]
    plots.title_figure(figure, verdict(table), *kinds, f"load {load:g}; 95 % intervals")
    return Picture(figure, rows=words_of(table) + words_of(curve))
