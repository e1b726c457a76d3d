"""The quick agreement test finds realistic mistakes that are planted in a copy of the kernels."""

import os
import shutil
import subprocess
import sys
from typing import NamedTuple

import pytest

from tests.conftest import ROOT


class Mistake(NamedTuple):
    """A piece of code of `coalloc_lib`, its wrong replacement, and the test that finds it.

    `policy` is the name of a policy whose runs execute this code.
    """

    file: str
    right: str
    wrong: str
    policy: str
    test: str = "test_both_engines_agree"


BOOKING = "engines/kernels/booking.py"
CONSERVATIVE = "engines/kernels/conservative.py"
EASY = "engines/kernels/easy.py"
EVENTS = "engines/kernels/events.py"
PERIODS = "calendar/kernels/periods.py"
PLACING = "engines/kernels/placing.py"
PROFILE = "engines/kernels/profile_steps.py"
TREE = "engines/kernels/queue_tree.py"
TURN = "engines/kernels/queue_order.py"

MISTAKES = {
    "a job that ends at the promised start counts as late": Mistake(
        EASY, "until[job] <= state.shadow", "until[job] < state.shadow", "EASY"
    ),
    "a shadow ignores jobs that end at the same instant": Mistake(
        EASY,
        "if lacking <= 0 and (i == 0 or plan.ends[i - 1] > plan.ends[i]):",
        "if lacking <= 0:",
        "EASY",
    ),
    "extra processors are not reduced after a start": Mistake(
        EASY,
        "fits_on_one(parts[head], request, spare)):\n",
        "fits_on_one(parts[head], request, spare)):\n"
        "        for c in range(len(spare)):\n            spare[c] += taken[c]\n",
        "EASY",
    ),
    "a promised start stays when jobs end early": Mistake(
        EASY,
        "is_planned = state.is_planned and not state.departed",
        "is_planned = state.is_planned and state.running > 0",
        "EASY",
    ),
    "a newcomer before the head does not take its place": Mistake(
        EASY, "first < state.head:", "state.head == len(submit):", "EASY-ordered"
    ),
    "a job waits for one cluster too briefly": Mistake(
        EASY,
        "if plan.ends[i] > until:",
        "if plan.ends[i] >= until:",
        "EASY-adaptive",
    ),
    "the head is examined again after each job that passed it": Mistake(
        EASY,
        "if state.at_head and fits(",
        "if fits(",
        "adaptive",
        "test_same_schedule_of_jobs_of_one_instant_where_spanning_is_adaptive",
    ),
    "the compression skips the first job": Mistake(
        CONSERVATIVE, "state.position = -1", "state.position = 0", "Conservative"
    ),
    "an ended job that was expected last is forgotten": Mistake(
        CONSERVATIVE, "= max(state.next_reach, until)", "= until", "Conservative"
    ),
    "the latest start of a reservation is not checked": Mistake(
        CONSERVATIVE, "if asked.latest[job] < state.begin < np.inf:", "if False:", "Conservative"
    ),
    "a shortcut forgets jobs without length": Mistake(
        PROFILE,
        "len(search.idle) == 1 and count == 0 and",
        "len(search.idle) == 1 and",
        "Conservative",
    ),
    "a job without length blocks the instant of its start": Mistake(
        PROFILE, "if start < instant < end and", "if start <= instant < end and", "Conservative"
    ),
    "jumps are counted after the head changed": Mistake(
        TURN, "started if options.counts_at_head else head", "head", "FPFS"
    ),
    "the penalty of a job on two clusters is forgotten": Mistake(
        EVENTS, "if clusters < 2:", "if clusters < 3:", "FCFS"
    ),
    "the heap loses a departure at a tie": Mistake(
        EVENTS,
        "        if ends[child] >= end:\n            break",
        "        if ends[child] == end:\n            return first\n"
        "        if ends[child] > end:\n            break",
        "FCFS",
    ),
    "a held queue is one job too long": Mistake(
        EVENTS, "arrived - started >= backlog if", "arrived - started > backlog if", "EASY"
    ),
    "worst fit breaks ties by the last cluster": Mistake(
        PLACING, "idle[c] > idle[best]", "idle[c] >= idle[best]", "FCFS"
    ),
    "best fit breaks ties by the last cluster": Mistake(
        PLACING, "idle[c] < idle[best]", "idle[c] <= idle[best]", "EASY"
    ),
    "the tree forgets jobs that end at the promised start": Mistake(
        TREE, "now + least <= shadow", "now + least < shadow", "EASY"
    ),
    "the latest start is one step later": Mistake(
        BOOKING, "requests.latest[job], 0", "requests.latest[job] + step, 0", "Online"
    ),
    "the horizon is one slot short": Mistake(
        BOOKING, "(number + slots) * slot", "(number + slots - 1) * slot", "Online"
    ),
    "attempts that have room are passed over": Mistake(
        BOOKING, "if total(work.idle) < wanted:", "if total(work.idle) <= wanted:", "Online"
    ),
    "a job without length leaves when it starts": Mistake(
        BOOKING, "if begin < end[job] else", "if True else", "Online"
    ),
    "a period that ends with the job is not counted": Mistake(
        PERIODS, "+ length > end:", "+ length >= end:", "Online"
    ),
    "a period that begins later is taken": Mistake(
        PERIODS,
        "and table.begin[i] <= start and table.end[i] >= end:\n            feasible[",
        "and table.end[i] >= end:\n            feasible[",
        "Online",
    ),
    "what is left before a job is lost": Mistake(
        PERIODS, "if begin < start:", "if False:", "Online"
    ),
}


def copy_of_library(folder):
    """Copy the library and its tests into a folder."""
    for name in ("coalloc_lib", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder / "coalloc_lib"


def agreement(folder, *arguments, test="test_both_engines_agree"):
    """Run an agreement test on the library in a folder; return the finished process.

    The first failure ends the run, and Hypothesis does not shrink it.
    """
    test = f"tests/engines/test_agreement.py::{test}"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-x", test, *arguments]
    command.append("--hypothesis-profile=unshrunk")
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.long
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(tmp_path, name):
    mistake = MISTAKES[name]
    file = copy_of_library(tmp_path) / mistake.file
    text = file.read_text()
    assert text.count(mistake.right) == 1, f"{mistake.file} has this text not exactly once"
    file.write_text(text.replace(mistake.right, mistake.wrong))
    run = agreement(tmp_path, "-k", mistake.policy, test=mistake.test)
    assert run.returncode == 1, run.stdout[-2000:] + run.stderr[-2000:]
    assert "AssertionError" in run.stdout or "in an idle system" in run.stdout


@pytest.mark.long
def test_the_unchanged_copy_passes(tmp_path):
    copy_of_library(tmp_path)
    run = agreement(tmp_path)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
