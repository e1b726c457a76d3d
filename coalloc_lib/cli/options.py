"""Options that several commands share, and what their texts mean."""

from typing import Annotated

import typer

from coalloc_lib.checks import InputError
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.names import PLACEMENTS, SCHEDULING, options_of, parse_clusters
from coalloc_lib.system import NAMED_SYSTEMS

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
Seed = Annotated[int | None, typer.Option(metavar="N", min=0, help="Of the random numbers.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def chosen(option, value, choices):
    """Return `value`; refuse what is not among `choices`, and say which there are."""
    if value not in choices:
        raise InputError(f"{option} = {value!r}; choose one of {', '.join(choices)}")
    return value


def system_of(text):
    """Return the multicluster that ``--clusters`` names."""
    return parse_clusters(text, "--clusters")


def placement_of(name, request=None):
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


def scheduling_of(name, **options):
    """Return the scheduling policy of this name; None is an option that was not given."""
    policy = SCHEDULING[chosen("--scheduling", name, SCHEDULING)]
    wanted = options_of(policy)
    given = {option for option, value in options.items() if value is not None}
    for option in sorted(given - set(wanted)):
        takers = [taker for taker, other in SCHEDULING.items() if option in options_of(other)]
        raise InputError(
            f"{_flag(option)} is not for --scheduling {name}; leave it out, or use "
            f"--scheduling {' or '.join(takers)}"
        )
    for option in wanted:
        if option not in given:
            raise InputError(f"--scheduling {name} needs {_flag(option)}; add it")
    return policy(**{option: options[option] for option in wanted})


def _flag(option):
    return "--" + option.replace("_", "-")
