"""Judgements of the paper's claims on machines, workloads, wide jobs and policies."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from coalloc_lib.statistics import (
    Interval,
    NotRunError,
    Replications,
    mean_crossing,
    pick,
    ratio,
    ratios_along,
    sample,
)
from studies.claim import without
from studies.extremes import least, most
from studies.job_sharing.claims import (
    EQUAL_OR_NOT,
    FREE,
    GOOD,
    MIXED,
    PAID,
    PAPER,
    SIGNIFICANTLY,
    SUFFICIENT,
    bound_note,
    over_free_spanning,
    over_one_machine,
)
from studies.job_sharing.figures import break_even_of_samples
from studies.job_sharing.model import (
    BEST_FIT,
    CONFIGURATIONS,
    EQUAL,
    EXTRACTS,
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
    STANDARD,
    SYNTHETIC,
    UNCHANGED,
)
from studies.job_sharing.runs import ALL_USERS, NOT_WIDE, study
from studies.ledger import Decision
from studies.logic import all_of, not_


@study.add_claim(
    "JS-4",
    "break-even penalty on m64 minus that on m128, synthetic workload",
    PAPER.without("configuration", "wide"),
)
def equal_machines_sustain_more(runs: pd.DataFrame) -> Decision:
    """Judge the claim that spanning machines saves more if all machines have the same size.

    The paper says: 'equal sized machines show better results', 'the overhead can be even larger'.
    """
    of = {name: pick(runs, configuration=name) for name in CONFIGURATIONS}
    pieces = {name: pick(of[name], wide=OF_LARGEST) for name in CONFIGURATIONS}
    parts = {}
    for equal, other in EQUAL_OR_NOT:
        pair = f"{equal} against {other}"
        parts[f"smaller AWRT at {PRINTED_PENALTY:.0%}: {pair}"] = is_better(of[equal], of[other])
        gain = break_even_of_samples(pieces[equal]).less(break_even_of_samples(pieces[other]))
        parts[f"larger break-even penalty: {pair}"] = gain.above(0)
    deciding = break_even_of_samples(pieces["m64"]).less(break_even_of_samples(pieces[STANDARD]))
    return Decision(deciding, parts, bound_note(deciding))


def is_better(one: pd.DataFrame, other: pd.DataFrame) -> bool | None:
    """Return whether spanning is closer to one large machine in the runs `one` than in `other`.

    Jobs that span pay the printed penalty. The answer is None if the runs do not decide it.
    """
    over_m512 = over_one_machine(one, MULTI_SITE, PAID) / over_one_machine(other, MULTI_SITE, PAID)
    return Replications(1 - over_m512.values).interval.above(0)


@study.add_claim(
    "JS-5",
    "break-even penalty of a sample of the synthetic workload minus that of the extracts, "
    "the larger of m128 and m256",
    replace(PAPER.without("workload", "configuration"), logs=(LOG,)),
)
def extracts_sustain_no_less(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the synthetic workload has the lowest break-even penalty (section 4.3).

    The paper says that 'the workload as shown in Figure 4' has 'the least effective improvements'.
    """
    less = {}
    for name in CONFIGURATIONS:
        here = pick(runs, configuration=name)
        synthetic = break_even_of_samples(pick(here, workload=SYNTHETIC))
        extracts = break_even_of_samples(pick(here, workload=EXTRACTS))
        less[name] = one_sample_less(synthetic.prediction, extracts.mean)
    answers = {name: not_(found.above(0)) for name, found in less.items()}
    decides = most(less[name] for name in EQUAL)
    own = {name: answers[name] for name in EQUAL}
    note = bound_note(decides) or ONE_SAMPLE
    return Decision(decides, own, note, without(answers, *EQUAL))


#: A note on comparisons with the synthetic workload of the paper, which is a single sample.
ONE_SAMPLE = (
    "the interval is for a single sample of the synthetic workload, because the paper has only one"
)


def one_sample_less(draw: Interval, mean: Interval) -> Interval:
    """Subtract a mean from one sampled value, and return the difference with its interval.

    Both vary independently, so the distances to the ends of the two intervals are added as the
    square root of the sum of their squares.
    """
    apart = draw.estimate - mean.estimate
    below = float(np.hypot(draw.estimate - draw.low, mean.high - mean.estimate))
    above = float(np.hypot(draw.high - draw.estimate, mean.estimate - mean.low))
    doubt = draw.warning or mean.warning
    return Interval(apart, apart - below, apart + above, draw.count, warning=doubt)


@study.add_claim(
    "JS-13",
    "AWRT ratio of spanning to sharing on m128: one synthetic sample minus the extracts, "
    "the smaller of two penalties",
    replace(PAPER.without("workload"), logs=(LOG,)),
)
def synthetic_improves_least(runs: pd.DataFrame) -> Decision:
    """Judge the claim that spanning shortens responses least on the synthetic workload (4.3).

    The paper says that it 'produces the least effective improvements'.
    """
    less = {}
    for name, penalty in (("penalty 0", FREE), (f"penalty {PRINTED_PENALTY:.0%}", PAID)):
        pair = {"way": MULTI_SITE, **penalty}, {"way": SHARING, **FREE}
        synthetic = ratio(pick(runs, workload=SYNTHETIC), "awrt", *pair)
        extracts = ratio(pick(runs, workload=EXTRACTS), "awrt", *pair)
        less[name] = one_sample_less(synthetic.prediction, extracts.interval)
    parts = {
        f"the synthetic workload saves less at {name}": found.above(0)
        for name, found in less.items()
    }
    return Decision(least(less.values()), parts, ONE_SAMPLE)


@study.add_claim(
    "JS-6",
    "AWRT of spanning with whole wide jobs divided by that with divided wide jobs, the "
    "largest up to a penalty of 25 %",
    PAPER.without("wide"),
)
def whole_wide_jobs_cost_little(runs: pd.DataFrame) -> Decision:
    """Judge the claim that undivided wide jobs hardly lengthen response times (section 4.3).

    The paper says: '... wide jobs does not increase the average weighted response time
    significantly'.
    """
    spanning = pick(runs, way=MULTI_SITE, penalty=PENALTIES)
    whole, divided = pick(spanning, wide=UNCHANGED), pick(spanning, wide=OF_LARGEST)
    costs = {}
    for penalty in np.intersect1d(whole["penalty"], divided["penalty"]).tolist():
        both = pick(spanning, penalty=penalty)
        costs[penalty] = ratio(both, "awrt", {"wide": UNCHANGED}, {"wide": OF_LARGEST}).interval
    if not costs:
        raise NotRunError("no run of spanning leaves wide jobs whole")
    answers = {
        f"penalty {p:.0%}": SIGNIFICANTLY.below(found.plus(-1)) for p, found in costs.items()
    }
    beyond = [f"penalty {p:.0%}" for p in costs if p > PRINTED_PENALTY]
    decides = most(found for p, found in costs.items() if p <= PRINTED_PENALTY)
    elsewhere = {name: answers[name] for name in beyond}
    return Decision(decides, without(answers, *beyond), elsewhere=elsewhere)


@study.add_claim(
    "JS-14",
    "break-even penalty of spanning with whole wide jobs, compared with sharing with "
    "divided ones, on m128",
    PAPER.without("wide"),
)
def whole_wide_jobs_still_gain(runs: pd.DataFrame) -> Decision:
    """Judge the claim that spanning beats sharing even if wide jobs are not cut (section 4.3).

    The paper says: 'the improvement over job-sharing is valid even as these wider jobs [...]'.

    The sentence does not say for which penalties. If spanning beats sharing without a penalty, and
    not at every penalty up to 25 %, as JS-6 reads the same figure, the claim is undecided.
    """
    line = ratios_along(
        runs,
        "awrt",
        "penalty",
        one={"way": MULTI_SITE, "wide": UNCHANGED},
        other={"way": SHARING, "wide": OF_LARGEST, **FREE},
    )
    if len(line) < 2:
        raise NotRunError("the claim needs runs of spanning with whole wide jobs at two penalties")
    gains = {p: x.interval.below(1) for p, x in line.items() if p <= PRINTED_PENALTY}
    free, *paid = gains.values()
    every = all_of(free, *paid)
    highest = line[max(gains)].interval
    note = (
        f"the penalty decides: without a penalty the claim {SAYS[free]}, and for all penalties "
        f"up to {max(gains):.0%} it {SAYS[every]} (ratio of {highest.estimate:.3f} "
        f"[{highest.low:.3f}, {highest.high:.3f}] at {max(gains):.0%})"
    )
    parts = {"spanning gains at penalties up to 25%": free if free == every else None}
    return Decision(mean_crossing(line, level=1.0).interval, parts, note)


#: The words with which a note reports each possible answer to a claim.
SAYS = {True: "holds", False: "does not hold", None: "is undecided"}


@study.add_claim(
    "JS-7",
    "AWRT of conservative backfilling divided by that of EASY on m128, the smallest over "
    "local execution, sharing and spanning",
    PAPER.without("policy", "wide"),
)
def easy_beats_conservative(runs: pd.DataFrame) -> Decision:
    """Judge the claim that EASY is more effective than conservative backfilling (section 3.1).

    The paper says that EASY 'proved to be more effective'.

    The paper says this about local processing and 'our simulations', so every way to run jobs is
    tested.
    """
    pair = {"policy": "conservative"}, {"policy": "EASY"}
    found = {}
    for way in (LOCAL, SHARING, MULTI_SITE):
        wide = OF_SITE if way == LOCAL else OF_LARGEST
        found[way] = ratio(pick(runs, way=way, wide=wide, **FREE), "awrt", *pair).interval
    return Decision(least(found.values()), {way: x.above(1) for way, x in found.items()})


@study.add_claim(
    "JS-8",
    "AWRT with another rule for choosing a machine divided by that with best fit on m128, "
    "the smallest",
    PAPER.without("placement"),
)
def best_fit_is_good(runs: pd.DataFrame) -> Decision:
    """Judge the claim that best fit is a good rule for choosing a machine (section 3.2).

    The paper says: 'good results for a selection strategy called BestFit'.
    """
    sharing, best = pick(runs, way=SHARING), {"placement": BEST_FIT}
    found = {
        rule: ratio(sharing, "awrt", {"placement": rule}, best).interval
        for rule in without(PLACEMENTS, BEST_FIT)
    }
    note = (
        "'good' means that no other rule is better by the cut-off; the paper quotes an earlier "
        "paper"
    )
    parts = {rule: GOOD.below(over_best.complement()) for rule, over_best in found.items()}
    return Decision(least(found.values()), parts, note)


@study.add_claim(
    "JS-9",
    "share of the time in which some job waits, the smallest over the configurations",
    PAPER.without("workload", "configuration").fixing("policy", "load", "weight"),
)
def backlog_is_sufficient(runs: pd.DataFrame) -> Decision:
    """Judge the claim that jobs are waiting most of the time on all machines (section 4.2).

    The paper says: 'enough workload to keep a sufficient backlog on all systems'.
    """
    sharing = pick(runs, way=SHARING)
    log_is_here = EXTRACTS in set(sharing["workload"])
    own, other = (EXTRACTS, SYNTHETIC) if log_is_here else (SYNTHETIC, EXTRACTS)
    waiting = {}
    for workload, name in product((own, other) if log_is_here else (own,), CONFIGURATIONS):
        where = {"workload": workload, "configuration": name}
        waiting[f"{name}, {workload}"] = sample(sharing, "share_waiting", **where).interval
    answers = {name: SUFFICIENT.above(share) for name, share in waiting.items()}
    others = [name for name in answers if not name.endswith(own)]
    decides = least(waiting[name] for name in without(answers, *others))
    elsewhere = {name: answers[name] for name in others}
    note = "measured under job sharing"
    return Decision(decides, without(answers, *others), note, elsewhere)


@study.add_claim(
    "JS-10",
    "days from the first to the last submission, the longest workload",
    PAPER.without("workload").fixing("configuration", "policy", "load", "weight"),
)
def workloads_span_three_months(runs: pd.DataFrame) -> Decision:
    """Judge the claim that workloads of 10,000 jobs span more than three months (section 4.2).

    The paper says: 'corresponds in real time to a period of more than three months'.
    """
    sharing = pick(runs, way=SHARING)
    days = {
        workload: sample(sharing, "days", workload=workload).interval
        for workload in sharing["workload"].unique()
    }
    return Decision(most(days.values()), {name: x.above(PRINTED_DAYS) for name, x in days.items()})


@study.add_claim(
    "JS-11",
    "AWRT divided by that of one machine of 512 with the same jobs, the smallest",
    PAPER.without("configuration", "wide"),
)
def one_machine_is_the_bound(runs: pd.DataFrame) -> Decision:
    """Judge the claim that no set of smaller machines beats one large machine (Figure 4).

    The paper says: 'the result of this m512 configuration gives the lower bound'.

    Both lists of jobs are tested: pieces of at most the largest machine, and whole jobs, which only
    m128 was run with. One machine starts pieces when free spanning does, so free spanning of the
    same pieces stands for it.
    """
    paid = f"spanning at {PRINTED_PENALTY:.0%}"
    found, mixed = {}, {}
    for name in CONFIGURATIONS:
        here = pick(runs, configuration=name)
        for words, (way, penalty) in {"sharing": (SHARING, FREE), paid: (MULTI_SITE, PAID)}.items():
            pieces = over_free_spanning(here, way, penalty)
            found[f"{words}, subjobs, {name}"] = pieces.interval
        free = over_one_machine(here, MULTI_SITE, FREE).interval
        mixed[f"free spanning of subjobs compared with whole jobs, {name}"] = not_(free.below(1))
    here = pick(runs, configuration=STANDARD)
    for words, penalty in {"free spanning": FREE, paid: PAID}.items():
        whole = over_one_machine(here, MULTI_SITE, penalty, UNCHANGED)
        found[f"{words}, whole jobs, {STANDARD}"] = whole.interval
    # The claim that no response time is shorter than that of one large machine also holds if the
    # two are equal. It fails only if the confidence interval of a ratio lies entirely below 1.
    parts = {name: not_(x.below(1)) for name, x in found.items()}
    return Decision(least(found.values()), parts, MIXED, mixed)


@study.add_claim(
    "JS-12",
    "local AWRT of all jobs and subjobs divided by that of jobs that were not divided, on m128",
    PAPER.with_(wide=OF_SITE).without("users"),
)
def pieces_cost_local_execution(runs: pd.DataFrame) -> Decision:
    """Judge the claim that subjobs increase the weighted response time of local execution.

    The paper says in section 4.3: 'a significant increase of the AWRT due to the applied weight on
    each job-part'.

    Both values come from the same schedules, in which wide jobs run as subjobs. Only one of the two
    means includes these subjobs.
    """
    local = pick(runs, way=LOCAL)
    found = ratio(local, "awrt", {"users": ALL_USERS}, {"users": NOT_WIDE}).interval
    return Decision(found, {"significantly larger": SIGNIFICANTLY.above(found.plus(-1))})
