"""Simulation runs: `simulate`, a `Scenario` of system, workload and policies, and several sites.

Code that repeats, compares or tabulates many runs belongs in `statistics`. Begin with `run`, and
then read `scenario`.
"""

import lazy_loader as _lazy

# This call makes `coalloc_lib.simulation.sites` available after ``import coalloc_lib.simulation``.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["sites"])
