"""The parts that every command line of the project needs: errors in one line, and signals."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

from coalloc_lib.cli.output import OUTPUT, drop_output, naming, prepare_streams, warn

#: The message for each exit status of a command that was ended by a signal.
ENDINGS = {130: "interrupted", 143: "terminated"}

#: The base class of all errors of the command line parser. The class is taken from the module of
#: BadParameter, because versions of typer import it from different packages.
_ParserError: Any = import_module(typer.BadParameter.__module__).ClickException


class OnceEach(TyperCommand):
    """A command that rejects an option that the user gives more than once.

    Without this class, the parser would silently use the last value. An option that may be given
    several times is accepted.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and raise an `InputError` if an option is given twice."""
        from coalloc_lib.basics.checks import InputError

        values, _, given = self.make_parser(ctx).parse_args([*args])
        for option in given:
            once = isinstance(option, typer.core.TyperOption) and not option.multiple
            if once and given.count(option) > 1:
                times = given.count(option)
                raise InputError(f"{option.opts[0]} is given {times} times; give it once")
        rest = super().parse_args(ctx, args)
        for option in given:
            _reject_underscores(option, ctx.params.get(option.name), values.get(option.name))
        return rest


def _reject_underscores(option: Any, value: Any, text: Any) -> None:
    # Python reads 1_000 as 1000, so a typing error such as 1_5 for 1.5 would go unnoticed.
    from coalloc_lib.basics.checks import InputError, shown

    has_several = isinstance(value, list | tuple) and isinstance(text, list | tuple)
    for number, word in zip(value, text, strict=True) if has_several else [(value, text)]:
        if isinstance(number, int | float) and isinstance(word, str) and "_" in word:
            raise InputError(f"{option.opts[0]} = {shown(word)}; give a number in plain digits")


def run_app(commands: typer.Typer, program: str, arguments: Sequence[str] | None = None) -> int:
    """Run a command line application, and report each user error in one line.

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
            # The command line parser treats every EOFError as if the user had closed the terminal.
            # However, this EOFError means that a file ended too early.
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
    advice = "make room, or choose another place" if error.errno in FULL else _advice_on(error)
    return f"{where}{error.strerror}; {advice}"


def _advice_on(error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "check the path"
    if isinstance(error, PermissionError):
        return "choose a file that you may use"
    return "check the file, or choose another one"


def is_same_file(one: str, other: str) -> bool:
    """Return whether two paths lead to the same file, which need not exist yet."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


class Terminated(BaseException):
    """The exception that is raised when the process receives the signal SIGTERM.

    Like `KeyboardInterrupt`, it is no subclass of `Exception`, so that handlers of ordinary errors
    do not catch it.
    """


@contextmanager
def unwinding() -> Iterator[None]:
    """Raise `Terminated` when SIGTERM arrives during the ``with`` block.

    The signal would otherwise end the process at once, and half-written files would remain.
    """

    def terminate(_number: int, _frame: object) -> None:
        # A second signal is ignored, so that it does not interrupt the removal of half-written
        # files.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
