"""The stability condition of multiserver jobs, written independently of the library's formulas.

For one cluster it is that of Rumyantsev and Morozov (2017). For ordered requests, the same argument
is made with vectors, because a job needs processors of several clusters. The paper does not state
this form.
"""

import itertools

import numpy as np
import pytest

import coalloc_lib as co


def capacity(clusters, jobs):
    """Return the largest arrival rate, if the mean service time is 1.

    `jobs` maps the vector of a job's components to its probability. The sum is over the number i
    of jobs in service, and over the processors j that i random jobs need together.
    """
    held, total = {(0,) * len(clusters): 1.0}, 0.0
    for count in itertools.count(1):
        added = {}
        for (needs, chance), (job, share) in itertools.product(held.items(), jobs.items()):
            after = tuple(np.add(needs, job).tolist())
            if all(need <= size for need, size in zip(after, clusters, strict=True)):
                added[after] = added.get(after, 0.0) + chance * share
        if not added:
            return 1 / total
        for needs, chance in added.items():
            free = np.subtract(clusters, needs)
            blocked = sum(share for job, share in jobs.items() if np.any(np.array(job) > free))
            total += chance * blocked / count
        held = added


@pytest.mark.parametrize("clusters", [(4,), (7,), (3, 3), (4, 2), (2, 3, 2)])
@pytest.mark.parametrize("sizes", [[0, 0.5, 0.5], [0, 0.2, 0.8], [0, 1.0]], ids=str)
def test_both_exact_methods_agree_with_it(clusters, sizes):
    distribution = co.SizeDistribution(sizes)
    shares = dict(enumerate(sizes))
    jobs = {}
    for job in itertools.product(range(1, len(sizes)), repeat=len(clusters)):
        jobs[job] = float(np.prod([shares[size] for size in job]))
    rate = capacity(clusters, jobs)
    work = sum(sum(job) * share for job, share in jobs.items())
    expected = rate * work / sum(clusters)
    asked = co.Multicluster(clusters), distribution, len(clusters), "ordered"
    assert co.exact_utilization(*asked).max_utilization == pytest.approx(expected, rel=1e-10)
    assert co.maximal_utilization(*asked).max_utilization == pytest.approx(expected, rel=1e-10)


def test_a_component_of_zero_needs_no_processor_of_its_cluster():
    """Two clusters of one processor, and jobs on one or on both of them."""
    jobs = {(1, 0): 0.25, (0, 1): 0.25, (1, 1): 0.5}
    # Two jobs run together if they are (1, 0) and (0, 1) in either order; otherwise one runs alone.
    together = 2 * 0.25 * 0.25
    expected = 1 / ((1 - together) + together / 2)
    assert capacity((1, 1), jobs) == pytest.approx(expected)
