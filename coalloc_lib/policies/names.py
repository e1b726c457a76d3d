"""What systems and policies are called: one table for the command line and the notebooks."""

import re
from dataclasses import MISSING, fields
from typing import Any

from coalloc_lib import policies
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.model.placement import BestFit, FirstFit, Placement, SingleThenSpan, WorstFit
from coalloc_lib.model.system import NAMED_SYSTEMS, Multicluster

#: Name on the command line -> placement; `display_name` gives the name in a notebook.
PLACEMENTS: dict[str, type[Placement]] = {
    "worst-fit": WorstFit,
    "first-fit": FirstFit,
    "best-fit": BestFit,
    "single-then-span": SingleThenSpan,
}


#: So many clusters of so many processors.
_CLUSTERS = re.compile(r"\s*(?:([1-9]\d{0,3})x)?([+-]?\d{1,18})\s*", re.ASCII)


def _exported_policies():
    """Return the scheduling policies that `coalloc_lib.policies` exports, by name in small."""
    exported = {name.lower(): getattr(policies, name) for name in policies.__all__}
    return {
        name: kind
        for name, kind in exported.items()
        if issubclass(kind, policies.Scheduling) and kind is not policies.Scheduling
    }


#: Name on the command line -> scheduling policy; a notebook shows the name of the class. The
#: fields of the class are the options that go with it.
SCHEDULING: dict[str, type[policies.Scheduling]] = _exported_policies()


def display_name(name: str) -> str:
    """Return a name as a notebook shows it: 'worst fit' for 'worst-fit'."""
    return name.replace("-", " ")


def options_of(policy: type[Any]) -> tuple[str, ...]:
    """Return the names of what a scheduling policy takes: the fields of its dataclass."""
    return tuple(field.name for field in fields(policy))


def needed_by(policy: type[Any]) -> tuple[str, ...]:
    """Return those of `options_of` that have no default."""
    return tuple(field.name for field in fields(policy) if field.default is MISSING)


def parse_clusters(text: str, argument: str = "sizes") -> Multicluster:
    """Return the multicluster that a text describes.

    `text` has the processors of each cluster, such as ``"64,32,32"`` or ``"64,2x32"``, or is a name
    of `NAMED_SYSTEMS`; `argument` is what an error calls it.

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
            f"{argument} = {shown(text)}; give the processors of each cluster, such as 64,32 or "
            f"64,2x32, or one of {', '.join(NAMED_SYSTEMS)}"
        )
    sizes = [int(part[2]) for part in parts if part for _ in range(int(part[1] or 1))]
    if min(sizes) < 1:
        raise InputError(f"{argument} = {text!r}; each cluster needs a processor or more")
    return Multicluster(sizes)
