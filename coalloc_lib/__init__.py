"""Coalloc Workbench, on processor co-allocation: one job in several clusters at once."""

import ast as _ast
from importlib import import_module as _import_module
from importlib.resources import files as _files
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from coalloc_lib.public import *  # noqa: F403

__version__ = "0.1.0"

#: Modules that are worth a look.
_MODULES = [
    "analytic", "calendar", "checks", "curves", "distributions", "exchange", "experiments",
    "explain", "intervals", "jobs", "metrics", "names", "outages", "placement", "plots", "profile",
    "progress", "report", "saturation", "scenario", "schedule", "scheduling", "seeds", "simulation",
    "sites", "studies", "sweep", "system", "verification", "widgets", "workloads",
]  # fmt: skip
#: The module of each name of `public`, which is read and not imported: that takes long.
_NAMES = {
    alias.name: str(node.module)
    for node in _ast.parse(_files(__name__).joinpath("public.py").read_text("utf-8")).body
    if isinstance(node, _ast.ImportFrom)
    for alias in node.names
}

__all__ = list(_NAMES)


def __getattr__(name):
    """Import what is asked for at its first use, so that the command line starts at once."""
    if name in _MODULES:
        return _import_module(f"{__name__}.{name}")
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(_NAMES[name]), name)


def __dir__():
    """Name what is not imported yet too, so that the tab key completes it."""
    return sorted({*globals(), *_NAMES, *_MODULES})
