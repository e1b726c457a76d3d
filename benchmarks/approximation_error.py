"""The error of the approximation for unordered requests, against simulation and exact values.

Run ``python benchmarks/approximation_error.py``; ``--quick`` takes a few systems and short runs.
"""

import argparse
import time

import pandas as pd

from coalloc_lib.placement import FirstFit, WorstFit
from coalloc_lib.studies.approximation_error import exact_error, simulated_error, summary
from coalloc_lib.system import Multicluster

RULES = (WorstFit(), FirstFit())
#: Equal clusters, and the component sizes and numbers of components that they are given.
EQUAL = {
    (32, 32): (("D(0.9)[1,8]", 1), ("D(0.9)[1,8]", 2), ("U[1,16]", 2)),
    (64, 64): (("U[1,7]", 2), ("U[1,16]", 1)),
    (24, 24, 24): (("D(0.9)[1,8]", 2), ("U[1,7]", 3), ("U[1,16]", 1)),
    (16, 16, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 1), ("U[1,7]", 4)),
    (32, 32, 32, 32): (("D(0.9)[1,8]", 4), ("U[1,7]", 2), ("U[1,16]", 3), ("U[1,16]", 4)),
    (16, 16, 16, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 3)),
    (8, 8, 8, 8, 8, 8, 8, 8): (("U[1,7]", 2), ("D(0.9)[1,8]", 4)),
}
#: Unequal clusters, in the order in which first fit tries them.
UNEQUAL = {
    (48, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 1), ("U[1,16]", 2)),
    (40, 24): (("D(0.9)[1,8]", 1), ("U[1,16]", 2)),
    (32, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 3), ("U[1,16]", 1)),
    (16, 16, 32): (("D(0.9)[1,8]", 2), ("U[1,16]", 1)),
    (32, 24, 16, 8): (("D(0.9)[1,8]", 4), ("U[1,7]", 2), ("U[1,16]", 3)),
    (64, 32, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 4), ("U[1,16]", 4)),
    (24, 16, 16, 8, 8): (("D(0.9)[1,8]", 3), ("U[1,7]", 2)),
    (16, 16, 8, 8, 8, 8): (("D(0.9)[1,8]", 2), ("U[1,7]", 4)),
    (56, 8): (("D(0.9)[1,8]", 2), ("U[1,7]", 2)),
    (96, 32): (("U[1,7]", 2), ("U[1,16]", 2)),
    (64, 32, 32): (("D(0.9)[1,8]", 3), ("U[1,16]", 2)),
    (40, 40, 16, 16, 16): (("U[1,7]", 1), ("U[1,16]", 1)),
    (48, 32, 32, 16): (("D(0.9)[1,8]", 4), ("U[1,7]", 3)),
}
#: Small systems that the Markov chain is solved for, and the sizes of components there.
SMALL = ((4, 4), (6, 6), (4, 4, 4), (8, 8), (6, 4), (8, 4))
SMALL_SIZES = ("U[1,2]", "U[1,3]", "U[1,4]", "D(0.8)[1,4]")
#: First fit has more states than this waits for from this number of clusters on.
TOO_MANY = 6


def cases():
    """Return (system, sizes, components, placement) of each comparison."""
    return [
        (Multicluster(clusters), sizes, components, placement)
        for clusters, jobs in (EQUAL | UNEQUAL).items()
        for sizes, components in jobs
        for placement in RULES
        if len(clusters) < TOO_MANY or isinstance(placement, WorstFit)
    ]


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
        table = simulated_error(cases()[::5], min(given.jobs, 20_000), given.seed)
        small = ((4, 4), (6, 4)), ("U[1,2]", "U[1,3]")
    else:
        table, small = simulated_error(cases(), given.jobs, given.seed), (SMALL, SMALL_SIZES)
    show("against the simulation of heavy traffic", table, time.perf_counter() - start)
    start = time.perf_counter()
    table = exact_error(*small, RULES)
    show("against the exact solution", table, time.perf_counter() - start)


if __name__ == "__main__":
    main()
