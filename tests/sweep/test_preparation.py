"""Every kernel of the library is compiled beforehand, for the types that are used."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

#: Finds the kernels by looking into every module, and takes note of what they are compiled for.
LOOKING = """
import pkgutil
from importlib import import_module
from itertools import product

import coalloc_lib as co
from coalloc_lib.sweep import compile_kernels

modules = [m.name for m in pkgutil.walk_packages(co.__path__, "coalloc_lib.")]
spaces = [vars(import_module(m)) for m in modules if not m.endswith("__main__")]
kernels = {id(k): k for space in spaces for k in space.values() if hasattr(k, "py_func")}.values()

def compiled():
    return {(k.__module__, k.__name__): set(k.signatures) for k in kernels}

compile_kernels()
before = compiled()
print(len(before), "kernels")
assert all(before.values()), [name for name, kinds in before.items() if not kinds]
"""

#: What people call, in many ways: none of it compiles anything more.
USING = """
system = co.Multicluster([4, 6])
requests = ("ordered", "unordered", "flexible", "total")
for request, rule, order in product(
    requests,
    (co.WorstFit, co.FirstFit),
    (co.FCFS(), co.FPFS(3), co.EASY(), co.Conservative(), co.Online(rule="best-fit")),
):
    placement = rule() if request in ("unordered", "total") else None
    for components, where in ((1, co.Multicluster([8])), (2, system)):
        if request == "total":
            components = 1
        jobs = co.JobModel(co.uniform(1, 3), components, request).sample(50, 1)
        co.simulate(where, jobs, scheduling=order, placement=placement)
        co.maximal_utilization(where, co.uniform(1, 3), components, request, placement=placement)
joint = co.JointSizes.independent(co.uniform(1, 3), 2)
for request in requests[:2]:
    co.maximal_utilization(system, joint, request=request)
    co.exact_utilization(system, joint, request=request)
after = compiled()
assert after == before, [name for name, kinds in after.items() if kinds != before[name]]
"""


@pytest.mark.long
def test_every_kernel_is_found_and_compiled_for_the_types_that_are_used(tmp_path):
    """In an empty cache: what is loaded from a full one does not show what it calls."""
    code = [sys.executable, "-c", LOOKING + USING]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(code, cwd=ROOT, env=environment, text=True, capture_output=True)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.split()[0]) > 5
