"""The names of placements and policies on the command line and in the notebooks."""

from dataclasses import MISSING, fields
from typing import Any

from coalloc_lib import policies
from coalloc_lib.model.placement import BestFit, FirstFit, Placement, SingleThenSpan, WorstFit

#: A dict from the command-line name of each placement, such as "worst-fit", to its class.
PLACEMENTS: dict[str, type[Placement]] = {
    "worst-fit": WorstFit,
    "first-fit": FirstFit,
    "best-fit": BestFit,
    "single-then-span": SingleThenSpan,
}


def _exported_policies():
    exported = {name.lower(): getattr(policies, name) for name in policies.__all__}
    return {
        name: kind
        for name, kind in exported.items()
        if issubclass(kind, policies.Scheduling) and kind is not policies.Scheduling
    }


#: A dict from the command-line name of each scheduling policy to its class. The fields of the class
#: are the options of the policy.
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
    """Return the names of the options of a scheduling policy.

    Examples
    --------
    >>> options_of(policies.FPFS)
    ('max_jumps', 'counted')
    """
    return tuple(field.name for field in fields(policy))


def needed_by(policy: type[Any]) -> tuple[str, ...]:
    """Return the names of the required options of a scheduling policy.

    Examples
    --------
    >>> needed_by(policies.FPFS)
    ('max_jumps',)
    """
    return tuple(field.name for field in fields(policy) if field.default is MISSING)
