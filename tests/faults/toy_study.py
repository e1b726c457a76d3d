"""The command that reproduces studies, with the toy study as the only one."""

import os
import time
from pathlib import Path

import studies
from studies import archive, commands
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
    studies.STUDIES = commands.STUDIES = (study.name,)
    studies.load_study = {study.name: study}.__getitem__
    archive.ARCHIVE = Path("nowhere")
    return commands.main(["reproduce", *arguments])
