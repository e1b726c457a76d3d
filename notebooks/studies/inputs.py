"""Placements, service times and look-ups that the settings of several studies share."""

from collections.abc import Mapping
from typing import Any

from coalloc_lib.model.distributions import Between
from coalloc_lib.model.placement import FirstFit, Placement, WorstFit
from coalloc_lib.model.system import Multicluster

#: Service times that differ by less than a millionth, so that jobs that start together depart one
#: after another, and waiting jobs are placed after each departure.
ALMOST_CONSTANT = Between(1 - 5e-7, 1 + 5e-7)


def first_fit(system: Multicluster) -> Placement:
    """Return first fit, which is the same placement for every system."""
    return FirstFit()


def worst_fit(system: Multicluster) -> Placement:
    """Return worst fit, which is the same placement for every system."""
    return WorstFit()


def named(part: Any, known: Mapping[str, Any]) -> Any:
    """Return the object with the given name, or the argument itself if it is not a string."""
    return known[part] if isinstance(part, str) else part
