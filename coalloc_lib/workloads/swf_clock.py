"""Submissions in a log, converted to seconds since the start of the log.

The Standard Workload Format counts submissions from the start of the log, but some logs have Unix
times. The start of a log is given in its header; see `swf_header.start_of`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.times import DAY
from coalloc_lib.workloads import swf_header

if TYPE_CHECKING:
    import pandas as pd

#: The longest time span that a log is allowed to cover, in seconds: 50 years.
LONGEST = 50 * 365.25 * DAY


class FromStart(NamedTuple):
    """A table of jobs with submissions in seconds after the start of the log, and a note.

    The note says how the submission times were converted. It is empty if there is nothing to say.
    """

    table: "pd.DataFrame"
    note: str


def from_start(table: "pd.DataFrame", start: swf_header.Start | None, where: str) -> FromStart:
    """Convert all submission times in a log to seconds after the start of the log.

    A submission is taken as a Unix time if it is not before the start of the log. If it were a time
    since the start, the log would last at least as long as the time from 1970 to its start.

    Parameters
    ----------
    table : pandas.DataFrame
        The jobs of the log.
    start : Start or None
        The start of the log, or None if it is not known.
    where : str
        The name of the file in errors.

    Raises
    ------
    InputError
        The submissions contradict the start of the log.
    """
    if start is None or not start.seconds:
        return FromStart(table, _note_on_unix_times(table))
    is_absolute = table["submit"] >= start.seconds
    if start.seconds < swf_header.EARLIEST:
        note = (
            f"all jobs are submitted at or after {start.seconds:,}, the start of the log; this is "
            "read as seconds after it"
        )
        return FromStart(table, note if is_absolute.all() else "")
    after = table["submit"].mask(is_absolute, table["submit"] - start.seconds)
    if not is_absolute.any():
        _check_not_before_start(table, start, where)
    _check_length(table, after, where)
    _check_all_alike(table, is_absolute, start, where)
    note = "submissions are Unix times in the file; here they count from the start of the log"
    return FromStart(table.assign(submit=after), note if is_absolute.any() else "")


def note_on_end(table: "pd.DataFrame", start: swf_header.Start, header: Mapping[str, str]) -> str:
    """Return a note if a job is submitted more than a day after the end of the log, else ``""``."""
    end, last = swf_header.end_of(header), start.seconds + table["submit"].max()
    if end is None or last <= end.seconds + DAY:
        return ""
    what, day = "jobs are submitted after the end of the log", swf_header.day_of(end.seconds)
    if last < checks.LAST_INSTANT:
        what = f"the last job is submitted on {swf_header.day_of(last)}"
    return f"{what}, but EndTime is {day}; check that times are in seconds"


def _note_on_unix_times(table: "pd.DataFrame") -> str:
    first = table["submit"].min()
    if first < swf_header.EARLIEST:
        return ""
    return (
        f"the first submission is {first:,.15g}, which looks like a Unix time, but the header "
        "gives no start that is understood; here it counts from the start of the log"
    )


def _check_all_alike(
    table: "pd.DataFrame", is_absolute: "pd.Series", start: swf_header.Start, where: str
) -> None:
    if is_absolute.all() or not is_absolute.any():
        return
    early, late = (table[mask].iloc[0] for mask in (~is_absolute, is_absolute))
    raise InputError(
        f"{where}: job {early['job']:.0f} is submitted at {early['submit']:.15g}, which is before "
        f"the start of the log ({start.seconds}), but job {late['job']:.0f} is submitted at "
        f"{late['submit']:.15g}, which is a Unix time; give all submission times in seconds after "
        "the start of the log"
    )


def _check_not_before_start(table: "pd.DataFrame", start: swf_header.Start, where: str) -> None:
    early, first = table.iloc[0], table["submit"].min()
    # In an excerpt from a long log, submission times in seconds after the start of the log can be
    # large, too, but they are closer to 0 than to the Unix time at which the log starts.
    if first >= swf_header.EARLIEST and 2 * first >= start.seconds:
        raise InputError(
            f"{where}: all submissions are Unix times before the start of the log "
            f"({start.seconds}); job {early['job']:.0f}, for example, is submitted at "
            f"{early['submit']:.15g}; correct UnixStartTime, or give submission times in seconds "
            "after the start of the log"
        )


def _check_length(table: "pd.DataFrame", after: "pd.Series", where: str) -> None:
    is_late = after > LONGEST
    if is_late.any():
        job, submit = table.loc[is_late, ["job", "submit"]].iloc[0]
        raise InputError(
            f"{where}: job {job:.0f} is submitted at {submit:.15g}, more than 50 years after "
            "the start of the log; give seconds, not milliseconds"
        )
