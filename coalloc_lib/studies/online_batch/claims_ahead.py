"""The claims OB-8 to OB-11: reservations drawn several times, and operations counted."""

from itertools import cycle, pairwise

from coalloc_lib.estimates import all_of
from coalloc_lib.studies.claims import Found, furthest, least
from coalloc_lib.studies.online_batch.case_figures import TrendFigure, over_draws
from coalloc_lib.studies.online_batch.claims import Runs, claim, part_of
from coalloc_lib.studies.online_batch.parameters import KTH, ONLINE
from coalloc_lib.studies.online_batch.runs import Found as OfRun
from coalloc_lib.studies.online_batch.traces import Log

#: What 'about constant' is.
CONSTANT = (0.8, 1.25)
#: By how much a fitted power may be above the one of a bound.
SLACK = 0.15


@claim("OB-8", "share of KTH-SP2 jobs that wait 1 to 3 hours, at most reservations less at none")
def reservations_shift_waits(runs: Runs) -> Found:
    """Whether reservations move waits within three hours only, and KTH's are longer than batch."""
    figure, parts = runs.reservations, dict[str, bool | None]()
    moved = None
    for log in dict.fromkeys(case.log for case in figure.entries.values()):
        at = by_share(figure, log)
        base, *_, top = at.values()
        shift = over_draws([_middle(found) - _middle(base[0]) for found in top])
        beyond = 1 - _within(base[0], 12.0)
        tail = over_draws([(1 - _within(found, 12.0)) / beyond for found in top] if beyond else [])
        parts[f"more wait 1 to 3 h ({log.name})"] = shift.above(0)
        parts[f"tail over 12 h as it is ({log.name})"] = tail.between(*CONSTANT)
        if log.name != KTH:
            continue
        moved = shift
        for case in figure.entries.values():
            if case.log is not log or case.policy == ONLINE:
                continue
            batch, where = figure.found[case], part_of(case, case.policy)
            under = [
                over_draws([_within(found, 1.0) for found in each]).below(_within(batch, 1.0))
                for each in at.values()
            ]
            longest = max(found.number("longest") for each in at.values() for found in each)
            parts[f"fewer under 1 h at each share than {where}"] = all_of(*under)
            longer = bool(batch.number("longest") > longest)
            parts[f"longer tail of {where}"] = None if log.is_stand_in else longer
    return (
        (moved if moved is not None else float("nan")),
        parts,
        "tail: within 0.8 to 1.25 times; over drawings",
    )


def by_share(figure: TrendFigure, log: Log) -> dict[float, list[OfRun]]:
    """Return what was found of a log online, by the share of reservations, a run a drawing."""
    found: dict[float, list[OfRun]] = {}
    for label, case in figure.entries.items():
        if case.log is log and case.policy == ONLINE:
            found.setdefault(case.share, []).append(figure.result(label))
    return found


def _within(found: OfRun, hours: float) -> float:
    """Return the share of the jobs that wait no longer."""
    return float(found.sums[f"within {hours:g}"].sum() / found.sums["jobs"].sum())


def _middle(found: OfRun) -> float:
    """Return the share of the jobs that wait one to three hours."""
    return _within(found, 3.0) - _within(found, 1.0)


@claim("OB-9", "mean wait with one step more of reservations less that before, in hours, smallest")
def waits_grow_with_reservations(runs: Runs) -> Found:
    """Whether the mean wait grows from each share of reservations to the next."""
    figure, parts, all_found = runs.mean_waits, dict[str, bool | None](), []
    for log in dict.fromkeys(case.log for case in figure.entries.values()):
        waits = [[_mean_wait(found) for found in each] for each in by_share(figure, log).values()]
        # Without reservations nothing is drawn: one run stands beside each drawing.
        changes = [
            over_draws([b - a for a, b in zip(cycle(one), two, strict=False)])
            for one, two in pairwise(waits)
        ]
        parts[log.name] = all_of(*(change.above(0) for change in changes))
        all_found += changes
    return least(all_found), parts


def _mean_wait(found: OfRun) -> float:
    return float(found.sums["wait"].sum() / found.sums["jobs"].sum())


@claim("OB-10", "operations a request with reservations over those without, furthest from 1")
def operations_stay(runs: Runs) -> Found:
    """Whether the operations a request stay about the same at every share of reservations."""
    parts: dict[str, bool | None] = {}
    all_found = []
    for name, whole in (("search", False), ("with update", True)):
        for log, points in runs.operations.lines(whole).items():
            base = points[0][1].estimate
            changes = [found.times(1 / base) for _, found in points[1:]]
            parts[f"{name}, {log}"] = all_of(*(each.between(*CONSTANT) for each in changes))
            all_found += changes
    for log in dict.fromkeys(case.log for case in runs.mean_waits.entries.values()):
        (none,), *drawn = (
            [_attempts(found) for found in each] for each in by_share(runs.mean_waits, log).values()
        )
        changes = [over_draws([tried / none for tried in each]) for each in drawn]
        parts[f"attempts, whole log, {log.name}"] = all_of(
            *(each.between(*CONSTANT) for each in changes)
        )
    widest = furthest(each.plus(-1) for each in all_found).plus(1)
    return widest, parts, "about constant: 0.8 to 1.25 times; operations on extracts"


def _attempts(found: OfRun) -> float:
    return float(found.sums["attempts"].sum() / found.sums["requests"].sum())


@claim("OB-11", "fitted power of log N of phase 2")
def growth_as_bounded(runs: Runs) -> Found:
    """Whether the operations grow no faster than the paper's bounds, as far as was measured."""
    figure = runs.growth
    powers = {
        "phase 1 of log N": (figure.exponent("servers N", "phase 1", True), 1.0),
        "phase 2 of log N": (figure.exponent("servers N", "phase 2", True), 2.0),
        "update of log N": (figure.exponent("servers N", "update", True), 2.0),
        "update of Q": (figure.exponent("slots Q", "update"), 1.0),
        "update of n": (figure.exponent("servers asked for n", "update"), 1.0),
    }
    parts = {
        f"{name}: {found.estimate:.2f}, at most {bound:g}": found.below(bound + SLACK)
        for name, (found, bound) in powers.items()
    }
    return powers["phase 2 of log N"][0], parts, f"at most: up to {SLACK:g} more"
