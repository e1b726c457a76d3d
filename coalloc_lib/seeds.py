"""Independent random generators from one seed, the same on any machine and number of workers."""

import numpy as np

from coalloc_lib.checks import whole

#: What random numbers are made from.
Seed = int | np.random.SeedSequence


def spawn(seed: Seed, count: int) -> list[np.random.SeedSequence]:
    """Return `count` independent seeds that depend on `seed` alone.

    Unlike `SeedSequence.spawn`, which counts its calls, the same seed gives the same children
    however often it is asked.

    Parameters
    ----------
    seed : int or SeedSequence
    count : int
    """
    if isinstance(seed, np.random.SeedSequence):
        parent = seed
    else:
        parent = np.random.SeedSequence(whole("seed", seed, least=0))
    return [
        np.random.SeedSequence(parent.entropy, spawn_key=(*parent.spawn_key, i))
        for i in range(count)
    ]


def generators(seed: Seed, count: int) -> list[np.random.Generator]:
    """Return `count` independent generators that depend on `seed` alone."""
    return [np.random.default_rng(child) for child in spawn(seed, count)]
