"""The reasons why jobs wait, and the idle processor-time, against a plain computation at every
instant."""

import re
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.model.placement import WorstFit, may_stay_whole
from coalloc_lib.policies import Refusal
from coalloc_lib.schedules.explain import (
    idle_while_waiting,
    instants_of,
    request_in_words,
    why_waiting,
)
from coalloc_lib.schedules.reading import heads
from coalloc_lib.simulation import sites
from coalloc_lib.statistics.saturation import heavy_traffic
from tests.conftest import in_turn, placements, policies, systems_and_streams


@st.composite
def schedules(draw, kinds=policies):
    system, jobs = draw(systems_and_streams(most_jobs=15))
    placement = draw(placements(len(system), jobs.request))
    backlog = draw(st.sampled_from([None, None, 1, 3]))
    return co.simulate(system, jobs, scheduling=draw(kinds), placement=placement, backlog=backlog)


def between(schedule):
    """Yield (begin, end, idle, queue) for each interval between two events of a schedule."""
    instants = np.unique(np.concatenate([schedule.jobs.submit, schedule.start, schedule.end]))
    for begin, end in pairwise(instants):
        runs = (schedule.start <= begin) & (schedule.end >= end)
        waits = (schedule.jobs.submit <= begin) & (schedule.start >= end)
        idle = schedule.system.as_array() - schedule.allocation[runs].sum(axis=0)
        queue = sorted(np.flatnonzero(waits), key=lambda job: (schedule.jobs.submit[job], job))
        yield begin, end, idle.tolist(), queue


@given(schedules())
def test_what_idles_while_a_job_waits_is_the_integral_over_such_intervals(schedule):
    idling = idle_while_waiting(schedule)
    area, first = 0.0, schedule.jobs.submit.min()
    assert idling.instants[0] == first
    for begin, end, idle, queue in between(schedule):
        area += (end - begin) * sum(idle) * bool(queue)
        share = area / (schedule.system.processors * (end - first))
        assert idling.share(end) == pytest.approx(share)
        assert np.interp((begin + end) / 2, idling.instants, idling.area) == pytest.approx(
            area - (end - begin) / 2 * sum(idle) * bool(queue)
        )


@pytest.mark.parametrize("request_type", ["ordered", "unordered", "flexible", "total"])
def test_in_heavy_traffic_it_is_the_capacity_loss(request_type):
    system = co.Multicluster([8, 8])
    model = co.JobModel(co.uniform(1, 4), components=2, request=request_type)
    jobs = model.sample(3000, seed=1, rate=1.0)
    schedule = co.simulate(system, jobs, backlog=1)
    last = schedule.jobs.submit[-1]  # until then there is always a job that waits
    idling = idle_while_waiting(schedule)
    assert idling.share(last) == pytest.approx(1 - schedule.utilization(0, last))
    measured = heavy_traffic(co.Scenario(system, model), jobs, backlog=1)
    assert 1 - float(idling.share(last)) == pytest.approx(float(np.mean(measured)), abs=0.01)


@given(schedules())
def test_the_head_is_the_first_that_waits(schedule):
    for begin, _, _, queue in between(schedule):
        assert heads(schedule, np.array([begin]))[0] == (queue[0] if queue else -1)


@given(schedules(in_turn), st.booleans())
def test_every_reason_is_true_of_its_interval(schedule, past):
    jobs, rule = schedule.jobs, schedule.placement or WorstFit()
    for begin, _, idle, queue in between(schedule):
        for job in queue:
            (said,) = why_waiting(schedule, [job], [begin], past)
            fits = rule.place(jobs.components[job].tolist(), jobs.request, idle) is not None
            assert ("would" in said) == fits
            if said.startswith(("needs", "needed")):
                assert not fits
                assert_numbers(schedule, job, idle, said)
            elif found := re.search(r"behind job (\d+)", said):
                assert job != queue[0]
                assert int(found[1]) == jobs.number[queue[0]]
                assert not schedule.scheduling.max_jumps
            else:
                assert_used_up(schedule, queue[0], begin, said)


def assert_numbers(schedule, job, idle, said):
    """Assert that a reason for waiting has the numbers of processors that are needed and idle."""
    wanted = [size for size in schedule.jobs.components[job].tolist() if size]
    numbers = [int(found) for found in re.findall(r"\d+", said)]
    if schedule.jobs.request == "ordered":
        row = enumerate(schedule.jobs.components[job].tolist())
        short = [[size, c + 1, idle[c]] for c, size in row if size > idle[c]]
        assert numbers == list(chain.from_iterable(short))
        return
    if schedule.jobs.request in ("flexible", "total"):
        wanted = [sum(wanted)]
    clusters = len(idle)
    if schedule.jobs.request == "flexible":
        idle = [sum(idle)]
    elif len(idle) > 4:
        idle = sorted(idle, reverse=True)[: len(wanted)]
    if may_stay_whole(schedule.placement, schedule.jobs.request) and len(wanted) > 1:
        wanted = [sum(wanted)] if clusters == 1 else [sum(wanted), *wanted]
    assert numbers == [*wanted, *idle]


def assert_used_up(schedule, head, instant, said):
    """Assert that the head of the queue was overtaken as often as allowed, and that the reason for
    waiting says how often."""
    order = [(schedule.jobs.submit[job], job) for job in range(len(schedule))]
    behind = [job for job in range(len(schedule)) if order[job] > order[head]]
    overtaken = sum(schedule.start[job] <= instant for job in behind)
    if schedule.scheduling.counted == "head":
        assert overtaken >= schedule.scheduling.max_jumps
        assert "at the head of the queue" in said
        return
    assert overtaken == schedule.scheduling.max_jumps > 0
    assert f"job {schedule.jobs.number[head]} ha" in said
    assert ("once" if overtaken == 1 else f"{overtaken} times") in said


@pytest.mark.parametrize(
    ("request_type", "components", "placement", "asked", "words"),
    [
        ("unordered", [[3, 0], [4, 2]], None, "4 and 2 on two clusters", "; 1 and 4 are idle"),
        ("unordered", [[3, 0], [4, 2]], co.SingleThenSpan(),
         "6 on one cluster, or 4 and 2 on two clusters", "; 1 and 4 are idle"),
        ("unordered", [[4, 4, 4, 2, 1], [4, 2, 0, 0, 0]], None,
         "4 and 2 on two clusters", "; the emptiest clusters have 3 and 2 idle"),
        ("ordered", [[3, 0], [2, 0]], None, "2 on cluster 1", ", where 1 is idle"),
        ("flexible", [[3, 0], [4, 2]], None, "6 in all, on any clusters", "6 in all; 5 are idle"),
        ("total", [[3], [2]], None, "2 on one cluster", "2; 1 is idle"),
    ],
)  # fmt: skip
def test_each_request_type_has_its_sentence(request_type, components, placement, asked, words):
    jobs = co.JobStream([0, 1], [5, 5], components, request=request_type)
    schedule = co.simulate(co.Multicluster([4] * len(components[0])), jobs, placement=placement)
    assert request_in_words(jobs, 1, placement) == asked
    words = words if words[0].isdigit() else asked + words
    assert why_waiting(schedule, [1], [1]) == [f"needs {words}"]
    assert re.fullmatch("needed .*idle", *why_waiting(schedule, [1], [1], past=True))


def test_a_job_that_must_stay_on_its_site_asks_for_this_site():
    jobs = co.JobStream([0, 1], [10, 1], [2, 2], request="total")
    schedule = sites.sharing(co.Multicluster([8, 2]), jobs, home=[1, 1])
    assert request_in_words(schedule.jobs, 1, schedule.placement) == "2 on cluster 2"
    assert why_waiting(schedule, [1], [2]) == ["needs 2 on cluster 2, where 0 are idle"]


def test_a_job_that_is_turned_away_waits_until_then():
    jobs = co.JobStream([0, 0, 9], [4, 4, 1], [3, 3, 1], request="total")
    first = co.simulate(co.Multicluster([4]), jobs)
    columns = {name: getattr(first, name).copy() for name in ("start", "end", "allocation")}
    columns["start"][1] = columns["end"][1] = np.nan
    columns["allocation"][1] = 0
    schedule = replace(first, **columns, refused={1: Refusal(2.0, "late")})
    assert instants_of(schedule).tolist() == [0, 2, 4, 9, 10]
    assert idle_while_waiting(schedule).area.tolist() == [0, 2, 2, 2, 2]
    assert heads(schedule, np.array([0.0, 2.0])).tolist() == [1, -1]


class NeverTheSecond(co.WorstFit):
    """A placement that finds no place for a job of two processors while another job runs."""

    def place(self, components, request, idle):
        refused = sum(components) == 2 and sum(idle) < 4
        return None if refused else super().place(components, request, idle)


@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(5)])
def test_a_head_that_a_placement_of_ones_own_refuses_does_not_wait_behind_itself(policy):
    jobs = co.JobStream(submit=[0, 0], runtime=[5, 1], components=[1, 2])
    how = {"scheduling": policy, "placement": NeverTheSecond(), "engine": "reference"}
    (why,) = why_waiting(co.simulate(co.Multicluster([4]), jobs, **how), [1], [0.0])
    assert re.fullmatch("would fit, but .* does not place it", why)
    assert not re.search("behind|overtaken", why)
