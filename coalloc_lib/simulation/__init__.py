"""One run: `simulate`, a `Scenario` of system, workload and policies, several sites.

Tables of many runs, replicated and compared, belong in `experiments`. Begin with `run`, then read
`scenario`.
"""
