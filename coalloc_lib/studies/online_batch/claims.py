"""The claims OB-1 to OB-7: what logs say, and means from weeks drawn anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from coalloc_lib.estimates import Interval, all_of
from coalloc_lib.studies.claims import Claims, Found, most
from coalloc_lib.studies.ledger import judge_number
from coalloc_lib.studies.online_batch.case_figures import (
    DrawnLines,
    GroupLines,
    WaitLines,
)
from coalloc_lib.studies.online_batch.figures import LONGEST, TABLE2
from coalloc_lib.studies.online_batch.parameters import (
    BATCH,
    CTC,
    EXACT,
    FEATURES,
    FIFTIES,
    HPC2N,
    KTH,
    LENGTH_ENDS,
    MIDDLE,
    NAME,
    ONLINE,
    POWERS,
    SMALL,
)
from coalloc_lib.studies.online_batch.runs import (
    Case,
    difference,
    group_change,
    has_jobs,
    mean,
    ratio,
    rises,
)
from coalloc_lib.studies.online_batch.tables import AttemptsTable, FeaturesTable
from coalloc_lib.studies.online_batch.tree_figures import (
    GrowthFigure,
    OperationsFigure,
    WorkedExample,
)

#: What 'ten times' and 'about half' are.
ORDER, HALF = 10.0, (0.35, 0.65)
#: Relative difference at which two shares are even, and two lengths the same.
EVEN, NEAR = 0.05, 0.01


@dataclass(frozen=True, eq=False)
class Runs:
    """The figures that claims are about, run."""

    example: WorkedExample
    features: FeaturesTable
    penalties: GroupLines
    waiting: WaitLines
    by_servers: GroupLines
    attempts: AttemptsTable
    reservations: WaitLines
    mean_waits: DrawnLines
    operations: OperationsFigure
    growth: GrowthFigure


claim = Claims(NAME, " · ".join, counted=True)


def groups_between(ends: Sequence[float], low: float, high: float, name: str) -> str:
    """Return the sums of all groups between two ends, as `runs.resampled` takes them.

    Examples
    --------
    >>> groups_between([0, 1, 2, 4], 0, 2, "jobs size {}")
    'jobs size 0+jobs size 1'
    """
    chosen = [i for i, (a, b) in enumerate(pairwise(ends)) if low <= a and b <= high]
    return "+".join(name.format(i) for i in chosen)


def part_of(case: Case, policy: str) -> str:
    """Return the name of a part: the policy, and the servers it is on."""
    return f"{policy} ({case.log.name}, {case.servers})"


@claim("OB-1", "periods accepted in the worked example")
def worked_example_goes_so(runs: Runs) -> Found:
    """Whether the search marks and accepts what the paper says, in its order."""
    marks = runs.example.marks()
    parts: dict[str, bool | None] = {
        "marks X and V, then Z, then Y": [set(each) for each in marks["phase 1"]]
        == [{"X", "V"}, {"Z"}, {"Y"}],
        "goes through them in reverse": marks["phase 2"] == ["Y", "Z"],
        "accepts Y and Z": sorted(marks["accepted"]) == ["Y", "Z"],
    }
    return float(len(marks["accepted"])), parts


@claim("OB-2", "mean run time of KTH-SP2, in hours")
def features_as_printed(runs: Runs) -> Found:
    """Whether the mean run times are the printed mean lengths."""
    figure, parts = runs.features, dict[str, bool | None]()
    for name in (KTH, HPC2N):
        printed = FEATURES[name][2]
        real = name in figure.logs and not figure.logs[name].is_stand_in
        near = real and abs(figure.length(name) / printed - 1) <= NEAR
        parts[f"{name} {printed:g} h"] = bool(near) if real else None
    return figure.length(KTH), parts, f"the same: within {NEAR:.0%}"


@claim("OB-3", "temporal penalty of small KTH-SP2 jobs as recorded, over that online")
def small_jobs_suffer_in_batch(runs: Runs) -> Found:
    """Whether small jobs are better off online by ten times, and those of the middle worse off."""
    figure, parts, first = runs.penalties, dict[str, bool | None](), []
    cases = {case.policy: case for case in figure.entries.values()}
    ends = LENGTH_ENDS.tolist()
    for name, span, limit in (("small", (0.0, SMALL), ORDER), ("2 to 10 h", MIDDLE, 1.0)):
        top, bottom = (
            groups_between(ends, *span, f"{what} length {{}}") for what in ("penalty", "jobs")
        )
        for policy in BATCH:
            part = f"{name} against {policy}"
            if policy not in cases:
                parts[part] = None
                continue
            pair = (cases[policy], cases[ONLINE])
            one, other = pair if name == "small" else pair[::-1]
            found = ratio(one, other, figure.found, top, bottom, figure.size.resamples)
            parts[part] = None if found is None else found.above(limit)
            first += [found] if found is not None and name == "small" else []
    return first[0], parts, f"small: up to {SMALL:g} h; batch: as recorded, and our own"


@claim("OB-4", "longest wait online of KTH-SP2 on its own 100 servers, in hours")
def longest_waits(runs: Runs) -> Found:
    """Whether the longest waits are as printed, and batch scheduling has the longer ones."""
    figure, parts = runs.waiting, dict[str, bool | None]()
    longest = {
        case: figure.result(label).number("longest") for label, case in figure.entries.items()
    }
    for case, value in longest.items():
        # The longest wait is that of one job, which a synthetic log does not have.
        real = not case.log.is_stand_in
        if (case.log.name, case.policy) in LONGEST:
            printed = LONGEST[case.log.name, case.policy]
            verdict = _longest_verdict(printed, value) if real else None
            parts[f"{printed:g} h {part_of(case, case.policy)}"] = verdict
        if case.policy != ONLINE:
            online = next(
                v for c, v in longest.items()
                if (c.log, c.servers, c.policy) == (case.log, case.servers, ONLINE)
            )  # fmt: skip
            longer = bool(value > online) if real else None
            parts[f"longer in batch {part_of(case, case.policy)}"] = longer
    return _longest_of(longest), parts, "a longest wait is one job's, and has no interval"


def _longest_verdict(printed: float, value: float) -> bool:
    decimals = 0 if printed == int(printed) else 1
    return judge_number(printed, Interval.exact(value), decimals).verdict != "differs"


def _longest_of(longest: Mapping[Case, float]) -> float:
    """Return the longest wait online of KTH on the servers of its machine."""
    (found,) = (
        value
        for case, value in longest.items()
        if (case.log.name, case.servers, case.policy) == (KTH, case.log.servers, ONLINE)
    )
    return found


@claim("OB-5", "share of CTC-SP2 jobs that wait over 2 hours online, over that recorded or of EASY")
def short_waits(runs: Runs) -> Found:
    """Whether most CTC jobs wait little online, and more KTH jobs very little in batch."""
    figure, parts, first = runs.waiting, dict[str, bool | None](), []
    cases = {(c.log.name, c.servers, c.policy): c for c in figure.entries.values()}
    resamples = figure.size.resamples
    for (name, servers, policy), case in cases.items():
        online = cases[name, servers, ONLINE]
        where = part_of(case, policy)
        if name == CTC and policy == ONLINE:
            under = mean(case, figure.found, "within 2", "jobs", resamples)
            parts[f"most under 2 h ({name}, {servers})"] = (
                None if under is None else under.above(0.5)
            )
        elif name == CTC:
            over = ratio(online, case, figure.found, "over 2", "jobs", resamples)
            parts[f"half as many wait over 2 h as {where}"] = (
                None if over is None else over.between(*HALF)
            )
            first += [] if over is None else [over]
        elif policy != ONLINE:
            one, two = (
                difference(case, online, figure.found, f"within {h}", "jobs", resamples)
                for h in (1, 2)
            )
            parts[f"more under 1 h {where}"] = None if one is None else one.above(0)
            parts[f"even at 2 h {where}"] = None if two is None else two.between(-EVEN, EVEN)
    return first[0], parts, "about half: 35 to 65 %; even: within 5 % of the jobs"


@claim("OB-6", "mean wait online over that of batch scheduling, where it is largest")
def online_waits_less(runs: Runs) -> Found:
    """Whether wide jobs wait longer than narrow ones, and less online than in batch."""
    figure, parts, all_found = runs.by_servers, dict[str, bool | None](), []
    for (panel, policy), case in figure.entries.items():
        groups = [
            i for i in range(len(POWERS) - 1) if has_jobs(case, figure.found, f"jobs size {i}")
        ]
        rise = group_change(
            case, figure.found, ("wait size {}", "jobs size {}"), (groups[0], groups[-1]),
            figure.size.resamples,
        )  # fmt: skip
        parts[f"grows {part_of(case, policy)}"] = rise.above(0)
        if policy != ONLINE:
            online = figure.entries[panel, ONLINE]
            resamples = figure.size.resamples
            found = ratio(online, case, figure.found, "wait", "jobs", resamples)
            parts[f"below {part_of(case, policy)}"] = None if found is None else found.below(1)
            all_found += [] if found is None else [found]
    return most(all_found), parts, "grows: from the narrowest group to the widest"


@claim("OB-7", "attempts a request for up to 50 servers, KTH-SP2 on its own 100")
def attempts_as_printed(runs: Runs) -> Found:
    """Whether attempts grow with the servers asked for, and are as printed."""
    figure, parts = runs.attempts, dict[str, bool | None]()
    value: Interval | float = float("nan")
    for label, case in figure.entries.items():
        if case.length != EXACT or case.log.name not in TABLE2:
            continue
        where = f"({case.log.name}, {case.servers})"
        steps = rises(
            case, figure.found, (figure.top, figure.bottom), len(FIFTIES) - 1,
            figure.size.resamples,
        )  # fmt: skip
        parts[f"grow {where}"] = all_of(*(step.above(0) for step in steps)) if steps else None
        for size, printed in TABLE2[case.log.name].items():
            found = figure.cell(label, size)
            real = not case.log.is_stand_in
            parts[f"{printed:g} {where}"] = _as_printed(printed, found) if real else None
        if case.log.name == KTH and case.servers == case.log.servers:
            value = figure.cell(label, (0, 50)) or value
    return value, parts


def _as_printed(printed: float, found: Interval | None) -> bool | None:
    """Return whether a number with an interval is as printed; None where it does not decide."""
    if found is None:
        return None
    verdict = judge_number(printed, found, 2).verdict
    return None if verdict == "cannot be tested" else verdict != "differs"
