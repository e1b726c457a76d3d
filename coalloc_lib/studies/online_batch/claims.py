"""The claims OB-1 to OB-11, and the numbers that the paper prints of waits and attempts."""

from collections.abc import Mapping
from itertools import cycle, pairwise
from typing import Any

import numpy as np

from coalloc_lib.intervals import Interval, all_of
from coalloc_lib.studies.core import Decision, Results, furthest, least, most
from coalloc_lib.studies.ledger import Row, judge_number
from coalloc_lib.studies.online_batch import figures, runs
from coalloc_lib.studies.online_batch.figures import over_draws, power
from coalloc_lib.studies.online_batch.runs import CTC, EXACT, KTH, ONLINE, Case, Outcome, study

#: Small jobs are up to so many hours; what 'ten times', 'about half' and 'about constant' are.
SMALL, ORDER, HALF, CONSTANT = 1.0, 10.0, (0.35, 0.65), (0.8, 1.25)
#: Lengths that are the same, shares that are even, and a fitted power over that of its bound.
NEAR, EVEN, SLACK = 0.01, 0.05, 0.15
#: What a verdict on a printed number answers.
ANSWERS = {"differs": False, "undecided": None, "cannot be tested": None}


def _entries(results: Results, figure: str) -> Mapping[Any, Any]:
    return study.figures[figure].cases(results.scale, results.seed)


def _words(case: Case) -> str:
    return f"{case.policy} ({case.log.name}, {case.servers})"


@study.add_claim("OB-1", "periods accepted in the worked example")
def _worked_example_goes_so(results: Results) -> Decision:
    marks = results.table("figure1").groupby("part")["periods"].agg(list)
    first = [set(mark) for mark in marks["phase 1"]]
    parts = {
        "marks X and V, then Z, then Y": first == [{"X", "V"}, {"Z"}, {"Y"}],
        "goes through them in reverse": marks["phase 2"] == ["Y", "Z"],
        "accepts Y and Z": sorted(marks["accepted"]) == ["Y", "Z"],
    }
    return float(len(marks["accepted"])), parts


@study.add_claim("OB-2", "mean run time of KTH-SP2, in hours", logs=[KTH, runs.HPC2N])
def _features_as_printed(results: Results) -> Decision:
    table, parts = results.table("table1").set_index("log")["mean_length_h"], {}
    for name in (KTH, runs.HPC2N):  # a stand-in has another title
        *_, printed = figures.FEATURES[name]
        near = bool(abs(table.get(name, np.nan) / printed - 1) <= NEAR)
        parts[f"{name} {printed:g} h"] = near if name in table else None
    return float(table.iloc[0]), parts, f"the same: within {NEAR:.0%}"


@study.add_claim("OB-3", "temporal penalty of small KTH-SP2 jobs as recorded, over that online")
def _small_jobs_suffer_in_batch(results: Results) -> Decision:
    by_policy = {case.policy: results[case] for case in _entries(results, "figure3").values()}
    parts, ratios, (low, high) = dict[str, bool | None](), [], figures.MIDDLE
    begin, end = runs.ENDS["length"][:-1], runs.ENDS["length"][1:]
    sums, online = ("penalty by length", "jobs by length"), by_policy[ONLINE]
    for policy in (runs.RECORDED, *runs.OWN_BATCH):
        batch = by_policy.get(policy)
        small = batch and batch.over(online, *sums, end <= SMALL)
        middle = batch and online.over(batch, *sums, (begin >= low) & (end <= high))
        parts[f"small against {policy}"] = small and small.above(ORDER)
        parts[f"2 to 10 h against {policy}"] = middle and middle.above(1.0)
        ratios += [small] if small else []
    return ratios[0], parts, f"small: up to {SMALL:g} h; batch: as recorded, and our own"


def _judged(item: str, case: Case, printed: float, unit: str, own: Interval) -> Row:
    name = f"{item} {case.log.name} {case.servers} {case.policy}"
    unit = f"{unit}, {case.machine} servers"
    low, high = (own.low, own.high) if own.count else (None, None)
    decimals = len(f"{printed:g}".partition(".")[2])
    verdict = judge_number(printed, own, decimals, stand_in=case.log.name * case.log.is_stand_in)
    return Row(study.name, name, unit, printed, own.estimate, low, high, *verdict)


def _printed_waits(results: Results) -> dict[Case, Row]:
    rows = {}
    for case in _entries(results, "figure4").values():
        printed = figures.LONGEST.get((case.log.name, case.policy))
        if printed is not None:
            longest = Interval.exact(results[case].numbers["longest"])
            rows[case] = _judged("Figure 4 longest wait", case, printed, "hours", longest)
    return rows


@study.add_claim(
    "OB-4", "longest wait online of KTH-SP2 on its own 100 servers, in hours", logs=[KTH, CTC]
)
def _longest_waits(results: Results) -> Decision:
    parts, value = dict[str, bool | None](), float("nan")
    entries, printed = _entries(results, "figure4"), _printed_waits(results)
    for (*machine, policy), case in entries.items():
        longest = results[case].numbers["longest"]
        if row := printed.get(case):
            parts[f"{row.published:g} h {_words(case)}"] = ANSWERS.get(row.verdict, True)
        if policy != ONLINE:
            longer = bool(longest > results[entries[*machine, ONLINE]].numbers["longest"])
            # The longest wait is that of one job, which a synthetic log does not have.
            parts[f"longer in batch {_words(case)}"] = None if case.log.is_stand_in else longer
        elif case == runs.standard(case.log) and case.log.name == KTH:
            value = longest
    return value, parts, "a longest wait is one job's, and has no interval"


@study.add_claim(
    "OB-5", "share of CTC-SP2 jobs that wait over 2 hours online, over that recorded or of EASY"
)
def _short_waits(results: Results) -> Decision:
    parts, ratios, entries = dict[str, bool | None](), [], _entries(results, "figure4")
    for (*machine, policy), case in entries.items():
        outcome, online, where = results[case], results[entries[*machine, ONLINE]], _words(case)
        if case.log.name == CTC and policy == ONLINE:
            under = outcome.anew(lambda means: means[0], outcome.part("within 2"))
            parts[f"most under 2 h ({CTC}, {case.servers})"] = under and under.above(0.5)
        elif case.log.name == CTC:
            over = online.over(outcome, "over 2")
            parts[f"half as many wait over 2 h as {where}"] = over and over.between(*HALF)
            ratios += [over] if over else []
        elif policy != ONLINE:
            one, two = (
                outcome.anew(lambda means: means[0] - means[1], outcome.part(w), online.part(w))
                for w in ("within 1", "within 2")
            )
            parts[f"more under 1 h {where}"] = one and one.above(0)
            parts[f"even at 2 h {where}"] = two and two.between(-EVEN, EVEN)
    return ratios[0], parts, "about half: 35 to 65 %; even: within 5 % of the jobs"


def _rise(outcome, top, bottom, groups):
    """Return the mean of the second of two groups less that of the first."""
    return outcome.anew(lambda m: m[1] - m[0], *(outcome.part(top, bottom, i) for i in groups))


@study.add_claim("OB-6", "mean wait online over that of batch scheduling, where it is largest")
def _online_waits_less(results: Results) -> Decision:
    parts, ratios, entries = dict[str, bool | None](), [], _entries(results, "figure5")
    for (*machine, policy), case in entries.items():
        outcome = results[case]
        first, *_, last = np.flatnonzero(outcome.sums["jobs by size"].any(axis=1))
        rise = _rise(outcome, "wait by size", "jobs by size", (first, last))
        parts[f"grows {_words(case)}"] = rise.above(0)
        if policy != ONLINE:
            ratio = results[entries[*machine, ONLINE]].over(outcome, "wait")
            parts[f"below {_words(case)}"] = ratio and ratio.below(1)
            ratios += [ratio] if ratio else []
    return most(ratios), parts, "grows: from the narrowest group to the widest"


def _printed_attempts(results: Results) -> dict[tuple[Case, float], Row | None]:
    """Return the rows of Table 2 by case and printed number; None of what no job asked for."""
    rows: dict[Any, Row | None] = {}
    for case in _entries(results, "attempts").values():
        groups = results[case].by_group("attempts by fifty", "requests by fifty")
        means = {(low, high): mean for low, high, mean in groups}
        printed = figures.TABLE2.get(case.log.name, {}) if case.length == EXACT else {}
        for (low, high), value in printed.items():
            item, mean = f"Table 2 ({low}:{high}]", means.get((low, high))
            rows[case, value] = mean and _judged(item, case, value, "attempts", mean)
    return rows


@study.add_claim(
    "OB-7", "attempts a request for up to 50 servers, KTH-SP2 on its own 100", logs=[KTH, CTC]
)
def _attempts_as_printed(results: Results) -> Decision:
    parts, number = dict[str, Any](), Interval.exact(float("nan"))
    sums = "attempts by fifty", "requests by fifty"
    for (case, printed), row in _printed_attempts(results).items():
        where, outcome = f"({case.log.name}, {case.servers})", results[case]
        if f"grow {where}" not in parts:
            groups = pairwise(np.flatnonzero(outcome.sums[sums[1]].any(axis=1)))
            steps = [_rise(outcome, *sums, pair).above(0) for pair in groups]
            parts[f"grow {where}"] = all_of(*steps) if steps else None
        parts[f"{printed:g} {where}"] = row and ANSWERS.get(row.verdict, True)
        if row and case == runs.standard(case.log) and printed == figures.TABLE2[KTH][0, 50]:
            ends: tuple[Any, Any, Any] = row.reproduced, row.ci95_low, row.ci95_high
            number = Interval(*ends, count=1)
    return number, parts


@study.add_numbers
def _printed_numbers(results: Results) -> list[Row]:
    return [*_printed_waits(results).values(), *filter(None, _printed_attempts(results).values())]


def _by_share(entries: Mapping, results: Results) -> dict[str, list[list[Outcome]]]:
    """Return the outcomes online by log, at each share of reservations, a run a drawing."""
    by_log: dict[str, list[list[Outcome]]] = {}
    for cases in entries.values():
        if cases[0].policy == ONLINE:
            by_log.setdefault(cases[0].log.name, []).append([results[case] for case in cases])
    return by_log


@study.add_claim(
    "OB-8", "share of KTH-SP2 jobs that wait 1 to 3 hours, at most reservations less at none"
)
def _reservations_shift_waits(results: Results) -> Decision:
    parts, entries = dict[str, bool | None](), _entries(results, "figure6")
    moved: Any = float("nan")
    for name, at in _by_share(entries, results).items():
        (base,), *some = at
        middle, *middles = (f.mean("within 3") - f.mean("within 1") for f in (base, *some[-1]))
        beyond, *tails = (1 - f.mean("within 12") for f in (base, *some[-1]))
        shift = over_draws(each - middle for each in middles)
        tail = over_draws([each / beyond for each in tails] if beyond else [])
        parts[f"more wait 1 to 3 h ({name})"] = shift.above(0)
        parts[f"tail over 12 h as it is ({name})"] = tail.between(*CONSTANT)
        moved = shift if name == KTH else moved
        for case in (c for c, *_ in entries.values() if name == c.log.name == KTH):
            if case.policy != ONLINE:
                batch, where = results[case], _words(case)
                under = [over_draws(f.mean("within 1") for f in each) for each in some]
                under += [Interval.exact(base.mean("within 1"))]
                fewer = all_of(*(each.below(batch.mean("within 1")) for each in under))
                parts[f"fewer under 1 h at each share than {where}"] = fewer
                online = max(f.numbers["longest"] for each in at for f in each)
                longer = bool(batch.numbers["longest"] > online)
                parts[f"longer tail of {where}"] = None if case.log.is_stand_in else longer
    return moved, parts, "tail: within 0.8 to 1.25 times; over drawings"


@study.add_claim(
    "OB-9", "mean wait with one step more of reservations less that before, in hours, smallest"
)
def _waits_grow_with_reservations(results: Results) -> Decision:
    parts, all_changes = dict[str, bool | None](), []
    for name, at in _by_share(_entries(results, "figure7a"), results).items():
        waits = [[outcome.mean("wait") for outcome in each] for each in at]
        # Without reservations nothing is drawn: one run stands beside each drawing.
        changes = [
            over_draws(b - a for a, b in zip(cycle(one), two, strict=False))
            for one, two in pairwise(waits)
        ]
        parts[name] = all_of(*(change.above(0) for change in changes))
        all_changes += changes
    return least(all_changes), parts


@study.add_claim(
    "OB-10", "operations a request with reservations over those without, furthest from 1"
)
def _operations_stay_constant(results: Results) -> Decision:
    parts, all_changes, table = dict[str, bool | None](), [], results.table("figure7b")
    for name, counted in (("search", runs.PHASES[:2]), ("with update", runs.PHASES)):
        done = table.assign(done=table[[*counted]].sum(axis=1))
        for log, rows in done.groupby("log", sort=False):
            base, *drawn = (over_draws(each) for _, each in rows.groupby("share")["done"])
            changes = [each.times(1 / base.estimate) for each in drawn]
            parts[f"{name}, {log}"] = all_of(*(each.between(*CONSTANT) for each in changes))
            all_changes += changes
    for name, at in _by_share(_entries(results, "figure7a"), results).items():
        (none,), *tried = ([f.mean("attempts", "requests") for f in each] for each in at)
        changes = [over_draws(one / none for one in each) for each in tried]
        answer = all_of(*(change.between(*CONSTANT) for change in changes))
        parts[f"attempts, whole log, {name}"] = answer
    why = "about constant: 0.8 to 1.25 times; operations on extracts"
    return furthest(all_changes, from_=1.0), parts, why


@study.add_claim("OB-11", "fitted power of log N of phase 2")
def _growth_as_bounded(results: Results) -> Decision:
    servers, slots, wanted = results.table("growth")["panel"].unique()
    bounds: dict[str, tuple[int, Any]] = {
        "phase 1 of log N": (1, (servers, "phase 1", True)),
        "phase 2 of log N": (2, (servers, "phase 2", True)),
        "update of log N": (2, (servers, "update", True)),
        "update of Q": (1, (slots, "update")),
        "update of n": (1, (wanted, "update")),
    }
    parts, powers = {}, {name: power(results, *of) for name, (_, of) in bounds.items()}
    for name, (bound, _) in bounds.items():
        part = f"{name}: {powers[name].estimate:.2f}, at most {bound}"
        parts[part] = powers[name].below(bound + SLACK)
    return powers["phase 2 of log N"], parts, f"at most: up to {SLACK:g} more"
