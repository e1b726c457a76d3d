"""Coalloc Workbench, on processor co-allocation: one job in several clusters at once.

The names that users import are in ``__init__.pyi``, and are imported at their first use, so that
the command line starts at once.
"""

import lazy_loader as _lazy

__version__ = "1.0.0"

#: The layers, from the ground up: a folder imports only from those before it.
_LAYERS = [
    "basics", "model", "workloads", "analytic", "calendar", "plots", "policies", "engines",
    "schedules", "simulation", "statistics", "widgets", "cli",
]  # fmt: skip

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
