"""Measure how well one joint reading of a paper's unprinted parameters fits its printed numbers.

A reading is one choice of values for all parameters that a paper does not print. `JointReading`
states how far the numbers of our reading are from the printed ones, and how often random numbers
would fit equally well.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, one_of

#: To make a set of random numbers, each number printed in the paper is multiplied by a random
#: factor between 1/FACTOR and FACTOR. The factor is uniform on a logarithmic scale.
FACTOR = 2.0
#: The number of sets of random numbers that are generated, and the seed of the generator.
SETS, SEED = 10_000, 1


@dataclass(frozen=True)
class JointReading:
    """A test of how well assumed values of unstated parameters fit the numbers in a paper.

    Each choice of values for these parameters is called a reading.

    Parameters
    ----------
    printed : dict of str to float
        The printed numbers, by name.
    readings : dict of str to dict
        For each reading, the value that it gives for each printed number. If a value is missing or
        NaN, the reading cannot be compared, and its misfit is infinite.
    ours : str
        The reading that the study uses.
    limits : tuple of str
        Printed numbers that are lower limits, such as *over 0.3*: any larger value fits.
    """

    printed: Mapping[str, float]
    readings: Mapping[str, Mapping[str, float]]
    ours: str
    limits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        one_of("ours", self.ours, tuple(self.readings))
        for name, value in self.printed.items():
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"printed[{name!r}] = {value}; give a positive number")
        for name in self.limits:
            one_of("limits", name, tuple(self.printed))

    @cached_property
    def misfits(self) -> dict[str, float]:
        """How badly each choice of the unstated parameters fits the numbers printed in the paper.

        It is the root mean square of log(value / printed number).
        """
        printed = np.array([*self.printed.values()])
        return dict(zip(self.readings, self._misfits(printed).tolist(), strict=True))

    @property
    def misfit(self) -> float:
        """The misfit of the parameter values that the study uses; 0.1 means about 10 % off."""
        return self.misfits[self.ours]

    @property
    def best(self) -> str:
        """The choice of the unstated parameters that best fits the numbers printed in the paper."""
        return min(self.misfits, key=self.misfits.__getitem__)

    @cached_property
    def share_as_good(self) -> float:
        """How often some choice of parameters fits random numbers as well as ours fits the paper.

        A random set has the printed numbers, each multiplied by a random factor from 1/2 to 2. All
        readings are compared with each set, and the best one counts, because we compared all
        readings with the printed numbers too.
        """
        rng = np.random.default_rng(SEED)
        printed = np.array([*self.printed.values()])
        factors = FACTOR ** rng.uniform(-1.0, 1.0, (SETS, len(printed)))
        best = [self._misfits(printed * of_one_set).min() for of_one_set in factors]
        return float(np.mean(np.array(best) <= self.misfit))

    def _misfits(self, printed: NDArray[np.float64]) -> NDArray[np.float64]:
        off = np.log(self._values / printed)
        off[:, self._is_limit] = np.minimum(off[:, self._is_limit], 0.0)
        misfits = np.sqrt((off**2).mean(axis=1))
        return np.where(np.isnan(misfits), np.inf, misfits)

    @cached_property
    def _values(self) -> NDArray[np.float64]:
        rows = [
            [values.get(name, np.nan) for name in self.printed] for values in self.readings.values()
        ]
        # Only positive values have a logarithm. All other values become NaN, which makes the misfit
        # of a choice of parameters infinite.
        values = np.array(rows, dtype=float)
        return np.where(values > 0, values, np.nan)

    @cached_property
    def _is_limit(self) -> NDArray[np.bool_]:
        return np.array([name in self.limits for name in self.printed])

    def words(self) -> str:
        """Return one or two sentences that say how well our choice of parameters fits the paper."""
        sentences = (
            f"Our choice of parameters ({self.ours}) has a misfit of {self.misfit:.0%} over "
            f"{len(self.printed)} "
            f"printed numbers. If these are multiplied by random factors of up to "
            f"{FACTOR:g}, one of the {len(self.readings)} choices that were tried fits as well in "
            f"{self.share_as_good:.0%} of the cases."
        )
        if self.best == self.ours:
            return sentences
        least = min(self.misfits.values())
        return f"{sentences} The best choice ({self.best}) has a misfit of {least:.0%}."

    def table(self) -> pd.DataFrame:
        """Return a table with one row per choice of parameters, sorted by misfit.

        The columns have the values of the reading; their names have the printed numbers.
        """
        rows = []
        for name, misfit in sorted(self.misfits.items(), key=lambda item: item[1]):
            row: dict[str, Any] = {"reading": name, "ours": name == self.ours, "misfit": misfit}
            for number, printed in self.printed.items():
                row[f"{number} ({printed:g})"] = self.readings[name].get(number, np.nan)
            rows.append(row)
        return pd.DataFrame(rows).assign(share_as_good=self.share_as_good)
