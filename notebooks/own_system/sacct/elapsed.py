"""A comparison of Slurm's elapsed times with the time from the start of a job to its end."""

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

# Descriptions of jobs whose elapsed time, as ``sacct`` reports it, contradicts the time from start
# to end.
LONGER = "with an elapsed time longer than from start to end"
SHORTER = "with an elapsed time shorter than from start to end"
IN_HOURS = "with an elapsed time 60 times shorter than from start to end"
#: A program may have read the hours and minutes of an elapsed time as minutes and seconds. The
#: elapsed time is then 60 times too short. Only jobs that take at least this number of seconds from
#: start to end are tested for this error, because the factor 60 may be chance in a shorter job.
LEAST_IN_HOURS = 1800
#: How far 60 times the elapsed time may be from the time from start to end: at most this share of
#: it, and at most this number of seconds.
_MOST_OFF = 0.02, 59.0


def contradictions_of(
    lines: "pd.DataFrame",
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    zone: tzinfo,
    has_raw_elapsed: bool,
) -> dict[str, NDArray[np.bool_]]:
    """Return which lines have an elapsed time that contradicts the time from start to end.

    A difference up to the tolerance of the line is accepted. If the times name no zone, a
    difference by the change of the clock between start and end is accepted too, because Slurm may
    have printed the times of a clock that was changed.

    Parameters
    ----------
    lines : pandas.DataFrame
        The columns ``elapsed``, ``elapsed_parts``, ``tolerance``, ``start_has_zone`` and
        ``end_has_zone`` of the export.
    start, end : ndarray of float
        The instants in seconds of Unix, NaN where they are not known.
    zone : tzinfo
        The zone in which times without a zone were read.
    has_raw_elapsed : bool
        Whether the elapsed times are from the column ElapsedRaw. They are then in seconds, and none
        can be in hours or minutes.

    Returns
    -------
    dict of str to ndarray of bool
        The lines to which each of the notes `LONGER`, `SHORTER` and `IN_HOURS` applies.
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
    """Return how much an elapsed time may differ from the time from start to end, in seconds.

    Parameters
    ----------
    times, elapsed : ndarray of bool
        Whether the start or the end, and whether the elapsed time, have minutes but no seconds.
        Each of these leaves up to 59 seconds open.
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
    """Return the lines whose elapsed time seems to be 60 times too short.

    Such an elapsed time may be in hours and minutes, or in minutes.
    """
    share, seconds = _MOST_OFF
    return (
        lines["elapsed_parts"].isin([1, 2]).to_numpy()
        & (span >= LEAST_IN_HOURS)
        & (np.abs(60 * elapsed - span) <= np.minimum(share * span, seconds))
    )
