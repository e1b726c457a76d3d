"""Times the cluster-configurations study, but for its pictures, on one and on two workers.

    python benchmarks/bench_study.py [--scale quick|paper]

Both runs give the same numbers, which is checked; the ratio of their times is the efficiency. Where
other work slows one of them, it misleads; how busy the processors were kept does not.
"""

import argparse
import time

import numpy as np
import pandas as pd

from coalloc_lib.studies.cluster_configurations.parameters import SCALES
from coalloc_lib.studies.cluster_configurations.scenarios import run_all
from coalloc_lib.studies.cluster_configurations.tables import compute_cells
from coalloc_lib.studies.measurements import Scale

TINY = Scale(
    jobs=2000,
    replications=2,
    precision=0.5,
    most_jobs=2000,
    cell_jobs=2000,
    response_jobs=90_000,
    response_replications=2,
    map_jobs=2000,
)


def timed(scale, workers):
    start, work = time.perf_counter(), time.process_time()
    cells = compute_cells(scale, seed=1, workers=workers)
    runs = run_all(scale, seed=1, workers=workers)
    elapsed = time.perf_counter() - start
    return elapsed, (time.process_time() - work) / elapsed / workers, (cells, runs)


def check_same(one, other):
    (cells, first), (others, second) = one, other
    assert cells == others
    assert first.curves == second.curves
    assert first.scaling == second.scaling
    pd.testing.assert_frame_equal(first.gains, second.gains, check_exact=True)
    for one, other in ((first.borne, second.borne), (first.responses, second.responses)):
        assert one.keys() == other.keys()
        for key, sample in one.items():
            np.testing.assert_array_equal(sample.values, other[key].values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", choices=tuple(SCALES), default="quick")
    scale = SCALES[parser.parse_args().scale]
    timed(TINY, 1)  # compiles
    one, busy, first = timed(scale, 1)
    print(f"one worker   {one:8.1f} s, its processor busy for {busy:.0%}", flush=True)
    two, busy, second = timed(scale, 2)
    print(f"two workers  {two:8.1f} s, both processors busy for {busy:.0%}")
    print(f"efficiency   {one / two / 2:8.2f}")
    check_same(first, second)


if __name__ == "__main__":
    main()
