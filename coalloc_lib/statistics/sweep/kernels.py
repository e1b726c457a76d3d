"""`compile_kernels`: compile all of the library's Numba kernels before worker processes start."""


def compile_kernels() -> None:
    """Compile every kernel, because processes that write Numba's cache at once can crash."""
    # Imported here, because Numba and the formulas take long, and a sweep may use neither.
    from coalloc_lib.analytic import JointSizes, maximal_utilization
    from coalloc_lib.model.distributions import uniform
    from coalloc_lib.model.jobs import REQUESTS, JobStream
    from coalloc_lib.model.placement import FirstFit, WorstFit
    from coalloc_lib.model.system import Multicluster
    from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online
    from coalloc_lib.simulation.run import simulate

    # Public functions are called, so that each kernel is compiled for the types that are used.
    pair, sizes = Multicluster([2, 2]), uniform(1, 2)
    jobs = JobStream([0, 0], [1, 1], [[1, 1], [1, 1]])
    for scheduling in (FCFS(), FPFS(max_jumps=1), EASY(), Conservative(), Online()):
        simulate(pair, jobs, scheduling=scheduling, placement=FirstFit())
        for request in REQUESTS:
            simulate(pair, jobs.replace(request=request), scheduling=scheduling)
    for placement in (WorstFit(), FirstFit()):
        # With eight sizes the jobs are placed one after the other, and not by a table of all jobs.
        case = Multicluster([8, 8]), uniform(1, 8), 2, "unordered"
        maximal_utilization(*case, placement=placement)
    for request in ("ordered", "unordered"):
        maximal_utilization(pair, JointSizes.independent(sizes, 2), request=request)
