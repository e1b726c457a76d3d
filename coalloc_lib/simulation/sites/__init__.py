"""Sites that keep to themselves, share their jobs, or let jobs span them.

A site is one cluster of a multicluster, with its own users. The module `ways` runs the jobs of
several sites. The paper is Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of
Grid Computing for Parallel Job Scheduling (2002).
"""

from coalloc_lib.simulation.sites.ways import (
    AtEachSite,
    LocalSchedule,
    local,
    multi_site,
    sharing,
    single_machine,
)

__all__ = [
    "AtEachSite",
    "LocalSchedule",
    "local",
    "multi_site",
    "sharing",
    "single_machine",
]
