"""The penalty from which on splitting large jobs loses: of all jobs and of each group."""

from collections.abc import Callable
from functools import cache

from coalloc_lib.inference import Sample, crossing
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.parameters import (
    ABOVE,
    PARTS,
    PENALTIES,
    WHOLE,
    scenario,
)
from coalloc_lib.studies.communication_penalty.responses import (
    NAMES,
    Responses,
    Size,
    lost,
    respond,
)
from coalloc_lib.studies.communication_penalty.served import Served
from coalloc_lib.studies.measurements import interval_columns


def thresholds(
    load: float, max_jumps: int, splitting: str, size: Size, seed: Seed
) -> dict[str, float]:
    """Return the penalty at which splitting breaks even, by group, with its interval.

    Where whole jobs saturate, ``saturated``, it is where both bear the same load: one for all.
    """
    split = WHOLE.with_(above=ABOVE, parts=PARTS, rounding=splitting)
    return break_even(Served(scenario(max_jumps, split), load), NAMES, size, seed)


def break_even(entry: Served, groups: tuple[str, ...], size: Size, seed: Seed) -> dict[str, float]:
    """Return the penalty at which an entry breaks even with its jobs whole; see `thresholds`.

    Parameters
    ----------
    entry : Served
        Whose own penalty does not count.
    groups : tuple of str
    size : Size
    seed : int or SeedSequence
    """
    whole = respond(entry.whole.scenario, entry.load, size, seed)

    @cache
    def paying(psi: float) -> Responses:
        paid = entry.scenario.with_(workload=entry.jobs.with_(span_penalty=psi))
        return respond(paid, entry.load, size, seed)

    def loss(group: str) -> Callable[[float], Sample]:
        return lambda psi: lost(paying(psi), whole, group)

    columns: dict[str, float] = {"saturated": whole.saturated}
    for group in groups:
        found = crossing(loss(group), *PENALTIES).interval
        columns |= {f"{group} {name}": x for name, x in interval_columns(found).items()}
    return columns
