"""A study that takes no time: the least that is one."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from coalloc_lib.intervals import student
from coalloc_lib.studies.core import Study, interval_columns, scales
from coalloc_lib.studies.ledger import Row, judge_number


@dataclass(frozen=True)
class Draw:
    """Normal numbers around a mean."""

    mean: float

    def measure(self, scale, seed):
        return self.mean + np.random.default_rng(seed).normal(size=scale.runs)


def one_more(label, case):
    if not isinstance(case, Draw):
        raise InputError(f"case = {case!r}; give a Draw")
    return {label: (case, Draw(0.0))}


def toy(name="maximal-utilization", measure=None):
    """Return a study of one figure, one table, one printed number and two claims."""
    how = {} if measure is None else {"measure": measure}
    study = Study(name, "Which mean is larger?", 7, scales(runs=(4, 8), most=(1, 3)), **how)

    @study.add_figure(
        "means", "Means, less that of zero",
        lambda scale, seed: {f"m{i}": (Draw(float(i)), Draw(0.0)) for i in range(scale.most + 1)},
        draw=lambda table, **titles: plots.new_figure()[0], notice="The last is largest",
        when=lambda table: table["mean"].iloc[-1] == table["mean"].max(),
        otherwise="Means of a few draws", claims=("MU-12",), one_more=one_more,
    )  # fmt: skip
    def means(entries, results):
        rows = []
        for label, (case, base) in entries.items():
            noise = 1e-9 * np.arange(results.scale.runs)
            difference = student(results[case] - results[base] + noise)
            rows.append({"label": label} | interval_columns(difference, "mean"))
        return pd.DataFrame(rows)

    @study.add_figure("bare", "A table alone", lambda scale, seed: {"m5": Draw(5.0)})
    def bare(entries, results):
        return pd.DataFrame([(label, len(results[c])) for label, c in entries.items()])

    @study.add_numbers
    def printed(results):
        mean = student(results[Draw(1.0)])
        ends = mean.estimate, mean.low, mean.high
        yield Row(study.name, "Table 1 a", "mean", 1.0, *ends, *judge_number(1.0, mean))

    @study.add_claim("MU-12", "difference of the last")
    def last(results):
        table = results.table("means").iloc[-1]
        return table["mean"], {"above 0": bool(table["ci95_low"] > 0)}

    @study.add_claim("MU-1", "mean", cases=lambda scale, seed: {"": Draw(9.0)})
    def nine(results):
        found = student(results[Draw(9.0)])
        return found, {"above 100": found.above(100), "above 0": found.above(0)}, "drawn"

    return study
