"""Find the files of the public logs, and the synthetic stand-ins that replace missing logs."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.data import data_folder
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.workloads import catalogue
from coalloc_lib.workloads.swf import SwfLog


def place_of(log: str) -> str:
    """Return the path of a public log, or an empty string if the log was not downloaded.

    A user may download a log while Python runs. The result is therefore part of the key of every
    cache that holds jobs of a log.
    """
    (found,) = (entry["found"] for entry in catalogue.listing() if entry["name"] == log)
    return "" if found is None else str(found)


def missing_logs(names: Iterable[str]) -> list[str]:
    """Return the given public logs that are not on this computer."""
    return [name for name in dict.fromkeys(names) if not place_of(name)]


def logs_missing_in(runs: pd.DataFrame) -> list[str]:
    """Return the public logs that were missing when a table of runs was made."""
    words = " ".join(runs["missing_logs"].unique())
    return list(dict.fromkeys(words.split()))


def has_stand_in(log: str) -> bool:
    """Return whether the library has a synthetic stand-in for a public log."""
    return (data_folder("traces") / f"{log}-synthetic.swf.gz").is_file()


def title_of(runs: pd.DataFrame, log: str) -> str:
    """Return the name of a log, with a mark if a synthetic log replaced it in the runs."""
    return marked_as_stand_in(log) if log in logs_missing_in(runs) else log


def marked_as_stand_in(log: str) -> str:
    """Return the name of a log with the mark of a synthetic stand-in."""
    return f"{log} (synthetic stand-in)"


def recorded_waits(log: SwfLog, jobs: JobStream) -> NDArray[np.float64]:
    """Return the waiting times, in seconds, that a log records for the given jobs.

    A waiting time is NaN if the log does not have it. All waiting times of a synthetic log are NaN,
    because its jobs never waited on a machine.
    """
    waits = log.table.set_index("job")["wait"].loc[jobs.number].to_numpy(dtype=float)
    return np.where((waits < 0) | log.is_stand_in, np.nan, waits)
