"""Tables of runs in files: what is written is read again."""

import pandas as pd

from coalloc_lib.statistics.storage import read_runs, write_runs


def test_a_key_may_hold_numbers_and_a_word(tmp_path):
    limits = pd.Series([*map(str, range(20)), "none"], dtype=object)
    runs = pd.DataFrame({"limit": limits, "replication": 0, "wait": 1.0})
    write_runs(runs, tmp_path / "runs.csv.gz")
    pd.testing.assert_frame_equal(read_runs(tmp_path / "runs.csv.gz"), runs)
