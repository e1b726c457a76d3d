"""Sites that keep to themselves, share their jobs, or let jobs span them.

A site is one cluster of a multicluster, with its own users. `ways` runs their jobs, `dispatching`
sends each to a site when it is submitted. The paper:
Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for Parallel
Job Scheduling (2002).
"""

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
    "CHOICES",
    "AtEachSite",
    "DispatchSchedule",
    "LocalSchedule",
    "dispatch",
    "local",
    "multi_site",
    "sharing",
    "single_machine",
]
