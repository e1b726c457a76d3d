"""Times studies whole: how long each takes, case by case where asked, and what two workers bring.

    python benchmarks/bench_study.py [STUDY ...] [--scale quick|paper] [--cases] [--efficiency]

Time of the processor, so that other work beside it disturbs little, and of the clock.
`--efficiency` runs a study on one and on two workers, sees that both give the same rows, and prints
the ratio of their times.
"""

import argparse
import inspect
import sys
import time
from pathlib import Path

from coalloc_lib.experiments.sweep import compile_kernels

sys.path.append(str(Path(__file__).parents[1] / "notebooks"))
from studies import STUDIES, load_study


def timed(call):
    """Return what a call returns, its time of the clock and of the processor, in seconds."""
    begin = time.perf_counter(), time.process_time()
    found = call()
    return found, time.perf_counter() - begin[0], time.process_time() - begin[1]


def rows_of(found):
    """Return what a study measured, all of it."""
    return list(found) if inspect.isgenerator(found) else found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("studies", nargs="*")
    parser.add_argument("--scale", default="quick", choices=("quick", "paper"))
    parser.add_argument("--cases", action="store_true", help="the ten cases that take longest")
    parser.add_argument("--efficiency", action="store_true")
    given = parser.parse_args()
    compile_kernels()
    for name in given.studies or STUDIES:
        study, took = load_study(name), {}
        measure = study.measure

        def noted(case, scale, seed, measure=measure, took=took):
            found, _, took[case] = timed(lambda: rows_of(measure(case, scale, seed)))
            return found

        if given.cases:
            study.measure = noted
        result, clock, work = timed(lambda study=study: study.reproduce(given.scale))
        print(f"{name:24} {clock:7.1f} s, processor {work:7.1f} s", flush=True)
        for case in sorted(took, key=took.get)[:-11:-1]:
            print(f"    {took[case]:7.2f} s  {' '.join(str(case).split())[:100]}")
        if given.efficiency:
            study.measure = measure
            alone, one, _ = timed(lambda study=study: study.reproduce(given.scale, workers=1))
            assert alone.rows == result.rows
            print(f"    one worker {one:.1f} s, efficiency of two {one / clock / 2:.2f}")


if __name__ == "__main__":
    main()
