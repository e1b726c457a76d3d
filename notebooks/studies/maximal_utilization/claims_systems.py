"""Test the paper's claims of sections 7.2 to 7.4 (placement, logs, co-allocation), and our own."""

import pandas as pd

from coalloc_lib.statistics import difference, pick, sample
from studies.claim import PaperSetting
from studies.extremes import furthest, least
from studies.ledger import Decision, not_on_stand_in
from studies.log_files import logs_missing_in
from studies.maximal_utilization.claims import PAPER
from studies.maximal_utilization.figures import (
    VERY_LARGE,
)
from studies.maximal_utilization.model import (
    CTC,
    DAS1,
    FIRST,
    FIVE,
    LOG,
    ORDERED,
    TOTAL,
    UNORDERED,
    WHOLE,
    WITH_AND_WITHOUT,
    WORST,
)
from studies.maximal_utilization.runs import (
    OF_LOG,
    study,
)
from studies.maximal_utilization.tables import VALUE

# --- Section 7.2 ---


@study.add_claim(
    "MU-10",
    "loss with first fit minus loss with worst fit, the one furthest from 0 over the sizes",
    PAPER.without("placement"),
)
def placement_changes_little(runs: pd.DataFrame) -> Decision:
    """Judge the claim that first fit and worst fit have similar capacity losses (Figure 6).

    The paper says: 'the difference in performance is not very large'.
    """
    pair = {"placement": FIRST}, {"placement": WORST}
    parts, changes = {}, []
    for sizes in FIVE:
        change = difference(pick(runs, sizes=sizes), VALUE, *pair).interval
        parts[f"{sizes}: {100 * change.estimate:+.1f} points"] = VERY_LARGE.within(change)
        changes.append(change)
    note = (
        "the paper of 2002 calls worst fit 'much better', and may mean the same difference (CC-7)"
    )
    return Decision(furthest(changes), parts, note)


# --- Section 7.3 ---


@study.add_claim(
    "MU-11",
    "loss with the jobs of DAS1 minus loss with the jobs of CTC, total requests",
    PaperSetting(fixed={"kind": OF_LOG}),
)
def two_logs_lose_alike(runs: pd.DataFrame) -> Decision:
    """Report why the claim that two logs have similar losses cannot be tested (Figure 7).

    The paper says: 'the capacity losses for the two logs are similar'.

    The log of DAS1 is not public, and a claim of a paper is not judged if a stand-in replaces its
    log. The note gives the difference that we measured with the stand-in.
    """
    if LOG in logs_missing_in(runs):
        return Decision(None, {}, lost=not_on_stand_in(LOG).note)
    differences = []
    for request in (TOTAL, UNORDERED):
        here = pick(runs, request=request)
        das1 = sample(here, VALUE, log=DAS1)
        for ctc in CTC:
            more = das1.less_unpaired(sample(here, VALUE, log=ctc))
            differences.append(f"{request} requests, {ctc}: {100 * more.estimate:+.0f} points")
    lost = (
        "the log of DAS1 is not public; with a synthetic log that has its published moments, "
        "the difference to CTC is"
    )
    return Decision(None, {}, lost=f"{lost}: {'; '.join(differences)}")


# --- Section 7.4 ---


@study.add_claim(
    "MU-12",
    "loss of jobs with one component minus loss of jobs with four components of the same total",
    PAPER.without("request"),
)
def co_allocation_helps(runs: pd.DataFrame) -> Decision:
    """Judge the claim that jobs lose less capacity if they span several clusters (Figure 8).

    The paper says: 'spreading requests over multiple clusters brings better performance'.
    """
    here = pick(runs, sizes=WITH_AND_WITHOUT)
    change = difference(here, VALUE, {"request": WHOLE}, {"request": UNORDERED}).interval
    return Decision(change, {"one component loses more": change.above(0)})


# --- Our own ---


@study.add_claim(
    "HO-1",
    "capacity gained by FPFS(50) over FCFS with one request type minus that with the next "
    "freer type, "
    "the smaller of two",
    PAPER.without("request", "policy"),
)
def a_hole_is_filled_once(runs: pd.DataFrame) -> Decision:
    """Judge our own claim that overtaking gains less capacity if requests are less restrictive."""
    here = pick(runs, sizes=FIVE[0])
    pair = {"policy": "FCFS"}, {"policy": "FPFS(50)"}
    gains = {
        request: difference(pick(here, request=request), VALUE, *pair)
        for request in (ORDERED, UNORDERED, TOTAL)
    }
    first = (gains[ORDERED] - gains[UNORDERED]).interval
    second = (gains[UNORDERED] - gains[TOTAL]).interval
    parts = {"gains more with ordered than with unordered requests": first.above(0)}
    parts["gains more with unordered than with total requests"] = second.above(0)
    return Decision(least([first, second]), parts)
