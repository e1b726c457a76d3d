"""The model: systems of clusters, streams of jobs, distributions, and the placement of jobs.

Code that decides when a job starts belongs in `policies` and `engines`. Begin with
`system` and `jobs`.
"""

import lazy_loader as _lazy

# After `import coalloc_lib.model`, its module `jobs` can be used without a further import. It is
# loaded when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["jobs"])
