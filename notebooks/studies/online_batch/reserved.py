"""Figures 6 and 7 on advance reservations, and section 4.3 on the growth of the search's work."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import Interval, NotRunError, groups_of, interval_columns, pick, student
from studies.columns import column
from studies.log_files import title_of
from studies.online_batch import model
from studies.online_batch.figures import (
    DESCRIBED,
    LOOK,
    MACHINE,
    RUN_TIMES,
    beside_the_record,
    draw_trend,
    means_of_draws,
    over_draws,
    point,
    runs_as_read,
    shades_of,
    shares_longer,
)
from studies.online_batch.model import (
    CLASSES,
    CTC,
    EXACT,
    KTH,
    LEAST,
    PHASES,
    RECORDED,
)
from studies.online_batch.runs import study
from studies.online_batch.settings import (
    GROWTH,
    SCHEDULE,
    TREES,
    WHOLE,
)
from studies.results import Caption

#: A dict from each policy that is run with advance reservations to its name in the figures.
WITH_RESERVATIONS = {LEAST: "online", "conservative": "conservative"}
#: Two definitions of a wait: from the submission, as in Figures 6 and 7 of the paper, or
#: from the requested start, as in section 5 of the paper.
FROM_SUBMISSION, FROM_START = "from the submission", "from the requested start"
COUNTED_FROM = {"mean_wait_h": FROM_SUBMISSION, "mean_delay_h": FROM_START}
#: A dict from each quantity that is varied to the heading of its panel, in the figure of how the
#: work of a request grows.
VARIED = {"servers": "servers N", "slots": "slots Q", "wanted": "requested servers n"}
DRAWINGS = f"starts requested 0 to 3 hours ahead; {RUN_TIMES}; intervals: 95 %, over random choices"
#: The parts of the work that a request causes. Every attempt runs the two phases of the search. The
#: update puts the remaining idle periods back into the trees.
LOOKING, SEARCH, UPDATE = PHASES[:2], "search", "update"


# --- Figures 6 and 7: advance reservations ---


def with_reservations(runs: pd.DataFrame) -> pd.DataFrame:
    """Select the runs of each policy that was run with several shares of advance reservations."""
    usual = {"kind": SCHEDULE, "length": EXACT}
    found = runs_as_read(pick(runs, policy=tuple(WITH_RESERVATIONS), **usual))
    of_lines = [column(found, "log"), column(found, "policy")]
    shares = column(found, "share").groupby(of_lines).transform("nunique")
    return found[shares > 1]


def of_figure6(runs: pd.DataFrame) -> Iterator[tuple[dict, pd.DataFrame, dict[str, str]]]:
    """Yield the setting, the runs and the labels of each line in Figure 6.

    The labels are the names of the line and of its panel. The lines of the recorded waits come
    last.
    """
    reserved = pick(with_reservations(runs), log=(CTC, KTH))
    for setting, its_runs in groups_of(reserved, [*DESCRIBED, "share"]):
        if setting["share"] < 1:
            words = {"line": f"ρ = {setting['share']:g}"}
            words["panel"] = panel_of(runs, setting["log"], setting["policy"])
            yield setting, its_runs, words
    record = pick(beside_the_record(runs), policy=RECORDED, log=set(reserved["log"]))
    for setting, its_runs in groups_of(record, DESCRIBED):
        for policy in pick(reserved, log=setting["log"])["policy"].unique():
            yield setting, its_runs, {"panel": panel_of(runs, setting["log"], policy)}


def panel_of(runs: pd.DataFrame, log: str, policy: str) -> str:
    """Return the heading of the panel for a log and a policy."""
    return f"{title_of(runs, log)}, {WITH_RESERVATIONS[policy]}"


def frequencies(
    runs: pd.DataFrame, setting: dict[str, Any], rows: pd.DataFrame, **words: str
) -> Iterator[dict[str, Any]]:
    """Yield the points of Figure 6: for each half hour, the share of jobs whose wait is in it.

    The share is a mean over the samples of the jobs that reserve ahead.
    """
    share, longer = rows["share"].iloc[0], shares_longer(rows)
    for low, high in pairwise(CLASSES):
        # Jobs that do not wait at all are counted in the first class of waits.
        in_class = (longer[low] if low else 1.0) - longer[high]
        yield point(runs, setting, (low + high) / 2, over_draws(in_class, share), **words)


def draw_figure6(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the share of jobs in each class of waits, for few shares of jobs that reserve ahead.

    The picture has only online scheduling and the record, because the lines of conservative
    backfilling, and those of all shares, nearly coincide.
    """
    parts = table["panel"].str.partition(", ").set_axis(["log", "", "way"], axis=1)
    table = table.assign(log=parts["log"])[parts["way"] == WITH_RESERVATIONS[LEAST]]
    shares = sorted({line for line in table["line"] if line != RECORDED})
    few = [shares[0], shares[len(shares) // 2], shares[-1]] if len(shares) > 3 else shares
    table = table[table["line"].isin([*few, RECORDED])]
    spans = pd.Series(np.where(table["at"] < SHORT_WAITS, *SPANS), index=table.index)
    # Few jobs wait longer than four hours. A linear axis would hide the differences there.
    scales = dict.fromkeys(SPANS, ("linear", "log"))
    axes = {"xlabel": "wait from the submission (hours)", "ylabel": "share of the jobs"}
    style = plots.LineStyle(dashed=[RECORDED])
    options: dict[str, Any] = {"panel": "span", "row": "log", "scales": scales, "style": style}
    look = shades_of(few) | LOOK
    return draw_trend(table.assign(span=spans), look=look, **axes, **options, **titles)


#: The panels of Figure 6 have the waits of up to `SHORT_WAITS` hours, and the longer waits.
SHORT_WAITS = 4
SPANS = (f"waits of up to {SHORT_WAITS} hours", "longer waits")
FIGURE6_CAPTION = Caption(
    "Figure 6, online: share of jobs by wait, in classes of half an hour, and by share ρ of "
    f"reservations, {DRAWINGS}",
    finding="With reservations, more waits from the submission fall into the first three hours",
)


@study.add_figure("figure6", FIGURE6_CAPTION, draw_figure6, claims=("OB-8", "OB-19"))
def figure6(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the distribution of the waits for each percentage of jobs that reserve ahead.

    Waits are those of online scheduling, of conservative backfilling and of the logs.
    """
    rows: list[dict[str, Any]] = []
    for setting, its_runs, words in of_figure6(runs):
        rows += frequencies(runs, setting, its_runs, **words)
    return pd.DataFrame(rows)


def draw_figure7a(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the mean wait against the share of jobs that reserve ahead, in a panel for each log."""
    parts = table["line"].str.extract("(?P<log>.*), (?P<policy>.*)")
    lines = parts["policy"] + ", " + table["panel"]
    starts = sorted(line for line in set(lines) if line.endswith(FROM_START))
    look = {line: plots.signs([line])[line] for line in set(lines)}
    style = plots.LineStyle(height=2.5, dashed=starts)
    axes = {"xlabel": "share of advance reservations, ρ", "ylabel": "mean wait (hours)"}
    table = table.assign(panel=parts["log"], line=lines)
    return draw_trend(table, look=look, style=style, **axes, **titles)


FIGURE7A_CAPTION = Caption(
    f"Figure 7(a): mean wait by share of reservations, online with at least 5 min; {DRAWINGS}",
    finding="Reservations lengthen waits from the submission, but not from the requested start",
)


@study.add_figure("figure7a", FIGURE7A_CAPTION, draw_figure7a, claims=("OB-9",))
def figure7a(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait for each share of jobs that reserve ahead.

    Waits are measured from the submission, and also from the requested start.
    """
    rows = []
    for setting, its_runs in groups_of(with_reservations(runs), [*DESCRIBED, "share"]):
        policy, share = WITH_RESERVATIONS[setting["policy"]], setting["share"]
        line = f"{title_of(runs, setting['log']).split()[0]}, {policy}"
        for waits, counted_from in COUNTED_FROM.items():
            mean = over_draws(means_of_draws(its_runs, waits), share)
            rows.append(point(runs, setting, share, mean, panel=counted_from, line=line))
    return pd.DataFrame(rows)


# --- Figure 7(b): the number of operations per request ---


def work_of_requests(runs: pd.DataFrame) -> pd.DataFrame:
    """Return attempts and operations per request, for each share of jobs that reserve ahead.

    There is a row for each machine, share and sample. The attempts are those of the whole log. The
    operations of an attempt and of an update are counted on the trees, for some of the jobs.
    """
    trees = pick(runs, kind=TREES)
    if trees.empty or "mean_attempts" not in runs:
        raise NotRunError("the claim needs jobs that were booked on the trees, and a whole log")
    keys = [*MACHINE, "share", "draw"]
    booked = pick(with_reservations(runs), policy=LEAST, grouping=WHOLE)
    table = trees[[*keys, *PHASES, "attempts_a_request"]].merge(
        booked[[*keys, "mean_attempts"]], on=keys, how="inner"
    )
    if table.empty:
        raise NotRunError("no whole log was run at the shares of reservations of the trees")
    an_attempt = table[[*LOOKING]].sum(axis=1) / table["attempts_a_request"]
    attempts = table["mean_attempts"]
    work = {"attempts": attempts, SEARCH: attempts * an_attempt, UPDATE: table["update"]}
    return table[keys].assign(an_attempt=an_attempt, **work, advance=table["advance"])


def over_none(table: pd.DataFrame, part: str) -> dict[float, Interval]:
    """Return one part of the work per request, relative to that without advance reservations.

    There is one ratio for each share of jobs that reserve ahead. `table` has the work of one
    machine.
    """
    none = table[part][table["share"] == 0].mean()
    reserved = table[table["share"] > 0]
    return {
        float(share): over_draws(samples, share).times(1 / none)
        for share, samples in reserved.groupby("share")[part]
    }


def draw_figure7b(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot attempts and tree operations per request, relative to a run without reservations."""
    rows = []
    parts = ("attempts", SEARCH, UPDATE)
    for part, (machine, its_rows) in product(parts, table.groupby("panel", sort=False)):
        for share, ratio in over_none(its_rows, part).items():
            words = {"panel": machine, "part": part, "share": f"ρ = {share:g}"}
            rows.append(words | interval_columns(ratio, "ratio"))
    columns: dict[str, Any] = {"x": "ratio", "row": "part", "series": "share", "panel": "panel"}
    xlabel = "per request, divided by that without reservations"
    return plots.intervals(pd.DataFrame(rows), xlabel=xlabel, factors=True, **columns, **titles)


FIGURE7B_CAPTION = Caption(
    "Figure 7(b): work per request by share of reservations; attempts in the whole log, "
    "operations per attempt on the paper's trees; intervals: 95 %, over random choices",
    finding="Reservations hardly change the expensive part, the update of the trees",
)


@study.add_figure("figure7b", FIGURE7B_CAPTION, draw_figure7b, claims=("OB-10", "OB-18"))
def figure7b(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean attempts and operations of a request, for each sample of jobs that reserve."""
    table = work_of_requests(runs)
    titles = [title_of(runs, log) for log in table["log"]]
    machines = [f"{title}, {n:g}" for title, n in zip(titles, table["servers"], strict=True)]
    return table.assign(log=titles, panel=machines).astype({"draw": int})


# --- Section 4.3: growth ---


def power(runs: pd.DataFrame, varied: str, part: str, of_logarithm: bool = False) -> Interval:
    """Fit a power law to the operations of one part of the search, and return its exponent.

    Parameters
    ----------
    runs : DataFrame
        Runs in which the number takes two values or more.
    varied : str
        The number that varies: ``"servers"``, ``"slots"`` or ``"wanted"``.
    part : str
        The part of the work, one of `model.PHASES`.
    of_logarithm : bool
        Whether to fit a power of the number's logarithm instead.
    """
    others = {name: at for name, at in model.GROWTH_AT.items() if name != varied}
    counts = pick(runs, kind=GROWTH, **others).pivot(
        index="replication", columns=varied, values=part
    )
    if len(counts.columns) < 2:
        raise NotRunError(
            f"the growth with {VARIED[varied]} needs runs for two values or more; run more values"
        )
    at = counts.columns.to_numpy(dtype=float)
    x = np.log(np.log2(at) if of_logarithm else at)
    x = x - x.mean()
    return student(np.log(counts.to_numpy()) @ x / (x @ x))


def draw_growth(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the fitted exponents of operation counts, in one panel for each varied quantity."""
    xlabel = "fitted exponent: 0 means that the work does not grow, 1 that it grows in proportion"
    once = table.drop_duplicates(["panel", "part"])  # each has a row for every varied number
    return plots.intervals(once, x="exponent", row="part", panel="panel", xlabel=xlabel, **titles)


GROWTH_CAPTION = Caption(
    "Section 4.3: random requests on the paper's trees, {servers} servers, {slots} slots "
    "and {wanted} requested servers unless varied; phases per attempt, update per "
    "request".format(**model.GROWTH_AT),
    finding="Searching is cheap; an update grows with the slots and with the requested servers",
)


@study.add_figure(
    "growth", GROWTH_CAPTION, draw_growth, claims=("OB-11", "OB-15", "OB-22", "OB-21")
)
def growth(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the number of operations for each varied quantity, and the fitted exponents."""
    rows = []
    for part, (varied, panel) in product(PHASES, VARIED.items()):
        others = {name: at for name, at in model.GROWTH_AT.items() if name != varied}
        exponent = interval_columns(power(runs, varied, part), "exponent")
        for at, counts in pick(runs, kind=GROWTH, **others).groupby(varied)[part]:
            row = {"panel": panel, "part": part, "at": int(at), "operations": counts.mean()}
            rows.append(row | exponent)
    return pd.DataFrame(rows)
