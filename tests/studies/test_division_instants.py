"""One instant of the division explorer: the head of the queue waits beside idle processors."""

import numpy as np
import pytest

import coalloc_lib as co
from studies.cluster_configurations.division_explorer import division_explorer
from studies.cluster_configurations.division_instants import first_waiting_head, waiting_heads
from tests.widgets.reading import control, lettering, notes, words


def test_the_first_head_that_waits_beside_enough_idle_processors_is_found():
    """Job 2 needs two processors on each cluster; job 1 leaves one of them and four idle."""
    jobs = co.JobStream([0, 1, 2, 9], [5, 3, 3, 1], [[3, 0], [2, 2], [4, 4], [1, 0]])
    schedule = co.simulate(co.Multicluster([4, 4]), jobs)
    waiting = first_waiting_head(schedule, warm_up=0)
    assert (waiting.instant, waiting.wanted, waiting.idle) == (1, [2, 2], [1, 4])
    # From the submission of the last job on, no job waits.
    assert first_waiting_head(schedule, warm_up=3) is None


def test_a_head_that_waits_has_enough_idle_processors_but_fits_nowhere():
    system, model = co.Multicluster([16] * 8), co.JobModel(co.uniform(1, 8), 4)
    load, found = waiting_heads(system, model, ("first-fit", "worst-fit"))
    assert 0.6 < load < 0.95
    for waiting in found.values():
        assert sum(waiting.idle) >= sum(waiting.wanted)
        emptiest = np.sort(waiting.idle)[::-1][: len(waiting.wanted)]
        assert (emptiest < waiting.wanted).any()


def test_the_explorer_shows_the_instant_of_the_chosen_division():
    box = division_explorer("show=one instant")
    load, found = waiting_heads(
        co.Multicluster([32] * 4), co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4),
        ("first-fit", "worst-fit"),
    )  # fmt: skip
    assert f"load {load:g}" in lettering(box)
    for name, waiting in found.items():
        wanted, idle = (" + ".join(map(str, each)) for each in (waiting.wanted, waiting.idle))
        assert f"{name}: the head needs {wanted}; idle are {idle}" in words(box)
    control(box, "or your own").value = "3x40"
    (note,) = notes(box)
    assert note.startswith("components = 4; give at most 3, because")


@pytest.mark.usefixtures("without_images")
def test_the_title_says_if_no_head_waits_beside_enough_idle_processors():
    box = division_explorer("other=128&components=1&show=one instant")
    title = "Under first fit and worst fit, no head waits while enough processors are idle in total"
    assert words(box).startswith(title)
