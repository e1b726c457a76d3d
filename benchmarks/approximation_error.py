"""The error of the approximation for unordered requests, against simulation and exact values.

Run ``python benchmarks/approximation_error.py``; ``--quick`` takes a few systems and short runs.
"""

import argparse
import time

import pandas as pd

from coalloc_lib.studies.approximation_error import (
    cases,
    exact_error,
    simulated_error,
    summary,
)


def show(title, table, seconds):
    """Print a table of errors and its summary."""
    print(f"{title} ({seconds:.1f} s)\n")
    with pd.option_context("display.float_format", "{:.4f}".format, "display.width", 160):
        print(table.drop(columns="group").to_string(index=False))
        print(f"\nabsolute error\n{summary(table).to_string(index=False)}\n")


def main():
    """Compute, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="every fifth system, short runs")
    parser.add_argument("--jobs", type=int, default=200_000, help="jobs of each simulation")
    parser.add_argument("--seed", type=int, default=0, help="of the simulations")
    given = parser.parse_args()
    start = time.perf_counter()
    if given.quick:
        table = simulated_error(min(given.jobs, 20_000), given.seed, cases()[::5])
        small = {"systems": ((4, 4), (6, 4)), "sizes": ("U[1,2]", "U[1,3]")}
    else:
        table, small = simulated_error(given.jobs, given.seed), {}
    show("against the simulation of heavy traffic", table, time.perf_counter() - start)
    start = time.perf_counter()
    table = exact_error(**small)
    show("against the exact solution", table, time.perf_counter() - start)


if __name__ == "__main__":
    main()
