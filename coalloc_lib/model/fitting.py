"""Which jobs fit on given idle processors: the rules of the placements for many jobs at once."""

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.model.placement import HomeSite, Placement, may_stay_whole


def fits_by(
    placement: Placement | None, request: str, components: NDArray, idle: NDArray
) -> NDArray[np.bool_]:
    """Return, for each job, whether it fits on the idle processors under a placement rule.

    Parameters
    ----------
    placement : Placement or None
        The rule that chooses the clusters.
    request : str
        The request type of the jobs.
    components : ndarray of int, shape (m, k)
        The components of each job.
    idle : ndarray of int, shape (m, clusters) or (1, clusters)
        The idle processors of each cluster, for each job or for all jobs.
    """
    if isinstance(placement, HomeSite):
        home = components[:, 1:]
        free = fits_by(placement.rule, request, components[:, :1], idle)
        return np.where(home.any(axis=1), (home <= idle).all(axis=1), free)
    if may_stay_whole(placement, request):
        split, whole = (fits_by(None, kind, components, idle) for kind in (request, "total"))
        return split | whole
    if request in ("flexible", "total"):
        total = np.einsum("ij->i", components)  # this is several times faster than sum(axis=1)
        return total <= (idle.sum(axis=1) if request == "flexible" else idle.max(axis=1))
    wanted, free = side_by_side(request, components, idle)
    return np.asarray((wanted <= free).all(axis=1))


def side_by_side(request: str, components: NDArray, clusters: NDArray) -> list[NDArray]:
    """Pad the tables of job components and cluster processors to the same number of columns.

    For unordered requests, the rows are sorted by decreasing size.
    """
    tables = [components, clusters]
    if request == "unordered":
        tables = [-np.sort(-table, axis=1) for table in tables]
    width = max(table.shape[1] for table in tables)
    missing = [width - table.shape[1] for table in tables]
    return [
        # np.pad is called only if columns are missing, because it is slow even if it adds none.
        np.pad(table, ((0, 0), (0, columns))) if columns else table
        for table, columns in zip(tables, missing, strict=True)
    ]
