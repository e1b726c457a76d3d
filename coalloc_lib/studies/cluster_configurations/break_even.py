"""When does it pay to spread a job over clusters? The stretch of service times that is borne."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from matplotlib.figure import Figure as Picture

from coalloc_lib.checks import InputError, shown
from coalloc_lib.distributions import SizeDistribution, power_of_two, uniform
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.placement import WorstFit
from coalloc_lib.plots import Sign, shades, signs
from coalloc_lib.plots.levels import against_levels
from coalloc_lib.saturation import replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FCFS, FPFS, Scheduling
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations.parameters import SCALES, SEED
from coalloc_lib.studies.figure import MeasuredFigure
from coalloc_lib.studies.measurements import Measurement, Scale
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

#: Stretches that are known from elsewhere, by what is written beside them: programs on links a
#: hundred times slower stretch less for the most part (quoted by Bucur and Epema); up to this one
#: several sites beat one, with backfilling and another log (Ernemann and others).
LEVELS = {
    "1.4 (Bucur, Epema)": 1.4,
    "1.25 (Ernemann et al.)": 1.25,
}
#: Processors of a cluster.
CLUSTER = 32
#: Largest components, by the number of clusters, which is that of the components too. A whole
#: job, the sum of all, has at most the processors of a cluster.
UNIFORM = {2: (4, 8, 12, 14, 16), 4: (2, 4, 6, 8), 8: (2, 3, 4)}
FAVOURED = {4: (2, 4, 8)}
#: Two jobs of this share of a cluster fill it; of larger ones no two fit on it together.
HALF = 0.5
#: What is said where no point pays.
NEVER = "does not pay"
#: Policies that are looked at, by the headings of their panels.
POLICIES = {"FCFS: in order of submission": FCFS(), "FPFS: passed by up to 50 times": FPFS(50)}

Label = tuple[str, str, str]


@dataclass(frozen=True)
class BreakEven(Measurement):
    """How much spread jobs bear over what the same jobs bear whole, on the same clusters.

    Notes
    -----
    Service times `alpha` times as long make the same schedule in slow motion, so that of net work
    spread jobs bear ``rho_spread / alpha``. That is ``rho_whole`` at
    ``alpha = rho_spread / rho_whole``. Both are simulated in heavy traffic on the same jobs, and
    the ratio is taken run by run.
    """

    def __post_init__(self) -> None:
        """Check that the jobs are spread, and that each of them could be kept whole."""
        model, system = self.scenario.workload, self.scenario.system
        if not isinstance(model, JobModel) or model.request != "unordered" or model.split_at:
            raise InputError(f"workload = {model}; give a JobModel of unordered components")
        if (model.merged_into or model.components) < 2:
            raise InputError(f"workload = {model}; give jobs of two components or more")
        whole = model.with_(merged_into=1).largest()
        largest, room = int(whole.components.max()), max(system.sizes)
        if largest > room:
            raise InputError(
                f"sizes = {model.sizes} make jobs of up to {largest} processors, and no cluster of "
                f"{system} could keep one whole; give smaller sizes or larger clusters"
            )

    @property
    def model(self) -> JobModel:
        """The jobs as they are spread."""
        assert isinstance(self.scenario.workload, JobModel)  # else it would have been refused
        return self.scenario.workload

    @property
    def whole(self) -> Scenario:
        """The same jobs in one component each."""
        return self.scenario.with_(workload=self.model.with_(merged_into=1))

    @property
    def share(self) -> float:
        """Processors of the mean job over those of the largest cluster."""
        return self.model.mean_processors / max(self.scenario.system.sizes)

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the stretch at break-even in each replication."""
        how: dict[str, Any] = {"jobs": scale.map_jobs, "replications": scale.replications}
        spread, whole = (
            replicated_traffic(each, seed=seed, **how) for each in (self.scenario, self.whole)
        )
        return Sample(spread[0].mean(axis=1) / whole[0].mean(axis=1), spread[1] or whole[1])


class BreakEvenFigure(MeasuredFigure):
    """When does it pay? The stretch of service times at which spreading jobs breaks even.

    A line has a point for each distribution of component sizes, at the mean job's share of a
    cluster; a panel is a scheduling policy.
    """

    quantity = "alpha"

    def __init__(self) -> None:
        subtitle = (
            "stretch of service times at which jobs spread over all clusters bear no more than "
            "when kept whole on one; components U[1,m], or D(0.9)[1,m]; worst fit; bands: 95 %"
        )
        super().__init__("break-even", subtitle, {}, SCALES, SEED)
        self.steps = [f"{clusters}×{CLUSTER}" for clusters in UNIFORM]
        for line, scenario in _entries():
            self.add(line, scenario)

    def add(self, label: str, scenario: Scenario | None = None) -> Self:
        """Add a point to the line `label`, or begin one; return the figure, to be run again.

        Parameters
        ----------
        label : str
        scenario : Scenario
            With the jobs as they are spread: a `JobModel` of two or more unordered components. Its
            scheduling policy says which panel it is in.
        """
        measured = BreakEven(scenario) if isinstance(scenario, Scenario) else scenario
        if not isinstance(measured, BreakEven):
            raise InputError(f"scenario = {shown(scenario)}; give a Scenario")
        sizes, policy = str(measured.model.sizes), measured.scenario.scheduling
        return super().add((label, sizes, _heading(policy)), measured)

    def columns(self, label: Label) -> dict[str, Any]:
        """Return a label as columns of a table, with the mean job's share of a cluster."""
        named = dict(zip(("line", "sizes", "panel"), label, strict=True))
        return named | {"share": self.entries[label].share}

    def plot(self) -> Picture:
        """Draw the stretch at break-even over the share of a cluster that a mean job takes."""
        return against_levels(
            self.panels,
            LEVELS,
            title=self.title,
            subtitle=self.subtitle,
            xlabel="mean job, as a share of one cluster",
            ylabel="break-even stretch",
            look=self._look(),
        )

    @property
    def panels(self) -> dict[str, dict[str, list[tuple[float, Interval]]]]:
        """The points of ``panels[heading][line]``, from small jobs to large."""
        panels: dict[str, dict[str, list]] = {}
        for label, entry in self.entries.items():
            line, _, heading = label
            points = panels.setdefault(heading, {}).setdefault(line, [])
            points.append((entry.share, self.interval(label)))
        for drawn in panels.values():
            for points in drawn.values():
                points.sort(key=lambda point: point[0])
        return panels

    def words(self) -> str:
        """Return the figure in words: from where to where each line reaches."""
        lines = [
            f"{heading}, {line}: {', '.join(f'{a.estimate:.3f} at {x:.2f}' for x, a in points)}"
            for heading, drawn in self.panels.items()
            for line, points in drawn.items()
        ]
        return f"{super().words()} {'; '.join(lines)}."

    def spanned(self) -> str:
        """Say up to which stretch spreading pays at best, where, and for which jobs."""
        found: dict[str, list[tuple[str, Interval]]] = {"less than half a cluster": []}
        for label, entry in self.entries.items():
            line, _, heading = label
            jobs = "half a cluster or more" if entry.share >= HALF else "less than half a cluster"
            name = f"{line}, {heading.partition(':')[0]}"
            found.setdefault(jobs, []).append((name, self.interval(label)))
        said = {jobs: _at_best(points) for jobs, points in found.items() if points}
        if set(said.values()) == {NEVER}:
            return f"Spreading {NEVER}, however little it stretches service"
        words = "; spreading jobs of ".join(f"{jobs} {what}" for jobs, what in said.items())
        return f"Spreading jobs of {words}"

    def _look(self) -> dict[str, Sign]:
        lines = list(dict.fromkeys(line for line, *_ in self.entries))
        # One step more than there are: names in the lightest shade would be hard to read.
        steps = shades([*self.steps, "one more"])
        return steps | signs(line for line in lines if line not in self.steps)


def _entries() -> Iterator[tuple[str, Scenario]]:
    """Yield line and scenario of each point: for each policy, every system and distribution."""
    for policy in POLICIES.values():
        for clusters, largest in UNIFORM.items():
            for m in largest:
                yield f"{clusters}×{CLUSTER}", _spread(clusters, uniform(1, m), policy)
        for clusters, largest in FAVOURED.items():
            for m in largest:
                sizes = power_of_two(0.9, 1, m)
                yield f"{clusters}×{CLUSTER}, D(0.9)", _spread(clusters, sizes, policy)


def _spread(clusters: int, sizes: SizeDistribution, policy: Scheduling) -> Scenario:
    """Return jobs that are spread over all of so many clusters."""
    system = Multicluster.equal(clusters, CLUSTER)
    return Scenario(system, JobModel(sizes, clusters), policy, WorstFit())


def _heading(policy: Scheduling) -> str:
    """Return the heading of a policy's panel."""
    return next((words for words, known in POLICIES.items() if known == policy), str(policy))


def _at_best(points: list[tuple[str, Interval]]) -> str:
    """Return up to which stretch the best of named points pays, if any of them does."""
    answers = [alpha.above(1) for _, alpha in points]
    if True not in answers:
        return "is not seen to pay for certain" if None in answers else NEVER
    name, best = max(points, key=lambda point: point[1].estimate)
    return f"pays up to a stretch of {best.estimate:.2f} at best ({name})"
