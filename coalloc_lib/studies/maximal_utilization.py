"""Bucur and Epema 2003, maximal utilization: Tables 3 to 5, Figures 1 to 8, MU-1 to MU-12."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.analytic import JointSizes
from coalloc_lib.analytic import maximal_utilization as by_formula
from coalloc_lib.distributions import Deterministic, Exponential, Hyperexponential, parse_sizes
from coalloc_lib.intervals import Interval, not_
from coalloc_lib.placement import BestFit, FirstFit
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.seeds import Seed
from coalloc_lib.studies import core, losses
from coalloc_lib.studies.core import Decision, Entries, Results, Scale, Study, scales
from coalloc_lib.studies.ledger import not_on_stand_in
from coalloc_lib.studies.losses import Saturated, differences, draw_losses, one_more_loss
from coalloc_lib.studies.published import PublishedLoss
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes
from coalloc_lib.workloads.models import JobModel, ResampledJobs

FOUR = Multicluster.equal(4, 32)
#: Total requests have one cluster as large as the four together.
ONE_LARGE = Multicluster([128])
#: The five component sizes of Table 5, for Figures 3 to 6. One is not counted as a power of two:
#: the paper does not say, its Table 4 does.
FIVE = ("U[1,7]", "D(0.9)[1,8]", "D(0.768)[1,32]", "U[1,14]", "D(0.894)[1,32]")
#: Those of one mean; those with the most room, for Figure 5; and the one of 'all but one'.
ALIKE, ROOM, EXCEPTION = (FIVE[:3], FIVE[3:]), FIVE[3:], FIVE[4]
#: Waiting jobs that FPFS sees where the queue is held: half-way between the paper's bounds.
HELD = 500
#: The CTC log's name in the catalogue; jobs of at most 128 processors are used.
LOG = "CTC-SP2"

#: What is meant by 'roughly halved' (the loss that is left, over that before), 'little', 'not very
#: large' and 'similar' (losses up to so far apart), 'only the mean matters' (the same), 'about ten
#: percentage points' or more (two digits are lost), and 'not a large impact' (relatively).
HALVED, LITTLE, SAME, ABOUT_TEN, SMALL_CHANGE = (0.4, 0.6), 0.03, 0.01, 0.08, 0.25
#: What two numbers printed with three decimals may differ by beyond the printed difference.
ROUNDING = 0.001
#: Cluster sizes at which the pathological example is taken to its limit: each double and one.
DOUBLINGS = (15, 31, 63)

study = Study(
    "maximal-utilization",
    "How much of a multicluster can be kept busy where jobs need several clusters at once?",
    seed=2003,
    scales=scales(
        # At quick all simulated cells are in heavy traffic, which the paper's first type measures
        # too, at ten times the cost; and two of the service times are left out.
        jobs=(20_000, 400_000), replications=(10, 20), cell_jobs=(200_000, 4_000_000),
        response_jobs=(None, 1_000_000), response_replications=(None, 8),
        bound_arrivals=(5_000, 100_000), bound_replications=(4, 10),
        variations=((10,), (2, 5, 10)),
    ),
    logs=(LOG,),
)  # fmt: skip

ORDERED, UNORDERED = "ordered (exact)", "unordered (simulated)"
TOTAL = "total, one cluster of 128 (exact)"
INDEPENDENT, DEPENDENT = "independent sizes", "dependent sizes"
WORST, FIRST, BEST = "worst fit", "first fit", "best fit (not in the paper)"
HOLD, POISSON = "queue held at 500", "Poisson arrivals"
IN_ORDER, DRAWN, DAS1 = "CTC in its order", "CTC, pairs drawn", "DAS1"
ONE_PART, FOUR_PARTS = "one component", "four components"
CALM, WILD = "deterministic", "hyperexponential, cv 10"


def service_times(scale: Scale) -> dict[str, Any]:
    """Return the distributions of service times by name, from the calmest to the wildest."""
    wild = {f"hyperexponential, cv {cv}": Hyperexponential(1.0, cv) for cv in scale.variations}
    return {CALM: Deterministic(), "exponential": Exponential()} | wild


def bars_of(name: str, figure: str, scale: Scale) -> Mapping[str, losses.Loss]:
    """Return by series what a figure shows of a size distribution."""

    def job(**changes: Any) -> Scenario:
        return Scenario(FOUR, JobModel(parse_sizes(name), 4, **changes))

    unordered, saturated = job(), Saturated(job())
    if figure == "figure3":
        total = Scenario(ONE_LARGE, job(request="total").workload)
        ordered = losses.ByFormula(job(request="ordered"))
        return {ORDERED: ordered, UNORDERED: saturated, TOTAL: losses.ByFormula(total)}
    if figure == "figure4":
        return {INDEPENDENT: saturated, DEPENDENT: Saturated(job(split_at=32))}
    if figure == "service-times":
        return {
            f"{request}, {label}": Saturated(job(request=request, service=service))
            for label, service in service_times(scale).items()
            for request in ("ordered", "unordered")
        }
    if figure == "figure5":
        fpfs = {f"FPFS({jumps})": unordered.with_(scheduling=FPFS(jumps)) for jumps in (5, 50)}
        held = {f"{name}, {HOLD}": Saturated(rule, HELD) for name, rule in fpfs.items()}
        bounds = {f"{name}, {POISSON}": losses.BetweenBounds(rule) for name, rule in fpfs.items()}
        return {"FCFS": saturated} | held | bounds
    rules = {FIRST: FirstFit(), BEST: BestFit()}
    others = {label: Saturated(unordered.with_(placement=rule)) for label, rule in rules.items()}
    return {WORST: saturated} | others


def of_sizes(figure: str, names: Sequence[str] = FIVE) -> dict[str, Any]:
    """Return how a figure gets its cases, and those of a size distribution that a reader adds."""

    def cases(scale: Scale, seed: Seed, names: Sequence[str] = names) -> Entries:
        bars = {name: bars_of(name, figure, scale) for name in names}
        return {(name, label): case for name in names for label, case in bars[name].items()}

    more = one_more_loss(lambda name: cases(study.scales["paper"], study.seed, [name]))
    return {"cases": cases, "one_more": more}


@cache
def _log(path: str) -> tuple[str, Entries]:
    log = load_trace(LOG, missing="stand-in")
    das1 = JobModel(das1_sizes(), service=das1_service_times())
    total = log.jobs(largest=128)
    cases: dict[Any, losses.Loss] = {}
    for request, system, jobs, model in (
        ("unordered", FOUR, total.split(at_most=32), das1.with_(split_at=32)),
        ("total", ONE_LARGE, total, das1.with_(request="total")),
    ):
        cases[request, IN_ORDER] = losses.InOrder(Scenario(system, jobs))
        cases[request, DRAWN] = Saturated(Scenario(system, ResampledJobs(jobs)))
        cases[request, DAS1] = Saturated(Scenario(system, model))
    return log.title, cases


def ctc() -> tuple[str, Entries]:
    """Return the name of the log behind Figure 7, and the cases: pairs in order, and drawn."""
    # Read once for each place where it is: it may have been fetched since.
    return _log(next(each["found"] for each in listing() if each["name"] == LOG))


def one_total(scale: Scale, seed: Seed) -> Entries:
    """Return the cases of Figure 8: four draws as four components, or as one."""
    jobs = JobModel(parse_sizes("D(0.9)[1,8]"), 4)
    one, four = (Saturated(Scenario(FOUR, each)) for each in (jobs.with_(request="total"), jobs))
    return {("4 × 32", FOUR_PARTS): four, ("4 × 32", ONE_PART): one}


def loss_of(table: pd.DataFrame, series: str) -> dict[str, float]:
    """Return by group the capacity loss of a series."""
    return dict(table[table["series"] == series].set_index("group")["capacity_loss"])


def by(series: str, level: Callable[[float], Any]) -> Callable[[pd.DataFrame], dict]:
    """Return what finds by group where dashes are, given that from the loss of a series."""
    return lambda table: {group: level(loss) for group, loss in loss_of(table, series).items()}


def every(answers: Iterable[bool | None]) -> bool:
    """Whether all answers are yes, and there are some."""
    return {*answers} == {True}


def by_response(cell: PublishedLoss) -> bool:
    """Whether the paper simulated a cell by its first type: until the mean response is 1,500."""
    return cell.clusters == 1 or (cell.table == 3 and cell.request == "unordered")


losses.add_densities(study)
losses.add_printed_tables(
    study, (3, 4), by_response, notice="No cell is far from what is printed",
    when=lambda table: {"close"} < {"close", *table["verdict"]} <= {"close", "reproduced"},
    claims=("MU-2", "MU-3"),
)  # fmt: skip


def left_of_ordered(table: pd.DataFrame) -> dict[str, Interval]:
    """Return by group what is left of the loss from ordered to unordered requests."""
    return {
        group: less.plus(ordered).times(1 / ordered)
        for (group, series), less in differences(table).items()
        for ordered in [loss_of(table, ORDERED)[group]]
        if series == UNORDERED
    }


#: Limits of overtaking by their words, and their signs: more jumps, more colour.
JUMPS = {"nobody is passed": 0, "passed up to 5 times": 5, "passed up to 50 times": 50}
SIGNS = {0: plots.STANDARD, 5: plots.Sign("#F3D08A", "x"), 50: plots.MEANINGS["FPFS"]}


def freedoms(scale: Scale, seed: Seed) -> Entries:
    """Return the cases of two freedoms: where components may go, and whether jobs overtake."""
    jobs, entries = JobModel(parse_sizes(FIVE[0]), 4), dict[Any, Any]()
    requests = {"ordered": FOUR, "unordered": FOUR, "split as it fits": ONE_LARGE}
    for (words, system), (series, jumps) in product(requests.items(), JUMPS.items()):
        model = jobs.with_(request="total" if system is ONE_LARGE else words)
        one = Scenario(system, model, FPFS(jumps) if jumps else FCFS())
        entries[words, series] = Saturated(one, HELD if jumps else None)
    return entries


def filled_once(table: pd.DataFrame) -> bool:
    """Whether for certain fifty jumps gain less, the freer the request."""
    gains = [x.times(-1) for (_, name), x in differences(table).items() if name == [*JUMPS][-1]]
    return len(gains) == 3 and every(more.above(less.high) for more, less in pairwise(gains))


study.add_figure(
    "freedoms", f"capacity loss of jobs of four components {FIVE[0]} on 4 × 32, by what a request "
    "leaves open and by how often a waiting job may be passed",
    freedoms, when=filled_once, one_more=one_more_loss(),
    draw=partial(plots.bars, value="capacity_loss", group="group", series="series",
                 look={name: SIGNS[jumps] for name, jumps in JUMPS.items()}),
    notice="A hole is filled once: overtaking gains less, the freer the request",
)(partial(losses.losses_table, against=next(iter(JUMPS))))  # fmt: skip

study.add_figure(
    "figure3",
    "Figure 3: capacity loss by request type, on 4 × 32 and, for total requests, on 1 × 128",
    **of_sizes("figure3"), claims=("MU-4", "MU-5"),
    draw=draw_losses(
        "0.4 to 0.6 of ordered", by(ORDERED, lambda loss: (HALVED[0] * loss, HALVED[1] * loss))
    ),
    notice=f"From ordered to unordered requests the loss is roughly halved, but for {EXCEPTION}",
    when=lambda table: every(
        x.between(*HALVED) is (name != EXCEPTION) for name, x in left_of_ordered(table).items()
    ),
    otherwise="The dashes show where the loss of ordered requests is roughly halved",
)(partial(losses.losses_table, against=ORDERED))  # fmt: skip


def mean_alone(table: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return where losses are nearly the least of those of the five with the same mean."""
    loss = loss_of(table, DEPENDENT)
    least = {name: min(loss[n] for n in alike) for alike in ALIKE for name in alike}
    return {name: (x, x + SAME) for name, x in least.items()}


study.add_figure(
    "figure4", "Figure 4: capacity loss of unordered requests by how components are drawn, 4 × 32",
    **of_sizes("figure4"), claims=("MU-6", "MU-7"),
    draw=draw_losses("dependent sizes, if the mean alone mattered", mean_alone),
    notice=f"Dependent sizes lose more than independent ones, but for {EXCEPTION}",
    when=lambda table: every(
        less.below(0) if group == EXCEPTION else less.above(0)
        for (group, _), less in differences(table).items()
    ),
)(partial(losses.losses_table, against=INDEPENDENT))  # fmt: skip


def growths(table: pd.DataFrame) -> dict[tuple[str, str], Interval]:
    """Return by (group, series) the relative change of the loss from deterministic times."""
    base = {request: loss_of(table, f"{request}, {CALM}") for request in ("ordered", "unordered")}
    none = {(name, f"{r}, {CALM}"): Interval.exact(0.0) for r in base for name in base[r]}
    return none | {
        (group, series): less.times(1 / base[series.split(",")[0]][group])
        for (group, series), less in differences(table).items()
    }


def draw_growth(table: pd.DataFrame, **titles: Any) -> Picture:
    """Draw how the loss grows with the spread of service times, by request and sizes."""
    cv = {label: law.cv for label, law in service_times(study.scales["paper"]).items()}
    little, rows = 100 * SMALL_CHANGE, list[dict[str, Any]]()
    for (group, series), change in growths(table).items():
        request, service = series.split(", ", 1)
        at = {"group": group, "panel": f"{request} requests", "cv": cv.get(service)}
        rows.append(at | core.interval_columns(change.times(100), "growth"))
    return plots.lines(
        pd.DataFrame(rows).dropna(subset="cv"), x="cv", y="growth", line="group", panel="panel",
        xlabel="coefficient of variation", ylabel="growth of the loss (%)",
        bold={row["group"] for row in rows if row["ci95_low"] > little},
        level=(f"growth of {SMALL_CHANGE:.0%}", little), **titles,
    )  # fmt: skip


study.add_figure(
    "service-times",
    "Section 7.1: growth of the loss over that with deterministic service times, 4 × 32",
    **of_sizes("service-times"), draw=draw_growth, claims=("MU-8",),
    notice=f"The loss of {FIVE[2]} more than doubles for unordered requests",
    when=lambda table: every(
        x.above(1) for at, x in growths(table).items() if at == (FIVE[2], f"unordered, {WILD}")
    ),
)(partial(losses.losses_table, against=lambda name: f"{name.split(',')[0]}, {CALM}"))  # fmt: skip

study.add_figure(
    "figure5", "Figure 5: capacity loss of unordered requests under FCFS and FPFS, 4 × 32",
    **of_sizes("figure5", ROOM), claims=("MU-9",),
    draw=draw_losses(
        "8 points below FCFS", by("FCFS", lambda loss: loss - ABOUT_TEN),
        look={f"FPFS({k}), {how}": SIGNS[k] for k in (5, 50) for how in (HOLD, POISSON)},
    ),
    notice="Fifty jumps gain clearly more than five",
    when=lambda table: every(
        less.below(few.low) and not few.warning
        for (group, series), less in differences(table).items() if "(50)" in series
        for few in [differences(table)[group, series.replace("(50)", "(5)")]]
    ),
)(partial(losses.losses_table, against="FCFS", paired=False))  # fmt: skip

study.add_figure(
    "figure6", "Figure 6: capacity loss of unordered requests by placement, 4 × 32",
    **of_sizes("figure6"), claims=("MU-10",),
    draw=draw_losses("worst fit ± 3 points", by(WORST, lambda x: (x - LITTLE, x + LITTLE))),
    notice="Worst fit loses least, whatever the sizes",
    when=lambda table: every(less.above(0) for less in differences(table).values()),
)(partial(losses.losses_table, against=WORST))  # fmt: skip


def draw_logs(table: pd.DataFrame, subtitle: str = "", **titles: Any) -> Picture:
    """Draw the losses of the logs; the subtitle says what stands in for them."""
    draw = draw_losses("DAS1 ± 3 points", by(DAS1, lambda x: (x - LITTLE, x + LITTLE)))
    return draw(table, subtitle=f"{subtitle}; {ctc()[0]} and the DAS1 stand-in", **titles)


study.add_figure(
    "figure7", "Figure 7: capacity loss with the jobs of two logs of at most 128 processors",
    lambda scale, seed: ctc()[1], draw=draw_logs, claims=("MU-11",), one_more=one_more_loss(),
    notice="With total requests DAS1 loses far more than CTC, however its log is read",
    when=lambda table: every(
        less.below(-LITTLE) for (group, _), less in differences(table).items() if group == "total"
    ),
)(partial(losses.losses_table, against=DAS1, paired=False))  # fmt: skip

study.add_figure(
    "figure8",
    "Figure 8: capacity loss with four draws of D(0.9)[1,8] as four components or as one, 4 × 32",
    one_total, claims=("MU-12",), one_more=one_more_loss(),
    draw=draw_losses("as much as four components", by(FOUR_PARTS, lambda loss: loss)),
    notice="The same total loses less spread over four clusters than whole in one",
    when=lambda table: len(table) == 2 and every(x.above(0) for x in differences(table).values()),
)(partial(losses.losses_table, against=FOUR_PARTS))  # fmt: skip


def pathological_loss(clusters: int, size: int) -> float:
    """Capacity loss of ordered jobs of ceil((N + 1)/2) tasks in cluster 1, one in each other."""
    vector = np.array([[-(-(size + 1) // 2)] + [1] * (clusters - 1)])
    system = Multicluster.equal(clusters, size)
    return by_formula(system, JointSizes(vector, np.ones(1))).capacity_loss


@study.add_claim("MU-1", f"largest gap to the limit at N = {DOUBLINGS[-1]}")
def _limit_of_the_pathological_example(results: Results) -> Decision:
    parts, last = {}, 0.0
    for clusters in (2, 3, 4):
        limit = (2 * clusters - 1) / (2 * clusters)
        gaps = np.array([limit - pathological_loss(clusters, n) for n in DOUBLINGS])
        halves = bool(np.allclose(gaps[1:] / gaps[:-1], 0.5, atol=0.05))
        parts[f"gap to the limit halves as N doubles, C = {clusters}"] = halves
        last = max(last, float(np.abs(gaps[-1])))
    return Decision(last, parts)


def _apart(results, method, request):
    """Return by sizes simulated less calculated losses, and a limit: how near printed ones are."""
    cells = pd.concat([results.table("table3"), results.table("table4")])
    cells = cells[cells["request"] == request]
    kinds = (cells[cells["method"] == kind] for kind in ("simulation", method))
    both = pd.merge(*kinds, on=["table", "component_sizes", "clusters"], suffixes=("", "_known"))
    limit = (both["published"] - both["published_known"]).abs().max() + ROUNDING
    return {
        row.component_sizes: Interval(
            row.capacity_loss, row.ci95_low, row.ci95_high, 2, warning=row.warning
        ).plus(-row.capacity_loss_known)
        for row in both.itertuples()
    }, limit


def _agreement(apart: Mapping[str, Interval], limit: float) -> tuple[Interval, dict]:
    """Return how far cells are apart on average, and whether within a limit, with no cell out."""
    every, doubts = [*apart.values()], [x.warning for x in apart.values() if x.warning]
    mean = float(np.mean([x.estimate for x in every]))
    half = float(np.linalg.norm([x.half_width for x in every])) / len(every)  # independent runs
    average = Interval(mean, mean - half, mean + half, len(every), warning="; ".join(doubts))
    within = {x.between(-limit, limit) for x in every}
    parts = {
        f"average of {len(every)} cells within {limit:.3f}": average.between(-limit, limit),
        f"none of {len(every)} cells further off for certain": False not in within,
    }
    return average, parts


@study.add_claim("MU-2", "simulated less exact loss, average of ordered cells")
def _exact_and_simulated_agree(results: Results) -> Decision:
    of = {kind: _agreement(*_apart(results, "exact", kind)) for kind in ("total", "ordered")}
    parts = {f"{kind}: {part}": yes for kind, (_, each) in of.items() for part, yes in each.items()}
    return Decision(of["ordered"][0], parts)


@study.add_claim("MU-3", "simulated less approximate loss, average of cells")
def _approximation_is_reasonable(results: Results) -> Decision:
    apart, limit = _apart(results, "approximation", "unordered")
    below = sum(each.estimate > 0 for each in apart.values())
    note = f"the approximation is below the simulation in {below} of {len(apart)} cells"
    return Decision(*_agreement(apart, limit), note)


@study.add_claim("MU-4", "smallest step of the capacity loss")
def _unordered_between_total_and_ordered(results: Results) -> Decision:
    table, steps = results.table("figure3"), list[Interval]()
    parts: dict[str, bool | None] = {}
    for name in FIVE:
        less = differences(table)[name, UNORDERED]
        above = less.plus(loss_of(table, ORDERED)[name] - loss_of(table, TOTAL)[name])
        parts |= {f"{name} below ordered": less.below(0), f"{name} above total": above.above(0)}
        steps += [less.times(-1), above]
    return Decision(core.least(steps), parts)


@study.add_claim("MU-5", "largest ratio but that of the exception")
def _loss_is_halved_but_once(results: Results) -> Decision:
    left = left_of_ordered(results.table("figure3"))
    halved = {name: each.between(*HALVED) for name, each in left.items()}
    parts = {f"all but {EXCEPTION}": not_(halved.pop(EXCEPTION))} | halved
    note = f"unordered over ordered loss; {HALVED[0]} to {HALVED[1]} taken as roughly half"
    return Decision(core.most(left[name] for name in halved), parts, note)


@study.add_claim("MU-6", f"dependent less independent loss, {EXCEPTION}")
def _dependent_sizes_lose_more_but_once(results: Results) -> Decision:
    change = {name: less for (name, _), less in differences(results.table("figure4")).items()}
    parts = {f"{name} worse": change[name].above(0) for name in FIVE[:4]}
    parts[f"{EXCEPTION} better"] = change[EXCEPTION].below(0)
    return Decision(change[EXCEPTION], parts)


@study.add_claim("MU-7", "largest difference among equal means, dependent sizes")
def _only_the_mean_matters_if_dependent(results: Results) -> Decision:
    cases = study.figures["figure4"].cases(results.scale, results.seed)

    def widest(group: Sequence[str], series: str) -> Interval:
        samples = [results[cases[name, series]] for name in group]
        lowest, *_, highest = sorted(samples, key=lambda each: each.mean)
        return (highest - lowest).interval

    def alike(series: str) -> dict[str, bool | None]:
        ends = {", ".join(group): widest(group, series) for group in ALIKE}
        words = f"at most {SAME} apart, {series}"
        return {f"{names}: {words}": end.between(-SAME, SAME) for names, end in ends.items()}

    small_and_large = widest((ALIKE[0][0], ALIKE[1][0]), DEPENDENT)
    parts = alike(DEPENDENT) | {"another mean, another loss": small_and_large.above(SAME)}
    means = [[parse_sizes(name).mean for name in group] for group in ALIKE]
    parts["means almost identical (Table 5)"] = all(max(m) <= 1.01 * min(m) for m in means)
    furthest = core.most(widest(group, DEPENDENT) for group in ALIKE)
    return Decision(furthest, parts, elsewhere=alike(INDEPENDENT))


@study.add_claim("MU-8", "largest change of the loss")
def _service_times_change_little(results: Results) -> Decision:
    little: dict[bool, dict] = {True: {}, False: {}}
    change = growths(results.table("service-times"))
    for (name, series), each in change.items():
        words = f"{name} {series} {each.estimate:+.0%}"
        if CALM not in series:
            little[WILD in series][words] = each.between(-SMALL_CHANGE, SMALL_CHANGE)
    note = f"{SMALL_CHANGE:.0%} taken as little; the sizes of the paper's one example are not named"
    return Decision(core.furthest(change.values()), little[True], note, little[False])


@study.add_claim("MU-9", "largest gain of MaxJumps 50")
def _overtaking_gains(results: Results) -> Decision:
    less, gains = differences(results.table("figure5")), []
    answers: dict[str, dict] = {POISSON: {}, HOLD: {}}
    for how, name in product(answers, ROOM):
        few, many = (less[name, f"FPFS({jumps}), {how}"].times(-1) for jumps in (5, 50))
        words = f"{name}, {how}, MaxJumps"
        answers[how] |= {
            f"{words} 5 gains {100 * few.estimate:.1f} points": few.below(LITTLE),
            f"{words} 50 gains {100 * many.estimate:.1f} points": many.above(ABOUT_TEN),
        }
        gains += [many] * (how == POISSON)
    note = "the two digits of the gain are lost; ten points is the least they can be"
    return Decision(core.most(gains), answers[POISSON], note, answers[HOLD])


@study.add_claim("MU-10", "first less worst fit loss")
def _placement_changes_little(results: Results) -> Decision:
    less = differences(results.table("figure6"))
    changes = {f"{n} {100 * less[n, FIRST].estimate:+.1f} points": less[n, FIRST] for n in FIVE}
    parts = {words: change.between(-LITTLE, LITTLE) for words, change in changes.items()}
    return Decision(core.furthest(changes.values()), parts)


@study.add_claim("MU-11", "largest DAS1 less CTC loss, total requests")
def _two_logs_lose_alike(results: Results) -> Decision:
    if missing := core.missing_logs([LOG]):
        return Decision(None, {}, lost=not_on_stand_in(*missing).note)
    less = differences(results.table("figure7"))
    changes = {f"total, {r}: similar": less["total", r].times(-1) for r in (IN_ORDER, DRAWN)}
    parts = {words: change.between(-LITTLE, LITTLE) for words, change in changes.items()}
    # How often sizes are powers of two is ours, and moves the loss of unordered requests most.
    note = "unordered requests: cannot be tested on a stand-in for DAS1"
    return Decision(core.furthest(changes.values()), parts, note)


@study.add_claim("MU-12", "loss of one component less that of four")
def _co_allocation_helps(results: Results) -> Decision:
    change = differences(results.table("figure8"))["4 × 32", ONE_PART]
    return Decision(change, {"one component loses more": change.above(0)})
