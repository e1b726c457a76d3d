"""Compute the expected starts of the ten inputs of log size, without the library's policies.

``python -m tests.conformance.large_oracle`` writes their SHA-256 into the kit. Backfilling on one
cluster is computed by `tests.naive_backfilling`, and all else by `tests.conformance.oracle`.
"""

import json
import sys
import time

from tests import naive_backfilling
from tests.conformance import oracle
from tests.conftest import ROOT

sys.path.append(str(ROOT / "benchmarks" / "conformance"))

import large


def starts_of(case):
    """Return the start of each job of an input."""
    policy, sizes = case.about["policy"], case.about["clusters"]
    if len(sizes) > 1 or policy["name"] not in ("easy", "conservative"):
        return [start for start, _, _ in oracle.answer(case)]
    rows = [(job.submit, job.runtime, job.estimate, sum(job.components)) for job in case.jobs]
    key = naive_backfilling.expected if policy["order"] == "shortest" else None
    answer = getattr(naive_backfilling, policy["name"])(sizes[0], rows, key)
    return answer[0] if policy["name"] == "conservative" else answer


def main():
    """Write the SHA-256 of every input, and print how long each took."""
    inputs = json.loads(large.FILE.read_text(encoding="utf-8"))
    for case in large.read_large():
        began = time.process_time()
        starts = starts_of(case)
        inputs[case.name]["sha256"] = large.digest(starts)
        waits = sum(
            start > job.submit
            for start, job in zip(starts, case.jobs, strict=True)
            if start is not None
        )
        print(
            f"{case.name}: {waits:,} of {len(starts):,} wait, {time.process_time() - began:.1f} s",
            flush=True,
        )
    large.FILE.write_text(json.dumps(inputs, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
