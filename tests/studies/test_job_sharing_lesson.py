"""The small figures of notebook 04, and hints that say what went wrong."""

import re

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import Interval
from studies.job_sharing import lesson
from studies.job_sharing.model import SYNTHETIC
from tests.studies.small_logs import WORKS

EASY = {"scheduling": co.EASY()}
SYSTEM = co.Multicluster([128] * 4)
JOBS = WORKS[SYNTHETIC][0].chopped(128).subjobs


@pytest.fixture(scope="module")
def ways():
    return co.sites.sharing(SYSTEM, JOBS, **EASY), co.sites.multi_site(SYSTEM, JOBS, 0.25, **EASY)


@pytest.mark.parametrize("weight", ["work", "processors"])
def test_run_and_wait_add_up_to_the_awrt(ways, weight):
    alt = lesson.run_and_wait(dict(zip(("sharing", "spanning"), ways, strict=True))).alt
    for name, way in zip(("sharing", "spanning"), ways, strict=True):
        run, wait = re.search(rf"{name}, by {weight}: ([\d.]+) h running, ([\d.]+)", alt).groups()
        hours = way.average_weighted_response_time(weight) / 3600
        assert float(run) + float(wait) == pytest.approx(hours, abs=0.11)


def test_a_ratio_is_of_the_jobs_that_are_asked_for(ways):
    shared, spanning = ways
    wide = JOBS.processors > 64
    for mine in (None, wide):
        part = np.full(len(JOBS), True) if mine is None else mine
        one, other = (np.average(w.response[part], weights=JOBS.work[part]) for w in ways[::-1])
        assert lesson.ratio_by_weeks(spanning, shared, mine=mine).estimate == pytest.approx(
            one / other
        )


@pytest.mark.parametrize(
    ("half", "title"),
    [
        (0.05, "Spanning at once certainly pays up to 0 and loses from 0.2 on"),
        (0.15, "Spanning at once certainly loses from 0.3 on"),
        (0.5, "Whether spanning at once pays is undecided"),
    ],
)
def test_a_title_says_what_intervals_of_spanning_at_once_show(half, title, monkeypatch):
    def made_up(spanning, shared):
        at = 0.86 + np.max(spanning.jobs.span_penalty)
        return Interval(at, at - half, at + half, 6)

    monkeypatch.setattr(lesson, "ratio_by_weeks", made_up)
    picture = lesson.should_they_span(JOBS, SYSTEM, (0.0, 0.1, 0.2, 0.3))
    assert picture.alt.startswith(title + ": ")


@pytest.mark.parametrize(
    ("number", "answer", "why"),
    [
        (1, 4.0, "weighted by processors"), (1, 7.0, "without weights"), (1, 58, "weight each"),
        (2, 6, "time at which"), (2, 3, "exactly at"), (2, 9, "end by the promised start"),
    ],
)  # fmt: skip
def test_a_hint_says_what_went_wrong(number, answer, why):
    assert why in lesson.check(number, answer).data


class Result:
    """A result whose figures all have the same table."""

    def __init__(self, rows, **values):
        self.rows = [values | row for row in rows]

    def figure(self, name):
        return self

    def data(self):
        return pd.DataFrame(self.rows)


def interval(low, high, estimate=None):
    middle = (low + high) / 2 if estimate is None else estimate
    return {"ratio": middle, "p": middle, "ci95_low": low, "ci95_high": high, "weight": "work"}


@pytest.mark.parametrize(
    ("low", "high", "option"),
    [
        (0.02, 0.08, "less than 0.1"),
        (0.14, 0.28, "from 0.1 to 0.3"),
        (0.35, 0.55, "more than 0.3"),
        (0.25, 0.35, None),  # the interval has penalties of two options
    ],
)
def test_the_guess_on_the_break_even_can_have_each_answer(low, high, option):
    others = [interval(0.01, 0.9) | {"scheduling": "FCFS", "configuration": "m128"}]
    others += [interval(0.01, 0.9) | {"scheduling": "EASY", "configuration": "m64"}]
    rows = [interval(low, high) | {"scheduling": "EASY", "configuration": "m128"}, *others]
    assert lesson.pays_up_to(Result(rows)) == option


NAMES = {"m64": "m64", "m256": lesson.BY_MACHINES["m256"], "m384": lesson.BY_MACHINES["m384"]}


@pytest.mark.parametrize("largest", NAMES)
def test_the_guess_on_configurations_can_have_each_answer(largest):
    rows = [
        (interval(0.3, 0.4) if name == largest else interval(0.1, 0.2)) | {"configuration": name}
        for name in lesson.BY_MACHINES
    ]
    result = Result(rows, scheduling="EASY", workload="synthetic")
    assert lesson.where_spanning_pays_most(result) == NAMES[largest]
    for row in result.rows:
        row["ci95_high"] = np.inf
    assert lesson.where_spanning_pays_most(result) is None


@pytest.mark.parametrize(
    ("easy", "fcfs", "option"),
    [
        ((0.1, 0.2), (0.3, np.inf), "up to a larger penalty"),
        ((0.3, 0.4), (0.1, 0.2), "up to a smaller penalty"),
        ((0.2, 0.3), (0.2, 0.3), "up to the same penalty"),
        ((0.1, 0.5), (0.3, 0.6), None),
        ((np.nan, np.nan), (np.nan, np.nan), None),
    ],
)
def test_the_guess_on_fcfs_can_have_each_answer(easy, fcfs, option):
    rows = [interval(*easy) | {"scheduling": "EASY"}, interval(*fcfs) | {"scheduling": "FCFS"}]
    result = Result(rows, configuration="m128", workload="synthetic")
    assert lesson.break_even_under_fcfs(result) == option


@pytest.mark.parametrize(
    ("high_load", "option"),
    [
        ((1.1, 1.2), lesson.AT_HIGH_LOAD[2]),
        ((0.8, 0.9), lesson.AT_HIGH_LOAD[0]),
        ((0.98, 1.04), lesson.AT_HIGH_LOAD[1]),
        ((0.9, 1.4), None),
    ],
)
def test_the_guess_on_the_load_can_have_each_answer(high_load, option):
    rows = [interval(0.99, 1.01) | {"load": 0.3}, interval(*high_load) | {"load": 0.8}]
    result = Result(rows, workload="synthetic", spanning="penalty 0.25")
    assert lesson.spanning_at_high_load(result) == option


@pytest.mark.parametrize(
    ("large", "small", "option"),
    [
        ((1.1, 1.2), (0.1, 0.2), "the small sites, but not the site of 384"),
        ((0.1, 0.2), (1.1, 1.2), "only the site of 384"),
        ((0.8, 0.9), (0.1, 0.2), "all sites"),
        ((0.9, 1.1), (0.1, 0.2), None),
    ],
)
def test_the_guess_on_joining_can_have_each_answer(large, small, option):
    rows = [interval(*large) | {"users": "1 of 384"}, interval(*small) | {"users": "4 of 16"}]
    result = Result(rows, configuration="m384", workload="synthetic", assignment="in turn")
    assert lesson.who_gains_by_joining(result) == option


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        (lesson.pays_up_to, {"scheduling": "EASY", "configuration": "m64"}),
        (lesson.where_spanning_pays_most, {"scheduling": "EASY", "configuration": "m64"}),
        (lesson.break_even_under_fcfs, {"scheduling": "EASY", "configuration": "m128"}),
        (lesson.spanning_at_high_load, {"spanning": "penalty 0.25", "load": 0.3}),
        (lesson.spanning_at_high_load, {"spanning": "another", "load": 0.3}),
        (
            lesson.who_gains_by_joining,
            {"configuration": "m384", "assignment": "in turn", "users": "another"},
        ),
    ],
)
def test_a_guess_has_no_answer_if_nothing_was_compared(question, rows):
    assert question(Result([interval(0.97, 0.98) | rows], workload="synthetic")) is None


def test_a_configuration_that_was_not_run_under_fcfs_is_left_out():
    rows = [
        interval(0.2, 0.3) | {"scheduling": scheduling, "configuration": name}
        for scheduling, name in (("EASY", "m128"), ("FCFS", "m128"), ("EASY", "m64"))
    ]
    found = lesson.break_even_under_fcfs(Result(rows, workload="synthetic"))
    assert found == "up to the same penalty"
