"""A tiny scale of each study, for tests and for the notebooks' test runs."""

from studies.study import Scale

SMALL = {
    "maximal-utilization": Scale(
        jobs=10_000, replications=8, cell_jobs=8_000, response_jobs=None,
        response_replications=None, bound_arrivals=10_000, bound_replications=2,
        variations=(10,), held_replications=2, waiting=(10, 100),
    ),
    "cluster-configurations": Scale(
        jobs=10_000, high_jobs=40_000, replications=5, shares=(0.3, 0.94), precision=0.5,
        most_jobs=2_000,
        cell_jobs=8_000, response_jobs=None, map_jobs=4_000, division_jobs=1_000,
    ),
    "communication-penalty": Scale(
        jobs=1_000, runs=3, search_jobs=1_000, search_runs=3, search_budget=5,
        search_longest=20_000, map_jobs=500,
        map_runs=3, jumps=(8, 20), spread_jumps=(8, 20), search_jumps=(8,), waiting_jumps=(20,),
        map_jumps=(8,),
        along=(0.0, 0.3), penalties=(0.05, 0.2), map_penalties=(0.0, 0.2), above=(3, 10, 19),
        map_above=(3, 10), loads=(0.5, 0.7, 0.786), map_loads=(0.5, 0.786),
    ),
    "job-sharing": Scale(
        draws=4, penalties=(0.0, 0.1, 0.25, 0.4), few=(0.0, 0.1, 0.25, 0.4),
        policies=("EASY", "FCFS"),
        elsewhere=("m64", "m128"), joined=("m64", "m128", "m256", "m384"), loads=(0.5, 0.8),
    ),
    "online-batch": Scale(
        logs=("KTH-SP2",), shares=(0.0, 0.8, 1.0), draws=2,
        resamples=40, dear_logs=("KTH-SP2",), online_shares=(0.0, 0.4, 0.8, 1.0), tree_jobs=4,
        tree_shares=(0.0, 0.8), tree_servers=(4, 8), tree_slots=(4, 8), tree_wanted=(4, 8),
    ),
    "what-survives": Scale(
        jobs=600, runs=3, log_jobs=3_000, policies=("FCFS", "EASY"),
        workloads=("exponential", "KTH-SP2"), shares=(0.6,), systems=("5×20",),
    ),
}  # fmt: skip
