"""Times each figure of a study on its own.

    python benchmarks/bench_figures.py [STUDY] [--scale quick|paper]

Time of the processor, so that other work beside it disturbs little, and of the clock, on all
processors.
"""

import argparse
import time
from importlib import import_module

from coalloc_lib.sweep import compile_kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", nargs="?", default="communication-penalty")
    parser.add_argument("--scale", default="quick", choices=("quick", "paper"))
    given = parser.parse_args()
    study = import_module(f"coalloc_lib.studies.{given.study.replace('-', '_')}")
    compile_kernels()
    print(f"{'figure':22} {'processor':>10} {'clock':>10}")
    total = [0.0, 0.0]
    for name in study.FIGURE_NAMES:
        figure = study.figure(name)
        begin = time.process_time(), time.perf_counter()
        figure.run(given.scale)
        took = [time.process_time() - begin[0], time.perf_counter() - begin[1]]
        total = [one + other for one, other in zip(total, took, strict=True)]
        print(f"{name:22} {took[0]:8.1f} s {took[1]:8.1f} s", flush=True)
    print(f"{'all':22} {total[0]:8.1f} s {total[1]:8.1f} s")


if __name__ == "__main__":
    main()
