"""Every kernel of the library is compiled beforehand, for the types that are used."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

#: This program finds all kernels of the library by searching all of its modules.
LOOKING = """
import pkgutil, sys
from importlib import import_module
from itertools import product

import coalloc_lib as co
from coalloc_lib.statistics.sweep import compile_kernels

modules = [m.name for m in pkgutil.walk_packages(co.__path__, "coalloc_lib.")]
spaces = [vars(import_module(m)) for m in modules if not m.endswith("__main__")]
every = {id(k): k for space in spaces for k in space.values()}.values()
"""

#: This program runs without compilation, and records which kernels run and which kernels they call.
RUNNING = """
kernels = {k.__code__: k for k in every if "-" in getattr(k, "__qualname__", "")}
ran = set()
sys.setprofile(lambda frame, event, _: ran.add(frame.f_code))
compile_kernels()
sys.setprofile(None)
reached = [code for code in kernels if code in ran]
for code in reached:
    called = (kernels[code].__globals__.get(name) for name in code.co_names)
    codes = {getattr(k, "__code__", None) for k in called} & set(kernels) - set(reached)
    reached += codes
print(len(kernels), "kernels")
assert set(reached) == set(kernels), [kernels[code] for code in set(kernels) - set(reached)]
"""

#: This program needs an empty cache, because kernels that are loaded from a cache do not show which
#: kernels they call.
COMPILING = """
kernels = [k for k in every if hasattr(k, "py_func")]

def compiled():
    return {(k.__module__, k.__name__): set(k.signatures) for k in kernels}

compile_kernels()
before = compiled()
print(len(before), "kernels")
assert all(before.values()), [name for name, kinds in before.items() if not kinds]
"""

#: This program calls the public functions in many ways; none of these calls may compile another
#: kernel.
USING = """
from coalloc_lib.engines.compiled import TRANSLATIONS

system = co.Multicluster([4, 6])
policies = [co.FPFS(3), co.Online(rule="best-fit")]
policies += [policy() for policy in TRANSLATIONS if policy is not co.FPFS]
requests = ("ordered", "unordered", "flexible", "total")
for request, rule, order in product(
    requests,
    (co.WorstFit, co.FirstFit),
    policies,
):
    placement = rule() if request in ("unordered", "total") else None
    for components, where in ((1, co.Multicluster([8])), (2, system)):
        if request == "total":
            components = 1
        jobs = co.JobModel(co.uniform(1, 3), components, request).sample(50, 1)
        how = {"scheduling": order, "placement": placement}
        co.simulate(where, jobs, **how)
        if not isinstance(order, co.Online):
            co.simulate(where, jobs, backlog=5, **how)
        co.maximal_utilization(where, co.uniform(1, 3), components, request, placement=placement)
joint = co.JointSizes.independent(co.uniform(1, 3), 2)
for request in requests[:2]:
    co.maximal_utilization(system, joint, request=request)
    co.exact_utilization(system, joint, request=request)
after = compiled()
assert after == before, [name for name, kinds in after.items() if kinds != before[name]]
"""


def look(code, **environment):
    how = {"cwd": ROOT, "env": {**os.environ, **environment}, "text": True, "capture_output": True}
    run = subprocess.run([sys.executable, "-c", LOOKING + code], **how)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.split()[0]) > 5


def test_no_kernel_is_left_out():
    look(RUNNING, NUMBA_DISABLE_JIT="1")


@pytest.mark.long
def test_every_kernel_is_compiled_for_the_types_that_are_used(tmp_path):
    look(COMPILING + USING, NUMBA_CACHE_DIR=str(tmp_path))
