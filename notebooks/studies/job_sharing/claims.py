"""Judgements of the paper's claims on job sharing and multi-site execution."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from studies.columns import column
from studies.cut_offs import Word
from studies.job_sharing.figures import ONE_MACHINE, break_even_of_samples, spanning_over_sharing
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
#: The note on how jobs are weighted in the average weighted response time (AWRT).
BY_WORK = "jobs are weighted by work"
#: 'An improvement of over 50%'.
HALF = 0.5
#: The cut-offs for vague words of the paper. These three are relative differences of AWRTs.
NEAR = Word("near", 0.05, "%", 100)
SIGNIFICANTLY = Word("significantly", 0.05, "%", 100)
GOOD = Word("good", 0.05, "%", 100)
#: The cut-off for the difference between two savings by job sharing.
SIMILAR = Word("similar", 0.1, "points", 100)
#: For JS-17: the number of narrow jobs that fill the machine, the run times that jobs may have, and
#: the largest relative change that counts as a rounding error.
NARROW, LENGTHS, SAME_ORDER = 8, (1.0, 3.0, 10.0), 1e-9
#: The cut-off for a difference of penalties: one step between the penalties of the paper.
ABOUT = Word("about", 0.05, "points", 100)
#: The backlog counts as sufficient if some job waits during more than half of the time. The word
#: may also mean a third to three quarters; twice one half would be all of the time.
SUFFICIENT = Word("sufficient", 0.5, "% of the time", 100, near=1.5)
#: Pairs of a configuration with equal machines and a configuration with unequal machines.
EQUAL_OR_NOT = tuple(product(EQUAL, ("m64", "m384")))

FREE, PAID = {"penalty": 0.0}, {"penalty": PRINTED_PENALTY}


@study.add_claim(
    "JS-1",
    "AWRT of job sharing divided by that of local execution, on m128, synthetic workload",
    PAPER.with_(wide=OF_SITE),
)
def sharing_halves_the_response(runs: pd.DataFrame) -> Decision:
    """Judge the claim that job sharing halves the AWRT of local execution (Figure 4).

    The paper says: 'an improvement of over 50%'.
    """
    found = ratio(runs, "awrt", {"way": SHARING}, {"way": LOCAL}).interval
    return Decision(found, {"more than half": found.below(HALF)}, BY_WORK)


@study.add_claim(
    "JS-15",
    "AWRT of sharing divided by that of local execution, the largest except for that of JS-1",
    PAPER.with_(wide=OF_SITE).without("workload", "configuration"),
)
def other_simulations_are_similar(runs: pd.DataFrame) -> Decision:
    """Judge the claim that sharing saves about as much on other machines and workloads (4.3).

    The paper says: 'Similar results can be found in the other simulations'.
    """
    found = sharing_over_local(runs)
    own = found.pop(f"{STANDARD}, {SYNTHETIC}", None)
    if own is None or not found:
        raise NotRunError(
            f"the claim needs runs of {STANDARD} with the synthetic workload, and other runs"
        )
    apart = {name: other.less_unpaired(own) for name, other in found.items()}
    parts = {name: SIMILAR.within(difference) for name, difference in apart.items()}
    saves_least = most(values.interval for values in found.values())
    note = "'similar' means that the saving differs from that of Figure 4 by at most the cut-off"
    return Decision(saves_least, parts, note)


@study.add_claim(
    "JS-20",
    "AWRT of sharing divided by that of local execution, the largest",
    PAPER.with_(wide=OF_SITE).without("workload", "configuration"),
)
def sharing_improves_everywhere(runs: pd.DataFrame) -> Decision:
    """Judge the claim that sharing improves the AWRT on all machines and workloads (4.3).

    The paper says: 'The mentioned improvement of job-sharing can be seen in the results for all
    [...]'.
    """
    found = {name: values.interval for name, values in sharing_over_local(runs).items()}
    if not found:
        raise NotRunError("the claim needs runs of job sharing and of local execution")
    parts = {name: over_local.below(1) for name, over_local in found.items()}
    return Decision(most(found.values()), parts, BY_WORK)


def sharing_over_local(runs: pd.DataFrame) -> dict[str, Replications]:
    """Return the AWRT of job sharing divided by that of local execution.

    There is one ratio for each configuration and workload with runs of both.
    """
    found = {}
    for setting, part in groups_of(runs, ["workload", "configuration"]):
        if {SHARING, LOCAL} <= {*part["way"]}:
            name = f"{setting['configuration']}, {setting['workload']}"
            found[name] = ratio(part, "awrt", {"way": SHARING}, {"way": LOCAL})
    return found


@study.add_claim(
    "JS-18",
    f"AWRT of spanning at a penalty of {PRINTED_PENALTY:.0%} divided by that of sharing, on "
    "m128, synthetic workload",
    PAPER.without("weight"),
)
def spanning_pays_at_a_quarter(runs: pd.DataFrame) -> Decision:
    """Judge the claim that spanning is better than sharing at a penalty of 25 % (section 5).

    The paper says: 'Even an increase of their execution time by 25% [...] benefical'.

    The prose of the paper weights jobs by work, and its formula weights them by processors. The
    prose decides; the note has both.
    """
    pair = {"way": MULTI_SITE, **PAID}, {"way": SHARING, **FREE}
    found = {
        weight: ratio(pick(runs, weight=weight), "awrt", *pair).interval
        for weight in ("work", *(set(column(runs, "weight")) - {"work"}))
    }
    by_work = found.pop("work")
    note = "jobs are weighted by work, as the paper says in words"
    for weight, each in found.items():
        note += (
            f"; weighted by {weight}, as in the formula of the paper, the value is "
            f"{each.estimate:.3f} "
        )
        note += f"[{each.low:.3f}, {each.high:.3f}]"
    elsewhere = {f"weighted by {weight}": each.below(1) for weight, each in found.items()}
    return Decision(by_work, {"smaller than with sharing": by_work.below(1)}, note, elsewhere)


@study.add_claim(
    "JS-19",
    "AWRT of spanning without a penalty divided by that of sharing, on m128, synthetic workload",
    PAPER,
)
def spanning_improves_further(runs: pd.DataFrame) -> Decision:
    """Judge the claim that spanning is better than sharing if the penalty is limited (section 5).

    The paper says: 'multi-site applications leads to even better results'.
    """
    found = ratio(runs, "awrt", {"way": MULTI_SITE, **FREE}, {"way": SHARING, **FREE}).interval
    return Decision(found, {"smaller than with sharing": found.below(1)}, BY_WORK)


@study.add_claim("JS-16", "computing time of a decision of each policy", EVERYWHERE)
def conservative_takes_more_effort(runs: pd.DataFrame) -> Decision:
    """Report that the computing time of conservative backfilling is not measured.

    The paper says: 'conservative backfill requires more computational effort'.
    """
    lost = "the runs have schedules, but not the computing time of the policies"
    return Decision(None, {}, lost=lost)


@study.add_claim(
    "JS-17",
    "largest relative change of the AWRT if the order of the jobs is reversed, weighted by work",
    EVERYWHERE,
)
def weight_prevents_prioritization(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the weight of the AWRT prefers neither narrow nor wide jobs (4.3).

    The paper says: 'the mentioned weight prevents any prioritization of small over wider jobs'.

    One wide job fills a machine, and so do several narrow jobs side by side. The wide job runs
    either before or after the narrow jobs. If the weight prefers neither, both orders have the same
    AWRT. Weighted by processors, the AWRT prefers short jobs to long ones, and not narrow jobs to
    wide ones.
    """
    by_work = order_matters("work")
    elsewhere = {
        "weighted by processors, any run times": order_matters("processors") < SAME_ORDER,
        "weighted by processors, equal run times": order_matters("processors", equal=True)
        < SAME_ORDER,
    }
    note = "the paper describes the weight as work"
    return Decision(by_work, {"the order does not matter": by_work < SAME_ORDER}, note, elsewhere)


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
    "JS-21",
    "increase of the AWRT by wide jobs that stay whole, by the number of wide jobs",
    EVERYWHERE,
)
def drawback_varies_with_wide_jobs(runs: pd.DataFrame) -> Decision:
    """Report that the effect of the number of wide jobs is not measured.

    The paper says: 'this may vary with the amount of wide jobs in a workload'.
    """
    return Decision(None, {}, lost="the runs do not vary the number of wide jobs")


@study.add_claim(
    "JS-2",
    "AWRT of spanning without a penalty divided by that of one machine of 512, the same "
    "whole jobs on both",
    PAPER.without("wide"),
)
def free_spanning_is_near_one_machine(runs: pd.DataFrame) -> Decision:
    """Judge the claim that spanning without a penalty is near one large machine (Figure 4).

    The paper says: 'without overhead for multi-site is near the m512 result'.

    The same jobs are compared. If a job may span at no cost, it starts as soon as enough processors
    are idle anywhere, as on one machine. So the ratio is 1 by construction, for whole jobs as for
    pieces of them.
    """
    whole = over_one_machine(runs, MULTI_SITE, FREE, UNCHANGED).interval
    mixed = over_one_machine(runs, MULTI_SITE, FREE, OF_LARGEST).interval
    note = f"the value is 1 by construction, for whole jobs and for subjobs; {BY_WORK}; {MIXED}"
    elsewhere = {"subjobs on m128, whole jobs on m512": NEAR.within(mixed, around=1)}
    return Decision(whole, {"near one machine": NEAR.within(whole, around=1)}, note, elsewhere)


#: A note on comparisons of one machine of 512 with several machines.
MIXED = (
    "comparisons of whole jobs on m512 with subjobs elsewhere are about different jobs, so they "
    "do not count for the verdict"
)


def over_one_machine(
    runs: pd.DataFrame, way: str, penalty: Mapping[str, float], wide: str = OF_LARGEST
) -> Replications:
    """Return the AWRT of one way to run jobs divided by the AWRT of a single machine.

    The single machine runs each job whole. In the other way, wide jobs are divided into subjobs of
    the size of the largest machine, unless `wide` has them whole.
    """
    return ratio(runs, "awrt", {"way": way, "wide": wide, **penalty}, ONE_MACHINE)


def over_free_spanning(runs: pd.DataFrame, way: str, penalty: Mapping[str, float]) -> Replications:
    """Return the AWRT of one way to run jobs divided by the AWRT of spanning without a penalty.

    In both, wide jobs are divided into subjobs of the size of the largest machine. Spanning without
    a penalty starts these subjobs when one machine of 512 would start them.
    """
    free = {"way": MULTI_SITE, "wide": OF_LARGEST, **FREE}
    return ratio(runs, "awrt", {"way": way, "wide": OF_LARGEST, **penalty}, free)


@study.add_claim(
    "JS-3",
    "break-even penalty of spanning on m128, mean over samples of the synthetic workload",
    PAPER,
)
def spanning_pays_up_to_a_quarter(runs: pd.DataFrame) -> Decision:
    """Judge the claim that spanning pays up to a penalty of about 25 % (Figure 4).

    The paper says: 'even for an overhead on execution time of about 25%'.
    """
    high = PRINTED_PENALTY + ABOUT.value
    line = spanning_over_sharing(runs)
    if not line or max(line) < high:
        raise NotRunError(f"no run of spanning at a penalty of {high:g} or more")
    found = mean_crossing(line, level=1.0).interval
    parts = {"about a quarter": ABOUT.within(found, around=PRINTED_PENALTY)}
    return Decision(found, parts, BY_WORK)


@study.add_numbers
def printed_break_even(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield the row that judges the printed break-even penalty of 25 %.

    The paper has only one synthetic workload, so the printed value is compared with the prediction
    interval of a single sampled workload.
    """
    here = pick(runs, **PAPER.values)
    draws = break_even_of_samples(here)
    mean = mean_crossing(spanning_over_sharing(here), level=1.0).interval
    judged = Judgement("undecided", bound_note(mean))
    if not judged.note:
        judged = judge_number(PRINTED_PENALTY, mean, 2, one_run=draws.prediction)
    item, quantity = "Figure 4 m128 synthetic", "break-even penalty"
    yield Row.of(study.name, item, quantity, PRINTED_PENALTY, mean, judged)


@study.add_joint_reading
def joint_reading(runs: pd.DataFrame) -> JointReading:
    """Return how well each weight of the AWRT reproduces the values that section 4.3 prints.

    The prose of the paper weights each job by its 'resource consumption', which is its work. The
    formula of the paper weights each job by its number of processors.
    """
    printed = {"saved by sharing": HALF, "break-even penalty": PRINTED_PENALTY}
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
    """Judge the printed size of the widest job in the log (section 4.2).

    The paper says: 'the widest job in the CTC traces e.g. requests 336 processing nodes'.
    """
    widest = float(pick(runs, workload=EXTRACTS)["widest"].max())
    if np.isfinite(widest):
        judged = judge_number(PRINTED_WIDEST, Interval.exact(widest), 0)
        item, quantity = "Section 4.2 widest job of the log", "processors"
        yield Row.of(study.name, item, quantity, PRINTED_WIDEST, widest, judged)


def bound_note(found: Interval) -> str:
    """Return a note if an interval of penalties has an infinite end, else an empty text."""
    if np.isfinite(found.half_width):
        return ""
    return "the value is a bound, because some samples break even beyond the tested penalties"


@study.add_claim(
    "JS-4",
    "break-even penalty on m64 minus that on m128, synthetic workload",
    PAPER.without("configuration", "wide"),
)
def equal_machines_sustain_more(runs: pd.DataFrame) -> Decision:
    """Judge the claim that equal machines do better and break even at a larger penalty (4.3).

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
    """Return whether spanning comes nearer to one machine on one configuration than on another.

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
    """Judge the claim that the synthetic workload has the lowest break-even penalty (4.3).

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


#: The note on comparisons with the paper's synthetic workload, of which it has a single sample.
ONE_SAMPLE = (
    "the interval is for a single sample of the synthetic workload, because the paper has only one"
)


def one_sample_less(draw: Interval, mean: Interval) -> Interval:
    """Return the interval of one sampled value minus the mean of other, independent samples.

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
    """Judge the claim that spanning saves least on the synthetic workload (4.3).

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
    """Judge the claim that whole wide jobs increase the AWRT only a little (4.3).

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
    """Judge the claim that spanning is better than sharing even if wide jobs stay whole (4.3).

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
        "up to "
    )
    note += f"{max(gains):.0%} it {SAYS[every]} (ratio of {highest.estimate:.3f} "
    note += f"[{highest.low:.3f}, {highest.high:.3f}] at {max(gains):.0%})"
    parts = {"spanning gains at penalties up to 25%": free if free == every else None}
    return Decision(mean_crossing(line, level=1.0).interval, parts, note)


#: The words in a note for each answer.
SAYS = {True: "holds", False: "does not hold", None: "is undecided"}


@study.add_claim(
    "JS-7",
    "AWRT of conservative backfilling divided by that of EASY on m128, the smallest over "
    "local execution, sharing and spanning",
    PAPER.without("policy", "wide"),
)
def easy_beats_conservative(runs: pd.DataFrame) -> Decision:
    """Judge the claim that EASY is more effective than conservative backfilling (3.1).

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
    """Judge the claim that jobs wait during most of the time on all machines (section 4.2).

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
    """Judge the claim that 10,000 jobs span more than three months (section 4.2).

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
    """Judge the claim that no division of the processors beats one large machine (Figure 4).

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
    # A lower bound may be reached. The claim therefore fails only if a whole interval is below 1.
    parts = {name: not_(x.below(1)) for name, x in found.items()}
    return Decision(least(found.values()), parts, MIXED, mixed)


@study.add_claim(
    "JS-12",
    "local AWRT of all jobs and subjobs divided by that of jobs that were not divided, on m128",
    PAPER.with_(wide=OF_SITE).without("users"),
)
def pieces_cost_local_execution(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the subjobs of wide jobs increase the local AWRT (4.3).

    The paper says: 'a significant increase of the AWRT due to the applied weight on each job-part'.

    Both values come from the same schedules, in which wide jobs run as subjobs. Only one of the two
    means includes these subjobs.
    """
    local = pick(runs, way=LOCAL)
    found = ratio(local, "awrt", {"users": ALL_USERS}, {"users": NOT_WIDE}).interval
    return Decision(found, {"significantly larger": SIGNIFICANTLY.above(found.plus(-1))})
