"""The model: systems of clusters, streams of jobs, distributions, and the placement of jobs.

Code that decides when a job starts belongs in `policies` and `engines`. Begin with
`system` and `jobs`.
"""

import lazy_loader as _lazy

# After `import coalloc_lib.model`, the attribute `coalloc_lib.model.jobs` can be used without
# importing the module `jobs`, which is loaded at its first use.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["jobs"])
