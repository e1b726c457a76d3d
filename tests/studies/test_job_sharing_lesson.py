"""The small figures of notebook 04, and hints that say what went wrong."""

import re

import numpy as np
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
    alt = lesson.who_pays(shared, spanning).alt
    assert (
        f"{shared.wait[wide].mean() / 3600:.2f} → {spanning.wait[wide].mean() / 3600:.2f} h" in alt
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
