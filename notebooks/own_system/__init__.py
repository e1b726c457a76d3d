"""Your own system: logs of several sites in, an answer out (notebook 07).

`sites_report` asks what sharing, spanning or more processors would change for each site. The form
of the notebook, `own_system.form.OwnSystem`, calls it. `read_sacct` reads what Slurm's ``sacct``
printed.
"""

from own_system.report import SitesReport, sites_report
from own_system.sacct import read_sacct

__all__ = ["SitesReport", "read_sacct", "sites_report"]
