"""Coalloc Workbench, a library on processor co-allocation: one job uses several clusters at once.

The public names are listed in ``__init__.pyi``. Each is imported when it is first used, so that the
command line starts quickly.
"""

import lazy_loader as _lazy

from coalloc_lib.basics.version import VERSION

__version__ = VERSION

#: The folders of the library. Each folder imports only from folders before it in this list.
_LAYERS = [
    "basics", "model", "workloads", "analytic", "calendar", "plots", "policies", "engines",
    "schedules", "simulation", "statistics", "widgets", "cli",
]  # fmt: skip

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
