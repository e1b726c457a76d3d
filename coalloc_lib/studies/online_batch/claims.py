"""The claims OB-1 to OB-14, and the numbers that the paper prints of waits and attempts."""

from collections.abc import Mapping
from itertools import cycle, pairwise
from typing import Any

import numpy as np

from coalloc_lib.intervals import Interval, all_of
from coalloc_lib.studies.core import Decision, Results, furthest, least
from coalloc_lib.studies.ledger import Judgement, Row, judge_number
from coalloc_lib.studies.online_batch import figures, runs
from coalloc_lib.studies.online_batch.figures import over_draws, power
from coalloc_lib.studies.online_batch.runs import (
    CTC,
    EXACT,
    KTH,
    LEAST,
    RECORDED,
    Case,
    Outcome,
    study,
)

#: Small jobs are up to so many hours; what 'ten times', 'about half' and 'about constant' are.
SMALL, ORDER, HALF, CONSTANT = 1.0, 10.0, 0.65, (0.8, 1.25)
#: The factor up to which a reading may be the one of the paper.
FITS = 1.5
#: What is the same, shares that are even, a major gain, and a fitted power over that of its bound.
NEAR, EVEN, MAJOR, SLACK = 0.01, 0.05, 0.1, 0.15
OTHER_LOG = "the paper's log is another one than the public one of 1996"
#: What a verdict on a printed number answers.
ANSWERS = {"differs": False, "undecided": None, "cannot be tested": None}


#: Where a part of a claim belongs, by whether it is asked as the paper does.
Parts = dict[bool, dict[str, bool | None]]


def _entries(results: Results, figure: str) -> Mapping[Any, Any]:
    return study.figures[figure].cases(results.scale, results.seed)


def _words(case: Case) -> str:
    return f"{case.policy.partition(',')[0]} ({case.log.name}, {case.servers})"


def _is_read(case: Case) -> bool:
    """Whether a case is of the log that the paper has too, on the servers that fit its numbers."""
    return case.log.name == KTH and case.servers == runs.READ[KTH] and not case.log.is_stand_in


def _decision(decides: Any, parts: Parts, note: str = "") -> Decision:
    """Return a decision; on stand-ins alone nothing is asked as the paper does."""
    theirs = parts[True] or dict.fromkeys(parts[False])
    return Decision(decides, theirs, note, parts[False])


@study.add_claim("OB-1", "periods accepted in the worked example")
def _worked_example_goes_so(results: Results) -> Decision:
    marks = results.table("figure1").groupby("part")["periods"].agg(list)
    first = [set(mark) for mark in marks["phase 1"]]
    parts = {
        "marks X and V, then Z, then Y": first == [{"X", "V"}, {"Z"}, {"Y"}],
        "goes through them in reverse": marks["phase 2"] == ["Y", "Z"],
        "accepts Y and Z": sorted(marks["accepted"]) == ["Y", "Z"],
    }
    return Decision(float(len(marks["accepted"])), parts)


@study.add_claim("OB-2", "mean run time of KTH-SP2, in hours", logs=[KTH, runs.HPC2N])
def _features_as_printed(results: Results) -> Decision:
    table, parts = results.table("table1").set_index("log")["mean_length_h"], {}
    for name in (KTH, runs.HPC2N):  # a stand-in has another title
        *_, printed = figures.FEATURES[name]
        near = bool(abs(table.get(name, np.nan) / printed - 1) <= NEAR)
        parts[f"{name} {printed:g} h"] = near if name in table else None
    return Decision(float(table.iloc[0]), parts, f"the same: within {NEAR:.0%}")


@study.add_claim("OB-3", "penalty of small KTH jobs as recorded, over online", runs.everywhere)
def _small_jobs_suffer_in_batch(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    begin, end = runs.ENDS["length"][:-1], runs.ENDS["length"][1:]
    ratios: list[Interval] = []
    (low, high), sums = figures.MIDDLE, ("penalty by length", "jobs by length")
    for case, online in _beside_online(_entries(results, "figure3"), results):
        batch, theirs = results[case], _is_read(case) and case.policy == RECORDED
        small = batch.over(online, *sums, end <= SMALL)
        middle = online.over(batch, *sums, (begin >= low) & (end <= high))
        parts[theirs][f"small against {_words(case)}"] = small.above(ORDER) if small else None
        parts[theirs][f"2 to 10 h against {_words(case)}"] = middle.above(1.0) if middle else None
        ratios += [small] if small and (theirs or not ratios) else []
    return _decision(ratios[-1], parts, f"small: up to {SMALL:g} h")


def _beside_online(entries: Mapping, results: Results) -> list[tuple[Case, Outcome]]:
    """Return cases of batch scheduling, also on all logs, each with the outcome of online there."""
    entries = {**runs.everywhere(results.scale, results.seed), **entries}
    cases = {(c.log.name, c.servers, c.policy): c for c in entries.values()}
    pairs = ((c, cases[*machine, LEAST]) for (*machine, name), c in cases.items() if name != LEAST)
    return [(case, results[online]) for case, online in pairs]


def _printed(results: Results) -> dict[str, Row]:
    """Return a row for each printed number: at the reading that comes nearest to all of KTH."""
    table, rows = results.table("readings").dropna(subset="ratio"), {}
    kth = table[table["log"].str.startswith(KTH)]
    off = np.log(kth["ratio"]).abs().groupby([kth["servers"], kth["reading"]]).max()
    nearest = {KTH: off.idxmin(), CTC: (runs.READ[CTC], "5 min at least")}
    may_be = off.index[off <= np.log(FITS)]
    for name, log in runs.logs((KTH, CTC)).items():
        keys, read = ["servers", "reading", "number"], nearest[name]
        replays = table[table["log"] == log.title].set_index(keys)["reproduced"]
        for number, printed in figures.printed_of(name).items():
            if number not in replays.index.get_level_values("number"):
                continue  # no job asks for so many
            each = replays.xs(number, level="number")
            used = read if read in each.index else each.index[-1]  # where nobody is so wide
            value = each[used]
            unit = f"{'attempts' if '(' in number else 'hours'}, {used[0]} servers, {used[1]}"
            span = each[each.index.isin(may_be)]
            row = _judged(log, f"{name} {number}", unit, printed, value, *span)
            rows[row.item] = row
        if log.has_waits:
            recorded = results[_entries(results, "figure4")[name, log.servers, EXACT, RECORDED]]
            longest, printed = 2 * [recorded.numbers["longest"]], figures.LONGEST[name, RECORDED]
            row = _judged(log, f"{name} longest wait recorded", "hours", printed, *longest)
            rows[row.item] = row
    return rows


def _judged(
    log: runs.Log, item: str, unit: str, printed: float, value: float, *span: float
) -> Row:  # fmt: skip
    """Return the row of a printed number; a replay is exact, how the paper is read is not."""
    decimals, stand_in = len(f"{printed:g}".partition(".")[2]), log.name * log.is_stand_in
    verdict = judge_number(printed, Interval.exact(value), decimals, stand_in=stand_in)
    half = 0.5 * 10.0**-decimals
    low, high = min([value, *span]) - half, max([value, *span]) + half
    if log.name == CTC and not stand_in:
        verdict = Judgement("cannot be tested", OTHER_LOG)
    elif verdict.verdict == "differs" and low <= printed <= high:
        verdict = Judgement("undecided", f"by reading it is {low + half:.3g} to {high - half:.3g}")
    return Row(study.name, item, unit, printed, value, None, None, *verdict)


study.add_numbers(lambda results: _printed(results).values())


@study.add_claim(
    "OB-4", "longest wait online of KTH-SP2, read as comes nearest, in hours", logs=[KTH]
)
def _longest_waits(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    rows = {name: row for name, row in _printed(results).items() if "longest" in name}
    for name, row in rows.items():
        if name.startswith(KTH):
            parts[True][f"{row.published:g} h, {name}"] = ANSWERS.get(row.verdict, True)
    for case, online in _beside_online(_entries(results, "figure4"), results):
        longer = bool(results[case].numbers["longest"] > online.numbers["longest"])
        theirs = _is_read(case) and case.policy == RECORDED
        # The longest wait is that of one job, which a synthetic log does not have.
        parts[theirs][f"longer {_words(case)}"] = None if case.log.is_stand_in else longer
    return _decision(rows[f"{KTH} longest wait"].reproduced, parts, f"CTC: {OTHER_LOG}")


@study.add_claim(
    "OB-5", "share of KTH-SP2 jobs that wait up to 1 hour as recorded, less that online"
)
def _short_waits(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    decides = None
    for case, online in _beside_online(_entries(results, "figure4"), results):
        outcome, where = results[case], _words(case)
        theirs = _is_read(case) and case.policy == RECORDED
        if case.log.name == CTC:
            under = online.anew(lambda means: means[0], online.part("within 2"))
            over = online.over(outcome, "over 2")
            parts[False][f"most under 2 h ({CTC}, {case.servers})"] = (
                under.above(0.5) if under else None
            )
            parts[False][f"at most half as many over 2 h as {where}"] = (
                over.below(HALF) if over else None
            )
            continue
        one, two = (
            outcome.anew(lambda means: means[0] - means[1], outcome.part(w), online.part(w))
            for w in ("within 1", "within 2")
        )
        parts[theirs][f"more under 1 h {where}"] = one.above(0) if one else None
        parts[theirs][f"no more so at 2 h {where}"] = two.below(EVEN) if two else None
        decides = one if theirs or decides is None else decides
    why = f"about half: up to {HALF:.0%}; even: a lead of less than {EVEN:.0%} of the jobs"
    return _decision(decides, parts, why)


def _rise(outcome, top, bottom, groups):
    """Return the mean of the second of two groups less that of the first."""
    return outcome.anew(lambda m: m[1] - m[0], *(outcome.part(top, bottom, i) for i in groups))


@study.add_claim("OB-6", "mean wait of KTH-SP2 jobs online over that recorded")
def _online_waits_less(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    ratios: list[Interval] = []
    entries = _entries(results, "figure5")
    for (*machine, policy), case in entries.items():
        outcome, theirs = results[case], _is_read(case) and policy in (LEAST, RECORDED)
        first, *_, last = np.flatnonzero(outcome.sums["jobs by size"].any(axis=1))
        rise = _rise(outcome, "wait by size", "jobs by size", (first, last))
        parts[theirs][f"grows {_words(case)}"] = rise.above(0) if rise else None
        if policy != LEAST:
            ratio = results[entries[*machine, LEAST]].over(outcome, "wait")
            parts[theirs][f"below {_words(case)}"] = ratio.below(1) if ratio else None
            ratios += [ratio] if ratio and (theirs or not ratios) else []
    return _decision(ratios[-1], parts, "grows: from the narrowest group to the widest")


@study.add_claim("OB-7", "attempts a request for up to 50 servers, KTH-SP2", logs=[KTH])
def _attempts_as_printed(results: Results) -> Decision:
    rows = {n: row for n, row in _printed(results).items() if "attempts" in n and KTH in n}
    parts: Parts = {True: {f"{r.published:g}": ANSWERS.get(r.verdict, True) for r in rows.values()}}
    parts[False] = {}
    for case in dict.fromkeys(_entries(results, "readings").values()):
        found = [value for name, value in runs.replayed(results[case]).items() if "(" in name]
        theirs = _is_read(case) and case.policy == LEAST
        reading = next(n for n, c in _entries(results, "readings").items() if c == case)[-1]
        parts[theirs][f"grow {_words(case)}, {reading}"] = bool((np.diff(found) > 0).all())
    tried = figures.TABLE2[CTC][350, 400]
    hours = (tried - 1) * runs.Online().step / runs.HOUR
    note = f"CTC: {tried:g} attempts take {hours:.1f} h, and the longest wait printed is 19 h"
    return _decision(next(iter(rows.values())).reproduced, parts, note)


def _by_share(
    entries: Mapping, results: Results, policy: str = LEAST
) -> dict[str, list[list[Outcome]]]:
    """Return the outcomes of a policy by log, at each share of reservations, a run a drawing."""
    by_log: dict[str, list[list[Outcome]]] = {}
    for cases in entries.values():
        if cases[0].policy == policy:
            by_log.setdefault(cases[0].log.name, []).append([results[case] for case in cases])
    return by_log


def _within(outcome: Outcome, low: float, high: float) -> float:
    """Return the share of jobs that wait longer than `low` hours and no longer than `high`."""
    begin, end = np.searchsorted(runs.WAITS, [low, high])
    return float(outcome.longer[begin] - outcome.longer[end])


@study.add_claim(
    "OB-8", "share of KTH-SP2 jobs that wait 1 to 3 hours, at most reservations less at none"
)
def _reservations_shift_waits(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    entries, moved = _entries(results, "figure6"), Interval.exact(float("nan"))
    batch = {
        case.log.name: results[case] for case, *_ in entries.values() if case.policy == RECORDED
    }
    queued = _by_share(entries, results, "conservative")
    for name, at in _by_share(entries, results).items():
        (base,), *some = at
        theirs, last = name == KTH, some[-1]
        middle, *middles = (_within(f, 1, 3) for f in (base, *last))
        beyond, *tails = (1 - f.mean("within 12") for f in (base, *last))
        shift = over_draws(each - middle for each in middles)
        tail = over_draws([each / beyond for each in tails] if beyond else [])
        peaks = [_within(f, 2.5, 3) - max(_within(f, 2, 2.5), _within(f, 3, 3.5)) for f in last]
        parts[theirs][f"more wait 1 to 3 h ({name})"] = shift.above(0)
        parts[theirs][f"a peak at 3 h ({name})"] = over_draws(peaks).above(0)
        parts[theirs][f"tail over 12 h as it is ({name})"] = tail.between(*CONSTANT)
        moved = shift if theirs else moved
        if name in batch:  # the paper's batch is the record at every share
            under = [over_draws(f.mean("within 1") for f in each) for each in some]
            under += [Interval.exact(base.mean("within 1"))]
            fewer = all_of(*(each.below(batch[name].mean("within 1")) for each in under))
            parts[theirs][f"fewer under 1 h than recorded ({name})"] = fewer
            online = max(f.numbers["longest"] for each in at for f in each)
            longer = bool(batch[name].numbers["longest"] > online)
            parts[theirs][f"longer tail recorded ({name})"] = longer
        leads = [
            over_draws(q.mean("within 1") - b.mean("within 1") for q, b in zip(*pair, strict=True))
            for pair in zip(queued[name][1:], some, strict=True)
        ]
        fewer = all_of(*(lead.above(0) for lead in leads))
        parts[False][f"fewer under 1 h than conservative, same reservations ({name})"] = fewer
    why = "tail: within 0.8 to 1.25 times; over drawings; the paper's batch has no reservations"
    if any(case.log.is_stand_in for case, *_ in entries.values()):
        parts = {True: {}, False: parts[True] | parts[False]}
    return _decision(moved, parts, why)


@study.add_claim(
    "OB-9", "mean wait of KTH-SP2 with one step more of reservations less before, hours, smallest"
)
def _waits_grow_with_reservations(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    entries, decides = _entries(results, "figure7a"), []
    is_stand_in = runs.logs([KTH])[KTH].is_stand_in
    for word, policy in figures.BY_SHARE.items():
        for name, at in _by_share(entries, results, policy).items():
            for sums, since in figures.SINCE.items():
                waits = [[outcome.mean(sums) for outcome in each] for each in at]
                # Without reservations nothing is drawn: one run stands beside each drawing.
                changes = [
                    over_draws(b - a for a, b in zip(cycle(one), two, strict=False))
                    for one, two in pairwise(waits)
                ]
                theirs = policy == LEAST and name == KTH and sums == "wait" and not is_stand_in
                grows = all_of(*(change.above(0) for change in changes))
                parts[theirs][f"{since}, {word}, {name}"] = grows
                decides += changes if theirs else []
    return _decision(least(decides), parts, "from the request, as in Figures 6 and 7")


@study.add_claim(
    "OB-10", "operations a request with reservations over those without, furthest from 1"
)
def _operations_stay_constant(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    all_changes, table = [], results.table("figure7b")
    for name, counted in (("search", runs.PHASES[:2]), ("all operations", runs.PHASES)):
        done = table.assign(done=table[[*counted]].sum(axis=1))
        for log, rows in done.groupby("log", sort=False):
            base, *drawn = (over_draws(each) for _, each in rows.groupby("share")["done"])
            changes = [each.times(1 / base.estimate) for each in drawn]
            answer = all_of(*(each.between(*CONSTANT) for each in changes))
            parts[log.startswith(f"{KTH},")][f"{name}, {log}"] = answer
            all_changes += changes * log.startswith(KTH)
    for name, at in _by_share(_entries(results, "figure7a"), results).items():
        (none,), *tried = ([f.mean("attempts", "requests") for f in each] for each in at)
        changes = [over_draws(one / none for one in each) for each in tried]
        answer = all_of(*(change.between(*CONSTANT) for change in changes))
        parts[False][f"attempts, whole log, {name}"] = answer
    why = "about constant: 0.8 to 1.25 times"
    return _decision(furthest(all_changes, from_=1.0), parts, why)


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
    flat = power(results, servers, "advance").below(SLACK)
    why = f"at most: up to {SLACK:g} more"
    return Decision(
        powers["phase 2 of log N"], parts, why, {"a new slot in O(1) of N (section 4.1)": flat}
    )


@study.add_claim("OB-12", "share of the servers used online over that recorded, KTH-SP2")
def _higher_utilization(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    decides = float("nan")
    for case, online in _beside_online(_entries(results, "figure4"), results):
        ratio = online.numbers["utilization"] / results[case].numbers["utilization"]
        theirs = _is_read(case) and case.policy == RECORDED
        parts[theirs][f"than {_words(case)}"] = bool(ratio > 1 + NEAR)
        decides = ratio if theirs or np.isnan(decides) else decides
    return _decision(decides, parts, f"higher: by {NEAR:.0%} or more, until the last submission")


@study.add_claim("OB-13", "mean wait with steps of 5 minutes over that with 15, KTH-SP2")
def _no_gain_from_a_smaller_step(results: Results) -> Decision:
    parts: Parts = {True: {}, False: {}}
    decides = None
    for (_, change, _), (case, base) in _entries(results, "sensitivity").items():
        if change == "step 5 min":
            ratio, theirs = results[case].over(results[base], "wait"), case.length == EXACT
            theirs = theirs and _is_read(case)
            where = f"lengths {case.length}, {case.log.title}"
            parts[theirs][where] = ratio.above(1 - MAJOR) if ratio else None
            decides = ratio if theirs or decides is None else decides
    return _decision(decides, parts, f"no major gain: less than {MAJOR:.0%}")


@study.add_claim("OB-14", "attempts a request for up to 50 servers, KTH-SP2 over CTC-SP2")
def _kth_tries_more(results: Results) -> Decision:
    found = {
        (case.log.name, case.servers): runs.replayed(results[case])["attempts (0:50]"]
        for case in _entries(results, "readings").values()
        if case.policy == LEAST
    }
    kth, read = found[KTH, runs.READ[KTH]], (CTC, runs.READ[CTC])
    answers = {f"{n} servers": bool(kth > v) for (name, n), v in found.items() if name == CTC}
    return Decision(kth / found[read], {}, "", answers, lost=f"CTC: {OTHER_LOG}")
