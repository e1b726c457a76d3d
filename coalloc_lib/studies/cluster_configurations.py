"""Bucur and Epema 2002, system configurations and job structures: CC-1 to CC-14; break-even."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.checks import InputError, instance_of
from coalloc_lib.distributions import power_of_two, uniform
from coalloc_lib.intervals import Interval, Sample, all_of, not_
from coalloc_lib.placement import FirstFit, WorstFit
from coalloc_lib.saturation import replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.seeds import Seed
from coalloc_lib.studies import response_lines
from coalloc_lib.studies.core import Decision, Entries, Results, Scale, Study, most, scales
from coalloc_lib.studies.losses import add_densities, add_printed_tables, scenario_columns
from coalloc_lib.studies.response_lines import SHARES, Line, Ranges
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel, Mixture

#: Component sizes of sections 4 and 5; 1 is not counted as a power of two.
SIZES = power_of_two(0.9, 1, 8)
#: Processors of every system. Utilizations are relative to it, also on the cluster of 64 alone.
PROCESSORS = 128
EQUAL = {"4×32": (32,) * 4, "8×16": (16,) * 8}
#: The paper prints one unequal system, the first; its captions ask for more. These double the
#: number of clusters at about one ratio of sizes, and the fifth is a counterexample: few clusters,
#: but four of them not much smaller than a job's components add up to.
UNEQUAL = {
    "64+32+2×16": (64, 32, 16, 16),
    "64+4×16": (64,) + (16,) * 4,
    "2×32+2×16+4×8": (32,) * 2 + (16,) * 2 + (8,) * 4,
    "4×16+8×8": (16,) * 4 + (8,) * 8,
    "2×40+3×16": (40,) * 2 + (16,) * 3,
}
#: Those of 'few' and of 'many' clusters, for jobs of four components.
FEW = [name for name, clusters in UNEQUAL.items() if len(clusters) <= 5]
MANY = [name for name, clusters in UNEQUAL.items() if len(clusters) >= 8]
#: Claims are judged on the system that is printed, and on that of most clusters, which stands for
#: the paper's of 'many'; the others are ours.
PRINTED, *OURS = (name for name in UNEQUAL if name != "4×16+8×8")
STANDS = "4×16+8×8 stands for the many clusters of the paper, which are not printed"
FOUR = JobModel(SIZES, 4)


def _with_mixtures(models: dict[str, JobModel]) -> dict[str, JobModel | Mixture]:
    one, two, four = (models[number] for number in "124")
    return models | {
        "75% 1, 25% 4": Mixture({one: 0.75, four: 0.25}),
        "50% 1, 50% 4": Mixture({one: 0.5, four: 0.5}),
        "25% 1, 75% 4": Mixture({one: 0.25, four: 0.75}),
        "third of each": Mixture({one: 1 / 3, two: 1 / 3, four: 1 / 3}),
    }


#: Section 5.1: components of one distribution, by their number; section 5.2: of one total.
SAME_SIZE = _with_mixtures({str(k): JobModel(SIZES, k) for k in (1, 2, 3, 4)})
SAME_TOTAL = _with_mixtures({str(k): FOUR.with_(merged_into=k) for k in (1, 2)} | {"4": FOUR})
*OF_TWO, THIRDS = MIXES = list(SAME_TOTAL)[3:]
#: Loads at which systems are compared in pairs: low, moderate and high; and the moderate one.
COMPARED, MODERATE = (0.3, 0.6, 0.8), 0.6
#: What CC-13 may be off by: responses are differences of instants some 10^4 times as large.
EXACT = 1e-6
#: Differences of the maximal utilization: 'much', 'visible' and 'significant' from here on,
#: 'slightly' below, 'hardly' up to here; relative ones of mean response times that are 'like'.
MUCH, SLIGHT, LIKE = 0.03, 0.01, 0.05

study = Study(
    "cluster-configurations",
    "Which clusters, which placement and how many components serve jobs best?",
    seed=2002,
    scales=scales(
        jobs=(12_000, 200_000), replications=(8, 20), precision=(0.1, 0.03),
        shares=((0.3, 0.6, 0.8, 0.92), SHARES), most_jobs=(6_000, 1_000_000),
        map_jobs=(4_000, 100_000),
        # Cells of the tables: at quick in heavy traffic, which measures the same as the paper's
        # first type of simulation, a rate at which the mean response time is 1,500.
        cell_jobs=(200_000, None), response_jobs=(None, 400_000), response_replications=(None, 8),
    ),
)  # fmt: skip


def _scenarios():
    rules = {"first fit": FirstFit(), "worst fit": WorstFit()}
    for name, clusters in (EQUAL | UNEQUAL).items():
        backwards = FirstFit(clusters=tuple(range(len(clusters)))[::-1])
        for rule, placement in (rules | {"first fit, small first": backwards}).items():
            yield f"{name} {rule}", Scenario(Multicluster(clusters), FOUR, placement=placement)
        ordered = FOUR.with_(request="ordered")
        yield f"{name} ordered", Scenario(Multicluster(clusters), ordered)
    yield "64 alone, total", Scenario(Multicluster([64]), FOUR.with_(request="total"))
    system = Multicluster(EQUAL["4×32"])
    for kind, models in (("size", SAME_SIZE), ("total", SAME_TOTAL)):
        for name, model in models.items():
            for rule, placement in rules.items():
                yield f"same {kind}: {name}, {rule}", Scenario(system, model, placement=placement)


#: The lines of Figures 3 to 12, and some more, by name; what has several names is one case.
LINES = {name: Line(scenario, PROCESSORS, COMPARED) for name, scenario in _scenarios()}


@dataclass(frozen=True)
class Stretched:
    """Jobs whose service is all `alpha` times as long, at 1/`alpha` of the rate: CC-13."""

    alpha: float

    def measure(self, scale: Scale, seed: Seed) -> float:
        """Return the largest relative error of the rule that each response is so much longer."""
        scenario = LINES["4×32 worst fit"].scenario
        jobs = scenario.sample(20_000, load=MODERATE, seed=seed)
        slow = jobs.replace(submit=self.alpha * jobs.submit, runtime=self.alpha * jobs.runtime)
        one, other = (scenario.run(each).response for each in (jobs, slow))
        return float(np.abs(other / (self.alpha * one) - 1).max())


STRETCHED = {alpha: Stretched(alpha) for alpha in (1.25, 2.0, 10.0)}


@dataclass(frozen=True)
class BreakEven:
    """The penalty up to which jobs that span clusters saturate them no earlier than whole ones.

    Service times ``1 + penalty`` times as long make the same schedule in slow motion, so that jobs
    that span can use ``rho_span / (1 + penalty)`` for net work: ``rho_whole`` at this penalty.
    """

    scenario: Scenario

    def __post_init__(self) -> None:
        instance_of("scenario", self.scenario, Scenario, "Scenario(system, jobs)")
        model: Any
        model, system = self.scenario.workload, self.scenario.system
        known = isinstance(model, JobModel) and model.request == "unordered" and not model.split_at
        if not known or (model.merged_into or model.components) < 2:
            raise InputError(f"workload = {model}; give a JobModel of two unordered components")
        largest = int(model.with_(merged_into=1).largest().components.max())
        if largest > system.largest:
            why = f"make jobs of up to {largest} processors, too wide for a cluster of {system}"
            raise InputError(f"sizes = {model.sizes} {why}; give smaller sizes or larger clusters")

    @property
    def whole(self) -> Scenario:
        """The same jobs in one component each."""
        model: Any = self.scenario.workload
        return self.scenario.with_(workload=model.with_(merged_into=1))

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the penalty at break-even in each replication."""
        how: dict[str, Any] = {"jobs": scale.map_jobs, "replications": scale.replications}
        (span, doubt), (whole, more_doubt) = (
            replicated_traffic(each, seed=seed, **how) for each in (self.scenario, self.whole)
        )
        return Sample(span.mean(axis=1) / whole.mean(axis=1) - 1, doubt or more_doubt)


add_printed_tables(
    study, (2, 1), lambda cell: True, notice="Nearly all cells come out as printed",
    when=lambda table: (table["verdict"] == "reproduced").mean() >= 0.9,
)  # fmt: skip
add_densities(study)

#: One sign for each system, in all figures: equal ones, unequal ones of few and of many clusters.
SYSTEMS = {
    "4×32": plots.STANDARD, "8×16": plots.Sign("#117733", "H"),
    "64+32+2×16": plots.Sign("#999933", "d"), "64+4×16": plots.Sign("#CC6677", "8"),
    "2×40+3×16": plots.Sign("#332288", "h"), "2×32+2×16+4×8": plots.Sign("#AA4499", "p"),
    "4×16+8×8": plots.Sign("#000000", "v"),
}  # fmt: skip
#: Jobs by their mean number of components: labels, and what names of lines call them.
JOBS = {
    label: label.split(" component")[0]
    for label in (
        "1 component", OF_TWO[0], "2 components", THIRDS, OF_TWO[1], "3 components", OF_TWO[2],
        "4 components")
}  # fmt: skip
#: Ranges of the maximal utilization of a line less that of the one it is compared with.
MORE, FAR_MORE, LESS, FAR_LESS = (0, np.inf), (MUCH, np.inf), (-np.inf, 0), (-np.inf, -MUCH)


def _add(
    number: str, shows: str, lines: Mapping[str, str], against: Mapping[str, str], ranges: Ranges,
    notice: str, *claims: str, **drawn: Any,
) -> None:  # fmt: skip
    """Add a figure of lines by label, some held against others; both are names of `LINES`.

    Its notice is true where the gains are within `ranges`.
    """
    cases = {n: tuple(LINES[x] for x in (one, against.get(n)) if x) for n, one in lines.items()}
    draw = partial(response_lines.draw_lines, ranges=ranges, **{"look": SYSTEMS} | drawn)
    study.add_figure(
        f"figure{number}", shows, lambda scale, seed: cases, draw=draw, notice=notice,
        when=partial(response_lines.gains_within, ranges=ranges, known=cases), claims=claims,
        one_more=_one_more,
    )(response_lines.lines_table)  # fmt: skip


def _one_more(label: Any, scenario: Any) -> Entries:
    instance_of("scenario", scenario, Scenario, "Scenario(system, jobs)")
    return {instance_of("label", label, str, "a text"): Line(scenario, PROCESSORS)}


def _by_name(line: str, *names: str) -> dict[str, str]:
    return {name: line.format(name) for name in names}


def _of_jobs(line: str) -> dict[str, str]:
    return {label: each for label, key in JOBS.items() if (each := line.format(key)) in LINES}


_BASE = "4×32 first fit"
_FEW_AND_MANY = {
    "few unequal clusters: 4 or 5": ["4×32", *FEW],
    "many unequal clusters: 8 or 12": ["4×32", *MANY],
}
_BY_RULE = {name: [f"{name}, {rule}" for rule in ("first fit", "worst fit")] for name in MANY}
_TIMES = "response times by number of components"
_JOBS: dict[str, Any] = {
    "look": plots.shades(JOBS),
    "panels": {
        "jobs of one kind": [name for name in JOBS if name not in MIXES],
        "shares of jobs with 1, 2 or 4 components": ["1 component", *MIXES],
    },
}


def _add_worst(n: int, kind: str, words: str) -> None:
    _add(f"{n}", f"Figure {n}: {_TIMES}, {words}, worst fit, 4×32",
         _of_jobs(f"same {kind}: {{}}, worst fit"), _of_jobs(f"same {kind}: {{}}, first fit"),
         {"4 components": FAR_MORE, "1 component": (-SLIGHT, SLIGHT)},
         "Worst fit helps jobs of four components, and leaves those of one as they are",
         f"CC-{n}", dashed="3 points over first fit; for one component, 1 point from it",
         beside=f"first fit, Figure {n - 1}", **_JOBS)  # fmt: skip


_add("3", "Figure 3: response times on equal and unequal clusters, first fit; shares of 128 "
     "processors",
     {"4×32, ordered": "4×32 ordered", "64+32+2×16, ordered": "64+32+2×16 ordered",
      "64 alone, total": "64 alone, total", "4×32, unordered": _BASE,
      "64+32+2×16, unordered": "64+32+2×16 first fit"},
     {"4×32, ordered": "64+32+2×16 ordered", "64 alone, total": "64+32+2×16 ordered",
      "4×32, unordered": "64+32+2×16 first fit"},
     {"4×32, ordered": FAR_MORE, "4×32, unordered": FAR_MORE, "64 alone, total": MORE},
     "Equal clusters saturate far later than unequal ones; where requests are ordered, the largest "
     "of these alone saturates later than all",
     "CC-1", "CC-2", dashed="3 points over 64+32+2×16; for 64 alone, as much",
     panels={"ordered requests": ["4×32, ordered", "64+32+2×16, ordered", "64 alone, total"],
             "unordered requests": ["4×32, unordered", "64+32+2×16, unordered"]},
     look={f"{name}, {request}": SYSTEMS[name] for name in ("4×32", "64+32+2×16")
           for request in ("ordered", "unordered")})  # fmt: skip
_add("4", "Figure 4: response times on equal clusters, first fit",
     _by_name("{} first fit", *EQUAL), {"8×16": _BASE}, {"8×16": (0, MUCH)},
     "Under first fit eight small clusters saturate slightly later than four large ones",
     "CC-3", dashed="0 to 3 points over 4×32")  # fmt: skip
_add("5a", "Figure 5, top: response times on unequal clusters, first fit from the large ones on",
     _by_name("{} first fit", "4×32", *UNEQUAL), dict.fromkeys(UNEQUAL, _BASE),
     dict.fromkeys(UNEQUAL, (-MUCH, np.inf)) | dict.fromkeys(FEW[:2], FAR_LESS),
     "Many unequal clusters can use about as much as equal ones, few only if four are large",
     "CC-5", dashed="3 points below 4×32", panels=_FEW_AND_MANY)  # fmt: skip
_add("5b", "Figure 5, bottom: response times on unequal clusters, first fit from the small ones on",
     {"4×32": _BASE} | _by_name("{} first fit, small first", *UNEQUAL),
     _by_name("{} first fit", *UNEQUAL), dict.fromkeys(UNEQUAL, LESS),
     "Every unequal system saturates earlier where its small clusters are filled first",
     "CC-4", "CC-5", dashed="as much as from the large ones on", panels=_FEW_AND_MANY)  # fmt: skip
_add("6", "Figure 6: response times on equal clusters, worst fit",
     _by_name("{} worst fit", *EQUAL), _by_name("{} first fit", *EQUAL),
     {"4×32": FAR_MORE, "8×16": FAR_LESS},
     "Worst fit helps on four large clusters, and harms on eight small ones",
     "CC-7", "CC-8", dashed="3 points from first fit", beside="first fit, Figure 4")  # fmt: skip
_add("7", "Figure 7: response times on unequal clusters, worst fit",
     _by_name("{} worst fit", "4×32", *UNEQUAL), _by_name("{} first fit", "4×32", *UNEQUAL),
     {"4×32": FAR_MORE} | dict.fromkeys(FEW, (0, MUCH)) | dict.fromkeys(MANY, FAR_LESS),
     "Worst fit helps a little where unequal clusters are few, and harms where they are many",
     "CC-6", "CC-7", "CC-14", dashed="3 points from first fit", beside="first fit, Figure 5",
     panels=_FEW_AND_MANY)  # fmt: skip
_add("8", "Figure 8: response times on many unequal clusters by placement",
     {name: name.replace(",", "") for names in _BY_RULE.values() for name in names},
     {f"{name}, first fit": f"{name} worst fit" for name in MANY},
     {f"{name}, first fit": FAR_MORE for name in MANY},
     "On many unequal clusters first fit saturates far later than worst fit",
     "CC-8", dashed="3 points over worst fit", panels=_BY_RULE,
     look={f"{name}, {rule}": plots.MEANINGS[rule] for name in MANY
           for rule in ("first fit", "worst fit")})  # fmt: skip
_add("9", f"Figure 9: {_TIMES}, each of one distribution, first fit, 4×32",
     _of_jobs("same size: {}, first fit"),
     {f"{k} component{'s' * (k > 1)}": f"same size: {k + 1}, first fit" for k in (1, 2, 3)},
     dict.fromkeys(("1 component", "2 components", "3 components"), MORE),
     "The fewer components a job has, the later the system saturates",
     "CC-9", dashed="as much as with one component more", **_JOBS)  # fmt: skip
_add_worst(10, "size", "each of one distribution")
_add("11", f"Figure 11: {_TIMES}, of one total, first fit, 4×32",
     _of_jobs("same total: {}, first fit"),
     dict.fromkeys(("2 components", "4 components", *OF_TWO), "same total: 1, first fit"),
     {"2 components": MORE, "4 components": MORE} | dict.fromkeys(OF_TWO, LESS),
     "Of one total, two or four components can use more than one, mixtures of one and four less",
     "CC-11", dashed="as much as one component", **_JOBS)  # fmt: skip
_add_worst(12, "total", "of one total")


#: Penalties that are known from elsewhere, by what is written beside them: programs on links a
#: hundred times slower mostly have less (quoted by Bucur and Epema); up to this one several sites
#: beat one, with backfilling and another log (Ernemann and others).
LEVELS = {"0.4 (Bucur, Epema)": 0.4, "0.25 (Ernemann et al.)": 0.25}
#: Component sizes by the number of clusters of 32, which is that of the components too. A whole
#: job, the sum of all, has at most the processors of a cluster.
SPANNING = {
    "2×32": (2, [uniform(1, m) for m in (4, 8, 12, 14, 16)]),
    "4×32": (4, [uniform(1, m) for m in (2, 4, 6, 8)]),
    "8×32": (8, [uniform(1, m) for m in (2, 3, 4)]),
    "4×32, D(0.9)": (4, [power_of_two(0.9, 1, m) for m in (2, 4, 8)]),
}
#: Policies that are looked at, by the headings of their panels.
POLICIES = {"FCFS: in order of submission": FCFS(), "FPFS: passed by up to 50 times": FPFS(50)}


def one_more_penalty(line: Any, scenario: Any) -> Entries:
    """Return the entry of jobs that span: a point of a line, in its policy's panel."""
    case, policy = BreakEven(scenario), getattr(scenario, "scheduling", None)
    panel = next((words for words, known in POLICIES.items() if known == policy), str(policy))
    return {(line, str(scenario.workload.sizes), panel): case}


def _penalties(scale: Scale, seed: Seed) -> Entries:
    entries: dict[Any, Any] = {}
    for policy, (line, (clusters, laws)) in product(POLICIES.values(), SPANNING.items()):
        system = Multicluster.equal(clusters, 32)
        for jobs in (JobModel(sizes, clusters) for sizes in laws):
            entries |= one_more_penalty(line, Scenario(system, jobs, policy, WorstFit()))
    return entries


def _large_on_eight(table: pd.DataFrame) -> bool:
    """Whether in each panel the largest jobs on eight clusters gain most, beyond all intervals."""
    tops = table.loc[table.groupby("panel")["ci95_low"].idxmax()].set_index("panel", drop=False)
    rest = table[~table["ci95_low"].isin(tops["ci95_low"])].groupby("panel")["ci95_high"].max()
    alike = {*tops["line"] + tops["sizes"]} == {"8×32U[1,4]"} and not table["warning"].any()
    return alike and bool(tops["ci95_low"].gt(rest, fill_value=-np.inf).all())


@study.add_figure(
    "break-even", "penalty up to which jobs that span all clusters saturate them no earlier than "
    "whole ones; components U[1,m], or D(0.9)[1,m]; worst fit; bands: 95 % intervals",
    _penalties, when=_large_on_eight, one_more=one_more_penalty,
    draw=partial(
        plots.lines, x="share", y="penalty", line="line", panel="panel", levels=LEVELS, whole=True,
        # One step more than there are: names in the lightest shade would be hard to read.
        look=plots.shades(["2×32", "4×32", "8×32", "one more"]), ylabel="break-even penalty",
        xlabel="mean job, as a share of one cluster",
    ),
    notice="Spanning pays most where jobs are large and of many components",
)  # fmt: skip
def penalties_table(entries: Entries, results: Results) -> pd.DataFrame:
    """Return the penalty at break-even of each point, and the mean job's share of a cluster."""
    rows = []
    for (line, sizes, panel), case in entries.items():
        found, scenario = results[case].interval, case.scenario
        rows.append({
            "line": line, "sizes": sizes, "panel": panel,
            "share": scenario.workload.mean_processors / scenario.system.largest,
            "penalty": found.estimate, "ci95_low": found.low, "ci95_high": found.high,
            "count": found.count, "warning": found.warning, **scenario_columns(scenario),
        })  # fmt: skip
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Comparison:
    """One line less another: maximal utilization, relative responses; where the other saturates."""

    pairs: Sample
    max_utilization: Interval
    responses: dict[float, Interval]
    saturates: float

    def better(self, by: float = 0.0) -> bool | None:
        """Whether the first saturates later, and nowhere responds slower by more than `LIKE`."""
        slower = (response.above(LIKE) for response in self.responses.values())
        return all_of(self.max_utilization.above(by), *map(not_, slower))

    def alike(self) -> bool | None:
        """Whether one line is about the other, moved by at most `SLIGHT` in utilization."""
        # Near saturation times grow like 1 / (saturates - load): a small move is a large factor.
        limits = {load: max(LIKE, SLIGHT / (self.saturates - load)) for load in self.responses}
        responses = (x.between(-limits[load], limits[load]) for load, x in self.responses.items())
        return all_of(self.max_utilization.between(-SLIGHT, SLIGHT), *responses)


def compare(results: Results, one: str, other: str, line: str = "{}") -> Comparison:
    """Return one of `LINES` less another; the names stand in the braces of `line`."""
    first, second = (results[LINES[line.format(name)]] for name in (one, other))
    responses = {
        load: (first.at[load] - second.at[load]).interval.times(1 / second.at[load].mean)
        for load in COMPARED
        if load in first.at and load in second.at
    }
    pairs = first.max_utilization - second.max_utilization
    return Comparison(pairs, pairs.interval, responses, second.max_utilization.mean)


def _asked(decides: Interval, answers: Mapping[str, bool | None], note: str = "") -> Decision:
    """Return a decision from answers by words; those that name a system of ours count elsewhere."""
    ours = {words: a for words, a in answers.items() if any(name in words for name in OURS)}
    return Decision(decides, {w: a for w, a in answers.items() if w not in ours}, note, ours)


@study.add_claim("CC-1", "ordered: 4×32 less 64+32+2×16, bound")
def _equal_clusters_saturate_later(results: Results) -> Decision:
    ordered = compare(results, "4×32", "64+32+2×16", "{} ordered")
    unordered = compare(results, "4×32", "64+32+2×16", "{} first fit")
    parts = {
        "ordered: equal much better": ordered.better(MUCH),
        "unordered: equal much better": unordered.better(MUCH),
        "less so for unordered": (ordered.pairs - unordered.pairs).interval.above(0),
    }
    return Decision(ordered.max_utilization, parts)


@study.add_claim("CC-2", "64 alone less 64+32+2×16 ordered, bound")
def _a_large_cluster_alone_is_better(results: Results) -> Decision:
    change = compare(results, "64 alone, total", "64+32+2×16 ordered")
    return Decision(change.max_utilization, {"64 alone better": change.better()})


@study.add_claim("CC-3", "8×16 less 4×32 under first fit, bound")
def _eight_clusters_are_slightly_better(results: Results) -> Decision:
    change = compare(results, "8×16", "4×32", "{} first fit")
    low, *others = COMPARED
    parts = {f"alike at {low}": change.responses[low].between(-LIKE, LIKE)}
    parts |= {f"8×16 faster at {load}": change.responses[load].below(0) for load in others}
    more = change.max_utilization
    parts["saturates slightly later"] = all_of(more.above(0), more.between(-MUCH, MUCH))
    return Decision(change.max_utilization, parts)


@study.add_claim("CC-4", f"{PRINTED}: large first less small first, bound")
def _large_clusters_first(results: Results) -> Decision:
    changes = {n: compare(results, "", ", small first", f"{n} first fit{{}}") for n in UNEQUAL}
    answers = {f"{name}: large first better": c.better() for name, c in changes.items()}
    return _asked(changes[PRINTED].max_utilization, answers, STANDS)


@study.add_claim("CC-5", f"{PRINTED} less 4×32, the nearer of two, bound")
def _many_unequal_clusters_do_well(results: Results) -> Decision:
    """'Well': much as four equal clusters, in maximal utilization and at a moderate load."""
    lines = {f"{n} first fit{order}": n for order in ("", ", small first") for n in UNEQUAL}
    changes = {line: compare(results, line, _BASE) for line in lines}
    answers = {}
    for line, change in changes.items():
        moderate = change.responses.get(MODERATE)  # None where that load saturates it
        alike = moderate.below(LIKE) if moderate else False
        well = all_of(change.max_utilization.above(-MUCH), alike)
        few = lines[line] in FEW
        answers[f"{line} does {'not do ' * few}well"] = not_(well) if few else well
    printed = (change.max_utilization for n, change in changes.items() if lines[n] == PRINTED)
    return _asked(most(printed), answers, STANDS)


@study.add_claim("CC-6", f"4×16+8×8 less {PRINTED} under worst fit, bound")
def _worst_fit_wants_equal_or_many_clusters(results: Results) -> Decision:
    under = partial(compare, results, line="{} worst fit")
    others = [name for name in EQUAL | UNEQUAL if name != "4×32"]
    answers = {f"4×32 much better than {name}": under("4×32", name).better(MUCH) for name in others}
    changes = {f"{many} better than {few}": under(many, few) for many in MANY for few in FEW}
    answers |= {words: change.better() for words, change in changes.items()}
    decides = changes[f"4×16+8×8 better than {PRINTED}"].max_utilization
    return _asked(decides, answers, STANDS)


@study.add_claim("CC-7", "4×32: worst less first fit, bound")
def _worst_fit_is_better_on_few_clusters(results: Results) -> Decision:
    changes = {n: compare(results, "worst fit", "first fit", f"{n} {{}}") for n in ("4×32", *FEW)}
    equal = changes.pop("4×32")
    answers = {"4×32: worst fit much better": equal.better(MUCH)}
    for name, change in changes.items():
        slightly = all_of(change.better(), change.max_utilization.between(-MUCH, MUCH))
        answers[f"{name}: worst fit slightly better"] = slightly
    return _asked(equal.max_utilization, answers)


@study.add_claim("CC-8", "8×16: first less worst fit, bound")
def _first_fit_is_better_on_many_clusters(results: Results) -> Decision:
    changes = {n: compare(results, "first fit", "worst fit", f"{n} {{}}") for n in ("8×16", *MANY)}
    answers = {f"{name}: first fit much better": c.better(MUCH) for name, c in changes.items()}
    return _asked(changes["8×16"].max_utilization, answers, STANDS)


@study.add_claim("CC-9", "one less four components, bound")
def _fewer_components_are_better(results: Results) -> Decision:
    of = partial(compare, results, line="same size: {}, first fit")
    parts = {f"{few} better than {x}": of(few, x).better() for few, x in ("12", "23", "34")}
    parts |= {f"{m} between": all_of(of("1", m).better(), of(m, "4").better()) for m in OF_TWO}
    return Decision(of("1", "4").max_utilization, parts)


def _worst_fit_helps(kind: str, helped: tuple[str, ...], results: Results) -> Decision:
    lines = {n: f"same {kind}: {n}, {{}}" for n in (*helped, "1", OF_TWO[0])}
    changes = {n: compare(results, "worst fit", "first fit", line) for n, line in lines.items()}
    hardly = {f"hardly changes {n}": c.alike() for n, c in changes.items() if n not in helped}
    much = {f"helps {n}": changes[n].better(MUCH) for n in helped}
    return Decision(changes[OF_TWO[0]].max_utilization, much | hardly)


_MOSTLY_ONE = f"{OF_TWO[0]}: worst less first fit, bound"
study.add_claim("CC-10", _MOSTLY_ONE)(partial(_worst_fit_helps, "size", ("4", OF_TWO[2])))


@study.add_claim("CC-11", "two less four components, bound")
def _two_components_are_best(results: Results) -> Decision:
    of = partial(compare, results, line="same total: {}, first fit")
    parts = {"2 better than 4": of("2", "4").better(), "4 better than 1": of("4", "1").better()}
    parts |= {f"1 better than {mix}": of("1", mix).better() for mix in OF_TWO}
    parts["adding 2 helps"] = of(THIRDS, OF_TWO[1]).better()
    return Decision(of("2", "4").max_utilization, parts)


study.add_claim("CC-12", _MOSTLY_ONE)(partial(_worst_fit_helps, "total", ("4",)))


@study.add_claim("CC-13", "largest relative error of the rule", lambda *_: STRETCHED)
def _response_times_scale(results: Results) -> Decision:
    largest = max(results[case] for case in STRETCHED.values())
    return Decision(largest, {"response times scale with alpha": largest <= EXACT})


@study.add_claim("CC-14", "4×32: worst less first fit, bound")
def _placements_are_similar(results: Results) -> Decision:
    under = partial(compare, results, "worst fit", "first fit")
    changes = {name: under(f"{name} {{}}").max_utilization for name in ("4×32", PRINTED)}
    parts = {f"{name}: similar": c.between(-MUCH, MUCH) for name, c in changes.items()}
    note = "section 4.2 calls worst fit much better on the same four clusters (CC-7)"
    return Decision(changes["4×32"], parts, note)
