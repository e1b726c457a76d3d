"""The examples of README.md and of the guides run, and print what the pages show."""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from coalloc_lib import cli
from studies import STUDIES
from studies.published import load_claims
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def code_of(language):
    return [code for kind, code in BLOCKS if kind == language]


COMMANDS = re.findall(
    r"^```console\n(.*?)^```$",
    (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


def test_the_python_blocks_print_what_is_shown():
    namespace = {"__name__": "readme"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for code in code_of("python"):
            exec(compile(code, "README.md", "exec"), namespace)
    assert printed.getvalue() == "".join(code_of("text"))
    assert len(code_of("python")) == len(code_of("text")) > 0


@pytest.mark.parametrize("session", COMMANDS)
def test_the_console_blocks_print_what_is_shown(session, tmp_path, monkeypatch, capsys):
    """In this process, but for what is no command of ours, and the first: that runs in a shell."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    commands = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    assert commands
    for command in commands:
        line, shown = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", command, re.DOTALL).groups()
        ours, _, filtered = line.replace("\\\n", " ").partition("|")
        printed = None
        if ours.startswith("coalloc ") and not is_first(command):
            assert cli.main(shlex.split(ours)[1:]) == 0
            printed, line = capsys.readouterr().out, filtered or "cat"
        run = subprocess.run(
            ["bash", "-c", line],
            env=os.environ | {"PATH": path},
            input=printed,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert run.returncode == 0, run.stderr
        assert run.stdout == shown


def is_first(command):
    return COMMANDS[0].startswith("$ " + command)


def test_the_make_targets_exist():
    named = re.findall(r"\bmake ([a-z-]+)", "".join(code_of("sh")))
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert named == ["lab", "reproduce"]
    assert set(named) <= set(targets)


def test_every_file_and_folder_that_is_named_is_there():
    names = re.findall(r"`([\w./-]+(?:/|\.(?:md|cff|yml)))`", README)
    made = {"results/", "build/site/"}
    missing = [n for n in {*names} - made if not (ROOT / n).exists()]
    assert names
    assert not missing


@pytest.fixture(scope="module")
def front_door():
    spec = importlib.util.spec_from_file_location("front_door", ROOT / "docs" / "front_door.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.notebook  # the map of the tour is simulated again
def test_every_sentence_on_results_is_made_from_the_archive(front_door):
    from lessons import tour_map

    made = front_door.parts(tour_map.where_spanning_pays())
    found = {
        name: [each for page in front_door.PAGES
               for each in front_door.between(name).findall(page.read_text("utf-8"))]
        for name in made
    }  # fmt: skip
    assert {name: len(each) for name, each in found.items()} == {
        "map": 2, "studies": 1, "survives": 1
    }  # fmt: skip
    for name, texts in found.items():
        assert {*texts} == {made[name]}, f"run `make front-door`: {name} is out of date"


@pytest.mark.notebook  # the map of the tour is simulated again
def test_the_sentence_on_the_map_would_change_with_its_intervals(front_door):
    from lessons import tour_map

    cells = tour_map.where_spanning_pays()
    longer = cells.assign(ci95_low=1.0)
    assert front_door.map_block(longer) != front_door.map_block(cells)


def test_the_tables_would_change_with_the_verdicts(front_door):
    ledger = pd.read_csv(front_door.LEDGER)
    turned = ledger.assign(verdict=ledger["verdict"].replace("holds", "does not hold"))
    assert front_door.table(turned) != front_door.table(ledger)


def test_the_tables_of_the_papers_count_every_row(front_door):
    ledger = pd.read_csv(front_door.LEDGER)
    assert {*front_door.PAPERS, "what-survives"} == {*ledger["study"]} == {*STUDIES}
    numbers, claims = front_door.table(ledger).split("\n\n")
    known = sum(len(load_claims(study)) for study in front_door.PAPERS)
    assert counted(claims) == known
    assert counted(numbers) == (ledger["study"] != "what-survives").sum() - known


def counted(table):
    """Return the sum of the numbers of a table in Markdown."""
    return sum(int(cell) for line in table.splitlines()[2:] for cell in line.split("|")[2:-1])
