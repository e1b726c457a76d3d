"""Compiles every kernel into Numba's cache: worker processes that write one cache can crash."""

import coalloc_lib as co
from coalloc_lib.analytic import JointSizes, maximal_utilization


def compile_kernels():
    """Call each compiled function once, on the smallest input."""
    jobs = co.JobStream([0, 0], [1, 1], [[1, 1], [1, 1]])
    for scheduling in (co.FCFS(), co.FPFS(max_jumps=1)):
        co.simulate(co.Multicluster([1, 1]), jobs, scheduling=scheduling)
    pair, sizes = co.Multicluster([2, 2]), co.uniform(1, 2)
    maximal_utilization(pair, sizes, 2, "unordered")
    maximal_utilization(pair, JointSizes.independent(sizes, 2), request="unordered")
    maximal_utilization(pair, JointSizes.independent(sizes, 2), request="ordered")


if __name__ == "__main__":
    compile_kernels()
