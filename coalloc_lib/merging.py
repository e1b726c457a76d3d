"""Streams of several sources as one."""

import numpy as np

from coalloc_lib.checks import InputError, instance_of
from coalloc_lib.jobs import COLUMNS, JobStream

_EXAMPLE = "JobStream(submit=..., runtime=..., components=...)"


def merge(*streams: JobStream) -> JobStream:
    """Return one stream of the jobs of several, in order of submission.

    Ties keep the order in which the streams were given. All must have one request type. Jobs keep
    their numbers where these are all different; else, as for two logs that both count from 1,
    they are numbered anew, 1, 2, ..., in the order of the merged stream.
    """
    if not streams:
        raise InputError("merge was given no stream; give at least one")
    for position, stream in enumerate(streams):
        instance_of(f"streams[{position}]", stream, JobStream, f"{_EXAMPLE} or merge(*list)")
    requests = {stream.request for stream in streams}
    if len(requests) > 1:
        raise InputError(f"streams have request types {sorted(requests)}; replace() all but one")
    width = max(stream.components.shape[1] for stream in streams)
    columns: dict[str, list] = {name: [getattr(s, name) for s in streams] for name in COLUMNS}
    columns["components"] = [
        np.pad(c, ((0, 0), (0, width - c.shape[1]))) for c in columns["components"]
    ]
    columns["estimate"] = [
        np.ma.masked_all(len(s)) if s._requested is None else s._requested for s in streams
    ]
    joined = {name: np.ma.concatenate(parts) for name, parts in columns.items()}
    order = np.argsort(joined["submit"].data, kind="stable")
    joined = {name: column[order] for name, column in joined.items()}
    if len(np.unique(joined["number"])) < len(order):
        del joined["number"]
    return JobStream(**joined, request=requests.pop())
