"""A table of runs: settings picked out, replications compared in pairs, means with intervals.

A table of runs has a row for each replication of each setting. The columns before ``replication``
are *keys*: they say what was run, and of whom it was measured. Those behind it were measured. A
figure that is known, by a formula, has one row without a replication. Tables of `sweep` are such.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics.columns import NoColumnError, NotRunError, interval_columns, limits_of
from coalloc_lib.statistics.inference import Replications
from coalloc_lib.statistics.sweep.points import label

REPLICATION = "replication"


def keys_of(runs: pd.DataFrame) -> list[str]:
    """Return the columns that say what was run: those before ``replication``."""
    if REPLICATION not in runs:
        raise InputError(f"runs have no column {REPLICATION!r}; give a table of runs")
    return list(runs.columns[: runs.columns.get_loc(REPLICATION)])


def pick(runs: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """Return the rows that have these values in these columns.

    Several values, in a tuple, list or set, are alternatives; None is where a column is empty. An
    object, such as a `Multicluster`, is found by its text, as the table has it.
    """
    keep = np.ones(len(runs), dtype=bool)
    for column, wanted in where.items():
        _require(runs, column)
        keep &= _matches(runs[column], wanted)
    return runs if keep.all() else runs[keep]


def _require(runs: pd.DataFrame, *names: str) -> None:
    """Refuse runs that have not all of these columns."""
    for name in names:
        if name not in runs:
            known = ", ".join(map(str, runs.columns))
            raise NoColumnError(f"{name} is no column of the runs; they have {known}")


def _matches(column: pd.Series, wanted: Any) -> NDArray[np.bool_]:
    if isinstance(wanted, tuple | list | set | frozenset):
        return column.isin([label(each) for each in wanted]).to_numpy()
    if wanted is None:
        return (column.isna() | (column == "")).to_numpy()
    return (column == label(wanted)).to_numpy()


def groups_of(
    runs: pd.DataFrame, by: Sequence[str]
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the values of some columns and the rows that have them, in order; None is empty."""
    if not by:
        yield {}, runs
        return
    _require(runs, *by)
    for values, rows in runs.groupby(list(by), sort=False, dropna=False):
        known = (None if pd.isna(value) or value == "" else value for value in values)
        yield dict(zip(by, known, strict=True)), rows


def sample(runs: pd.DataFrame, value: str, **where: Any) -> Replications:
    """Return a measured column of one setting: a value of each replication, in their order.

    Rows in which it was not measured are left out. A `NotRunError` says that none is left, an
    `InputError` in which columns the rows differ, where they are of several settings.
    """
    return _measured(pick(runs, **where), value, where).sample


def ratio(
    runs: pd.DataFrame, value: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> Replications:
    """Return what is measured where `one` holds over that where `other` does, in pairs.

    `runs` are alike in all other keys; for example ``ratio(runs, "awrt", {"way": "sharing"},
    {"way": "local"})``. What `other` does not name is as in `one`.
    """
    pair = _pair(runs, value, one, other)
    return pair[0] / pair[1]


def difference(
    runs: pd.DataFrame, value: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> Replications:
    """Return what is measured where `one` holds less that where `other` does, in pairs."""
    pair = _pair(runs, value, one, other)
    return pair[0] - pair[1]


def means(runs: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return a row for each setting: the mean of a measured column with its 95 % interval."""
    _require(runs, value)
    rows = [
        setting | interval_columns(sample(part, value).interval, value)
        for setting, part in groups_of(runs.dropna(subset=value), keys_of(runs))
    ]
    return pd.DataFrame(rows)


def ratios(
    runs: pd.DataFrame, value: str, against: Mapping[str, Any], also: Collection[str] = ()
) -> pd.DataFrame:
    """Return the mean ratio of each setting to one that it is held against, in pairs.

    Parameters
    ----------
    against : dict
        Values of keys, such as ``{"way": "sharing", "penalty": 0.0}``: each setting is held against
        the one that has these values and is alike in all other keys. A setting that has none is
        left out.
    also : names of columns
        Measured columns whose means are given too.

    Returns
    -------
    DataFrame
        The keys, the mean of the value, that of what it is held against (``<value>_against``), the
        ``ratio`` with its 95 % interval, the mean over the replications of their own ratios.
    """
    return _compared(runs, value, against, also, "ratio", _paired_ratio)


def differences(
    runs: pd.DataFrame,
    value: str,
    against: Mapping[str, Any],
    also: Collection[str] = (),
    in_pairs: bool = True,
) -> pd.DataFrame:
    """Return the mean ``difference`` of each setting from one that it is held against.

    The replications are compared in pairs, or else as independent samples (Welch). All else is as
    in `ratios`.
    """
    compare = _paired_difference if in_pairs else _unpaired_difference
    return _compared(runs, value, against, also, "difference", compare)


def _paired_ratio(rows, base, value):
    one, other = _samples(rows, base, value)
    return (one / other).interval


def _paired_difference(rows, base, value):
    one, other = _samples(rows, base, value)
    return (one - other).interval


def _unpaired_difference(rows, base, value):
    return sample(rows, value).less_unpaired(sample(base, value))


def _compared(runs, value, against, also, what, compare):
    """Return the table of `ratios` or of `differences`."""
    _require(runs, value, *also, *against)
    keys = keys_of(runs)
    alike = [key for key in keys if key not in against]
    measured = runs.dropna(subset=value)
    is_base = measured.index.isin(pick(measured, **against).index)
    bases = {tuple(same.values()): rows for same, rows in groups_of(measured[is_base], alike)}
    if not bases:
        raise NotRunError(f"no run has {_shown(against)}")
    compared = []
    for setting, rows in groups_of(measured[~is_base], keys):
        base = bases.get(tuple(setting[key] for key in alike))
        if base is None:
            continue
        found, base_found = (sample(each, value).mean for each in (rows, base))
        row = setting | {value: found, f"{value}_against": base_found}
        row |= {name: rows[name].mean() for name in also}
        compared.append(row | interval_columns(compare(rows, base, value), what))
    if not compared:
        raise NotRunError(f"no run can be held against that with {_shown(against)}")
    return pd.DataFrame(compared)


def rows_of(sample: Replications, value: str, **keys: Any) -> Iterator[dict[str, Any]]:
    """Yield a sample as rows of a table of runs: what a study's `measure` returns.

    A figure that is known has one row, without a replication.
    """
    warning = {"warning": sample.warning}
    if sample.values.ndim == 0:
        yield keys | {REPLICATION: None, value: float(sample.values)} | warning
        return
    for replication, number in enumerate(sample.values.tolist()):
        yield keys | {REPLICATION: replication, value: number} | warning


class _Measured(NamedTuple):
    """The sample of a setting, and the replications that its values are of."""

    sample: Replications
    replications: NDArray[np.float64]

    @property
    def is_known(self) -> bool:
        """Whether it is a known figure, which has no replication."""
        return self.sample.values.ndim == 0


def _measured(rows: pd.DataFrame, value: str, where: Mapping[str, Any]) -> _Measured:
    """Return what was measured of the rows of one setting, picked by these values."""
    _require(rows, value)
    values = rows[value].to_numpy(dtype=float)
    replications = rows[REPLICATION].to_numpy(dtype=float)
    is_there = ~np.isnan(values)
    if not is_there.any():
        raise NotRunError(f"no run of {value} has {_shown(where)}" if where else "there is no run")
    values, replications = values[is_there], replications[is_there]
    if len(np.unique(replications)) < len(replications):
        several = [key for key in keys_of(rows) if rows[key].nunique(dropna=False) > 1]
        raise InputError(
            f"runs are of several settings, which differ in {', '.join(several) or 'no key'}; pick "
            "one: pick(runs, ...)"
        )
    warning = ""
    if "warning" in rows:
        warning = next(filter(None, rows["warning"][is_there].fillna("")), "")
    if np.isnan(replications).all():
        return _Measured(Replications(np.array(values[0]), warning), replications)
    order = np.argsort(replications)
    limits = limits_of(value, values)
    return _Measured(Replications(values[order], warning, *limits), replications[order])


def _pair(runs, value, one, other):
    """Return both samples of a comparison."""
    conditions = one, {**one, **other}
    rows, base = (pick(runs, **where) for where in conditions)
    for picked, where in zip((rows, base), conditions, strict=True):
        if picked.empty:
            raise NotRunError(f"no run has {_shown(where)}")
    return _samples(rows, base, value)


def _samples(rows, base, value):
    """Return the samples of the rows of two settings, which must have the same replications."""
    one, other = (_measured(each, value, {}) for each in (rows, base))
    alike = np.array_equal(one.replications, other.replications)
    if not (alike or one.is_known or other.is_known):
        raise InputError(
            f"runs to be compared in pairs have the replications {one.replications.tolist()} and "
            f"{other.replications.tolist()}; give both the same"
        )
    return one.sample, other.sample


def _shown(where):
    return ", ".join(f"{column} = {wanted}" for column, wanted in where.items())
