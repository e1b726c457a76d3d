"""The arguments that the kernels of EASY and of conservative backfilling have in common.

In both kernels, jobs are numbered in the order of the queue. If this is not the order of arrival,
the array `coming` has the numbers of the jobs in order of arrival, and the submissions in the
`Stream` are in order of arrival too.
"""

from collections import namedtuple

from coalloc_lib.basics.compilation import takes_fixed

#: The expected lengths of the jobs: on one cluster (`alone`, float64 (n,)), on 2, 3, ... clusters
#: (`spanning`, float64 (n, k)), and the least possible ones (`least`, float64 (n, 1)).
Expected = namedtuple("Expected", "alone spanning least")
#: The options of a policy. `backlog`: the constant length of the queue; with 0, jobs arrive when
#: they are submitted. `has_choice`: whether the clusters of a job may depend on the jobs that
#: started before it. `is_fixed`: whether the length of a job is the same on all its possible
#: allocations. `is_adaptive`: whether a job that fits on several clusters may wait for a single
#: cluster (EASY only). `is_in_turn`: whether the queue is in order of arrival.
Policy = namedtuple("Policy", "backlog has_choice is_fixed is_adaptive is_in_turn")
takes_fixed(Policy)
