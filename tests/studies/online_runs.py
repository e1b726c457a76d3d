"""Made-up runs of the study of online booking, in which each test sets what the jobs had."""

from copy import copy
from itertools import pairwise

import numpy as np

from studies.online_batch import study
from studies.online_batch.model import (
    CTC,
    FIFTY,
    HPC2N,
    KTH,
    LENGTH_ENDS,
    POWERS_OF_TWO,
    RECORDED,
    WAITS_AT,
    WITHIN,
)
from studies.online_batch.schedules import row_of
from studies.online_batch.settings import ALL_JOBS, BY_FIFTY, BY_LENGTH, BY_SERVERS, BY_WAIT, WHOLE
from studies.study import Scale
from tests.studies.small import SMALL

WEEKS = 8
ENDS = {ALL_JOBS: [None, None]}
ENDS |= {BY_LENGTH: LENGTH_ENDS.tolist(), BY_SERVERS: np.asarray(POWERS_OF_TWO).tolist()}
SUMS = ["jobs", "requests", "wait_h", "attempts", "wait_over_length"]
SUMS += [f"within_{hours}h" for hours in WITHIN]
COLUMNS = ["grouping", "above", "up_to", "replication", *SUMS]
STAND_INS = f"{KTH} {CTC} {HPC2N}"
NUMBERS = {"longest_wait_h": 10.0, "utilization": 0.7, "mean_wait_h": 3.0, "mean_delay_h": 3.0}
NUMBERS["mean_attempts"] = 5.0


def sums_by_week(known, noise, wave):
    """Yield rows of a setting whose means a job are `known`, by name and grouping, else 1.

    Each sum and group has a wave of its own over the weeks, of `noise`; counts have none.
    """
    weeks, sums = np.arange(WEEKS) / WEEKS, np.arange(len(SUMS))[:, None]
    loud = np.where(np.isin(SUMS, ["jobs", "requests"]), 0.0, noise)[:, None]
    for grouping, ends in ENDS.items():
        means = [_means(known, name, grouping, len(ends)) for name in SUMS]
        for group, (above, up_to) in enumerate(pairwise(ends)):
            phase = 0.618 * wave + 0.271 * (sums + group)
            waves = 1 + loud * np.cos(2 * np.pi * (3 * weeks + phase))
            values = 100 * np.array([mean[group] for mean in means])[:, None] * waves
            for week, row in enumerate(values.T.tolist()):
                yield dict(zip(COLUMNS, (grouping, above, up_to, week, *row), strict=True))


def _means(known, name, grouping, groups):
    """Return the known mean of a sum in each group, or 1 in all if none is known."""
    mean = known.get(name if grouping == ALL_JOBS else f"{name} {grouping}", 1.0)
    return [mean] * groups if isinstance(mean, float) else np.resize(mean, groups).tolist()


def rows_of_schedule(known, noise, wave):
    yield from sums_by_week(known, noise, wave)
    for group, mean in enumerate(known.get("tried", [1.0, 2.0])):
        ends = {"above": float(FIFTY * group), "up_to": float(FIFTY * (group + 1))}
        yield row_of(BY_FIFTY, requests=9, mean_attempts=mean) | ends
    longer = known.get("longer", np.linspace(1, 0, len(WAITS_AT)))
    for above, share in zip(WAITS_AT.tolist(), np.asarray(longer).tolist(), strict=True):
        yield row_of(BY_WAIT, above=above, share_longer=share)
    yield row_of(WHOLE, **{name: known.get(name, value) for name, value in NUMBERS.items()})


def made_up(settings, rows):
    """Return runs in which ``rows(setting)`` is measured of each setting."""
    made = copy(study)
    made.measure = lambda setting, scale, seed: rows(setting)
    made.scales = {"quick": scale_of()}
    return made.run("quick", settings=settings, seed=1, workers=1)


def scale_of(**other):
    return Scale(**vars(SMALL[study.name]) | {"draws": 3} | other)


def schedules(settings, known, noise=0.0):
    """Return made-up runs of settings; ``known(setting)`` returns what is known of each."""
    waves = {setting: wave for wave, setting in enumerate(dict.fromkeys(settings))}
    return made_up(
        list(waves), lambda setting: rows_of_schedule(known(setting), noise, waves[setting])
    )


def on_stand_ins(runs):
    """Return the runs as they are where no log is here: no stand-in has a record."""
    return runs[runs["policy"] != RECORDED].assign(missing_logs=STAND_INS)
