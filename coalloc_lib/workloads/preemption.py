"""Preempted jobs in a log: several lines of the file become one job.

In the Standard Workload Format, a preempted job can have two kinds of lines. A summary line, with
the status 0, 1 or 5, describes the whole job. A part, with the status 2, 3 or 4, describes a
partial execution. All lines of a job have the same job number. Only the first part has a
submission, and the wait of each later part counts from the end of the part before it. The value of
``Preemption`` in the header says which lines a log has: ``No``, ``Yes`` (only parts), ``Double``
(parts and summary lines) or ``TS`` (time slicing, without parts). Source:
https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

from typing import TYPE_CHECKING, NamedTuple

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.workloads.swf_lines import PARTIAL

if TYPE_CHECKING:
    import pandas as pd

#: A dict from the status of the last partial execution of a job to the status of the whole job.
#: Status 2 becomes -1 (unknown), because the log does not contain the end of the job.
_WHOLE_STATUS = {2: -1, 3: 1, 4: 0}
#: Values of the header key ``Preemption`` that mean time slicing: the run time of a job includes
#: time in which its processors ran other jobs.
_SLICED = ("TS", "TQ")


class WholeJobs(NamedTuple):
    """The table of a log with one row for each job, and notes on the lines that were combined."""

    table: "pd.DataFrame"
    notes: tuple[str, ...]


def whole_jobs(table: "pd.DataFrame", preemption: str, where: str) -> WholeJobs:
    """Combine the lines of each preempted job in the table of a log into a single row.

    If a job has a summary line, that line is kept and the parts of the job are left out. The parts
    of any other job are joined into one line. The run time of the joined line is the sum of the run
    times of the parts, and its wait is the wait of the first part.

    Parameters
    ----------
    table : pandas.DataFrame
        The lines of the log.
    preemption : str
        The value of ``Preemption`` in the header of the log, or an empty string.
    where : str
        The name of the file in errors.

    Raises
    ------
    InputError
        The parts of a job contradict each other or the summary line of the job.
    """
    is_part = table["status"].isin(PARTIAL)
    words = preemption.split("#")[0].strip()
    notes = [_note_on_value(words)]
    if is_part.any():
        # Marks each partial execution of a job if another line of the log describes the whole job.
        is_summed_up = is_part & table["job"].isin(table.loc[~is_part, "job"])
        parts = table[is_part & ~is_summed_up]
        _check_parts(parts, where)
        _check_summaries(table, is_summed_up, where)
        notes += [_note_on_left_out(table, is_summed_up), _note_on_joined(parts)]
        table = _joined(_with_run_times(table, is_summed_up), parts, is_summed_up)
    elif words.casefold() in ("yes", "double"):
        _check_unmarked_parts(table, words, where)
    notes.append(_note_on_repeated(table["job"]))
    return WholeJobs(table, tuple(filter(None, notes)))


def _note_on_value(words: str) -> str:
    if words.upper() in _SLICED:
        return (
            f"Preemption is {words}: processors were shared in time slices, so run times contain "
            "time in which other jobs ran"
        )
    if words and words.casefold() not in ("no", "yes", "double"):
        return f"Preemption is {shown(words)}, which the format does not define; it is not used"
    return ""


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _note_on_repeated(numbers: "pd.Series") -> str:
    repeated = numbers[numbers.duplicated(keep=False)]
    if repeated.empty:
        return ""
    first, others = repeated.iloc[0], repeated.nunique() - 1
    lines = _counted(int((repeated == first).sum()), "line")
    note = f"the job number {first} is on {lines}, which count as different jobs"
    if not others:
        return note
    return f"{note}; the same holds for {_counted(others, 'other job number')}"


def _note_on_left_out(table: "pd.DataFrame", is_summed_up: "pd.Series") -> str:
    if not is_summed_up.any():
        return ""
    totals = _totals(table[is_summed_up])
    whole = table[~is_summed_up & table["job"].isin(totals.index)]
    differ = int((whole["runtime"] != whole["job"].map(totals)).sum())
    lines = _counted(int(is_summed_up.sum()), "line")
    jobs = _counted(len(whole), "job")
    note = f"{lines} of partial executions left out, because other lines sum up the {jobs}"
    if not differ:
        return note
    return f"{note}; the run time of {_counted(differ, 'job')} is not the sum of the parts"


def _note_on_joined(parts: "pd.DataFrame") -> str:
    if parts.empty:
        return ""
    jobs = _counted(parts["job"].nunique(), "job")
    note = f"{_counted(len(parts), 'line')} of partial executions joined into {jobs}"
    unknown = int((parts["runtime"] < 0).sum())
    if not unknown:
        return note
    return f"{note}; the run times leave out {_counted(unknown, 'line')} with an unknown run time"


def _with_run_times(table: "pd.DataFrame", is_summed_up: "pd.Series") -> "pd.DataFrame":
    runtime = table["runtime"]
    of_parts = table["job"].map(_totals(table[is_summed_up]))
    is_unknown = ~is_summed_up & (runtime < 0) & of_parts.notna()
    return table.assign(runtime=runtime.mask(is_unknown, of_parts))


def _joined(
    table: "pd.DataFrame", parts: "pd.DataFrame", is_summed_up: "pd.Series"
) -> "pd.DataFrame":
    firsts = parts[~parts["job"].duplicated()]
    last = parts[~parts["job"].duplicated(keep="last")].set_index("job")["status"]
    table = table.copy()
    table.loc[firsts.index, "runtime"] = firsts["job"].map(_totals(parts))
    table.loc[firsts.index, "status"] = firsts["job"].map(last).map(_WHOLE_STATUS)
    others = parts.index.difference(firsts.index)
    return table.drop(others.union(table.index[is_summed_up])).reset_index(drop=True)


def _totals(parts: "pd.DataFrame") -> "pd.Series":
    known = parts["runtime"].where(parts["runtime"] >= 0)
    return known.groupby(parts["job"]).sum(min_count=1).fillna(-1.0)


def _check_parts(parts: "pd.DataFrame", where: str) -> None:
    is_first = ~parts["job"].duplicated()
    is_last = ~parts["job"].duplicated(keep="last")
    sizes = parts.groupby("job", sort=False)["allocated_processors"].transform("nunique")
    faults = {
        "the first line of its partial executions has no submission": is_first
        & (parts["submit"] < 0),
        "its partial executions have different numbers of processors": sizes > 1,
        "a partial execution follows the last one, which has the status 3 or 4": ~is_last
        & (parts["status"] != PARTIAL[0]),
    }
    mend = "correct it, or replace these lines with one that sums up the job, with status 0 or 1"
    for what, is_odd in faults.items():
        if is_odd.any():
            job = parts["job"][is_odd].iloc[0]
            raise InputError(f"{where}: job {job}: {what}; {mend}")


def _check_summaries(table: "pd.DataFrame", is_summed_up: "pd.Series", where: str) -> None:
    parts = table[is_summed_up]
    sums = table[~is_summed_up & table["job"].isin(parts["job"])].set_index("job")["runtime"]
    mend = "give each job a unique number, or remove the wrong lines"
    if sums.index.has_duplicates:
        job = sums.index[sums.index.duplicated()][0]
        raise InputError(
            f"{where}: job {job} has partial executions and {(sums.index == job).sum()} lines that "
            f"describe the whole job; {mend}"
        )
    # Run times may be rounded up. With n parts, the sum of their run times can therefore exceed the
    # run time of the whole job by n seconds.
    totals, rounding = _totals(parts), parts["job"].value_counts()
    exceeds = (sums >= 0) & (totals.reindex(sums.index) > sums + rounding.reindex(sums.index))
    if exceeds.any():
        job = exceeds.idxmax()
        raise InputError(
            f"{where}: the partial executions of job {job} run for {totals[job]:.15g} s, but the "
            f"line of the whole job has a run time of {sums[job]:.15g} s; {mend}"
        )


def _check_unmarked_parts(table: "pd.DataFrame", words: str, where: str) -> None:
    again = table["job"].duplicated()
    if again.any():
        job = table["job"][again].iloc[0]
        raise InputError(
            f"{where}: Preemption is {words}, and job {job} has several lines, but no line has the "
            "status of a partial execution (2, 3 or 4); correct the status of these lines, or "
            "remove them"
        )
