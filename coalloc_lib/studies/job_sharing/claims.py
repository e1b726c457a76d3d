"""What the paper says of job sharing and multi-site execution, judged."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from coalloc_lib.experiments import (
    NotRunError,
    least,
    mean_crossing,
    most,
    pick,
    ratio,
    sample,
)
from coalloc_lib.intervals import Interval, Sample, not_
from coalloc_lib.studies.job_sharing.figures import break_even_of_draws, spanning_over_sharing
from coalloc_lib.studies.job_sharing.model import (
    BEST_FIT,
    CONFIGURATIONS,
    EQUAL,
    EXTRACTS,
    IN_TURN,
    LEFT_OUT,
    LOCAL,
    LOG,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    PENALTIES,
    PLACEMENTS,
    PRINTED_DAYS,
    PRINTED_PENALTY,
    SHARING,
    SINGLE,
    STANDARD,
    SYNTHETIC,
    UNCHANGED,
)
from coalloc_lib.studies.job_sharing.runs import ALL_USERS, study
from coalloc_lib.studies.ledger import Decision, Judgement, Row, judge_number
from coalloc_lib.studies.study import PaperSetting, without

#: The setting that the paper's sentences are about. Where the runs have other values of what is
#: varied, they are asked too.
PAPER = PaperSetting(
    varied={
        "workload": SYNTHETIC,
        "configuration": STANDARD,
        "policy": "EASY",
        "load": None,
        "weight": "work",
    },
    fixed={
        "wide": OF_LARGEST,
        "placement": BEST_FIT,
        "assignment": IN_TURN,
        "growth": 0.0,
        "users": ALL_USERS,
    },
)
#: 'More than half' off; relative difference of AWRTs that counts as near, and as a little.
HALF, NEAR = 0.5, 0.05
#: How far from the printed penalty 'about' goes: two of the paper's steps.
ABOUT = 0.1
#: What counts as a sufficient backlog: some job waits more than half of the time.
SUFFICIENT = 0.5
#: Pairs of configurations: equal machines, and others.
EQUAL_OR_NOT = tuple(product(EQUAL, ("m64", "m384")))

FREE, PAID = {"penalty": 0.0}, {"penalty": PRINTED_PENALTY}


@study.add_claim(
    "JS-1",
    "AWRT of job sharing over that of local execution, m128, synthetic",
    PAPER.with_(wide=OF_SITE),
)
def sharing_halves_the_response(runs: pd.DataFrame) -> Decision:
    """Judge 'an improvement of over 50%' (Figure 4)."""
    found = ratio(runs, "awrt", {"way": SHARING}, {"way": LOCAL}).interval
    return Decision(found, {"more than half": found.below(HALF)}, "by work")


@study.add_claim(
    "JS-2",
    "AWRT of multi-site without penalty over that of one machine of 512",
    PAPER,
)
def free_spanning_is_near_one_machine(runs: pd.DataFrame) -> Decision:
    """Judge 'without overhead for multi-site is near the m512 result' (Figure 4)."""
    found = ratio(runs, "awrt", {"way": MULTI_SITE, **FREE}, {"way": SINGLE}).interval
    note = "exactly 1 by construction; the paper's 'near' points to another algorithm"
    return Decision(found, {"near": found.between(1 - NEAR, 1 + NEAR)}, note)


@study.add_claim("JS-3", "penalty at break-even on m128, synthetic, mean of the draws", PAPER)
def spanning_pays_up_to_a_quarter(runs: pd.DataFrame) -> Decision:
    """Judge 'even for an overhead on execution time of about 25%' (Figure 4)."""
    low, high = PRINTED_PENALTY - ABOUT, PRINTED_PENALTY + ABOUT
    line = spanning_over_sharing(runs)
    if not line or max(line) < high:
        raise NotRunError(f"no run of spanning at a penalty of {high:g} or more")
    found = mean_crossing(line, level=1.0).interval
    note = f"about: {low:.0%} to {high:.0%}; by work"
    return Decision(found, {"about a quarter": found.between(low, high)}, note)


@study.add_numbers
def printed_break_even(runs: pd.DataFrame) -> Iterator[Row]:
    """Judge the printed 25 %: the paper has one synthetic workload, and so one draw."""
    draws = break_even_of_draws(pick(runs, **PAPER.values))
    mean = draws.mean
    judged = Judgement("undecided", bound_note(mean))
    if not judged.note:
        judged = judge_number(PRINTED_PENALTY, mean, 2, one_run=draws.prediction)
    item, quantity = "Figure 4 m128 synthetic", "penalty at break-even"
    yield Row.of(study.name, item, quantity, PRINTED_PENALTY, mean, judged)


def bound_note(found: Interval) -> str:
    """Return a note where a mean of penalties, or a difference, is known from one side alone."""
    if np.isfinite(found.half_width):
        return ""
    return "a bound: some draws break even beyond the penalties that were tried"


@study.add_claim(
    "JS-4",
    "penalty at break-even of m64 less that of m128, synthetic",
    PAPER.without("configuration"),
)
def equal_machines_sustain_more(runs: pd.DataFrame) -> Decision:
    """Judge 'equal sized machines show better results', 'the overhead can be even larger'."""
    of = {name: pick(runs, configuration=name) for name in CONFIGURATIONS}
    parts = {}
    for equal, other in EQUAL_OR_NOT:
        pair = f"{equal} than {other}"
        parts[f"better at {PRINTED_PENALTY:.0%}, {pair}"] = is_better(of[equal], of[other])
        gain = break_even_of_draws(of[equal]).less(break_even_of_draws(of[other]))
        parts[f"larger penalty, {pair}"] = gain.above(0)
    deciding = break_even_of_draws(of["m64"]).less(break_even_of_draws(of[STANDARD]))
    return Decision(deciding, parts, bound_note(deciding))


def is_better(one: pd.DataFrame, other: pd.DataFrame) -> bool | None:
    """Whether spanning at the printed penalty comes nearer to one machine on one configuration."""
    pair = {"way": MULTI_SITE, **PAID}, {"way": SINGLE, **FREE}
    over_m512 = ratio(one, "awrt", *pair) / ratio(other, "awrt", *pair)
    return Sample(1 - over_m512.values).interval.above(0)


@study.add_claim(
    "JS-5",
    "penalty at break-even of the synthetic less that of the extracts, m128 or m256",
    PAPER.without("workload", "configuration"),
)
def extracts_sustain_no_less(runs: pd.DataFrame) -> Decision:
    """Judge 'the workload as shown in Figure 4' has 'the least effective improvements' (4.3)."""
    if pick(runs, workload=EXTRACTS).empty:
        return Decision(None, {}, lost=f"it is of the log; coalloc traces fetch {LOG}")
    less = {}
    for name in CONFIGURATIONS:
        here = pick(runs, configuration=name)
        synthetic, extracts = (
            break_even_of_draws(pick(here, workload=each)) for each in (SYNTHETIC, EXTRACTS)
        )
        less[name] = synthetic.less(extracts, in_pairs=False)
    answers = {name: not_(found.above(0)) for name, found in less.items()}
    decides = most(less[name] for name in EQUAL)
    own = {name: answers[name] for name in EQUAL}
    return Decision(decides, own, bound_note(decides), without(answers, *EQUAL))


@study.add_claim(
    "JS-6",
    "AWRT with wide jobs whole over that with them in pieces, the largest up to p = 25 %",
    PAPER.without("wide"),
)
def whole_wide_jobs_cost_little(runs: pd.DataFrame) -> Decision:
    """Judge '... wide jobs does not increase the average weighted response time significantly'."""
    spanning = pick(runs, way=MULTI_SITE, penalty=PENALTIES)
    penalties = np.intersect1d(
        *(pick(spanning, wide=each)["penalty"] for each in (UNCHANGED, OF_LARGEST))
    ).tolist()
    costs = {
        penalty: ratio(
            pick(runs, way=MULTI_SITE, penalty=penalty),
            *("awrt", {"wide": UNCHANGED}, {"wide": OF_LARGEST}),
        ).interval
        for penalty in penalties
    }
    if not costs:
        raise NotRunError("no run of spanning has wide jobs whole")
    answers = {f"p = {p:.0%}": found.below(1 + NEAR) for p, found in costs.items()}
    beyond = [f"p = {p:.0%}" for p in costs if p > PRINTED_PENALTY]
    decides = most(found for p, found in costs.items() if p <= PRINTED_PENALTY)
    elsewhere = {name: answers[name] for name in beyond}
    note = f"a little: by less than {NEAR:.0%}"
    return Decision(decides, without(answers, *beyond), note, elsewhere)


@study.add_claim(
    "JS-7",
    "AWRT of conservative backfilling over that of EASY, m128, sharing or spanning",
    PAPER.without("policy"),
)
def easy_beats_conservative(runs: pd.DataFrame) -> Decision:
    """Judge that EASY 'proved to be more effective' than conservative backfilling (3.1)."""
    pair = {"policy": "conservative"}, {"policy": "EASY"}
    found = {
        way: ratio(pick(runs, way=way, **FREE), "awrt", *pair).interval
        for way in (SHARING, MULTI_SITE)
    }
    return Decision(least(found.values()), {way: x.above(1) for way, x in found.items()})


@study.add_claim(
    "JS-8",
    "AWRT of other choices of machines over that of best fit, m128, the smallest",
    PAPER.without("placement"),
)
def best_fit_is_good(runs: pd.DataFrame) -> Decision:
    """Judge 'good results for a selection strategy called BestFit' (section 3.2)."""
    sharing, best = pick(runs, way=SHARING), {"placement": BEST_FIT}
    found = {
        rule: ratio(sharing, "awrt", {"placement": rule}, best).interval
        for rule in without(PLACEMENTS, BEST_FIT)
    }
    note = f"good: no other is better by {NEAR:.0%} or more; the paper has it from an earlier one"
    parts = {rule: over_best.above(1 - NEAR) for rule, over_best in found.items()}
    return Decision(least(found.values()), parts, note)


@study.add_claim(
    "JS-9",
    "share of the time in which some job waits, the least configuration",
    PAPER.without("workload", "configuration").fixing("policy", "load", "weight"),
)
def backlog_is_sufficient(runs: pd.DataFrame) -> Decision:
    """Judge 'enough workload to keep a sufficient backlog on all systems' (section 4.2)."""
    sharing = pick(runs, way=SHARING)
    log_is_here = EXTRACTS in set(sharing["workload"])
    own, other = (EXTRACTS, SYNTHETIC) if log_is_here else (SYNTHETIC, EXTRACTS)
    waiting = {}
    for workload, name in product((own, other) if log_is_here else (own,), CONFIGURATIONS):
        where = {"workload": workload, "configuration": name}
        waiting[f"{name}, {workload}"] = sample(sharing, "share_waiting", **where).interval
    answers = {name: share.above(SUFFICIENT) for name, share in waiting.items()}
    others = [name for name in answers if not name.endswith(own)]
    decides = least(waiting[name] for name in without(answers, *others))
    note = f"sufficient: in more than {SUFFICIENT:.0%} of the time; under job sharing"
    elsewhere = {name: answers[name] for name in others}
    return Decision(decides, without(answers, *others), note, elsewhere)


@study.add_claim(
    "JS-10",
    "days from the first to the last submission, the longest workload",
    PAPER.without("workload").fixing("configuration", "policy", "load", "weight"),
)
def workloads_span_three_months(runs: pd.DataFrame) -> Decision:
    """Judge 'corresponds in real time to a period of more than three months' (section 4.2)."""
    sharing = pick(runs, way=SHARING)
    days = {
        workload: sample(sharing, "days", workload=workload).interval
        for workload in sharing["workload"].unique()
    }
    return Decision(most(days.values()), {name: x.above(PRINTED_DAYS) for name, x in days.items()})


@study.add_claim(
    "JS-11",
    "AWRT over that of one machine of 512, the smallest",
    PAPER.without("configuration"),
)
def one_machine_is_the_bound(runs: pd.DataFrame) -> Decision:
    """Judge 'the result of this m512 configuration gives the lower bound' (Figure 4)."""
    found = {}
    for name in CONFIGURATIONS:
        here = pick(runs, configuration=name)
        for way, penalty in ((SHARING, FREE), (MULTI_SITE, PAID)):
            pair = {"way": way, **penalty}, {"way": SINGLE, **FREE}
            found[f"{way}, {name}"] = ratio(here, "awrt", *pair).interval
    note = f"of sharing, and of spanning at {PRINTED_PENALTY:.0%}"
    return Decision(least(found.values()), {name: x.above(1) for name, x in found.items()}, note)


@study.add_claim(
    "JS-12",
    "local AWRT with wide jobs in pieces over that without them, m128",
    PAPER.without("wide"),
)
def pieces_cost_local_execution(runs: pd.DataFrame) -> Decision:
    """Judge 'a significant increase of the AWRT' if wide jobs are in pieces (4.3)."""
    local = pick(runs, way=LOCAL)
    found = ratio(local, "awrt", {"wide": OF_SITE}, {"wide": LEFT_OUT}).interval
    note = f"significant: by more than {NEAR:.0%}"
    return Decision(found, {"significantly": found.above(1 + NEAR)}, note)
