"""Pictures of schedules that break a rule of the model."""

import pytest

import coalloc_lib as co
from coalloc_lib.schedules.drawing import scenes
from tests.schedules.damage import moved


@pytest.mark.parametrize("free", [0, 1])
def test_an_overfull_schedule_is_refused_as_it_is_for_processor_numbers(free):
    """Job 1 is moved to an instant at which job 0 leaves too few processors for it."""
    jobs = co.JobStream([0, 1], [5, 5], [4, 2], request="total")
    wrong = moved(co.simulate(co.Multicluster([4 + free]), jobs), 1, 2)
    message = r"^cluster 0 is too small for job 1; call verify\(\) on the schedule to find"
    for use in (type(wrong).processor_ids, lambda schedule: scenes({"": schedule}), co.Player):
        with pytest.raises(co.InputError, match=message):
            use(wrong)
