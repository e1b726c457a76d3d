"""The ten inputs of log size: their files, and the starts that both engines give."""

import importlib
import json

import pytest

import coalloc_lib as co
from coalloc_lib.workloads.swf import read_swf
from tests.conformance import oracle
from tests.conformance.large_oracle import starts_of
from tests.conformance.test_kit import library_placement, library_policy
from tests.conftest import ROOT

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(ROOT / "benchmarks" / "conformance"))
    large = importlib.import_module("large")

#: The jobs of an input are made by the first test that needs them, not while tests are listed.
NAMES = [*json.loads(large.FILE.read_text("utf-8"))]


@pytest.fixture(scope="module")
def inputs():
    """Return the ten inputs by name."""
    return {case.name: case for case in large.read_large()}


def test_there_are_ten_inputs_and_their_files_hold_the_same_jobs(inputs, tmp_path):
    assert len(inputs) == 10
    large.main(tmp_path)
    assert len([*tmp_path.iterdir()]) == 10
    case = inputs["large-easy"]
    read = read_swf(tmp_path / "large-easy.swf").jobs()
    given = oracle.stream(case)
    for column in ("submit", "runtime", "estimate", "components"):
        assert getattr(read, column).tolist() == getattr(given, column).tolist()


def starts(case, engine):
    schedule = co.simulate(
        co.Multicluster(case.about["clusters"]),
        oracle.stream(case),
        scheduling=library_policy(case),
        placement=library_placement(case),
        engine=engine,
    )
    return [None if job in schedule.refused else start for job, start in enumerate(schedule.start)]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_both_engines_start_the_jobs_as_the_naive_oracles(inputs, name, engine):
    assert large.digest(starts(inputs[name], engine)) == inputs[name].about["sha256"]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_stored_starts_are_those_of_the_naive_oracles(inputs, name):
    assert large.digest(starts_of(inputs[name])) == inputs[name].about["sha256"]
