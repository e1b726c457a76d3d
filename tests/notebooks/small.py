"""The studies of the notebooks at a tiny scale, in the place of their quick one."""

from coalloc_lib.studies import load_study
from tests.studies.small import SMALL


def shrink():
    """Make ``reproduce("quick")`` of this process small."""
    for name, scale in SMALL.items():
        load_study(name).scales["quick"] = scale
