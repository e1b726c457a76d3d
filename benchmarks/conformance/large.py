"""Make the ten inputs of log size of the conformance kit: ``python large.py FOLDER``.

The jobs are made with whole numbers and the generator of the standard library only, so that every
machine makes the same ones. ``large.json`` in the kit has the policies and the expected starts.
"""

import hashlib
import json
import random
import sys
from pathlib import Path

import kit

FILE = kit.KIT / "large.json"
SEED = 20_031
#: The offered load, in percent.
LOAD = 85


def read_large():
    """Return the ten inputs as cases, with their jobs."""
    inputs = json.loads(FILE.read_text(encoding="utf-8"))
    return [kit.Case(name, about, made(about)) for name, about in inputs.items()]


def made(about):
    """Return the jobs of an input: sizes and run times of many scales, and rough estimates."""
    rng, sizes = random.Random(SEED + about["seed"]), about["clusters"]
    count, processors = about["count"], sum(sizes)
    rows = [_one_job(rng, about) for _ in range(count)]
    work = sum(runtime * sum(components) for runtime, _, components in rows)
    gap = work * 100 // (LOAD * processors * count)
    jobs, submit = [], 0
    for number, (runtime, estimate, components) in enumerate(rows, start=1):
        submit += rng.choice([0, rng.randrange(2 * gap + 1), rng.randrange(4 * gap + 1)])
        times = (submit, runtime, estimate)
        jobs.append(kit.Job(number, *map(float, times), components, float(submit), float("inf")))
    return jobs


def _one_job(rng, about):
    """Return run time, estimate and components; times are multiples of four."""
    sizes = sorted(about["clusters"], reverse=True)
    runtime = 4 * rng.randrange(1, 2 ** rng.randrange(2, 12))
    estimate = max(4, runtime * rng.choice([2, 4, 4, 6, 12, 20]) // 16 * 4)
    if about["request"] == "unordered":
        return runtime, estimate, tuple(_size(rng, size) for size in sizes)
    most = sizes[0] if about["request"] == "total" else sum(sizes)
    return runtime, estimate, (_size(rng, most),)


def _size(rng, most):
    """Return a number of processors, a power of two in every second case."""
    if rng.randrange(2):
        return min(2 ** rng.randrange(0, 6), most)
    return rng.randrange(1, max(most // rng.choice([1, 4, 8, 8]), 1) + 1)


def digest(starts):
    """Return the SHA-256 of starts in the order of the file; a rejected job is written as -."""
    lines = ("-\n" if start is None else f"{int(start)}\n" for start in starts)
    return hashlib.sha256("".join(lines).encode("ascii")).hexdigest()


def write(case, folder):
    """Write the jobs of an input as SWF if it can describe them, and otherwise as CSV."""
    if len(case.jobs[0].components) == 1:
        lines = [f"; MaxProcs: {sum(case.about['clusters'])}"]
        lines += [_swf_line(job) for job in case.jobs]
    else:
        lines = ["job,submit,runtime,estimate,components"]
        lines += [
            f"{job.number},{job.submit:.0f},{job.runtime:.0f},{job.estimate:.0f},"
            + ";".join(map(str, job.components))
            for job in case.jobs
        ]
    ending = "swf" if lines[0].startswith(";") else "csv"
    path = Path(folder, f"{case.name}.{ending}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _swf_line(job):
    numbers = (job.number, int(job.submit), -1, int(job.runtime), -1, -1, -1, job.components[0])
    return " ".join(map(str, (*numbers, int(job.estimate), -1, 1, *[-1] * 7)))


def main(folder):
    """Write all inputs."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for case in read_large():
        write(case, folder)
        print(f"{case.name}: {len(case.jobs):,} jobs")


if __name__ == "__main__":
    main(*sys.argv[1:])
