"""The studies of the papers: one folder for each paper, and the modules that all studies share.

Code that does not depend on any paper belongs to `coalloc_lib.statistics` or `coalloc_lib.plots`.
To learn how a study is written, read the module `study` first and then the folder `job_sharing`.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import lazy_loader

from coalloc_lib.basics.checks import one_of

#: The names of the studies. The Python package of each study has the same name, with underscores in
#: place of hyphens.
STUDIES = (
    "maximal-utilization", "cluster-configurations", "communication-penalty", "job-sharing",
    "online-batch", "what-survives",
)  # fmt: skip
#: The two scales of each study. The scale ``quick`` has small samples. The scale ``paper`` has
#: sample sizes that make the results as precise as the papers' own.
SCALES = ("quick", "paper")

# Import these names only when they are first used, because the modules for figures and tables are
# slow to import.
__getattr__, _, _ = lazy_loader.attach(
    __name__,
    submod_attrs={"ledger": ["Row"], "reproduction": ["Reproduction", "judge", "reproduce"]},
)


def load_study(name: str) -> Any:
    """Return the study with this name. The first call imports its package."""
    one_of("study", name, STUDIES)
    return import_module(f"{__name__}.{name.replace('-', '_')}").study


def missing_logs(names: Sequence[str]) -> list[str]:
    """Return the public logs that these studies need but that are not on this computer."""
    from studies.log_files import missing_logs

    return missing_logs(log for name in names for log in load_study(name).logs)
