"""The first study: a row for everything printed, and verdicts that could say the opposite."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.intervals import Interval, Sample
from coalloc_lib.saturation import heavy_traffic
from coalloc_lib.studies import maximal_utilization as mu
from coalloc_lib.studies.core import Results
from coalloc_lib.studies.losses import Loss, Saturated, TableCell
from coalloc_lib.studies.maximal_utilization import EXCEPTION, FIVE, FOUR, study
from coalloc_lib.studies.published import load_published
from tests.studies.small import SMALL

TINY = SMALL[study.name]
CELLS = [cell for cell in load_published(study.name) if cell.method == "simulation"]


def made(result, figure, change):
    """Return results in which the losses of a figure are others."""
    found = dict(result.results.by_case)
    for label, case in study.figures[figure].cases(TINY, 1).items():
        if isinstance(case, Loss):
            values = result.results[case].values
            found[case] = Sample(np.broadcast_to(change(*label, values), values.shape))
    return Results(study, TINY, 1, found)


def test_differences_are_students_or_welchs(result):
    one, base = (Saturated(co.Scenario(FOUR, co.JobModel(co.parse_sizes(FIVE[0]), 4), placement=p))
                 for p in (co.FirstFit(), None))  # fmt: skip
    test = stats.ttest_rel(result.results[one].values, result.results[base].values)
    less = mu.differences(result.figure("figure6").data())[FIVE[0], mu.FIRST]
    assert (less.low, less.high) == pytest.approx(tuple(test.confidence_interval()))
    figure = result.figure("figure5")
    many, fcfs = (result.results[figure.entries[FIVE[3], name]].values
                  for name in (f"FPFS(50), {mu.POISSON}", "FCFS"))  # fmt: skip
    test = stats.ttest_ind(many, fcfs, equal_var=False)
    less = mu.differences(figure.data())[FIVE[3], f"FPFS(50), {mu.POISSON}"]
    assert (less.low, less.high) == pytest.approx(tuple(test.confidence_interval()))


@pytest.mark.parametrize(
    ("item", "figure", "series"),
    [("MU-4", "figure3", mu.UNORDERED), ("MU-7", "figure4", mu.DEPENDENT)],
)
def test_verdicts_follow_the_figures(item, figure, series, result):
    other = made(result, figure, lambda g, s, v: v + 0.05 * len(g) * (s == series))
    verdicts = [study.claim_row(item, each).verdict for each in (result.results, other)]
    assert verdicts[0] != verdicts[1] == "does not hold"


def by_words(otherwise, **words):
    """Return a loss by what a series holds, `_` for a blank; that of the exception is `but`."""
    but = words.pop("but", None)

    def loss(group, series, values):
        found = (x for word, x in words.items() if word.replace("_", " ") in series)
        value = next(found, otherwise)
        if group == EXCEPTION and but and (mu.UNORDERED in series or "dependent" in series):
            value = but[series != mu.INDEPENDENT]
        spread = 1e-4 * (1 + len(series) % 5)
        return value + (np.resize([-spread, spread], values.shape) if values.ndim else 0.0)

    return loss


def fpfs(few, many):
    losses = {"FCFS": 0.4, "FPFS(5)": few, "FPFS(50)": many}
    return lambda g, s, v: by_words(losses[s.split(",")[0]])(g, s, v)


def wild(group, series, values):
    """One distribution, unordered, loses far more with the wildest service times."""
    return by_words(0.5 if (group, series) == (FIVE[2], f"unordered, {mu.WILD}") else 0.2)(
        group, series, values
    )


#: By figure, claim and its verdicts: losses of which its notice is true, and of which it is not.
MADE = [
    ("figure3", "MU-5", by_words(0.1, unordered=0.2, ordered=0.4, but=(0, 0.36)), "holds",
     by_words(0.1, unordered=0.36, ordered=0.4, but=(0, 0.2)), "does not hold"),
    ("figure4", "MU-6", by_words(0.2, independent=0.2, dependent=0.3, but=(0.3, 0.25)), "holds",
     by_words(0.2, independent=0.3, dependent=0.2, but=(0.2, 0.25)), "does not hold"),
    ("service-times", "MU-8", wild, "does not hold", by_words(0.3, cv_10=0.33), "holds"),
    ("figure5", "MU-9", fpfs(0.39, 0.3), "holds", fpfs(0.3, 0.39), "does not hold"),
    ("figure6", "MU-10", by_words(0.3, worst=0.29), "holds",
     by_words(0.3, worst=0.4), "does not hold"),
    ("figure7", "MU-11", by_words(0.3, DAS1=0.5), "does not hold", by_words(0.3), "holds"),
    ("figure8", "MU-12", by_words(0.1, one_comp=0.25), "holds",
     by_words(0.25, one_comp=0.1), "does not hold"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "item", "yes", "verdict", "no", "other"), MADE)
def test_notices_and_verdicts_are_true_of_the_losses(name, item, yes, verdict, no, other, result):
    figure = study.figure(name)
    figure._results = made(result, name, yes)
    assert figure.title == figure.notice
    assert study.claim_row(item, figure._results).verdict == verdict
    figure._results = made(result, name, no)
    assert figure.title != figure.notice
    assert not figure.when(figure.data().assign(against=None, less_warning="few"))
    assert study.claim_row(item, figure._results).verdict == other
    figure.plot().canvas.draw()


def test_that_a_hole_is_filled_once_is_told_where_freer_requests_leave_less_to_overtaking(result):
    gains, figure = {"ordered": 0.3, "unordered": 0.2, "split as it fits": 0.1}, "freedoms"
    for more, told in ((1, True), (-1, False)):

        def loss(group, series, values, more=more):
            return 0.5 - more * gains[group] * ("50" in series) + 0 * values

        shown = study.figure(figure)
        shown._results = made(result, figure, loss)
        assert (shown.title == shown.notice) is told
        shown.plot().canvas.draw()


@pytest.mark.parametrize("item", ["MU-2", "MU-3"])
@pytest.mark.parametrize(
    ("shift", "half", "verdict"),
    [(0, 0, "holds"), (0.1, 0.01, "does not hold"), (0, 0.1, "undecided")],
    ids=["as printed", "far off", "noisy"],
)
def test_verdicts_follow_the_tables(item, shift, half, verdict, result):
    found = dict(result.results.by_case)
    for cell in CELLS:
        loss = cell.published + shift
        simulated = Interval(loss, loss - half, loss + half, 9)
        found[TableCell(cell, mu.by_response(cell))] = simulated
    assert study.claim_row(item, Results(study, TINY, 1, found)).verdict == verdict


def test_what_is_in_doubt_decides_nothing(result):
    doubtful = {
        case: replace(found, warning="three jobs") if isinstance(case, Loss) else found
        for case, found in result.results.by_case.items()
    }
    for number in range(4, 13):
        row = study.claim_row(f"MU-{number}", Results(study, TINY, 1, doubtful))
        assert row.verdict == "undecided", row.item


def test_the_pathological_example_is_simulated_too():
    """MU-1's formula against the definition: each job runs alone."""
    jobs = co.JobStream(np.zeros(500), np.ones(500), np.tile([8, 1], (500, 1)), request="ordered")
    busy = heavy_traffic(co.Scenario(co.Multicluster([15, 15]), jobs), jobs)
    assert mu.pathological_loss(2, 15) == pytest.approx(1 - busy.mean())
    assert mu.pathological_loss(2, 15) == pytest.approx(1 - 9 / 30)


def test_two_logs_are_not_compared_by_their_stand_ins(result, monkeypatch):
    monkeypatch.setattr("coalloc_lib.studies.core.missing_logs", lambda names: [*names])
    row = study.claim_row("MU-11", result.results)
    assert row.verdict == "cannot be tested"
    assert row.note.endswith("fetch CTC-SP2")
