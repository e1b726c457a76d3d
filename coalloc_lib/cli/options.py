"""Options that several commands share, and what their texts mean."""

from collections.abc import Callable, Collection
from dataclasses import fields
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.jobs import REQUESTS
from coalloc_lib.model.placement import Placement as PlacementRule
from coalloc_lib.model.system import NAMED_SYSTEMS
from coalloc_lib.policies import Scheduling
from coalloc_lib.policies.backfilling import ORDERS
from coalloc_lib.policies.booking import CHOICES
from coalloc_lib.policies.in_turn import COUNTED
from coalloc_lib.policies.names import PLACEMENTS, SCHEDULING, needed_by, options_of

#: What stands for the value of an option, its help, and its least value: of options that several
#: commands have, and of those that are fields of scheduling policies.
SHARED: dict[str, tuple] = {
    "clusters": ("N,N,...", "Processors of each cluster, or a named system: "
                 f"{', '.join(NAMED_SYSTEMS)}."),
    "request": ("TYPE", f"One of {', '.join(REQUESTS)}."),
    "placement": ("RULE", f"Clusters are chosen by {', '.join(PLACEMENTS)}; not for ordered "
                  "requests.  [default: worst-fit]"),
    "scheduling": ("POLICY", f"One of {', '.join(SCHEDULING)}."),
    "seed": ("N", "Of the random numbers.", 0),
    "as_json": (None, "Print one JSON object."),
}  # fmt: skip
FIELDS: dict[str, tuple] = {
    "max_jumps": ("N", "how many times a job may be overtaken.", 0),
    "counted": ("WHEN", f"its overtakings count while it is {' or at the '.join(COUNTED)}."),
    "adaptive": (None, "a job spans only if one cluster would not do as early."),
    "order": ("ORDER", f"the queue is in order of {', '.join(ORDERS[:3])} job first."),
    "slot": ("S", "the horizon moves on by slots so long."),
    "step": ("S", "from one attempt to the next."),
    "max_attempts": ("N", "attempts in all.  [default: half the slots of the horizon]", 1),
    "horizon": ("S", "how far ahead is booked."),
    "min_length": ("S", "what is booked is at least so long.", 0),
    "rule": ("RULE", f"servers are chosen by {', '.join(CHOICES)}."),
    "release_early": (None, "servers are free when a job ends early."),
}
#: Flags that are not called as their argument is.
FLAGS = {"as_json": "--json", "every_row": "--all"}


def command(planning: bool | None = None, **texts: tuple) -> Callable[[Callable], Callable]:
    """Return a decorator that makes a function's arguments options, with these texts or `SHARED`.

    A ``**`` argument takes the fields of the scheduling policies. With `planning` these include
    the policies that plan with the users' estimates.
    """

    def decorate(function: Callable) -> Callable:
        given = signature(function, eval_str=True)
        parameters = []
        for each in given.parameters.values():
            if each.kind is Parameter.VAR_KEYWORD:
                continue
            words, kind = (texts | SHARED).get(each.name), each.annotation
            option = _option(each.name, kind, *words) if words else kind
            parameters.append(each.replace(kind=Parameter.KEYWORD_ONLY, annotation=option))
            if each.name == "scheduling":
                parameters += _fields(planning)
        function.__signature__ = given.replace(parameters=parameters)  # type: ignore[attr-defined]
        function.__annotations__ = {each.name: each.annotation for each in parameters}
        return function

    return decorate


def _option(name: str, kind: Any, metavar: str | None, text: str, least: int | None = None) -> Any:
    flag = FLAGS.get(name, "--" + name.replace("_", "-"))
    return Annotated[kind, typer.Option(flag, metavar=metavar, min=least, help=text)]


def _fields(planning: bool | None) -> list[Parameter]:
    """Return the fields of scheduling policies as options."""
    options = {}
    for policy in SCHEDULING.values():
        kind: Any = policy  # a dataclass
        types = get_type_hints(kind)
        for field in fields(kind) if planning or not policy.uses_estimates else ():
            metavar, text, *least = FIELDS.get(field.name, (None, "see its class."))
            default: Any = field.default
            if isinstance(default, float | str):
                words = default if isinstance(default, str) else f"{default:g}"
                text += f"  [default: {words}]"
            is_flag = types[field.name] is bool
            kind = bool if is_flag else types[field.name] | None
            takers = ", ".join(
                n for n, other in SCHEDULING.items() if field.name in options_of(other)
            )
            option = _option(field.name, kind, metavar, f"{takers}: {text}", *least)
            options[field.name] = Parameter(
                field.name, Parameter.KEYWORD_ONLY, default=False if is_flag else None,
                annotation=option,
            )  # fmt: skip
    return [*options.values()]


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
    if given.get("order") == "priority":
        raise InputError(
            "--order priority is for jobs that have one, and those of a log have none; choose one "
            f"of {', '.join(ORDERS[:3])}"
        )
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
