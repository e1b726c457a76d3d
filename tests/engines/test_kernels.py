"""The kernels by themselves: what they promise one another, and how much they look at."""

import ast
import inspect
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.calendar.kernels import periods
from coalloc_lib.engines import compiled, kernel_calls, reference
from coalloc_lib.engines.kernels import (
    booking,
    conservative,
    easy,
    events,
    placing,
    profile_steps,
    queue_order,
    queue_tree,
)
from coalloc_lib.engines.outcome import Task
from coalloc_lib.model.placement import FACTOR, PRIME
from tests.engines.test_agreement import uncompiled


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=60))
def test_the_heap_gives_the_earliest_end_each_time(steps):
    ends, numbers, held, count = np.empty(60), np.empty(60, np.int64), [], 0
    for number, (adds, end) in enumerate(steps):
        if adds or not held:
            events.push(ends, numbers, count, float(end), number)
            held.append((end, number))
            count += 1
        else:
            first = events.pop(ends, numbers, count)
            count -= 1
            (gone,) = (pair for pair in held if pair[1] == first)
            assert gone[0] == min(held)[0]
            held.remove(gone)
        if held:
            assert ends[0] == min(held)[0]


@given(st.lists(st.integers(0, 100), min_size=1, max_size=5), st.integers(0, PRIME - 1))
def test_random_fit_sorts_by_the_fifth_power_that_it_defines(idle, number):
    digits = sum(free * FACTOR**place for place, free in enumerate(reversed(idle)))
    assert placing.random_key(np.array(idle), number) == pow(digits + number, 5, PRIME)


@st.composite
def queues(draw):
    """Sample a tree over a queue after all jobs were entered and some of them have started."""
    keys = np.array(
        draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=50)),
        dtype=np.int32,
    )
    n = len(keys)
    tree, waits = queue_tree.empty_tree(n, 2), np.ones(n, bool)
    for job in range(n):
        queue_tree.enter(tree, keys, job)
    waits[draw(st.lists(st.integers(0, n - 1), max_size=n))] = False
    return tree, keys, waits


@given(queues(), st.data())
def test_tightening_a_block_leaves_every_row_above_it_as_high_as_it_can_be(case, data):
    tree, keys, waits = case
    leaves = len(tree) // 2
    block = data.draw(st.integers(0, -(-len(keys) // queue_tree.BLOCK) - 1))
    queue_tree.tighten(tree, keys, waits, block, len(keys))
    rows = slice(block * queue_tree.BLOCK, (block + 1) * queue_tree.BLOCK)
    mine = keys[rows][waits[rows]]
    node = leaves + block
    bound = mine.min(axis=0, initial=queue_tree.NEVER)
    assert tree[node].tolist() == bound.tolist()
    while node > 1:
        node //= 2
        assert tree[node].tolist() == np.minimum(tree[2 * node], tree[2 * node + 1]).tolist()


#: A program that counts how many keys each search in the queue compares. While job 0 runs, 4,095
#: jobs enter the queue. One in 16 needs 1 processor, the others need all processors. When job 0
#: leaves, the small jobs start, and then leave one after the other. Until the last of them has
#: left, no search finds a job. The rows of the tree above the started jobs are lower than
#: necessary.
WORK = """
import json
import numpy as np
import coalloc_lib as co
from coalloc_lib.engines.kernels import queue_tree
counts = []
plain = queue_tree.fits
def counted(key, room):
    counts[-1] += 1
    return plain(key, room)
queue_tree.fits = counted
n = 4096
components = np.where(np.arange(n) % 16 == 1, 1, 260)
jobs = co.JobStream(np.minimum(np.arange(n), 0.5), np.arange(n) + 1.0, components, request="total")
plain_first = queue_tree.first_fitting
import coalloc_lib.engines.kernels.queue_order as in_turn
def first(*arguments):
    counts.append(0)
    return plain_first(*arguments)
in_turn.first_fitting = first
co.simulate(co.Multicluster([260]), jobs, scheduling=co.FPFS(10**6))
print(json.dumps(counts))
"""


def test_a_scan_in_vain_looks_at_little_of_a_long_queue(tmp_path):
    """A search that finds no job raises the rows of the tree, so later searches are short."""
    counts = np.array(json.loads(uncompiled(tmp_path, WORK)))
    assert len(counts) > 1000
    assert np.count_nonzero(counts > 40) <= 10


IMPOSSIBLE = [
    ("total", [[2], [9], [1]]),
    ("unordered", [[2, 1], [9, 1], [1, 1]]),
    ("ordered", [[2, 1], [2, 9], [1, 1]]),
    ("flexible", [[2], [99], [1]]),
]


@pytest.mark.parametrize("backlog", [None, 1, 2])
@pytest.mark.parametrize("scheduling", [co.FCFS(), co.FPFS(3)], ids=str)
@pytest.mark.parametrize(("request_type", "components"), IMPOSSIBLE)
def test_a_job_that_never_fits_ends_the_run_on_both_engines(
    request_type, components, scheduling, backlog
):
    """An engine raises an error for a job that never fits; `simulate` rejects it earlier."""
    jobs = co.JobStream([0, 1, 2], [1, 1, 1], components, request=request_type)
    placement = None if request_type == "ordered" else co.WorstFit()
    messages = []
    for engine in (compiled, reference):
        with pytest.raises(co.InputError, match="in an idle system, beginning with job 1") as error:
            engine.run(Task(co.Multicluster([4, 4]), jobs, scheduling, placement, backlog))
        messages.append(str(error.value))
    assert messages[0] == messages[1]


@given(queues(), st.lists(st.integers(0, 7), min_size=2, max_size=3), st.data())
def test_the_first_job_that_may_pass_is_found(case, room, data):
    """The search in the trees finds the first job that may overtake the head.

    A job whose room has a third entry also fits if the last entry of its key is at most this entry.
    """
    tree, keys, waits = case
    n, begin = len(keys), data.draw(st.integers(0, len(keys)))
    room = np.array(room)
    beside = np.minimum(room, data.draw(st.integers(0, 7)))
    shadow = data.draw(st.sampled_from([np.inf, 3.0, 9.0]))
    least = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), float)[:, None]
    shortest = queue_tree.empty_tree(n, 1, np.float64)
    for job in range(n):
        queue_tree.enter(shortest, least, job)

    def fit(room):
        fits = (keys <= room[:2]).all(axis=1)
        return fits | (keys[:, 1] <= room[2]) if len(room) == 3 else fits

    passes = fit(room) & ((1 + least[:, 0] <= shadow) | fit(beside))
    passes &= waits & (np.arange(n) >= begin)
    expected = int(passes.argmax()) if passes.any() else -1
    trees = queue_tree.Trees(tree, shortest)
    fresh = data.draw(st.integers(0, n))  # The waiting jobs from here on are in a list.
    last = fresh + np.flatnonzero(waits[fresh:])
    for _ in range(2):  # The second search uses a tree with raised rows.
        queue, test = (keys, least, waits), (room, beside, 1.0, shadow)
        found = queue_tree.first_passing(trees, queue, begin, fresh, last, test)
        assert found == expected
    if shadow == np.inf:  # Every job that fits may then overtake the head.
        assert queue_tree.first_fitting(tree, keys, waits, begin, fresh, n, room) == expected


MODULES = (
    booking, conservative, easy, events, periods, placing, profile_steps, queue_order, queue_tree,
)  # fmt: skip


def kernels_of(module):
    """Return the kernels that a module defines."""
    made = [each for each in vars(module).values() if hasattr(each, "py_func")]
    return [kernel for kernel in made if kernel.py_func.__module__ == module.__name__]


def called_by(kernel):
    """Return the kernels that a kernel calls, by their names or as attributes of modules."""
    names, known = kernel.py_func.__code__.co_names, kernel.py_func.__globals__
    places = [known, *(vars(each) for each in known.values() if inspect.ismodule(each))]
    found = [place[name] for name in names for place in places if name in place]
    return [each for each in found if hasattr(each, "py_func")]


def makes_arrays(kernel):
    return kernel.targetoptions["_nrt"]


def returns_arrays(kernel):
    """Return whether a kernel returns a named tuple of arrays."""
    tree = ast.parse(inspect.getsource(kernel.py_func))
    made = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    names = [node.func for node in made if isinstance(node, ast.Call)]
    return any(ast.unparse(name).split(".")[-1][0].isupper() for name in names)


@pytest.mark.skipif(not hasattr(placing.fits, "py_func"), reason="compilation is switched off")
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_who_counts_no_references_gets_and_gives_no_arrays_that_are_counted(module):
    for kernel in kernels_of(module):
        for other in called_by(kernel):
            if makes_arrays(other):  # The arrays would never be freed.
                assert makes_arrays(kernel), (kernel, other)
            elif returns_arrays(other):  # The arrays would be freed too early.
                assert not makes_arrays(kernel), (kernel, other)


def test_only_a_long_run_in_the_main_thread_has_a_second_thread(monkeypatch):
    made = []

    class Counted(ThreadPoolExecutor):
        def __init__(self, *given):
            made.append(given)
            super().__init__(*given)

    monkeypatch.setattr(kernel_calls, "ThreadPoolExecutor", Counted)

    def run(jobs):
        return kernel_calls.run_kernel(lambda watch: len(watch), jobs=jobs, few=10)

    assert (run(10), made) == (2, [])
    with ThreadPoolExecutor(1) as pool:
        assert (pool.submit(run, 11).result(), made) == (2, [])
    assert (run(11), len(made)) == (2, 1)
