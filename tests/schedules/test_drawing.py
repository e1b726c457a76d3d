"""Pictures of schedules that break a rule of the model, and marks of jobs that start earlier."""

import json

import pytest

import coalloc_lib as co
from coalloc_lib.schedules.drawing import scenes, sooner_until
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


def test_a_job_that_the_other_schedule_rejects_waits_there_until_its_rejection():
    jobs = co.JobStream([0, 1, 1], [5, 200, 3], [[4], [4], [4]])
    system, online = co.Multicluster([4]), co.Online(slot=1, step=1, max_attempts=2, horizon=10)
    patient, strict = (co.simulate(system, jobs, scheduling=how) for how in (co.FCFS(), online))
    assert {job: refusal.instant for job, refusal in strict.refused.items()} == {1: 1.0, 2: 1.0}
    assert sooner_until(patient, strict).tolist() == patient.start.tolist()
    for schedule, against in ((patient, strict), (strict, patient)):
        json.dumps(co.Player(schedule, against=against).data, allow_nan=False)
