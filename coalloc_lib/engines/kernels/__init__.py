"""The compiled engine's kernels: loops over arrays, nothing else.

They translate `coalloc_lib.model.placement` and `coalloc_lib.policies`; the tests hold both to the
same schedules. By subject: `events`, the heap of departures; `placing`, whether a job fits and
where it goes; `queue_tree`, the tree over the queue and the searches of it; `profile_steps`, what
will be idle when; and one module for each family of policies, with the
loops that run it (`queue_order`, `backfilling`, `booking`, `dispatching`). Idle periods are in
`coalloc_lib.calendar.kernels`.

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
