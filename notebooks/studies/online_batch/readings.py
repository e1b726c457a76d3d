"""How the paper is read: every printed number beside what comes out by each reading."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.experiments import NotRunError, interval_columns, pick
from coalloc_lib.intervals import Interval
from studies.ledger import Row, judge_by_readings
from studies.online_batch import model
from studies.online_batch.figures import (
    NOBODY_RESERVES,
    ONE_CLUSTER,
    PLAIN,
    number,
    title_of,
)
from studies.online_batch.model import (
    ALL,
    CTC,
    EXACT,
    KTH,
    LEAST,
    LOGS,
    LONGEST,
    OWN_SERVERS,
    READ_JOBS,
    READ_SERVERS,
    READINGS,
    RECORDED,
    SHORT_OF_CTC,
    TABLE1,
    TABLE2,
)
from studies.online_batch.runs import study
from studies.online_batch.settings import (
    BY_FIFTY,
    FROM_FIFTY,
    LOG,
    SCHEDULE,
    WHOLE,
)
from studies.shown import Caption
from studies.study import logs_missing_in

#: How groups of fifty servers are read: up to 50, as Table 2 writes it, or from 50 on.
GROUPED = {BY_FIFTY: "", FROM_FIFTY: ", groups from 50 on"}
#: A reading: of the log, on so many servers, in words; and its runs and groups.
Reading = tuple[str, int, str, pd.DataFrame, str]


def each_reading(runs: pd.DataFrame) -> Iterator[Reading]:
    """Yield log, servers, words, runs and grouping of each reading that was run.

    The first one of a log is ours. Groups of KTH are read both ways, since it has a job of 100.
    """
    for log in (KTH, CTC):
        here = pick(runs, kind=SCHEDULE, log=log, **NOBODY_RESERVES, **ONE_CLUSTER)
        ours, *others = model.servers_of(log)
        servers = sorted({ours, *others}, key=lambda n: n != READ_SERVERS[log])
        for count, (reading, fields) in product(servers, READINGS[log].items()):
            its_runs = pick(here, servers=count, **{**PLAIN, "length": EXACT, "kept": ALL} | fields)
            if not its_runs.empty:
                yield log, count, reading, its_runs, BY_FIFTY
            if log == KTH and reading == next(iter(READINGS[log])) and not its_runs.empty:
                yield log, count, reading + GROUPED[FROM_FIFTY], its_runs, FROM_FIFTY


def attempts_of_groups(runs: pd.DataFrame, grouping: str = BY_FIFTY) -> dict[str, float]:
    """Return the mean attempts a request of one setting, by group of servers."""
    found = pick(runs, grouping=grouping).sort_values("above")
    ends = zip(found["above"], found["up_to"], strict=True)
    return {name_of_group(*e): m for e, m in zip(ends, found["mean_attempts"], strict=True)}


def name_of_group(above: float, up_to: float) -> str:
    """Return the name of the attempts of a group, as Table 2 has it."""
    return f"attempts ({above:g}:{up_to:g}]"


def of_replays(runs: pd.DataFrame) -> pd.DataFrame:
    """Return longest waits and attempts a request over those printed, by log and reading."""
    rows = []
    for log, servers, reading, its_runs, grouping in each_reading(runs):
        found = attempts_of_groups(its_runs, grouping)
        all_printed = {name_of_group(*ends): mean for ends, mean in TABLE2[log].items()}
        if grouping == BY_FIFTY:
            found["longest wait"] = number(its_runs, "longest_wait_h")
            all_printed = {"longest wait": LONGEST[log, LEAST]} | all_printed
        for name, printed in all_printed.items():
            value = found.get(name, np.nan)
            row = {"log": title_of(runs, log), "servers": servers, "reading": reading}
            row |= {"row": f"{servers} servers, {reading}", "number": name, "printed": printed}
            ratio = interval_columns(Interval.exact(value / printed), "ratio")
            rows.append(row | {"reproduced": value} | ratio)
    if not rows:
        raise NotRunError("no reading of the paper was run")
    return pd.DataFrame(rows)


def draw_readings(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw what came out over what is printed, a row per reading."""
    how: dict[str, Any] = {"x": "ratio", "row": "row", "series": "number", "factors": True}
    known = table.dropna(subset="ratio")
    return plots.intervals(known, xlabel="what came out over what is printed", **how, **titles)


READINGS_CAPTION = Caption(
    "KTH: what comes out over what is printed, by how the paper is read; "
    "a replay of a log is exact",
    finding="With 100 servers and 5 or 10 minutes at least, KTH comes out nearly as printed",
)


@study.add_figure("readings", READINGS_CAPTION, draw_readings, claims=("OB-7", "OB-14"))
def readings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what comes out of KTH over what is printed."""
    table = of_replays(runs)
    return table[table["log"].str.startswith(KTH)].reset_index(drop=True)


READINGS_OF_CTC_CAPTION = Caption(
    "CTC: what comes out over what is printed, by servers and by which jobs of the public log are "
    "kept; a replay of a log is exact",
    finding="On 512 servers and without short jobs CTC comes nearest; no reading gives 127.44",
)


@study.add_figure("readings_ctc", READINGS_OF_CTC_CAPTION, draw_readings)
def readings_of_ctc(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what comes out of CTC over what is printed."""
    table = of_replays(runs)
    table = table[table["log"].str.startswith(CTC)].reset_index(drop=True)
    if table.empty:
        raise NotRunError(f"no reading of {CTC} was run")
    return table


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


ATTEMPTS_CAPTION = "Table 2: attempts a request in groups of 50 servers, by how the paper is read"


@study.add_figure("attempts", ATTEMPTS_CAPTION)
def attempts(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean attempts a request by group of servers, at each reading."""
    rows = []
    for log, servers, reading, its_runs, grouping in each_reading(runs):
        row = {"log": title_of(runs, log), "servers": servers}
        row |= {"length": its_runs["length"].iloc[0]}
        for _, group in pick(its_runs, grouping=grouping).sort_values("above").iterrows():
            first = int(group["above"]) + (grouping == BY_FIFTY)
            sizes = {"size_from": first, "size_to": first + model.FIFTY - 1}
            found = {"mean_attempts": group["mean_attempts"], "requests": int(group["requests"])}
            rows.append(row | sizes | found | {"reading": reading})
    return pd.DataFrame(rows)


# --- Printed numbers, each by every reading ---


@study.add_numbers
def printed_numbers(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield a row for each number of Tables 1 and 2 and each longest wait that is printed."""
    yield from table1_numbers(runs)
    table = of_replays(runs).dropna(subset="reproduced")
    for log in (KTH, CTC):
        of_log = table[table["log"].str.startswith(log)]
        for (name, printed), rows in of_log.groupby(["number", "printed"], sort=False):
            found = dict(zip(rows["row"], rows["reproduced"], strict=True))
            unit = "attempts" if "(" in name else "hours"
            yield printed_row(runs, log, name, unit, printed, found)
        yield from longest_recorded(runs, log)


def table1_numbers(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield a row for each number of Table 1."""
    found = pick(runs, kind=LOG, grouping=WHOLE)
    for log in LOGS:
        its_rows = pick(found, log=log).sort_values("kept", key=lambda k: k != READ_JOBS[log])
        if its_rows.empty:
            continue
        servers, jobs, mean = TABLE1[log]
        yield printed_row(runs, log, "servers", "servers", servers, servers_of_log(log, its_rows))
        yield printed_row(runs, log, "jobs", "jobs", jobs, jobs_of_log(its_rows))
        yield printed_row(runs, log, "mean length", "hours", mean, means_of_log(its_rows))


def servers_of_log(log: str, of_log: pd.DataFrame) -> dict[str, float]:
    """Return how many servers a log has, by reading."""
    in_all = of_log.iloc[0].get("servers_in_all")
    others = {"in all": float(in_all)} if pd.notna(in_all) else {}
    return {"for batch jobs": OWN_SERVERS[log]} | others


def jobs_of_log(of_log: pd.DataFrame) -> dict[str, float]:
    """Return how many jobs a log has, by reading."""
    counts = dict(zip(of_log["kept"], of_log["job_count"], strict=True))
    header = of_log.iloc[0]
    records, named = header.get("records"), header.get("named_jobs")
    if pd.notna(records):
        counts["all records"] = records
        took_no_time = records - counts[ALL]
        counts["as many as its header names, less those that took no time"] = named - took_no_time
    return counts


def means_of_log(of_log: pd.DataFrame) -> dict[str, float]:
    """Return the mean run time of a log, by reading."""
    means = dict(zip(of_log["kept"], of_log["mean_length_h"], strict=True))
    of_records = of_log.iloc[0].get("mean_length_of_records_h")
    if pd.notna(of_records):
        means["all records"] = of_records
    ours = of_log["mean_length_h"].iloc[0]
    return means | {"cut off after two decimals": float(np.floor(100 * ours) / 100)}


def longest_recorded(runs: pd.DataFrame, log: str) -> Iterator[Row]:
    """Yield the row of the longest wait of a log itself."""
    found = pick(runs, kind=LOG, grouping=WHOLE, log=log).dropna(subset="longest_wait_h")
    found = found.sort_values("kept", key=lambda kept: kept != READ_JOBS[log])
    waits = dict(zip(found["kept"], found["longest_wait_h"], strict=True))
    if not waits:
        return
    ours = next(iter(waits.values()))
    waits["rounded up to half hours"] = float(np.ceil(2 * ours) / 2)
    printed = LONGEST[log, RECORDED]
    yield printed_row(runs, log, "longest wait recorded", "hours", printed, waits)


def printed_row(
    runs: pd.DataFrame,
    log: str,
    name: str,
    unit: str,
    printed: float,
    found: Mapping[str, float],
) -> Row:
    """Return the row of a printed number, by readings of which the first is ours."""
    decimals = len(f"{printed}".rstrip("0").partition(".")[2])
    readings_ = {reading: Interval.exact(float(value)) for reading, value in found.items()}
    stand_in = log if log in logs_missing_in(runs) else ""
    verdict = judge_by_readings(printed, readings_, decimals, stand_in=stand_in)
    ours, value = next(iter(found.items()))
    quantity = f"{unit}, {ours}" if len(found) > 1 else unit
    return Row.of(study.name, f"{log} {name}", quantity, float(printed), float(value), verdict)
