"""The kernels of the compiled engine: simulation loops over arrays, compiled by Numba.

They do the same as the policies in `coalloc_lib.policies` and the placements in
`coalloc_lib.model.placement`, and the tests check that both give the same schedules.

- `events` has the departures to come, and the next arrivals.
- `placing` decides whether a job fits and where it goes.
- `queue_tree` searches the queue for a job that fits.
- `profile_steps` stores the number of idle processors as a function of future time.
- `queue_order` runs FCFS and FPFS.
- `easy` and `conservative` run EASY and conservative backfilling.
- `arguments` has arguments that several of these kernels share.
- `booking` runs online scheduling, with the idle periods of `coalloc_lib.calendar.kernels`.

The same names are used for the same arrays everywhere. For n jobs, numbered in the order of the
queue, on c clusters, they are:

============  =================  ===================================================================
idle          int64 (c,)         number of idle processors of each cluster
allocation    int32 (n, c)       processors of each job in each cluster; zeros before its start
parts         int32 (n, width)   numbers of processors that are placed for each job; see `placing`
keys          int32 (n, k)       numbers that decide whether a job fits; see `placing`
room          int64 (k or k+1)   numbers with which a key is compared; see `placing`
ends          float64            heap of the ends of the running jobs; see `events`
numbers       int64              the numbers of the jobs in this heap
tree          int32 (nodes, k)   lower bounds of the keys in the queue; see `queue_tree`
waiting       bool (n,)          whether each job is in the queue
watch         int64 (2,)         whether to stop, and how many jobs have started; see `events`
============  =================  ===================================================================
"""

from pathlib import Path

from coalloc_lib.basics.compilation import compiler
from coalloc_lib.calendar.kernels import SOURCES

#: The decorator that compiles the kernels of this package.
kernel = compiler([*Path(__file__).parent.glob("*.py"), *SOURCES])
