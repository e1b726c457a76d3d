"""The model: systems of clusters, streams of jobs, distributions, and the placement of jobs.

Code that decides when a job starts belongs in `policies` and `engines`. Begin with
`system` and `jobs`.
"""

import lazy_loader as _lazy

# This makes `coalloc_lib.jobs` available even if the module `jobs` was not imported before.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["jobs"])
