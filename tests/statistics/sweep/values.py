"""Classes of values whose keys are tested.

The test starts programs that import this module, so it does not import pytest.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import coalloc_lib as co


@dataclass(frozen=True, eq=False)
class Holder:
    array: np.ndarray
    scale: float = 1.0

    @cached_property
    def total(self):
        return self.array.sum() * self.scale

    def method(self):
        return self.scale + 1


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


class Tagged(list):
    def __init__(self, content, tag=0):
        super().__init__(content)
        self.tag = tag


class Callable:
    def __init__(self, shift):
        self.shift = shift

    def __call__(self, x, seed):
        return x + self.shift


class LastFit(co.Placement):
    def order(self, idle):
        return reversed(range(len(idle)))


SMALL, LARGE = (co.JobModel(co.uniform(1, most)) for most in (2, 8))
