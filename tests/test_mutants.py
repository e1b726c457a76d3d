"""The script that makes mistakes in a copy of the library: which mistakes, and what it counts."""

import ast
import importlib.util
from itertools import islice

import pytest

from tests.conftest import ROOT

CODE = """
@decorated(1)
def share(a: int = 0, *, all: bool = True) -> float:
    if 0 < a <= 5 and not all:
        raise ValueError(f"a = {a + 1}; give at most {2}")
    return min(a / 2, 3)
"""


@pytest.fixture(scope="module")
def mutants():
    path = ROOT / "benchmarks" / "mutants.py"
    spec = importlib.util.spec_from_file_location("mutants", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_operators_numbers_and_names_are_changed_but_no_errors_or_annotations(mutants):
    tree = ast.parse(CODE)
    found = set()
    for node, change, change_back in mutants.changes(tree):
        before = ast.unparse(node)
        change()
        found.add((before, ast.unparse(node)))
        assert ast.unparse(tree) != ast.unparse(ast.parse(CODE))
        change_back()
    assert ast.unparse(tree) == ast.unparse(ast.parse(CODE))
    assert found == {
        ("0", "1"), ("True", "False"), ("0 < a <= 5 and (not all)", "0 < a <= 5 or not all"),
        ("0 < a <= 5", "0 <= a <= 5"), ("0 < a <= 5", "0 < a < 5"), ("5", "6"),
        ("all", "any"), ("a / 2", "a * 2"), ("2", "3"), ("3", "4"), ("min", "max"),
    }  # fmt: skip


def test_each_area_has_mutants_and_tests_and_comes_in_turn(mutants):
    for area in mutants.AREAS.values():
        paths = [each for tests in area.tests for each in tests.arguments if "/" in each]
        assert paths
        assert all((ROOT / path).exists() for path in paths)
    first = [*islice(mutants.sampled(1), 2 * len(mutants.AREAS))]
    assert [mutant.area for mutant in first] == 2 * [*mutants.AREAS]
    for mutant in first:
        right = ast.unparse(ast.parse((ROOT / mutant.module).read_text("utf-8")))
        wrong = mutants.text_of(mutant)
        pairs = zip(right.splitlines(), wrong.splitlines(), strict=True)
        (changed,) = [pair for pair in pairs if pair[0] != pair[1]]
        assert mutant.before in changed[0]
        assert mutant.after in changed[1]
    for area in mutants.AREAS:
        every = mutants.mutants_of(area)
        assert len({mutant.key for mutant in every}) == len(every)
    again = [*islice(mutants.sampled(1), 2 * len(mutants.AREAS))]
    assert again == first != [*islice(mutants.sampled(2), 2 * len(mutants.AREAS))]


def test_the_page_counts_killed_explained_and_unnoticed_mutants(mutants, monkeypatch):
    one, two, three = islice(mutants.sampled(1), 3)
    monkeypatch.setattr(mutants, "explained", lambda: {two.key: "it is only faster"})
    text = mutants.report([(one, True), (two, False), (three, False)], 5, 1)
    assert "66.7% of 3 sampled mutants are killed or explained" in text
    rows = {line.split(" | ")[0]: line for line in text.splitlines() if line.startswith("| ")}
    for mutant, counts in (
        (one, "1 | 1 | 0 | 0"),
        (two, "1 | 0 | 1 | 0"),
        (three, "1 | 0 | 0 | 1"),
    ):
        assert rows[f"| {mutant.area}"].endswith(f"| {counts} |")
    assert "it is only faster" in text
    assert text.count("no test notices it") == 1


def test_the_tests_of_a_copy_notice_a_mistake_in_it(mutants, monkeypatch, tmp_path):
    """A project with one module and one test stands for this one.

    A mistake that breaks the import of `conftest.py` is noticed too.
    """
    (tmp_path / "rule.py").write_text("def is_late(end, limit):\n    return end > limit\n")
    test = "import rule\n\ndef test_it():\n    assert not rule.is_late(1, 1)\n"
    (tmp_path / "test_rule.py").write_text(test)
    area = mutants.Area(("rule.py",), (mutants.Tests(("test_rule.py",)),))
    monkeypatch.setitem(mutants.AREAS, "toy", area)
    monkeypatch.setattr(mutants, "PROFILE", ())
    assert not mutants.notice(tmp_path, "toy")
    (tmp_path / "rule.py").write_text("def is_late(end, limit):\n    return end >= limit\n")
    assert mutants.notice(tmp_path, "toy")
    (tmp_path / "conftest.py").write_text("import rule\n")
    (tmp_path / "rule.py").write_text("assert 1 == 2\n")
    assert mutants.notice(tmp_path, "toy", "rule.py")
    with pytest.raises(SystemExit, match="pytest cannot run"):
        mutants.notice(tmp_path, "toy")
