"""The options that several commands share, and functions that interpret their values."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.jobs import REQUESTS
from coalloc_lib.model.placement import Placement as PlacementRule
from coalloc_lib.model.system import NAMED_SYSTEMS
from coalloc_lib.policies import Scheduling
from coalloc_lib.policies.backfilling import ORDERS
from coalloc_lib.policies.booking import CHOICES
from coalloc_lib.policies.fcfs import COUNTED
from coalloc_lib.policies.names import PLACEMENTS, SCHEDULING, needed_by, options_of

#: The options that several commands share. Each option has a tuple: the name that the help
#: shows for its value (None for a flag), the help text and, for some, the smallest allowed value.
SHARED: dict[str, tuple] = {
    "clusters": ("N,N,...", "Number of processors of each cluster, or a named system: "
                 f"{', '.join(NAMED_SYSTEMS)}."),
    "request": ("TYPE", f"One of {', '.join(REQUESTS)}."),
    "placement": ("RULE", f"How clusters are chosen: {', '.join(PLACEMENTS)}; not for ordered "
                  "requests.  [default: worst-fit]"),
    "scheduling": ("POLICY", f"One of {', '.join(SCHEDULING)}."),
    "seed": ("N", "Seed of the random numbers.", 0),
    "as_json": (None, "Print one JSON object."),
}  # fmt: skip
#: The options that set fields of scheduling policies. The tuple of an option has the placeholder
#: for its value in the help (None for a flag), the help text and, for some options, the smallest
#: allowed value. In the help, the names of the policies with this field precede the help text.
FIELDS: dict[str, tuple] = {
    "max_jumps": ("N", "how many times a job may be overtaken.", 0),
    "counted": ("WHEN", "the overtakings of a job count while it is "
                f"{' or at the '.join(COUNTED)}."),
    "adaptive": (None, "a job spans clusters only if it would end later in one cluster."),
    "order": ("ORDER", f"how the queue is ordered: {', '.join(ORDERS[:3])} job first."),
    "slot": ("S", "length of a slot, by which the horizon moves on."),
    "step": ("S", "time from one attempt to the next."),
    "max_attempts": ("N", "largest number of attempts.  [default: half the slots of the horizon]",
                     1),
    "horizon": ("S", "how far ahead jobs can be booked."),
    "min_length": ("S", "shortest length of a reservation.", 0),
    "rule": ("RULE", f"how processors are chosen: {', '.join(CHOICES)}."),
    "release_early": (None, "the processors of a job that ends early become free at once."),
}  # fmt: skip
#: The key, in the metadata of a field of a dataclass, of the texts that describe its option.
TEXTS = "texts"
#: The command line options whose names differ from the names of their arguments in Python.
NAMES = {"as_json": "--json"}


def command(
    planning: bool | None = None, option_names: Mapping[str, str] = NAMES, **texts: tuple
) -> Callable[[Callable], Callable]:
    """Return a decorator that turns the arguments of a function into command line options.

    If the type of an argument is a dataclass, each field of the dataclass becomes an option, and
    the argument receives an object of this class. If there is an option ``scheduling``, the fields
    of the scheduling policies become options too, and the ``**`` argument of the function receives
    them. If the function raises an `InputError` about one of its options, the error names the
    option.

    Parameters
    ----------
    planning : bool, optional
        Whether to include the fields of the policies that plan with the users' estimates.
    option_names : dict of str to str
        The options whose name is not that of their argument, by the name of the argument.
    **texts : tuple
        The placeholder, the help text and the smallest value of each option, as in `SHARED`. The
        texts of all other options are in `SHARED`, or in the metadata of a field with the key
        `TEXTS`.
    """

    def decorate(function: Callable) -> Callable:
        given = signature(function, eval_str=True)
        classes = {
            p.name: p.annotation for p in given.parameters.values() if is_dataclass(p.annotation)
        }
        parameters = []
        for name, kind, default, words in _arguments(given):
            words = (SHARED | texts).get(name, words)
            option = _option(_flag(name, option_names), kind, *words) if words else kind
            parameters.append(_parameter(name, default, option))
            if name == "scheduling":
                parameters += _fields(planning)
        flags = {p.name: _flag(p.name, option_names) for p in parameters}

        @wraps(function)
        def run(**values: Any) -> None:
            with _naming_options(flags):
                function(**_collected(values, classes))

        run.__signature__ = given.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _arguments(given: Signature) -> Iterator[tuple[str, Any, Any, tuple | None]]:
    """Yield the name, the type, the default and the texts of each option of a function."""
    for parameter in given.parameters.values():
        kind = parameter.annotation
        if is_dataclass(kind):
            types = get_type_hints(kind)
            for each in fields(kind):
                default = Parameter.empty if each.default is MISSING else each.default
                yield each.name, types[each.name], default, each.metadata.get(TEXTS)
        elif parameter.kind is not Parameter.VAR_KEYWORD:
            yield parameter.name, kind, parameter.default, None


def _collected(values: dict[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options, in which fields of dataclasses are replaced by objects."""
    objects = {
        name: kind(**{each.name: values.pop(each.name) for each in fields(kind)})
        for name, kind in classes.items()
    }
    return values | objects


def _parameter(name: str, default: Any, option: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=option)


@contextmanager
def _naming_options(flags: Mapping[str, str]) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        # A single number of an option can become an array, whose entries are named by [0].
        match = re.match(r"(\w+)(\[0\])?(?= [=/])", str(error))
        if match is None or match[1] not in flags:
            raise
        raise InputError(flags[match[1]] + str(error).removeprefix(match[0])) from None


def _flag(name: str, option_names: Mapping[str, str] = NAMES) -> str:
    return option_names.get(name, "--" + name.replace("_", "-"))


def _option(flag: str, kind: Any, metavar: str | None, text: str, least: int | None = None) -> Any:
    return Annotated[kind, typer.Option(flag, metavar=metavar, min=least, help=text)]


def _fields(planning: bool | None) -> list[Parameter]:
    options: dict[str, Parameter] = {}
    for policy in SCHEDULING.values():
        kind: Any = policy
        if planning or not policy.uses_estimates:
            types = get_type_hints(kind)
            options |= {field.name: _field(field, types[field.name]) for field in fields(kind)}
    return [*options.values()]


def _field(field: Field, field_type: Any) -> Parameter:
    metavar, text, *least = FIELDS[field.name]
    if isinstance(field.default, float | str):
        default = field.default if isinstance(field.default, str) else f"{field.default:g}"
        text += f"  [default: {default}]"
    text = f"{', '.join(_takers(field.name))}: {text}"
    is_flag = field_type is bool
    kind = bool if is_flag else field_type | None
    option = _option(_flag(field.name), kind, metavar, text, *least)
    return _parameter(field.name, False if is_flag else None, option)


def chosen(option: str, value: str, choices: Collection[str]) -> str:
    """Return the value of an option, or raise an error if it is not one of the choices.

    Parameters
    ----------
    option : str
        The name of the option, for the error message.
    value : str
        The value that the user gave.
    choices : collection of str
        The allowed values.

    Raises
    ------
    InputError
        If the value is not allowed. The message lists the choices.
    """
    if value not in choices:
        raise InputError(f"{option} = {value!r}; choose one of {', '.join(choices)}")
    return value


def placement_of(name: str | None, request: str | None = None) -> PlacementRule | None:
    """Return the placement policy that the option ``--placement`` names.

    Parameters
    ----------
    name : str or None
        The value of the option; None if the user did not give it.
    request : str, optional
        The request type.

    Returns
    -------
    Placement or None
        The policy; None for the default.

    Raises
    ------
    InputError
        If there is no policy of this name, or if the requests are ordered.
    """
    if name is None:
        return None
    rule = PLACEMENTS[chosen("--placement", name, PLACEMENTS)]()
    if request == "ordered":
        raise InputError(
            "--placement cannot be used with --request ordered, in which each component names its "
            "cluster; leave it out"
        )
    return rule


def scheduling_of(name: str, **options: Any) -> Scheduling:
    """Return the scheduling policy that the option ``--scheduling`` names.

    Parameters
    ----------
    name : str
        The value of the option.
    **options
        The values of the options that are fields of policies; None or False if the user did not
        give the option.

    Raises
    ------
    InputError
        If there is no policy of this name, if it needs an option that is missing, or if an option
        belongs to another policy.
    """
    policy = SCHEDULING[chosen("--scheduling", name, SCHEDULING)]
    given = _given(options)
    wanted = options_of(policy)
    if given.get("order") == "priority":
        raise InputError(
            "--order priority needs jobs with priorities, but the jobs of a log have no "
            f"priorities; choose one of {', '.join(ORDERS[:3])}"
        )
    for option in options:
        flag = _flag(option)
        if option in needed_by(policy) and option not in given:
            raise InputError(f"--scheduling {name} needs {flag}; add it")
        if option in given and option not in wanted:
            raise InputError(
                f"{flag} cannot be used with --scheduling {name}; leave it out, or use "
                f"--scheduling {' or '.join(_takers(option))}"
            )
    return policy(**given)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the user gave. The others are None or False."""
    return {
        name: value for name, value in options.items() if value is not None and value is not False
    }


def _takers(option: str) -> list[str]:
    return [name for name, policy in SCHEDULING.items() if option in options_of(policy)]


def reject_without_scheduling(**options: Any) -> None:
    """Raise an error if an option of a policy is given, although ``--scheduling`` is not.

    Parameters
    ----------
    **options
        The values of the options that are fields of policies; None or False if the user did not
        give the option.

    Raises
    ------
    InputError
        If an option is given. The message lists the policies that have this option.
    """
    for option in _given(options):
        raise InputError(
            f"{_flag(option)} is an option of a policy; add --scheduling "
            f"{' or '.join(_takers(option))}, or leave it out"
        )
