"""When jobs ask to start: advance reservations, as columns of instants."""

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError, not_negative, shown
from coalloc_lib.seeds import Seed, generators

#: The columns of a stream that say between which instants each job asks to start.
WISHES = ("earliest_start", "latest_start")


def moved_along(
    wish: NDArray[np.float64], before: NDArray[np.float64], submit: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return instants that keep their distance to submissions which have moved."""
    return submit + (wish - before)


def refuse_early(
    submit: NDArray[np.float64], earliest: NDArray[np.float64], latest: NDArray[np.float64]
) -> None:
    """Refuse a start asked for before the submission, and a latest before the earliest."""
    for one, other, name, told in (
        (earliest, submit, "earliest_start", "submit"),
        (latest, earliest, "latest_start", "earliest_start"),
    ):
        if (one < other).any():
            job = int((one < other).argmax())
            raise InputError(
                f"{name}[{job}] = {one[job]:g} comes before {told}[{job}] = {other[job]:g}; give "
                "an instant from there on"
            )


def drawn_ahead(
    submit: NDArray[np.float64], share: float, up_to: float, seed: Seed
) -> NDArray[np.float64]:
    """Return earliest starts of which a share are drawn; see `JobStream.reserved_ahead`."""
    if not 0 <= not_negative("share", share) <= 1:
        raise InputError(f"share = {shown(share)}; give a number from 0 to 1")
    longest = not_negative("up_to", up_to)
    chosen, ahead = (rng.random(len(submit)) for rng in generators(seed, 2))
    return submit + np.where(chosen < share, ahead * longest, 0.0)
