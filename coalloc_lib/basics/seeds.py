"""Independent random generators that all depend on one seed.

The generators are the same on every machine and for every number of parallel workers.
"""

import numpy as np

from coalloc_lib.basics.checks import whole

#: The type of the seeds of random number generators.
Seed = int | np.random.SeedSequence


def spawn(seed: Seed, count: int) -> list[np.random.SeedSequence]:
    """Derive `count` independent seeds from `seed`.

    Unlike `numpy.random.SeedSequence.spawn`, every call with the same seed returns the same seeds.
    """
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(whole("seed", seed, least=0))
    entropy, key = seed.entropy, seed.spawn_key
    return [np.random.SeedSequence(entropy, spawn_key=(*key, i)) for i in range(count)]


def parent(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """Return the seed from which the function `spawn` derived a given seed."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key[:-1])


def generators(seed: Seed, count: int) -> list[np.random.Generator]:
    """Return `count` independent random generators that depend only on `seed`."""
    return [np.random.default_rng(child) for child in spawn(seed, count)]
