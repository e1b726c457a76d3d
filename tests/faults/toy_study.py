"""The command that reproduces studies, with the toy study as the only one."""

import os
import time
from importlib import import_module
from pathlib import Path

from coalloc_lib import cli, studies
from coalloc_lib.studies import archive
from tests.studies import toy

#: The environment variable with the seconds that each point of the study takes.
PAUSE = "TOY_PAUSE"


def slow_measure(setting, scale, seed):
    """Measure as the toy does, after a pause."""
    time.sleep(float(os.environ.get(PAUSE, "0")))
    yield from toy.measure(setting, scale, seed)


def main(arguments):
    """Reproduce the toy study with these options; return the exit status."""
    study = toy.toy(measured=slow_measure)
    studies.STUDIES = import_module("coalloc_lib.cli.reproduce").STUDIES = (study.name,)
    studies.load_study = {study.name: study}.__getitem__
    archive.ARCHIVE = Path("nowhere")
    return cli.main(["reproduce", *arguments])
