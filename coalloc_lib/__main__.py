"""The command ``coalloc``, which can also be started by ``python -m coalloc_lib``."""

import sys


def main() -> int:
    """Run the command line and return its exit status."""
    try:
        from coalloc_lib import cli
    except ModuleNotFoundError as error:
        if error.name not in ("rich", "typer"):
            raise
        print(
            f"coalloc: error: the package {error.name} is missing; install the packages that the "
            "command line needs with pip install 'coalloc-workbench[cli]'",
            file=sys.stderr,
        )
        return 2
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
