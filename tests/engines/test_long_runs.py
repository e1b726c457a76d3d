"""Long runs: Ctrl-C ends them, and how conservative backfilling finds room in a long plan."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.basics.compilation import call
from coalloc_lib.engines import kernel_calls
from coalloc_lib.engines.kernels import booking, events, placing
from coalloc_lib.engines.kernels import profile_steps as steps_of
from tests.engines.test_agreement import same

#: The total number of processors, and a program that takes minutes.
SIZE = 20
LONG = """
import signal
import numpy as np
import coalloc_lib as co
signal.signal(signal.SIGINT, signal.default_int_handler)  # Programs in the background ignore it.
rng, n = np.random.default_rng(1), 20_000
runtime = rng.exponential(100, n)
jobs = co.JobStream(
    np.zeros(n), runtime, rng.integers(1, 65, n), runtime * rng.uniform(1, 10, n), request="total"
)
print("ready", flush=True)
co.simulate(co.Multicluster([128]), jobs, scheduling=co.Conservative())
"""


@pytest.mark.long
def test_an_interrupt_ends_a_compiled_run_within_a_second():
    with subprocess.Popen(
        [sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout.readline() == "ready\n"
        time.sleep(5)
        assert run.poll() is None
        run.send_signal(signal.SIGINT)
        begin = time.monotonic()
        errors = run.communicate()[1]
    assert time.monotonic() - begin < 1 + 1  # one to stop, one to end the interpreter
    assert "KeyboardInterrupt" in errors


@pytest.mark.parametrize(
    "scheduling", [co.FCFS(), co.EASY(), co.Conservative(), co.Online(10, 5, 8, 100)], ids=str
)
def test_a_run_in_a_thread_of_its_own_makes_the_same_schedule(scheduling, monkeypatch):
    """A long run has its own thread and shows its progress; this does not change the schedule."""
    rng, n = np.random.default_rng(1), 300
    jobs = co.JobStream(rng.integers(0, 50, n), rng.exponential(5, n), rng.integers(1, 9, n))
    alone = co.simulate(co.Multicluster([9]), jobs, scheduling=scheduling)
    for name in ("FEW", "FEW_PLANNED", "PATIENCE"):
        monkeypatch.setattr(kernel_calls, name, 0)
    same(co.simulate(co.Multicluster([9]), jobs, scheduling=scheduling), alone)


def test_bookings_stop_when_they_are_interrupted(monkeypatch):
    def stopped(kernel, *arguments, **how):
        if kernel is not booking.run_online:
            return call(kernel, *arguments, **how)
        *_, bookings, watch = arguments
        bookings.start[:], watch[events.STOP] = -1, 1
        call(kernel, *arguments, **how)
        assert (bookings.start == -1).all()
        raise KeyboardInterrupt

    monkeypatch.setattr(kernel_calls, "call", stopped)
    jobs = co.JobStream([0, 0], [1, 1], [1, 1])
    with pytest.raises(KeyboardInterrupt):
        co.simulate(co.Multicluster([9]), jobs, scheduling=co.Online())


@given(
    st.lists(st.tuples(st.integers(1, SIZE), st.integers(0, 9)), min_size=1, max_size=150),
    st.data(),
)
def test_the_first_window_is_found_however_the_steps_stand_in_blocks(jobs, data):
    """The search agrees with a list of the idle processors in each unit of time."""
    levels = np.unique(data.draw(st.lists(st.integers(1, SIZE), min_size=1, max_size=4)))
    levels[0] = 1
    steps = steps_of.new_steps(np.array([SIZE]), levels)
    sizing = steps_of.Sizing(placing.TOTAL, 1, 0, np.empty(1, np.int64))
    idle, held = np.full(3000, SIZE), []
    for number, (wanted, length) in enumerate(jobs):
        level = int(np.searchsorted(levels, wanted, side="right")) - 1
        first = steps.blocks[steps_of.NUMBERS, steps_of.FIRST]
        _, start = steps_of.next_window(
            steps, first, 0.0, np.inf, wanted, level, float(length), np.inf
        )
        fits = ((idle[at : at + length] >= wanted).all() for at in range(1500))
        assert start == next(at for at, does_fit in enumerate(fits) if does_fit)
        steps = steps_of.with_room(steps, 4)
        begin = int(start)
        held.append((begin, begin + length, np.array([wanted], np.int32)))
        changes = [(1, held[-1])]
        if number % 3 == 2:
            changes.append((-1, held.pop(data.draw(st.integers(0, len(held) - 1)))))
        for sign, (since, until, taken) in changes:
            steps_of.take(steps, float(since), float(until), taken, sign, sizing)
            idle[since:until] -= sign * taken[0]
