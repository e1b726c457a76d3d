"""One joint reading of the parameters that a paper does not print, and how little it proves.

A reading is one choice of all lost parameters together. `JointReading` states how far the numbers
of our reading lie from the printed ones, and how often random numbers would fit as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, one_of

#: Random numbers lie within this factor of the printed ones, evenly on a logarithmic scale.
FACTOR = 2.0
#: How many sets of random numbers are drawn, and the seed of the drawing.
DRAWS, SEED = 10_000, 1


@dataclass(frozen=True)
class JointReading:
    """The numbers of several readings beside the printed ones.

    Parameters
    ----------
    printed : dict of str to float
        The printed numbers, by name.
    readings : dict of str to dict
        For each reading, what comes out for each printed number. A number that a reading does not
        have is NaN, and then the reading fits nothing.
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
        """The misfit of each reading: the root mean square of the logarithms of its ratios."""
        printed = np.array([*self.printed.values()])
        return dict(zip(self.readings, self._misfits(printed).tolist(), strict=True))

    @property
    def misfit(self) -> float:
        """The misfit of our reading; 0.1 means that its numbers are about 10 % off."""
        return self.misfits[self.ours]

    @property
    def best(self) -> str:
        """The reading that fits best."""
        return min(self.misfits, key=self.misfits.__getitem__)

    @cached_property
    def share_as_good(self) -> float:
        """The share of random sets of numbers that some reading fits as well as ours fits these.

        Each printed number is multiplied by a random factor from 1/2 to 2. All readings are tried
        on each set, because we tried all of them on the printed numbers too.
        """
        rng = np.random.default_rng(SEED)
        printed = np.array([*self.printed.values()])
        factors = FACTOR ** rng.uniform(-1.0, 1.0, (DRAWS, len(printed)))
        best = [self._misfits(printed * each).min() for each in factors]
        return float(np.mean(np.array(best) <= self.misfit))

    def _misfits(self, printed: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the misfit of each reading over printed numbers."""
        off = np.log(self._found / printed)
        off[:, self._is_limit] = np.minimum(off[:, self._is_limit], 0.0)
        misfits = np.sqrt((off**2).mean(axis=1))
        return np.where(np.isnan(misfits), np.inf, misfits)

    @cached_property
    def _found(self) -> NDArray[np.float64]:
        """What comes out: a row for each reading, a column for each printed number."""
        rows = [[found.get(name, np.nan) for name in self.printed]
                for found in self.readings.values()]  # fmt: skip
        # A threshold below zero has no ratio to a printed one: such a reading fits nothing.
        found = np.array(rows, dtype=float)
        return np.where(found > 0, found, np.nan)

    @cached_property
    def _is_limit(self) -> NDArray[np.bool_]:
        return np.array([name in self.limits for name in self.printed])

    def words(self) -> str:
        """Return how well our reading fits, and how little that proves, in a sentence or two."""
        told = (
            f"Our reading ({self.ours}) has a misfit of {self.misfit:.0%} over {len(self.printed)} "
            f"printed numbers. Of random numbers within a factor of {FACTOR:g} of these, one of "
            f"the {len(self.readings)} readings that were tried fits {self.share_as_good:.0%} as "
            "well."
        )
        if self.best == self.ours:
            return told
        least = min(self.misfits.values())
        return f"{told} The best reading ({self.best}) has a misfit of {least:.0%}."

    def table(self) -> pd.DataFrame:
        """Return a row for each reading, the best first: its numbers over those printed."""
        rows = []
        for name, misfit in sorted(self.misfits.items(), key=lambda each: each[1]):
            row: dict[str, Any] = {"reading": name, "ours": name == self.ours, "misfit": misfit}
            for number, printed in self.printed.items():
                row[f"{number} ({printed:g})"] = self.readings[name].get(number, np.nan)
            rows.append(row)
        return pd.DataFrame(rows).assign(share_as_good=self.share_as_good)
