"""Functions that say which public logs are on this machine, and which waits they recorded."""

from collections.abc import Sequence
from html import escape

import numpy as np
from IPython.display import HTML
from numpy.typing import ArrayLike, NDArray

import coalloc_lib as co
from coalloc_lib.basics.times import HOUR
from coalloc_lib.statistics import resample_weeks
from coalloc_lib.workloads import catalogue
from coalloc_lib.workloads.swf import SwfLog
from studies import log_files

#: The string that replaces a mean if the log does not record the values.
NOT_RECORDED = "not recorded"


def logs_here(*names: str, fetch: bool = False) -> HTML:
    """Show which public logs of parallel jobs are on this computer, and how to get the others.

    Parameters
    ----------
    *names : str
        The logs that the notebook needs, by their names in the catalogue, such as ``"KTH-SP2"``.
    fetch : bool
        Whether to download the missing logs first.

    Raises
    ------
    InputError
        If a log cannot be downloaded.
    """
    if fetch:
        catalogue.fetch(names)
    missing = log_files.missing_logs(names)
    found = [name for name in names if name not in missing]
    return HTML("".join(f"<p>{line}</p>" for line in _sentences(found, missing)))


def _sentences(found: Sequence[str], missing: Sequence[str]) -> list[str]:
    there = f"<b>Logs found:</b> {', '.join(found) or 'none'}."
    if not missing:
        return [f"{there} The numbers in the text are those of these logs."]
    replaced = [name for name in missing if log_files.has_stand_in(name)]
    left_out = [name for name in missing if name not in replaced]
    lines = [f"{there} <b>Not found:</b> {', '.join(missing)}."]
    if replaced:
        lines[0] += f" A synthetic log stands in for {' and '.join(replaced)}."
    if left_out:
        lines[0] += f" {' and '.join(left_out)} "
        lines[0] += "are left out." if len(left_out) > 1 else "is left out."
    lines.append(
        "<b>The numbers in the text are those of the real logs.</b> The figures of "
        "<code>result</code> show them too, since they read stored runs. What you compute "
        "yourself rests on the synthetic logs. It can say the opposite, and it has no recorded "
        "waits."
    )
    lines.append(
        "To download the missing logs, write <code>fetch=True</code> in this cell and run it. "
        f"In a terminal, the command is <code>{escape('coalloc traces fetch ' + ' '.join(missing))}"
        "</code>. Then run all cells again."
    )
    return lines


def recorded_waits(log: SwfLog, jobs: co.JobStream) -> NDArray[np.float64]:
    """Return the waiting times, in hours, that a log records for the given jobs.

    Parameters
    ----------
    log : SwfLog
        The log.
    jobs : JobStream
        Jobs of this log.

    Returns
    -------
    ndarray of float
        The waits in hours, NaN if the log does not have them. All waits of a synthetic log are NaN,
        because its jobs never waited on a machine.
    """
    return log_files.recorded_waits(log, jobs) / HOUR


def told(values: ArrayLike, style: str = "{:.1f} h") -> str:
    """Format the mean of several values as a string, such as ``1.5 h``; skip NaN values.

    If all values are NaN, the text is `NOT_RECORDED`.

    Parameters
    ----------
    values : array_like
        The values.
    style : str
        The format of the mean, for example ``"{:.0%}"``.
    """
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    return style.format(known.mean()) if len(known) else NOT_RECORDED


def share_of(is_so: ArrayLike, values: ArrayLike) -> str:
    """Format the percentage of entries that are true, as a string.

    An entry is skipped if the value that belongs to it is NaN.

    Parameters
    ----------
    is_so : array_like of bool
        The entries.
    values : array_like of float
        The value that belongs to each entry.
    """
    return told(np.where(np.isfinite(np.asarray(values, dtype=float)), is_so, np.nan), "{:.0%}")


def share_up_to(waits: ArrayLike, limit: float, submit: ArrayLike) -> str:
    """Format the percentage of waits of at most `limit`, with its 95 % interval; skip NaN values.

    Parameters
    ----------
    waits : array_like of float
        The wait of each job, in the unit of `limit`.
    limit : float
        The longest wait that counts.
    submit : array_like of float
        When each job was submitted, in seconds. The interval comes from a bootstrap over weeks.
    """
    waits, submit = np.asarray(waits, dtype=float), np.asarray(submit, dtype=float)
    known = np.isfinite(waits)
    if not known.any():
        return NOT_RECORDED
    weeks = resample_weeks(waits[known] <= limit, np.ones(known.sum()), submit[known])
    share = weeks.interval(lambda means: means[0]).within(0, 1)
    ends = share.warning or f"{share.low:.0%} to {share.high:.0%}"
    return f"{share.estimate:.0%} ({ends})"
