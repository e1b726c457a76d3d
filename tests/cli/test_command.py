import errno
import json
import os
import re
import subprocess
import sys
from unittest.mock import Mock

import pytest

import coalloc_lib as co
from coalloc_lib import cli
from coalloc_lib.policies import names
from coalloc_lib.policies.names import options_of
from tests.cli.conftest import LOSS
from tests.workloads.test_catalogue import LOG, put_in_catalogue

COMMAND = [sys.executable, "-m", "coalloc_lib"]
LISTING = "coalloc_lib.workloads.catalogue.listing"
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_without_a_command_the_help_is_printed(run):
    assert run() == run("--help")
    assert run("traces") == run("traces", "--help")
    assert "No such command 'los'" in run("los", status=2)
    assert run("--version") == f"coalloc {co.__version__}\n"


def test_the_fields_of_policies_are_options_of_the_commands_that_take_them(run):
    """A capacity loss has no booking policies, so `loss` does not have their options."""
    wanted = {
        "simulate": {field for policy in names.SCHEDULING.values() for field in options_of(policy)},
        "loss": {"max_jumps"},
    }
    for command, fields in wanted.items():
        printed = run(command, "--help")
        assert all(f"--{field.replace('_', '-')} " in printed for field in fields)
    assert "--slot " not in run("loss", "--help")


@pytest.mark.parametrize(
    "error", [ZeroDivisionError(), OSError("no path and no number"), EOFError("Ran out of input")]
)
def test_a_bug_keeps_its_traceback(monkeypatch, error):
    """The command line parser would treat the unexpected end of a file as an interrupt."""
    monkeypatch.setattr(LISTING, Mock(side_effect=error))
    with pytest.raises(type(error)):
        cli.main(["traces", "list"])


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (FULL, 2, "error: No space left on device; make room, or choose another place"),
        (OSError(errno.ENOENT, "No such file or directory", "s.csv"), 2, "error: s.csv: No such "
         "file or directory; check the path"),
        (OSError(errno.EACCES, "Permission denied", "s.csv"), 2, "error: s.csv: Permission denied; "
         "choose a file that you may use"),
        (OSError(errno.EIO, "Input/output error", "s.csv"), 2, "error: s.csv: Input/output error; "
         "check the file, or choose another one"),
        (MemoryError(), 2, "error: the memory of this machine is too small; ask for fewer jobs "
         "or smaller sizes"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)  # fmt: skip
def test_what_no_one_could_foresee_ends_with_one_line(run, monkeypatch, error, status, words):
    monkeypatch.setattr(LISTING, Mock(side_effect=error))
    assert run("traces", "list", status=status) == f"coalloc: {words}\n"


def test_a_full_standard_output_is_said_in_one_line():
    listing, pipe = [*COMMAND, "traces", "list"], subprocess.PIPE
    with open("/dev/full", "w") as full:
        run = subprocess.run(listing, stdout=full, stderr=pipe, text=True)
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "standard output: No space left" in line


@pytest.mark.parametrize("command", [["traces", "list"], [*LOSS, "--request", "ordered"]])
def test_a_closed_pipe_is_quiet(command):
    process = subprocess.Popen([*COMMAND, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()


def test_the_module_is_the_command():
    shown = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == f"coalloc {co.__version__}\n"
    wrong = subprocess.run([*COMMAND, "loss", "--sizes", "x"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert len(wrong.stderr.splitlines()) == 1
    assert wrong.stdout == ""


def test_traces_are_listed_and_found(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(tmp_path))
    path = tmp_path / put_in_catalogue(monkeypatch).file.removesuffix(".gz")
    path.touch()
    printed = run("traces", "list")
    assert re.search(r"KTH-SP2 .* here .* Lars Malinowsky\n", printed)
    assert re.search(r"CTC-SP2 .* not here .* Dan Dwyer and Steve Hotovy\n", printed)
    assert printed.endswith(f"here: in {tmp_path}\n")
    assert max(map(len, printed.splitlines()[:-1])) <= 80
    found = {
        log["name"]: log["found"] for log in json.loads(run("traces", "list", "--json"))["traces"]
    }
    assert found["KTH-SP2"] == str(path)
    assert f"{path}: the SHA-256 of the content" in run("traces", "fetch", "kth-sp2", status=2)
    path.write_bytes(LOG)
    assert run("traces", "fetch", "kth-sp2") == found["KTH-SP2"] + "\n"
    assert json.loads(run("traces", "fetch", "KTH", "--json")) == {"files": [found["KTH-SP2"]]}


def test_traces_refuse_what_is_wrong_in_one_line(refused, monkeypatch, tmp_path):
    assert "KTH-SP2" in refused("traces", "fetch", "weather")
    monkeypatch.setenv("COALLOC_TRACES", str(tmp_path / "gone"))
    assert "is not a folder" in refused("traces", "list")


@pytest.mark.parametrize("option", ["--seed 1_0", "--components 1_0", "--jobs=2_000"])
def test_an_underscore_is_no_part_of_a_number(refused, option):
    command = "loss --clusters 32,32 --sizes U[1,8] --request unordered"
    name, _, number = option.replace("=", " ").partition(" ")
    assert f"{name} = '{number}'; give a number in plain digits" in refused(
        *command.split(), *option.split()
    )


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--service hyperexponential:1_0", "--service = 'hyperexponential:1_0'; give"),
        (f"--clusters {'9' * 5000}", "--clusters = '9999"),
    ],
)
def test_other_numbers_are_in_plain_digits_too(refused, option, words):
    command = ["loss", "--sizes", "U[1,8]", "--request", "unordered"]
    command += ["--clusters", "32,32"] * ("--clusters" not in option)
    assert words in refused(*command, *option.split())
