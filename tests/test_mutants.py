"""Small mistakes in the library are noticed by its tests; see `tests.mutants`."""

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.mutants.table import MUTANTS
from tests.mutants.tool import check_unspoilt, is_noticed
from tests.warm import compile_kernels


def test_there_are_enough_mistakes_and_few_that_do_no_harm():
    assert len(set(MUTANTS)) == len(MUTANTS) >= 60
    assert sum(bool(mutant.harmless) for mutant in MUTANTS) <= 0.05 * len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mistake_can_be_made_and_its_tests_are_there(mutant):
    path = ROOT / "coalloc_lib" / mutant.file
    compile(mutant.applied(path.read_text(encoding="utf-8")), mutant.file, "exec")
    for named in mutant.tests.split():
        file, *names = re.sub(r"\[.*", "", named).split("::")
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert Path(file).name.startswith("test_")
        assert all(f"def {name}(" in text for name in names)


@pytest.fixture(scope="module")
def unspoilt():
    """See that the tests pass where there is no mistake; else that they fail tells nothing."""
    compile_kernels()
    check_unspoilt(MUTANTS)


@pytest.mark.long
@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mistake_is_noticed(mutant, unspoilt):
    assert is_noticed(mutant) != bool(mutant.harmless)
