"""Writing of logs in the Standard Workload Format, which the module `swf` reads."""

import gzip
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.basics.text import shortest_number
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.workloads.swf_lines import FIELDS, is_key, tables_of

if TYPE_CHECKING:
    import pandas as pd

#: The number of jobs that are converted to text at a time, which limits the memory that is used.
_MOST_LINES = 50_000


def write_swf(
    path: str | os.PathLike[str],
    jobs: "JobStream | pd.DataFrame",
    header: Mapping[str, Any] | None = None,
) -> None:
    """Write jobs to a file in the Standard Workload Format.

    The same jobs always give the same bytes. If writing fails, no file is left behind, and an
    existing file is not changed.

    Parameters
    ----------
    path : path-like
        The file to write. If its name ends in ``.gz``, it is packed with gzip.
    jobs : JobStream or pandas.DataFrame
        A job stream, or a table with the columns `FIELDS`. For a job stream, the file has the job
        numbers, submission times, run times, processors, estimates (as requested times), and
        whether each job failed. If only some jobs have an estimate, the requested time of the
        other jobs is -1.
    header : dict of str, optional
        The values of the header, which are written as comments such as ``; MaxProcs: 128``.

    Raises
    ------
    InputError
        The jobs or the header cannot be written in this format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from coalloc_lib.workloads.swf import read_swf
    >>> jobs = JobStream(submit=[0, 5], runtime=[60, 20], components=[4, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.swf")
    ...     write_swf(path, jobs, {"MaxProcs": 8})
    ...     print(path.read_text().splitlines()[0], len(read_swf(path)))
    ; MaxProcs: 8 2
    """
    comments = "".join(f"{line}\n" for line in _header_lines(header or {})).encode("utf-8")
    blocks = [comments, *_job_blocks(jobs)]
    # The lines are parsed before they are written, to make sure that the file can be read again.
    for _ in tables_of(blocks, f"the log to be written to {path}", []):
        pass
    text = b"".join(blocks)
    with atomic_path(path) as beside:
        packed = str(path).endswith(".gz")
        beside.write_bytes(gzip.compress(text, mtime=0) if packed else text)


def _header_lines(header: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(header, Mapping):
        raise InputError(f"header = {shown(header)}; give a dict of keys and values")
    for key, value in header.items():
        if not (isinstance(key, str) and is_key(key)):
            raise InputError(
                f"header has the key {shown(key)}; give keys that consist of letters and "
                "digits and begin with a letter"
            )
        for part in str(value).split("\n"):
            yield f"; {key}: {part.strip()}".rstrip()


def _job_blocks(jobs: "JobStream | pd.DataFrame") -> Iterator[bytes]:
    import pandas as pd

    if isinstance(jobs, JobStream):
        table = pd.DataFrame(-1, index=range(len(jobs)), columns=list(FIELDS)).assign(
            job=jobs.number,
            submit=jobs.submit,
            runtime=jobs.runtime,
            status=np.where(jobs.failed, 0, 1),
            allocated_processors=jobs.processors,
            requested_processors=jobs.processors,
            requested_time=_requested_times(jobs),
        )
    else:
        table = checks.instance_of("jobs", jobs, pd.DataFrame, "a JobStream, or the table of a log")
    missing = [name for name in FIELDS if name not in table]
    if missing:
        raise InputError(
            f"jobs has no column {missing[0]}; give a table with all 18 fields of the Standard "
            "Workload Format"
        )
    for first in range(0, len(table), _MOST_LINES):
        some = table[first : first + _MOST_LINES]
        words = zip(*(_words(some[name].to_numpy()) for name in FIELDS), strict=True)
        yield "".join(f"{' '.join(line)}\n" for line in words).encode("utf-8")


def _requested_times(jobs: JobStream) -> NDArray[np.float64]:
    # Without any estimates, policies plan with the run times, so these are written instead.
    known = jobs.has_estimate
    return np.where(known, jobs.estimate, -1) if known.any() else jobs.estimate


def _words(values: NDArray) -> Iterator[str]:
    if values.dtype.kind in "iu":
        return map(str, values.tolist())
    return map(shortest_number, map(float, values))
