"""Judgements of the paper's claims on job sharing and multi-site execution."""

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
import pandas as pd

from coalloc_lib.schedules.schedule import WEIGHTS
from coalloc_lib.statistics import (
    Interval,
    NotRunError,
    Replications,
    all_of,
    groups_of,
    least,
    mean_crossing,
    most,
    not_,
    pick,
    ratio,
    ratios_along,
    sample,
)
from studies.cut_offs import Word
from studies.job_sharing.figures import ONE_MACHINE, break_even_of_draws, spanning_over_sharing
from studies.job_sharing.model import (
    BEST_FIT,
    CONFIGURATIONS,
    EQUAL,
    EXTRACTS,
    IN_TURN,
    LOCAL,
    LOG,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    PENALTIES,
    PLACEMENTS,
    PRINTED_DAYS,
    PRINTED_PENALTY,
    PRINTED_WIDEST,
    SHARING,
    STANDARD,
    SYNTHETIC,
    UNCHANGED,
)
from studies.job_sharing.runs import ALL_USERS, NOT_WIDE, study
from studies.joint_reading import JointReading
from studies.ledger import Decision, Judgement, Row, judge_number
from studies.study import EVERYWHERE, PaperSetting, without

#: The setting that the paper's sentences are about. If the runs also have other values of the
#: varied columns, the claims are judged for those values too.
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
        "users": ALL_USERS,
    },
)
#: 'An improvement of over 50%'.
HALF = 0.5
#: What the paper's words are taken to mean. These three are relative differences of AWRTs.
NEAR = Word("near", 0.05, "%", 100)
SIGNIFICANTLY = Word("significantly", 0.05, "%", 100)
GOOD = Word("good", 0.05, "%", 100)
#: The difference between two savings that job sharing gives.
SIMILAR = Word("similar", 0.1, "points", 100)
#: For JS-17: the number of narrow jobs that fill the machine, the run times that jobs may have, and
#: the largest relative change that counts as a rounding error.
NARROW, LENGTHS, SAME_ORDER = 8, (1.0, 3.0, 10.0), 1e-9
#: A difference of penalties: one step between the penalties of the paper.
ABOUT = Word("about", 0.05, "points", 100)
#: The backlog is sufficient if some job waits during more than half of the time. Other readings of
#: the word range from a third to three quarters, because twice one half would be all of the time.
SUFFICIENT = Word("sufficient", 0.5, "% of the time", 100, near=1.5)
#: Pairs of a configuration with equal machines and a configuration with unequal machines.
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
    "JS-15",
    "AWRT of sharing over that of local execution, the largest but for JS-1",
    PAPER.with_(wide=OF_SITE).without("workload", "configuration"),
)
def other_simulations_are_similar(runs: pd.DataFrame) -> Decision:
    """Judge 'Similar results can be found in the other simulations' (section 4.3)."""
    found = {}
    for setting, part in groups_of(runs, ["workload", "configuration"]):
        if {SHARING, LOCAL} <= {*part["way"]}:
            name = f"{setting['configuration']}, {setting['workload']}"
            found[name] = ratio(part, "awrt", {"way": SHARING}, {"way": LOCAL})
    own = found.pop(f"{STANDARD}, {SYNTHETIC}", None)
    if own is None or not found:
        raise NotRunError(
            f"the claim needs runs of {STANDARD} with the synthetic workload, and other runs"
        )
    apart = {name: other.less_unpaired(own) for name, other in found.items()}
    parts = {name: SIMILAR.within(difference) for name, difference in apart.items()}
    saves_least = most(each.interval for each in found.values())
    note = "similar: the saving differs from that of Figure 4 by at most the cut-off"
    return Decision(saves_least, parts, note)


@study.add_claim(
    "JS-20",
    "AWRT of sharing over that of local execution, the largest",
    PAPER.with_(wide=OF_SITE).without("workload", "configuration"),
)
def sharing_improves_everywhere(runs: pd.DataFrame) -> Decision:
    """Judge 'The mentioned improvement of job-sharing can be seen in the results for all [...]'."""
    found = {}
    for setting, part in groups_of(runs, ["workload", "configuration"]):
        if {SHARING, LOCAL} <= {*part["way"]}:
            name = f"{setting['configuration']}, {setting['workload']}"
            found[name] = ratio(part, "awrt", {"way": SHARING}, {"way": LOCAL}).interval
    if not found:
        raise NotRunError("the claim needs runs of job sharing and of local execution")
    parts = {name: each.below(1) for name, each in found.items()}
    return Decision(most(found.values()), parts, "by work")


@study.add_claim(
    "JS-18",
    f"AWRT of spanning at {PRINTED_PENALTY:.0%} over that of sharing, m128, synthetic",
    PAPER.without("weight"),
)
def spanning_pays_at_a_quarter(runs: pd.DataFrame) -> Decision:
    """Judge 'Even an increase of their execution time by 25% [...] benefical' (section 5).

    The prose of the paper weights jobs by work, and its formula weights them by processors. The
    prose decides; the note has both.
    """
    pair = {"way": MULTI_SITE, **PAID}, {"way": SHARING, **FREE}
    found = {
        weight: ratio(pick(runs, weight=weight), "awrt", *pair).interval
        for weight in ("work", *(set(runs["weight"]) - {"work"}))
    }
    by_work = found.pop("work")
    note = "by work, as the prose weights jobs"
    for weight, each in found.items():
        note += f"; by {weight}, as the formula does, {each.estimate:.3f} "
        note += f"[{each.low:.3f}, {each.high:.3f}]"
    elsewhere = {f"by {weight}": each.below(1) for weight, each in found.items()}
    return Decision(by_work, {"sooner than sharing": by_work.below(1)}, note, elsewhere)


@study.add_claim(
    "JS-19",
    "AWRT of spanning without a penalty over that of sharing, m128, synthetic",
    PAPER,
)
def spanning_improves_further(runs: pd.DataFrame) -> Decision:
    """Judge 'multi-site applications leads to even better results' for a limited penalty (5)."""
    found = ratio(runs, "awrt", {"way": MULTI_SITE, **FREE}, {"way": SHARING, **FREE}).interval
    return Decision(found, {"sooner than sharing": found.below(1)}, "by work")


@study.add_claim("JS-16", "what a decision of each policy costs", EVERYWHERE)
def conservative_takes_more_effort(runs: pd.DataFrame) -> Decision:
    """Report that 'conservative backfill requires more computational effort' is not measured."""
    lost = "the runs have schedules, and not how long a program took to make them"
    return Decision(None, {}, lost=lost)


@study.add_claim("JS-17", "largest change of the AWRT by the order of jobs, by work", EVERYWHERE)
def weight_prevents_prioritization(runs: pd.DataFrame) -> Decision:
    """Judge 'the mentioned weight prevents any prioritization of small over wider jobs' (4.3).

    One wide job fills a machine, and so do several narrow jobs side by side. The wide job runs
    either before or after the narrow jobs. If the weight prefers neither, both orders have the same
    AWRT. Weighted by processors, the AWRT prefers short jobs to long ones, and not narrow jobs to
    wide ones.
    """
    by_work = order_matters("work")
    elsewhere = {
        "by processors, any run times": order_matters("processors") < SAME_ORDER,
        "by processors, equal run times": order_matters("processors", equal=True) < SAME_ORDER,
    }
    note = "work is the weight of the prose"
    return Decision(by_work, {"by work": by_work < SAME_ORDER}, note, elsewhere)


def order_matters(weight: str, equal: bool = False) -> float:
    """Return the largest relative change of the AWRT if a wide job runs after narrow jobs.

    The change is relative to the AWRT if the wide job runs first. The run times of the wide job and
    of the narrow jobs take all pairs of `LENGTHS`, or all pairs of equal lengths. No processor is
    idle in either order.
    """
    changes = []
    for wide, narrow in zip(LENGTHS, LENGTHS, strict=True) if equal else product(LENGTHS, LENGTHS):
        times = np.array([wide] + [narrow] * NARROW)
        processors = np.array([NARROW] + [1] * NARROW)
        weights = processors * times if weight == "work" else processors
        wide_first = np.array([wide] + [wide + narrow] * NARROW)
        narrow_first = np.array([narrow + wide] + [narrow] * NARROW)
        means = [np.average(ends, weights=weights) for ends in (wide_first, narrow_first)]
        changes.append(abs(means[1] / means[0] - 1))
    return float(max(changes))


@study.add_claim(
    "JS-21", "how much more whole wide jobs cost if there are more of them", EVERYWHERE
)
def drawback_varies_with_wide_jobs(runs: pd.DataFrame) -> Decision:
    """Report that 'this may vary with the amount of wide jobs in a workload' is not measured."""
    return Decision(None, {}, lost="the runs do not vary the number of wide jobs")


@study.add_claim(
    "JS-2",
    "AWRT of multi-site without penalty over that of one machine of 512, whole jobs on both",
    PAPER.without("wide"),
)
def free_spanning_is_near_one_machine(runs: pd.DataFrame) -> Decision:
    """Judge 'without overhead for multi-site is near the m512 result' (Figure 4).

    The same jobs are compared. If a job may span at no cost, it starts as soon as enough processors
    are idle anywhere, as on one machine. So the ratio is 1 by construction, for whole jobs as for
    pieces of them.
    """
    whole = over_one_machine(runs, MULTI_SITE, FREE, UNCHANGED).interval
    mixed = over_one_machine(runs, MULTI_SITE, FREE, OF_LARGEST).interval
    note = f"1 by construction, for whole jobs as for pieces on both; by work; {MIXED}"
    elsewhere = {"pieces on m128, whole jobs on m512": NEAR.within(mixed, around=1)}
    return Decision(whole, {"near": NEAR.within(whole, around=1)}, note, elsewhere)


#: A note on comparisons of one machine of 512 with several machines.
MIXED = "whole jobs on m512 against pieces on the others are two lists of jobs, and count elsewhere"


def over_one_machine(
    runs: pd.DataFrame, way: str, penalty: Mapping[str, float], wide: str = OF_LARGEST
) -> Replications:
    """Return the ratio of the AWRT of one way to run jobs to the AWRT of a single machine.

    The single machine runs each job whole. In the other way, wide jobs are divided into subjobs of
    the size of the largest machine, unless `wide` has them whole.
    """
    return ratio(runs, "awrt", {"way": way, "wide": wide, **penalty}, ONE_MACHINE)


def over_free_spanning(runs: pd.DataFrame, way: str, penalty: Mapping[str, float]) -> Replications:
    """Return the ratio of the AWRT of one way of running the jobs to that of free spanning.

    In both, wide jobs are divided into subjobs of the size of the largest machine. Spanning without
    a penalty starts these subjobs when one machine of 512 would start them.
    """
    free = {"way": MULTI_SITE, "wide": OF_LARGEST, **FREE}
    return ratio(runs, "awrt", {"way": way, "wide": OF_LARGEST, **penalty}, free)


@study.add_claim("JS-3", "penalty at break-even on m128, synthetic, mean of the draws", PAPER)
def spanning_pays_up_to_a_quarter(runs: pd.DataFrame) -> Decision:
    """Judge 'even for an overhead on execution time of about 25%' (Figure 4)."""
    high = PRINTED_PENALTY + ABOUT.value
    line = spanning_over_sharing(runs)
    if not line or max(line) < high:
        raise NotRunError(f"no run of spanning at a penalty of {high:g} or more")
    found = mean_crossing(line, level=1.0).interval
    parts = {"about a quarter": ABOUT.within(found, around=PRINTED_PENALTY)}
    return Decision(found, parts, "by work")


@study.add_numbers
def printed_break_even(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield the row that judges the printed break-even penalty of 25 %.

    The paper has only one synthetic workload, so the printed value is compared with the prediction
    interval of a single sampled workload.
    """
    here = pick(runs, **PAPER.values)
    draws = break_even_of_draws(here)
    mean = mean_crossing(spanning_over_sharing(here), level=1.0).interval
    judged = Judgement("undecided", bound_note(mean))
    if not judged.note:
        judged = judge_number(PRINTED_PENALTY, mean, 2, one_run=draws.prediction)
    item, quantity = "Figure 4 m128 synthetic", "penalty at break-even"
    yield Row.of(study.name, item, quantity, PRINTED_PENALTY, mean, judged)


@study.add_joint_reading
def joint_reading(runs: pd.DataFrame) -> JointReading:
    """Return how well each weight of the AWRT reproduces the values that section 4.3 prints.

    The prose of the paper weights each job by its 'resource consumption', which is its work. The
    formula of the paper weights each job by its number of processors.
    """
    printed = {"saved by sharing": HALF, "penalty at break-even": PRINTED_PENALTY}
    readings = {}
    for weight in WEIGHTS:
        here = pick(runs, **PAPER.without("wide").values | {"weight": weight})
        saved = 1 - ratio(pick(here, wide=OF_SITE), "awrt", {"way": SHARING}, {"way": LOCAL}).mean
        even = mean_crossing(spanning_over_sharing(pick(here, wide=OF_LARGEST)), level=1.0)
        found = dict(zip(printed, (saved, even.interval.estimate), strict=True))
        readings[f"weighted by {weight}"] = found
    return JointReading(printed, readings, "weighted by work", limits=("saved by sharing",))


@study.add_numbers
def printed_widest_job(runs: pd.DataFrame) -> Iterator[Row]:
    """Judge 'the widest job in the CTC traces e.g. requests 336 processing nodes' (4.2)."""
    widest = float(pick(runs, workload=EXTRACTS)["widest"].max())
    if np.isfinite(widest):
        judged = judge_number(PRINTED_WIDEST, Interval.exact(widest), 0)
        item, quantity = "Section 4.2 widest job of the log", "processors"
        yield Row.of(study.name, item, quantity, PRINTED_WIDEST, widest, judged)


def bound_note(found: Interval) -> str:
    """Return a note if an interval of penalties is unbounded on one side, and otherwise no text."""
    if np.isfinite(found.half_width):
        return ""
    return "a bound: some draws break even beyond the penalties that were tried"


@study.add_claim(
    "JS-4",
    "penalty at break-even of m64 less that of m128, synthetic",
    PAPER.without("configuration", "wide"),
)
def equal_machines_sustain_more(runs: pd.DataFrame) -> Decision:
    """Judge 'equal sized machines show better results', 'the overhead can be even larger'."""
    of = {name: pick(runs, configuration=name) for name in CONFIGURATIONS}
    pieces = {name: pick(of[name], wide=OF_LARGEST) for name in CONFIGURATIONS}
    parts = {}
    for equal, other in EQUAL_OR_NOT:
        pair = f"{equal} than {other}"
        parts[f"better at {PRINTED_PENALTY:.0%}, {pair}"] = is_better(of[equal], of[other])
        gain = break_even_of_draws(pieces[equal]).less(break_even_of_draws(pieces[other]))
        parts[f"larger penalty, {pair}"] = gain.above(0)
    deciding = break_even_of_draws(pieces["m64"]).less(break_even_of_draws(pieces[STANDARD]))
    return Decision(deciding, parts, bound_note(deciding))


def is_better(one: pd.DataFrame, other: pd.DataFrame) -> bool | None:
    """Return whether spanning comes nearer to a single machine on one configuration than another.

    Jobs that span pay the printed penalty. The answer is None if the runs do not decide it.
    """
    over_m512 = over_one_machine(one, MULTI_SITE, PAID) / over_one_machine(other, MULTI_SITE, PAID)
    return Replications(1 - over_m512.values).interval.above(0)


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
        synthetic = break_even_of_draws(pick(here, workload=SYNTHETIC))
        extracts = break_even_of_draws(pick(here, workload=EXTRACTS))
        less[name] = one_draw_less(synthetic.prediction, extracts.mean)
    answers = {name: not_(found.above(0)) for name, found in less.items()}
    decides = most(less[name] for name in EQUAL)
    own = {name: answers[name] for name in EQUAL}
    note = bound_note(decides) or ONE_DRAW
    return Decision(decides, own, note, without(answers, *EQUAL))


#: A note for comparisons with the paper's synthetic workload, which is a single sample.
ONE_DRAW = "the interval is of one draw, as the paper has one: which draw it is decides"


def one_draw_less(draw: Interval, mean: Interval) -> Interval:
    """Return the interval of one sampled value minus a mean of other samples.

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
    "AWRT of spanning over sharing, one synthetic draw less the extracts, m128, the least",
    PAPER.without("workload"),
)
def synthetic_improves_least(runs: pd.DataFrame) -> Decision:
    """Judge that the synthetic workload 'produces the least effective improvements' (4.3)."""
    if pick(runs, workload=EXTRACTS).empty:
        return Decision(None, {}, lost=f"it is of the log; coalloc traces fetch {LOG}")
    less = {}
    for name, penalty in (("no penalty", FREE), (f"p = {PRINTED_PENALTY:.0%}", PAID)):
        pair = {"way": MULTI_SITE, **penalty}, {"way": SHARING, **FREE}
        synthetic = ratio(pick(runs, workload=SYNTHETIC), "awrt", *pair)
        extracts = ratio(pick(runs, workload=EXTRACTS), "awrt", *pair)
        less[name] = one_draw_less(synthetic.prediction, extracts.interval)
    parts = {f"saves least at {name}": found.above(0) for name, found in less.items()}
    return Decision(least(less.values()), parts, ONE_DRAW)


@study.add_claim(
    "JS-6",
    "AWRT with wide jobs whole over that with them in pieces, the largest up to p = 25 %",
    PAPER.without("wide"),
)
def whole_wide_jobs_cost_little(runs: pd.DataFrame) -> Decision:
    """Judge '... wide jobs does not increase the average weighted response time significantly'."""
    spanning = pick(runs, way=MULTI_SITE, penalty=PENALTIES)
    whole, divided = pick(spanning, wide=UNCHANGED), pick(spanning, wide=OF_LARGEST)
    costs = {}
    for penalty in np.intersect1d(whole["penalty"], divided["penalty"]).tolist():
        both = pick(spanning, penalty=penalty)
        costs[penalty] = ratio(both, "awrt", {"wide": UNCHANGED}, {"wide": OF_LARGEST}).interval
    if not costs:
        raise NotRunError("no run of spanning leaves wide jobs whole")
    answers = {f"p = {p:.0%}": SIGNIFICANTLY.below(found.plus(-1)) for p, found in costs.items()}
    beyond = [f"p = {p:.0%}" for p in costs if p > PRINTED_PENALTY]
    decides = most(found for p, found in costs.items() if p <= PRINTED_PENALTY)
    elsewhere = {name: answers[name] for name in beyond}
    return Decision(decides, without(answers, *beyond), elsewhere=elsewhere)


@study.add_claim(
    "JS-14",
    "penalty up to which spanning with wide jobs whole beats sharing with them in pieces, m128",
    PAPER.without("wide"),
)
def whole_wide_jobs_still_gain(runs: pd.DataFrame) -> Decision:
    """Judge 'the improvement over job-sharing is valid even as these wider jobs [...]' (4.3).

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
    note = f"the penalty decides: without one it {SAYS[free]}, and at every penalty up to "
    note += f"{max(gains):.0%} it {SAYS[every]} ({highest.estimate:.3f} "
    note += f"[{highest.low:.3f}, {highest.high:.3f}] at {max(gains):.0%})"
    parts = {"gains at any penalty up to 25%": free if free == every else None}
    return Decision(mean_crossing(line, level=1.0).interval, parts, note)


#: The words of a note for the answer of one reading.
SAYS = {True: "holds", False: "does not hold", None: "is undecided"}


@study.add_claim(
    "JS-7",
    "AWRT of conservative backfilling over that of EASY, m128, the least of the ways",
    PAPER.without("policy", "wide"),
)
def easy_beats_conservative(runs: pd.DataFrame) -> Decision:
    """Judge that EASY 'proved to be more effective' than conservative backfilling (3.1).

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
    note = "good: no other is better by as much; the paper has it from an earlier one"
    parts = {rule: GOOD.below(over_best.complement()) for rule, over_best in found.items()}
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
    answers = {name: SUFFICIENT.above(share) for name, share in waiting.items()}
    others = [name for name in answers if not name.endswith(own)]
    decides = least(waiting[name] for name in without(answers, *others))
    elsewhere = {name: answers[name] for name in others}
    note = "some job waits, under job sharing"
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
    "AWRT over that of one machine of 512 with the same jobs, the smallest",
    PAPER.without("configuration", "wide"),
)
def one_machine_is_the_bound(runs: pd.DataFrame) -> Decision:
    """Judge 'the result of this m512 configuration gives the lower bound' (Figure 4).

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
            found[f"{words}, pieces, {name}"] = pieces.interval
        free = over_one_machine(here, MULTI_SITE, FREE).interval
        mixed[f"free spanning of pieces against whole jobs, {name}"] = not_(free.below(1))
    here = pick(runs, configuration=STANDARD)
    for words, penalty in {"free spanning": FREE, paid: PAID}.items():
        whole = over_one_machine(here, MULTI_SITE, penalty, UNCHANGED)
        found[f"{words}, whole jobs, {STANDARD}"] = whole.interval
    # A lower bound may be reached, so it is refuted only if the whole interval is below 1.
    parts = {name: not_(x.below(1)) for name, x in found.items()}
    return Decision(least(found.values()), parts, MIXED, mixed)


@study.add_claim(
    "JS-12",
    "local AWRT of all jobs and pieces over that of jobs that are not in pieces, m128",
    PAPER.with_(wide=OF_SITE).without("users"),
)
def pieces_cost_local_execution(runs: pd.DataFrame) -> Decision:
    """Judge 'a significant increase of the AWRT due to the applied weight on each job-part' (4.3).

    Both values come from the same schedules, in which wide jobs run as subjobs. Only one of the two
    means includes these subjobs.
    """
    local = pick(runs, way=LOCAL)
    found = ratio(local, "awrt", {"users": ALL_USERS}, {"users": NOT_WIDE}).interval
    return Decision(found, {"significantly": SIGNIFICANTLY.above(found.plus(-1))})
