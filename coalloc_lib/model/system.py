"""The multicluster: how many clusters there are and how many processors each has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, one_of, whole, whole_numbers
from coalloc_lib.basics.display import card

#: The engines count processors in 32 bits.
_MOST_PROCESSORS = 2**31


@dataclass(frozen=True, init=False)
class Multicluster:
    """Clusters of identical processors, numbered from 0; `sizes` has how many each has, 1 or more.

    Examples
    --------
    >>> system = Multicluster([32, 16])
    >>> len(system), system.processors, system.largest
    (2, 48, 32)
    """

    sizes: tuple[int, ...]

    def __init__(self, sizes: Sequence[int] | NDArray[np.integer] | int) -> None:
        array = np.atleast_1d(whole_numbers("sizes", sizes))
        if array.ndim > 1:
            raise InputError(f"sizes has {array.ndim} dimensions; give one size a cluster")
        clean = tuple(array.tolist())
        if sum(clean) >= _MOST_PROCESSORS:
            raise InputError(
                f"sizes sum to {sum(clean)}; give fewer than {_MOST_PROCESSORS} processors"
            )
        object.__setattr__(self, "sizes", clean)

    @classmethod
    def equal(cls, clusters: int, size: int) -> "Multicluster":
        """Return `clusters` clusters of `size` processors each."""
        return cls([size] * whole("clusters", clusters))

    @classmethod
    def named(cls, name: str) -> "Multicluster":
        """Return a system of the papers by its name; see `NAMED_SYSTEMS`."""
        return cls(NAMED_SYSTEMS[one_of("name", name, tuple(NAMED_SYSTEMS))])

    @property
    def processors(self) -> int:
        """Number of processors of all clusters together."""
        return sum(self.sizes)

    @property
    def largest(self) -> int:
        """Number of processors of the largest cluster."""
        return max(self.sizes)

    @property
    def is_equal(self) -> bool:
        """Whether all clusters have the same size."""
        return len(set(self.sizes)) == 1

    def as_array(self) -> NDArray[np.int64]:
        """Cluster sizes as an `int64` array, shape (clusters,)."""
        return np.array(self.sizes, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.sizes)

    def __str__(self) -> str:
        if self.is_equal and len(self) > 1:
            return f"{len(self)} × {self.sizes[0]}"
        return ",".join(map(str, self.sizes))

    def _repr_html_(self) -> str:
        return card(str(self), {"clusters": len(self), "processors": self.processors})


#: The systems that the papers name. DAS2 has dual-processor nodes: 72 + 4 × 32 of them. m64 to
#: m512 are the machine configurations of the job-sharing study, 512 processors each.
NAMED_SYSTEMS = {
    "4x32": (32, 32, 32, 32),
    "2x32": (32, 32),
    "1x32": (32,),
    "1x128": (128,),
    "DAS1": (128, 24, 24, 24),
    "DAS2": (144, 64, 64, 64, 64),
    "m64": (64,) * 4 + (32,) * 6 + (8,) * 8,
    "m128": (128,) * 4,
    "m256": (256, 256),
    "m384": (384, 64, 16, 16, 16, 16),
    "m512": (512,),
}
