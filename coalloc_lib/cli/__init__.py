"""The command line ``coalloc``: the commands `loss`, `simulate`, `verify` and `traces`.

A command reads its options, calls the library and prints results on standard output, and progress
and errors on stderr. A module that takes long to import is imported inside the function that needs
it. Begin with `loss`, which is a small command.
"""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from coalloc_lib.cli.output import (
    OUTPUT,
    drop_output,
    naming,
    prepare_streams,
    print_json,
    print_table,
    show,
    warn,
)

__all__ = ["app", "main", "run_app"]

#: The messages for the exit statuses of a command that a signal ended.
ENDINGS = {130: "interrupted", 143: "terminated"}
#: The help texts of the commands that have a module of their own. The module has a function of the
#: same name, and the constant EXAMPLES.
COMMANDS = {
    "loss": "Print the capacity loss of a system, by formula or by simulation.",
    "simulate": "Simulate the jobs of a log on a system; print the metrics, write the schedule.",
    "verify": "Check a schedule of any tool against the model and the decisions of a policy.",
}

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

#: The base class of all errors of the command line parser. typer does not export it by name.
_ParserError: Any = typer.BadParameter.__mro__[2]


class OnceEach(TyperCommand):
    """A command that rejects an option that is given twice.

    Without this class, the parser would silently use the last value. An option that may be given
    several times is accepted.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from coalloc_lib.basics.checks import InputError

        values, _, given = self.make_parser(ctx).parse_args([*args])
        for option in given:
            once = isinstance(option, typer.core.TyperOption) and not option.multiple
            if once and given.count(option) > 1:
                advice = "give it once"
                if option.name == "trace":
                    advice += ", or compare several logs with `python -m own_system report`"
                raise InputError(f"{option.opts[0]} is given {given.count(option)} times; {advice}")
        rest = super().parse_args(ctx, args)
        for option in given:
            _reject_underscores(option, ctx.params.get(option.name), values.get(option.name))
        return rest


def _reject_underscores(option: Any, value: Any, text: Any) -> None:
    """Raise an error if a number of the command line contains an underscore.

    Python reads 1_000 as 1000, so a typing error such as 1_5 for 1.5 would go unnoticed.
    """
    from coalloc_lib.basics.checks import InputError, shown

    has_several = isinstance(value, list | tuple) and isinstance(text, list | tuple)
    for number, word in zip(value, text, strict=True) if has_several else [(value, text)]:
        if isinstance(number, int | float) and isinstance(word, str) and "_" in word:
            raise InputError(f"{option.opts[0]} = {shown(word)}; give a number in plain digits")


class _Group(TyperGroup):
    """A group of commands that imports the module of a command only when the command is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            module = import_module(f"coalloc_lib.cli.{name}")
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(name=name, cls=OnceEach, epilog=module.EXAMPLES)(getattr(module, name))
            command = typer.main.get_command(alone)
        return name, command, rest


# Markup is off because it would change the square brackets of U[a,b] in the help texts.
app = typer.Typer(name="coalloc", cls=_Group, add_completion=False, rich_markup_mode=None)
for _name, _help in COMMANDS.items():
    app.command(name=_name, help=_help)(lambda: None)
traces = typer.Typer(
    rich_markup_mode=None,
    help="List and fetch public logs of the Parallel Workloads Archive.",
    epilog="\b\nExamples:\n  coalloc traces list\n  coalloc traces fetch KTH-SP2 CTC-SP2\n",
)
app.add_typer(traces, name="traces")


@app.callback(invoke_without_command=True)
def coalloc(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Study when it pays to run one parallel job in several clusters at the same time."""
    if version:
        from coalloc_lib import __version__

        print(f"coalloc {__version__}")
        raise typer.Exit
    _print_help(context)


@traces.callback(invoke_without_command=True)
def _print_help(context: typer.Context):
    if context.invoked_subcommand is None:
        print(context.get_help())


@traces.command(name="list", cls=OnceEach, epilog="\b\nExample:\n  coalloc traces list --json\n")
def list_traces(as_json: Json = False) -> None:
    """List the public logs with their numbers of jobs and processors.

    The column "file" says whether the log is on this machine. The logs are searched in the folder
    that the environment variable COALLOC_TRACES names, and then in the cache. With --json, the
    path of each file is printed.
    """
    from coalloc_lib.workloads.catalogue import listing

    logs = listing()
    if as_json:
        print_json({"traces": logs})
        return
    here = [log["found"] for log in logs if log["found"] != "not fetched"]
    rows = [
        (log["name"], f"{log['jobs']:,}", f"{log['processors']}",
         "here" if log["found"] in here else "not here", log["acknowledge"])
        for log in logs
    ]  # fmt: skip
    print_table(("name", ">jobs", ">processors", "file", "acknowledge"), rows)
    show(*(f"here: in {folder}" for folder in dict.fromkeys(Path(file).parent for file in here)))


@traces.command(name="fetch", cls=OnceEach, epilog="\b\nExample:\n  coalloc traces fetch KTH-SP2\n")
def fetch_traces(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Names that `coalloc traces list` shows.")
    ],
    as_json: Json = False,
) -> None:
    """Download logs from the archive into the cache, check their SHA-256, print their paths."""
    from coalloc_lib.workloads.catalogue import fetch

    files = [str(file) for file in fetch(names)]
    if as_json:
        print_json({"files": files})
    else:
        show(*files)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``coalloc``.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments, by default those of the process.

    Returns
    -------
    int
        The exit status, as `run_app` explains it.

    Examples
    --------
    >>> main(["loss", "--clusters", "32,32", "--sizes", "U[1,16]", "--request", "ordered"])
    0.293, exact
    0
    """
    return run_app(app, "coalloc", arguments)


def run_app(commands: typer.Typer, program: str, arguments: Sequence[str] | None = None) -> int:
    """Run a command line application, and print its errors in one line each.

    Parameters
    ----------
    commands : Typer
        The application.
    program : str
        What the user types before the arguments. The usage and the error messages show it.
    arguments : sequence of str, optional
        The arguments, by default those of the process.

    Returns
    -------
    int
        The exit status: 0 after success, 1 if `verify` finds a violation, 2 if the user made a
        mistake or if a disk is full, 130 after Ctrl-C, 143 after SIGTERM.

    Raises
    ------
    Exception
        Any error that is neither a mistake of the user nor a full disk.
    """
    prepare_streams()
    try:
        with unwinding():
            status = commands(arguments, prog_name=program, standalone_mode=False)
            with naming(OUTPUT):
                sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        return 0
    except (KeyboardInterrupt, typer.Abort) as error:
        if isinstance(error.__cause__, EOFError):
            # The parser takes every EOFError for a user who closes the terminal. Here a file of
            # the user ended too early.
            raise error.__cause__ from None
        status = 130
    except Terminated:
        status = 143
    except Exception as error:
        mistake = _mistake(error, program)
        if mistake is None:
            raise  # The error is a bug, so the user sees its traceback.
        warn(f"error: {' '.join(mistake.split())}")
        return 2
    if status in ENDINGS:
        warn(ENDINGS[status])
    return status if isinstance(status, int) else 0


def _mistake(error: Exception, program: str) -> str | None:
    """Return a message with the cause of an error and its remedy, or None if it is a bug."""
    from coalloc_lib.basics.checks import InputError, shown
    from coalloc_lib.basics.files import FULL

    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, _ParserError):
        context: Any = getattr(error, "ctx", None)
        command = program if context is None else context.command_path
        faults: list = getattr(error.__cause__, "errors", list)()
        given = "".join(f"; it is {shown(fault['input'])}" for fault in faults)
        return f"{error.format_message()}{given} (see: {command} --help)"
    if isinstance(error, MemoryError):
        return "the memory of this machine is too small; ask for fewer jobs or smaller sizes"
    if not isinstance(error, OSError) or not (error.filename or error.errno in FULL):
        return None
    if error.filename == OUTPUT:
        drop_output()
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror}; make room, or choose another place"


class Terminated(BaseException):
    """The process received SIGTERM.

    Like `KeyboardInterrupt`, it is no subclass of `Exception`, so that handlers of ordinary errors
    do not catch it.
    """


@contextmanager
def unwinding() -> Iterator[None]:
    """Raise `Terminated` when SIGTERM arrives during the ``with`` block.

    The signal would otherwise end the process at once, and half-written files would remain.
    """

    def terminate(_number: int, _frame: object) -> None:
        # A second signal must not interrupt the removal of half-written files.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
