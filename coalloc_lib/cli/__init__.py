"""The command line: `loss`, `simulate`, `sites`, `reproduce`, `judge`, `traces` and `import`.

A command reads options, calls the library and prints: results to stdout, progress and errors to
stderr. Slow imports belong in the command that needs them. Begin with `loss`, a small one.
"""

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
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

__all__ = ["app", "main"]

#: Exit statuses that are no answer and no mistake.
ENDINGS = {130: "interrupted", 143: "terminated"}
#: Commands with a module of their own, each with a function of its name and EXAMPLES.
COMMANDS = {
    "loss": "Print the capacity loss of a system, by formula or by simulation.",
    "simulate": "Run a log through a system; print the metrics, write the schedule.",
    "sites": "Say whether several sites should share their jobs, as a page.",
    "reproduce": "Reproduce the papers: each number and claim, with a verdict.",
    "judge": "Judge stored runs again, with ledger and figures; nothing is simulated.",
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
                    + ("; coalloc sites runs several logs" * (option.name == "trace"))
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
imports = typer.Typer(rich_markup_mode=None, help="Make logs of what other tools print.")
app.add_typer(imports, name="import")


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
@imports.callback(invoke_without_command=True)
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


@imports.command(
    name="sacct",
    epilog="""\b
Examples:
  coalloc import sacct export.txt --time-zone Europe/Amsterdam -o my.swf.gz
  coalloc import sacct export.txt.gz --unit nodes --cluster north -o north.swf.gz
""",
)
def import_sacct(
    file: Annotated[str, typer.Argument(metavar="FILE", help="From sacct --parsable2.")],
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="FILE.swf.gz", help="Where the "
        "log goes; - is standard output, and the receipt goes to stderr.")] = None,
    unit: Annotated[str, typer.Option(metavar="UNIT", help="Count cores or nodes.")] = "cores",
    cluster: Annotated[str | None, typer.Option(metavar="NAME", help="Which cluster.")] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE", help="Where times without a zone "
        "were printed.  [default: UTC]")] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Make a log of Slurm's accounting; print a receipt of what was left out, and found.

    Without --out only the receipt is made. Names of users, accounts and partitions become numbers.
    docs/own-logs.md, and the error where a column is missing, tell what sacct has to print.
    """
    from coalloc_lib.basics.checks import InputError
    from coalloc_lib.basics.files import check_writable
    from coalloc_lib.workloads.slurm import read_sacct
    from coalloc_lib.workloads.swf import write_swf

    if out == "-" and as_json:
        raise InputError("--out - and --json both want standard output; give --out a file")
    if out is not None:
        check_writable(out)
    log = read_sacct(file, unit=unit, cluster=cluster, time_zone=time_zone)
    try:
        if out is not None:
            with naming(OUTPUT if out == "-" else out):
                write_swf(out, log.table, log.header)
    finally:  # a disk that is full costs the log, but not the receipt
        _show_receipt(log, out, as_json)
    if out not in (None, "-") and not as_json:
        show(out)


def _show_receipt(log: Any, out: str | None, as_json: bool) -> None:
    """Print what was read and left out; on stderr if the log itself is on standard output."""
    receipt = log.receipt
    if as_json:
        print_json({"receipt": json.loads(receipt.to_json(orient="records")), "out": out})
        return
    with redirect_stdout(sys.stderr if out == "-" else sys.stdout):
        lines = [f"{n:,}" if n else "" for n in receipt["lines"].fillna(0)]
        rows = receipt.assign(lines=lines).to_numpy().tolist()
        print_table(("", ">lines", "what", "what to do"), rows, log.title)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, that of the process where none is given; return the exit status.

    It is 2 after a user's mistake or where a disk is full; 130 after Ctrl-C, 143 after SIGTERM.
    """
    prepare_streams()
    try:
        with unwinding():
            status = app(arguments, prog_name="coalloc", standalone_mode=False)
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
        mistake = _mistake(error)
        if mistake is None:
            raise  # nothing that a user could mend: a bug keeps its traceback
        warn(f"error: {' '.join(mistake.split())}")
        return 2
    if status in ENDINGS:
        warn(ENDINGS[status])
    return status if isinstance(status, int) else 0


def _mistake(error: Exception) -> str | None:
    """Return the sentence for an error that the user can mend, and None if it is a bug."""
    from coalloc_lib.basics.checks import InputError, shown
    from coalloc_lib.basics.files import FULL

    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, _ParserError):
        context: Any = getattr(error, "ctx", None)
        command = "coalloc" if context is None else context.command_path
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
