"""Options that several commands share, and what their texts mean."""

from collections.abc import Callable, Collection
from dataclasses import fields
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from coalloc_lib.checks import InputError
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.names import PLACEMENTS, SCHEDULING, needed_by, options_of
from coalloc_lib.placement import Placement as PlacementRule
from coalloc_lib.scheduling import Scheduling
from coalloc_lib.scheduling.booking import CHOICES
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
Seed = Annotated[int | None, typer.Option(metavar="N", min=0, help="Of the random numbers.")]

#: Fields of scheduling policies as options: what stands for the value, its least, and the help.
FIELDS: dict[str, tuple[str | None, int | None, str]] = {
    "max_jumps": ("N", 0, "how many times a job may be overtaken."),
    "slot": ("S", None, "the horizon moves on by slots so long."),
    "step": ("S", None, "from one attempt to the next."),
    "max_attempts": ("N", 1, "attempts in all.  [default: half the slots of the horizon]"),
    "horizon": ("S", None, "how far ahead is booked."),
    "rule": ("RULE", None, f"servers are chosen by {', '.join(CHOICES)}."),
    "release_early": (None, None, "servers are free when a job ends early."),
}


def with_policy_options(*, booking: bool) -> Callable[[Callable], Callable]:
    """Return a decorator that adds the fields of all scheduling policies to a command's options."""

    def add(command: Callable) -> Callable:
        added: dict[str, Parameter] = {}
        for name, policy in SCHEDULING.items():
            kind: Any = policy  # a dataclass
            types = get_type_hints(kind)
            for field in fields(kind) if booking or not policy.takes_reservations else ():
                metavar, least, text = FIELDS.get(field.name, (None, None, "see its class."))
                if isinstance(field.default, float | str):
                    shown = (
                        field.default if isinstance(field.default, str) else f"{field.default:g}"
                    )
                    text += f"  [default: {shown}]"
                is_flag = types[field.name] is bool
                option = typer.Option(
                    "--" + field.name.replace("_", "-"), metavar=metavar, min=least,
                    help=f"{name}: {text}",
                )  # fmt: skip
                added[field.name] = Parameter(
                    field.name,
                    Parameter.KEYWORD_ONLY,
                    default=False if is_flag else None,
                    annotation=Annotated[bool if is_flag else types[field.name] | None, option],
                )
        given = signature(command, eval_str=True)
        own = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in given.parameters.values()][:-1]
        place = [p.name for p in own].index("scheduling") + 1
        order = [*own[:place], *added.values(), *own[place:]]
        command.__signature__ = given.replace(parameters=order)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in order} | {"return": None}
        return command

    return add


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
    """Return the scheduling policy of this name; None or False is an option that was not given."""
    policy = SCHEDULING[chosen("--scheduling", name, SCHEDULING)]
    given = {o: value for o, value in options.items() if value is not None and value is not False}
    wanted = options_of(policy)
    for option in options:
        flag = "--" + option.replace("_", "-")
        if option in needed_by(policy) and option not in given:
            raise InputError(f"--scheduling {name} needs {flag}; add it")
        if option in given and option not in wanted:
            takers = [taker for taker, other in SCHEDULING.items() if option in options_of(other)]
            raise InputError(
                f"{flag} is not for --scheduling {name}; leave it out, or use --scheduling "
                f"{' or '.join(takers)}"
            )
    try:
        return policy(**given)
    except InputError as error:
        raise InputError("--" + str(error).replace("_", "-", 1)) from None


def engine_for(scheduling: Scheduling, placement: PlacementRule | None) -> str:
    """Return the compiled engine where it knows both policies, else the one that runs any."""
    from coalloc_lib.engines.compiled import knows

    return "compiled" if knows(scheduling, placement) else "reference"
