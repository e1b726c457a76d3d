"""The example with which the paper explains the search in the slot trees (Figures 1 and 2)."""

from coalloc_lib.calendar import IdlePeriod, SlotTrees
from coalloc_lib.calendar.search import Request
from coalloc_lib.calendar.trees import Operations

#: The reserved intervals of each processor in the worked example, in which the current time is 0.
_RESERVED = ([(0, 4), (25, 34)], [(0, 12), (36, 42)], [(0, 7), (31, 40)], [(0, 2), (16, 30)])


def worked_example() -> tuple[SlotTrees, dict[str, IdlePeriod], Request]:
    """Return the example of Figures 1 and 2 of Castillo, Rouskas and Harfoush (2009).

    The text of the paper specifies some values: the period X = [4, 25) of the first processor
    (number 0 here); that the period V overlaps only the first two slots, and that all four periods
    overlap the second slot; the medians 7 and 25; and the course of the search. All other values
    are chosen here to fit these.

    Returns
    -------
    trees : SlotTrees
        The trees of four processors.
    periods : dict of str to IdlePeriod
        The periods that the paper calls X, Y, Z and V.
    request : Request
        The request whose search the paper describes.

    Examples
    --------
    >>> trees, periods, request = worked_example()
    >>> periods["X"]
    IdlePeriod(server=0, start=4.0, end=25.0)
    """
    trees = SlotTrees([4], slot=10.0, slots=5)
    for server, reserved in enumerate(_RESERVED):
        for start, end in reserved:
            (period,) = (idle for idle in trees.feasible(start, end) if idle.server == server)
            trees.take(period, float(start), float(end))
    trees.operations = Operations()
    trees.plant()  # The order of the reservations must not change the shape of the trees.
    periods = dict(zip("XYZV", (trees.periods(server)[0] for server in range(4)), strict=True))
    return trees, periods, Request(17.0, 17.0, 12.0, 2)
