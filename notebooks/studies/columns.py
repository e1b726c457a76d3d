"""Take a column of a table of runs, which lacks it if some settings were not run."""

import pandas as pd

from coalloc_lib.statistics import NoColumnError


def column(runs: pd.DataFrame, name: str) -> pd.Series:
    """Return a column of a table of runs; raise `NoColumnError` if the table lacks it."""
    if name not in runs:
        raise NoColumnError(f"{name} is not a column of the runs; run the settings that have it")
    return runs[name]
