"""What the paper says of job sharing and multi-site execution, judged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from coalloc_lib.intervals import DAY, Interval, Sample, student
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.figures import pick
from coalloc_lib.studies.core import Entries, Results, Scale, furthest, least, most
from coalloc_lib.studies.job_sharing import cases as paper
from coalloc_lib.studies.job_sharing.cases import (
    CONFIGURATIONS,
    EQUAL,
    EXTRACTS,
    LOG,
    PRINTED_OVERHEAD,
    STANDARD,
    SYNTHETIC,
    Case,
    Work,
    over,
)  # fmt: skip
from coalloc_lib.studies.job_sharing.figures import (
    LOCAL,
    MULTI_SITE,
    NEAR,
    OF_SITE,
    SHARING,
    SINGLE,
    compared_policies,
    lines,
    more_sustained,
    positive,
    study,
)  # fmt: skip
from coalloc_lib.studies.ledger import Decision, Row, judge_number

#: 'More than half' off; how far from the printed overhead 'about' goes: two of the paper's steps.
HALF, ABOUT = 0.5, 0.1
#: What counts as a sufficient backlog: some job waits more than half of the time.
SUFFICIENT = 0.5
#: 'Three months', in days.
PRINTED_DAYS = 90.0


def works(results: Results) -> Mapping[str, Work]:
    """Return the workloads of the scale that was run."""
    return paper.workload_sets(results.scale.draws, results.seed)


def asked(
    results: Results, case: Callable[[Work, str], Any],
    answer: Callable[[Any], bool | None], names: Sequence[str] = tuple(CONFIGURATIONS),
) -> Iterator[tuple[str, str, Any, bool | None]]:  # fmt: skip
    """Yield workload, configuration, figure and answer of each; ours is the paper's first."""
    for (name, work), m in product(works(results).items(), names):
        figure = case(work, m)
        yield name, m, figure, answer(figure)


def decision(
    found: Sequence[tuple[str, str, Any, bool | None]], own: Callable[[str, str], bool],
    which: Callable[..., Any], note: str = "", elsewhere: Mapping[str, bool | None] = {},
) -> Decision:  # fmt: skip
    """Return the decision of figures of which some are at the paper's own setting."""
    parts = {f"{m}, {name}": said for name, m, _, said in found if own(name, m)}
    others = {f"{m}, {name}": said for name, m, _, said in found if not own(name, m)}
    decides = which(figure for name, m, figure, _ in found if own(name, m))
    return Decision(decides, parts, note, others | dict(elsewhere))


def is_figure4(name: str, m: str) -> bool:
    """Whether this is the workload and the configuration of the paper's Figure 4."""
    return (name, m) == (SYNTHETIC, STANDARD)


@study.add_claim("JS-1", "AWRT of job sharing over that of local execution, m128, synthetic")
def _halved(results):
    def saved(work, m, *weight):
        pair = (Case(work, m, mode, wide=OF_SITE) for mode in (SHARING, LOCAL))
        return over(results, *pair, *weight).interval

    found = [*asked(results, saved, lambda each: each.below(HALF))]
    by_processors = {
        f"by processors, {STANDARD}, {name}": saved(work, STANDARD, "processors").below(HALF)
        for name, work in works(results).items()
    }
    return decision(found, is_figure4, least, "by work", by_processors)


@study.add_claim("JS-2", "AWRT of multi-site without overhead over that of one machine of 512")
def _near_one_machine(results):
    def near(work, m):
        return over(results, Case(work, m, MULTI_SITE), Case(work, m, SINGLE)).interval

    found = [*asked(results, near, lambda each: each.between(1 - NEAR, 1 + NEAR))]
    why = "exactly 1 by construction; the paper's 'near' points to another algorithm"
    return decision(found, is_figure4, partial(furthest, from_=1.0), why)


@study.add_claim("JS-3", "overhead at break-even on m128, synthetic, mean of the draws")
def _pays_up_to_a_quarter(results):
    of = lines(results.scale, results.seed)
    middle = {
        name: paper.mean_break_even(results, of[name, STANDARD, "EASY"]) for name in works(results)
    }
    low, high = PRINTED_OVERHEAD - ABOUT, PRINTED_OVERHEAD + ABOUT
    parts = {name: each.between(low, high) for name, each in middle.items()}
    about = f"about: {low:.0%} to {high:.0%}; by work"
    elsewhere = {f"{STANDARD}, {name}": parts[name] for name in parts if name != SYNTHETIC}
    line = of[SYNTHETIC, STANDARD, "EASY"]
    by_processors = paper.mean_break_even(results, line, "processors").between(low, high)
    elsewhere[f"by processors, {STANDARD}, {SYNTHETIC}"] = by_processors
    return Decision(middle[SYNTHETIC], {SYNTHETIC: parts[SYNTHETIC]}, about, elsewhere)


@study.add_numbers
def printed_break_even(results: Results) -> Iterator[Row]:
    """Judge the printed 25 %: the paper has one synthetic workload, and so one draw."""
    line = lines(results.scale, results.seed)[SYNTHETIC, STANDARD, "EASY"]
    draws = paper.break_evens(results, line)
    mean, draw = draws.interval, draws.prediction
    words = "Figure 4 m128 synthetic", "overhead at break-even"
    judged = judge_number(PRINTED_OVERHEAD, mean, 2, one_run=draw)
    yield Row(study.name, *words, PRINTED_OVERHEAD, mean.estimate, mean.low, mean.high, *judged)


@study.add_claim("JS-4", "overhead at break-even of m128 less that of m64, synthetic")
def _equal_machines_sustain_more(results):
    of, sides = lines(results.scale, results.seed), ({}, {})
    others = [m for m in CONFIGURATIONS if m not in EQUAL]
    for (name, work), equal, other in product(works(results).items(), EQUAL, others):
        parts, pair = sides[name != SYNTHETIC], (of[name, m, "EASY"] for m in (equal, other))
        against = [
            over(results, Case(work, m, MULTI_SITE, overhead=PRINTED_OVERHEAD),
                 Case(work, m, SINGLE)).values
            for m in (equal, other)
        ]  # fmt: skip
        better = student(against[0] / against[1]).below(1)
        parts[f"better at {PRINTED_OVERHEAD:.0%}, {equal} than {other}, {name}"] = better
        more = positive(more_sustained(results, *pair))
        parts[f"larger overhead, {equal} than {other}, {name}"] = more
    deciding = (of[SYNTHETIC, m, "EASY"] for m in (STANDARD, "m64"))
    return Decision(more_sustained(results, *deciding), sides[0], "over m512", sides[1])


@study.add_claim("JS-5", "overhead at break-even of the extracts less that of the synthetic, m128")
def _extracts_sustain_no_less(results):
    if EXTRACTS not in works(results):
        return Decision(None, {}, lost=f"it is of the log; coalloc traces fetch {LOG}")
    of = lines(results.scale, results.seed)
    more = {
        m: more_sustained(results, *(of[name, m, "EASY"] for name in (EXTRACTS, SYNTHETIC)))
        for m in CONFIGURATIONS
    }
    parts = {m: positive(more[m]) for m in EQUAL}
    others = {m: positive(more[m]) for m in CONFIGURATIONS if m not in EQUAL}
    return Decision(more[STANDARD], parts, "", others)


@study.add_claim("JS-6", "AWRT with wide jobs whole over that with them in pieces, p = 25 %")
def _wide_cost_little(results):
    table = pick(results.table("figure7"), weight="work")
    rows = [
        (row["line"], row["overhead"], Interval(row["ratio"], row["ci95_low"], row["ci95_high"], 2))
        for row in table.to_dict("records")
    ]
    sides: tuple[dict, dict] = ({}, {})
    for name, p, each in rows:
        own = name == SYNTHETIC and p <= PRINTED_OVERHEAD
        sides[not own][f"p = {p:.0%}, {name}"] = each.below(1 + NEAR)
    deciding = most(each for name, p, each in rows if (name, p) == (SYNTHETIC, PRINTED_OVERHEAD))
    return Decision(deciding, sides[0], f"a little: by less than {NEAR:.0%}", sides[1])


@study.add_claim("JS-7", "AWRT of conservative backfilling over that of EASY, sharing, m128")
def _easy_beats_conservative(results):
    sides: tuple[dict, dict] = ({}, {})
    for mode, names in ((SHARING, EQUAL), (MULTI_SITE, EQUAL), (LOCAL, (STANDARD,))):
        for (name, work), m in product(works(results).items(), names):
            pair = compared_policies(work, m, mode)
            own = is_figure4(name, m) and mode != LOCAL
            sides[not own][f"{mode}, {m}, {name}"] = over(results, *pair).interval.above(1)
    pair = compared_policies(works(results)[SYNTHETIC], STANDARD, SHARING)
    return Decision(over(results, *pair).interval, sides[0], "", sides[1])


@study.add_claim("JS-8", "AWRT of other choices of machines over that of best fit, the smallest")
def _best_fit_is_good(results):
    def best_other(work, m):
        best = Case(work, m, SHARING)
        others = (replace(best, placement=rule) for rule in paper.PLACEMENTS)
        return least(over(results, other, best).interval for other in others if other != best)

    names = results.scale.elsewhere
    found = [*asked(results, best_other, lambda each: each.above(1 - NEAR), names)]
    told = f"good: no other is better by {NEAR:.0%} or more; the paper has it from an earlier one"
    return decision(found, is_figure4, least, told)


@study.add_claim("JS-9", "share of the time in which some job waits, the least configuration")
def _backlog(results):
    def waiting(work, m):
        return Sample(results[Case(work, m, SHARING)].backlog).interval

    found = [*asked(results, waiting, lambda each: each.above(SUFFICIENT))]
    own = EXTRACTS if EXTRACTS in works(results) else SYNTHETIC
    told = f"sufficient: in more than {SUFFICIENT:.0%} of the time; under job sharing"
    return decision(found, lambda name, m: name == own, least, told)


@study.add_claim("JS-10", "days from the first to the last submission, the longest workload")
def _months(results):
    days = {
        name: Sample([np.ptp(jobs.submit) / DAY for jobs in work.draws]).interval
        for name, work in works(results).items()
    }
    parts = {name: each.above(PRINTED_DAYS) for name, each in days.items()}
    return Decision(most(days.values()), parts)


@study.add_claim("JS-11", "AWRT over that of one machine of 512, the smallest")
def _lower_bound(results):
    def smallest(work, m):
        ways = Case(work, m, SHARING), Case(work, m, MULTI_SITE, overhead=PRINTED_OVERHEAD)
        return least(over(results, way, Case(work, m, SINGLE)).interval for way in ways)

    found = [*asked(results, smallest, lambda each: each.above(1))]
    told = f"of sharing, and of spanning at {PRINTED_OVERHEAD:.0%}"
    return decision(found, lambda name, m: name == SYNTHETIC, least, told)


def without_wide(scale: Scale, seed: Seed) -> Entries:
    """Local execution with wide jobs in pieces, and without them."""
    return {
        (name, wide): Case(work, STANDARD, LOCAL, wide=wide)
        for name, work in paper.workload_sets(scale.draws, seed).items()
        for wide in (OF_SITE, paper.LEFT_OUT)
    }


@study.add_claim(
    "JS-12", "local AWRT with wide jobs in pieces over that without them, m128", without_wide
)
def _pieces_cost(results):
    def added(work, m):
        pair = (Case(work, m, LOCAL, wide=wide) for wide in (OF_SITE, paper.LEFT_OUT))
        return over(results, *pair).interval

    found = [*asked(results, added, lambda each: each.above(1 + NEAR), (STANDARD,))]
    return decision(found, is_figure4, least, f"significant: by more than {NEAR:.0%}")
