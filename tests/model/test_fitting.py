"""The test of fit for many jobs at once, against the placement of each job."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coalloc_lib.model.fitting import fits_by, side_by_side
from coalloc_lib.model.placement import BestFit, HomeSite, WorstFit
from tests.conftest import placements, systems_and_streams


@given(systems_and_streams(most_jobs=12), st.data())
def test_a_job_fits_if_its_placement_places_it(case, data):
    system, jobs = case
    placement = data.draw(placements(len(system), jobs.request))
    idle = [data.draw(st.integers(0, size)) for size in system.sizes]
    rule = WorstFit() if placement is None else placement
    placed = [rule.place(row, jobs.request, idle) is not None for row in jobs.components.tolist()]
    assert fits_by(placement, jobs.request, jobs.components, np.array([idle])).tolist() == placed


def test_a_job_that_stays_on_its_site_needs_room_there():
    # The jobs may run anywhere, on the first cluster only, and on the second cluster only.
    components = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3]])
    rule = HomeSite(BestFit())
    assert fits_by(rule, "total", components, np.array([[2, 3]])).tolist() == [True, False, True]
    assert fits_by(rule, "total", components, np.array([[3, 2]])).tolist() == [True, True, False]


def test_unordered_rows_are_sorted_and_padded():
    wanted, free = side_by_side("unordered", np.array([[1, 3]]), np.array([[2, 5, 4]]))
    assert wanted.tolist() == [[3, 1, 0]]
    assert free.tolist() == [[5, 4, 2]]
