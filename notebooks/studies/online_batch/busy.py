"""The utilization under each policy if the offered load is larger than the servers can carry."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import Interval, NotRunError, groups_of, interval_columns, pick
from coalloc_lib.statistics.bootstrap import FEWEST_BLOCKS
from studies.claim import EVERYWHERE, PaperSetting
from studies.extremes import most
from studies.ledger import Decision
from studies.log_files import title_of
from studies.online_batch.claims import SERVERS_OF_KTH
from studies.online_batch.figures import LOOK, MACHINE, number
from studies.online_batch.model import EXACT, KTH, LEAST, OWN_BATCH, TOO_MUCH
from studies.online_batch.runs import over_weeks, study
from studies.online_batch.settings import BUSY, OVERLOAD
from studies.results import Caption
from studies.weeks import WeeklySums, weekly_sums

#: The number of weeks that are left out at the start of a schedule, until the queue is long enough
#: to keep the servers busy.
WARM_UP = 4


def used(runs: pd.DataFrame, policy: str) -> WeeklySums:
    """Return the used and the available server-hours of each week under one policy.

    The first weeks are left out, because the servers are idle at the beginning.
    """
    sums = weekly_sums(pick(runs, policy=policy, grouping=BUSY), "used_h", "server_h")
    weeks = len(sums.numerators)
    if weeks - WARM_UP < FEWEST_BLOCKS:
        raise NotRunError(
            f"the jobs are submitted within {weeks} weeks at this load; an interval needs "
            f"{FEWEST_BLOCKS} weeks after the first {WARM_UP}"
        )
    return WeeklySums(sums.numerators[WARM_UP:], sums.denominators[WARM_UP:])


def draw_busy(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the fraction of busy servers under each policy, with a panel for each log."""
    columns: dict[str, Any] = {"row": "lengths", "series": "policy", "panel": "log", "look": LOOK}
    words = [f"{100 * work:.2g} % rejected" if work > 0 else "" for work in table["refused_work"]]
    logs = table["log"] + ", " + table["servers"].map("{:g} servers".format)
    table = table.assign(lengths="lengths " + table["length"], words=words, log=logs)
    xlabel = f"share of the servers that is busy, at an offered load of {TOO_MUCH:g}"
    return plots.intervals(table, x="busy", xlabel=xlabel, words="words", **columns, **titles)


BUSY_CAPTION = Caption(
    f"the offered load is {TOO_MUCH:g}, so the servers cannot do all work; intervals: "
    f"95 %, bootstrap over weeks, from week {WARM_UP + 1} on; texts: share of the work that "
    "is rejected; CTC was run with exact lengths only",
    finding="With exact lengths, booking keeps fewer servers busy than backfilling, and more than "
    "FCFS",
)


@study.add_figure("busy", BUSY_CAPTION, draw_busy, claims=("OB-12", "OB-23"))
def busy(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the fraction of busy servers by log, policy and whether job lengths are exact."""
    rows = []
    for at, its_runs in groups_of(pick(runs, kind=OVERLOAD), [*MACHINE, "length"]):
        for policy in (LEAST, *OWN_BATCH):
            found = pick(its_runs, policy=policy)
            if found.empty:
                continue
            share = over_weeks(runs).mean(used(found, policy)).within(0.0, 1.0)
            row = {"log": title_of(runs, at["log"]), "servers": at["servers"]}
            row |= {"length": at["length"], "policy": policy}
            row |= interval_columns(share, "busy")
            rows.append(row | {"refused_work": number(found, "refused_work")})
    return pd.DataFrame(rows)


@study.add_claim(
    "OB-12",
    f"share of busy servers online minus that under FCFS, KTH-SP2, load {TOO_MUCH:g}",
    PaperSetting(fixed={"kind": OVERLOAD}, logs=(KTH,), reading=SERVERS_OF_KTH),
)
def booking_uses_more(runs: pd.DataFrame) -> Decision:
    """Judge the claim that booking may reach a higher utilization than batch scheduling (abstract).

    The paper says: 'may achieve higher utilization'. The load must be so high that utilizations can
    differ.

    If a log is replayed with its own submission times, every policy does all the offered work. The
    jobs are therefore submitted faster. The paper says that 'batch scheduling techniques typically
    implement [...] FCFS policies', and that most implement 'some sort of backfilling'. One of them
    is enough for 'may'.
    """
    of_kth: dict[str, Interval] = {}
    elsewhere: dict[str, bool | None] = {}
    for at, its_runs in groups_of(runs, [*MACHINE, "length"]):
        online, is_own = used(its_runs, LEAST), (at["log"], at["length"]) == (KTH, EXACT)
        for policy in OWN_BATCH:
            more = over_weeks(runs).difference(online, used(its_runs, policy))
            elsewhere[f"more busy servers than {policy} ({at['log']}, lengths {at['length']})"] = (
                more.above(0)
            )
            if is_own:
                of_kth[policy] = more
    if not of_kth:
        raise NotRunError(f"no run has {KTH} at a load of {TOO_MUCH:g}")
    best = most(of_kth.values())
    easy = of_kth["EASY"]
    clauses = [
        "for 'may', it is enough if online beats one of FCFS, EASY and conservative backfilling",
        f"the difference from EASY is {easy.estimate:.3f} [{easy.low:.3f}, {easy.high:.3f}]",
        "the load is our own choice, and 'better QoS guarantees' is not judged",
    ]
    parts = {"more busy servers than under some batch policy": best.above(0)}
    return Decision(best, parts, "; ".join(clauses), elsewhere)


@study.add_claim(
    "OB-23",
    "share of the servers that is busy under online scheduling, at a typical load",
    EVERYWHERE,
)
def booking_uses_much(runs: pd.DataFrame) -> Decision:
    """Report that a claim about the utilization cannot be tested (section 6).

    The paper says: 'under typical conditions [...] achieves high utilization'.

    A replay of a log does all the offered work, so its utilization is that of the log.
    """
    clauses = [
        "in a replay of a log, every policy does all its work, so all policies have the same "
        "utilization"
    ]
    for at, its_runs in groups_of(pick(runs, kind=OVERLOAD, log=KTH), ["length"]):
        busy = over_weeks(runs).mean(used(its_runs, LEAST)).within(0.0, 1.0)
        clauses.append(
            f"at a load of {TOO_MUCH:g}, {KTH} with lengths {at['length']} keeps "
            f"{busy.estimate:.3f} of its servers busy"
        )
    return Decision(None, {}, lost="; ".join(clauses))
