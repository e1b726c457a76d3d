"""What every distribution has: exact moments, and draws."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.cards import card
from coalloc_lib.checks import InputError, instance_of, whole
from coalloc_lib.columns import numbers

#: How many values are drawn: one, so many, or a table of them.
Shape = int | tuple[int, ...] | None


class Distribution(ABC):
    """What all distributions share; a class derived from it has `mean`, `variance` and `_draw`."""

    if TYPE_CHECKING:  # some have it as a field, others work it out

        @property
        def mean(self) -> float:
            """Mean."""

        @property
        def variance(self) -> float:
            """Variance."""

    @property
    def cv(self) -> float:
        """Coefficient of variation: standard deviation over mean."""
        return float(np.sqrt(self.variance) / self.mean)

    def sample(self, rng: np.random.Generator, shape: Shape = None) -> NDArray:
        """Draw values with the generator `rng`.

        Parameters
        ----------
        rng : numpy.random.Generator
        shape : int or tuple of int, optional
            How many; a single value where it is not given.
        """
        if shape is not None:
            axes = shape if isinstance(shape, tuple) else (shape,)
            shape = tuple(whole("shape", axis, least=0) for axis in axes)
        instance_of("rng", rng, np.random.Generator, "numpy.random.default_rng(seed)")
        return self._draw(rng, shape)

    @abstractmethod
    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        """Draw values; the arguments are checked."""

    def _repr_html_(self) -> str:
        facts = {"mean": self.mean, "coefficient of variation": self.cv}  # type: ignore[attr-defined]
        return card(str(self), facts)


def weights_of(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a new array of probabilities; refuse what is below 0 or does not sum to 1."""
    weights = numbers(name, values).astype(float)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        first = int(bad.argmax())
        raise InputError(f"{name}[{first}] = {weights.flat[first]}; give a number from 0 to 1")
    if abs(weights.sum() - 1) > 1e-9:
        raise InputError(f"{name} sum to {weights.sum():.6g}; divide them by their sum")
    return weights
