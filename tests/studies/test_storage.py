"""Tables of runs in files: what is written is read again."""

from dataclasses import dataclass
from itertools import cycle, islice
from math import inf, nan

import numpy as np
import pandas as pd
import pytest

from studies.storage import joined_runs, read_runs, table_of_runs, write_runs


@dataclass(frozen=True)
class Setting:
    load: float


#: For each kind of column: its cells, and the numbers or words that a file of them has.
CELLS = {
    "whole numbers": ([1, 2], [1, 2]),
    "numbers": ([1, 2.5, -0.0, 5e-324, inf], [1.0, 2.5, -0.0, 5e-324, inf]),
    "some empty": ([2**53 + 1, None, nan], [2.0**53, nan, nan]),
    "all empty": ([None], [nan]),
    "words": (["a,b", 'q"u', None, "NA"], ["a,b", 'q"u', "", "NA"]),
    "words and numbers": ([1, 2.5, "none", None], ["1", "2.5", "none", ""]),
    "numbers as words": (["1", "007", ""], [1.0, 7.0, nan]),
    "truths": ([True, np.False_], [1, 0]),
    "truths as words": (["True", "False"], [1, 0]),
    "NumPy numbers": ([np.float64(0.1), np.float64(3)], [0.1, 3.0]),
    "warning": ([None, "loud"], ["", "loud"]),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_new_table_has_the_cells_that_are_read_from_its_file(name, tmp_path):
    cells, read = ([*islice(cycle(column), 10)] for column in CELLS[name])
    rows = [{"replication": number, name: cell} for number, cell in enumerate(cells)]
    runs = table_of_runs([Setting(0.5)], [rows], {"seed": 1, "missing_logs": ""})
    column = pd.Series(read, dtype=object if isinstance(read[0], str) else None, name=name)
    pd.testing.assert_series_equal(runs[name], column, check_exact=True)
    write_runs(runs, tmp_path / "runs.csv.gz")
    again = read_runs(tmp_path / "runs.csv.gz")
    pd.testing.assert_frame_equal(again, runs, check_exact=True)
    pd.testing.assert_frame_equal(joined_runs(runs[:4], runs[4:]), runs, check_exact=True)


def test_a_key_may_hold_numbers_and_a_word(tmp_path):
    limits = pd.Series([*map(str, range(20)), "none"], dtype=object)
    runs = pd.DataFrame({"limit": limits, "replication": 0, "wait": 1.0})
    write_runs(runs, tmp_path / "runs.csv.gz")
    pd.testing.assert_frame_equal(read_runs(tmp_path / "runs.csv.gz"), runs)
