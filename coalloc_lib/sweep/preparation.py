"""Kernels compiled beforehand: processes that write one cache of Numba at once can crash."""


def compile_kernels() -> None:
    """Compile every kernel of this library, so that worker processes find them compiled."""
    # Imported here: Numba and the formulas take long, and a sweep may use neither.
    from coalloc_lib.analytic import JointSizes, maximal_utilization
    from coalloc_lib.distributions import uniform
    from coalloc_lib.jobs import JobStream
    from coalloc_lib.placement import FirstFit, WorstFit
    from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative, Online
    from coalloc_lib.simulation import simulate
    from coalloc_lib.system import Multicluster

    # By public functions, so that each kernel is compiled for the types that are used.
    pair, sizes = Multicluster([2, 2]), uniform(1, 2)
    jobs = JobStream([0, 0], [1, 1], [[1, 1], [1, 1]])
    for scheduling in (FCFS(), FPFS(max_jumps=1), EASY(), Conservative(), Online()):
        simulate(pair, jobs, scheduling=scheduling)
    for placement in (WorstFit(), FirstFit()):
        # so many sizes that they are placed one after the other, and not by a table of jobs
        case = Multicluster([8, 8]), uniform(1, 8), 2, "unordered"
        maximal_utilization(*case, placement=placement)
    for request in ("ordered", "unordered"):
        maximal_utilization(pair, JointSizes.independent(sizes, 2), request=request)
