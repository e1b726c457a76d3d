"""The names of placements and policies on the command line and in the notebooks."""

from dataclasses import MISSING, fields
from typing import Any

from coalloc_lib import policies
from coalloc_lib.model.placement import BestFit, FirstFit, Placement, SingleThenSpan, WorstFit

#: The placement for each name on the command line. `display_name` returns the name in a notebook.
PLACEMENTS: dict[str, type[Placement]] = {
    "worst-fit": WorstFit,
    "first-fit": FirstFit,
    "best-fit": BestFit,
    "single-then-span": SingleThenSpan,
}


def _exported_policies():
    """Return the policies that `coalloc_lib.policies` exports, by their names in lower case."""
    exported = {name.lower(): getattr(policies, name) for name in policies.__all__}
    return {
        name: kind
        for name, kind in exported.items()
        if issubclass(kind, policies.Scheduling) and kind is not policies.Scheduling
    }


#: The scheduling policy for each name on the command line. A notebook shows the name of the class.
#: The fields of the class are the options of the policy.
SCHEDULING: dict[str, type[policies.Scheduling]] = _exported_policies()


def display_name(name: str) -> str:
    """Return the form of a placement's name that notebooks show, such as "worst fit".

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
    """Return the names of the options of a scheduling policy: the fields of its dataclass.

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
