"""Two sites with logs of six weeks: users, queues, estimates and recorded waits are known."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.workloads.swf_lines import FIELDS
from own_system import commands, sites_report
from tests.cli.conftest import refuser, runner

CLUSTERS = {"north": 16, "south": 8}
#: Both logs begin at this instant: half past midnight in Stockholm, on a Monday in July.
BEGAN = 1_720_391_400


def a_log(seed, size, load, weeks=6, short_of_time=0):
    """Return the table of a made-up log, in which some jobs have no run time or no estimate."""
    rng = np.random.default_rng(seed)
    count = int(60 * weeks)
    runtime = np.ceil(rng.exponential(20_000, count))
    processors = rng.integers(1, size + 1, count)
    span = (runtime * processors).sum() / (size * load)
    submit = np.sort(np.floor(rng.uniform(0, span, count)))
    columns = {
        "job": np.arange(1, count + 1), "submit": submit - submit[0], "runtime": runtime,
        "wait": np.floor(rng.exponential(9_000, count)), "allocated_processors": processors,
        "requested_time": np.where(rng.random(count) < 0.1, -1, runtime * 3),
        "user": rng.integers(1, 9, count), "queue": rng.integers(1, 3, count), "status": 1,
    }  # fmt: skip
    table = pd.DataFrame(-1, index=range(count), columns=list(FIELDS)).assign(**columns)
    table.loc[5, "runtime"] = 0
    return table


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Write the logs of two sites, and return their paths by the names of the sites."""
    paths = {}
    header = {"UnixStartTime": BEGAN, "TimeZoneString": "Europe/Stockholm"}
    for seed, (name, size) in enumerate(CLUSTERS.items()):
        paths[name] = tmp_path_factory.mktemp("logs") / f"{name}.swf.gz"
        co.write_swf(paths[name], a_log(seed, size, 0.6 + 0.1 * seed), header)
    return paths


@pytest.fixture(scope="session")
def logs(files):
    return {name: co.read_swf(path) for name, path in files.items()}


@pytest.fixture(scope="session")
def report(logs):
    return sites_report(CLUSTERS, logs, penalties=(0, 0.25))


@pytest.fixture(scope="session")
def unusual_reports(tmp_path_factory):
    """Return a report on logs too short for intervals, and one on sites that are saturated."""
    reports = {}
    for name, weeks, load in (("short", 1, 0.45), ("saturated", 6, 1.3)):
        logs = {}
        for seed, (site, size) in enumerate(CLUSTERS.items()):
            path = tmp_path_factory.mktemp(name) / f"{site}.swf.gz"
            table = a_log(seed, size, load, weeks).assign(wait=-1)  # not recorded
            co.write_swf(path, table, {"UnixStartTime": BEGAN})
            logs[site] = co.read_swf(path)
        reports[name] = sites_report(CLUSTERS, logs, penalties=(0, 0.25))
    return reports


@pytest.fixture
def without_pictures(monkeypatch):
    """Leave the pictures of pages empty, for tests of their texts; drawing takes half the time."""
    monkeypatch.setattr("own_system.page._svg_with_title", lambda figure: ("", "a picture"))


@pytest.fixture
def run(capsys):
    """Return a function that runs a command of `own_system` and returns what it printed."""
    return runner(commands.main, capsys)


@pytest.fixture
def refused(run):
    """Return a function that runs a wrong command of `own_system` and returns its error message."""
    return refuser(run)
