"""Policies of one's own on the readable engine, for the tests: how to make and to run them."""

import pytest

import coalloc_lib as co


def run(sizes, rows, policy=None, request="total", **how):
    """Simulate rows (submit, runtime, estimate, processors) of jobs on the readable engine."""
    submit, runtime, estimate, components = zip(*rows, strict=True)
    jobs = co.JobStream(submit, runtime, components, estimate, request=request)
    system = co.Multicluster(sizes)
    return co.simulate(system, jobs, scheduling=policy, engine="reference", **how).verify()


def policy(start_jobs, name="Mine", **more):
    """Return a policy that has the given function as its method `start_jobs`."""
    return type(name, (co.Scheduling,), {"start_jobs": start_jobs, **more})()


ROWS = [(0, 2, 2, 3), (1, 2, 2, 3)]


def fault(sizes=(4,), rows=ROWS, scheduling=None, **how):
    """Run a policy that must cause an `InputError`; return its message, which has one line."""
    with pytest.raises(co.InputError) as error:
        run(list(sizes), rows, scheduling, **how)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300
    return str(error.value)
