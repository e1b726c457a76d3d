"""Sites that keep to themselves, share their jobs, or let jobs span them; what each of them gains.

A site is one cluster of a multicluster, with its own users. `ways` runs their jobs, `dispatching`
sends each to a site when it is submitted, `comparison` tells what each site gains. The paper:
Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for Parallel
Job Scheduling (2002).
"""

from coalloc_lib.simulation.sites.comparison import ALL, compare_sites, together
from coalloc_lib.simulation.sites.dispatching import CHOICES, DispatchSchedule, dispatch
from coalloc_lib.simulation.sites.ways import (
    AtEachSite,
    LocalSchedule,
    local,
    multi_site,
    sharing,
    single_machine,
)

__all__ = [
    "ALL",
    "CHOICES",
    "AtEachSite",
    "DispatchSchedule",
    "LocalSchedule",
    "compare_sites",
    "dispatch",
    "local",
    "multi_site",
    "sharing",
    "single_machine",
    "together",
]
