"""Which public logs are on this machine, and what they recorded."""

from collections.abc import Sequence
from html import escape

import numpy as np
from IPython.display import HTML
from numpy.typing import ArrayLike, NDArray

import coalloc_lib as co
from coalloc_lib.basics.data import data_folder
from coalloc_lib.workloads import catalogue
from coalloc_lib.workloads.swf import SwfLog

#: What is printed in place of the mean of values that a log does not have.
NOT_RECORDED = "not recorded"
HOUR = 3_600.0


def logs_here(*names: str, fetch: bool = False) -> HTML:
    """Say which public logs of a notebook are on this machine, and how to get the others.

    Parameters
    ----------
    names : str
        Names of the catalogue, such as ``"KTH-SP2"``.
    fetch : bool
        Download the missing logs first. An `InputError` says if one cannot be downloaded.
    """
    if fetch:
        catalogue.fetch(names)
    places = {each["name"]: each["found"] for each in catalogue.listing()}
    found = [name for name in names if places[name] != "not fetched"]
    missing = [name for name in names if name not in found]
    return HTML("".join(f"<p>{line}</p>" for line in _sentences(found, missing)))


def _sentences(found: Sequence[str], missing: Sequence[str]) -> list[str]:
    """Return the lines of `logs_here`."""
    there = f"<b>Logs found:</b> {', '.join(found) or 'none'}."
    if not missing:
        return [f"{there} The numbers in the text are those of these logs."]
    replaced = [name for name in missing if _has_stand_in(name)]
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


def _has_stand_in(name: str) -> bool:
    return (data_folder("traces") / f"{name}-synthetic.swf.gz").is_file()


def recorded_waits(log: SwfLog, jobs: co.JobStream) -> NDArray[np.float64]:
    """Return the waits in hours that a log recorded for these jobs.

    A wait that the log does not have is NaN. A synthetic log has none: its jobs never waited.
    """
    waits = log.table.set_index("job")["wait"].loc[jobs.number].to_numpy(dtype=float)
    return np.where((waits < 0) | log.is_stand_in, np.nan, waits / HOUR)


def told(values: ArrayLike, style: str = "{:.1f} h") -> str:
    """Return the mean of the known values as text, or that nothing is recorded.

    `style` formats the mean, for example ``"{:.0%}"``.
    """
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    return style.format(known.mean()) if len(known) else NOT_RECORDED


def share_of(is_so: ArrayLike, values: ArrayLike) -> str:
    """Return the share of true entries as text, in percent, where `values` are known."""
    return told(np.where(np.isfinite(np.asarray(values, dtype=float)), is_so, np.nan), "{:.0%}")


def share_up_to(values: ArrayLike, limit: float) -> str:
    """Return the share of the known values that are at most a limit as text, in percent."""
    return share_of(np.asarray(values, dtype=float) <= limit, values)
