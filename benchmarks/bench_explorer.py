"""Times the first, coarse answer of the division explorer and the playground to a move.

    python benchmarks/bench_explorer.py

Each question is asked once, so that nothing is remembered; what counts is the share of the 0.3 s,
or of the 0.15 s of the playground, after which an answer no longer feels immediate.
"""

import argparse
import sys
import time
from pathlib import Path

from coalloc_lib.statistics.scenario_pairs import SIDES
from coalloc_lib.widgets import playground_explorer
from coalloc_lib.widgets.centres import POLICIES, scenario_of
from coalloc_lib.widgets.playground_board import Board

# The studies stand beside the notebooks.
sys.path.append(str(Path(__file__).parents[1] / "notebooks"))
from studies.cluster_configurations.division_explorer import (
    division_curves,
    division_picture,
)

IMMEDIATE, PLAYGROUND = 0.3, 0.15
DIVISIONS = [
    *[(f"{k}x{128 // k}", components) for k in (1, 2, 4, 8) for components in {1, min(k, 4)}],
    ("64,32,2x16", 4),
    ("2x40,3x16", 4),
    ("30,26,20,14,12,10,8,8", 8),
]


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    division_picture("100,28", 2)  # compiles, and loads matplotlib
    print("system, components: simulating and drawing, drawing again, share of 0.3 s")
    for sizes, components in DIVISIONS:
        division_curves.cache_clear()
        both = seconds(division_picture, sizes, components)
        again = seconds(division_picture, sizes, components)
        name = f"{sizes}, {components}"
        print(f"{name:32} {both:6.3f} s {again:6.3f} s {both / IMMEDIATE:6.0%}")
    print("playground, B's policy: the first answer at a new load, share of 0.15 s")
    board, values = Board(), dict(playground_explorer().values)
    for policy in POLICIES:
        changed = values | {"B.policy": policy}
        both = [scenario_of(changed, side) for side in SIDES]
        board.show(*both, 0.55, True)  # loads what was compiled
        took = seconds(board.show, *both, 0.65, True)
        print(f"{policy:32} {took:6.3f} s {took / PLAYGROUND:6.0%}")


if __name__ == "__main__":
    main()
