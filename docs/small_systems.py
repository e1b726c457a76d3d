"""Compare exact results with simulation on ten small systems, and write the table of the guide.

The table stands in `docs/multiserver-jobs.md`. The command `python docs/small_systems.py` makes it
again, in a few minutes. No number in the table is typed by hand.
"""

import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import coalloc_lib as co
from coalloc_lib.analytic.chain import SaturatedChain
from coalloc_lib.statistics import Replications, crossing, student

PAGE = Path(__file__).with_name("multiserver-jobs.md")
#: The sizes of the clusters, and the distribution of job sizes.
SYSTEMS = [
    ("2 2", "U[1,2]"),
    ("3 3", "U[1,3]"),
    ("4 4", "U[1,4]"),
    ("4 4", "D(0.8)[1,4]"),
    ("5 5", "U[1,5]"),
    ("6 6", "U[1,6]"),
    ("4 2", "U[1,4]"),
    ("8 8", "U[4,8]"),
    ("2 2 2", "U[1,2]"),
    ("3 3 3", "U[1,3]"),
]
#: The loads at which responses are compared, as shares of the maximal utilization.
SHARES = (0.8, 0.9, 0.95)
RUNS = 8
JOBS = 100_000


def scenario(clusters: str, sizes: str, request: str, penalty: float = 0.0) -> co.Scenario:
    """Return a small system under FCFS whose jobs stay whole, or span only if they must."""
    whole = request == "total"
    placement = co.WorstFit() if whole else co.SingleThenSpan(co.WorstFit())
    jobs = co.JobModel(co.parse_sizes(sizes), request=request, span_penalty=penalty)
    return co.Scenario(co.Multicluster([*map(int, clusters.split())]), jobs, placement=placement)


def capacities(asked: co.Scenario) -> Replications:
    """Return the simulated maximal utilization of several independent runs."""
    found = [
        co.max_utilization_by_simulation(asked, method="simulation", jobs=JOBS, seed=seed)
        for seed in range(RUNS)
    ]
    return Replications([each.max_utilization for each in found])


def spanning_work(asked: co.Scenario) -> float:
    """Return the share of the work that spans clusters while the queue is never empty."""
    jobs = asked.workload.sample(JOBS, np.random.SeedSequence(1))
    jobs = jobs.replace(submit=np.zeros(JOBS))
    schedule = co.simulate(asked.system, jobs, placement=asked.placement)
    work = jobs.work
    return float(work[schedule.clusters_used > 1].sum() / work.sum())


def row(clusters: str, sizes: str) -> Iterator[str]:
    """Yield the cells of a row: the system, capacity, break-even, and responses."""
    asked = partial(scenario, clusters, sizes)
    whole, span = asked("total"), asked("flexible")
    begin = time.perf_counter()
    system, distribution = whole.system, co.parse_sizes(sizes)
    chain = SaturatedChain(system, distribution, 1, "flexible", span.placement)
    full = chain.solve().utilization
    kept = co.exact_utilization(system, distribution, 1, "total").max_utilization
    even = co.exact_break_even(system, distribution)
    seconds = time.perf_counter() - begin
    yield from (
        " + ".join(clusters.split()),
        sizes,
        f"{chain.number_of_states:,}",
        f"{seconds:.1f}",
    )
    yield f"{full:.4f}"
    yield interval(capacities(span).interval)
    yield f"{even:.3f}"
    of_whole = capacities(whole)

    def loses(penalty: float) -> Replications:
        return of_whole - capacities(asked("flexible", penalty))

    found = crossing(loses, 0.5 * even, 1.5 * even, budget=20).interval
    yield f"{found.low:.3f} to {found.high:.3f}"
    yield f"{(full / kept - 1) / spanning_work(span):.3f}"
    loads = [share * full for share in SHARES]
    leading = co.response_near_saturation(
        system, distribution, loads, 1, "flexible", span.placement
    )
    for load, value in zip(loads, leading, strict=True):
        times = co.curves.response_times(span, load, jobs=10 * JOBS, replications=RUNS, seed=1)
        yield f"{value:.2f}, {interval(student(times - value), '+.2f')}"


def interval(found, how: str = ".4f") -> str:
    """Return an estimate with half the width of its interval."""
    return f"{found.estimate:{how}} ± {(found.high - found.low) / 2:{how.removeprefix('+')}}"


def main() -> None:
    """Write the rows of all systems into the guide."""
    heads = [
        "clusters", "sizes", "states", "s", "capacity", "simulated", "break-even", "simulated",
        "by the law", *(f"response at {share:.0%}" for share in SHARES),
    ]  # fmt: skip
    lines = [heads, ["---"] * len(heads)]
    for system in SYSTEMS:
        lines.append([*row(*system)])
        print(*lines[-1], sep=" | ", flush=True)
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    marks = r"(?<=<!-- systems -->\n).*?(?=<!-- /systems -->)"
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(marks, lambda _: table, page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
