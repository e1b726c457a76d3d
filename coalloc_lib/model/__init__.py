"""The model: systems of clusters, sizes and times, streams of jobs, and their placement.

When a job starts does not belong here: policies decide it, and engines carry it out. Begin with
`system` and `jobs`.
"""

import lazy_loader as _lazy

# The first use of `co.jobs` imports this module, even if nothing has imported it before.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["jobs"])
