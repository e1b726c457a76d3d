"""Time and memory of the analytic cells of the published tables.

Run ``python benchmarks/bench_analytic.py``; ``--quick`` computes each different cell once.
"""

import argparse
import csv
import time
from pathlib import Path

from peak import megabytes

from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.model.distributions import parse_sizes, uniform
from coalloc_lib.model.system import Multicluster

PUBLISHED = Path(__file__).parents[1] / "data" / "published" / "published.csv"


def cell(row):
    """Return the analytic capacity loss of one row of the published tables."""
    clusters, size = int(row["clusters"]), int(row["cluster_size"])
    system = Multicluster.equal(clusters, size)
    if row["request"] == "total":
        system = Multicluster([clusters * size])
    sizes = parse_sizes(row["component_sizes"])
    return maximal_utilization(system, sizes, clusters, row["request"]).capacity_loss


def measure(rows):
    """Return (seconds, computed, row) for every row."""
    results = []
    for row in rows:
        start = time.perf_counter()
        loss = cell(row)
        results.append((time.perf_counter() - start, loss, row))
    return results


def distinct(rows):
    """Return the first row of each cell that the tables share."""
    keys = ("clusters", "cluster_size", "component_sizes", "request")
    return list({tuple(row[key] for key in keys): row for row in rows}.values())


def show(results):
    """Print one line a cell, then the sums."""
    for seconds, loss, row in results:
        name = f"{row['clusters']}x{row['cluster_size']} {row['component_sizes']}"
        columns = f"{name:24s} {row['request']:10s} {row['method']:14s}"
        print(f"{columns} {row['capacity_loss']:>6s} {loss:8.4f} {seconds:9.4f} s")
    times = [seconds for seconds, _, _ in results]
    memory = megabytes()
    print(f"{len(times)} cells in {sum(times):.2f} s, slowest {max(times):.3f} s")
    print(f"peak memory {memory:.0f} MB")


def main():
    """Compile, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="each different cell once")
    quick = parser.parse_args().quick
    with PUBLISHED.open() as lines:
        rows = list(csv.DictReader(lines))
    start = time.perf_counter()
    maximal_utilization(Multicluster([2, 2]), uniform(1, 2), request="unordered")
    print(
        f"first call, with compilation where it was not cached: {time.perf_counter() - start:.2f} s"
    )
    show(measure(distinct(rows) if quick else rows))


if __name__ == "__main__":
    main()
