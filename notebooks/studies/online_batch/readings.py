"""The printed numbers of the paper, and the interpretations that were compared with them.

The paper does not print the least length of a booking. Its numbers of servers and its CTC log
differ from those of the public logs. A reading is one choice of all these values, and
`joint_reading` compares the readings with the printed numbers.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import Interval, NotRunError, groups_of, interval_columns, pick
from studies.joint_reading import JointReading
from studies.ledger import Judgement, Row, judge_number
from studies.log_files import logs_missing_in, title_of
from studies.online_batch.figures import MACHINE, PLAIN, number, runs_as_read
from studies.online_batch.model import (
    BOOKED_AS,
    CTC,
    EXACT,
    FIFTY,
    HPC2N,
    KTH,
    LEAST,
    LOGS,
    LONGEST,
    READ_JOBS,
    READ_SERVERS,
    RECORDED,
    SHORT_OF_CTC,
    TABLE1,
    TABLE2,
)
from studies.online_batch.runs import study
from studies.online_batch.settings import BY_FIFTY, LOG, WHOLE
from studies.results import Caption

#: The columns that identify one interpretation of the paper for a log: a number of servers, a
#: selection of jobs and a minimum length of bookings.
READING = [*MACHINE, "policy"]
LONGEST_WAIT = "longest wait"
#: The keys are the printed numbers that we used to choose parameters. Each value describes the
#: parameter, for example the number of servers.
_OF_KTH, _OF_CTC = "the least length and the servers of KTH", "the servers of CTC"
CHOSEN_BY = {
    **{(KTH, name): _OF_KTH for name in (LONGEST_WAIT, "attempts (0:50]", "attempts (50:100]")},
    **{(CTC, name): _OF_CTC for name in ("servers", LONGEST_WAIT, "attempts (0:50]")},
    **{(log, "mean length"): "run times as the lengths of jobs" for log in (KTH, HPC2N)},
    **{(CTC, name): "the jobs of CTC" for name in ("jobs", "mean length", "longest wait recorded")},
}


def replays(runs: pd.DataFrame) -> pd.DataFrame:
    """Select the runs without reservations, for all numbers of servers and selections of jobs."""
    return pick(runs, **PLAIN, length=EXACT, policy=BOOKED_AS, log=(KTH, CTC))


def attempts_of_groups(runs: pd.DataFrame) -> dict[str, float]:
    """Return the mean number of attempts in one setting, for each range of requested servers."""
    found = pick(runs, grouping=BY_FIFTY).sort_values("above")
    groups = zip(found["above"], found["up_to"], found["mean_attempts"], strict=True)
    return {name_of_group(above, up_to): mean for above, up_to, mean in groups}


def name_of_group(above: float, up_to: float) -> str:
    """Name the requests for more than `above` and up to `up_to` servers as in Table 2."""
    return f"attempts ({above:g}:{up_to:g}]"


def printed_of_replays(log: str) -> dict[str, float]:
    """Return the longest wait and the mean numbers of attempts that the paper gives for a log."""
    attempts = {name_of_group(*ends): mean for ends, mean in TABLE2[log].items()}
    return {LONGEST_WAIT: LONGEST[log, LEAST]} | attempts


def found_in_replay(runs: pd.DataFrame) -> dict[str, float]:
    """Return the longest wait and the mean numbers of attempts in the runs of one setting."""
    return {LONGEST_WAIT: number(runs, "longest_wait_h")} | attempts_of_groups(runs)


def by_reading(runs: pd.DataFrame) -> dict[tuple, dict[str, float]]:
    """Return the longest wait and numbers of attempts for each interpretation of the paper."""
    found = groups_of(replays(runs), READING)
    return {tuple(at[name] for name in READING): found_in_replay(rows) for at, rows in found}


# --- One joint reading ---


@study.add_joint_reading
def joint_reading(runs: pd.DataFrame) -> JointReading:
    """Compare how well each interpretation of the paper reproduces the paper's numbers.

    An interpretation chooses the minimum length of bookings, the servers of KTH, and the servers
    and jobs of CTC. The printed numbers are those of Tables 1 and 2 and of Figure 4(a) for which an
    interpretation has a value.
    """
    missing = [log for log in (KTH, CTC) if log in logs_missing_in(runs)]
    if missing:
        raise NotRunError(
            f"{', '.join(missing)} is missing, and the paper has no numbers of a synthetic log"
        )
    found, logs = by_reading(runs), jobs_of_ctc(runs)
    printed = with_log(KTH, printed_of_replays(KTH)) | with_log(CTC, printed_of_replays(CTC))
    printed |= printed_of_ctc()
    readings = {}
    of_kth = [reading for reading in found if reading[0] == KTH]
    of_ctc = [reading for reading in found if reading[0] == CTC]
    for kth, ctc in product(of_kth, of_ctc):
        *_, policy_of_kth = kth
        _, _, kept, policy_of_ctc = ctc
        if policy_of_kth == policy_of_ctc and kept in logs:
            values = with_log(KTH, found[kth]) | with_log(CTC, found[ctc]) | logs[kept]
            readings[name_of_reading(kth, ctc)] = values
    ours = name_of_reading(*((log, READ_SERVERS[log], READ_JOBS[log], LEAST) for log in (KTH, CTC)))
    if ours not in readings:
        raise NotRunError(f"the runs lack the settings that the study uses: {ours}")
    simulated = {name for values in readings.values() for name in values}
    printed = {name: value for name, value in printed.items() if name in simulated}
    return JointReading(printed, readings, ours)


def with_log(log: str, values: Mapping[str, float]) -> dict[str, float]:
    """Add the name of a log to the beginning of each key in a dict."""
    return {f"{log} {name}": value for name, value in values.items()}


def name_of_reading(kth: tuple, ctc: tuple) -> str:
    """Name an interpretation of the paper by its policy and the servers and jobs of both logs."""
    (_, kth_servers, _, policy), (_, ctc_servers, kept, _) = kth, ctc
    return f"{policy}; KTH on {kth_servers:g} servers; CTC on {ctc_servers:g}, {kept}"


def printed_of_ctc() -> dict[str, float]:
    """Return three numbers in the paper for CTC: jobs, mean job length and longest wait."""
    _, jobs, mean = TABLE1[CTC]
    return {"CTC jobs": jobs, "CTC mean length": mean, "CTC recorded wait": LONGEST[CTC, RECORDED]}


def jobs_of_ctc(runs: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return the number, mean length and longest wait of the CTC jobs, for each selection."""
    found = pick(runs, kind=LOG, grouping=WHOLE, log=CTC)
    columns = dict(zip(printed_of_ctc(), ("job_count", "mean_length_h", "longest_wait_h"),
                       strict=True))  # fmt: skip
    return {
        row["kept"]: {name: float(row.get(column, np.nan)) for name, column in columns.items()}
        for _, row in found.iterrows()
    }


# --- Each log by itself ---


def of_log(runs: pd.DataFrame, log: str) -> pd.DataFrame:
    """Divide simulated values by the paper's values, for each choice of servers and jobs."""
    rows = []
    for (which, servers, kept, policy), found in by_reading(runs).items():
        if which != log:
            continue
        words = f"{servers:g} servers, {policy}"
        if log == CTC:
            words += f", {kept}"
        for name, printed in printed_of_replays(log).items():
            value = found.get(name, np.nan)
            row = {"log": title_of(runs, log), "servers": servers, "kept": kept, "policy": policy}
            row |= {"row": words, "number": name, "printed": printed, "reproduced": value}
            rows.append(row | interval_columns(Interval.exact(value / printed), "ratio"))
    if not rows:
        raise NotRunError(f"the runs have no schedule of {log} without reservations")
    rows.sort(key=lambda row: (row["servers"], row["kept"], BOOKED_AS.index(row["policy"])))
    return pd.DataFrame(rows)


def draw_readings(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot simulated values divided by the paper's values, for each choice of servers and jobs."""
    columns: dict[str, Any] = {"x": "ratio", "row": "row", "series": "number", "factors": True}
    simulated = table.dropna(subset="ratio")
    xlabel = "measured divided by printed value"
    return plots.intervals(simulated, xlabel=xlabel, **columns, **titles)


READINGS_CAPTION = Caption(
    "KTH: measured divided by printed values, by servers and shortest booked length; "
    "a replay of a log is exact",
    finding="With 100 servers and at least 5 or 10 minutes booked, KTH is nearly as printed",
)


@study.add_figure("readings", READINGS_CAPTION, draw_readings, claims=("OB-7", "OB-14"))
def readings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return simulated values divided by the paper's values for KTH, by number of servers."""
    return of_log(runs, KTH)


READINGS_OF_CTC_CAPTION = Caption(
    "CTC, at least 5 minutes booked: measured divided by printed values, by servers and by "
    "selection of "
    "jobs of the public log; a replay of a log is exact",
    finding="On 512 servers and without short jobs, CTC has 0.5 to 1.2 times the printed values",
)


@study.add_figure("readings_ctc", READINGS_OF_CTC_CAPTION, draw_readings)
def readings_of_ctc(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the ratio of each simulated value of CTC to the printed one, for each interpretation.

    Only the interpretations with our minimum length of bookings are returned.
    """
    return of_log(pick(runs, policy=LEAST), CTC)


CUTS_CAPTION = Caption(
    "CTC: values of the public log divided by printed values, by selection of jobs",
    finding="Without its short jobs, the public log nearly has the printed values",
)


@study.add_figure("cuts", CUTS_CAPTION, draw_readings)
def cuts(runs: pd.DataFrame) -> pd.DataFrame:
    """Return values of the public CTC log divided by the paper's values, by selection of jobs.

    The values are the number of jobs, their mean length, the longest recorded wait and the share of
    short requests. There is a row for each value and each selection of jobs.
    """
    _, jobs, mean = TABLE1[CTC]
    printed = {
        "jobs": ("job_count", jobs),
        "mean length": ("mean_length_h", mean),
        "longest recorded wait": ("longest_wait_h", LONGEST[CTC, RECORDED]),
        "requests under 2 h": ("asks_for_short", SHORT_OF_CTC),
    }
    rows = []
    found = pick(runs, kind=LOG, grouping=WHOLE, log=CTC)
    for (_, of_log), (name, (column, value)) in product(found.iterrows(), printed.items()):
        row = {"log": title_of(runs, CTC), "row": of_log["kept"], "number": name}
        row |= {"printed": value, "found": of_log.get(column, np.nan)}
        rows.append(row | interval_columns(Interval.exact(row["found"] / value), "ratio"))
    if not rows:
        raise NotRunError(f"the jobs of the log {CTC} were not measured")
    return pd.DataFrame(rows)


ATTEMPTS_CAPTION = (
    "Table 2: mean attempts of a request in groups of 50 servers, with our servers and jobs"
)


@study.add_figure("attempts", ATTEMPTS_CAPTION)
def attempts(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare mean attempts per request with Table 2, by number of requested servers."""
    rows = []
    for at, its_runs in groups_of(pick(runs_as_read(replays(runs)), policy=LEAST), READING):
        printed = printed_of_replays(at["log"])
        for _, group in pick(its_runs, grouping=BY_FIFTY).sort_values("above").iterrows():
            first = int(group["above"]) + 1
            row = {"log": title_of(runs, at["log"]), "servers": at["servers"]}
            row |= {"size_from": first, "size_to": first + FIFTY - 1}
            row |= {"mean_attempts": group["mean_attempts"], "requests": int(group["requests"])}
            group_name = name_of_group(group["above"], group["up_to"])
            rows.append(row | {"printed": printed.get(group_name)})
    return pd.DataFrame(rows)


# --- The numbers printed in the paper, compared with our values ---


@study.add_numbers
def printed_numbers(runs: pd.DataFrame) -> Iterator[Row]:
    """Compare each number in Tables 1 and 2, and each longest wait, with our result."""
    yield from table1_numbers(runs)
    for log in (KTH, CTC):
        booked = pick(runs_as_read(replays(runs)), policy=LEAST, log=log)
        if not booked.empty:
            found = found_in_replay(booked)
            for name, printed in printed_of_replays(log).items():
                unit = "hours" if name == LONGEST_WAIT else "attempts"
                yield printed_row(runs, log, name, unit, printed, found)
        recorded = pick(runs, kind=LOG, grouping=WHOLE, log=log, kept=READ_JOBS[log])
        if "longest_wait_h" in recorded and recorded["longest_wait_h"].notna().any():
            name, printed = "longest wait recorded", LONGEST[log, RECORDED]
            found = {name: float(recorded["longest_wait_h"].iloc[0])}
            yield printed_row(runs, log, name, "hours", printed, found)


def table1_numbers(runs: pd.DataFrame) -> Iterator[Row]:
    """Compare each number in Table 1 of the paper with our result."""
    for log in LOGS:
        of_log = pick(runs, kind=LOG, grouping=WHOLE, log=log, kept=READ_JOBS[log])
        if of_log.empty:
            continue
        row = of_log.iloc[0]
        servers, jobs, mean = TABLE1[log]
        found = {"servers": READ_SERVERS[log], "jobs": row["job_count"]}
        found["mean length"] = row["mean_length_h"]
        printed = {"servers": servers, "jobs": jobs, "mean length": mean}
        for name, value in printed.items():
            unit = "hours" if name == "mean length" else name
            yield printed_row(runs, log, name, unit, value, found)


def printed_row(
    runs: pd.DataFrame,
    log: str,
    name: str,
    unit: str,
    printed: float,
    found: Mapping[str, float],
) -> Row:
    """Return the ledger row that compares a number in the paper with our value.

    `found` has the values of our interpretation of the paper. If it has no value of this name, the
    row says that the number cannot be tested.
    """
    item, stand_in = f"{log} {name}", log if log in logs_missing_in(runs) else ""
    value = found.get(name)
    if value is None:
        judged = Judgement("cannot be tested", "the log has no job that requests so many servers")
        return Row.of(study.name, item, unit, float(printed), None, judged)
    decimals = len(f"{printed}".rstrip("0").partition(".")[2])
    exact, chosen = Interval.exact(float(value)), CHOSEN_BY.get((log, name), "")
    verdict = judge_number(printed, exact, decimals, stand_in=stand_in, calibrates=chosen)
    return Row.of(study.name, item, unit, float(printed), float(value), verdict)
