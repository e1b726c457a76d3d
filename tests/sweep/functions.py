"""What the sweeps of these tests call, and who watches them."""

import numpy as np

from coalloc_lib.progress import Silent


def noisy(load, seed, shift=0.0):
    return load + shift + np.random.default_rng(seed).random()


def inverse(x, seed):
    return {"inverse": 1 / x, "square": x**2}


class Calls:
    """A function that counts its calls; every copy of it has the same key."""

    def __init__(self):
        self.made = []

    def __getstate__(self):
        return {}

    def __call__(self, x, seed):
        self.made.append(x)
        return x / 3


class Watch(Silent):
    def __init__(self):
        self.announced = self.steps = self.found = 0

    def total(self, steps, found=0):
        self.announced += steps
        self.found += found

    def step(self):
        self.steps += 1
