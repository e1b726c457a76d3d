"""How the paper is read: the printed numbers beside our reading, and the readings that were tried.

The paper does not print the least length of a booking, and its numbers of servers and its log of
CTC are not those of the public logs. `joint_reading` fits all of these choices together.
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
from studies.online_batch.figures import MACHINE, PLAIN, as_read, number, title_of
from studies.online_batch.model import (
    BOOKED_AS,
    CTC,
    EXACT,
    FIFTY,
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
from studies.study import logs_missing_in

#: The columns that tell readings of one log apart.
READING = [*MACHINE, "policy"]
LONGEST_WAIT = "longest wait"
#: What printed numbers were used to choose.
_OF_KTH, _OF_CTC = "the least length and the servers of KTH", "the servers of CTC"
CHOSEN_BY = {
    **{(KTH, name): _OF_KTH for name in (LONGEST_WAIT, "attempts (0:50]", "attempts (50:100]")},
    **{(CTC, name): _OF_CTC for name in ("servers", LONGEST_WAIT, "attempts (0:50]")},
    **{(CTC, name): "the jobs of CTC" for name in ("jobs", "mean length", "longest wait recorded")},
}


def replays(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs in which jobs are booked at once, of every reading of KTH and CTC."""
    return pick(runs, **PLAIN, length=EXACT, policy=BOOKED_AS, log=(KTH, CTC))


def attempts_of_groups(runs: pd.DataFrame) -> dict[str, float]:
    """Return the mean attempts a request of one setting, by group of servers."""
    found = pick(runs, grouping=BY_FIFTY).sort_values("above")
    ends = zip(found["above"], found["up_to"], strict=True)
    return {name_of_group(*e): m for e, m in zip(ends, found["mean_attempts"], strict=True)}


def name_of_group(above: float, up_to: float) -> str:
    """Return the name of the attempts of a group, as Table 2 has it."""
    return f"attempts ({above:g}:{up_to:g}]"


def printed_of_replays(log: str) -> dict[str, float]:
    """Return the printed longest wait and attempts of a log, by name."""
    attempts = {name_of_group(*ends): mean for ends, mean in TABLE2[log].items()}
    return {LONGEST_WAIT: LONGEST[log, LEAST]} | attempts


def found_in_replay(runs: pd.DataFrame) -> dict[str, float]:
    """Return the longest wait and the attempts of one reading of a log, by name."""
    return {LONGEST_WAIT: number(runs, "longest_wait_h")} | attempts_of_groups(runs)


def by_reading(runs: pd.DataFrame) -> dict[tuple, dict[str, float]]:
    """Return what comes out of each reading of each log, by log, servers, jobs and policy."""
    found = groups_of(replays(runs), READING)
    return {tuple(at[name] for name in READING): found_in_replay(rows) for at, rows in found}


# --- One joint reading ---


@study.add_joint_reading
def joint_reading(runs: pd.DataFrame) -> JointReading:
    """Return the joint reading of the least length, of the servers and of the jobs of CTC.

    It is fitted to the numbers of Tables 1 and 2 and of Figure 4(a) that any reading has.
    """
    missing = [log for log in (KTH, CTC) if log in logs_missing_in(runs)]
    if missing:
        raise NotRunError(f"{', '.join(missing)} is not here, and a stand-in has nothing printed")
    found, logs = by_reading(runs), jobs_of_ctc(runs)
    printed = {f"{log} {name}": value for log in (KTH, CTC)
               for name, value in printed_of_replays(log).items()}  # fmt: skip
    printed |= printed_of_ctc()
    readings = {}
    of_kth, of_ctc = ([at for at in found if at[0] == log] for log in (KTH, CTC))
    for kth, ctc in product(of_kth, of_ctc):
        if kth[-1] == ctc[-1] and ctc[2] in logs:
            both = {f"{log} {name}": value for log, at in ((KTH, kth), (CTC, ctc))
                    for name, value in found[at].items()}  # fmt: skip
            readings[name_of_reading(kth, ctc)] = both | logs[ctc[2]]
    ours = name_of_reading(*((log, READ_SERVERS[log], READ_JOBS[log], LEAST) for log in (KTH, CTC)))
    if ours not in readings:
        raise NotRunError(f"the reading of the study was not run: {ours}")
    known = {name for each in readings.values() for name in each}
    return JointReading({n: p for n, p in printed.items() if n in known}, readings, ours)


def name_of_reading(kth: tuple, ctc: tuple) -> str:
    """Return a joint reading in words, from log, servers, jobs and policy of both logs."""
    (_, kth_servers, _, policy), (_, ctc_servers, kept, _) = kth, ctc
    return f"{policy}; KTH on {kth_servers:g} servers; CTC on {ctc_servers:g}, {kept}"


def printed_of_ctc() -> dict[str, float]:
    """Return what is printed of the jobs of CTC, by name."""
    _, jobs, mean = TABLE1[CTC]
    return {"CTC jobs": jobs, "CTC mean length": mean, "CTC recorded wait": LONGEST[CTC, RECORDED]}


def jobs_of_ctc(runs: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return what the public log of CTC has of the same, by which of its jobs are kept."""
    found = pick(runs, kind=LOG, grouping=WHOLE, log=CTC)
    columns = dict(zip(printed_of_ctc(), ("job_count", "mean_length_h", "longest_wait_h"),
                       strict=True))  # fmt: skip
    return {
        row["kept"]: {name: float(row.get(column, np.nan)) for name, column in columns.items()}
        for _, row in found.iterrows()
    }


# --- Each log by itself ---


def of_log(runs: pd.DataFrame, log: str) -> pd.DataFrame:
    """Return longest wait and attempts a request over those printed, by reading of one log."""
    rows = []
    for (which, servers, kept, policy), found in by_reading(runs).items():
        if which != log:
            continue
        words = f"{servers:g} servers, {policy}" + f", {kept}" * (log == CTC)
        for name, printed in printed_of_replays(log).items():
            value = found.get(name, np.nan)
            row = {"log": title_of(runs, log), "servers": servers, "kept": kept, "policy": policy}
            row |= {"row": words, "number": name, "printed": printed, "reproduced": value}
            rows.append(row | interval_columns(Interval.exact(value / printed), "ratio"))
    if not rows:
        raise NotRunError(f"no reading of {log} was run")
    return pd.DataFrame(rows)


def draw_readings(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw what came out over what is printed, a row per reading."""
    how: dict[str, Any] = {"x": "ratio", "row": "row", "series": "number", "factors": True}
    known = table.dropna(subset="ratio")
    return plots.intervals(known, xlabel="what came out over what is printed", **how, **titles)


READINGS_CAPTION = Caption(
    "KTH: what comes out over what is printed, by servers and least length; "
    "a replay of a log is exact",
    finding="With 100 servers and 5 or 10 minutes at least, KTH comes out nearly as printed",
)


@study.add_figure("readings", READINGS_CAPTION, draw_readings, claims=("OB-7", "OB-14"))
def readings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what comes out of KTH over what is printed."""
    return of_log(runs, KTH)


READINGS_OF_CTC_CAPTION = Caption(
    "CTC, 5 minutes at least: what comes out over what is printed, by servers and by which jobs of "
    "the public log are kept; a replay of a log is exact",
    finding="On 512 servers and without short jobs, CTC comes out at 0.5 to 1.2 times the print",
)


@study.add_figure("readings_ctc", READINGS_OF_CTC_CAPTION, draw_readings)
def readings_of_ctc(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what comes out of CTC over what is printed."""
    return of_log(pick(runs, policy=LEAST), CTC)


CUTS_CAPTION = Caption(
    "CTC: what the public log has over what is printed, by which jobs are kept",
    finding="Without its jobs of under ten minutes, the public log nearly has what is printed",
)


@study.add_figure("cuts", CUTS_CAPTION, draw_readings)
def cuts(runs: pd.DataFrame) -> pd.DataFrame:
    """Return jobs, mean length, longest recorded wait and short jobs of CTC over those printed."""
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
        raise NotRunError(f"{CTC} itself was not measured")
    return pd.DataFrame(rows)


ATTEMPTS_CAPTION = "Table 2: attempts a request in groups of 50 servers, by our reading"


@study.add_figure("attempts", ATTEMPTS_CAPTION)
def attempts(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean attempts a request by group of servers, beside those printed."""
    rows = []
    for at, its_runs in groups_of(pick(as_read(replays(runs)), policy=LEAST), READING):
        printed = printed_of_replays(at["log"])
        for _, group in pick(its_runs, grouping=BY_FIFTY).sort_values("above").iterrows():
            first = int(group["above"]) + 1
            row = {"log": title_of(runs, at["log"]), "servers": at["servers"]}
            row |= {"size_from": first, "size_to": first + FIFTY - 1}
            row |= {"mean_attempts": group["mean_attempts"], "requests": int(group["requests"])}
            group_name = name_of_group(group["above"], group["up_to"])
            rows.append(row | {"printed": printed.get(group_name)})
    return pd.DataFrame(rows)


# --- Printed numbers, each by our reading ---


@study.add_numbers
def printed_numbers(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield a row for each number of Tables 1 and 2 and each longest wait that is printed."""
    yield from table1_numbers(runs)
    for log in (KTH, CTC):
        booked = pick(as_read(replays(runs)), policy=LEAST, log=log)
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
    """Yield a row for each number of Table 1."""
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
    """Return the row of a printed number: what comes out by our reading, or that nothing does."""
    item, stand_in = f"{log} {name}", log if log in logs_missing_in(runs) else ""
    value = found.get(name)
    if value is None:
        judged = Judgement("cannot be tested", "the log has no job of so many servers")
        return Row.of(study.name, item, unit, float(printed), None, judged)
    decimals = len(f"{printed}".rstrip("0").partition(".")[2])
    exact, chosen = Interval.exact(float(value)), CHOSEN_BY.get((log, name), "")
    verdict = judge_number(printed, exact, decimals, stand_in=stand_in, calibrates=chosen)
    return Row.of(study.name, item, unit, float(printed), float(value), verdict)
