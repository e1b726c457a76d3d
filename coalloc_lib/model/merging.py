"""The function `merge`, which joins several streams of jobs into one."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, instance_of
from coalloc_lib.model.columns import COLUMNS, STORED
from coalloc_lib.model.jobs import JobStream


def merge(*streams: JobStream) -> JobStream:
    """Return one stream with the jobs of several streams, in order of submission.

    Jobs that are submitted at the same instant are in the order of the arguments. If all job
    numbers are different, the jobs keep them. Otherwise they are numbered anew, from 1.

    Parameters
    ----------
    *streams : JobStream
        One or more streams with the same request type.

    Returns
    -------
    JobStream

    Raises
    ------
    InputError
        If there is no stream, or if the request types differ.

    Examples
    --------
    >>> first = JobStream(submit=[0, 9], runtime=[1, 1], components=[4, 4])
    >>> second = JobStream(submit=[5], runtime=[1], components=[8])
    >>> merge(first, second).processors.tolist()
    [4, 8, 4]
    """
    request = _common_request(streams)
    columns = {name: _joined(name, streams) for name in COLUMNS if _is_given(name, streams)}
    order = order_of(*streams)
    columns = {name: column[order] for name, column in columns.items()}
    if len(np.unique(columns["number"])) < len(order):
        del columns["number"]
    return JobStream(**columns, request=request)


def order_of(*streams: JobStream) -> NDArray[np.int64]:
    """Return the order in which `merge` puts the jobs of several streams.

    The jobs have the positions 0, 1, 2, ..., first those of the first stream. The result holds
    these positions, in the order of the merged stream.

    Examples
    --------
    >>> first = JobStream(submit=[0, 9], runtime=[1, 1], components=[4, 4])
    >>> second = JobStream(submit=[5, 7], runtime=[1, 1], components=[8, 8])
    >>> order_of(first, second).tolist()
    [0, 2, 3, 1]
    """
    return np.argsort(np.concatenate([stream.submit for stream in streams]), kind="stable")


def _common_request(streams: Sequence[JobStream]) -> str:
    if not streams:
        raise InputError("merge was given no stream; give at least one")
    example = "JobStream(submit=..., runtime=..., components=...) or merge(*list)"
    for position, stream in enumerate(streams):
        instance_of(f"streams[{position}]", stream, JobStream, example)
    requests = {stream.request for stream in streams}
    if len(requests) > 1:
        raise InputError(
            f"the streams have different request types, {sorted(requests)}; give them the same "
            "type with replace(request=...)"
        )
    return requests.pop()


def _is_given(name: str, streams: Sequence[JobStream]) -> bool:
    return any(vars(stream)[STORED[name]] is not None for stream in streams)


def _joined(name: str, streams: Sequence[JobStream]) -> np.ma.MaskedArray:
    if name == "estimate":
        requested = [stream._requested for stream in streams]
        return np.ma.concatenate(
            [
                np.ma.masked_all(len(stream)) if estimate is None else estimate
                for stream, estimate in zip(streams, requested, strict=True)
            ]
        )
    columns = [getattr(stream, name) for stream in streams]
    if name == "components":
        columns = _with_equal_widths(columns, "constant")
    elif len({column.shape[1:] for column in columns}) > 1:  # span penalties on 2, 3, ... clusters
        tables = [column.reshape(len(column), -1) for column in columns]
        columns = _with_equal_widths(tables, "edge")
    return np.ma.concatenate(columns)


def _with_equal_widths(tables: list[NDArray], mode: Literal["constant", "edge"]) -> list[NDArray]:
    width = max(table.shape[1] for table in tables)
    return [np.pad(table, ((0, 0), (0, width - table.shape[1])), mode) for table in tables]
