"""Read a schedule that any tool wrote, for the jobs of a log.

A schedule is a CSV file as ``coalloc simulate`` writes it, a table of jobs of the simulator Batsim,
or a log in the Standard Workload Format, whose jobs have waits.
"""

import csv
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, number_in, shown
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import time_on_processors
from coalloc_lib.model.system import Multicluster
from coalloc_lib.workloads.catalogue import load_trace

#: The columns with the number, submission, start, end and allocation of a job, in CSV files of this
#: library (OURS) and of the simulator Batsim (BATSIM).
OURS = ("job", "submit", "start", "end", "allocation")
BATSIM = ("job_id", "submission_time", "starting_time", "finish_time", "allocated_resources")
#: The largest rounding error of a simulated instant, in seconds. A larger difference between two
#: files is accepted only if one of them stores too few digits.
COMPUTATION = 2e-6
# Matches the number of a cluster or of processors. No system has more than 9,999,999,999 of them.
_COUNT = re.compile(r"\d{1,10}", re.ASCII)


class Recorded(NamedTuple):
    """The starts, ends and allocations of jobs that were read from a file.

    A job that is missing in the file has NaN as its start and end, and an allocation of zeros.
    """

    start: NDArray[np.float64]
    end: NDArray[np.float64]
    allocation: NDArray[np.int64]


def read_schedule(path: str, system: Multicluster, jobs: JobStream) -> Recorded:
    """Read the schedule of a job stream from a file.

    Parameters
    ----------
    path : str
        A file that ends in ``.csv``, or a log: a file or the name of a public log.
    system : Multicluster
        The clusters.
    jobs : JobStream
        The jobs.

    Raises
    ------
    InputError
        The file cannot be read, or does not belong to these jobs. The error names the line.
    """
    recorded = _read_csv if path.lower().endswith(".csv") else _read_log
    start, end, allocation, units = recorded(path, system, jobs)
    clusters = (allocation > 0).sum(axis=1)
    exact = start + time_on_processors(jobs.runtime, jobs.span_penalty, clusters)
    end = np.where(_nearly(end, exact, *units), exact, end)
    return Recorded(start, end, allocation)


def _nearly(one, other, first_unit, second_unit):
    """Return whether the difference of two instants can come from rounding them to these units.

    The unit of an exact instant is 0.
    """
    most = (first_unit + second_unit) / 2
    if first_unit and second_unit:
        # Two rounded instants hardly ever differ by half of both units, so this is an error.
        return np.abs(one - other) < max(COMPUTATION, most)
    # The rounding of an exact half, such as 0.5 or 10.125, changes an instant by half a unit.
    return np.abs(one - other) < most + COMPUTATION


def _printed_unit(text):
    """Return the unit of the last printed digit of a number, such as 0.01 for 5.25."""
    if "e" in text.lower():
        return 0.0  # Shortest numbers have exponents, and they are exact.
    return 10.0 ** -len(text.strip().partition(".")[2])


def _common_unit(instants):
    """Return 1 if all instants are whole seconds, so that they may be rounded, otherwise 0."""
    return float((instants % 1 == 0).all())


def _read_log(path, system, jobs):
    if len(system) > 1:
        raise InputError(
            f"{path} is a log, which does not say on which clusters its jobs ran; give --clusters "
            "with one cluster, or a schedule as a CSV file"
        )
    log = load_trace(path)
    table = _lines_of(log, jobs)
    absent = table["submit"].isna().to_numpy()
    if absent.all():
        raise InputError(f"{log.name} has none of the jobs of --trace; give the log of these jobs")
    _check_submissions(log.name, table["submit"].to_numpy(dtype=float), jobs)
    wait = table["wait"].to_numpy(dtype=float)
    known = ~absent & (wait >= 0)
    start = np.where(known, table["submit"].to_numpy(dtype=float) + wait, np.nan)
    end = start + table["runtime"].to_numpy(dtype=float)
    processors = np.where(known, np.nan_to_num(table["processors"].to_numpy(dtype=float)), 0)
    units = _common_unit(start[known]), _common_unit(end[known])
    return start, end, processors.astype(np.int64)[:, None], units


def _check_submissions(name, submit, jobs):
    units = _common_unit(submit[~np.isnan(submit)]), _common_unit(jobs.submit)
    differ = np.flatnonzero(~np.isnan(submit) & ~_nearly(submit, jobs.submit, *units))
    if len(differ):
        first = differ[0]
        what = f"{name}: job {jobs.number[first]}"
        raise _other_submission(what, submit[first], jobs.submit[first])


def _other_submission(what, submit, expected):
    return InputError(
        f"{what} was submitted at {submit:.12g}, but at {expected:.12g} in the log of --trace; "
        "give the log and the options with which the schedule was made, such as --load"
    )


def _lines_of(log, jobs):
    """Return the usable line of a log for each job, with NaN for jobs that the log does not have.

    The lines of jobs with the same number are taken in the order of the log.
    """
    import pandas as pd

    table, number = log.usable, pd.Series(jobs.number)
    _check_repeated_numbers(log, number)
    keys = pd.MultiIndex.from_arrays([number, number.groupby(number).cumcount()])
    return table.set_index(["job", table.groupby("job").cumcount()]).reindex(keys)


def _check_repeated_numbers(log, number):
    # If one of several jobs with the same number was left out, the lines of the others are unknown.
    lines = number.map(log.usable["job"].value_counts())
    jobs = number.map(number.value_counts())
    differ = lines.notna() & (lines != jobs)
    if differ.any():
        first = differ.idxmax()
        raise InputError(
            f"job number {number[first]} is repeated, and its count differs ({lines[first]:.0f} in "
            f"{log.name}, {jobs[first]} among the jobs to check); give each job its own number"
        )


def _read_csv(path, system, jobs):
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            names = _columns(path, table.fieldnames or [])
            return _read_rows(path, table, names, system, jobs)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path} is not a CSV file in UTF-8 ({error}); give a schedule as `coalloc simulate "
            "--out` writes it, or Batsim's table of jobs"
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path") from None


def _columns(path, header):
    for names in (OURS, BATSIM):
        if set(names) <= set(header):
            return names
    raise InputError(
        f"{path} has the columns {shown(','.join(header))}; give a schedule with the columns "
        f"{','.join(OURS)}, as `coalloc simulate --out` writes it, or Batsim's table of jobs with "
        f"{','.join(BATSIM)}"
    )


def _read_rows(path, table, names, system, jobs):
    start, end = np.full((2, len(jobs)), np.nan)
    allocation = np.zeros((len(jobs), len(system)), dtype=np.int64)
    label = jobs.number.astype(str) if names is OURS else jobs.label
    left = _positions(label)  # the positions without a line, by the names of their jobs
    log_unit, start_unit, end_unit = _common_unit(jobs.submit), 1.0, 1.0
    for row in table:
        line = f"{path}, line {table.line_num}"
        _refuse_surplus(line, row, table.fieldnames)
        job, submit, starts, ends, taken = (row[name] or "" for name in names)
        name = job.rpartition("!")[2]  # Batsim writes workload!job
        submission = _number(line, names[1], submit)
        units = _printed_unit(submit), log_unit
        at = _take(left[name], submission, jobs, units)
        if at is None:
            _refuse_line(line, job, submission, jobs.submit[label == name], units)
        if ends and not starts:
            raise InputError(
                f"{line}: {names[3]} is {shown(ends)}, but {names[2]} is empty; give both, or "
                "neither for a job that never ran"
            )
        if starts:
            start[at], end[at] = _number(line, names[2], starts), _number(line, names[3], ends)
            start_unit = min(start_unit, _printed_unit(starts))
            end_unit = min(end_unit, _printed_unit(ends))
            parse = _our_allocation if names is OURS else _batsim_allocation
            allocation[at] = parse(line, taken, system)
            if names is OURS:
                _check_processors(line, row.get("processors"), taken, allocation[at].sum())
    # A tool that prints fractions of seconds in the ends also prints them in the starts.
    return start, end, allocation, (min(start_unit, end_unit), end_unit)


def _refuse_surplus(line, row, header):
    surplus = row.get(None)  # `csv.DictReader` collects the surplus cells of a row under this key.
    if surplus is not None:
        raise InputError(
            f"{line}: {shown(','.join(surplus))} is beyond the last column, {header[-1]}; give "
            f"{len(header)} cells"
        )


def _check_processors(line, text, taken, expected):
    """Raise an error if a line has a number of processors that is not the sum of its allocation."""
    if text and _number(line, "processors", text) != expected:
        raise InputError(
            f"{line}: processors is {shown(text)}, but allocation is {shown(taken)}, which is "
            f"{expected} in total; give the same number in both columns"
        )


def _positions(label):
    positions = defaultdict(list)
    for at, name in enumerate(label.tolist()):
        positions[name].append(at)
    return positions


def _take(positions, submit, jobs, units):
    """Remove and return the position of the job that was submitted nearest to the time `submit`.

    The result is None if no job was submitted at this time, apart from rounding to the units.
    """
    at = min(positions, key=lambda at: abs(submit - jobs.submit[at]), default=None)
    if at is None or not _nearly(submit, jobs.submit[at], *units):
        return None
    positions.remove(at)
    return at


def _refuse_line(line, job, submit, expected, units):
    """Raise an error that says why a line has no job, from the submissions of jobs of its name."""
    if not len(expected):
        raise InputError(
            f"{line}: job {shown(job)} is not among the jobs of --trace; give the log and the "
            "options with which the schedule was made"
        )
    if _nearly(submit, expected, *units).any():
        raise InputError(f"{line}: job {shown(job)} occurs twice; give each job one line")
    raise _other_submission(f"{line}: the job", submit, expected[0])


def _number(line, column, text):
    try:
        return number_in(text)
    except ValueError:
        raise InputError(f"{line}: {column} is {shown(text)}; give a number") from None


def _our_allocation(line, text, system):
    taken = {}
    for part in filter(None, text.split(";")):
        cluster, colon, processors = part.partition(":")
        is_plain = colon and _COUNT.fullmatch(cluster) and _COUNT.fullmatch(processors)
        if not is_plain or int(cluster) >= len(system):
            raise InputError(
                f"{line}: allocation is {shown(text)}; give pairs cluster:processors, separated "
                f"by semicolons, with cluster numbers from 0 to {len(system) - 1}"
            )
        if int(cluster) in taken:
            raise InputError(
                f"{line}: allocation is {shown(text)} and names cluster {int(cluster)} twice; give "
                "each cluster once"
            )
        taken[int(cluster)] = int(processors)
    return [taken.get(cluster, 0) for cluster in range(len(system))]


def _batsim_allocation(line, text, system):
    edges = np.append(0, np.cumsum(system.sizes))
    taken = np.zeros(len(system), dtype=np.int64)
    intervals = []
    for part in text.split():
        low, _, high = part.partition("-")
        high = high or low
        is_plain = _COUNT.fullmatch(low) and _COUNT.fullmatch(high)
        if not is_plain or not int(low) <= int(high) < edges[-1]:
            raise InputError(
                f"{line}: allocated_resources is {shown(text)}; give processor numbers from 0 "
                f"to {edges[-1] - 1}, such as 0-3 7"
            )
        intervals.append((int(low), int(high)))
        inside = np.minimum(int(high) + 1, edges[1:]) - np.maximum(int(low), edges[:-1])
        taken += np.maximum(inside, 0)
    _reject_overlaps(line, text, intervals)
    return taken


def _reject_overlaps(line, text, intervals):
    for (_, last), (first, _) in pairwise(sorted(intervals)):
        if first <= last:
            raise InputError(
                f"{line}: allocated_resources is {shown(text)} and has processor {first} twice; "
                "give each processor once"
            )
