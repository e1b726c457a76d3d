"""The class `Multicluster`: a system of clusters with a number of processors each.

`parse_clusters` reads a system from a text such as ``64,2x32``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, one_of, shown, whole, whole_numbers
from coalloc_lib.basics.display import card

#: All systems must have fewer processors than this, because the simulators store numbers of
#: processors as 32-bit integers.
_MOST_PROCESSORS = 2**31


@dataclass(frozen=True, init=False)
class Multicluster:
    """A system of one or more clusters, all with the same kind of processors.

    Parameters
    ----------
    sizes : sequence of int, or int
        Number of processors of each cluster, 1 or more. Clusters are numbered from 0 in this order.

    Examples
    --------
    >>> system = Multicluster([32, 16])
    >>> len(system), system.processors, system.largest
    (2, 48, 32)
    """

    sizes: tuple[int, ...]

    def __init__(self, sizes: Sequence[int] | NDArray[np.integer] | int) -> None:
        if isinstance(sizes, str):
            raise InputError(
                f"sizes = {shown(sizes)}; give numbers such as [8, 8], or use Multicluster.named"
            )
        array = np.atleast_1d(whole_numbers("sizes", sizes))
        if array.ndim > 1:
            raise InputError(f"sizes has {array.ndim} dimensions; give one size for each cluster")
        clean = tuple(array.tolist())
        if sum(clean) >= _MOST_PROCESSORS:
            raise InputError(
                f"sizes sum to {sum(clean)}; give fewer than {_MOST_PROCESSORS} processors"
            )
        object.__setattr__(self, "sizes", clean)

    @classmethod
    def equal(cls, clusters: int, size: int) -> "Multicluster":
        """Return a system of `clusters` clusters with `size` processors each."""
        return cls([size] * whole("clusters", clusters))

    @classmethod
    def named(cls, name: str) -> "Multicluster":
        """Return the system that has a given name in `NAMED_SYSTEMS`, for example ``"DAS2"``."""
        return cls(NAMED_SYSTEMS[one_of("name", name, tuple(NAMED_SYSTEMS))])

    @property
    def processors(self) -> int:
        """Total number of processors of all clusters."""
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
        """Return the cluster sizes as an `int64` array, shape (clusters,)."""
        return np.array(self.sizes, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.sizes)

    def __str__(self) -> str:
        if self.is_equal and len(self) > 1:
            return f"{len(self)} × {self.sizes[0]}"
        return ",".join(map(str, self.sizes))

    def _repr_html_(self) -> str:
        return card(str(self), {"clusters": len(self), "processors": self.processors})


#: The cluster sizes, in processors, of the systems that have a name in the reproduced papers. The
#: nodes of the DAS2 have two processors, so its clusters of 72 and 32 nodes have 144 and 64
#: processors. The systems m64 to m512, each with 512 processors, come from the paper on job
#: sharing.
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

#: The pattern of one or more equal clusters in a string. For example, "2x32" means two clusters of
#: 32 processors each.
_CLUSTERS = re.compile(r"\s*(?:([1-9]\d{0,3})\s*[xX×]\s*)?([+-]?\d{1,18})\s*", re.ASCII)


def parse_clusters(text: str, argument: str = "sizes") -> Multicluster:
    """Return the system of clusters that a string such as ``"64,2x32"`` describes.

    Parameters
    ----------
    text : str
        The number of processors of each cluster, such as ``"64,32,32"`` or ``"64,2x32"``, or one of
        the names in `NAMED_SYSTEMS`.
    argument : str
        The name of the argument in error messages.

    Returns
    -------
    Multicluster
        The system.

    Raises
    ------
    InputError
        If the text is neither a list of cluster sizes nor a known name.

    Examples
    --------
    >>> parse_clusters("64,2x32").sizes, parse_clusters("64,2×32").sizes
    ((64, 32, 32), (64, 32, 32))
    """
    if isinstance(text, str) and text in NAMED_SYSTEMS:
        return Multicluster.named(text)
    words = text.split(",") if isinstance(text, str) else [""]
    parts = [_CLUSTERS.fullmatch(part) for part in words]
    if None in parts:
        raise InputError(
            f"{argument} = {shown(text)}; give the number of processors of each cluster, such as "
            f"64,32 or 64,2x32, or one of {', '.join(NAMED_SYSTEMS)}"
        )
    sizes = [int(part[2]) for part in parts if part for _ in range(int(part[1] or 1))]
    if min(sizes) < 1:
        raise InputError(f"{argument} = {text!r}; give each cluster at least one processor")
    return Multicluster(sizes)
