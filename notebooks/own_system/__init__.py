"""A recommendation for the operators of several sites, calculated from their logs (notebook 07).

`sites_report` simulates what sharing one queue, spanning sites or more processors would change for
each site. The form of the notebook, `own_system.form.OwnSystem`, calls it. `read_sacct` reads the
output of Slurm's ``sacct`` as a log.
"""

from own_system.report import SitesReport, sites_report
from own_system.sacct import read_sacct

__all__ = ["SitesReport", "read_sacct", "sites_report"]
