"""Overheads in words."""

from collections.abc import Iterable

from coalloc_lib.studies.job_sharing.parameters import OVERHEADS


def part_of(overhead: float) -> str:
    """Return an overhead in percent; one outside of those that were tried in words.

    Examples
    --------
    >>> part_of(0.131), part_of(float("inf")), part_of(float("-inf"))
    ('13 %', 'more than 40 %', 'no')
    """
    if overhead == float("-inf"):
        return "no"
    most = max(OVERHEADS)
    return f"more than {100 * most:.0f} %" if overhead > most else f"{100 * overhead:.0f} %"


def reach(overheads: Iterable[float]) -> str:
    """Return from which to which overhead, once where they are told alike.

    Examples
    --------
    >>> reach([0.14, 0.32]), reach([0.14, float("inf")]), reach([0.14, 0.141])
    ('14 to 32 %', '14 to more than 40 %', '14 %')
    """
    overheads = list(overheads)
    told = dict.fromkeys(map(part_of, (min(overheads), max(overheads))))
    *first, last = told
    return " to ".join([*(each.removesuffix(" %") for each in first), last])
