"""Printed losses: what is held against the print, and how a reader sees it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import NotRunError, Replications
from studies import das1_densities, published
from studies.printed_losses import (
    LONGEST,
    SHORTEST,
    beside_print,
    draw_printed,
    loss_rows,
    measure_cell,
    printed_rows,
    printed_table,
    run_length,
)
from studies.published import PublishedLoss, load_published
from studies.study import Scale, Study, scales

EXACT = PublishedLoss(3, 1, 32, "U[1,4]", "total", "exact", 0.032)
SIMULATED = PublishedLoss(3, 4, 32, "U[1,4]", "unordered", "simulation", 0.053)
FOUR_TOTAL = PublishedLoss(3, 4, 32, "U[1,4]", "total", "exact", 0.038)
NAME = "maximal-utilization"
CELLS = (EXACT, SIMULATED, FOUR_TOTAL)


def made_up(simulated, exact=0.0321, row_jobs=100_000):
    """Return runs of three cells with these losses."""

    def measure(cell, scale, seed):
        losses = simulated if cell.method == "simulation" else exact
        yield from loss_rows(Replications(np.array(losses)), row_jobs if np.ndim(losses) else None)

    study = Study(NAME, "?", 1, scales(jobs=(1, 1)), lambda scale: CELLS, measure)
    return study.run("quick", workers=1)


def by_item(runs):
    return {row.item: row for row in printed_rows(NAME, runs)}


def test_a_cell_is_held_against_its_print():
    runs = made_up([0.052, 0.053, 0.054])
    rows = by_item(runs)
    assert [*rows] == [cell.item for cell in CELLS]
    verdicts = [row.verdict for row in rows.values()]
    assert verdicts == ["reproduced", "reproduced", "differs"]
    assert rows[SIMULATED.item].reproduced == pytest.approx(0.053)
    assert rows[SIMULATED.item].ci95_low < 0.053 < rows[SIMULATED.item].ci95_high
    assert rows[EXACT.item].ci95_low is None
    # The print is a run of 100,000 jobs: ours of a million stray less than that.
    beside = [0.0559, 0.056, 0.0561]
    as_long, longer = (
        by_item(made_up(beside, row_jobs=jobs))[SIMULATED.item] for jobs in (100_000, 10_000_000)
    )
    assert as_long.verdict == "close"
    assert as_long.note.startswith("stands out: a single run would lie within 0.0555 to 0.0565")
    assert longer.verdict == "reproduced"
    far = [row.verdict for row in printed_rows(NAME, made_up([0.092, 0.093, 0.094]))]
    assert far == ["reproduced", "differs", "differs"]


@pytest.mark.parametrize(("jobs", "found"), [(30_000, 30_000), (10**7, LONGEST), (10, SHORTEST)])
def test_the_scatter_of_the_print_tells_how_long_its_runs_were(monkeypatch, jobs, found):
    """Return printed numbers that are as far off as runs of this number of jobs."""
    cells = [cell for cell in load_published(NAME) if cell.method == "simulation"]
    off = stats.norm.ppf((np.arange(len(cells)) + 0.5) / len(cells))
    strays = 1.5  # the standard deviation of a run of one job

    def measure(cell, scale, seed):
        losses = cell.published + strays / np.sqrt(jobs) * off[cells.index(cell)]
        ours = strays / np.sqrt(10**6) * np.tile([1.0, -1.0], 100)
        yield from loss_rows(Replications(losses + ours), 10**6)

    study = Study(NAME, "?", 1, scales(jobs=(1, 1)), lambda scale: cells, measure)
    runs = study.run("quick", workers=1)
    assert run_length(runs) == pytest.approx(found, rel=0.1)


def test_the_print_is_what_the_published_data_have_now(monkeypatch):
    """A corrected cell counts for runs that were stored before, and is no other setting."""
    runs = made_up([0.052, 0.053, 0.054])
    assert "published" not in runs
    stored = runs.assign(published=0.9)  # as older runs have it
    cells = {cell.item: cell for cell in load_published(NAME)}
    cells[EXACT.item] = replace(EXACT, published=0.132)
    monkeypatch.setattr(published, "load_published", lambda study: [*cells.values()])
    rows = by_item(stored)
    assert (rows[EXACT.item].published, rows[EXACT.item].verdict) == (0.132, "differs")
    assert rows[SIMULATED.item].verdict == "reproduced"
    assert cells[EXACT.item] == EXACT
    del cells[SIMULATED.item]
    with pytest.raises(InputError, match=r"published\.csv has no line for Table 3 U\[1,4\] unord"):
        [*printed_rows(NAME, stored)]


def test_a_printed_table_has_each_cell_as_printed_and_as_here():
    table = printed_table(made_up([0.052, 0.053, 0.054]), 3)
    assert table["published"].tolist() == [0.032, 0.053, 0.038]
    assert table["capacity_loss"].tolist() == pytest.approx([0.0321, 0.053, 0.0321])
    assert table["ci95_low"].notna().tolist() == [False, True, False]
    draw_printed(table, title="a").canvas.draw()
    with pytest.raises(NotRunError, match="table 4"):
        printed_table(made_up([0.1, 0.2]), 4)


def test_beside_the_print_stands_what_came_out_otherwise():
    shown = beside_print(printed_table(made_up([0.052, 0.053, 0.054]), 3))
    cells = shown.data.iloc[0]
    assert cells["total, 1 × 32", "exact"] == "0.032"
    assert cells["unordered, 4 × 32", "simulation"] == "0.053"
    assert cells["total, 1 × 128", "exact"] == "0.038 → 0.032"


def test_each_simulated_cell_has_random_numbers_of_its_own():
    scale = Scale(cell_jobs=2_000)
    seed = np.random.SeedSequence(1)
    other = PublishedLoss(1, 4, 32, "U[1,4]", "unordered", "simulation", 0.053)
    one, again, another = (
        pd.DataFrame(measure_cell(cell, scale, seed))["capacity_loss"].tolist()
        for cell in (SIMULATED, SIMULATED, other)
    )
    assert one == again != another
    assert len(one) == 30


def test_a_cell_by_its_response_is_in_heavy_traffic_where_the_scale_has_no_such_jobs():
    cell = PublishedLoss(3, 1, 32, "U[13,16]", "total", "simulation", 0.095)
    jobs = {"cell_jobs": 20_000, "response_replications": 2}
    seed = np.random.SeedSequence(1)
    losses = {}
    for response_jobs in (None, 14_000):
        scale = Scale(response_jobs=response_jobs, **jobs)
        rows = pd.DataFrame(measure_cell(cell, scale, seed, by_response=True))
        losses[response_jobs] = rows["capacity_loss"]
    assert [len(found) for found in losses.values()] == [30, 2]
    assert losses[None].mean() == pytest.approx(losses[14_000].mean(), abs=0.02)


def test_most_das1_jobs_have_a_power_of_two_and_are_short():
    table = das1_densities.densities()
    quantities = das1_densities.SIZE, das1_densities.SERVICE_TIME
    sizes, times = (table[table["quantity"] == quantity] for quantity in quantities)
    assert sizes["share"][sizes["value"].isin(2 ** np.arange(8))].sum() > 0.5
    assert times["share"][times["value"] < 90].sum() > 0.5
    assert sizes["share"].sum() == pytest.approx(1)
    assert 0.9 < times["share"].sum() < 1
    das1_densities.draw_densities(table).canvas.draw()
