"""Judgements of the paper's claims on advance reservations and on the work of the search."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.seeds import generators
from coalloc_lib.calendar.trees import SlotTrees, leaves
from coalloc_lib.statistics import Interval, NotRunError, groups_of, pick
from studies.claim import EVERYWHERE, PaperSetting, without
from studies.columns import column
from studies.cut_offs import Asked, Part, Word, answers
from studies.extremes import furthest, least
from studies.ledger import Decision
from studies.logic import all_of
from studies.online_batch import model
from studies.online_batch.claims import PAPER, SERVERS_OF_KTH
from studies.online_batch.figures import (
    means_of_draws,
    over_draws,
    runs_as_read,
    shares_longer,
)
from studies.online_batch.model import (
    CTC,
    HPC2N,
    KTH,
    LEAST,
    PHASES,
    READ_JOBS,
    READ_SERVERS,
    RECORDED,
)
from studies.online_batch.reserved import (
    COUNTED_FROM,
    SEARCH,
    UPDATE,
    WITH_RESERVATIONS,
    over_none,
    power,
    work_of_requests,
)
from studies.online_batch.runs import study
from studies.online_batch.settings import GROWTH

#: The paper's setting for claims that compare different shares of jobs with advance reservations.
#: At each share, the jobs that reserve ahead are sampled several times.
BY_SHARE = PAPER.without("share", "draw")
BY_SHARE_ON_BOTH = PaperSetting(fixed=BY_SHARE.fixed, logs=(KTH, CTC), reading=SERVERS_OF_KTH)
OF_CTC = {"log": CTC, "servers": READ_SERVERS[CTC], "kept": READ_JOBS[CTC]}
BY_SHARE_ON_CTC = PaperSetting(OF_CTC, BY_SHARE.fixed, (CTC,))

#: The cut-offs with which we interpret vague words of the paper.
REMAIN = Word("remain the same", 0.25, "% off", 100)
CONSTANT = Word("relatively constant", 0.25, "% off", 100)
SEVERAL = Word("multiple values", 2.0, "shares", near=1)
BOUND = Word("O(...)", 0.15, "more than the bound")


# --- Section 5.2: advance reservations ---


def by_share(runs: pd.DataFrame, policy: str) -> dict[float, pd.DataFrame]:
    """Group a policy's runs by the share of jobs that reserve ahead, in ascending order."""
    its_runs = pick(runs, policy=policy).sort_values(["share", "draw"], kind="stable")
    found = {at["share"]: rows for at, rows in groups_of(its_runs, ["share"])}
    if len(found) < 2:
        raise NotRunError(f"no run of {policy} has advance reservations")
    return found


def share_longer(runs: pd.DataFrame, hours: float) -> NDArray[np.float64]:
    """Return the share of jobs that wait longer than `hours`, for each sample of reservations."""
    return shares_longer(runs)[hours].to_numpy(dtype=float)


def share_between(runs: pd.DataFrame, low: float, high: float) -> NDArray[np.float64]:
    """Return the share of jobs with a wait of `low` to `high` hours, for each run."""
    return share_longer(runs, low) - share_longer(runs, high)


@study.add_claim(
    "OB-8",
    "longest wait online with reservations divided by that without, the one furthest from 1 "
    "over KTH and CTC",
    BY_SHARE_ON_BOTH,
)
def reservations_shift_waits(runs: pd.DataFrame) -> Decision:
    """Judge the claim that advance reservations change short waits, but not the longest waits.

    The paper says: 'changes in the range [0:3] hours', and that 'the tail lengths remain'.

    The paper says this of CTC and of KTH. The length of a tail is the longest wait, as section 5.1
    has it.
    """
    figure6 = runs_as_read(runs[column(runs, "share") < 1])
    parts: dict[str, Part] = {}
    tails: list[Interval] = []
    for log in (KTH, CTC):
        ratios, its_parts = shift_and_tail(pick(figure6, log=log), log)
        parts |= its_parts
        tails += ratios
    elsewhere: dict[str, Part] = {}
    of_hpc2n = pick(figure6, log=HPC2N)
    if not of_hpc2n.empty:
        _, elsewhere = shift_and_tail(of_hpc2n, HPC2N)
    of_kth = pick(figure6, log=KTH)
    parts |= more_short_waits_in_record(of_kth)
    elsewhere |= more_short_waits_when_queued(of_kth)
    note = (
        "intervals are over random choices of the reservations; the batch jobs of the paper "
        "have none"
    )
    return Decision(furthest(tails, from_=1.0), parts, note, answers(elsewhere))


def shift_and_tail(runs: pd.DataFrame, log: str) -> tuple[list[Interval], dict[str, Part]]:
    """Test how advance reservations change the waits of the jobs of one log.

    Return the ratios of the longest waits with and without reservations, and the parts of the
    claim.
    """
    booked = by_share(runs, LEAST)
    ratios = longest_over_none(booked)
    parts: dict[str, Part] = {f"{what} ({log})": part for what, part in shifts(booked).items()}
    parts[f"the longest wait remains the same ({log})"] = remains(ratios)
    return ratios, parts


def more_short_waits_in_record(of_kth: pd.DataFrame) -> dict[str, Part]:
    """Test whether more KTH jobs wait under 1 hour in the record than online, at every share.

    This comparison is made only for the log KTH, because the paper says the opposite about the log
    CTC (claim OB-19). The result is empty if the record has no waits.
    """
    record = pick(of_kth, policy=RECORDED)
    if record.empty:
        return {}
    better = [lead.above(0) for lead in leads_of(record, by_share(of_kth, LEAST)).values()]
    return {f"more jobs wait under 1 h in the record, at every share ({KTH})": all_of(*better)}


def more_short_waits_when_queued(of_kth: pd.DataFrame) -> dict[str, Part]:
    """Test whether more KTH jobs wait under 1 hour with backfilling than online.

    Both policies have the same reservations. The result is empty if backfilling was run for fewer
    than two shares of reservations.
    """
    queued = pick(of_kth, policy="conservative")
    if queued["share"].nunique() < 2:
        return {}
    waits_less = trails(by_share(of_kth, LEAST), by_share(queued, "conservative"))
    name = "more jobs wait under 1 h with conservative backfilling and the same reservations"
    return {name: waits_less}


def shifts(booked: Mapping[float, pd.DataFrame]) -> dict[str, Part]:
    """Test whether advance reservations cause more waits of 1 to 3 hours, with a peak before 3."""
    none, most = booked[min(booked)], booked[max(booked)]
    shift = over_draws(share_between(most, 1, 3) - share_between(none, 1, 3))
    before, after = (share_between(most, *at) for at in ((2, 2.5), (3, 3.5)))
    peak = over_draws(share_between(most, 2.5, 3) - np.maximum(before, after))
    return {
        "more jobs wait 1 to 3 h": shift.above(0),
        "waits have a peak just before 3 h": peak.above(0),
    }


def longest_over_none(booked: Mapping[float, pd.DataFrame]) -> list[Interval]:
    """Return the ratio of the longest waits with and without advance reservations.

    Raises `NotRunError` if no job waits without reservations, because the ratio does not exist
    then.
    """
    none, *others = (means_of_draws(rows, "longest_wait_h") for rows in booked.values())
    if not none.all():
        raise NotRunError("no job waits without reservations; the claim compares longest waits")
    return [over_draws(longest / none) for longest in others]


def remains(ratios: Sequence[Interval]) -> Asked:
    """Return a test of whether all ratios are close to 1, so that waits 'remain the same'."""
    return Asked(REMAIN, lambda by: all_of(*(each.between(1 - by, 1 + by) for each in ratios)))


def leads_of(record: pd.DataFrame, booked: Mapping[float, pd.DataFrame]) -> dict[float, Interval]:
    """Return by how much the share of jobs that wait at most 1 hour is larger in the record.

    The share under online booking is subtracted from the recorded share. The result has a
    difference with its confidence interval for each fraction of jobs that reserve ahead.
    """
    (recorded,) = share_longer(record, 1)
    return {
        share: over_draws(share_longer(rows, 1) - recorded, share) for share, rows in booked.items()
    }


def trails(
    booked: Mapping[float, pd.DataFrame], queued: Mapping[float, pd.DataFrame]
) -> bool | None:
    """Return whether more jobs wait over 1 hour if they are booked than in a batch queue.

    Both schedules have the same advance reservations. The answer is None if the runs do not decide
    it at some share of reservations.
    """
    leads = [
        share_longer(rows, 1) - share_longer(queued[share], 1)
        for share, rows in booked.items()
        if share and share in queued
    ]
    return all_of(*(over_draws(lead).above(0) for lead in leads))


@study.add_claim(
    "OB-19",
    "share of CTC-SP2 jobs that wait up to 1 hour, online minus recorded, the second best "
    "over the shares of reservations",
    BY_SHARE_ON_CTC,
)
def online_beats_batch_on_ctc(runs: pd.DataFrame) -> Decision:
    """Judge the claim that online beats batch scheduling on CTC at several reservation shares.

    The paper says: 'outperforms the batch scheduling algorithm for multiple values' of the share.
    """
    figure6 = runs[column(runs, "share") < 1]
    record = pick(figure6, policy=RECORDED)
    if record.empty:
        raise NotRunError("no log has recorded waits")
    leads = [lead.times(-1) for lead in leads_of(record, by_share(figure6, LEAST)).values()]
    ahead = [lead.above(0) for lead in leads]

    def is_ahead_at(least_many: float) -> bool | None:
        if ahead.count(True) >= least_many:
            return True
        return None if ahead.count(True) + ahead.count(None) >= least_many else False

    note = (
        f"more jobs wait up to an hour online at {ahead.count(True)} of {len(ahead)} shares of "
        "reservations"
    )
    *_, second, _ = sorted(leads, key=lambda lead: lead.estimate)
    return Decision(
        second, {"online is ahead at several shares": Asked(SEVERAL, is_ahead_at)}, note
    )


@study.add_claim(
    "OB-9",
    "mean wait of KTH-SP2 at one share of reservations minus that at the next lower share, "
    "in hours, the smallest",
    BY_SHARE,
)
def waits_grow_with_reservations(runs: pd.DataFrame) -> Decision:
    """Judge the claim that waits grow with the share of jobs that reserve ahead (Figure 7a).

    The paper says: 'the waiting time increases as' the share of reservations increases.
    """
    smallest = {}
    for policy, word in WITH_RESERVATIONS.items():
        if policy != LEAST and pick(runs, policy=policy)["share"].nunique() < 2:
            continue
        for waits, counted_from in COUNTED_FROM.items():
            smallest[counted_from, word] = steps_up(by_share(runs, policy), waits)
    found = {
        f"wait counted {counted_from}, {word}": all_of(*(step.above(0) for step in steps))
        for (counted_from, word), steps in smallest.items()
    }
    (own, theirs), *_ = found.items()
    decides = least(next(iter(smallest.values())))
    note = (
        "waits are counted from the request, as in Figures 6 and 7; section 5 counts them from "
        "the requested start"
    )
    return Decision(decides, {own: theirs}, note, without(found, own))


def steps_up(at: Mapping[float, pd.DataFrame], name: str) -> list[Interval]:
    """Return how much a mean rises from each share of advance reservations to the next share.

    `at` has the runs of each share of jobs that reserve ahead, and `name` is the column of the
    mean. Without reservations nothing is sampled, so that single run is compared with each sample
    of the first share.
    """
    means = [means_of_draws(rows, name) for rows in at.values()]
    return [over_draws(after - before) for before, after in pairwise(means)]


OF_WORK = PaperSetting(PAPER.varied, {}, (KTH,), SERVERS_OF_KTH)


@study.add_claim(
    "OB-10",
    "operations per request with reservations divided by those without, the one furthest from 1",
    OF_WORK,
)
def operations_stay_constant(runs: pd.DataFrame) -> Decision:
    """Judge the claim that operations per request do not depend on how many jobs reserve ahead.

    The paper says: 'the number of operations remains relatively constant' (Figure 7b).
    """
    table = work_of_requests(runs)
    table = table.assign(**{"all operations": table[[SEARCH, UPDATE, "advance"]].sum(axis=1)})
    found = {part: [*over_none(table, part).values()] for part in (SEARCH, "all operations")}
    if not any(found.values()):
        raise NotRunError("no run on trees has reservations")
    parts: dict[str, Part] = {part: constant(ratios) for part, ratios in found.items()}
    decides = furthest((ratio for ratios in found.values() for ratio in ratios), from_=1.0)
    return Decision(
        decides,
        parts,
        "the attempts are those of the whole log, and each has its cost on the trees",
    )


def constant(ratios: list[Interval]) -> Asked:
    """Return a test of whether all ratios are close to 1, so that work is 'relatively constant'."""

    def at_most_off(by: float) -> bool | None:
        return all_of(*(ratio.between(1 - by, 1 + by) for ratio in ratios))

    return Asked(CONSTANT, at_most_off)


@study.add_claim(
    "OB-18",
    "mean attempts of a KTH request if all requests reserve ahead minus those if none does",
    BY_SHARE,
)
def fewer_attempts_with_reservations(runs: pd.DataFrame) -> Decision:
    """Judge the claim that requests that reserve ahead need fewer attempts (section 5.2).

    The paper says: 'when performing advance reservations [...] fewer scheduling attempts'.

    The sentence compares requests that reserve ahead with requests that start immediately.
    """
    at = by_share(runs, LEAST)
    falls = [step.times(-1) for step in steps_up(at, "mean_attempts")]
    none, *_, most = at.values()
    more = over_draws(means_of_draws(most, "mean_attempts") - means_of_draws(none, "mean_attempts"))
    every_step = {
        "fewer attempts at every step of the share": all_of(*(fall.above(0) for fall in falls))
    }
    parts = {"fewer attempts at the largest share than without reservations": more.below(0)}
    return Decision(more, parts, "the means are over the whole log", every_step)


@study.add_claim("OB-24", "growth of the work of booking with the load", EVERYWHERE)
def heavy_workloads_are_not_measured(runs: pd.DataFrame) -> Decision:
    """Report that the study does not count the operations of booking at a high load (section 6).

    The paper says that it 'scales to systems with [...] heavy workloads'.
    """
    lost = "the runs measure the work by servers, slots and requested servers, but not by the load"
    return Decision(None, {}, lost=lost)


@study.add_claim("OB-25", "work of booking divided by that of a batch scheduler", EVERYWHERE)
def complexity_is_not_compared(runs: pd.DataFrame) -> Decision:
    """Report that the cost of booking is not compared with that of batch scheduling (section 6).

    The paper says: 'without adding much complexity'.
    """
    lost = "the runs count the operations of booking, but not those of a batch scheduler"
    return Decision(None, {}, lost=lost)


# --- Sections 4.1 and 4.3: how the number of operations grows ---

#: The bounds of section 4.3 on the number of operations. Each entry has a part of the search and
#: the quantity n on which its number of operations depends. Then it says whether the bound is
#: O((log n)^k) or O(n^k), and has the exponent k.
BOUNDS = {
    "phase 2, of log N": ("phase 2", "servers", True, 2),
    "phase 1, of log N": ("phase 1", "servers", True, 1),
    "update, of log N": ("update", "servers", True, 2),
    "update, of Q": ("update", "slots", False, 1),
    "update, of n": ("update", "wanted", False, 1),
}
OF_GROWTH = PaperSetting(fixed={"kind": GROWTH})


@study.add_claim("OB-11", "fitted exponent of log N in the operations of phase 2", OF_GROWTH)
def growth_is_bounded(runs: pd.DataFrame) -> Decision:
    """Test whether the work of a search grows no faster than the paper's bounds (section 4.3)."""
    parts: dict[str, Part] = {}
    powers = {}
    for name, (part, varied, of_logarithm, bound) in BOUNDS.items():
        powers[name] = power(runs, varied, part, of_logarithm)
        parts[f"exponent {name}: at most {bound}"] = no_faster(powers[name], bound)
    return Decision(powers["phase 2, of log N"], parts)


def no_faster(found: Interval, bound: float) -> Asked:
    """Return a test of whether a fitted exponent is at most a bound plus a tolerance."""
    return Asked(BOUND, lambda slack: found.below(bound + slack))


@study.add_claim("OB-15", "fitted exponent of N in the operations of a new slot", OF_GROWTH)
def a_new_slot_takes_no_longer(runs: pd.DataFrame) -> Decision:
    """Judge the claim that creating the tree of a new slot takes O(1) time (section 4.1)."""
    phase = PHASES[-1]
    powers = {name: power(runs, name, phase) for name in ("servers", "slots")}
    parts: dict[str, Part] = {
        f"no growth with the number of {name}": no_faster(each, 0) for name, each in powers.items()
    }
    return Decision(powers["servers"], parts)


@study.add_claim("OB-22", "fitted exponent of log N in the operations of an update", OF_GROWTH)
def an_insertion_is_logarithmic(runs: pd.DataFrame) -> Decision:
    """Judge the claim that trees of idle periods are updated in logarithmic time (section 4.2).

    Section 4.3 gives the square of the logarithm for the same update.
    """
    found = power(runs, "servers", "update", of_logarithm=True)
    return Decision(
        found, {"exponent of log N: at most 1": no_faster(found, 1)}, "section 4.3 gives (log N)²"
    )


#: For claim OB-21: the number of servers, the length of a slot in hours, the number of slots, and
#: the number of random requests.
DRAWN_SERVERS, DRAWN_SLOT, DRAWN_SLOTS, DRAWN_REQUESTS = 6, 1.0, 40, 60


@study.add_claim(
    "OB-21", "largest number of idle periods of one server in the tree of a slot", EVERYWHERE
)
def a_tree_has_one_period_of_a_server(runs: pd.DataFrame) -> Decision:
    """Judge the claim that a slot's tree has at most one idle period per server (section 4.1).

    The paper says: 'each tree will include at most one idle period per server'.

    The paper says this about slots that are as long as the shortest job. The claim is tested with
    random requests.
    """
    most = most_periods_in_a_slot(DRAWN_SLOT)
    shorter = most_periods_in_a_slot(DRAWN_SLOT / 4)
    parts = {"jobs are as long as a slot or longer": most == 1}
    return Decision(
        float(most), parts, "", {"jobs may be as short as a quarter of a slot": shorter == 1}
    )


def most_periods_in_a_slot(least: float) -> int:
    """Return the largest number of idle periods that one server has in the tree of a slot.

    Random requests are booked one after the other. `least` is their shortest length, in hours.
    """
    (rng,) = generators(model.SEED, 1)
    book, most = SlotTrees([DRAWN_SERVERS], DRAWN_SLOT, DRAWN_SLOTS), 0
    for _ in range(DRAWN_REQUESTS):
        start = rng.uniform(0, DRAWN_SLOT * DRAWN_SLOTS / 2)
        end = start + least * (1 + rng.exponential())
        for period in book.search(start, end, 1).found:
            book.take(period, start, end)
        for tree in book.trees.values():
            counts = Counter(period.server for period in leaves(tree.root))
            most = max(most, *counts.values())
    return most
