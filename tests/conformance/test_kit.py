"""The conformance kit: its schedules are those of the naive oracles, and its mistakes are real."""

import importlib
from collections import Counter

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.policies.names import PLACEMENTS, SCHEDULING
from coalloc_lib.workloads.swf import read_swf
from tests import naive_backfilling, naive_multicluster
from tests.conformance import oracle
from tests.conftest import ROOT

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(ROOT / "benchmarks" / "conformance"))
    kit = importlib.import_module("kit")

CASES = kit.read_kit()
MISTAKES = [(case, wrong) for case in CASES for wrong in case.about["mistakes"]]
#: The mistakes that are made most often, and the cases that tell them.
SUBJECTS = {
    "equal instants": ["fcfs-jobs-of-one-instant", "fpfs-departures-first"],
    "an end at the start of another job": ["conservative-hole-of-its-length"],
    "an end at the promised start": ["easy-end-at-the-promise"],
    "a job without length": ["fcfs-no-length", "easy-no-length", "conservative-no-length"],
    "a run time above the estimate": [
        "easy-longer-than-estimated",
        "conservative-longer-than-estimated",
    ],
    "an early end": ["easy-early-end", "easy-earlier-promise", "conservative-early-end"],
    "a head that fits only later": ["easy-head-fits-later"],
    "ties between clusters": ["fcfs-ties-worst-fit", "fcfs-ties-best-fit"],
    "a job as wide as the machine": ["fcfs-wide-as-the-machine", "easy-wide-as-the-machine"],
    "ordered components of zero": ["fcfs-components-of-zero"],
    "extra nodes": [
        "easy-extra-nodes",
        "easy-extra-nodes-once",
        "easy-ends-together",
        "easy-ends-together-on-clusters",
    ],
    "a promise that must not move later": [
        "easy-promise-is-kept",
        "easy-head-overtaken-without-limit",
        "conservative-reservation-never-later",
    ],
    "jumps over the whole wait": ["fpfs-jumps-while-waiting"],
    "jumps at the head": ["fpfs-jumps-at-the-head"],
    "a penalty that misses the promise": ["easy-penalty-and-promise"],
    "unequal clusters": ["easy-unequal-clusters"],
    "a reservation at the end of the horizon": ["online-end-of-the-horizon"],
    "departures one by one": ["fpfs-departures-together"],
}


def name_of(case):
    return case.name


def expected(case):
    return [*zip(case.starts, case.ends, case.allocations, strict=True)]


def rows(schedule):
    """Return a list of [start, end, allocation], as the files of the kit have it."""
    return [[row["start"], row["end"], row["allocation"]] for row in schedule]


def library_policy(case):
    options = dict(case.about["policy"])
    return SCHEDULING[options.pop("name")](**options)


def library_placement(case):
    rule = case.about["placement"]
    return None if rule is None else PLACEMENTS[rule]()


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_expected_schedule_is_that_of_the_completed_oracle(case):
    if "oracle" not in case.about["worked_out"]:
        pytest.skip("no oracle knows reservations for later, or adaptive spanning")
    assert oracle.answer(case) == rows(case.about["schedule"])


BACKFILLING = {"easy": naive_multicluster.EASY, "conservative": naive_multicluster.Conservative}
BACKFILLED = [case for case in CASES if case.about["policy"]["name"] in BACKFILLING]


@pytest.mark.parametrize("case", BACKFILLED, ids=name_of)
def test_the_oracle_of_the_other_tests_agrees_as_it_stands(case):
    """`oracle` replaces parts of this class, which must not change its right answers."""
    policy, jobs = case.about["policy"], oracle.stream(case)
    if jobs.has_reservations or policy.get("adaptive"):
        pytest.skip("this oracle knows no reservations and no adaptive spanning")
    key = oracle.queue_keys(policy, jobs)
    run = BACKFILLING[policy["name"]](case.about["clusters"], jobs, library_placement(case), key)
    assert run.start == case.starts
    assert [[*map(int, row)] for row in run.allocation] == case.allocations


@pytest.mark.parametrize("case", BACKFILLED, ids=name_of)
def test_on_one_cluster_the_textbook_agrees(case):
    policy, jobs = case.about["policy"], oracle.stream(case)
    has_no_length = (np.maximum(jobs.runtime, jobs.estimate) == 0).any()
    if len(case.about["clusters"]) > 1 or jobs.has_reservations or has_no_length:
        pytest.skip("the textbook knows one cluster, no reservation, and no job without length")
    lines = [(job.submit, job.runtime, job.estimate, sum(job.components)) for job in case.jobs]
    key = naive_backfilling.expected if policy["order"] == "shortest" else None
    start = getattr(naive_backfilling, policy["name"])(case.about["clusters"][0], lines, key)
    assert (start[0] if policy["name"] == "conservative" else start) == case.starts


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_both_engines_give_the_expected_schedule(case, engine):
    schedule = co.simulate(
        co.Multicluster(case.about["clusters"]),
        oracle.stream(case),
        scheduling=library_policy(case),
        placement=library_placement(case),
        engine=engine,
    ).verify()
    for job, row in enumerate(rows(case.about["schedule"])):
        given = [schedule.start[job], schedule.end[job], schedule.allocation[job].tolist()]
        assert ([None] * 3 if job in schedule.refused else given) == row


@pytest.mark.parametrize(
    ("case", "wrong"), MISTAKES, ids=lambda part: getattr(part, "name", None) or part["mistake"]
)
def test_a_mistake_gives_the_other_schedule_that_the_kit_names(case, wrong):
    assert wrong["schedule"] != case.about["schedule"]
    assert oracle.answer(case, wrong["mistake"]) == rows(wrong["schedule"])


def test_each_case_is_told_from_all_others_by_its_name_and_has_words():
    assert len(CASES) >= 40
    assert set(Counter(case.about["title"] for case in CASES).values()) == {1}
    for case in CASES:
        about = case.about
        assert about["why"].endswith(".")
        assert about["mistakes"]
        assert all(wrong["then"].endswith(".") for wrong in about["mistakes"])
        assert [row["job"] for row in about["schedule"]] == [job.number for job in case.jobs]


def test_the_mistakes_that_are_made_most_often_are_all_covered():
    names = {case.name for case in CASES}
    assert {name for cases in SUBJECTS.values() for name in cases} <= names


def test_cases_of_conservative_backfilling_name_their_variant():
    named = [c for c in CASES if c.about["policy"]["name"] == "conservative"]
    assert all(case.about["variant"] for case in named)


def test_the_library_reads_the_logs_as_the_kit_does():
    logs = [case for case in CASES if case.about["jobs"] == "jobs.swf"]
    assert len(logs) > 20
    for case in logs:
        read = read_swf(kit.KIT / case.name / "jobs.swf").jobs(case.about["request"])
        given = oracle.stream(case)
        for column in ("submit", "runtime", "estimate", "components", "number"):
            np.testing.assert_array_equal(getattr(read, column), getattr(given, column))
