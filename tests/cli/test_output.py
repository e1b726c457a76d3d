"""What commands print: to a terminal, to a file, to a reader who leaves, and in few characters."""

import json
import math
import os
import subprocess
import sys

import pytest

from coalloc_lib.cli import output
from coalloc_lib.cli.output import print_json, print_table, show
from own_system import commands
from tests.cli.conftest import runner
from tests.conftest import NOTEBOOKS, ROOT
from tests.own_system.made_sacct import random_export

COMMAND = [sys.executable, "-m", "coalloc_lib"]
ESCAPE = "\x1b]0;title\x07"


def printed_as(encoding, code):
    """Return the bytes that some code prints if standard output has the given encoding."""
    setup = "from coalloc_lib.cli.output import *\nfrom coalloc_lib.cli.output import "
    setup += "prepare_streams\nprepare_streams()\n"
    env = os.environ | {"PYTHONIOENCODING": encoding}
    run = subprocess.run(
        [sys.executable, "-c", setup + code], env=env, cwd=ROOT, capture_output=True, check=True
    )
    return run.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_a_minus_is_a_minus_in_every_encoding(encoding):
    code = 'show("a change of \\u22125.9 h \\u00b1 1, 2\\u00d732, \\u6f22")'
    printed = printed_as(encoding, code).decode(encoding)
    wanted = "a change of −5.9 h ± 1, 2×32, 漢"
    for sign, ascii_sign in {"−": "-", "±": "+/-", "×": "x", "漢": "?"}.items():
        try:
            sign.encode(encoding)
        except UnicodeEncodeError:
            wanted = wanted.replace(sign, ascii_sign)
    assert printed == f"{wanted}\n"


def test_json_says_the_same_in_every_encoding():
    code = 'print_json({"answer": "\\u22125.9 h", "path": "caf\\udce9", "control": "\\x9b"})'
    answers = [json.loads(printed_as(name, code).decode(name)) for name in ("ascii", "utf-8")]
    assert answers[0] == answers[1]
    assert answers[0] == {"answer": "−5.9 h", "path": "caf\udce9", "control": "\x9b"}


def test_a_table_in_ascii_has_no_question_marks():
    code = 'print_table(("a", ">b"), [("one", "\\u22122")], "2\\u00d732")'
    printed = printed_as("ascii", code).decode("ascii")
    assert "?" not in printed
    assert "-2" in printed
    assert printed.startswith("2x32")


def test_a_number_that_is_infinite_or_missing_is_null(capsys):
    print_json({"a": [1.5, math.inf, {"b": -math.inf}], "c": (math.nan, "inf"), "d": 0})
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"a": [1.5, None, {"b": None}], "c": [None, "inf"], "d": 0}


@pytest.fixture
def terminal(monkeypatch):
    """Return a function that makes standard output look like a terminal of a given width."""

    def terminal(columns):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setattr(output, "get_terminal_size", lambda: os.terminal_size((columns, 24)))

    return terminal


ROWS = [("mean wait", "1,234,567 s", "1,200,000 to 1,300,000"), ("a word " * 9, "3", "")]


@pytest.mark.parametrize("columns", [120, 60, 40, 20])
def test_no_number_is_cut_in_a_narrow_terminal(terminal, capsys, columns):
    terminal(columns)
    print_table(("metric", ">value", ">95 % interval"), ROWS, "a log[v2] on [8]")
    printed = capsys.readouterr().out
    assert "a log[v2] on [8]" in printed
    for number in ROWS[0][1:]:
        assert any(number in line for line in printed.splitlines())
    if columns < 60:
        assert "  value: 1,234,567 s\n" in printed
        assert "95 % interval: \n" not in printed


def test_control_characters_of_names_do_not_reach_a_terminal(terminal, capsys):
    terminal(80)
    print_table((">n", "what"), [("1", f"partition {ESCAPE}")], f"log {ESCAPE}")
    show(f"here: {ESCAPE}")
    output.warn(f"{ESCAPE} is left out")
    for printed in capsys.readouterr():
        assert ESCAPE not in printed
        assert "\x07" not in printed
        assert r"\u001b]0;title\u0007" in printed


def test_names_in_a_receipt_and_in_an_error_are_escaped(refused, tmp_path, capsys):
    export = random_export(300)
    name = next(filter(None, (job.partition for job in export.truth)))
    text = export.text.replace(f"|{name}|", f"|{ESCAPE}|")
    (tmp_path / "export.txt").write_text(text, "utf-8")
    printed = runner(commands.main, capsys)("import", tmp_path / "export.txt")
    assert "\x1b" not in printed
    assert r": \u001b]0;title\u0007" in printed
    assert "\x1b" not in refused("simulate", "--trace", f"{ESCAPE}.swf", "--clusters", "8")


def test_a_file_whose_name_is_not_utf8_is_shown(run, log, tmp_path):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9[v2].swf")
    os.replace(log, odd)
    printed = run("simulate", "--trace", odd, "--clusters", "8")
    assert r"caf\udce9[v2] on" in printed
    answer = json.loads(run("simulate", "--trace", odd, "--clusters", "8", "--json"))
    assert answer["trace"] == r"caf\udce9[v2]"


def left_alone(*command, program="coalloc_lib", unread="stdout"):
    """Run a command that nobody reads on one stream; return its status and the other stream."""
    process = subprocess.Popen(
        [sys.executable, "-m", program, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=NOTEBOOKS,
    )
    read = process.stderr if unread == "stdout" else process.stdout
    getattr(process, unread).close()
    printed = read.read().decode()
    read.close()
    return process.wait(), printed


def test_a_command_goes_on_though_the_reader_of_its_warnings_leaves(log, tmp_path):
    # Each command warns that it does not know the time zone of this log.
    warns = tmp_path / "warns.swf"
    lines = [line for line in log.read_text().splitlines() if not line.startswith(";")]
    warns.write_text("; UnixStartTime: 0\n; TimeZoneString: Mars/Olympus\n" + "\n".join(lines))
    out, jobs = tmp_path / "s.csv", ("--trace", warns, "--clusters", "8")
    checked = subprocess.run(
        [*COMMAND, "simulate", *map(str, jobs)], capture_output=True, text=True, cwd=NOTEBOOKS
    )
    assert checked.stderr.startswith("coalloc: ")
    status, printed = left_alone("simulate", *jobs, "--out", out, unread="stderr")
    assert (status, printed.splitlines()[-1]) == (0, str(out))
    assert len(out.read_text().splitlines()) == 5
    status, printed = left_alone("verify", out, *jobs, unread="stderr")
    assert (status, printed.partition(" in ")[0]) == (0, "no violation")
    wrong = ("verify", out, "--trace", warns, "--clusters", "0")
    assert left_alone(*wrong, unread="stderr")[0] == 2


def test_the_files_are_written_though_the_reader_of_standard_output_leaves(log, tmp_path):
    out, export = tmp_path / "s.csv", tmp_path / "jobs.csv"
    simulate = ("simulate", "--trace", log, "--clusters", "8", "--export", export, "--out", out)
    for more in ([], ["--json"]):
        assert left_alone(*simulate, *more)[0] == 0
        assert len(out.read_text().splitlines()) == 5
        assert len(export.read_text().splitlines()) == 5
        out.unlink()
        export.unlink()
    (tmp_path / "export.txt").write_text(random_export(300).text, "utf-8")
    swf = tmp_path / "my.swf.gz"
    status, errors = left_alone(
        "import", tmp_path / "export.txt", "--out", swf, program="own_system"
    )
    assert (status, errors) == (0, "")
    assert swf.stat().st_size > 0


def test_the_files_are_written_though_standard_output_is_full(log, tmp_path):
    out = tmp_path / "s.csv"
    command = [*COMMAND, "simulate", "--trace", str(log), "--clusters", "8", "--out", str(out)]
    with open("/dev/full", "w") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert run.returncode == 2
    assert "standard output: No space left" in run.stderr.splitlines()[-1]
    assert len(out.read_text().splitlines()) == 5
