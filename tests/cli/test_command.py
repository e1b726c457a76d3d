import errno
import os
import subprocess
import sys

import pytest

import coalloc_lib as co
from coalloc_lib import cli, names
from coalloc_lib.cli import options

COMMAND = [sys.executable, "-m", "coalloc_lib"]
LOSS = ["loss", "--clusters", "8,8", "--sizes", "U[1,4]", "--components", "2"]


def test_every_named_policy_can_be_made():
    for name in options.PLACEMENTS:
        assert isinstance(options.placement_of(name), co.Placement)
    for name, policy in options.SCHEDULING.items():
        wanted = dict.fromkeys(names.needed_by(policy), 1)
        assert isinstance(options.scheduling_of(name, **wanted), policy)


@pytest.mark.parametrize(
    "command", [[], ["loss"], ["simulate"], ["reproduce"], ["traces", "fetch"]]
)
def test_every_command_has_help_with_examples(run, command):
    printed = run(*command, "--help")
    assert printed.startswith(f"Usage: {' '.join(['coalloc', *command])}")
    assert not command or f"  coalloc {' '.join(command)} " in printed.partition("Example")[2]
    assert max(map(len, printed.splitlines())) <= 100


def test_without_a_command_the_help_is_printed(run):
    assert run() == run("--help")
    assert run("traces") == run("traces", "--help")
    assert "No such command 'los'" in run("los", status=2)


def test_the_version_is_printed(run):
    assert run("--version") == f"coalloc {co.__version__}\n"


def test_an_interrupt_ends_with_one_line(run, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("coalloc_lib.workloads.catalogue.listing", interrupted)
    assert run("traces", "list", status=130) == "coalloc: interrupted\n"


def test_the_end_of_a_file_is_no_interrupt(monkeypatch):
    """An empty file where pickled data should be raises this; it is a bug, and shown as one."""

    def empty():
        raise EOFError("Ran out of input")

    monkeypatch.setattr("coalloc_lib.workloads.catalogue.listing", empty)
    with pytest.raises(EOFError, match="Ran out of input"):
        cli.main(["traces", "list"])


def test_a_full_standard_output_is_said_in_one_line():
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [*COMMAND, "traces", "list"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "standard output: No space left" in line


def test_a_full_disk_without_a_name_is_said_in_one_line(refused, monkeypatch):
    def full():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("coalloc_lib.workloads.catalogue.listing", full)
    assert "No space left on device; make room" in refused("traces", "list")


def test_a_bug_in_the_handling_of_files_keeps_its_traceback(monkeypatch):
    def broken():
        raise OSError("no path and no number: nothing that a user could mend")

    monkeypatch.setattr("coalloc_lib.workloads.catalogue.listing", broken)
    with pytest.raises(OSError, match="nothing that a user"):
        cli.main(["traces", "list"])


def test_a_bug_keeps_its_traceback(monkeypatch):
    def broken():
        raise ZeroDivisionError

    monkeypatch.setattr("coalloc_lib.workloads.catalogue.listing", broken)
    with pytest.raises(ZeroDivisionError):
        cli.main(["traces", "list"])


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
