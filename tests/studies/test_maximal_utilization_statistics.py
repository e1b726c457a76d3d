"""What our text leaves of a number, and what that can refute."""

import numpy as np
import pytest

import coalloc_lib as co
from studies.maximal_utilization import model, statistics
from studies.maximal_utilization.statistics import (
    PrintedStatistic,
    as_in_our_text,
    fits,
    judge_print,
    statistic,
)


@pytest.mark.parametrize(
    ("number", "decimals", "left"),
    [
        (23.34, 2, "xxx"),  # printed in the paper of 2002, with these marks in ours
        (1.11, 2, "xxxx"),
        (356.45, 2, "xxxxx"),
        (5.37, 2, "xxx"),
        (28_426, 0, "xxx xxx"),
        (30_558, 0, "xx xxx"),
        (0.5, 3, "xxxxx"),
        (0.537, 3, "xxxx"),
    ],
)
def test_numbers_known_from_elsewhere_leave_what_our_text_has(number, decimals, left):
    assert as_in_our_text(number, decimals) == left
    assert fits(left, number, decimals)


def test_next_to_a_tie_a_number_is_rounded_either_way():
    cv = co.parse_sizes("D(0.768)[1,32]").cv  # 0.8295001
    assert fits("xxxxx", cv, 3)
    assert fits("xxxx", cv, 3)
    assert not fits("xxxxx", 0.8297, 3)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ({"ours": 3.996, "other": 3.493}, "cannot be tested"),
        ({"ours": 4.0, "other": 3.996}, "differs"),
        ({"ours": 4.0, "other": 3.493}, "differs"),
        ({"ours": 4.0}, "differs"),
    ],
)
def test_characters_can_refute_and_not_confirm(found, verdict):
    judgement = judge_print("xxxx", found, 3)
    assert judgement.verdict == verdict
    assert ("other" in judgement.note) == (len(found) == 2 and verdict != "differs")


def test_jobs_that_cleaning_took_are_put_back_by_their_numbers(monkeypatch, tmp_path):
    """Of jobs 3 to 7 the log lacks 4, 6 and 7; job 5 needs 200 processors."""
    path = tmp_path / "log.swf"
    of_jobs = {1: 8, 3: 4, 5: 200, 9: 2}
    lines = [f"{n} {10 * n} -1 50 {size}" + " -1" * 13 for n, size in of_jobs.items()]
    path.write_text("\n".join(lines) + "\n")
    log = co.load_trace(path)
    monkeypatch.setattr(model, "REMOVED_FROM", 3)
    monkeypatch.setattr(model, "REMOVED_TO", 7)
    monkeypatch.setattr(model, "ctc_log", lambda: log)
    monkeypatch.setattr(statistics, "ctc_log", lambda: log)
    assert model.ctc_jobs("total").number.tolist() == [1, 3, 9]
    jobs = model.ctc_jobs("total", uncleaned=True)
    assert jobs.number.tolist() == [1, 3, 4, 6, 7, 9]
    assert jobs.processors.tolist() == [8, 4, 1, 1, 1, 2]
    assert jobs.runtime.tolist() == [50, 50, 80, 80, 80, 50]
    values = {
        (entry, reading): PrintedStatistic(1, entry, "jobs", reading).value
        for entry in ("CTC", "CTC-128")
        for reading in statistics.READINGS[1]
    }
    assert [*values.values()] == [4, 7, 3, 6]
    mean = PrintedStatistic(2, "CTC", "mean", "the log before it was cleaned").value
    assert mean == pytest.approx((4 * 50 + 3 * 80) / 7)


def test_statistics_are_those_of_the_numbers():
    values = np.array([1.0, 2.0, 3.0, 6.0])
    assert statistic(values, "jobs") == 4
    assert statistic(values, "mean") == 3
    assert statistic(values, "cv") == pytest.approx(np.sqrt(3.5) / 3)
