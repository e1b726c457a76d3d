"""Independent random generators from one seed, the same on any machine and number of workers."""

import numpy as np

from coalloc_lib.basics.checks import whole

#: What random numbers are made from.
Seed = int | np.random.SeedSequence


def spawn(seed: Seed, count: int) -> list[np.random.SeedSequence]:
    """Return `count` independent seeds that depend on `seed` alone.

    Unlike `SeedSequence.spawn`, it gives the same ones however often it is asked.
    """
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(whole("seed", seed, least=0))
    entropy, key = seed.entropy, seed.spawn_key
    return [np.random.SeedSequence(entropy, spawn_key=(*key, i)) for i in range(count)]


def parent(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """Return the seed that this one was spawned from."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key[:-1])


def generators(seed: Seed, count: int) -> list[np.random.Generator]:
    """Return `count` independent generators that depend on `seed` alone."""
    return [np.random.default_rng(child) for child in spawn(seed, count)]
