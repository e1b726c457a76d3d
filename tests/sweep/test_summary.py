"""From rows to intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.sweep import summarize, sweep
from tests.sweep.functions import inverse, noisy


def test_summary_is_students_interval_of_each_point():
    table = sweep(noisy, {"load": [0.25, 0.5], "shift": [1, 2]}, replications=7)
    summary = summarize(table.sample(frac=1, random_state=1), confidence=0.9)
    assert len(summary) == 4
    for row in summary.itertuples():
        values = table.value[(table.load == row.load) & (table["shift"] == row.shift)]
        low, high = stats.t.interval(0.9, 6, values.mean(), stats.sem(values))
        found = (row.value_low, row.value_estimate, row.value_high, row.value_half_width)
        assert found == pytest.approx((low, values.mean(), high, (high - low) / 2))
        assert row.value_count == 7


def test_summary_of_one_value_of_none_and_of_what_is_not_finite():
    table = pd.DataFrame(
        {
            "x": [1, 2, 2, 3, 3, 4, 4],
            "replication": [0, 0, 1, 0, 1, 0, 1],
            "loss": [0.5, 0.25, np.nan, 0.5, np.inf, np.nan, np.nan],
            "error": ["", "", "", "", "", "E: no", "E: no"],
        }
    )
    summary = summarize(table).set_index("x")
    assert summary.loss_estimate.iloc[0] == 0.5
    assert summary.loss_estimate.iloc[1:].isna().all()
    assert summary[["loss_low", "loss_high", "loss_half_width"]].isna().all(axis=None)
    assert summary.loss_count.tolist() == [1, 2, 2, 0]
    assert not [name for name in summary if "error" in name]


def test_summary_refuses_what_is_no_sweep():
    with pytest.raises(co.InputError, match="no column 'replication'"):
        summarize(pd.DataFrame({"x": [1]}))
    for table in (None, [1], {"replication": [0]}):
        with pytest.raises(co.InputError, match=f"table is a {type(table).__name__}; give"):
            summarize(table)
    with pytest.raises(co.InputError, match="confidence = 95"):
        summarize(sweep(inverse, {"x": [1]}, 2), 95)


def test_truths_and_large_numbers_with_gaps_are_summarised():
    def uneven(x, seed):
        if x == 2 and seed.spawn_key == (0,):
            raise ValueError("no")
        return {"ok": x > 1, "big": 10**20}

    table = sweep(uneven, {"x": [1, 2]}, 3, failures="keep")
    summary = summarize(table)
    assert summary["ok_estimate"].tolist() == [0, 1]
    assert summary["ok_count"].tolist() == [3, 2]
    assert summary["big_estimate"].tolist() == [1e20, 1e20]
    with pytest.raises(co.InputError, match="column 'word' with no numbers"):
        summarize(table.assign(word="a"))
