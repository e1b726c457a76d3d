"""What is made of a sweep's table: intervals, and the names of its logs."""

import hashlib
import io

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.statistics.provenance import made_by
from coalloc_lib.statistics.sweep import summarize, sweep


def test_a_replication_that_occurs_twice_is_refused():
    """Two sweeps with different seeds have the same numbers of replications."""
    rows = [{"p": p, "replication": r, "wait": r} for p in ("a", "b") for r in range(5)]
    table = pd.DataFrame(rows)
    with pytest.raises(co.InputError, match="the same replication of a point twice; give each"):
        summarize(pd.concat([table, table]))


@pytest.mark.parametrize("empty", ["", None, np.nan])
def test_an_empty_text_and_a_missing_value_are_the_same_point(empty):
    """A file has the same empty cell for both."""
    keys = {"site": ["", "", empty, empty, "a", "a", "a", "a"], "replication": [0, 1, 2, 3] * 2}
    table = pd.DataFrame(keys | {"wait": [1.0, 2.0, 3.0, 4.0] * 2})
    summary = summarize(table)
    assert summary["wait_count"].tolist() == [4, 4]
    assert summary["site"].isna().tolist() == [True, False]


def test_a_table_without_arguments_is_one_point():
    table = pd.DataFrame({"replication": range(4), "wait": [1.0, 2.0, 3.0, 4.0]})
    (row,) = summarize(table).to_dict("records")
    assert (row["wait_estimate"], row["wait_count"]) == (2.5, 4)


def test_a_half_width_does_not_depend_on_the_name_of_the_column():
    """The interval of a mean wait is cut off at 0, and the half-width is still Student's."""
    values = [0.1, 0.0, 5.0, 0.0]
    runs = pd.DataFrame({"p": 1, "replication": range(4), "wait": values, "value": values})
    (row,) = summarize(runs).to_dict("records")
    assert (row["wait_low"], row["value_low"] < 0) == (0.0, True)
    assert row["wait_high"] == row["value_high"]
    for name in ("wait", "value"):
        spread = np.std(values, ddof=1) / 2
        assert row[f"{name}_half_width"] == pytest.approx(3.182446 * spread, rel=1e-6)


def test_few_replications_are_said():
    table = pd.DataFrame({"load": [0.5] * 3, "replication": range(3), "wait": [1.0, 2.0, 3.0]})
    with pytest.warns(UserWarning, match="a point has 3 replications"):
        summarize(table)


def test_a_table_that_was_read_from_a_file_has_the_same_means():
    """A file has empty cells in place of the empty texts that say that a point has no error."""

    def failing(x, seed):
        if x == 3:
            raise ValueError("too large")
        return float(x + seed.generate_state(1)[0] % 7)

    table = sweep(failing, {"x": [1, 2, 3]}, 4, failures="keep")
    read = pd.read_csv(io.StringIO(table.to_csv(index=False)))
    summary = summarize(table)
    assert summary["value_count"].tolist() == [4, 4, 0]
    pd.testing.assert_frame_equal(summarize(read), summary)


def test_a_table_says_what_made_it(tmp_path):
    """A table names the version, the seed, and the hash of a log in a scenario or a point."""
    co.write_swf(tmp_path / "site.swf", co.JobStream([0, 1], [2, 2], [1, 1]))
    log = co.read_swf(tmp_path / "site.swf")
    sha = hashlib.sha256((tmp_path / "site.swf").read_bytes()).hexdigest()
    table = sweep(lambda log, seed: {"jobs": len(log)}, {"log": {"site": log}}, 2, seed=7)
    words = f"Coalloc Workbench {co.__version__}, seed 7, site (sha256 {sha[:12]})"
    assert table.attrs["made_by"] == words
    with pytest.warns(UserWarning, match="replications"):
        summary = summarize(table)
    assert summary.attrs["made_by"] == words
    other = sweep(lambda load, seed: load, {"load": [1.0]}, 2, seed=7)
    assert other.attrs["made_by"] == f"Coalloc Workbench {co.__version__}, seed 7"


def test_a_table_names_all_logs_of_one_title(tmp_path):
    logs, words = [], ["Coalloc Workbench " + co.__version__]
    for runtime, site in enumerate("ab", start=1):
        path = tmp_path / site / "jobs.swf"
        path.parent.mkdir()
        co.write_swf(path, co.JobStream([0, 1], [runtime, 2], [1, 1]))
        logs.append(co.read_swf(path))
        words.append(f"jobs (sha256 {hashlib.sha256(path.read_bytes()).hexdigest()[:12]})")
    assert made_by(None, *logs, *logs) == ", ".join(words)
