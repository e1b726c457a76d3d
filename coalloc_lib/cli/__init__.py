"""The command line: `loss`, `simulate` and `traces`.

A command reads options, calls the library and prints: results to stdout, progress and errors to
stderr. Slow imports belong in the command that needs them. Begin with `loss`, a small one.
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

#: Exit statuses that are no answer and no mistake.
ENDINGS = {130: "interrupted", 143: "terminated"}
#: Commands with a module of their own, each with a function of its name and EXAMPLES.
COMMANDS = {
    "loss": "Print the capacity loss of a system, by formula or by simulation.",
    "simulate": "Run a log through a system; print the metrics, write the schedule.",
}

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

#: The common base of what the parser of the command line raises, which typer does not name.
_ParserError: Any = typer.BadParameter.__mro__[2]


class OnceEach(TyperCommand):
    """A command that refuses an option that comes twice, where the last would win unnoticed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from coalloc_lib.basics.checks import InputError

        values, _, given = self.make_parser(ctx).parse_args([*args])
        for option in given:
            once = isinstance(option, typer.core.TyperOption) and not option.multiple
            if once and given.count(option) > 1:
                raise InputError(
                    f"{option.opts[0]} is given {given.count(option)} times; give it once"
                    + (
                        "; `python -m own_system report` runs several logs"
                        * (option.name == "trace")
                    )
                )
        rest = super().parse_args(ctx, args)
        for option in given:
            _refuse_underscores(option, ctx.params.get(option.name), values.get(option.name))
        return rest


def _refuse_underscores(option: Any, value: Any, text: Any) -> None:
    """Refuse the text of a number, or of several, with an underscore, which Python skips."""
    from coalloc_lib.basics.checks import InputError, shown

    many = isinstance(value, list | tuple) and isinstance(text, list | tuple)
    for number, word in zip(value, text, strict=True) if many else [(value, text)]:
        if isinstance(number, int | float) and isinstance(word, str) and "_" in word:
            raise InputError(f"{option.opts[0]} = {shown(word)}; give a number in plain digits")


class _Group(TyperGroup):
    """Commands whose modules are imported when they are run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            module = import_module(f"coalloc_lib.cli.{name}")
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(name=name, cls=OnceEach, epilog=module.EXAMPLES)(getattr(module, name))
            command = typer.main.get_command(alone)
        return name, command, rest


# No markup: square brackets in a help text are those of U[a,b].
app = typer.Typer(name="coalloc", cls=_Group, add_completion=False, rich_markup_mode=None)
for _name, _help in COMMANDS.items():
    app.command(name=_name, help=_help)(lambda: None)
traces = typer.Typer(
    rich_markup_mode=None,
    help="Public logs of the Parallel Workloads Archive: list them, fetch them.",
    epilog="\b\nExamples:\n  coalloc traces list\n  coalloc traces fetch KTH-SP2 CTC-SP2\n",
)
app.add_typer(traces, name="traces")


@app.callback(invoke_without_command=True)
def coalloc(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print it, exit.")] = False,
) -> None:
    """When does it pay to run one job in several clusters at once?"""  # noqa: D400
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
    """List the logs: their jobs, their processors, and whether they are here.

    A folder that the variable COALLOC_TRACES names is looked into before the cache. --json tells
    which file each log is.
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
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names from the list.")],
    as_json: Json = False,
) -> None:
    """Fetch logs from the archive into the cache, checked by SHA-256; print where they are."""
    from coalloc_lib.workloads.catalogue import fetch

    files = [str(file) for file in fetch(names)]
    if as_json:
        print_json({"files": files})
    else:
        show(*files)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line of `coalloc`; return the exit status that `run_app` describes."""
    return run_app(app, "coalloc", arguments)


def run_app(commands: typer.Typer, program: str, arguments: Sequence[str] | None = None) -> int:
    """Run a command line with the errors and the exit status that all our commands have.

    Parameters
    ----------
    commands : Typer
        The application.
    program : str
        What the user types before the arguments; the usage and the hints show it.
    arguments : sequence of str, optional
        The arguments, by default those of the process.

    Returns
    -------
    int
        The exit status: 0 after success, 2 if the user made a mistake or if a disk is full, 130
        after Ctrl-C, 143 after SIGTERM.
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
            # The parser takes the end of any file for a user who closes the terminal.
            raise error.__cause__ from None
        status = 130
    except Terminated:
        status = 143
    except Exception as error:
        mistake = _mistake(error, program)
        if mistake is None:
            raise  # nothing that a user could mend: a bug keeps its traceback
        warn(f"error: {' '.join(mistake.split())}")
        return 2
    if status in ENDINGS:
        warn(ENDINGS[status])
    return status if isinstance(status, int) else 0


def _mistake(error: Exception, program: str) -> str | None:
    """Return what a user can do about an error, or None if the error is a bug."""
    from coalloc_lib.basics.checks import InputError, shown
    from coalloc_lib.basics.files import FULL

    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, _ParserError):
        context: Any = getattr(error, "ctx", None)
        command = program if context is None else context.command_path
        faults: list = getattr(error.__cause__, "errors", list)()  # know the value
        given = "".join(f"; it is {shown(fault['input'])}" for fault in faults)
        return f"{error.format_message()}{given} (see: {command} --help)"
    if isinstance(error, MemoryError):
        return "this takes more memory than there is; ask for fewer jobs or smaller sizes"
    if not isinstance(error, OSError) or not (error.filename or error.errno in FULL):
        return None
    if error.filename == OUTPUT:
        drop_output()
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror}; make room, or choose another place"


class Terminated(BaseException):
    """SIGTERM came: like `KeyboardInterrupt`, it passes every handler of ordinary errors."""


@contextmanager
def unwinding() -> Iterator[None]:
    """Within the block, SIGTERM raises `Terminated`, so that half-written files are removed."""

    def terminate(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second would cut the tidying short
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
