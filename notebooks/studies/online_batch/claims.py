"""Judgements of the paper's claims on its logs, and on online against batch scheduling."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.policies import Online
from coalloc_lib.statistics import Interval, NotRunError, groups_of, pick
from studies.claim import PaperSetting
from studies.columns import column
from studies.cut_offs import Asked, Part, Word, answers
from studies.ledger import Decision
from studies.online_batch.figures import (
    MACHINE,
    PLAIN,
    figure1,
    number,
    runs_as_read,
    sums_of,
    sums_of_groups,
)
from studies.online_batch.model import (
    ALL,
    CTC,
    EXACT,
    HOUR,
    HPC2N,
    KTH,
    LEAST,
    LEAST_LENGTH,
    LONGEST,
    MIDDLE,
    NOT_OF_PAPER,
    ONLINE,
    READ_JOBS,
    READ_SERVERS,
    RECORDED,
    SHORT_OF_CTC,
    SMALL,
    SMALLER_STEP,
    TABLE1,
    TABLE2,
    has_read_machine,
    is_own,
)
from studies.online_batch.readings import READING, attempts_of_groups, replays
from studies.online_batch.runs import over_weeks, study
from studies.online_batch.settings import (
    BY_FIFTY,
    BY_LENGTH,
    BY_SERVERS,
    LOG,
    SCHEDULE,
    WHOLE,
)
from studies.shares import agreed
from studies.weeks import WeeklySums

#: A note that says that our number of servers for the log KTH differs from the number in the paper.
SERVERS_OF_KTH = f"we use {READ_SERVERS[KTH]} servers for KTH, but Table 1 prints {TABLE1[KTH][0]}"
#: The setting that the paper means in its sentences about the KTH log, in our reading.
PAPER = PaperSetting(
    varied={"log": KTH, "servers": READ_SERVERS[KTH], "kept": READ_JOBS[KTH]},
    fixed={**PLAIN, "length": EXACT},
    logs=(KTH,),
    reading=SERVERS_OF_KTH,
)
#: The settings of two groups of claims. `BOTH` is for claims about the logs KTH and CTC, and
#: selects the runs with every number of servers. `ALL_READINGS` is for claims that compare our
#: interpretations of the paper, and selects all schedules.
BOTH = PaperSetting(fixed={**PLAIN, "length": EXACT}, logs=(KTH, CTC), reading=SERVERS_OF_KTH)
ALL_READINGS = PaperSetting(fixed={"kind": SCHEDULE}, logs=(KTH, CTC), reading=SERVERS_OF_KTH)

#: The cut-offs with which we interpret vague words of the paper.
ORDER = Word("an order of magnitude", 10.0, "times")
HUNDREDS = Word("hundreds of hours", 200.0, "hours")
TWO_HUNDRED = Word("two hundred hours", 20.0, "hours off")
MOST = Word("most", 0.5, "%", 100, near=1)
EVEN = Word("even out", 0.05, "% of the jobs", 100)
TWO_TIMES = Word("nearly a factor of two", 0.5, "off")
MAJOR = Word("major gain", 0.1, "%", 100)
FEW = Word("small number of times", 5.0, "times")


def name_of(machine: Mapping[str, Any]) -> str:
    """Return a label with a log, its number of servers and the selection of its jobs."""
    name = f"{machine['log']}, {machine['servers']:g}"
    return name if machine["kept"] == ALL else f"{name}, {machine['kept']}"


def is_as_read(machine: Mapping[str, Any]) -> bool:
    """Return whether a setting has the servers and jobs that we believe the paper used."""
    return has_read_machine(machine["log"], machine["servers"], machine["kept"])


def machines(
    runs: pd.DataFrame, logs: tuple[str, ...]
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the simulation runs for each log, number of servers and selection of jobs.

    Policies that only our own figures need are left out. Combinations that lack runs of online
    scheduling or recorded waits are left out too.
    """
    found = pick(runs, log=logs)
    found = found[~found["policy"].isin(NOT_OF_PAPER)]
    for machine, its_runs in groups_of(found, MACHINE):
        if {LEAST, RECORDED} <= set(column(its_runs, "policy")):
            yield machine, its_runs


class Answers:
    """The answers to the separate parts of a claim about the logs KTH and CTC.

    `own` has the answers for the comparison that the paper makes, and `others` has the answers for
    all other machines and policies.
    """

    def __init__(self) -> None:
        self.own: dict[str, Part] = {}
        self.others: dict[str, bool | None] = {}

    def add(self, machine: Mapping[str, Any], policy: str, parts: Mapping[str, Part]) -> None:
        """Add the answers for one setting and policy to `own` or to `others`.

        They are added to `own` if the paper makes this comparison.
        """
        name = f"({name_of(machine)})"
        if is_as_read(machine) and machine["log"] in (KTH, CTC) and is_own(policy):
            self.own |= {f"{what} ({machine['log']})": part for what, part in parts.items()}
        else:
            answered = answers(parts)
            self.others |= {f"{what}, {policy} {name}": answered[what] for what in answered}

    def decision(self, decides: Interval | float | None, *logs: str, note: str = "") -> Decision:
        """Return the decision on the claim, based on all answers that were added so far.

        An error is raised if no part in `own` is about one of the logs in `logs`.
        """
        for log in logs:
            if not any(log in what for what in self.own):
                servers = f"{READ_SERVERS[log]} servers, {READ_JOBS[log]}"
                raise NotRunError(
                    f"the claim needs online scheduling and recorded waits of {log}, {servers}"
                )
        return Decision(decides, self.own, note, self.others)


# --- Section 4.2, Table 1 and Figure 4(b): the worked example and the logs ---


@study.add_claim("OB-1", "number of idle periods that the search accepts in the worked example")
def worked_example_marks_periods(runs: pd.DataFrame) -> Decision:
    """Judge whether our search marks idle periods in the same order as Figure 2 of the paper."""
    marks = figure1(runs).groupby("part")["periods"].agg(list)
    first = [set(mark) for mark in marks["phase 1"]]
    parts = {
        "the search marks X and V, then Z, then Y": first == [{"X", "V"}, {"Z"}, {"Y"}],
        "phase 2 goes through the marks in reverse order": marks["phase 2"] == ["Y", "Z"],
        "the search accepts Y and Z": sorted(marks["accepted"]) == ["Y", "Z"],
    }
    return Decision(float(len(marks["accepted"])), parts)


@study.add_claim(
    "OB-16",
    "share of KTH-SP2 jobs that take less than 2 hours",
    PaperSetting(fixed={"kind": LOG, "grouping": WHOLE}, logs=(KTH, CTC)),
)
def short_jobs(runs: pd.DataFrame) -> Decision:
    """Judge the claims on how many KTH and CTC jobs are shorter than 2 hours.

    The paper says: 'most jobs [...] smaller than 2 hours' of KTH, and 'at most 14 %' of CTC.

    Section 2 defines the duration as the estimated one, which is the requested time. The means that
    Table 1 prints are those of the run times. If these two readings differ, the claim is undecided.
    """
    of_kth, of_ctc, others = rows_of_short_jobs(runs)
    columns = {"run times": "short", "requested times": "asks_for_short"}

    def each_reading(limit: float) -> dict[str, bool]:
        return {
            reading: bool(of_kth[name] > limit and of_ctc[name] <= SHORT_OF_CTC)
            for reading, name in columns.items()
        }

    def both(limit: float) -> bool | None:
        return agreed(each_reading(limit).values())

    told = each_reading(MOST.value)
    clauses = [
        f"with {reading}, the claim {'holds' if told[reading] else 'does not hold'} ({KTH} "
        f"{of_kth[name]:.1%}, {CTC} {of_ctc[name]:.1%})"
        for reading, name in columns.items()
    ]
    clauses.append(f"the jobs of {CTC} are those of {READ_JOBS[CTC]}")
    elsewhere = {
        f"at most {SHORT_OF_CTC:.0%} with {reading} ({CTC}, {kept})": bool(
            row[name] <= SHORT_OF_CTC
        )
        for kept, row in others.items()
        for reading, name in columns.items()
    }
    parts: dict[str, Part] = {
        "the claim holds with run times and with requested times": Asked(MOST, both)
    }
    return Decision(float(of_kth["short"]), parts, "; ".join(clauses), elsewhere)


def rows_of_short_jobs(
    runs: pd.DataFrame,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the rows with the shares of short jobs, and raise `NotRunError` if one is missing.

    The rows are that of KTH, that of the CTC jobs that we believe the paper used, and those of
    other selections of CTC jobs, by selection.
    """
    all_of_kth = pick(runs, log=KTH, kept=ALL).to_dict("records")
    if not all_of_kth:
        raise NotRunError(f"the jobs of {KTH} were not measured")
    found = {row["kept"]: row for row in pick(runs, log=CTC).to_dict("records")}
    if READ_JOBS[CTC] not in found:
        raise NotRunError(f"{CTC} was not measured with {READ_JOBS[CTC]}")
    (of_kth,) = all_of_kth
    return of_kth, found.pop(READ_JOBS[CTC]), found


# --- Section 5.1: online scheduling compared with batch scheduling ---


def own_and_other(found: Mapping[str, Mapping[str, Part]]) -> tuple[dict, dict]:
    """Separate the answers about the paper's own comparison from all other answers.

    The paper compares online scheduling with the recorded waits. All other answers compare online
    scheduling with our own batch schedules.
    """
    parts: dict[str, Part] = {}
    elsewhere: dict[str, bool | None] = {}
    for policy, its_parts in found.items():
        name = policy.partition(",")[0]
        if is_own(policy):
            parts |= {f"{what} {name}": part for what, part in its_parts.items()}
        else:
            elsewhere |= {f"{what} {name}": is_so for what, is_so in answers(its_parts).items()}
    return parts, elsewhere


def batch_policies(runs: pd.DataFrame) -> list[str]:
    """List the batch policies in a table of runs, including the recorded waits."""
    policies = [*column(runs, "policy").unique()]
    if LEAST not in policies or RECORDED not in policies:
        raise NotRunError(f"the runs lack the policy {LEAST!r} or {RECORDED!r}; run both")
    return [policy for policy in policies if policy not in NOT_OF_PAPER and policy != LEAST]


def small_and_middle(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Select the rows of jobs up to 1 hour long, and the rows of jobs 2 to 10 hours long."""
    by_length = pick(runs, grouping=BY_LENGTH)
    above, up_to = by_length["above"], by_length["up_to"]
    return by_length[up_to <= SMALL], by_length[(above >= MIDDLE[0]) & (up_to <= MIDDLE[1])]


@study.add_claim(
    "OB-3", "mean of wait / length of small KTH jobs, recorded divided by online", PAPER
)
def small_jobs_suffer_in_batch(runs: pd.DataFrame) -> Decision:
    """Judge the claim that online scheduling favours small (short) over large jobs (Figure 3).

    Small jobs should wait less online than in batch, and large jobs should wait longer. The paper
    says: 'an order of magnitude or more', and 'penalizes larger jobs more heavily'.
    """
    weeks = over_weeks(runs)
    small, middle = small_and_middle(runs)
    found, over_online = {}, {}
    for policy in batch_policies(runs):
        batch, online = waits_over_length(small, policy), waits_over_length(small, LEAST)
        over_online[policy] = weeks.ratio(batch, online)
        longer = weeks.ratio(waits_over_length(middle, LEAST), waits_over_length(middle, policy))
        found[policy] = {
            "small jobs wait far longer than online:": ORDER.above(over_online[policy]),
            "jobs of 2 to 10 h wait longer online than:": longer.above(1.0),
        }
    parts, elsewhere = own_and_other(found)
    note = f"small jobs take up to {SMALL:g} h; the length is the booked time, at least 5 min"
    return Decision(over_online[RECORDED], parts, note, elsewhere)


@study.add_claim(
    "OB-20",
    "mean of wait / length of small CTC jobs, recorded divided by online",
    PaperSetting(fixed={**PLAIN, "length": EXACT}, logs=(CTC, HPC2N)),
)
def small_jobs_suffer_on_other_logs(runs: pd.DataFrame) -> Decision:
    """Judge the claim that Figure 3, on waits by job length, looks alike for the other logs.

    The paper says: 'Similar results were obtained for the other two workloads'.
    """
    weeks = over_weeks(runs)
    parts: dict[str, Part] = {}
    of_ctc: Interval | None = None
    for machine, its_runs in machines(runs_as_read(runs), (CTC, HPC2N)):
        small, middle = small_and_middle(its_runs)
        over_online = weeks.ratio(
            waits_over_length(small, RECORDED), waits_over_length(small, LEAST)
        )
        longer = weeks.ratio(waits_over_length(middle, LEAST), waits_over_length(middle, RECORDED))
        parts[f"small jobs wait far longer in batch ({machine['log']})"] = ORDER.above(over_online)
        parts[f"jobs of 2 to 10 h wait longer online ({machine['log']})"] = longer.above(1.0)
        of_ctc = over_online if machine["log"] == CTC else of_ctc
    if of_ctc is None:
        raise NotRunError(f"the claim needs online scheduling and recorded waits of {CTC}")
    return Decision(
        of_ctc,
        parts,
        f"small jobs take up to {SMALL:g} h; at least {LEAST_LENGTH / 60:g} min are booked",
    )


def waits_over_length(runs: pd.DataFrame, policy: str) -> WeeklySums:
    """Return weekly sums, under one policy, of each job's wait divided by its length."""
    return sums_of_groups(pick(runs, policy=policy), "wait_over_length")


@study.add_claim(
    "OB-17", "mean number of attempts after the first for a KTH job of up to an hour", PAPER
)
def short_jobs_are_seldom_rescheduled(runs: pd.DataFrame) -> Decision:
    """Judge the claim that short jobs need few attempts after the first one (section 5.1).

    The paper says: 'the small number of times that the algorithm needs to reschedule' small jobs.
    """
    weeks = over_weeks(runs)
    small, middle = (
        sums_of_groups(pick(rows, policy=LEAST), "attempts", "requests")
        for rows in small_and_middle(runs)
    )
    # Subtract the first attempt of each job, because only later attempts reschedule the job.
    rescheduled = WeeklySums(small.numerators - small.denominators, small.denominators)
    times = weeks.mean(rescheduled)
    fewer = weeks.difference(middle, small)
    parts = {"few attempts": FEW.below(times), "fewer than jobs of 2 to 10 h": fewer.above(0)}
    return Decision(times, parts, f"small jobs take up to {SMALL:g} h")


@study.add_claim(
    "OB-4", "longest recorded wait of KTH-SP2 minus the longest wait online, in hours", BOTH
)
def longest_waits(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the longest wait in batch exceeds that online by hundreds of hours.

    The paper says that the tails 'differ by hundreds of hours', on KTH 'by two hundred'.
    """
    found, gap_of_kth, note = Answers(), None, "the printed waits have their own rows in the ledger"
    for machine, its_runs in machines(runs, (KTH, CTC, HPC2N)):
        longest = longest_by_policy(its_runs)
        online = longest.pop(LEAST, np.nan)
        if np.isnan(online):
            continue
        for policy, wait in longest.items():
            longer = Interval.exact(wait - online)
            parts: dict[str, Part] = {"longest wait longer than online": bool(wait > online)}
            if is_as_read(machine) and policy == RECORDED and machine["log"] == KTH:
                gap_of_kth = longer.estimate
                parts["two hundred hours longer"] = TWO_HUNDRED.within(longer, around=200.0)
            elif policy == RECORDED and machine["log"] == KTH:
                note += (
                    f"; on {machine['servers']:g} servers, the difference for KTH is "
                    f"{wait - online:.0f} h"
                )
            if policy == RECORDED and machine["log"] == CTC:
                parts["hundreds of hours longer"] = HUNDREDS.above(longer)
            found.add(machine, policy, parts)
    chosen = "the least length and the servers of KTH, and the jobs of CTC"
    return found.decision(gap_of_kth, KTH, CTC, note=note)._replace(calibrates=chosen)


def longest_by_policy(runs: pd.DataFrame) -> dict[str, float]:
    """Return the longest wait in hours under each policy whose waits are known."""
    policies = column(runs, "policy").unique()
    waits = {policy: number(pick(runs, policy=policy), "longest_wait_h") for policy in policies}
    return {policy: wait for policy, wait in waits.items() if np.isfinite(wait)}


@study.add_claim(
    "OB-5", "share of KTH-SP2 jobs that wait up to 1 hour, recorded minus online", BOTH
)
def short_waits(runs: pd.DataFrame) -> Decision:
    """Judge the claims on how many KTH and CTC jobs wait under 1 or 2 hours (Figure 4)."""
    found, lead_of_kth = Answers(), None
    for machine, its_runs in machines(runs, (KTH, CTC)):
        for policy in batch_policies(its_runs):
            if machine["log"] == CTC:
                found.add(machine, policy, short_waits_of_ctc(its_runs, policy))
                continue
            lead, parts = short_waits_of_kth(its_runs, policy)
            found.add(machine, policy, parts)
            if is_as_read(machine) and policy == RECORDED:
                lead_of_kth = lead
    return found.decision(lead_of_kth, KTH, CTC)


def short_waits_of_kth(runs: pd.DataFrame, policy: str) -> tuple[Interval, dict[str, Part]]:
    """Test whether more KTH jobs wait under 1 hour in batch than online, but not under 2 hours.

    Return the difference between the two shares of jobs that wait up to 1 hour, and the parts of
    the claim.
    """
    batch, online = pick(runs, policy=policy), pick(runs, policy=LEAST)
    one, two = (
        over_weeks(runs).difference(sums_of(batch, within), sums_of(online, within))
        for within in ("within_1h", "within_2h")
    )
    return one, {
        "more jobs wait under 1 h in batch": one.above(0),
        "the shares even out before 2 h": EVEN.below(two),
    }


def short_waits_of_ctc(runs: pd.DataFrame, policy: str) -> dict[str, Part]:
    """Test whether most CTC jobs wait under 2 h online, and nearly twice as many as in batch."""
    weeks = over_weeks(runs)
    online, batch = (sums_of(pick(runs, policy=each), "within_2h") for each in (LEAST, policy))
    return {
        "most jobs wait under 2 h online": MOST.above(weeks.mean(online)),
        "nearly twice as many jobs wait under 2 h online": TWO_TIMES.within(
            weeks.ratio(online, batch), 2.0
        ),
    }


@study.add_claim("OB-6", "mean wait of KTH-SP2 jobs, online divided by recorded", BOTH)
def online_waits_less(runs: pd.DataFrame) -> Decision:
    """Judge the claims that larger jobs wait longer, and that waits are shorter online (Figure 5).

    The paper says: 'increases with the spatial size' and 'smaller average waiting time'.
    """
    found, of_kth = Answers(), None
    for machine, its_runs in machines(runs, (KTH, CTC, HPC2N)):
        online = pick(its_runs, policy=LEAST)
        found.add(
            machine,
            LEAST,
            {"wait grows with the servers, online": grows(online)} if is_grouped(online) else {},
        )
        for policy in batch_policies(its_runs):
            batch = pick(its_runs, policy=policy)
            ratio = over_weeks(runs).ratio(sums_of(online, "wait_h"), sums_of(batch, "wait_h"))
            parts: dict[str, Part] = (
                {"wait grows with the servers, in batch": grows(batch)} if is_grouped(batch) else {}
            )
            found.add(machine, policy, parts | {"online below batch": ratio.below(1)})
            if machine["log"] == KTH and is_as_read(machine) and policy == RECORDED:
                of_kth = ratio
    return found.decision(
        of_kth,
        KTH,
        CTC,
        note="the group with the most servers is compared with the group with the fewest",
    )


def is_grouped(runs: pd.DataFrame) -> bool:
    """Return whether a table of runs groups jobs by the number of servers that they request."""
    return bool((column(runs, "grouping") == BY_SERVERS).any())


def grows(runs: pd.DataFrame) -> bool | None:
    """Return whether the jobs with the most servers wait longer than those with the fewest.

    The answer is None if the runs do not decide it, or if fewer than two groups have jobs.
    """
    groups = groups_of(pick(runs, grouping=BY_SERVERS).sort_values("up_to"), ["up_to"])
    waits = [sums_of_groups(rows, "wait_h") for _, rows in groups]
    with_jobs = [sums for sums in waits if sums.denominators.any()]
    if len(with_jobs) < 2:
        return None
    narrowest, *_, widest = with_jobs
    return over_weeks(runs).difference(widest, narrowest).above(0)


# --- Table 2: the number of attempts per request; section 5: the step between attempts ---


@study.add_claim(
    "OB-7",
    "mean attempts of a KTH-SP2 request, for 51 to 100 servers divided by up to 50",
    ALL_READINGS,
)
def attempts_grow(runs: pd.DataFrame) -> Decision:
    """Judge the claim that requests for more servers need more attempts (Table 2).

    The paper says that it grows 'as n increases'.

    The printed numbers of attempts have rows of their own in the ledger.
    """
    parts: dict[str, Part] = {}
    elsewhere: dict[str, bool | None] = {}
    growth = None
    for at, its_runs in groups_of(replays(runs), READING):
        tried = [*attempts_of_groups(its_runs).values()]
        if len(tried) < 2:
            continue
        into = parts if is_as_read(at) and at["policy"] == LEAST else elsewhere
        name = f"attempts grow with the servers ({name_of(at)}, {at['policy']})"
        into[name] = bool((np.diff(tried) > 0).all())
        if into is parts and at["log"] == KTH:
            growth = tried[1] / tried[0]
    if not parts:
        raise NotRunError(
            "no run with the servers of our reading has attempts for two groups of servers"
        )
    *_, widest = TABLE2[CTC].values()
    step = Online().step / HOUR
    clauses = [
        f"the printed values of CTC disagree: {widest:g} attempts take "
        f"{(widest - 1) * step:.1f} h, but the longest printed wait is "
        f"{LONGEST[CTC, LEAST]:g} h",
        "the means have no interval, and the means of KTH were used to choose its number of "
        "servers",
    ]
    return Decision(growth, parts, "; ".join(clauses), elsewhere)


@study.add_claim(
    "OB-14", "mean attempts of a request for up to 50 servers, KTH-SP2 divided by CTC-SP2", BOTH
)
def kth_tries_more(runs: pd.DataFrame) -> Decision:
    """Judge the claim that KTH jobs need more attempts than CTC jobs (Table 2).

    The paper says: 'a larger number of scheduling attempts for the KTH workload'.
    """
    above, up_to = next(iter(TABLE2[KTH]))
    booked = pick(runs, policy=LEAST, grouping=BY_FIFTY, above=float(above), up_to=float(up_to))
    found = {}
    for machine, its_rows in groups_of(pick(booked, log=(KTH, CTC)), MACHINE):
        found[name_of(machine)] = machine, float(its_rows["mean_attempts"].iloc[0])
    read = {machine["log"]: tried for machine, tried in found.values() if is_as_read(machine)}
    if {*read} != {KTH, CTC}:
        raise NotRunError(f"the claim needs the attempts of {KTH} and {CTC} on the paper's servers")
    elsewhere: dict[str, bool | None] = {
        f"more attempts than {name}": bool(read[KTH] > tried)
        for name, (machine, tried) in found.items()
        if machine["log"] == CTC and not is_as_read(machine)
    }
    parts = {
        f"more attempts than {CTC}, {READ_SERVERS[CTC]}, {READ_JOBS[CTC]}": read[KTH] > read[CTC]
    }
    return Decision(read[KTH] / read[CTC], parts, "", elsewhere)


@study.add_claim(
    "OB-13",
    "mean wait with steps of 5 minutes divided by that with 15 minutes, KTH-SP2",
    PaperSetting({**PAPER.varied, "length": EXACT}, PLAIN, (KTH,), SERVERS_OF_KTH),
)
def no_gain_from_a_smaller_step(runs: pd.DataFrame) -> Decision:
    """Judge the claim that steps under 15 minutes between attempts bring no major gain (section 5).

    The paper says: 'no major gain was found for smaller values' of the step.
    """
    changed, base = (
        sums_of(pick(runs, policy=policy), "wait_h") for policy in (SMALLER_STEP, ONLINE)
    )
    ratio = over_weeks(runs).ratio(changed, base)
    return Decision(ratio, {"no major gain": Asked(MAJOR, lambda gain: ratio.above(1 - gain))})
