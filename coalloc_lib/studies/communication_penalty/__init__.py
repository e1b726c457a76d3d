"""Ngubiri and van Vliet 2008, communication considerations: CP-1 to CP-13; maps of what pays."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import Any

import numpy as np

from coalloc_lib.intervals import Interval, Sample, all_of
from coalloc_lib.studies.communication_penalty import figures as drawn
from coalloc_lib.studies.communication_penalty import maps as _maps  # noqa: F401, its figures
from coalloc_lib.studies.communication_penalty import responses as paper
from coalloc_lib.studies.communication_penalty.figures import Line, best
from coalloc_lib.studies.communication_penalty.responses import BreakEven, scenario, served
from coalloc_lib.studies.core import Decision, Results, least

__all__ = ["SYSTEM", "WHOLE", "BreakEven", "scenario", "served", "study"]

SYSTEM, WHOLE, study = paper.SYSTEM, paper.WHOLE, drawn.study
#: Relative differences of response times that count as little.
LITTLE = 0.1
#: The penalty up to which the studies before it found co-allocation to pay.
EARLIER = 0.25
#: Units of time that jobs of C4 run longer than those of C1, by their mean penalties.
LONGER = paper.EXECUTION * (0.175 - 0.025)


def by_jumps(results: Results, figure: str, ask: Callable, note: Any = "") -> Decision:
    """Return what ``ask(found)`` gives of `Thresholds`, or lines by name, at `paper.JUMPS`."""
    found: dict[str, Any] = {}
    for (at, which, place), case in (
        study.figures[figure].cases(results.scale, results.seed).items()
    ):
        if figure == "thresholds":
            waiting = ", counted over the whole wait" * (place == "waiting")
            found[f"MaxJumps {paper.jumps_label(which)}{waiting}"] = results[case]
        else:
            lines = found.setdefault(f"MaxJumps {paper.jumps_label(at)}", {})
            lines.setdefault(which, {})[place] = tuple(results[each] for each in case)
    answers = {at: ask(each) for at, each in found.items()}
    decides, parts = answers.pop(f"MaxJumps {paper.JUMPS}")
    rest = {f"{name}, {at}": x for at, (_, of) in answers.items() for name, x in of.items()}
    return Decision(decides, parts, note(results) if callable(note) else note, rest)


def claim(item: str, quantity: str, figure: str, note: Any = "") -> Callable:
    """Return a decorator for the ``ask(found)`` of a claim, as in `by_jumps`."""

    def keep(ask):
        study.add_claim(item, quantity)(lambda results: by_jumps(results, figure, ask, note))
        return ask

    return keep


def mean_of(samples: Sequence[Sample | None]) -> Interval | None:
    """Return the mean of those samples that there are, run by run; None where there are none."""
    known = [sample for sample in samples if sample is not None]
    if not known:
        return None
    warning = next((sample.warning for sample in known if sample.warning), "")
    return Sample(np.mean([sample.values for sample in known], axis=0), warning).interval


def pays(line: Line, group: str) -> dict[float, bool | None]:
    """Return for each place whether splitting responds sooner; None where undecided."""
    found = {place: paper.change(*pair, group)["verdict"] for place, pair in line.items()}
    return {place: {"gains": True, "loses": False}.get(each) for place, each in found.items()}


def grows(before: Sequence[float], after: Sequence[float]) -> bool | None:
    """Whether all best places after are above all before; None where they overlap."""
    if not before or not after:
        return None
    return True if min(after) > max(before) else False if max(after) < min(before) else None


def shrinks(before: dict[float, bool | None], after: dict[float, bool | None]) -> bool | None:
    """Whether places that pay are lost, and none is won; None where no place is sure to change."""
    lost = any(before[x] and after[x] is False for x in before)
    won = any(after[x] and before[x] is False for x in before)
    return (lost and not won) if lost or won else None


@study.add_claim("CP-1", "offered load, and where that of samples of 2,000 jobs lies")
def _shares(results: Results) -> Decision:
    table = results.table("shares").set_index(["quantity", "group"])
    low, high, inside = (table[name] for name in ("sample_low", "sample_high", "explained"))
    load, slip = (drawn.LOAD, "all jobs"), (drawn.WORK, "S2")
    loads = table["printed"][drawn.WORK]
    left = 1 - loads.drop("S2").sum()
    there = "lie" if low[slip] <= left <= high[slip] else "do not lie"
    why = f"samples {there} around the {left:.1%} left by the others"
    within = Interval(paper.EXACT_LOAD, low[load], high[load], len(table))
    return Decision(within, {f"{n} {group}": bool(x) for (n, group), x in inside.items()}, why)


def identified(results: Results) -> str:
    """Say which MaxJumps no printed threshold contradicts."""
    words = []
    for kind, prefix in (("the mean", "ci95"), ("one run", "run")):
        fitting = drawn.fits(results.table("thresholds"), prefix)
        found = [f"{x:g}{' over the wait' * (of == 'waiting')}" for of, x in fitting[fitting].index]
        words.append(f"{', '.join(found).replace('inf', 'no limit') or 'none'} (by {kind})")
    return f"no printed threshold contradicts MaxJumps {' and '.join(words)}"


def _as_one_run(found, group):
    """Whether a single run may give the printed threshold; None where none has one."""
    run = found.one_run[group].prediction if found.one_run else None
    return run.contains(drawn.PRINTED[group]) if run and run.half_width else None


@claim("CP-2", "threshold of the stream", "thresholds", identified)
def _threshold_of_the_stream(found):
    crosses = {"crossing": True, "undecided": None}.get(found.by_group["stream"].answer, False)
    answers = {"a threshold": crosses, "0.185 as one run": _as_one_run(found, "stream")}
    return found.by_group["stream"].interval, answers


@claim("CP-3", "threshold of S4", "thresholds")
def _thresholds_of_groups(found):
    loss = found.at_stream.get("S4")
    return found.by_group["S4"].interval, {
        "S4 below the stream": loss and loss.interval.above(0),
        "S1 above 0.3": found.by_group["S1"].interval.above(drawn.PRINTED["S1"]),
        "0.160 as one run": _as_one_run(found, "S4"),
    }


@claim("CP-4", "rise of the response time of S4 from the first threshold to the last", "figure2")
def _rises_with_threshold(lines):
    first, last = (lines[""][end(lines[""])][0].means for end in (min, max))
    if not first or not last:
        return None, {"rises": None}
    rise = {name: last[name] - first[name] for name in paper.NAMES}
    answers = {f"{name} rises": each.interval.above(0) for name, each in rise.items()}
    others = ((rise["S4"] - rise[name]).interval.above(0) for name in ("S1", "S2", "S3"))
    return rise["S4"].interval, answers | {"S4 rises most": all_of(*others)}


@claim(
    "CP-5", "largest threshold (19 splits nobody) among the best for S4 at penalty 0.2", "figure3",
    "among the best is what is not seen to be worse than the best",
)  # fmt: skip
def _best_grows(lines):
    before, *_, after = lines.values()
    return max(best(after, "S4"), default=None), {
        "the best grows": grows(best(before, "S4"), best(after, "S4")),
        "pays at fewer thresholds": shrinks(pays(before, "S4"), pays(after, "S4")),
    }


@study.add_claim("CP-6", "lowest threshold that is best for S4 at every load from 0.7 on")
def _best_by_load(results: Results) -> Decision:
    def ask(lines, least_load=drawn.BUSY):
        busy = [line for name, line in lines.items() if float(name.split()[1]) >= least_load]
        same, shared = drawn.same_best([set(best(line, "S4")) for line in busy], [*busy[0]])
        return min(shared, default=None), {f"the same from load {least_load:g} on": same}

    alike = f"at most {drawn.NARROW} thresholds are alike"
    why = f"known where {alike}, and none is an end of the range"
    found = by_jumps(results, "figure4", ask, why)
    every = by_jumps(results, "figure4", partial(ask, least_load=min(results.scale.loads)))
    return found._replace(elsewhere={**found.elsewhere, **every.parts, **every.elsewhere})


@study.add_claim("CP-7", "most that a group responds later with spread penalties, as a ratio")
def _spread_is_worse(results: Results) -> Decision:
    def ask(lines):
        means = {
            group: mean_of([paper.ratio(*pair, group) for pair in lines[""].values()])
            for group in paper.GROUPS
        }
        worse = {f"{group} later": each and each.above(1) for group, each in means.items()}
        return max(filter(None, means.values()), key=attrgetter("high"), default=None), worse

    found = by_jumps(results, "figure5", ask)
    most = getattr(found.decides, "high", np.nan) - 1
    return found._replace(note=f"no group later by more than {most:.1%}; mean over the thresholds")


@claim(
    "CP-8", "response time of C4 less that of C1, over that of all split jobs", "figure6",
    "mean over the thresholds",
)  # fmt: skip
def _own_penalty_matters(lines):
    every = [one.means for one, _ in lines[""].values() if one.means]

    def over_all(far):
        split = [(far(means), means[paper.ALL_SPLIT]) for means in every]
        return mean_of([Sample(by / of.values, of.warning) for by, of in split])

    waits = over_all(lambda means: (means["C4 wait"] - means["C1 wait"]).values)
    longer = over_all(lambda means: LONGER)
    return longer, {
        f"{name} within {LITTLE:.0%}": each and each.between(-LITTLE, LITTLE)
        for name, each in (("waits", waits), ("responses", longer))
    }


@claim("CP-9", "lowest threshold of all groups", "thresholds")
def _free_splitting_pays(found):
    ends = {name: found.by_group[name].interval for name in paper.NAMES}
    return least(ends.values()), {f"{n} gains at penalty 0": x.above(0) for n, x in ends.items()}


@claim(
    "CP-10", "threshold of the stream", "thresholds",
    "the 25 % of 2002 is for other machines and jobs; their spread is not the cause (CP-7)",
)  # fmt: skip
def _less_viable(found):
    stream = found.by_group["stream"].interval
    return stream, {f"below {EARLIER}": stream.below(EARLIER)}


@claim("CP-11", "response time of S4 less that of the next group, least", "figure2")
def _largest_are_worst(lines):
    every = [one.means for one, _ in lines[""].values() if one.means]
    apart = [(of["S4"] - of[group]).interval for of in every for group in ("S1", "S2", "S3")]
    last = all_of(*(each.above(0) for each in apart)) if apart else None
    over_half = drawn.EXACT_SHARES[drawn.WORK, "S4"] > 0.5
    return least(apart, default=None), {"S4 last": last, "over half of the load": over_half}


@claim("CP-12", "least rise of the response time of S4 from one load to the next", "figure4")
def _load_hurts(lines):
    pairs = (
        (before[place][0].means, after[place][0].means)
        for before, after in pairwise(lines.values()) for place in before
    )  # fmt: skip
    steps = [(more["S4"] - less["S4"]).interval for less, more in pairs if less and more]
    later = all_of(*(each.above(0) for each in steps)) if steps else None
    return least(steps, default=None), {"later": later}


@claim("CP-13", "what S4 loses where the stream breaks even, over whole jobs", "thresholds")
def _stream_misleads(found):
    loss, gain = (x and x.interval for x in map(found.at_stream.get, ("S4", "S1")))
    return loss, {"S4 loses": loss and loss.above(0), "S1 gains": gain and gain.below(0)}
