"""Finished schedules: metrics, verification, why jobs waited, files of other tools.

Everything here reads a schedule of either engine and changes nothing; running one belongs in
`simulation`. Begin with `schedule`.
"""

import lazy_loader as _lazy

# The first use of `co.metrics` imports this module, even if nothing has imported it before.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["metrics"])
