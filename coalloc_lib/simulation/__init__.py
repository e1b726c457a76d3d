"""One run: `simulate`, a `Scenario` of system, workload and policies, several sites.

Tables of many runs, replicated and compared, belong in `statistics`. Begin with `run`, then read
`scenario`.
"""

import lazy_loader as _lazy

# The first use of `co.sites` imports this module, even if nothing has imported it before.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["sites"])
