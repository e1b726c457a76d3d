"""What the paper says of booking and of batch scheduling, judged: OB-1 to OB-14."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.experiments import NotRunError, furthest, groups_of, least, pick
from coalloc_lib.experiments.weeks import WeeklySums
from coalloc_lib.intervals import Interval, all_of
from coalloc_lib.policies import Online
from coalloc_lib.studies.ledger import Decision, Judgement, Row, judge_number
from coalloc_lib.studies.online_batch.figures import (
    COUNTED_FROM,
    NOT_OF_PAPER,
    PLAIN,
    WITH_RESERVATIONS,
    attempts_of_groups,
    each_reading,
    figure1,
    figure7b,
    means_of_draws,
    number,
    over_draws,
    power,
    readings,
    sums_of,
    sums_of_groups,
    table1,
)
from coalloc_lib.studies.online_batch.model import (
    CTC,
    EXACT,
    HOUR,
    HPC2N,
    KTH,
    LEAST,
    LONGEST,
    MIDDLE,
    ONLINE,
    OTHER_LOG,
    OWN_SERVERS,
    PHASES,
    READ_SERVERS,
    RECORDED,
    TABLE1,
    TABLE2,
)
from coalloc_lib.studies.online_batch.runs import (
    BY_FIFTY,
    BY_LENGTH,
    BY_SERVERS,
    BY_WAIT,
    GROWTH,
    LOG,
    SCHEDULE,
    TREES,
    over_weeks,
    study,
)
from coalloc_lib.studies.study import PaperSetting, logs_missing_in, without

#: The setting that the paper's sentences are about: KTH, on the servers with which we read it.
PAPER = PaperSetting(
    varied={"log": KTH, "servers": READ_SERVERS[KTH]},
    fixed={**PLAIN, "length": EXACT},
    logs=(KTH,),
)
#: Claims that compare logs or readings read all of them.
ALL_READINGS = PaperSetting(fixed={"kind": SCHEDULE}, logs=(KTH,))
#: Small jobs are up to so many hours; what 'ten times' and 'about half' are.
SMALL, ORDER, HALF = 1.0, 10.0, 0.65
#: What is the same, shares that are even, a major gain, what is still about constant.
NEAR, EVEN, MAJOR, CONSTANT = 0.01, 0.05, 0.1, (0.8, 1.25)
#: A fitted power over that of its bound; the factor up to which a reading may be the paper's.
SLACK, FITS = 0.15, 1.5


# --- Section 4.2 and Table 1: the worked example, the logs ---


@study.add_claim("OB-1", "periods accepted in the worked example")
def worked_example_goes_so(runs: pd.DataFrame) -> Decision:
    """Judge how the search goes in Figure 2."""
    marks = figure1(runs).groupby("part")["periods"].agg(list)
    first = [set(mark) for mark in marks["phase 1"]]
    parts = {
        "marks X and V, then Z, then Y": first == [{"X", "V"}, {"Z"}, {"Y"}],
        "goes through them in reverse": marks["phase 2"] == ["Y", "Z"],
        "accepts Y and Z": sorted(marks["accepted"]) == ["Y", "Z"],
    }
    return Decision(float(len(marks["accepted"])), parts)


OF_LOGS = PaperSetting(fixed={"kind": LOG}, logs=(KTH, HPC2N))


@study.add_claim("OB-2", "mean run time of KTH-SP2, in hours", OF_LOGS)
def lengths_are_as_printed(runs: pd.DataFrame) -> Decision:
    """Judge the mean lengths of Table 1."""
    lengths = table1(runs).set_index("log")["mean_length_h"]
    parts: dict[str, bool | None] = {}
    for log in (KTH, HPC2N):  # a stand-in has another title
        *_, printed = TABLE1[log]
        near = bool(abs(lengths.get(log, np.nan) / printed - 1) <= NEAR)
        parts[f"{log} {printed:g} h"] = near if log in lengths else None
    return Decision(float(lengths.iloc[0]), parts, f"the same: within {NEAR:.0%}")


# --- Printed numbers, by how the paper is read ---


@study.add_numbers
def printed_numbers(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield a row for each printed number: at the reading that comes nearest to all of KTH."""
    table = readings(runs).dropna(subset="ratio")
    for log in (KTH, CTC):
        yield from printed_of(runs, log, table)
        recorded = pick(runs, **PLAIN, log=log, servers=OWN_SERVERS[log], length=EXACT)
        longest = number(pick(recorded, policy=RECORDED), "longest_wait_h")
        if np.isfinite(longest):
            item, printed = f"{log} longest wait recorded", LONGEST[log, RECORDED]
            yield printed_row(runs, log, item, "hours", printed, [longest])


def printed_of(runs: pd.DataFrame, log: str, table: pd.DataFrame) -> Iterator[Row]:
    """Yield the rows of a log: the number at one reading, and the span of those that may be."""
    off = how_far_off(table)
    may_be = set(off.index[off <= np.log(FITS)])
    nearest = {KTH: off.idxmin(), CTC: (READ_SERVERS[CTC], "5 min at least")}[log]
    of_log = table[table["log"].str.startswith(log)]
    for (name, printed), rows in of_log.groupby(["number", "printed"], sort=False):
        found = dict(
            zip(zip(rows["servers"], rows["reading"], strict=True), rows["reproduced"], strict=True)
        )
        used = nearest if nearest in found else [*found][-1]  # no job is so wide there
        servers, reading = used
        unit = f"{'attempts' if '(' in name else 'hours'}, {servers} servers, {reading}"
        span = [value for at, value in found.items() if at in may_be]
        yield printed_row(runs, log, f"{log} {name}", unit, printed, [found[used], *span])


def how_far_off(table: pd.DataFrame) -> pd.Series:
    """Return how far each reading is from what is printed of KTH, by servers and reading."""
    of_kth = table[table["log"].str.startswith(KTH)]
    if of_kth.empty:
        raise NotRunError(f"no reading of {KTH} was run")
    off = np.log(of_kth["ratio"]).abs()
    return off.groupby([of_kth["servers"], of_kth["reading"]]).max()


def printed_row(
    runs: pd.DataFrame, log: str, item: str, unit: str, printed: float, values: list[float]
) -> Row:
    """Return the row of a printed number; a replay is exact, how the paper is read is not.

    The first of the values is the one that is judged; the others are of readings that may be.
    """
    decimals, value = len(f"{printed:g}".partition(".")[2]), values[0]
    stand_in = log if log in logs_missing_in(runs) else ""
    verdict = judge_number(printed, Interval.exact(value), decimals, stand_in=stand_in)
    half, low, high = 0.5 * 10.0**-decimals, min(values), max(values)
    if log == CTC and not stand_in:
        verdict = Judgement("cannot be tested", OTHER_LOG)
    elif verdict.verdict == "differs" and low - half <= printed <= high + half:
        verdict = Judgement("undecided", f"by reading it is {low:.3g} to {high:.3g}")
    return Row.of(study.name, item, unit, printed, value, verdict)


def printed_of_kth(runs: pd.DataFrame, what: str) -> tuple[float, dict[str, bool | None]]:
    """Return the first number of this name, and for each whether it is as printed."""
    rows = [row for row in printed_numbers(runs) if row.item.startswith(f"{KTH} {what}")]
    if not rows:
        raise NotRunError(f"no run has the {what} of {KTH}")
    said: dict[str, bool | None] = {"differs": False, "undecided": None}
    answers = {
        f"{row.item.removeprefix(KTH).strip()}, printed {row.published:g}": said.get(
            row.verdict, True
        )
        for row in rows
    }
    return float(rows[0].reproduced or 0.0), answers


# --- Section 5.1: online against batch ---


def batch_policies(runs: pd.DataFrame) -> list[str]:
    """Return the record, which is the paper's batch, and our own batch schedules."""
    policies = [*runs["policy"].unique()]
    if LEAST not in policies or RECORDED not in policies:
        raise NotRunError(f"no run is booked as {LEAST!r}, or none is {RECORDED!r}")
    return [policy for policy in policies if policy not in NOT_OF_PAPER and policy != LEAST]


def split(answers: Mapping[str, Mapping[str, bool | None]]) -> tuple[dict, dict]:
    """Return the answers against the record, and those against our own batch schedules."""
    parts: dict[str, bool | None] = {}
    elsewhere: dict[str, bool | None] = {}
    for policy, its_answers in answers.items():
        into = parts if policy in (RECORDED, LEAST) else elsewhere
        into |= {f"{what} {policy.partition(',')[0]}": holds for what, holds in its_answers.items()}
    return parts, elsewhere


@study.add_claim("OB-3", "penalty of small KTH jobs as recorded, over online", PAPER)
def small_jobs_suffer_in_batch(runs: pd.DataFrame) -> Decision:
    """Judge 'an order of magnitude or more', and 'penalizes larger jobs more heavily' (Fig. 3)."""
    weeks, by_length = over_weeks(runs), pick(runs, grouping=BY_LENGTH)
    small = by_length[by_length["up_to"] <= SMALL]
    middle = by_length[(by_length["above"] >= MIDDLE[0]) & (by_length["up_to"] <= MIDDLE[1])]
    answers, over_online = {}, {}
    for policy in batch_policies(runs):
        batch, online = penalties(small, policy), penalties(small, LEAST)
        over_online[policy] = weeks.ratio(batch, online)
        longer = weeks.ratio(penalties(middle, LEAST), penalties(middle, policy))
        answers[policy] = {
            "small against": over_online[policy].above(ORDER),
            "2 to 10 h against": longer.above(1.0),
        }
    parts, elsewhere = split(answers)
    return Decision(over_online[RECORDED], parts, f"small: up to {SMALL:g} h", elsewhere)


def penalties(runs: pd.DataFrame, policy: str) -> WeeklySums:
    """Return the sums of the wait over the length under a policy."""
    return sums_of_groups(pick(runs, policy=policy), "wait_over_length")


@study.add_claim(
    "OB-4",
    "longest wait online of KTH-SP2, read in the way that comes nearest, in hours",
    ALL_READINGS,
)
def longest_waits(runs: pd.DataFrame) -> Decision:
    """Judge 75 h against 272.5 h on KTH (Figure 4)."""
    longest, parts = printed_of_kth(runs, "longest")
    elsewhere: dict[str, bool | None] = {}
    for machine, its_runs in groups_of(pick(runs, **PLAIN, length=EXACT), ["log", "servers"]):
        for policy, ratio in over_batch(its_runs, "longest_wait_h").items():
            name = f"longer {policy} ({machine['log']}, {machine['servers']:g})"
            own = (KTH, READ_SERVERS[KTH], RECORDED)
            into = parts if (machine["log"], machine["servers"], policy) == own else elsewhere
            into[name] = bool(ratio < 1)
    note = f"of CTC nothing can be tested: {OTHER_LOG}"
    return Decision(longest, parts, note, elsewhere)


def over_batch(runs: pd.DataFrame, name: str) -> dict[str, float]:
    """Return a number of booking over that of each batch policy, of one machine."""
    found = {}
    for policy in runs["policy"].unique():
        if policy not in NOT_OF_PAPER:
            found[policy] = number(pick(runs, policy=policy), name)
    online = found.pop(LEAST, np.nan)
    ratios = {policy: online / value for policy, value in found.items()}
    return {policy: ratio for policy, ratio in ratios.items() if np.isfinite(ratio)}


@study.add_claim(
    "OB-5",
    "share of KTH-SP2 jobs that wait up to 1 hour as recorded, less that online",
    PAPER,
)
def short_waits(runs: pd.DataFrame) -> Decision:
    """Judge 'more jobs wait for less than 1 hour', and 'even out before 2 hours' (Figure 4)."""
    note = f"about half: up to {HALF:.0%}; even: a lead of less than {EVEN:.0%} of the jobs"
    if CTC in set(runs["log"]):
        return short_waits_of_ctc(runs)._replace(note=note)
    weeks, online = over_weeks(runs), pick(runs, policy=LEAST)
    answers, leads = {}, {}
    for policy in batch_policies(runs):
        batch = pick(runs, policy=policy)
        one, two = (
            weeks.difference(sums_of(batch, within), sums_of(online, within))
            for within in ("within_1h", "within_2h")
        )
        leads[policy] = one
        answers[policy] = {
            "more under 1 h": one.above(0),
            "no more so at 2 h": two.below(EVEN),
        }
    parts, elsewhere = split(answers)
    return Decision(leads[RECORDED], parts, note, elsewhere)


def short_waits_of_ctc(runs: pd.DataFrame) -> Decision:
    """Judge 'most jobs smaller than 2 hours', 'an improvement of nearly a factor of two'."""
    weeks, runs = over_weeks(runs), runs.assign(over_2h=runs["jobs"] - runs["within_2h"])
    online = pick(runs, policy=LEAST)
    most = weeks.mean(sums_of(online, "within_2h"))
    answers = {LEAST: {"most under 2 h": most.above(0.5)}}
    for policy in batch_policies(runs):
        batch = pick(runs, policy=policy)
        over = weeks.ratio(sums_of(online, "over_2h"), sums_of(batch, "over_2h"))
        answers[policy] = {"at most half as many over 2 h as": over.below(HALF)}
    parts, elsewhere = split(answers)
    return Decision(most, parts, "", elsewhere)


@study.add_claim("OB-6", "mean wait of KTH-SP2 jobs online over that recorded", PAPER)
def online_waits_less(runs: pd.DataFrame) -> Decision:
    """Judge 'increases with the spatial size' and 'smaller average waiting time' (Figure 5)."""
    weeks, online = over_weeks(runs), pick(runs, policy=LEAST)
    batch = batch_policies(runs)
    answers: dict[str, dict[str, bool | None]] = {}
    over_batch = {}
    for policy in (LEAST, *batch):
        its_runs = pick(runs, policy=policy)
        answers[policy] = {"grows": rise_with_servers(its_runs).above(0)}
        if policy != LEAST:
            ratio = weeks.ratio(sums_of(online, "wait_h"), sums_of(its_runs, "wait_h"))
            over_batch[policy] = ratio
            answers[policy]["below"] = ratio.below(1)
    parts, elsewhere = split(answers)
    note = "grows: from the narrowest group to the widest"
    return Decision(over_batch[RECORDED], parts, note, elsewhere)


def rise_with_servers(runs: pd.DataFrame) -> Interval:
    """Return the mean wait of the widest group less that of the narrowest, of one policy."""
    groups = groups_of(pick(runs, grouping=BY_SERVERS).sort_values("up_to"), ["up_to"])
    waits = [sums_of_groups(rows, "wait_h") for _, rows in groups]
    narrowest, *_, widest = (sums for sums in waits if sums.bottom.any())
    return over_weeks(runs).difference(widest, narrowest)


@study.add_claim("OB-7", "attempts a request for up to 50 servers, KTH-SP2", ALL_READINGS)
def attempts_grow_as_printed(runs: pd.DataFrame) -> Decision:
    """Judge that attempts grow 'as n increases', in the numbers that are printed (Table 2)."""
    first, parts = printed_of_kth(runs, "attempts")
    elsewhere: dict[str, bool | None] = {}
    for log, servers, reading, its_runs in each_reading(runs):
        grow = bool((np.diff([*attempts_of_groups(its_runs).values()]) > 0).all())
        is_own = (log, servers, reading) == (KTH, READ_SERVERS[KTH], "5 min at least")
        into = parts if is_own else elsewhere
        into[f"grow online ({log}, {servers}), {reading}"] = grow
    tried, step = TABLE2[CTC][350, 400], Online().step / HOUR
    note = f"CTC contradicts itself: {tried:g} attempts take {(tried - 1) * step:.1f} h, and the "
    note += f"longest wait printed is {LONGEST[CTC, LEAST]:g} h"
    return Decision(first, parts, note, elsewhere)


# --- Section 5.2: advance reservations ---

#: Shares of reservations and their drawings are compared.
BY_SHARE = PAPER.without("share", "draw")


def by_share(runs: pd.DataFrame, policy: str) -> dict[float, pd.DataFrame]:
    """Return the runs of a policy at each share of reservations, in ascending order."""
    its_runs = pick(runs, policy=policy).sort_values(["share", "draw"], kind="stable")
    found = {at["share"]: rows for at, rows in groups_of(its_runs, ["share"])}
    if len(found) < 2:
        raise NotRunError(f"no run of {policy} has advance reservations")
    return found


def share_between(runs: pd.DataFrame, low: float, high: float) -> NDArray[np.float64]:
    """Return the share of the jobs that wait longer than `low` hours and no longer than `high`.

    One number for each drawing.
    """
    longer = pick(runs, grouping=BY_WAIT)
    beyond = (pick(longer, above=at).sort_values("draw")["share_longer"] for at in (low, high))
    more, less = (shares.to_numpy() for shares in beyond)
    return more - less


@study.add_claim(
    "OB-8",
    "share of KTH-SP2 jobs that wait 1 to 3 hours, at most reservations less at none",
    BY_SHARE,
)
def reservations_shift_waits(runs: pd.DataFrame) -> Decision:
    """Judge 'changes in the range [0:3] hours', the peak, and that 'the tail lengths remain'."""
    figure6 = runs[runs["share"] < 1]
    booked = by_share(figure6, LEAST)
    none, most = booked[min(booked)], booked[max(booked)]
    shift = over_draws(share_between(most, 1, 3) - share_between(none, 1, 3))
    before, after = (share_between(most, *at) for at in ((2, 2.5), (3, 3.5)))
    peak = over_draws(share_between(most, 2.5, 3) - np.maximum(before, after))
    beyond = 1 - means_of_draws(none, "within_12h")
    tail = over_draws((1 - means_of_draws(most, "within_12h")) / beyond)
    parts = {
        "more wait 1 to 3 h": shift.above(0),
        "a peak at 3 h": peak.above(0),
        "tail over 12 h as it is": tail.between(*CONSTANT),
    }
    record = pick(figure6, policy=RECORDED)
    if not record.empty:
        parts["fewer under 1 h than recorded"] = fewer_short_waits(booked, record)
    queued = by_share(figure6, "conservative")
    elsewhere = {"fewer under 1 h than conservative, same reservations": trails(booked, queued)}
    note = "tail: within 0.8 to 1.25 times; over drawings; the paper's batch has no reservations"
    return Decision(shift, parts, note, elsewhere)


def fewer_short_waits(booked: Mapping[float, pd.DataFrame], record: pd.DataFrame) -> bool | None:
    """Whether at every share fewer jobs wait up to an hour than in the record."""
    (recorded,) = means_of_draws(record, "within_1h")
    under = {share: means_of_draws(rows, "within_1h") for share, rows in booked.items()}
    return all_of(*(over_draws(each, share).below(recorded) for share, each in under.items()))


def trails(
    booked: Mapping[float, pd.DataFrame], queued: Mapping[float, pd.DataFrame]
) -> bool | None:
    """Whether with the same reservations fewer jobs wait up to an hour when they are booked."""
    leads = [
        means_of_draws(queued[share], "within_1h") - means_of_draws(rows, "within_1h")
        for share, rows in booked.items()
        if share
    ]
    return all_of(*(over_draws(lead).above(0) for lead in leads))


@study.add_claim(
    "OB-9",
    "mean wait of KTH-SP2 with one step more of reservations less before, hours, smallest",
    BY_SHARE,
)
def waits_grow_with_reservations(runs: pd.DataFrame) -> Decision:
    """Judge 'the waiting time increases as' the share of reservations increases (Figure 7a)."""
    smallest = {}
    for policy, word in WITH_RESERVATIONS.items():
        at = by_share(runs, policy)
        for waits, counted_from in COUNTED_FROM.items():
            means = [means_of_draws(rows, waits) for rows in at.values()]
            smallest[counted_from, word] = steps_up(means)
    answers = {
        f"{counted_from}, {word}": all_of(*(step.above(0) for step in steps))
        for (counted_from, word), steps in smallest.items()
    }
    (own, theirs), *_ = answers.items()
    decides = least(next(iter(smallest.values())))
    note = "from the request, as in Figures 6 and 7; section 5 has it from the start asked for"
    return Decision(decides, {own: theirs}, note, without(answers, own))


def steps_up(means: list[NDArray[np.float64]]) -> list[Interval]:
    """Return by how much each mean is above the one before, over drawings.

    Without reservations nothing is drawn: that one run stands beside each drawing.
    """
    return [over_draws(after - before) for before, after in pairwise(means)]


ON_TREES = PaperSetting(
    varied={"log": KTH, "servers": OWN_SERVERS[KTH]}, fixed={"kind": TREES}, logs=(KTH,)
)


@study.add_claim(
    "OB-10",
    "operations a request with reservations over those without, furthest from 1",
    ON_TREES,
)
def operations_stay_constant(runs: pd.DataFrame) -> Decision:
    """Judge 'the number of operations remains relatively constant' (Figure 7b)."""
    table, found = figure7b(runs), {}
    for name, counted in (("search", PHASES[:2]), ("all operations", PHASES)):
        done = table[list(counted)].sum(axis=1)
        without_any = done[table["share"] == 0].mean()
        with_some = table["share"] > 0
        found[name] = [
            over_draws(drawn, share).times(1 / without_any)
            for share, drawn in done[with_some].groupby(table["share"])
        ]
    parts = {
        name: all_of(*(ratio.between(*CONSTANT) for ratio in ratios))
        for name, ratios in found.items()
    }
    return Decision(far_of_all(found.values()), parts, "about constant: 0.8 to 1.25 times")


def far_of_all(ratios: Iterable[Iterable[Interval]]) -> Interval:
    """Return the ratio that is furthest from 1."""
    return furthest((ratio for some in ratios for ratio in some), from_=1.0)


# --- Section 4.3: how the work grows ---

#: What grows with which number, or with its logarithm, and with which power at most.
BOUNDS = {
    "phase 2, of log N": ("phase 2", "servers", True, 2),
    "phase 1, of log N": ("phase 1", "servers", True, 1),
    "update, of log N": ("update", "servers", True, 2),
    "update, of Q": ("update", "slots", False, 1),
    "update, of n": ("update", "wanted", False, 1),
}
#: Section 4.1 has that a new slot takes O(1).
NEW_SLOT = "a new slot, of N: 0"


@study.add_claim("OB-11", "fitted power of log N of phase 2", PaperSetting(fixed={"kind": GROWTH}))
def growth_is_bounded(runs: pd.DataFrame) -> Decision:
    """Judge the bounds of section 4.3."""
    parts, powers = {}, {}
    for name, (part, varied, of_logarithm, bound) in BOUNDS.items():
        powers[name] = power(runs, varied, part, of_logarithm)
        parts[f"{name}: {bound}"] = powers[name].below(bound + SLACK)
    elsewhere = {NEW_SLOT: power(runs, "servers", "advance").below(SLACK)}
    note = f"a fitted power may be {SLACK:g} above its bound; a new slot in O(1): section 4.1"
    return Decision(powers["phase 2, of log N"], parts, note, elsewhere)


# --- Abstract, section 5 and Table 2: what is used, the step, the logs ---

BETWEEN_LOGS = PaperSetting(fixed={**PLAIN, "length": EXACT})


@study.add_claim(
    "OB-12",
    "share of the servers used online over that recorded, on the log where it is largest",
    BETWEEN_LOGS,
)
def may_use_more(runs: pd.DataFrame) -> Decision:
    """Judge that online scheduling 'may achieve higher utilization' (abstract): on some log."""
    over_record, answers = [], {}
    for machine, its_runs in groups_of(runs, ["log", "servers"]):
        name = f"{machine['log']}, {machine['servers']:g}"
        for policy, ratio in over_batch(its_runs, "utilization").items():
            if policy == RECORDED and machine["servers"] == READ_SERVERS[machine["log"]]:
                over_record.append(ratio)
            answers[f"than {policy} ({name})"] = bool(ratio > 1 + NEAR)
    if not over_record:
        raise NotRunError("no log has recorded waits")
    most = max(over_record)
    note = f"higher: by {NEAR:.0%}; the load that is offered decides, where no queue is saturated"
    return Decision(most, {"than recorded, on some log": bool(most > 1 + NEAR)}, note, answers)


@study.add_claim(
    "OB-13",
    "mean wait with steps of 5 minutes over that with 15, KTH-SP2",
    PaperSetting({**PAPER.varied, "length": EXACT}, PLAIN, (KTH,)),
)
def no_gain_from_a_smaller_step(runs: pd.DataFrame) -> Decision:
    """Judge 'no major gain was found for smaller values' of the step (section 5)."""
    changed, base = (
        sums_of(pick(runs, policy=policy), "wait_h") for policy in (f"{ONLINE}, step 5 min", ONLINE)
    )
    ratio = over_weeks(runs).ratio(changed, base)
    note = f"no major gain: less than {MAJOR:.0%}"
    return Decision(ratio, {"no major gain": ratio.above(1 - MAJOR)}, note)


@study.add_claim(
    "OB-14", "attempts a request for up to 50 servers, KTH-SP2 over CTC-SP2", BETWEEN_LOGS
)
def kth_tries_more(runs: pd.DataFrame) -> Decision:
    """Say what comes of 'a larger number of scheduling attempts for the KTH workload'."""
    found = {}
    booked = pick(runs, policy=LEAST, log=(KTH, CTC), grouping=BY_FIFTY, up_to=50.0)
    for machine, its_runs in groups_of(booked, ["log", "servers"]):
        found[machine["log"], machine["servers"]] = sums_of_groups(
            its_runs, "attempts", "requests"
        ).mean
    kth, ctc = (found.get((log, READ_SERVERS[log])) for log in (KTH, CTC))
    if kth is None or ctc is None:
        raise NotRunError(f"no run has the attempts of {KTH} and of {CTC}")
    fewer = [f"{n:g}" for (log, n), tried in found.items() if log == CTC and tried < kth]
    words = f"on the public one KTH tries more than CTC on {', '.join(fewer) or 'no'} servers"
    return Decision(kth / ctc, {}, lost=f"CTC: {OTHER_LOG}; {words}")
