"""One run: `simulate`, a `Scenario` of system, workload and policies, outages, and several sites.

Each returns a schedule. Many runs, their intervals and their comparison belong into `experiments`.
"""
