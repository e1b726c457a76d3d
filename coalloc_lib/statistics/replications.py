"""Tables of runs: pick settings, compare replications in pairs, and take means with intervals.

A table of runs has a row for each replication of each setting. The columns before ``replication``
are *keys*: they say which setting was run, and for which jobs it was measured. The columns after it
were measured. A value that is known exactly, by a formula, has one row without a replication. The
function `sweep` returns such a table.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.statistics.columns import NoColumnError, NotRunError, interval_columns, limits_of
from coalloc_lib.statistics.inference import Replications
from coalloc_lib.statistics.labels import label

REPLICATION = "replication"


def keys_of(runs: pd.DataFrame) -> list[str]:
    """Return the names of the key columns of a table of runs, which precede ``replication``.

    Examples
    --------
    >>> keys_of(pd.DataFrame({"load": [0.5], "replication": [0], "wait": [3.0]}))
    ['load']
    """
    if REPLICATION not in runs:
        raise InputError(f"runs have no column {REPLICATION!r}; give a table of runs")
    return list(runs.columns[: runs.columns.get_loc(REPLICATION)])


def pick(runs: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """Return the rows of a table of runs that have the given values in the given columns.

    Parameters
    ----------
    runs : DataFrame
        A table of runs.
    **where
        A value by column. A tuple, list or set holds alternative values. None selects the rows in
        which the column is empty. Any other object, such as a `Multicluster`, is compared by its
        text, as the table shows it.

    Raises
    ------
    NoColumnError
        If the table does not have one of the columns.

    Examples
    --------
    >>> runs = pd.DataFrame({"load": [0.5, 0.7], "replication": [0, 0], "wait": [3.0, 9.0]})
    >>> pick(runs, load=0.7)["wait"].tolist()
    [9.0]
    """
    keep = _mask(runs, where)
    return runs if keep.all() else runs[keep]


def _mask(runs: pd.DataFrame, where: Mapping[str, Any]) -> NDArray[np.bool_]:
    keep = np.ones(len(runs), dtype=bool)
    for column, wanted in where.items():
        require_columns(runs, column)
        keep &= _matches(runs[column], wanted)
    return keep


def require_columns(runs: pd.DataFrame, *names: str) -> None:
    """Raise `NoColumnError` if a table of runs lacks one of the named columns."""
    for name in names:
        if name not in runs:
            known = ", ".join(map(str, runs.columns))
            raise NoColumnError(f"{name} is not a column of the runs; they have {known}")


def _matches(column: pd.Series, wanted: Any) -> NDArray[np.bool_]:
    if getattr(wanted, "ndim", 0):
        raise InputError(f"{column.name} = {shown(wanted)}; give a list instead of an array")
    if isinstance(wanted, tuple | list | set | frozenset):
        values = [label(value) for value in wanted if value is not None]
        is_wanted = column.isin(values).to_numpy()
        return is_wanted | _matches(column, None) if len(values) < len(wanted) else is_wanted
    if wanted is None:
        return (column.isna() | (column == "")).to_numpy()
    wanted = label(wanted)
    holds_numbers = isinstance(column.dtype, np.dtype) and type(wanted) is not str
    if column.dtype == object or holds_numbers:
        return column.to_numpy() == wanted  # the comparison of pandas takes several times as long
    return (column == wanted).fillna(False).to_numpy(dtype=bool)  # NA if the cell is NA


def groups_of(
    runs: pd.DataFrame, by: Sequence[str]
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Group the rows of a table of runs by some columns, and yield each group.

    Parameters
    ----------
    runs : DataFrame
        A table of runs.
    by : list of str
        The columns whose values make the groups.

    Yields
    ------
    values : dict
        The values of the group by column, with None for an empty one.
    rows : DataFrame
        The rows of the group. The groups come in the order of their first rows.
    """
    if not by:
        yield {}, runs
        return
    require_columns(runs, *by)
    # An empty string is an empty cell too, as in `pick`, so both must be in the same group.
    cells = [runs[name].mask(_matches(runs[name], None)) for name in by]
    for values, rows in runs.groupby(cells, sort=False, dropna=False):
        known = (None if pd.isna(value) else value for value in values)
        yield dict(zip(by, known, strict=True)), rows


def sample(runs: pd.DataFrame, value: str, **where: Any) -> Replications:
    """Return the values of a measured column in one setting, one value per replication.

    Parameters
    ----------
    runs : DataFrame
        A table of runs.
    value : str
        The measured column. Rows in which it is empty are left out.
    **where
        The setting, by values of columns as in `pick`.

    Raises
    ------
    NotRunError
        If there is no such run.
    InputError
        If the rows belong to several settings.

    Notes
    -----
    The intervals of the sample end at the bounds of the quantity, which are known from the name of
    the column: ``utilization``, ``max_utilization`` and ``capacity_loss`` are between 0 and 1,
    ``wait``, ``response`` and ``awrt`` are 0 or more, and ``slowdown`` is 1 or more. If a value of
    the sample lies beyond the bounds, they are not used. If a column with such a name has other
    bounds, rename the column.

    Examples
    --------
    >>> runs = pd.DataFrame({"load": [0.5, 0.5], "replication": [0, 1], "wait": [3.0, 5.0]})
    >>> sample(runs, "wait", load=0.5).mean
    4.0
    """
    found = _measured(runs, value, _mask(runs, where), where)
    _require_equal_keys(runs, found.rows, where)
    return found.sample


def ratio(
    runs: pd.DataFrame, value: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> Replications:
    """Divide each value of a column in setting `one` by its paired value in setting `other`.

    Parameters
    ----------
    runs : DataFrame
        A table of runs. All rows of a setting must have the same values in the other keys.
    value : str
        The measured column.
    one, other : dict
        The settings of the numerator and of the denominator, by values of columns as in `pick`.
        Columns that only `one` names have the same value in `other`.

    Raises
    ------
    NotRunError
        If one of the settings was not run.
    InputError
        If the rows of `one` or `other` belong to several settings, if the settings do not have the
        same replications, or if a value of `other` is 0.

    Examples
    --------
    >>> runs = pd.DataFrame(
    ...     {"way": ["sharing", "local"], "replication": [0, 0], "wait": [3.0, 6.0]}
    ... )
    >>> ratio(runs, "wait", {"way": "sharing"}, {"way": "local"}).values.tolist()
    [0.5]
    """
    numerator, denominator = _pair(runs, value, one, other)
    _refuse_zeros(denominator, value, {**one, **other})
    return numerator / denominator


def difference(
    runs: pd.DataFrame, value: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> Replications:
    """Subtract each value of a column in setting `other` from its paired value in setting `one`.

    The parameters and errors are those of `ratio`, except that values of 0 are allowed.
    """
    minuend, subtrahend = _pair(runs, value, one, other)
    return minuend - subtrahend


def means(runs: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return a table of the mean of a measured column in each setting, with its 95 % interval.

    Parameters
    ----------
    runs, value
        As in `sample`.

    Returns
    -------
    DataFrame
        One row for each setting that has a value: its keys, the mean, and the 95 % interval. Rows
        in which the column is empty are left out. `summarize` keeps these rows: there, one empty
        value leaves a point without an estimate.

    Raises
    ------
    InputError
        If a setting has a single replication or an infinite value, and the value is not exact. The
        error names the setting.

    Notes
    -----
    For some names of the column, an interval is cut off at the bounds of the quantity; see
    `sample`.
    """
    require_columns(runs, value)
    rows = []
    for setting, part in groups_of(runs.dropna(subset=value), keys_of(runs)):
        found = _sample_of_all(part, value)
        _require_interval(found, value, setting)
        rows.append(setting | interval_columns(found.sample.interval, value))
    return pd.DataFrame(rows)


def ratios(
    runs: pd.DataFrame, value: str, against: Mapping[str, Any], also: Collection[str] = ()
) -> pd.DataFrame:
    """Return a table of ratios between a measured column and its values in a base setting.

    The ratios are computed from paired runs: each run of a setting is divided by the run of the
    base setting with the same replication.

    Parameters
    ----------
    runs : DataFrame
        A table of runs.
    value : str
        The measured column.
    against : dict
        Values of keys, such as ``{"way": "sharing", "penalty": 0.0}``. The base of a setting is the
        setting that has these values and the same values in all other keys. A setting without a
        base is left out.
    also : collection of str
        Other measured columns whose means are added to the table.

    Returns
    -------
    DataFrame
        One row for each setting: its keys, the mean of the value, the mean of the base
        (``<value>_against``), and ``ratio``, the mean of the ratios of the replications, with its
        95 % interval.

    Raises
    ------
    InputError
        If `against` is empty. Also if a setting and its base do not have the same replications, if
        they have a single replication or an infinite value that is not exact, or if a value of the
        base is 0. The error names the setting.
    NotRunError
        If no setting has the values of `against`, or no other setting has a base.

    Notes
    -----
    Rows in which the column is empty are left out. A setting without any value has no row, and a
    replication that has a value in only one of two paired settings is an error.
    """
    return _compared(runs, value, against, also, "ratio", _paired_ratio)


def differences(
    runs: pd.DataFrame,
    value: str,
    against: Mapping[str, Any],
    also: Collection[str] = (),
    in_pairs: bool = True,
) -> pd.DataFrame:
    """Return a table of differences between a measured column and its values in a base setting.

    Parameters
    ----------
    runs, value, against, also
        As in `ratios`, which returns a similar table and raises the same errors. Values of 0 are
        allowed.
    in_pairs : bool
        Whether the replications are compared in pairs. Otherwise they are compared as independent
        samples (Welch), which may have different replications.
    """
    compare = _paired_difference if in_pairs else _unpaired_difference
    return _compared(runs, value, against, also, "difference", compare)


def _paired_ratio(one, other):
    numerator, denominator = _in_pairs(one, other)
    return (numerator / denominator).interval


def _paired_difference(one, other):
    minuend, subtrahend = _in_pairs(one, other)
    return (minuend - subtrahend).interval


def _unpaired_difference(one, other):
    return one.sample.less_unpaired(other.sample)


def _compared(runs, value, against, also, name, compare):
    if not against:
        raise InputError(
            f"against = {shown(against)} chooses no base setting; give values of one or more keys"
        )
    require_columns(runs, value, *also, *against)
    keys = keys_of(runs)
    made = {f"{value}_against", *interval_columns(Interval.exact(0.0), name)}
    taken = sorted(made & {*keys, *also})
    if taken:
        raise InputError(f"runs has the column {taken[0]!r}, which the result has too; rename it")
    shared_keys = [key for key in keys if key not in against]
    measured = runs.dropna(subset=value)
    is_base = _mask(measured, against)
    bases = _bases(measured[is_base], shared_keys, against)
    compared = []
    for setting, rows in groups_of(measured[~is_base], keys):
        shared = {key: setting[key] for key in shared_keys}
        base, base_setting = bases.get(tuple(shared.values())), {**against, **shared}
        if base is None:
            continue
        one = _measured_setting(rows, value, setting)
        other = _measured_setting(base, value, base_setting)
        if name == "ratio":
            _refuse_zeros(other.sample, value, base_setting)
        row = setting | {value: one.sample.mean, f"{value}_against": other.sample.mean}
        row |= {column: rows[column].mean() for column in also}
        compared.append(row | interval_columns(compare(one, other), name))
    if not compared:
        raise NotRunError(f"no run can be compared with the run that has {_shown(against)}")
    return pd.DataFrame(compared)


def _bases(rows, shared_keys, against):
    if rows.empty:
        raise NotRunError(f"no run has {_shown(against)}")
    return {tuple(values.values()): part for values, part in groups_of(rows, shared_keys)}


def rows_of(sample: Replications, value: str, **keys: Any) -> Iterator[dict[str, Any]]:
    """Yield one row of a table of runs for each value that was measured in one setting.

    Parameters
    ----------
    sample : Replications
        The values. An exact value becomes a single row without a replication.
    value : str
        The name of the measured column.
    **keys
        The values of the key columns.

    Examples
    --------
    >>> list(rows_of(Replications([3.0]), "wait", group="long"))
    [{'group': 'long', 'replication': 0, 'wait': 3.0, 'warning': ''}]
    """
    warning = {"warning": sample.warning}
    if sample.values.ndim == 0:
        yield keys | {REPLICATION: None, value: float(sample.values)} | warning
        return
    for replication, number in enumerate(sample.values.tolist()):
        yield keys | {REPLICATION: replication, value: number} | warning


class _Measured(NamedTuple):
    """The values measured in one setting, with the replication number and the row of each value."""

    sample: Replications
    replications: NDArray[np.float64]
    rows: NDArray[np.bool_]

    @property
    def is_exact(self) -> bool:
        """Whether the setting has a single exact value, for example from a formula."""
        return self.sample.values.ndim == 0


def _measured(
    runs: pd.DataFrame, value: str, keep: NDArray[np.bool_], where: Mapping[str, Any]
) -> _Measured:
    # Choosing rows of single columns takes a fraction of the time of choosing rows of the table.
    require_columns(runs, value)
    values = runs[value].to_numpy(dtype=float)
    keep = keep & ~np.isnan(values)
    if not keep.any():
        picked = f" has {_shown(where)}" if where else " is left"
        raise NotRunError(f"no run of {value}{picked}")
    values, replications = values[keep], runs[REPLICATION].to_numpy(dtype=float)[keep]
    _require_one_setting(runs, keep, replications)
    warning = _first_text(runs["warning"].to_numpy()[keep]) if "warning" in runs else ""
    if np.isnan(replications).all():
        return _Measured(Replications(np.array(values[0]), warning), replications, keep)
    order = np.argsort(replications)
    limits = limits_of(value, values)
    return _Measured(Replications(values[order], warning, *limits), replications[order], keep)


def _require_one_setting(runs, keep, replications):
    if len(np.unique(replications)) < len(replications):
        raise several_settings(runs[keep], keys_of(runs))
    is_exact = np.isnan(replications)
    if is_exact.any() and not is_exact.all():
        _require_equal_keys(runs, keep, {})
        raise InputError(
            "runs has an exact value and also replications of one setting; leave out the exact "
            "value or the replications"
        )


def _require_equal_keys(runs, keep, where):
    # Settings with different replications can only be told apart by their keys.
    keys, rows = keys_of(runs), np.flatnonzero(keep)
    cells = runs.iloc[rows, : len(keys)].to_numpy(dtype=object)
    cells = np.where(pd.isna(cells), None, cells)  # NaN and NA are not equal to themselves
    is_same = np.equal(cells, cells[:1]).astype(bool).all(axis=0)
    is_chosen = np.fromiter((isinstance(where.get(key), str | Number) for key in keys), bool)
    if not (is_same | is_chosen).all():
        raise several_settings(runs[keep], keys)


def _first_text(cells):
    return next((cell for cell in cells if isinstance(cell, str) and cell), "")


def several_settings(rows: pd.DataFrame, keys: Sequence[str]) -> InputError:
    """Return the error for selected runs that come from different settings."""
    differing = differing_keys(rows, keys)
    if not differing:
        return InputError(
            "the table of runs has the same replication of a setting twice; give each run once"
        )
    return InputError(
        f"runs contains several settings, which differ in {', '.join(differing)}; choose one of "
        "these settings with pick(runs, ...)"
    )


def differing_keys(rows: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return the names of the key columns in which the rows do not all have the same value."""
    return [key for key in keys if rows[key].nunique(dropna=False) > 1]


def _pair(runs, value, one, other):
    conditions = one, {**one, **other}
    masks = [_mask(runs, where) for where in conditions]
    for keep, where in zip(masks, conditions, strict=True):
        if not keep.any():
            raise NotRunError(f"no run has {_shown(where)}")
    found = [_measured(runs, value, keep, {}) for keep in masks]
    for each, where in zip(found, conditions, strict=True):
        _require_equal_keys(runs, each.rows, where)
    return _in_pairs(*found)


def _measured_setting(rows, value, setting):
    found = _sample_of_all(rows, value)
    _require_equal_keys(rows, found.rows, {})
    _require_interval(found, value, setting)
    return found


def _sample_of_all(runs, value):
    return _measured(runs, value, np.full(len(runs), True), {})


def _require_interval(found, value, setting):
    if found.is_exact:
        return
    values, where = found.sample.values, f" for {_shown(setting)}" if setting else ""
    if len(values) < 2:
        raise InputError(
            f"runs has one replication of {value}{where}, and an interval needs two or more; run "
            "more replications, or leave the setting out"
        )
    is_infinite = ~np.isfinite(values)
    if is_infinite.any():
        first = is_infinite.argmax()
        raise InputError(
            f"runs has {value} = {values[first]} in replication {found.replications[first]:g}"
            f"{where}, and an interval needs finite values; leave the setting out"
        )


def _refuse_zeros(denominator, value, setting):
    if (denominator.values == 0).any():
        raise InputError(
            f"runs has {value} = 0 for {_shown(setting)}, and no value can be divided by 0; "
            "choose another base setting, or take differences"
        )


def _in_pairs(one, other):
    is_same = np.array_equal(one.replications, other.replications)
    if not (is_same or one.is_exact or other.is_exact):
        raise InputError(
            f"runs to be compared in pairs have the replications {one.replications.tolist()} and "
            f"{other.replications.tolist()}; give both settings the same replications"
        )
    return one.sample, other.sample


def _shown(where):
    return ", ".join(f"{column} = {wanted}" for column, wanted in where.items())
