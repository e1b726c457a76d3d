"""The studies of the papers: one folder for each paper, and the modules that all studies share.

Code that does not depend on any paper belongs to `coalloc_lib.statistics` or `coalloc_lib.plots`.
To learn how a study is written, read the module `study` first and then the folder `job_sharing`.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import lazy_loader

from coalloc_lib.basics.checks import one_of

#: The names of the studies. The Python package of a study has the name of the study with
#: underscores instead of hyphens.
STUDIES = (
    "maximal-utilization", "cluster-configurations", "communication-penalty", "job-sharing",
    "online-batch", "what-survives",
)  # fmt: skip
#: Each study can be run at two scales. The scale ``quick`` uses small samples. The scale ``paper``
#: uses larger samples, which make the results as precise as those in the papers.
SCALES = ("quick", "paper")

# Import `Row`, `Reproduction`, `judge` and `reproduce` only when they are first used, because their
# modules are slow to import.
__getattr__, _, _ = lazy_loader.attach(
    __name__,
    submod_attrs={"ledger": ["Row"], "reproduction": ["Reproduction", "judge", "reproduce"]},
)


def load_study(name: str) -> Any:
    """Return the study with the given name. The first call imports the study's package."""
    one_of("study", name, STUDIES)
    return import_module(f"{__name__}.{name.replace('-', '_')}").study


def logs_missing_for(studies: Sequence[str]) -> list[str]:
    """Return the public logs that the given studies need and that are not on this computer."""
    from studies.log_files import missing_logs

    return missing_logs(log for name in studies for log in load_study(name).logs)
