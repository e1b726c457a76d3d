"""The model: systems of clusters, streams of jobs, distributions, and the placement of jobs.

Code that decides when a job starts belongs in `policies` and `engines`. Begin with
`system` and `jobs`.
"""

import lazy_loader as _lazy

# This call makes `coalloc_lib.model.jobs` available after ``import coalloc_lib.model``. The module
# `jobs` is loaded when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["jobs"])
