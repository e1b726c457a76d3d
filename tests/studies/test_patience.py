"""Waiting for one machine before spanning, in the job-sharing study."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.studies.job_sharing import further, parameters
from coalloc_lib.studies.job_sharing.parameters import MULTI_SITE, ONE, SHARING, STANDARD, SYNTHETIC
from coalloc_lib.studies.job_sharing.runs import Case
from tests.studies.test_job_sharing import TINY, awrt, small_works


@pytest.fixture(scope="module")
def figure():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(parameters.SCALES, "quick", TINY)
        return further.patience(small_works()).run("quick", workers=2)


def test_patience_reaches_from_spanning_at_once_to_job_sharing():
    work = small_works()[SYNTHETIC]
    sharing = awrt(Case(work, STANDARD, SHARING))
    at_once, for_long, for_ever = (
        awrt(Case(work, STANDARD, MULTI_SITE, overhead=0.4, patience=each))
        for each in (0.0, 16 * 3600.0, np.inf)
    )
    assert for_ever == sharing
    assert len({at_once, for_long, for_ever}) == 3


def test_the_figure_holds_each_way_to_wait_against_waiting_for_ever(figure):
    assert {label.panel for label in figure.pairs} == {"EASY, jobs 1–240", "FCFS, jobs 1–240"}
    for label, (case, base) in figure.pairs.items():
        assert label.panel.startswith(case.policy)
        assert label.series == f"p = {case.overhead:g}"
        assert (label.row == "not at all") == (case.patience == 0)
        assert base == Case(case.work, STANDARD, SHARING, case.policy)
    assert len(figure.pairs) == 2 * len(parameters.PATIENCE) * len(parameters.TRIED)
    longest = [figure.interval(x).estimate for x in figure.pairs if x.row == "up to 16 h"]
    assert (
        f"{min(longest[:3]):.2f} to {max(longest[:3]):.2f} where they wait up to 16 h (EASY)"
        in (figure.title)
    )
    figure.plot().canvas.draw()


def test_more_workloads_are_asked_on_demand():
    works = small_works()
    assert {case.work for case in further.patience(works, 2).cases} == set(works.values())


@pytest.mark.parametrize("mode", [SHARING, ONE])
@pytest.mark.parametrize("wrong", [{"overhead": 0.25}, {"patience": 60.0}])
def test_what_no_job_would_notice_is_refused(mode, wrong):
    (name,) = wrong
    with pytest.raises(co.InputError, match=rf"^{name} = .* mode = '{mode}'; leave it out"):
        Case(small_works()[SYNTHETIC], STANDARD, mode, **wrong)
