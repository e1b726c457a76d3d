"""What is seen in each figure, and what its claims are judged by, from the figure's own numbers."""

from collections.abc import Mapping

from coalloc_lib.estimates import Interval, all_of, not_
from coalloc_lib.inference import Sample
from coalloc_lib.plots import Level
from coalloc_lib.studies.headlines import compared, points, tally
from coalloc_lib.studies.loss_figures import LossFigure
from coalloc_lib.studies.maximal_utilization.claims import (
    ABOUT_TEN,
    HALVED,
    LITTLE,
    SAME,
    SMALL_CHANGE,
)
from coalloc_lib.studies.maximal_utilization.parameters import sizes
from coalloc_lib.studies.maximal_utilization.scenarios import SERVICES

Losses = Mapping[str, Mapping[str, Sample]]
ORDERED, UNORDERED = "ordered (exact)", "unordered (simulated)"
INDEPENDENT, DEPENDENT = "independent sizes", "dependent sizes"


def around(losses: Losses, series: str, low: float, high: float) -> dict[str, Level]:
    """Return by group from where to where, relative to a series; groups without it have none."""
    middle = {group: row[series].mean for group, row in losses.items() if series in row}
    return {group: (mean + low, mean + high) for group, mean in middle.items()}


def halved(figure: LossFigure) -> str:
    """Figure 3: for how many the loss is roughly halved from ordered to unordered requests."""
    left = {g: (r[UNORDERED] / r[ORDERED].mean).interval for g, r in _with(figure, ORDERED)}
    roughly = {group: ratio.between(*HALVED) for group, ratio in left.items()}
    ends = [ratio.estimate for ratio in left.values()]
    return (
        f"From ordered to unordered requests the loss is roughly halved for "
        f"{tally(roughly, 'distributions')}: {min(ends):.2f} to {max(ends):.2f} of it is left"
    )


def half_of_ordered(figure: LossFigure) -> dict[str, Level]:
    """Where a loss is roughly half of that of ordered requests."""
    low, high = HALVED
    return {g: (low * r[ORDERED].mean, high * r[ORDERED].mean) for g, r in _with(figure, ORDERED)}


def dependent_loses_more(figure: LossFigure) -> str:
    """Figure 4: for how many dependent sizes lose more, and for which less."""
    changes = {g: (r[DEPENDENT] - r[INDEPENDENT]).interval for g, r in _with(figure, DEPENDENT)}
    more = {group: change.above(0) for group, change in changes.items()}
    less = [group for group, change in changes.items() if change.below(0)]
    words = f"Dependent sizes lose more than independent ones for {tally(more, 'distributions')}"
    gains = points([changes[group].times(-1) for group in less]) if less else ""
    return f"{words}; {gains} less for {', '.join(less)}" if less else words


def mean_alone(figure: LossFigure) -> dict[str, Level]:
    """Where losses are nearly the least of the distributions with the same mean."""
    losses, found = dict(_with(figure, DEPENDENT)), dict[str, Level]()
    means = {group: _mean_size(group) for group in losses}
    for group, mean in means.items():
        alike = [g for g, other in means.items() if abs(other - mean) <= 0.01 * mean]
        least = min(losses[g][DEPENDENT].mean for g in alike)
        if len(alike) > 1:
            found[group] = least, least + SAME
    return found


def _mean_size(group):
    try:
        return sizes(group).mean
    except ValueError:  # a group of the reader's own
        return float("nan")


def service_times_matter(figure: LossFigure) -> str:
    """Section 7.1: in how many cases the loss changes little, and where it grows most."""
    changes = {f"{n}, {r}": c for r, row in final(figure).items() for n, c in row.items()}
    limit = 100 * SMALL_CHANGE
    little = {name: change.between(-limit, limit) for name, change in changes.items()}
    most = max(changes, key=lambda name: changes[name].estimate)
    return (
        f"With the most variable service times the loss changes by at most {limit:.0f} % in "
        f"{tally(little, 'cases')}; most for {most} requests: {changes[most].estimate:+.0f} %"
    )


def final(figure: LossFigure) -> dict[str, dict[str, Interval]]:
    """Return by request and sizes the change with the most variable service times, in percent."""
    calm, *_, wild = SERVICES
    return {
        request: {
            group: (row[f"{request}, {wild}"] - row[f"{request}, {calm}"]).interval.times(
                100 / row[f"{request}, {calm}"].mean
            )
            for group, row in _with(figure, f"{request}, {wild}")
        }
        for request in ("ordered", "unordered")
    }


def grown(figure: LossFigure) -> list[str]:
    """Return the distributions whose loss changes by more than little, in either panel."""
    limit = 100 * SMALL_CHANGE
    rows = final(figure).values()
    far = [g for row in rows for g, c in row.items() if not_(c.between(-limit, limit))]
    return list(dict.fromkeys(far))


def overtaking_gains(figure: LossFigure) -> str:
    """Figure 5: what FPFS gains with 5 and with 50 jumps."""
    gains: dict[int, dict[str, Interval]] = {5: {}, 50: {}}
    for group, row in _with(figure, "FCFS"):
        for series, loss in row.items():
            for jumps, found in gains.items():
                if series.startswith(f"FPFS({jumps}),"):
                    found[f"{group} {series}"] = row["FCFS"].less_unpaired(loss)
    ten = {name: gain.between(*ABOUT_TEN) for name, gain in gains[50].items()}
    return (
        f"With 50 jumps the loss falls by {points(gains[50].values())}, by about ten in "
        f"{tally(ten, 'cases')}; with 5 by {points(gains[5].values())}"
    )


def less_ten(figure: LossFigure) -> dict[str, Level]:
    """Where a loss is about ten points below that of FCFS."""
    low, high = ABOUT_TEN
    return around(figure.losses, "FCFS", -high, -low)


def worst_fit_loses_least(figure: LossFigure) -> str:
    """Figure 6: for how many worst fit loses least, and what first fit loses more."""
    least, changes = {}, []
    for group, row in _with(figure, "worst fit"):
        others = {n: (s - row["worst fit"]).interval for n, s in row.items() if n != "worst fit"}
        least[group] = all_of(*(change.above(0) for change in others.values()))
        changes += [change for name, change in others.items() if name == "first fit"]
    words = f"Worst fit loses least, for {tally(least, 'distributions')}"
    return f"{words}: first fit loses {points(changes)} more" if changes else words


def near_worst_fit(figure: LossFigure) -> dict[str, Level]:
    """Where a loss is little more or less than that of worst fit."""
    return around(figure.losses, "worst fit", -LITTLE, LITTLE)


def logs_lose_alike(figure: LossFigure) -> str:
    """Figure 7: in how many readings the logs lose alike."""
    changes = {
        f"{group}, {name}": row["DAS1"].less_unpaired(loss)
        for group, row in _with(figure, "DAS1")
        for name, loss in row.items()
        if name.startswith("CTC")
    }
    alike = {name: change.between(-LITTLE, LITTLE) for name, change in changes.items()}
    furthest = max(changes.values(), key=lambda change: abs(change.estimate))
    return (
        f"CTC and DAS1 lose alike in {tally(alike, 'comparisons')}; DAS1 loses up to "
        f"{compared(furthest)}"
    )


def near_das1(figure: LossFigure) -> dict[str, Level]:
    """Where a loss is similar to that of DAS1."""
    return around(figure.losses, "DAS1", -LITTLE, LITTLE)


def spreading_helps(figure: LossFigure) -> str:
    """Figure 8: what one component loses more than four."""
    _, row = _with(figure, "one component")[0]
    change = (row["one component"] - row["four components"]).interval
    return f"The same total loses {compared(change)} as one component than spread over four"


def as_four(figure: LossFigure) -> dict[str, Level]:
    """Where one component loses as much as four."""
    return {group: row["four components"].mean for group, row in _with(figure, "one component")}


def _with(figure, series):
    """Return the groups that have a series, with their losses."""
    return [(group, row) for group, row in figure.losses.items() if series in row]
