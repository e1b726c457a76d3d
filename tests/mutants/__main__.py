"""``python -m tests.mutants [-j N] [WORD ...]``: try the mistakes; see the package."""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.mutants.table import MUTANTS
from tests.mutants.tool import check_unspoilt, is_noticed
from tests.warm import compile_kernels


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("words", nargs="*", help="of the file or the change; all if none is given")
    parser.add_argument("-j", type=int, default=1, help="how many are tried at a time")
    given = parser.parse_args()
    chosen = [m for m in MUTANTS if not given.words or any(w in str(m) for w in given.words)]
    begin = time.monotonic()
    compile_kernels()
    check_unspoilt(chosen, given.j)
    missed = harmless = 0
    with ThreadPoolExecutor(given.j) as pool:
        for mutant, noticed in zip(chosen, pool.map(is_noticed, chosen), strict=True):
            missed += not noticed and not mutant.harmless
            harmless += not noticed and bool(mutant.harmless)
            word = "noticed " if noticed else "harmless" if mutant.harmless else "MISSED  "
            print(word, mutant, flush=True)
    minutes = (time.monotonic() - begin) / 60
    print(f"{len(chosen)} mistakes in {minutes:.0f} min: {missed} missed, {harmless} harmless")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
