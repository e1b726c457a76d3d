"""Independent random generators from one seed, the same on any machine and number of workers."""

import numpy as np


def spawn(seed, count):
    """Return `count` independent seeds that depend on `seed` alone.

    Unlike `SeedSequence.spawn`, which counts its calls, the same seed gives the same children
    however often it is asked.

    Parameters
    ----------
    seed : int or SeedSequence
    count : int
    """
    parent = np.random.SeedSequence(seed) if isinstance(seed, int) else seed
    return [
        np.random.SeedSequence(parent.entropy, spawn_key=(*parent.spawn_key, i))
        for i in range(count)
    ]


def generators(seed, count):
    """Return `count` independent generators that depend on `seed` alone."""
    return [np.random.default_rng(child) for child in spawn(seed, count)]
