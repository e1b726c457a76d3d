"""The earlier studies, asked again with EASY backfilling beside the policies of their papers.

What each study fixes stays as it is, its sample sizes and its seed too. Estimates are the run
times: the models of these papers have no others.
"""

from collections.abc import Callable
from typing import Any

from coalloc_lib.placement import WorstFit
from coalloc_lib.plots import MEANINGS
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import EASY, FPFS
from coalloc_lib.studies import cluster_configurations as configurations
from coalloc_lib.studies import communication_penalty as penalty
from coalloc_lib.studies import maximal_utilization as utilization
from coalloc_lib.studies.cluster_configurations.parameters import PROCESSORS
from coalloc_lib.studies.cluster_configurations.scenarios import LINES
from coalloc_lib.studies.communication_penalty.figures import ALONG, PSI
from coalloc_lib.studies.communication_penalty.parameters import ABOVE, PARTS, PRINTED_LOAD
from coalloc_lib.studies.communication_penalty.ratios import RatioFigure
from coalloc_lib.studies.communication_penalty.responses import STREAM
from coalloc_lib.studies.communication_penalty.served import Served, served
from coalloc_lib.studies.curve_figures import CurveFigure
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.job_sharing import headlines
from coalloc_lib.studies.loss_figures import LossFigure
from coalloc_lib.studies.maximal_utilization.parameters import HELD, ROOM
from coalloc_lib.studies.maximal_utilization.scenarios import scenarios_of
from coalloc_lib.studies.measurements import Measurement, Saturated
from coalloc_lib.studies.ratio_lines import At

TOLD = "EASY is told the exact run times"
#: How often the papers' FPFS may pass a job, in the first two studies and in the third.
MUCH, BASE = 50, 20
LOOK = {"FCFS": MEANINGS["FCFS"], "EASY": MEANINGS["EASY"]} | {
    f"FPFS({jumps})": MEANINGS["FPFS"] for jumps in (MUCH, BASE)
}
#: Systems and placements of the second study, by the beginning of the names of its lines.
SYSTEMS = ("4×32 worst fit", "64+32+2×16 worst fit")


def losses() -> LossFigure:
    """Return the first study's capacity losses in heavy traffic."""
    entries: dict[tuple[str, str], Measurement] = {}
    for name in ROOM:
        found = scenarios_of(name)
        entries[name, "FCFS"] = found["independent", name, "unordered"]
        entries[name, f"FPFS({MUCH})"] = found["fpfs", name, f"held {MUCH}"]
        unordered = found["independent", name, "unordered"].scenario
        entries[name, "EASY"] = Saturated(unordered.with_(scheduling=EASY()), HELD)
    return LossFigure(
        "earlier-losses",
        f"first study: capacity loss of unordered requests, 4 × 32; queue held at {HELD}; {TOLD}",
        entries, utilization.SCALES, utilization.parameters.SEED, look=LOOK,
        headline=headlines.easy_loses,
    )  # fmt: skip


def responses() -> CurveFigure:
    """Return the second study's response times along the utilization."""
    entries: dict[str, Scenario] = {}
    panels: dict[str, list[str]] = {}
    look = {}
    for name in SYSTEMS:
        for policy, scheduling in (("FCFS", None), (f"FPFS({MUCH})", FPFS(MUCH)), ("EASY", EASY())):
            label = f"{name}, {policy}"
            line = LINES[name]
            entries[label] = line if scheduling is None else line.with_(scheduling=scheduling)
            panels.setdefault(name, []).append(label)
            look[label] = LOOK[policy]
    return CurveFigure(
        "earlier-responses",
        f"second study: response times of jobs of four components; {TOLD}",
        entries, configurations.SCALES, configurations.parameters.SEED, processors=PROCESSORS,
        panels=panels, look=look, headline=headlines.easy_bears,
    )  # fmt: skip


class PolicyRatios(RatioFigure):
    """Ratios of the third study whose panels are policies: a number of jumps, or EASY."""

    def heading(self, panel: Any) -> str:
        """Return the name of a panel's policy."""
        return panel if isinstance(panel, str) else f"FPFS({panel})"

    def columns(self, label: At) -> dict[str, Any]:
        """Return a label as columns of a table."""
        return {"scheduling": self.heading(label.panel), "line": label.line, "place": label.place}


def penalties() -> PolicyRatios:
    """Return the third study's response times of split jobs over those of whole ones."""
    entries: dict[At, Served] = {}
    for psi in ALONG:
        split = served(BASE, PRINTED_LOAD, above=ABOVE, parts=PARTS, span_penalty=psi)
        easy = Scenario(penalty.SYSTEM, split.jobs, EASY(), WorstFit())
        entries |= {At(BASE, "", psi): split, At("EASY", "", psi): Served(easy, PRINTED_LOAD)}
    return PolicyRatios(
        "earlier-penalties",
        f"third study: jobs above {ABOVE} in {PARTS} components; 5×20, D(0.85), worst fit, load "
        f"{PRINTED_LOAD}; {TOLD}; bands: 95 %",
        entries, xlabel=PSI, groups=(STREAM, "S1", "S4"), headline=headlines.easy_pays,
    )  # fmt: skip


#: The figures by name; each is made anew, not yet run.
EARLIER: dict[str, Callable[[], Figure]] = {
    "earlier-losses": losses,
    "earlier-responses": responses,
    "earlier-penalties": penalties,
}
