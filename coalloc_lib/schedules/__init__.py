"""Finished schedules: metrics, verification, reasons for waiting, and export to other tools.

These modules read a schedule of either engine and never change it. The module `simulation` runs
schedules. Begin with `schedule`.
"""

import lazy_loader as _lazy

# This line makes `co.metrics` and `co.schedules.reading` available without another import.
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["metrics", "reading"])
