"""What made a table of results: the version of the library, the seed and the logs."""

from typing import Any

from coalloc_lib.basics.version import VERSION


def made_by(seed: Any = None, *parts: Any) -> str:
    """Return the library version, the seed and the job logs of a result table as one string.

    The string has the version of the library, the seed if it is given, and the title and the
    SHA-256 of each job log among `parts`. A part can be a log, a scenario with a log as its
    workload, or any other object, which adds nothing.
    """
    logs = {id(log): log for log in (getattr(part, "workload", part) for part in parts)}.values()
    # Logs of different sites can have the same title, so the SHA-256 also tells them apart.
    hashes = dict.fromkeys((log.title, log.sha256) for log in logs if hasattr(log, "sha256"))
    words = [f"Coalloc Workbench {VERSION}"]
    if seed is not None:
        words.append(f"seed {seed}")
    words += [f"{title} (sha256 {code[:12] or 'unknown'})" for title, code in hashes]
    return ", ".join(words)
