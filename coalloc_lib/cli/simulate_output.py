"""The output of the command ``coalloc simulate``: its metrics, its table and its files."""

from math import isnan
from typing import Any, NamedTuple

import numpy as np

from coalloc_lib import __version__
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.basics.text import shortest_number
from coalloc_lib.cli.output import OUTPUT, naming, print_table, show
from coalloc_lib.cli.schedule_means import BOUND, MEANS
from coalloc_lib.model.system import Multicluster
from coalloc_lib.schedules import exchange
from coalloc_lib.schedules.metrics import means
from coalloc_lib.schedules.schedule import Schedule


class Answer(NamedTuple):
    """The results that the command ``coalloc simulate`` prints.

    `intervals` has the 95 % intervals of the means by name, and `why_none` says why some of them
    have no interval.
    """

    title: str
    metrics: dict[str, Any]
    left_out: dict[str, int]
    intervals: dict[str, tuple[float, float]]
    why_none: str

    def to_json(self, trace: str, system: Multicluster, out: str | None) -> dict[str, Any]:
        """Return the dict that is printed as a JSON object."""
        answer = {"trace": trace, "clusters": list(system.sizes), **self.metrics}
        answer |= {"ci95": self.intervals or None, "left_out": self.left_out, "out": out}
        return answer | {"version": __version__}


def metrics_of(schedule: Schedule) -> dict[str, Any]:
    """Return the metrics of a schedule by name, with times in seconds.

    Rejected jobs do not count in means.
    """
    submit, mean = schedule.jobs.submit, means(schedule, at_least=BOUND)
    all_at_start = np.ptp(submit) == 0
    finish = np.nanmax(schedule.end) if all_at_start else submit.max()
    offered = None if all_at_start else schedule.jobs.offered_load(schedule.system)
    metrics = {
        "jobs": mean["jobs"],
        "refused_jobs": mean["refused"],
        "offered_load": offered,
        "utilization": schedule.utilization(submit.min(), finish),
        **{name: mean[row.metric] for name, row in MEANS.items()},
        "spanning_jobs": int(schedule.spans.sum()),
    }
    if schedule.attempts is not None:
        metrics["mean_attempts"] = float(schedule.attempts[schedule.served].mean())
    return metrics


def write_files(schedule: Schedule, export: str | None, out: str | None) -> None:
    """Write a schedule to the files that the options ``--export`` and ``--out`` name."""
    if export is not None:
        with naming(export):
            exchange.export(schedule, export)
    if out is None:
        return
    table = schedule.to_frame()
    for name in ("submit", "start", "end"):
        table[name] = [
            "" if isnan(time) else shortest_number(time) for time in table[name].tolist()
        ]
    with naming(OUTPUT if out == "-" else out), atomic_path(out) as beside:
        table.to_csv(beside, index=False, lineterminator="\n")


def print_answer(answer: Answer) -> None:
    """Print the metrics of a schedule as a table, with confidence intervals if there are any."""
    table = _counts(answer.metrics, answer.left_out)
    for name, mean in MEANS.items():
        ends = (f"{end:,.{mean.digits}f}" for end in answer.intervals.get(name, ()))
        value = f"{answer.metrics[name]:,.{mean.digits}f}{mean.unit}"
        table.append((mean.label, value, " to ".join(ends)))
    if "mean_attempts" in answer.metrics:
        table.append(("mean attempts", f"{answer.metrics['mean_attempts']:,.2f}", ""))
    columns = ("metric", ">value", ">95 % interval")[: 3 if answer.intervals else 2]
    print_table(columns, [row[: len(columns)] for row in table], answer.title)
    if answer.why_none:
        has_some = bool(answer.intervals)
        show(f"no interval {answer.why_none}" if has_some else f"no intervals: {answer.why_none}")


def _counts(metrics, left_out):
    # Only policies that make a reservation for each job can reject jobs, so the number of rejected
    # jobs is shown only for these policies.
    span, offered = metrics["spanning_jobs"], metrics["offered_load"]
    rows = {"jobs": f"{metrics['jobs']:,}"}
    rows |= {f"jobs left out, {why}": f"{count:,}" for why, count in left_out.items()}
    if "mean_attempts" in metrics:
        rows["jobs rejected"] = f"{metrics['refused_jobs']:,}"
    rows["jobs that span clusters"] = f"{span:,} ({span / metrics['jobs']:.1%})"
    rows["offered load"] = "-" if offered is None else f"{offered:.3f}"
    rows["utilization"] = f"{metrics['utilization']:.3f}"
    idle = metrics.get("idle_share_of_work")
    if idle:
        rows["share of load and utilization due to whole nodes"] = f"{idle:.1%}"
    return [(*row, "") for row in rows.items()]
