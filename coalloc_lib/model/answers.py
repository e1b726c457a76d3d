"""Checks of what a placement answers, because a placement can be a rule that a user wrote."""

import operator
from collections.abc import Mapping, Sequence, Set
from typing import Any

from coalloc_lib.basics.checks import InputError, shown


def answered_numbers(answer: Any) -> list[int] | None:
    """Convert what a user-defined method returned to a list of ints, or to None if impossible."""
    # The usual types (list, tuple and range) skip the slow `isinstance` test.
    is_plain = type(answer) in (list, tuple, range)
    if not is_plain and isinstance(answer, (str, bytes, Mapping, Set)):
        return None
    try:
        return [*map(operator.index, answer)]
    except TypeError:
        return None


def allocation_of(answer: Any, processors: int, clusters: int) -> list[int] | None:
    """Convert an allocation from a user-defined placement to ints, or to None if it is invalid.

    A valid allocation has an entry of 0 or more for each cluster, and their sum is `processors`.
    """
    taken = answered_numbers(answer)
    wrong = taken is None or len(taken) != clusters or sum(taken) != processors or min(taken) < 0
    return None if wrong else taken


def checked_allocation(
    placement: str, answer: Any, processors: int, idle: Sequence[int], what: str
) -> list[int]:
    """Check the allocation that a placement returned, and return it as a list of ints.

    Parameters
    ----------
    placement : str
        The placement, as the error shows it.
    answer : object
        What the placement returned.
    processors : int
        Number of processors that the allocation must have.
    idle : sequence of int
        Number of idle processors of each cluster. The allocation cannot have more.
    what : str
        What was placed, for the error, such as ``"job 3, of 4 processors,"``.
    """
    taken = allocation_of(answer, processors, len(idle))
    if taken is None or any(map(operator.gt, taken, idle)):
        raise InputError(
            f"{placement} placed {what} as {shown(answer)} with {shown([*idle])} idle processors "
            "in the clusters; return None, or how many idle processors to take from each cluster"
        )
    return taken


def not_allowed(did: str, taken: Sequence[int], request: str, mend: str) -> InputError:
    """Return the error for an allocation in clusters that the request of the job does not allow.

    Parameters
    ----------
    did : str
        What was done, such as ``"MyFit() placed job 3 as"``.
    taken : sequence of int
        Number of processors in each cluster.
    request : str
        The request type of the job.
    mend : str
        What to do instead.
    """
    return InputError(
        f"{did} {shown([*taken])}, which a request of type {request!r} does not allow; {mend}"
    )
