"""What all tests share: random streams on random systems, and where the real logs are."""

import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import coalloc_lib as co

hypothesis.settings.register_profile("coalloc", deadline=None, derandomize=True)
hypothesis.settings.load_profile("coalloc")

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config):
    """Compile the kernels before the workers of xdist start, each of which would."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        from tests.warm import compile_kernels

        compile_kernels()


@pytest.fixture(scope="session")
def real_logs():
    """The folder of the real logs; skips where there is none."""
    if "COALLOC_TRACES" not in os.environ:
        pytest.skip("set COALLOC_TRACES to the folder of the real logs")
    return Path(os.environ["COALLOC_TRACES"])


@st.composite
def systems_and_streams(draw, most_jobs=60, requests=("ordered", "unordered", "flexible", "total")):
    """A multicluster and a stream whose every job fits, with ties and zeros not rare."""
    sizes = draw(st.lists(st.integers(2, 9), min_size=1, max_size=5))
    request = draw(st.sampled_from(requests))
    n = draw(st.integers(1, most_jobs))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    width = draw(st.integers(1, len(sizes)))
    if request == "total":
        components = rng.integers(1, max(sizes) + 1, (n, 1))
    elif request == "flexible":
        components = rng.integers(1, sum(sizes) + 1, (n, 1))
    else:
        limits = sizes if request == "ordered" else sorted(sizes, reverse=True)
        components = np.stack([rng.integers(0, most + 1, n) for most in limits[:width]], axis=1)
        components[components.sum(axis=1) == 0, 0] = 1
        if request == "unordered":
            components = rng.permuted(components, axis=1)
    submit, runtime = (
        rng.integers(0, 12, n) if draw(st.booleans()) else rng.exponential(scale, n)
        for scale in (9, 3)
    )
    jobs = co.JobStream(
        submit=submit,
        runtime=runtime,
        components=components,
        request=request,
        span_penalty=rng.uniform(0, 1, n) if draw(st.booleans()) else 0.0,
    )
    return co.Multicluster(sizes), jobs


@st.composite
def placements(draw, clusters):
    """A placement for so many clusters."""
    order = draw(st.permutations(range(clusters)))
    return draw(
        st.sampled_from([co.FirstFit(), co.FirstFit(clusters=order), co.WorstFit(), co.BestFit()])
    )


policies = st.one_of(
    st.just(co.FCFS()), st.builds(co.FPFS, max_jumps=st.sampled_from([0, 1, 2, 5, 50]))
)
