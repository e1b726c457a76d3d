"""The largest memory that a process has held; nothing but Python is needed to import this."""

import re
import resource
from pathlib import Path


def megabytes():
    """Return the largest memory that this process has held, in 10^6 bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux, whose getrusage counts the memory of the process before exec, too
        peak = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text("ascii"), re.MULTILINE)
        return int(peak[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
