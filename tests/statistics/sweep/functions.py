"""The functions that the sweeps of these tests call, and a progress receiver.

Worker processes import this module, so it does not import pytest or Dask.
"""

import os
import threading
import time

import numpy as np

import coalloc_lib as co
from coalloc_lib.basics.progress import NullProgress


def noisy(load, seed, shift=0.0):
    return load + shift + np.random.default_rng(seed).random()


def inverse(x, seed):
    return {"inverse": 1 / x, "square": x**2}


class Calls:
    """A function that counts its calls; all copies of it have the same key in the cache."""

    def __init__(self):
        self.made = []

    def __getstate__(self):
        return {}

    def __call__(self, x, seed):
        self.made.append(x)
        return x / 3


class Watch(NullProgress):
    def __init__(self):
        self.announced = self.steps = self.found = 0

    def total(self, steps, found=0):
        self.announced += steps
        self.found += found

    def step(self):
        self.steps += 1


POINTS, REPLICATIONS = 200, 2
LOGGED = [{"x": x} for x in range(POINTS)]


def logged(x, seed):
    """Wait a moment, then append to a log file, which remains if the process is killed."""
    time.sleep(float(os.environ.get("SWEEP_PAUSE", "0.004")))
    log = os.open(os.environ["SWEEP_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f"{x} {seed.spawn_key[0]}\n".encode())
    os.close(log)
    return x, np.random.default_rng(seed).random(3).tolist()


SYSTEM = co.Multicluster([8, 8])


def response(scheduling, sizes, request, seed):
    jobs = co.JobModel(sizes, components=2, request=request).sample(500, seed)
    times = co.simulate(SYSTEM, jobs, scheduling=scheduling).response
    return {"mean": times.mean(), "longest": times.max()}


def where(x, seed):
    time.sleep(0.02)
    return {"process": os.getpid(), "thread": threading.get_ident()}


def fails(x, seed):
    if x == 1:
        raise ValueError("no such x")
    return None if x == 2 else threading.Lock() if x == 3 else x


def dies(x, home, seed):
    if x == 13 and os.getpid() != home:
        os._exit(3)
    time.sleep(0.05)
    return x
