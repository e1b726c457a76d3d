"""The two simulation engines, which run a job stream under a scheduling policy and a placement.

- `reference` is the readable engine, on SimPy. It runs any policy object, and defines the results
  that the other engine must give.
- `compiled` is the fast engine, whose loops are in `kernels` and are compiled by Numba.

Begin with `reference`. `coalloc_lib.simulation` checks the arguments of a run, and
`coalloc_lib.schedules` evaluates its results.
"""
