"""The page about the kit: its example runs, and its table is made from all cases."""

import importlib
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "conformance.md"


@pytest.fixture(scope="module")
def modules():
    with pytest.MonkeyPatch.context() as patch:
        for folder in ("peers", "conformance"):
            patch.syspath_prepend(str(ROOT / "benchmarks" / folder))
        names = ("kit", "table", "compare", "page")
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})


def case(modules, name):
    return modules.kit.read_case(modules.kit.KIT / name)


def test_the_example_of_the_page_runs_and_its_simulator_is_right():
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    run = [sys.executable, "-c", code]
    printed = subprocess.run(run, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    lines = printed.splitlines()
    assert len(lines) >= 3
    assert all(line.endswith(" right") for line in lines)


def test_a_verdict_names_the_mistake(modules):
    limit = case(modules, "fpfs-limit")
    right, wrong = limit.about["schedule"], limit.about["mistakes"]
    for number, schedule in enumerate([right, *(each["schedule"] for each in wrong)]):
        rows = modules.table.rows_of(schedule)
        assert modules.table.verdict(limit, rows) == ("yes" if number == 0 else str(number))
    assert modules.table.verdict(limit, [[0, 0, [0]]] * 5) == "other"


def test_the_engines_and_the_textbook_get_their_cells(modules, tmp_path):
    easy = case(modules, "easy-extra-nodes")
    for engine in modules.table.ENGINES.values():
        assert modules.table.verdict(easy, modules.table.library_rows(easy, engine)) == "yes"
    bench = modules.compare.Bench(tmp_path, sys.executable)
    tool = modules.table.Tool(bench, modules.compare.TEXTBOOK)
    assert tool.cell(easy) == "yes"
    assert tool.cell(case(modules, "easy-unequal-clusters")) == ""
    assert tool.cell(case(modules, "conservative-hole")) == ""


def test_a_tool_that_is_not_installed_is_said_so_below_the_table(modules, tmp_path):
    gone = SimpleNamespace(title="Gone", model="gone_model")
    bench = modules.compare.Bench(tmp_path, tmp_path / "bin" / "python")
    tool = modules.table.Tool(bench, gone)
    assert tool.failed("not installed: no wheel") == ""
    text = modules.table.text_of([tool], [["`x`", "1. y", "yes", "yes", ""]])
    assert text.rstrip().endswith("Gone: not installed: no wheel.")
    assert "| Gone |" not in text


def test_the_table_of_the_page_has_every_case(modules):
    text = PAGE.read_text("utf-8")
    for part in ("conformance", "large"):
        assert f"<!-- {part} -->" in text
    missing = [each.name for each in modules.kit.read_kit() if f"| `{each.name}` |" not in text]
    assert missing == []
