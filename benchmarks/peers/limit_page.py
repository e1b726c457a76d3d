"""Write the table of `bench_limit.py` into a page, by ``python limit_page.py PAGE``."""

import subprocess
import sys
from pathlib import Path

import page

sys.path.insert(0, str(Path(__file__).parents[1] / "limit"))
import bench_limit


def main(path):
    """Measure, and write the part of the page."""
    try:
        rows = list(bench_limit.limits(quick=False))
    except (OSError, subprocess.CalledProcessError) as error:
        text = f"Not measured: {error}.\n"
    else:
        text = f"{page.measured_on()}\n{page.table(bench_limit.COLUMNS.split(', '), rows)}"
    page.fill(path, "limit", text)


if __name__ == "__main__":
    main(*sys.argv[1:])
