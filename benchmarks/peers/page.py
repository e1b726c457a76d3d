"""Parts of a page that programs write: what stands between two marks is replaced."""

import datetime
import os
import platform
import re
from pathlib import Path


def fill(page, part, text):
    """Replace what stands between ``<!-- part -->`` and ``<!-- /part -->``."""
    page = Path(page)
    old = page.read_text(encoding="utf-8")
    between = re.compile(rf"(?<=<!-- {part} -->\n).*?(?=<!-- /{part} -->)", re.DOTALL)
    new, found = between.subn(lambda _: text, old)
    if found != 1:
        raise SystemExit(f"{page}: expected one part <!-- {part} -->, found {found}")
    page.write_text(new, encoding="utf-8")


def table(headings, rows):
    """Return a table in Markdown; its first column is text, the others stand to the right."""
    ruler = ["---"] + ["---:"] * (len(headings) - 1)
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in (headings, ruler, *rows))


def measured_on():
    """Return a sentence: when, and on what machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"Measured on {datetime.date.today()}: {processor()}, {cores} cores, "
        f"{platform.system()}, {python}.\n"
    )


def processor():
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
