"""The names of systems and policies on the command line and in the notebooks."""

import re
from dataclasses import MISSING, fields
from typing import Any

from coalloc_lib import policies
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.model.placement import BestFit, FirstFit, Placement, SingleThenSpan, WorstFit
from coalloc_lib.model.system import NAMED_SYSTEMS, Multicluster

#: The class of each placement, by its name on the command line, such as "worst-fit".
PLACEMENTS: dict[str, type[Placement]] = {
    "worst-fit": WorstFit,
    "first-fit": FirstFit,
    "best-fit": BestFit,
    "single-then-span": SingleThenSpan,
}

#: The pattern of a group of equal clusters, such as "2x32": two clusters of 32 processors each.
_CLUSTERS = re.compile(r"\s*(?:([1-9]\d{0,3})x)?([+-]?\d{1,18})\s*", re.ASCII)


def _exported_policies():
    """Return the policy classes of `coalloc_lib.policies` by their names in lower case."""
    exported = {name.lower(): getattr(policies, name) for name in policies.__all__}
    return {
        name: kind
        for name, kind in exported.items()
        if issubclass(kind, policies.Scheduling) and kind is not policies.Scheduling
    }


#: The class of each scheduling policy, by its name on the command line. The fields of the class are
#: the options of the policy.
SCHEDULING: dict[str, type[policies.Scheduling]] = _exported_policies()


def display_name(name: str) -> str:
    """Return the name of a placement as notebooks show it, such as "worst fit".

    Parameters
    ----------
    name : str
        The name on the command line, such as ``"worst-fit"``.

    Examples
    --------
    >>> display_name("worst-fit")
    'worst fit'
    """
    return name.replace("-", " ")


def options_of(policy: type[Any]) -> tuple[str, ...]:
    """Return the names of the options of a scheduling policy, which are fields of its dataclass.

    Examples
    --------
    >>> options_of(policies.FPFS)
    ('max_jumps', 'counted')
    """
    return tuple(field.name for field in fields(policy))


def needed_by(policy: type[Any]) -> tuple[str, ...]:
    """Return the names of the options of a scheduling policy that have no default.

    Examples
    --------
    >>> needed_by(policies.FPFS)
    ('max_jumps',)
    """
    return tuple(field.name for field in fields(policy) if field.default is MISSING)


def parse_clusters(text: str, argument: str = "sizes") -> Multicluster:
    """Return the multicluster that a text such as ``"64,2x32"`` describes.

    Parameters
    ----------
    text : str
        The number of processors of each cluster, such as ``"64,32,32"`` or ``"64,2x32"``, or one of
        the names in `NAMED_SYSTEMS`.
    argument : str
        The name of the argument in error messages.

    Returns
    -------
    Multicluster
        The system.

    Raises
    ------
    InputError
        If the text is neither a list of cluster sizes nor a known name.

    Examples
    --------
    >>> parse_clusters("64,32,32").sizes, parse_clusters("64,2x32").sizes
    ((64, 32, 32), (64, 32, 32))
    """
    if text in NAMED_SYSTEMS:
        return Multicluster.named(text)
    words = text.split(",") if isinstance(text, str) else [""]
    parts = [_CLUSTERS.fullmatch(part) for part in words]
    if None in parts:
        raise InputError(
            f"{argument} = {shown(text)}; give the number of processors of each cluster, such as "
            f"64,32 or 64,2x32, or one of {', '.join(NAMED_SYSTEMS)}"
        )
    sizes = [int(part[2]) for part in parts if part for _ in range(int(part[1] or 1))]
    if min(sizes) < 1:
        raise InputError(f"{argument} = {text!r}; give each cluster at least one processor")
    return Multicluster(sizes)
