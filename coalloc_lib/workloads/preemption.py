"""Jobs that were preempted: several lines of a log become one job.

The Standard Workload Format gives a job that was swapped out a line that sums it up, with the
status 0, 1 or 5, and a line for each partial execution, with the status 2, 3 or 4. The header
``Preemption`` says which of them a log has: ``No``, ``Yes`` (the parts alone), ``Double`` (both) or
``TS`` (time slicing, without parts). The lines of a job have one number. Only its first part has a
submission; the wait of each later part counts from the end of the part before. Source:
https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

from typing import TYPE_CHECKING, NamedTuple

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.workloads.swf_lines import PARTIAL

if TYPE_CHECKING:
    import pandas as pd

#: The status of a whole job by that of its last part. A job whose last part would be continued
#: has an end that is not known.
_WHOLE = {2: -1, 3: 1, 4: 0}
#: Values of ``Preemption`` under which run times contain time in which other jobs ran.
_SLICED = ("TS", "TQ")


class WholeJobs(NamedTuple):
    """Jobs, one line each, and what was done to get there, in words."""

    table: "pd.DataFrame"
    notes: tuple[str, ...]


def whole_jobs(table: "pd.DataFrame", preemption: str, where: str) -> WholeJobs:
    """Return one line for each job of a log that may have lines of partial executions.

    A job that has a line that sums it up keeps this line; its parts are left out. The parts of any
    other job are joined: its run time is the sum of theirs, and its wait that of the first part.

    Parameters
    ----------
    table : pandas.DataFrame
        The lines of the log.
    preemption : str
        The value of ``Preemption`` in its header, empty if there is none.
    where : str
        The file, for errors.

    Raises
    ------
    InputError
        The parts of a job contradict each other or the line that sums them up.
    """
    is_part = table["status"].isin(PARTIAL)
    words = preemption.split("#")[0].strip()
    notes = [_note_of(words)]
    if is_part.any():
        is_summed_up = is_part & table["job"].isin(table.loc[~is_part, "job"])
        parts = table[is_part & ~is_summed_up]
        _refuse_odd_parts(parts, where)
        _refuse_odd_sums(table, is_summed_up, where)
        notes += [_note_of_sums(table, is_summed_up), _note_of_parts(parts)]
        table = _joined(_with_run_times(table, is_summed_up), parts, is_summed_up)
    elif words.casefold() in ("yes", "double"):
        _refuse_doubles(table, words, where)
    notes.append(_note_of_repeated(table["job"]))
    return WholeJobs(table, tuple(filter(None, notes)))


def _note_of(words: str) -> str:
    """Return what a user should know of this value of ``Preemption``."""
    if words.upper() in _SLICED:
        return (
            f"Preemption is {words}: processors were shared in time slices, so run times contain "
            "time in which other jobs ran"
        )
    if words and words.casefold() not in ("no", "yes", "double"):
        return f"Preemption is {shown(words)}, which the format does not know; it is not used"
    return ""


def _counted(number: int, word: str) -> str:
    """Return a number with its noun, such as "1 line" or "2 lines"."""
    return f"{number:,} {word}" + "s" * (number != 1)


def _note_of_repeated(numbers: "pd.Series") -> str:
    """Return which job numbers stand on several lines, each of them a job of its own."""
    repeated = numbers[numbers.duplicated(keep=False)]
    if repeated.empty:
        return ""
    first, others = repeated.iloc[0], repeated.nunique() - 1
    lines = _counted(int((repeated == first).sum()), "line")
    note = f"job {first} stands on {lines}; each counts as a job of its own"
    return note + f"; so does each line of {_counted(others, 'other job number')}" * bool(others)


def _note_of_sums(table: "pd.DataFrame", is_summed_up: "pd.Series") -> str:
    """Return how many lines are left out, and how many jobs differ from the sum of their parts."""
    if not is_summed_up.any():
        return ""
    totals = _totals(table[is_summed_up])
    whole = table[~is_summed_up & table["job"].isin(totals.index)]
    differ = int((whole["runtime"] != whole["job"].map(totals)).sum())
    lines = _counted(int(is_summed_up.sum()), "line")
    jobs = _counted(len(whole), "job")
    note = f"{lines} of partial executions left out: other lines sum up their {jobs}"
    longer = f"the run time of {_counted(differ, 'job')} is not the sum of the parts"
    return note + f"; {longer}" * bool(differ)


def _note_of_parts(parts: "pd.DataFrame") -> str:
    """Return how many lines are joined."""
    if parts.empty:
        return ""
    jobs = _counted(parts["job"].nunique(), "job")
    return f"{_counted(len(parts), 'line')} of partial executions joined to {jobs}"


def _with_run_times(table: "pd.DataFrame", is_summed_up: "pd.Series") -> "pd.DataFrame":
    """Return the table; a job without a run time gets that of its parts."""
    runtime = table["runtime"]
    of_parts = table["job"].map(_totals(table[is_summed_up]))
    is_unknown = ~is_summed_up & (runtime < 0) & of_parts.notna()
    return table.assign(runtime=runtime.mask(is_unknown, of_parts))


def _joined(
    table: "pd.DataFrame", parts: "pd.DataFrame", is_summed_up: "pd.Series"
) -> "pd.DataFrame":
    """Return the table with the parts joined in their first line, and others left out."""
    firsts = parts[~parts["job"].duplicated()]
    last = parts[~parts["job"].duplicated(keep="last")].set_index("job")["status"]
    table = table.copy()
    table.loc[firsts.index, "runtime"] = firsts["job"].map(_totals(parts))
    table.loc[firsts.index, "status"] = firsts["job"].map(last).map(_WHOLE)
    others = parts.index.difference(firsts.index)
    return table.drop(others.union(table.index[is_summed_up])).reset_index(drop=True)


def _totals(parts: "pd.DataFrame") -> "pd.Series":
    """Return the sum of the run times of each job's parts; -1 if none is known."""
    known = parts["runtime"].where(parts["runtime"] >= 0)
    return known.groupby(parts["job"]).sum(min_count=1).fillna(-1.0)


def _refuse_odd_parts(parts: "pd.DataFrame", where: str) -> None:
    """Refuse a job whose parts do not make one rigid job."""
    by_job = parts.groupby("job", sort=False)
    faults = {
        "the first line of its partial executions has no submission": ~parts["job"].duplicated()
        & (parts["submit"] < 0),
        "its partial executions have different numbers of processors": by_job[
            "allocated_processors"
        ].transform("nunique")
        > 1,
        "a partial execution follows the last one, which has the status 3 or 4": parts[
            "job"
        ].duplicated(keep="last")
        & (parts["status"] != PARTIAL[0]),
    }
    mend = "correct it, or replace these lines by one that sums up the job, with status 0 or 1"
    for what, is_odd in faults.items():
        if is_odd.any():
            job = parts["job"][is_odd].iloc[0]
            raise InputError(f"{where}: job {job}: {what}; {mend}")


def _refuse_odd_sums(table: "pd.DataFrame", is_summed_up: "pd.Series", where: str) -> None:
    """Refuse parts that cannot belong to the line with their number that sums up a job.

    The number may then have been used again for another job. Each part may have been rounded up by
    one second.
    """
    parts = table[is_summed_up]
    sums = table[~is_summed_up & table["job"].isin(parts["job"])].set_index("job")["runtime"]
    mend = "give each job a number of its own, or remove the lines that are wrong"
    if sums.index.has_duplicates:
        job = sums.index[sums.index.duplicated()][0]
        raise InputError(
            f"{where}: job {job} has partial executions and {(sums.index == job).sum()} lines that "
            f"could sum them up; {mend}"
        )
    totals, rounding = _totals(parts), parts["job"].value_counts()
    exceeds = (sums >= 0) & (totals.reindex(sums.index) > sums + rounding.reindex(sums.index))
    if exceeds.any():
        job = exceeds.idxmax()
        raise InputError(
            f"{where}: the partial executions of job {job} run for {totals[job]:.15g} s, and the "
            f"line that sums them up for {sums[job]:.15g} s; {mend}"
        )


def _refuse_doubles(table: "pd.DataFrame", words: str, where: str) -> None:
    """Refuse a log with several lines of a job, none of them marked as a part."""
    again = table["job"].duplicated()
    if again.any():
        job = table["job"][again].iloc[0]
        raise InputError(
            f"{where}: Preemption is {words}, and job {job} has several lines, but none has the "
            "status 2, 3 or 4 of a partial execution; mark the parts, or leave them out"
        )
