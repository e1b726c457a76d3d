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
    groups_of,
    mean_crossing,
    pick,
    ratio,
)
from studies.claim import EVERYWHERE, PaperSetting
from studies.columns import column
from studies.cut_offs import Word
from studies.extremes import most
from studies.job_sharing.figures import ONE_MACHINE, break_even_of_samples, spanning_over_sharing
from studies.job_sharing.model import (
    BEST_FIT,
    EQUAL,
    EXTRACTS,
    IN_TURN,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    PRINTED_PENALTY,
    PRINTED_WIDEST,
    SHARING,
    STANDARD,
    SYNTHETIC,
    UNCHANGED,
)
from studies.job_sharing.runs import ALL_USERS, study
from studies.joint_reading import JointReading
from studies.ledger import Decision, Judgement, Row, judge_number

#: The setting that the claims of the paper refer to. If the study also ran other values of the
#: columns in `varied`, each claim is also judged for those values.
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
#: A note for results with the average weighted response time (AWRT), which weights each job by its
#: work.
BY_WORK = "jobs are weighted by work"
#: The 50 % in the paper's sentence 'an improvement of over 50%', as a fraction.
HALF = 0.5
#: The cut-offs with which we interpret vague words of the paper. `NEAR`, `SIGNIFICANTLY` and `GOOD`
#: are relative differences between two average weighted response times.
NEAR = Word("near", 0.05, "%", 100)
SIGNIFICANTLY = Word("significantly", 0.05, "%", 100)
GOOD = Word("good", 0.05, "%", 100)
#: The cut-off for the paper's word 'similar': two savings by job sharing are similar if they differ
#: by at most 10 percentage points.
SIMILAR = Word("similar", 0.1, "points", 100)
#: The test case for claim JS-17: the number of narrow jobs that fill the machine side by side, the
#: run times of the jobs, and the largest relative change in the average weighted response time that
#: counts as a rounding error.
NARROW, LENGTHS, SAME_ORDER = 8, (1.0, 3.0, 10.0), 1e-9
#: The cut-off for the paper's word 'about': two penalties are about equal if they differ by at most
#: 5 percentage points, which is the step between the penalties in the paper.
ABOUT = Word("about", 0.05, "points", 100)
#: The cut-off for the paper's word 'sufficient': a backlog is sufficient if at least one job waits
#: during more than half of the time. Cut-offs from one third to three quarters of the time would
#: also be plausible. Twice the cut-off would not be plausible, because it is the whole time.
SUFFICIENT = Word("sufficient", 0.5, "% of the time", 100, near=1.5)
#: Pairs of configurations: the first has machines of equal size, and the second has machines of
#: unequal size.
EQUAL_OR_NOT = tuple(product(EQUAL, ("m64", "m384")))

FREE, PAID = {"penalty": 0.0}, {"penalty": PRINTED_PENALTY}


@study.add_claim(
    "JS-1",
    "AWRT of job sharing divided by that of local execution, on m128, synthetic workload",
    PAPER.with_(wide=OF_SITE),
)
def sharing_halves_the_response(runs: pd.DataFrame) -> Decision:
    """Judge the claim that job sharing halves the average weighted response time (Figure 4).

    Job sharing is compared with local execution. The paper says: 'an improvement of over 50%'.
    """
    found = ratio(runs, "awrt", {"way": SHARING}, {"way": LOCAL}).interval
    return Decision(found, {"more than half": found.below(HALF)}, BY_WORK)


@study.add_claim(
    "JS-15",
    "AWRT of sharing divided by that of local execution, the largest except for that of JS-1",
    PAPER.with_(wide=OF_SITE).without("workload", "configuration"),
)
def other_simulations_are_similar(runs: pd.DataFrame) -> Decision:
    """Judge the claim that job sharing saves about as much in other simulations as in Figure 4.

    The paper says in section 4.3: 'Similar results can be found in the other simulations'.
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
    """Judge the claim that job sharing shortens response times in all simulations (section 4.3).

    The paper says: 'The mentioned improvement of job-sharing can be seen in the results for all
    [...]'.
    """
    found = {name: values.interval for name, values in sharing_over_local(runs).items()}
    if not found:
        raise NotRunError("the claim needs runs of job sharing and of local execution")
    parts = {name: over_local.below(1) for name, over_local in found.items()}
    return Decision(most(found.values()), parts, BY_WORK)


def sharing_over_local(runs: pd.DataFrame) -> dict[str, Replications]:
    """Return the average weighted response time of job sharing divided by that of local execution.

    There is one ratio for each configuration and workload that has runs of both.
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
    """Judge the claim that multi-site execution beats job sharing even at a penalty of 25 %.

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
    clauses = ["jobs are weighted by work, as the paper says in words"]
    for weight, each in found.items():
        clauses.append(
            f"weighted by {weight}, as in the formula of the paper, the value is "
            f"{each.estimate:.3f} [{each.low:.3f}, {each.high:.3f}]"
        )
    elsewhere = {f"weighted by {weight}": each.below(1) for weight, each in found.items()}
    parts = {"smaller than with sharing": by_work.below(1)}
    return Decision(by_work, parts, "; ".join(clauses), elsewhere)


@study.add_claim(
    "JS-19",
    "AWRT of spanning without a penalty divided by that of sharing, on m128, synthetic workload",
    PAPER,
)
def spanning_improves_further(runs: pd.DataFrame) -> Decision:
    """Judge the claim that multi-site execution with a small penalty beats job sharing (section 5).

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
    """Judge the claim that weighting by work favours neither narrow nor wide jobs (section 4.3).

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
    """Return how much the order of the jobs can change the weighted response time.

    The result is the largest relative change if a wide job runs after the narrow jobs and not
    before them. The run times of the wide job and of the narrow jobs take all pairs of `LENGTHS`,
    or all pairs of equal lengths if `equal` is true. No processor is idle in either order.
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
    """Report that the effect of the number of wide jobs on response times is not measured.

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
    """Judge the claim that spanning machines at no cost nearly equals one large machine (Figure 4).

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


#: A note for comparisons of one machine of 512 processors with several smaller machines.
MIXED = (
    "comparisons of whole jobs on m512 with subjobs elsewhere are about different jobs, so they "
    "do not count for the verdict"
)


def over_one_machine(
    runs: pd.DataFrame, way: str, penalty: Mapping[str, float], wide: str = OF_LARGEST
) -> Replications:
    """Return the AWRT of a way of running jobs, divided by that on one large machine.

    `way` is for example job sharing. The single machine runs each job whole. With `way`, wide jobs
    are divided into subjobs of the size of the largest machine, unless `wide` has them whole.
    """
    return ratio(runs, "awrt", {"way": way, "wide": wide, **penalty}, ONE_MACHINE)


def over_free_spanning(runs: pd.DataFrame, way: str, penalty: Mapping[str, float]) -> Replications:
    """Return the weighted response time with a way of running jobs, relative to free spanning.

    `way` is for example job sharing. Free spanning is spanning with a penalty of 0: it starts a job
    when one machine of 512 processors would start it. In both cases, wide jobs are divided into
    subjobs of the size of the largest machine.
    """
    free = {"way": MULTI_SITE, "wide": OF_LARGEST, **FREE}
    return ratio(runs, "awrt", {"way": way, "wide": OF_LARGEST, **penalty}, free)


@study.add_claim(
    "JS-3",
    "break-even penalty of spanning on m128, mean over samples of the synthetic workload",
    PAPER,
)
def spanning_pays_up_to_a_quarter(runs: pd.DataFrame) -> Decision:
    """Judge the claim that multi-site execution pays up to a penalty of about 25 % (Figure 4).

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
    """Compare our break-even penalty of multi-site execution with the paper's value of 25 %.

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
    """Compare how well each weighting of response times reproduces the values in the paper.

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
    """Check the size of the widest job in the log against the number printed in section 4.2.

    The paper says: 'the widest job in the CTC traces e.g. requests 336 processing nodes'.
    """
    widest = float(pick(runs, workload=EXTRACTS)["widest"].max())
    if np.isfinite(widest):
        judged = judge_number(PRINTED_WIDEST, Interval.exact(widest), 0)
        item, quantity = "Section 4.2 widest job of the log", "processors"
        yield Row.of(study.name, item, quantity, PRINTED_WIDEST, widest, judged)


def bound_note(found: Interval) -> str:
    """Return a note if an interval of break-even penalties is unbounded, else an empty string."""
    if np.isfinite([found.low, found.high]).all():
        return ""
    return "the value is a bound, because some samples break even beyond the tested penalties"
