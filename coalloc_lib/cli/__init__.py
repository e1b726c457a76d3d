"""The command line: ``coalloc loss``, ``simulate``, ``reproduce`` and ``traces``.

Each command checks its options, calls the library and prints; results go to stdout, progress and
errors to stderr. A user's mistake ends with one line and exit status 2, and so does a disk that
is full; whatever ends a command leaves no half-written file behind.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from coalloc_lib import __version__
from coalloc_lib.checks import InputError, shown
from coalloc_lib.cli.loss import EXAMPLES as LOSS_EXAMPLES
from coalloc_lib.cli.loss import loss
from coalloc_lib.cli.output import OUTPUT, Terminated, drop_output, naming, unwinding
from coalloc_lib.cli.reproduce import EXAMPLES as REPRODUCE_EXAMPLES
from coalloc_lib.cli.reproduce import reproduce
from coalloc_lib.cli.simulate import EXAMPLES as SIMULATE_EXAMPLES
from coalloc_lib.cli.simulate import simulate
from coalloc_lib.cli.traces import app as traces
from coalloc_lib.files import FULL

__all__ = ["app", "main"]

#: What is said of an exit status that is no answer and no mistake.
INTERRUPTED, TERMINATED = 130, 143
ENDINGS = {INTERRUPTED: "interrupted", TERMINATED: "terminated"}

# No markup: square brackets in a help text are those of U[a,b].
app = typer.Typer(name="coalloc", add_completion=False, rich_markup_mode=None)
app.command(epilog=LOSS_EXAMPLES)(loss)
app.command(epilog=SIMULATE_EXAMPLES)(simulate)
app.command(epilog=REPRODUCE_EXAMPLES)(reproduce)
app.add_typer(traces, name="traces")

#: What the parser of the command line raises: the common base of its errors, which typer, with a
#: parser of its own inside, does not name.
_ParserError: Any = typer.BadParameter.__mro__[2]


def _print_version(wanted: bool):
    if wanted:
        print(f"coalloc {__version__}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    help="When does it pay to run one job in several clusters at once?",
)
def coalloc(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it, exit."),
    ] = False,
) -> None:
    """Print the help where no command is given."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process where they are not given.

    Returns
    -------
    int
        0; 2 after a user's mistake or where a disk is full; 130 after Ctrl-C, 143 after SIGTERM.
    """
    for stream in (sys.stdout, sys.stderr):  # where ± cannot be written, write ? rather than fail
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        with unwinding():
            status = app(arguments, prog_name="coalloc", standalone_mode=False)
            with naming(OUTPUT):
                sys.stdout.flush()
    except InputError as error:
        return _refuse(error)
    except _ParserError as error:
        context = getattr(error, "ctx", None)
        command = "coalloc" if context is None else context.command_path
        faults: list = getattr(error.__cause__, "errors", list)()  # know the value
        given = "".join(f"; it is {shown(fault['input'])}" for fault in faults)
        return _refuse(f"{error.format_message()}{given} (see: {command} --help)")
    except MemoryError:
        return _refuse("this takes more memory than there is; ask for fewer jobs or smaller sizes")
    except BrokenPipeError:
        drop_output()
        return 0
    except OSError as error:
        if error.filename is None and error.errno not in FULL:
            raise  # nothing that a user could mend: a bug keeps its traceback
        if error.filename == OUTPUT:
            drop_output()
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{where}{error.strerror}; make room, or choose another place")
    except (KeyboardInterrupt, typer.Abort) as error:
        if isinstance(error.__cause__, EOFError):
            # The parser takes the end of any file for a user who closes the terminal.
            raise error.__cause__ from None
        status = INTERRUPTED
    except Terminated:
        status = TERMINATED
    if status in ENDINGS:
        print(f"coalloc: {ENDINGS[status]}", file=sys.stderr)
    return status if isinstance(status, int) else 0


def _refuse(message):
    print("coalloc: error:", *str(message).split(), file=sys.stderr)
    return 2
