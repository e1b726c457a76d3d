"""The claims OB-1 to OB-14, and the numbers that the paper prints of waits and attempts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import cycle, pairwise
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.intervals import Interval, all_of
from coalloc_lib.studies.core import Decision, Results, furthest, interval_columns, least
from coalloc_lib.studies.ledger import Judgement, Row, judge_number, not_on_stand_in
from coalloc_lib.studies.online_batch import figures, runs
from coalloc_lib.studies.online_batch.figures import CONSTANT, over_draws, power
from coalloc_lib.studies.online_batch.runs import CTC, KTH, LEAST, RECORDED, Case, Outcome, study

#: Small jobs are up to so many hours; what 'ten times' and 'about half' are.
SMALL, ORDER, HALF = 1.0, 10.0, 0.65
#: What is the same, shares that are even, a major gain, and a fitted power over that of its bound;
#: the factor up to which a reading may be the one of the paper.
NEAR, EVEN, MAJOR, SLACK, FITS = 0.01, 0.05, 0.1, 0.15, 1.5
OTHER_LOG = "the paper's log is another one than the public one of 1996"

#: Whether something is asked as the paper does, what, the answer, and a figure behind it if any.
Answers = Iterator[tuple]


def _entries(figure: str, results: Results) -> Mapping[Any, Any]:
    return study.figures[figure].cases(results.scale, results.seed)


def _words(case: Case) -> str:
    return f"{case.policy.partition(',')[0]} ({case.log.name}, {case.servers})"


def _is_here(name: str) -> bool:
    """Whether a log is the one that the paper has too, and no stand-in."""
    return name == KTH and not runs.logs([KTH])[KTH].is_stand_in


def _is_read(case: Case, *policies: str) -> bool:
    """Whether a case is of one of these policies, on the servers that fit the paper's numbers."""
    return case.policy in policies and _is_here(case.log.name) and case.servers == runs.READ[KTH]


def _claim(
    item: str, quantity: str, *more: Any, note: str = "",
    pick: Callable = lambda figures: figures[0], **how: Any,
) -> Callable:  # fmt: skip
    """Return a decorator for what yields `Answers`; one of their figures is picked to decide."""

    def keep(answers: Callable[[Results], Answers]) -> Callable[[Results], Decision]:
        def judge(results: Results) -> Decision:
            parts: dict[bool, dict[str, bool | None]] = {True: {}, False: {}}
            found: list[Any] = []
            for is_theirs, words, answer, *figure in answers(results):
                parts[is_theirs][words] = answer
                found += figure * is_theirs
            if not parts[True]:  # the paper's log is not here
                return Decision(None, {}, lost=not_on_stand_in(KTH).note)
            return Decision(pick(found), parts[True], note, parts[False])

        return study.add_claim(item, quantity, *more, **how)(judge)

    return keep


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


@_claim(
    "OB-3", "penalty of small KTH jobs as recorded, over online", runs.everywhere,
    note=f"small: up to {SMALL:g} h",
)  # fmt: skip
def _small_jobs_suffer_in_batch(results: Results) -> Answers:
    begin, end = runs.ENDS["length"][:-1], runs.ENDS["length"][1:]
    (low, high), sums = figures.MIDDLE, ("penalty by length", "jobs by length")
    for case, batch, online in _beside_online("figure3", results):
        theirs, where = _is_read(case, RECORDED), _words(case)
        small = batch.over(online, *sums, end <= SMALL)
        middle = online.over(batch, *sums, (begin >= low) & (end <= high))
        yield theirs, f"small against {where}", small.above(ORDER), small
        yield theirs, f"2 to 10 h against {where}", middle.above(1.0)


def _beside_online(figure: str, results: Results) -> list[tuple[Case, Outcome, Outcome]]:
    """Return cases of batch scheduling, also on all logs, their outcomes and those of online."""
    entries = {**runs.everywhere(results.scale, results.seed), **_entries(figure, results)}
    cases = {(c.log.name, c.servers, c.policy): c for c in entries.values()}
    return [
        (case, results[case], results[cases[*machine, LEAST]])
        for (*machine, policy), case in cases.items()
        if policy != LEAST
    ]


@study.add_numbers
def _printed(results: Results) -> Iterable[Row]:
    """Return a row for each printed number: at the reading that comes nearest to all of KTH."""
    table = results.table("readings").dropna(subset="ratio")
    kth = table[table["log"].str.startswith(KTH)]
    off = np.log(kth["ratio"]).abs().groupby([kth["servers"], kth["reading"]]).max()
    nearest = {KTH: off.idxmin(), CTC: (runs.READ[CTC], "5 min at least")}
    may_be, rows = off.index[off <= np.log(FITS)], []
    for name, log in runs.logs((KTH, CTC)).items():
        keys = ["servers", "reading", "number", "printed"]
        replays = table[table["log"] == log.title].set_index(keys)["reproduced"]
        for (number, printed), each in replays.groupby(level=keys[2:], sort=False):
            each = each.droplevel(keys[2:])
            used = nearest[name] if nearest[name] in each else each.index[-1]  # nobody is so wide
            unit = f"{'attempts' if '(' in number else 'hours'}, {used[0]} servers, {used[1]}"
            span = each[each.index.isin(may_be)]
            rows.append(_row(log, f"{name} {number}", unit, printed, each[used], *span))
        if log.has_waits:
            recorded = results[_entries("figure4", results)[name, runs.EXACT, RECORDED]]
            longest, printed = recorded.numbers["longest"], figures.LONGEST[name, RECORDED]
            rows.append(_row(log, f"{name} longest wait recorded", "hours", printed, longest))
    return rows


def _row(log: runs.Log, item: str, unit: str, printed: float, value: float, *span: float) -> Row:
    """Return the row of a printed number; a replay is exact, how the paper is read is not."""
    decimals, stand_in = len(f"{printed:g}".partition(".")[2]), log.name * log.is_stand_in
    verdict = judge_number(printed, Interval.exact(value), decimals, stand_in=stand_in)
    half, low, high = 0.5 * 10.0**-decimals, min([value, *span]), max([value, *span])
    if log.name == CTC and not stand_in:
        verdict = Judgement("cannot be tested", OTHER_LOG)
    elif verdict.verdict == "differs" and low - half <= printed <= high + half:
        verdict = Judgement("undecided", f"by reading it is {low:.3g} to {high:.3g}")
    return Row(study.name, item, unit, printed, value, None, None, *verdict)


def _of_kth(results: Results, what: str) -> Answers:
    for row in _printed(results):
        if row.item.startswith(f"{KTH} {what}"):
            words = f"{row.item.removeprefix(KTH).strip()}, printed {row.published:g}"
            answer = {"differs": False, "undecided": None}.get(row.verdict, True)
            yield _is_here(KTH), words, answer, row.reproduced


@_claim(
    "OB-4", "longest wait online of KTH-SP2, read in the way that comes nearest, in hours",
    note=f"of CTC nothing can be tested: {OTHER_LOG}", logs=[KTH],
)  # fmt: skip
def _longest_waits(results: Results) -> Answers:
    yield from _of_kth(results, "longest")
    for case, batch, online in _beside_online("figure4", results):
        longer = bool(batch.numbers["longest"] > online.numbers["longest"])
        yield _is_read(case, RECORDED), f"longer {_words(case)}", longer


@_claim(
    "OB-5", "share of KTH-SP2 jobs that wait up to 1 hour as recorded, less that online",
    note=f"about half: up to {HALF:.0%}; even: a lead of less than {EVEN:.0%} of the jobs",
)  # fmt: skip
def _short_waits(results: Results) -> Answers:
    for case, batch, online in _beside_online("figure4", results):
        where, theirs = _words(case), _is_read(case, RECORDED)
        if case.log.name == CTC:
            under, over = online.drawn("within 2"), online.over(batch, "over 2")
            yield False, f"most under 2 h ({CTC}, {case.servers})", under.above(0.5)
            yield False, f"at most half as many over 2 h as {where}", over.below(HALF)
            continue
        one, two = (batch.rise(online.part(w), batch.part(w)) for w in ("within 1", "within 2"))
        yield theirs, f"more under 1 h {where}", one.above(0), one
        yield theirs, f"no more so at 2 h {where}", two.below(EVEN)


@_claim(
    "OB-6", "mean wait of KTH-SP2 jobs online over that recorded",
    note="grows: from the narrowest group to the widest",
)  # fmt: skip
def _online_waits_less(results: Results) -> Answers:
    entries, sums = _entries("figure5", results), ("wait by size", "jobs by size")
    for (*machine, policy), case in entries.items():
        outcome, theirs = results[case], _is_read(case, LEAST, RECORDED)
        first, *_, last = np.flatnonzero(outcome.sums["jobs by size"].any(axis=1))
        rise = outcome.rise(*(outcome.part(*sums, group) for group in (first, last)))
        yield theirs, f"grows {_words(case)}", rise.above(0)
        if policy != LEAST:
            ratio = results[entries[*machine, LEAST]].over(outcome, "wait")
            yield theirs, f"below {_words(case)}", ratio.below(1), ratio


_TRIED, _STEP = figures.TABLE2[CTC][350, 400], runs.Online().step / runs.HOUR


@_claim(
    "OB-7", "attempts a request for up to 50 servers, KTH-SP2", logs=[KTH],
    note=f"CTC contradicts itself: {_TRIED:g} attempts take {(_TRIED - 1) * _STEP:.1f} h, and the "
    f"longest wait printed is {figures.LONGEST[CTC, LEAST]:g} h",
)  # fmt: skip
def _attempts_as_printed(results: Results) -> Answers:
    yield from _of_kth(results, "attempts")
    for (*_, reading), case in _entries("readings", results).items():
        found = [value for name, value in runs.replayed(results[case]).items() if "(" in name]
        grow = bool((np.diff(found) > 0).all())
        yield _is_read(case, LEAST), f"grow {_words(case)}, {reading}", grow


def _by_share(figure: str, results: Results, policy: str = LEAST) -> dict[str, list[list[Outcome]]]:
    """Return the outcomes of a policy by log, at each share of reservations, a run a drawing."""
    by_log: dict[str, list[list[Outcome]]] = {}
    for cases in _entries(figure, results).values():
        if cases[0].policy == policy:
            by_log.setdefault(cases[0].log.name, []).append([results[case] for case in cases])
    return by_log


def _within(outcome: Outcome, low: float, high: float) -> float:
    """Return the share of jobs that wait longer than `low` hours and no longer than `high`."""
    begin, end = np.searchsorted(runs.WAITS, [low, high])
    return float(outcome.longer[begin] - outcome.longer[end])


@_claim(
    "OB-8", "share of KTH-SP2 jobs that wait 1 to 3 hours, at most reservations less at none",
    note="tail: within 0.8 to 1.25 times; over drawings; the paper's batch has no reservations",
)  # fmt: skip
def _reservations_shift_waits(results: Results) -> Answers:
    firsts = (cases[0] for cases in _entries("figure6", results).values())
    batch = {case.log.name: results[case] for case in firsts if case.policy == RECORDED}
    queued = _by_share("figure6", results, "conservative")
    for name, at in _by_share("figure6", results).items():
        theirs, (base,), last = _is_here(name), at[0], at[-1]
        middle, *middles = (_within(f, 1, 3) for f in (base, *last))
        beyond, *tails = (1 - f.mean("within 12") for f in (base, *last))
        shift = over_draws(each - middle for each in middles)
        tail = over_draws([each / beyond for each in tails] if beyond else [])
        peaks = [_within(f, 2.5, 3) - max(_within(f, 2, 2.5), _within(f, 3, 3.5)) for f in last]
        yield theirs, f"more wait 1 to 3 h ({name})", shift.above(0), shift
        yield theirs, f"a peak at 3 h ({name})", over_draws(peaks).above(0)
        yield theirs, f"tail over 12 h as it is ({name})", tail.between(*CONSTANT)
        under = [[f.mean("within 1") for f in each] for each in at]
        if name in batch:  # the paper's batch is the record at every share
            most = batch[name].mean("within 1")
            fewer = (over_draws(each, share).below(most) for share, each in enumerate(under))
            yield theirs, f"fewer under 1 h than recorded ({name})", all_of(*fewer)
        leads = (
            over_draws(q.mean("within 1") - b for q, b in zip(*pair, strict=True)).above(0)
            for pair in zip(queued[name][1:], under[1:], strict=True)
        )
        words = f"fewer under 1 h than conservative, same reservations ({name})"
        yield False, words, all_of(*leads)


@_claim(
    "OB-9", "mean wait of KTH-SP2 with one step more of reservations less before, hours, smallest",
    note="from the request, as in Figures 6 and 7; section 5 has it from the start asked for",
    pick=least,
)  # fmt: skip
def _waits_grow_with_reservations(results: Results) -> Answers:
    for word, policy in figures.BY_SHARE.items():
        for name, at in _by_share("figure7a", results, policy).items():
            for sums, since in figures.SINCE.items():
                waits = [[outcome.mean(sums) for outcome in each] for each in at]
                # Without reservations nothing is drawn: one run stands beside each drawing.
                changes = [
                    over_draws(b - a for a, b in zip(cycle(one), two, strict=False))
                    for one, two in pairwise(waits)
                ]
                theirs = policy == LEAST and sums == "wait" and _is_here(name)
                grows = all_of(*(change.above(0) for change in changes))
                yield theirs, f"{since}, {word}, {name}", grows, least(changes)


@_claim(
    "OB-10", "operations a request with reservations over those without, furthest from 1",
    note="about constant: 0.8 to 1.25 times", pick=partial(furthest, from_=1.0),
)  # fmt: skip
def _operations_stay_constant(results: Results) -> Answers:
    table = results.table("figure7b")
    for name, counted in (("search", runs.PHASES[:2]), ("all operations", runs.PHASES)):
        done = table.assign(done=table[[*counted]].sum(axis=1))
        for log, rows in done.groupby("log", sort=False):
            base, *drawn = (over_draws(each) for _, each in rows.groupby("share")["done"])
            changes = [each.times(1 / base.estimate) for each in drawn]
            constant = all_of(*(each.between(*CONSTANT) for each in changes))
            theirs = log.startswith(f"{KTH},")  # a stand-in has more words
            yield theirs, f"{name}, {log}", constant, furthest(changes, from_=1.0)


@_claim(
    "OB-11", "fitted power of log N of phase 2",
    note=f"a fitted power may be {SLACK:g} above its bound; a new slot in O(1): section 4.1",
)  # fmt: skip
def _growth_as_bounded(results: Results) -> Answers:
    servers, slots, wanted = results.table("growth")["panel"].unique()
    for words, bound, *of in (
        ("phase 2, of log N", 2, servers, "phase 2", True),
        ("phase 1, of log N", 1, servers, "phase 1", True),
        ("update, of log N", 2, servers, "update", True),
        ("update, of Q", 1, slots, "update"), ("update, of n", 1, wanted, "update"),
        ("a new slot, of N", 0, servers, "advance"),
    ):  # fmt: skip
        found = power(results, *of)
        yield "new" not in words, f"{words}: {bound}", found.below(bound + SLACK), found


@_claim(
    "OB-12", "share of the servers used online over that recorded, on the log where it is largest",
    note=f"higher: by {NEAR:.0%}; the load that is offered decides, where no queue is saturated",
)  # fmt: skip
def _may_use_more(results: Results) -> Answers:
    recorded = [0.0]
    for case, batch, online in _beside_online("figure4", results):
        ratio = online.numbers["utilization"] / batch.numbers["utilization"]
        if case.policy == RECORDED and case.servers == runs.READ[case.log.name]:
            recorded.append(ratio)
        yield False, f"than {_words(case)}", bool(ratio > 1 + NEAR)
    # 'May': on one log is enough. A stand-in has no record.
    words = "than recorded, on some log"
    yield len(recorded) > 1, words, bool(max(recorded) > 1 + NEAR), max(recorded)


@_claim(
    "OB-13", "mean wait with steps of 5 minutes over that with 15, KTH-SP2",
    note=f"no major gain: less than {MAJOR:.0%}",
)  # fmt: skip
def _no_gain_from_a_smaller_step(results: Results) -> Answers:
    for (_, change, _), (case, base) in _entries("sensitivity", results).items():
        if change == "step 5 min":
            ratio, theirs = results[case].over(results[base], "wait"), case.length == runs.EXACT
            where = f"lengths {case.length}, {case.log.title}"
            yield theirs and _is_read(case, runs.ONLINE), where, ratio.above(1 - MAJOR), ratio


@study.add_claim("OB-14", "attempts a request for up to 50 servers, KTH-SP2 over CTC-SP2")
def _kth_tries_more(results: Results) -> Decision:
    found = {
        (case.log.name, case.servers): runs.replayed(results[case])["attempts (0:50]"]
        for case in _entries("readings", results).values()
        if case.policy == LEAST
    }
    kth, read = found[KTH, runs.READ[KTH]], (CTC, runs.READ[CTC])
    fewer = [f"{n}" for (name, n), tried in found.items() if name == CTC and tried < kth]
    words = f"on the public one KTH tries more than CTC on {', '.join(fewer) or 'no'} servers"
    return Decision(kth / found[read], {}, lost=f"CTC: {OTHER_LOG}; {words}")


@study.add_figure(
    "attempts", "Table 2: attempts a request in groups of 50 servers, by how the paper is read",
    runs.read_so,
)  # fmt: skip
def _attempts_by_size(entries: Mapping, results: Results) -> pd.DataFrame:
    return pd.DataFrame(
        {"log": case.log.title, "servers": servers, "length": case.length}
        | {"size_from": int(low) + 1, "size_to": int(high)}
        | interval_columns(mean, "mean_attempts")
        | {"reading": reading}
        for (_, servers, reading), case in entries.items()
        for low, high, mean in results[case].by_group("attempts by fifty", "requests by fifty")
    )
