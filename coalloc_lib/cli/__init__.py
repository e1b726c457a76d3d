"""The command line ``coalloc``: the commands `loss`, `simulate`, `verify` and `traces`.

A command reads its options, calls the library and prints results on standard output, and progress
and errors on stderr. A module that is slow to import is imported inside the function that needs
it. Begin with `loss`, which is a small command.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from coalloc_lib.cli.framework import OnceEach, run_app
from coalloc_lib.cli.output import print_json, print_table, show

__all__ = ["app", "main"]

#: The help texts of the commands that have their own modules. The module of a command has the name
#: of the command. It contains a function with the same name, and the constant EXAMPLES.
COMMANDS = {
    "loss": "Print the capacity loss of a system, by formula or by simulation.",
    "simulate": "Simulate the jobs of a log on a system; print the metrics, write the schedule.",
    "verify": "Check a schedule of any tool against the model and the decisions of a policy.",
}

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


class _Group(TyperGroup):
    """A command group that imports the module of a command only when the command is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            module = import_module(f"coalloc_lib.cli.{name}")
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(name=name, cls=OnceEach, epilog=module.EXAMPLES)(getattr(module, name))
            command = typer.main.get_command(alone)
        return name, command, rest


# Markup in help texts is switched off, because it would change square brackets, as in U[a,b].
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
        traces = [log | {"found": str(log["found"] or "not fetched")} for log in logs]
        print_json({"traces": traces})
        return
    rows = []
    for log in logs:
        file = "here" if log["found"] else "not here"
        numbers = f"{log['jobs']:,}", f"{log['processors']}"
        rows.append((log["name"], *numbers, file, log["acknowledge"]))
    print_table(("name", ">jobs", ">processors", "file", "acknowledge"), rows)
    folders = dict.fromkeys(log["found"].parent for log in logs if log["found"])
    show(*(f"here: in {folder}" for folder in folders))


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
        The exit status, as `coalloc_lib.cli.framework.run_app` explains it.

    Examples
    --------
    >>> main(["loss", "--clusters", "32,32", "--sizes", "U[1,16]", "--request", "ordered"])
    0.293, exact
    0
    """
    return run_app(app, "coalloc", arguments)
