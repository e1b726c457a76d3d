"""Coalloc Workbench, on processor co-allocation: one job in several clusters at once."""

import ast as _ast
from importlib import import_module as _import_module
from importlib.resources import files as _files
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from coalloc_lib.public import *  # noqa: F403

__version__ = "0.1.0"

#: The layers, from the ground up: a folder imports only from those before it.
_LAYERS = [
    "basics", "model", "intervals", "workloads", "analytic", "calendar", "plots", "policies",
    "engines", "schedules", "simulation", "experiments", "report", "studies", "widgets", "cli",
]  # fmt: skip
#: Modules that are worth a look, and where they are.
_MODULES = {folder: folder for folder in _LAYERS} | {
    "checks": "basics.checks",
    "progress": "basics.progress",
    "seeds": "basics.seeds",
    "distributions": "model.distributions",
    "jobs": "model.jobs",
    "placement": "model.placement",
    "system": "model.system",
    "names": "policies.names",
    "profile": "policies.profile",
    "scheduling": "policies",
    "exchange": "schedules.exchange",
    "explain": "schedules.explain",
    "metrics": "schedules.metrics",
    "schedule": "schedules.schedule",
    "verification": "schedules.verification",
    "scenario": "simulation.scenario",
    "sites": "simulation.sites",
    "curves": "experiments.curves",
    "saturation": "experiments.saturation",
    "sweep": "experiments.sweep",
}


def _syntax(*path):
    """Return the statements of a module of this package, which is read and not imported."""
    return _ast.parse(_files(__name__).joinpath(*path).read_text("utf-8")).body


def _exported(package):
    """Return the ``__all__`` of a package, which is read and not imported."""
    for node in _syntax(*package.split(".")[1:], "__init__.py"):
        if isinstance(node, _ast.Assign) and node.targets[0].id == "__all__":
            return _ast.literal_eval(node.value)
    raise ImportError(f"{package} has no __all__")


def _public_names():
    """Return the module of each name of `public`; to import them all takes long."""
    names = {}
    for node in _syntax("public.py"):
        if isinstance(node, _ast.ImportFrom):
            for alias in node.names:
                exported = _exported(node.module) if alias.name == "*" else [alias.name]
                names |= dict.fromkeys(exported, node.module)
    return names


_NAMES = _public_names()

__all__ = list(_NAMES)


def __getattr__(name):
    """Import what is asked for at its first use, so that the command line starts at once."""
    if name in _MODULES:
        return _import_module(f"{__name__}.{_MODULES[name]}")
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(_NAMES[name]), name)


def __dir__():
    """Name what is not imported yet too, so that the tab key completes it."""
    return sorted({*globals(), *_NAMES, *_MODULES})
