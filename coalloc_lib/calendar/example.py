"""The worked example of the slot trees: four servers and a request for two of them."""

from typing import NamedTuple

from coalloc_lib.calendar.periods import IdlePeriod
from coalloc_lib.calendar.slot_trees import Operations, SlotTrees


class Request(NamedTuple):
    """A request as the paper writes it.

    Attributes
    ----------
    submit, start, length : float
        q, s and l: when it is submitted, its earliest start, and how long it takes.
    servers : int
        n: how many it needs.
    """

    submit: float
    start: float
    length: float
    servers: int


class Example(NamedTuple):
    """The book, its four idle periods X, Y, Z and V, and the request."""

    book: SlotTrees
    periods: dict[str, IdlePeriod]
    request: Request


#: What each server has reserved, from the present instant, 0.
_RESERVED = ([(0, 4), (25, 34)], [(0, 12), (36, 42)], [(0, 7), (31, 40)], [(0, 2), (16, 30)])


def worked_example() -> Example:
    """Return the example of the paper's Figures 1 and 2.

    Notes
    -----
    Four servers, slots of 10 and a horizon of 42. The paper's text tells period X = [4, 25) of the
    first server, that V overlaps the first two slots only, that all four overlap the second slot,
    the medians 7 and 25, and how the search goes; what else its figures show is not in the text,
    and chosen here so that all of this comes about. Server 1 and slot 2 of the paper are number 0
    and number 1 here.

    The request, (17, 17, 12, 2), has phase 1 mark the subtree of X and V, then Z, then Y; phase 2
    goes through them in reverse, accepts Y and Z, and ends.

    References
    ----------
    Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed Environments
    (2009), section 4.

    Examples
    --------
    >>> from coalloc_lib.calendar.trees import leaves
    >>> book, periods, (_, start, length, servers) = worked_example()
    >>> names = {period: name for name, period in periods.items()}
    >>> search = book.search(start, start + length, servers)
    >>> [[names[period] for period in leaves(node)] for node in search.candidates]
    [['X', 'V'], ['Z'], ['Y']]
    >>> [names[period] for period in search.found]
    ['Y', 'Z']
    """
    book = SlotTrees([4], slot=10.0, slots=5)
    for server, reserved in enumerate(_RESERVED):
        for start, end in reserved:
            (period,) = (idle for idle in book.feasible(start, end) if idle.server == server)
            book.take(period, float(start), float(end))
    book.operations = Operations()
    book.plant()  # balanced as in the figure, whatever the order of the reservations
    periods = dict(zip("XYZV", (book.periods(server)[0] for server in range(4)), strict=True))
    return Example(book, periods, Request(17.0, 17.0, 12.0, 2))
