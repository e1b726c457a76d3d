"""What the paper says of job sharing and multi-site execution, judged."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from coalloc_lib.intervals import DAY, Interval, Sample, not_, student
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.core import Entries, Results, Scale, furthest, least, most
from coalloc_lib.studies.job_sharing import cases as paper
from coalloc_lib.studies.job_sharing.cases import EXTRACTS, STANDARD, SYNTHETIC, Case, Work, over
from coalloc_lib.studies.job_sharing.figures import NEAR, lines, study
from coalloc_lib.studies.ledger import Decision, Judgement, Row, judge_number

LOCAL, SHARING, MULTI_SITE, SINGLE = paper.MODES
PRINTED = paper.PRINTED_PENALTY
#: 'More than half' off; how far from the printed penalty 'about' goes: two of the paper's steps.
HALF, ABOUT = 0.5, 0.1
#: What counts as a sufficient backlog: some job waits more than half of the time.
SUFFICIENT = 0.5
#: 'Three months', in days.
PRINTED_DAYS = 90.0


def works(results: Results) -> Mapping[str, Work]:
    """Return the workloads of the scale that was run."""
    return paper.workload_sets(results.scale.draws, results.seed)


def decide(
    found: Mapping[tuple[bool, str], Interval], answer: Callable[[Interval], bool | None],
    which: Callable[..., Interval], note: str = "",
) -> Decision:  # fmt: skip
    """Return the decision of figures by whether they are at the paper's own setting, and name."""
    parts, others = (
        {name: answer(each) for (own, name), each in found.items() if own is side}
        for side in (True, False)
    )
    return Decision(which(each for (own, _), each in found.items() if own), parts, note, others)


def add_ratios(
    item: str, quantity: str, answer: Callable[[Interval], bool | None],
    which: Callable[..., Interval] = least, note: str = "",
) -> Callable:  # fmt: skip
    """Return a decorator for ``pairs``: is it the paper's own, what is asked, two cases, weight."""

    def keep(pairs: Callable[[Work, Scale], Iterator[tuple]]) -> Callable:
        def asked(scale: Scale, seed: Seed) -> Entries:
            return {
                (name == SYNTHETIC and own, f"{said}, {name}"): pair
                for name, work in paper.workload_sets(scale.draws, seed).items()
                for own, said, *pair in pairs(work, scale)
            }

        def cases(scale: Scale, seed: Seed) -> Entries:
            return {name: tuple(pair[:2]) for name, pair in asked(scale, seed).items()}

        @study.add_claim(item, quantity, cases)
        def judge(results: Results) -> Decision:
            pairs = asked(results.scale, results.seed).items()
            found = {name: over(results, *pair).interval for name, pair in pairs}
            return decide(found, answer, which, note)

        return pairs

    return keep


@add_ratios(
    "JS-1", "AWRT of job sharing over that of local execution, m128, synthetic",
    lambda each: each.below(HALF), note="by work",
)  # fmt: skip
def _halved(work, scale):
    for m in scale.joined:
        pair = [Case(work, m, mode, wide=paper.OF_SITE) for mode in (SHARING, LOCAL)]
        yield m == STANDARD, m, *pair
        if m == STANDARD:
            yield False, f"by processors, {m}", *pair, "processors"


@add_ratios(
    "JS-2", "AWRT of multi-site without penalty over that of one machine of 512",
    lambda each: each.between(1 - NEAR, 1 + NEAR), partial(furthest, from_=1.0),
    "exactly 1 by construction; the paper's 'near' points to another algorithm",
)  # fmt: skip
def _near_one_machine(work, scale):
    for m in paper.CONFIGURATIONS:
        yield m == STANDARD, m, Case(work, m, MULTI_SITE), Case(work, m, SINGLE)


@study.add_claim("JS-3", "penalty at break-even on m128, synthetic, mean of the draws")
def _pays_up_to_a_quarter(results):
    of = lines(results.scale, results.seed)
    found = {
        (name == SYNTHETIC and weight == "work", f"{STANDARD}, {name}, by {weight}"):
            paper.mean_break_even(results, of[name, STANDARD, "EASY"], weight)
        for name, weight in product(works(results), paper.WEIGHTS)
    }  # fmt: skip
    low, high = PRINTED - ABOUT, PRINTED + ABOUT
    about = f"about: {low:.0%} to {high:.0%}; by work"
    return decide(found, lambda each: each.between(low, high), most, about)


def bounded(found: Interval) -> str:
    """Return a note where a mean of penalties, or a difference, is known from one side alone."""
    told = "a bound: some draws break even beyond the penalties that were tried"
    return told * (not np.isfinite(found.half_width))


@study.add_numbers
def printed_break_even(results: Results) -> Iterator[Row]:
    """Judge the printed 25 %: the paper has one synthetic workload, and so one draw."""
    line = lines(results.scale, results.seed)[SYNTHETIC, STANDARD, "EASY"]
    mean, draw = (paper.of_a_draw(results, line, kind) for kind in ("interval", "prediction"))
    judged = Judgement("undecided", bounded(mean))
    judged = judged if judged.note else judge_number(PRINTED, mean, 2, one_run=draw)
    found = PRINTED, mean.estimate, mean.low, mean.high
    yield Row(study.name, "Figure 4 m128 synthetic", "penalty at break-even", *found, *judged)


@study.add_claim("JS-4", "penalty at break-even of m64 less that of m128, synthetic")
def _equal_machines_sustain_more(results):
    of, found = lines(results.scale, results.seed), {}
    others = [m for m in paper.CONFIGURATIONS if m not in paper.EQUAL]
    for (name, work), *pair in product(works(results).items(), paper.EQUAL, others):
        one, two = (
            over(results, Case(work, m, MULTI_SITE, penalty=PRINTED), Case(work, m, SINGLE)).values
            for m in pair
        )
        key, said = name == SYNTHETIC, f"{pair[0]} than {pair[1]}, {name}"
        found[key, f"better at {PRINTED:.0%}, {said}"] = student(1 - one / two)
        lines_of = (of[name, m, "EASY"] for m in pair)
        found[key, f"larger penalty, {said}"] = paper.less(results, *lines_of)
    deciding = paper.less(results, *(of[SYNTHETIC, m, "EASY"] for m in ("m64", STANDARD)))
    return decide(found, lambda each: each.above(0), lambda _: deciding, bounded(deciding))


@study.add_claim(
    "JS-5", "penalty at break-even of the synthetic less that of the extracts, m128 or m256"
)
def _extracts_sustain_no_less(results):
    if EXTRACTS not in works(results):
        return Decision(None, {}, lost=f"it is of the log; coalloc traces fetch {paper.LOG}")
    of = lines(results.scale, results.seed)
    found = {
        (m in paper.EQUAL, m): paper.less(
            results, *(of[name, m, "EASY"] for name in (SYNTHETIC, EXTRACTS))
        )
        for m in paper.CONFIGURATIONS
    }
    decision = decide(found, lambda each: not_(each.above(0)), most)
    return decision._replace(note=bounded(decision.decides))


@add_ratios(
    "JS-6", "AWRT with wide jobs whole over that with them in pieces, the largest up to p = 25 %",
    lambda each: each.below(1 + NEAR), most, f"a little: by less than {NEAR:.0%}",
)  # fmt: skip
def _wide_cost_little(work, scale):
    for case in paper.spanning(work, STANDARD, scale.few):
        said = f"p = {case.penalty:.0%}"
        yield case.penalty <= PRINTED, said, replace(case, wide=paper.UNCHANGED), case


@add_ratios(
    "JS-7", "AWRT of conservative backfilling over that of EASY, m128, sharing or spanning",
    lambda each: each.above(1),
)  # fmt: skip
def _easy_beats_conservative(work, scale):
    where = paper.EQUAL if "conservative" in scale.policies else (STANDARD,)
    for mode, m in product((SHARING, MULTI_SITE), where):
        easy = Case(work, m, mode)
        yield m == STANDARD, f"{mode}, {m}", replace(easy, policy="conservative"), easy


@add_ratios(
    "JS-8", "AWRT of other choices of machines over that of best fit, m128, the smallest",
    lambda each: each.above(1 - NEAR),
    note=f"good: no other is better by {NEAR:.0%} or more; the paper has it from an earlier one",
)  # fmt: skip
def _best_fit_is_good(work, scale):
    best, *others = (Case(work, STANDARD, SHARING, placement=rule) for rule in paper.PLACEMENTS)
    for other in others:
        yield True, other.placement, other, best


@study.add_claim("JS-9", "share of the time in which some job waits, the least configuration")
def _backlog(results):
    own = EXTRACTS if EXTRACTS in works(results) else SYNTHETIC
    found = {
        (name == own, f"{m}, {name}"): Sample(results[Case(work, m, SHARING)].backlog).interval
        for (name, work), m in product(works(results).items(), paper.CONFIGURATIONS)
    }
    told = f"sufficient: in more than {SUFFICIENT:.0%} of the time; under job sharing"
    return decide(found, lambda each: each.above(SUFFICIENT), least, told)


@study.add_claim("JS-10", "days from the first to the last submission, the longest workload")
def _months(results):
    days = {
        (True, name): Sample([np.ptp(jobs.submit) / DAY for jobs in work.draws]).interval
        for name, work in works(results).items()
    }
    return decide(days, lambda each: each.above(PRINTED_DAYS), most)


@add_ratios(
    "JS-11", "AWRT over that of one machine of 512, the smallest", lambda each: each.above(1),
    note=f"of sharing, and of spanning at {PRINTED:.0%}",
)  # fmt: skip
def _lower_bound(work, scale):
    for m in paper.CONFIGURATIONS:
        for way in Case(work, m, SHARING), Case(work, m, MULTI_SITE, penalty=PRINTED):
            yield True, f"{way.mode}, {m}", way, Case(work, m, SINGLE)


@add_ratios(
    "JS-12", "local AWRT with wide jobs in pieces over that without them, m128",
    lambda each: each.above(1 + NEAR), note=f"significant: by more than {NEAR:.0%}",
)  # fmt: skip
def _pieces_cost(work, scale):
    ways = (paper.OF_SITE, paper.LEFT_OUT)
    yield True, STANDARD, *(Case(work, STANDARD, LOCAL, wide=wide) for wide in ways)
