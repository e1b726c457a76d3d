"""A check of Slurm's elapsed times against the times from the start of a job to its end."""

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

# Descriptions of jobs whose elapsed time in ``sacct`` contradicts the time from start to end.
LONGER = "with an elapsed time longer than from start to end"
SHORTER = "with an elapsed time shorter than from start to end"
IN_HOURS = "with an elapsed time 60 times shorter than from start to end"
#: Only jobs that last at least this many seconds from start to end are checked for an elapsed time
#: that is 60 times too short. This error occurs if a program misreads hours and minutes as minutes
#: and seconds. In a shorter job, the factor 60 can occur by chance.
LEAST_IN_HOURS = 1800
#: The maximum difference between 60 times the elapsed time and the time from start to end: as a
#: fraction of the time from start to end, and in seconds.
_MOST_OFF = 0.02, 59.0


def contradictions_of(
    lines: "pd.DataFrame",
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    zone: tzinfo,
    has_raw_elapsed: bool,
) -> dict[str, NDArray[np.bool_]]:
    """Find the lines whose elapsed time contradicts the time from start to end.

    A difference up to the tolerance of the line is accepted. For times without a time zone, a
    difference equal to a change of the clock between start and end is also accepted, because Slurm
    prints the times of a clock that changes.

    Parameters
    ----------
    lines : pandas.DataFrame
        The columns ``elapsed``, ``elapsed_parts``, ``tolerance``, ``start_has_zone`` and
        ``end_has_zone`` of the export.
    start, end : ndarray of float
        The Unix times of start and end, or NaN if they are not known.
    zone : tzinfo
        The zone in which times without a zone were read.
    has_raw_elapsed : bool
        Whether the elapsed times are from the column ElapsedRaw, and therefore in seconds.

    Returns
    -------
    dict of str to ndarray of bool
        A mask of the lines to which each of the notes `LONGER`, `SHORTER` and `IN_HOURS` applies.
    """
    elapsed = lines["elapsed"].to_numpy()
    span = end - start
    off = elapsed - span
    differs = (span >= 0) & (np.abs(off) > lines["tolerance"].to_numpy())
    has_zone = (lines["start_has_zone"] | lines["end_has_zone"]).to_numpy()
    local = np.flatnonzero(differs & ~has_zone)
    change = _change_of_clock(start[local], end[local], zone)
    differs[local] = (change == 0) | (np.abs(np.abs(off[local]) - change) >= 1)
    in_hours = differs & (not has_raw_elapsed) & _is_in_hours(lines, elapsed, span)
    return {
        LONGER: differs & (off > 0),
        SHORTER: differs & (off < 0) & ~in_hours,
        IN_HOURS: in_hours,
    }


def tolerance_of(times: NDArray[np.bool_], elapsed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how far an elapsed time can be from the time from start to end, in seconds.

    Parameters
    ----------
    times, elapsed : ndarray of bool
        Whether the start or the end, and whether the elapsed time, have minutes but no seconds.
        Each missing number of seconds adds a tolerance of 59 seconds.
    """
    return np.maximum(1.0, 59.0 * times + 59.0 * elapsed)


def _change_of_clock(
    start: NDArray[np.float64], end: NDArray[np.float64], zone: tzinfo
) -> NDArray[np.float64]:
    begins, ends = (
        np.array([_offset(instant, zone) for instant in instants], dtype=float)
        for instants in (start.tolist(), end.tolist())
    )
    return np.abs(ends - begins)


def _offset(instant: float, zone: tzinfo) -> float:
    difference = datetime.fromtimestamp(instant, zone).utcoffset()
    return 0.0 if difference is None else difference.total_seconds()


def _is_in_hours(
    lines: "pd.DataFrame", elapsed: NDArray[np.float64], span: NDArray[np.float64]
) -> NDArray[np.bool_]:
    # An elapsed time in hours and minutes has been read as minutes and seconds, and one in minutes
    # as seconds. Either is then 60 times too short.
    share, seconds = _MOST_OFF
    return (
        lines["elapsed_parts"].isin([1, 2]).to_numpy()
        & (span >= LEAST_IN_HOURS)
        & (np.abs(60 * elapsed - span) <= np.minimum(share * span, seconds))
    )
