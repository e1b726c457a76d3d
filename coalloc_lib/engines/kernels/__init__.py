"""The compiled engine's kernels: loops over arrays, nothing else.

They translate `coalloc_lib.model.placement` and `coalloc_lib.policies`, and the tests check that
both give the same schedules. Each module has one subject:

- `events` has the heap of departures.
- `placing` decides whether a job fits and where it goes.
- `queue_tree` has the tree over the queue, and the functions that search it.
- `profile_steps` plans how many processors will be idle at each instant.
- `queue_order`, `backfilling` and `booking` have the loops that run a family of policies each.

The kernels for idle periods are in `coalloc_lib.calendar.kernels`.

Arrays have the same names everywhere. For n jobs, in order of arrival, and c clusters:

============  =================  ===================================================
idle          int64 (c,)         processors of each cluster that run nothing
allocation    int32 (n, c)       processors that each job has; zeros before its start
parts         int32 (n, width)   what is placed of each job; see `placing`
keys          int32 (n, k)       what decides whether it fits; see `placing`
room          int64 (k or k + 1) what a key is compared with; see `placing`
ends          float64            heap of the ends of running jobs; see `events`
numbers       int64              the jobs that these ends belong to
tree          int32 (nodes, k)   lower bounds of the keys in the queue; see `queue_tree`
waiting       bool (n,)          whether each job is in the queue
watch         int64 (2,)         whether to stop, and how many jobs have started; see `events`
============  =================  ===================================================
"""

from pathlib import Path

from coalloc_lib.basics.compilation import compiler
from coalloc_lib.calendar.kernels import SOURCES

#: The decorator of every function of this package.
kernel = compiler([*Path(__file__).parent.glob("*.py"), *SOURCES])
