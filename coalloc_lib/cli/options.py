"""Options that several commands share, and what their texts mean."""

from collections.abc import Collection
from typing import Annotated, Any

import typer

from coalloc_lib.checks import InputError
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.names import PLACEMENTS, SCHEDULING, needed_by, options_of
from coalloc_lib.placement import Placement as PlacementRule
from coalloc_lib.scheduling import Online, Scheduling
from coalloc_lib.scheduling.booking import CHOICES
from coalloc_lib.system import NAMED_SYSTEMS

_ONLINE = Online()

Clusters = Annotated[
    str,
    typer.Option(
        metavar="N,N,...",
        help=f"Processors of each cluster, or a named system: {', '.join(NAMED_SYSTEMS)}.",
    ),
]
Request = Annotated[str, typer.Option(metavar="TYPE", help=f"One of {', '.join(REQUESTS)}.")]
Placement = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help=f"Clusters are chosen by {', '.join(PLACEMENTS)}; not for ordered requests. "
        " [default: worst-fit]",
    ),
]
SchedulingPolicy = Annotated[
    str, typer.Option("--scheduling", metavar="POLICY", help=f"One of {', '.join(SCHEDULING)}.")
]
MaxJumps = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="fpfs: how many times a job may be overtaken."),
]
#: What `--scheduling online` takes; where an option is not given, the default of `Online` holds.
Slot = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help=f"online: the horizon moves on by slots so long.  [default: {_ONLINE.slot:g}]",
    ),
]
Step = Annotated[
    float | None,
    typer.Option(
        metavar="S", help=f"online: from one attempt to the next.  [default: {_ONLINE.step:g}]"
    ),
]
MaxAttempts = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="online: attempts in all.  [default: half the slots of the horizon]",
    ),
]
Horizon = Annotated[
    float | None,
    typer.Option(
        metavar="S", help=f"online: how far ahead is booked.  [default: {_ONLINE.horizon:g}]"
    ),
]
Rule = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help=f"online: servers are chosen by {', '.join(CHOICES)}.  [default: {_ONLINE.rule}]",
    ),
]
ReleaseEarly = Annotated[
    bool,
    typer.Option("--release-early", help="online: servers are free when a job ends early."),
]
Seed = Annotated[int | None, typer.Option(metavar="N", min=0, help="Of the random numbers.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def chosen(option: str, value: str, choices: Collection[str]) -> str:
    """Return `value`; refuse what is not among `choices`, and say which there are."""
    if value not in choices:
        raise InputError(f"{option} = {value!r}; choose one of {', '.join(choices)}")
    return value


def placement_of(name: str | None, request: str | None = None) -> PlacementRule | None:
    """Return the placement of this name, None where none is given; ordered requests take none."""
    if name is None:
        return None
    rule = PLACEMENTS[chosen("--placement", name, PLACEMENTS)]()
    if request == "ordered":
        raise InputError(
            "--placement is not for --request ordered, whose components name their clusters; "
            "leave it out"
        )
    return rule


def scheduling_of(name: str, **options: Any) -> Scheduling:
    """Return the scheduling policy of this name; None is an option that was not given."""
    policy = SCHEDULING[chosen("--scheduling", name, SCHEDULING)]
    wanted, needed = options_of(policy), needed_by(policy)
    for option, value in options.items():
        flag = "--" + option.replace("_", "-")
        if value is None and option in needed:
            raise InputError(f"--scheduling {name} needs {flag}; add it")
        if value is not None and option not in wanted:
            takers = [taker for taker, other in SCHEDULING.items() if option in options_of(other)]
            raise InputError(
                f"{flag} is not for --scheduling {name}; leave it out, or use --scheduling "
                f"{' or '.join(takers)}"
            )
    given = {option: value for option, value in options.items() if value is not None}
    try:
        return policy(**given)
    except InputError as error:
        raise InputError("--" + str(error).replace("_", "-", 1)) from None


def engine_for(scheduling: Scheduling, placement: PlacementRule | None) -> str:
    """Return the compiled engine where it knows both policies, else the one that runs any."""
    from coalloc_lib.engines.compiled import knows

    return "compiled" if knows(scheduling, placement) else "reference"
