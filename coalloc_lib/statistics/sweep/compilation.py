"""Compile all Numba kernels of the library before worker processes start."""


def compile_kernels() -> None:
    """Compile all Numba kernels of the library, and keep them in Numba's cache.

    Worker processes that compile the same kernel at the same time can crash.

    Examples
    --------
    >>> compile_kernels()
    """
    # Numba and the formulas are imported here, because importing them is slow and a sweep may not
    # need them.
    from coalloc_lib.analytic import JointSizes, maximal_utilization
    from coalloc_lib.engines.compiled import TRANSLATIONS
    from coalloc_lib.model.distributions import uniform
    from coalloc_lib.model.jobs import REQUESTS, JobStream
    from coalloc_lib.model.placement import FirstFit, WorstFit
    from coalloc_lib.model.system import Multicluster
    from coalloc_lib.policies import FPFS
    from coalloc_lib.simulation.run import simulate

    # Calling the public functions compiles the kernels for the argument types that occur in
    # practice.
    pair, sizes = Multicluster([2, 2]), uniform(1, 2)
    jobs = JobStream([0, 0], [1, 1], [[1, 1], [1, 1]])
    for policy in TRANSLATIONS:
        scheduling = policy(max_jumps=1) if policy is FPFS else policy()
        simulate(pair, jobs, scheduling=scheduling, placement=FirstFit())
        for request in REQUESTS:
            simulate(pair, jobs.replace(request=request), scheduling=scheduling)
    for placement in (WorstFit(), FirstFit()):
        # With eight component sizes, a table of all possible jobs would be too large, so the
        # formula uses another kernel.
        case = Multicluster([8, 8]), uniform(1, 8), 2, "unordered"
        maximal_utilization(*case, placement=placement)
    for request in ("ordered", "unordered"):
        maximal_utilization(pair, JointSizes.independent(sizes, 2), request=request)
