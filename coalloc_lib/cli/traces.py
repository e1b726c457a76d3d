"""``coalloc traces``: the public logs, which are here and which can be fetched."""

from pathlib import Path
from typing import Annotated

import typer

from coalloc_lib.cli import options
from coalloc_lib.cli.output import print_json, print_table, show

NOT_FETCHED = "not fetched"

app = typer.Typer(
    rich_markup_mode=None,
    help="Public logs of the Parallel Workloads Archive: list them, fetch them.",
    epilog="""\b
Examples:
  coalloc traces list
  coalloc traces fetch KTH-SP2 CTC-SP2
""",
)


@app.callback(invoke_without_command=True)
def _help(context: typer.Context):
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command(name="list", epilog="\b\nExample:\n  coalloc traces list --json\n")
def listed(as_json: options.Json = False) -> None:
    """List the logs: their jobs, their processors, and whether they are here.

    A folder that the variable COALLOC_TRACES names is looked into before the cache. --json tells
    which file each log is.
    """
    from coalloc_lib.workloads.catalogue import listing

    logs = listing()
    if as_json:
        print_json({"traces": logs})
        return
    rows = [
        (
            log["name"],
            f"{log['jobs']:,}",
            f"{log['processors']}",
            "not here" if log["found"] == NOT_FETCHED else "here",
            log["acknowledge"],
        )
        for log in logs
    ]
    print_table(("name", ">jobs", ">processors", "file", "acknowledge"), rows)
    folders = [Path(log["found"]).parent for log in logs if log["found"] != NOT_FETCHED]
    show(*(f"here: in {folder}" for folder in dict.fromkeys(folders)))


@app.command(epilog="\b\nExample:\n  coalloc traces fetch KTH-SP2\n")
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names from the list.")],
    as_json: options.Json = False,
) -> None:
    """Fetch logs from the archive into the cache, checked by SHA-256; print where they are."""
    from coalloc_lib.workloads.catalogue import fetch as fetch_logs

    files = [str(file) for file in fetch_logs(names)]
    if as_json:
        print_json({"files": files})
    else:
        show(*files)
