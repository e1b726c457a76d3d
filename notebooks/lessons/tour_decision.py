"""The decision chart of the tour, and its conclusions in other systems, from archived results."""

from functools import cache

import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import Interval
from lessons.tour_map import change_in_words, pays_up_to_in_words
from studies import load_study
from studies.archive import archived_ledger
from studies.ledger import Row
from studies.what_survives.effects import effects
from studies.what_survives.survival import survival

#: The ledger names of those conclusions of notebook 00 that the study ``what-survives`` also tested
#: in many other systems.
OF_THE_TOUR = ("WS-14", "WS-2", "WS-3", "WS-13")


def elsewhere() -> pd.DataFrame:
    """Count the tests in other systems that confirm each conclusion of notebook 00."""
    runs = load_study("what-survives").archived()
    table = survival(effects(runs[runs["conclusion"].isin(OF_THE_TOUR)]))
    table["name"] = table["name"].str.replace("spanning at penalty", "spanning pays at penalty")
    table["clear comparisons"] = table["holds"] + table["turns"]
    columns = {"name": "conclusion", "holds": "holds in", "sentence": "what becomes of it"}
    table = table.drop(columns="conclusion").rename(columns=columns)
    return table[["conclusion", "holds in", "clear comparisons", "what becomes of it"]].set_index(
        "conclusion"
    )


@cache
def _ledger() -> dict[str, Row]:
    return {item: row for (_, item), row in archived_ledger().items()}


def archived_claim(item: str) -> Row:
    """Return the archived result for a claim of a paper, given its name, such as ``JS-6``.

    Raises
    ------
    InputError
        If the ledger does not exist, or does not contain the claim.
    """
    if item not in _ledger():
        raise InputError(
            f"the stored results of the studies contain no claim {item}; run `make front-door` to "
            "write them again"
        )
    return _ledger()[item]


def _claim(item: str, words: str, digits: int = 2) -> str:
    row = archived_claim(item)
    low, high = row.ci95_low, row.ci95_high
    has_interval = low is not None and high is not None and low < high
    interval = f" [{low:.{digits}f}, {high:.{digits}f}]" if has_interval else ""
    return words.format(f"{row.reproduced:.{digits}f}{interval}")


@cache
def _booked_over_easy() -> pd.DataFrame:
    study = load_study("online-batch")
    return study.figures["certainty"].make_table(study.archived())


def booked_over_easy(length: str) -> Interval:
    """Return the mean wait under online booking divided by that under EASY, for the log KTH-SP2.

    Parameters
    ----------
    length : {"exact", "requested"}
        The length of the bookings: the run times of the jobs, or the times that users requested.
    """
    ratios = _booked_over_easy()
    wanted = {"log": "KTH-SP2", "policy": "online", "length": length}
    row = ratios.loc[(ratios[list(wanted)] == pd.Series(wanted)).all(axis=1)].iloc[0]
    return Interval(row["ratio"], row["ci95_low"], row["ci95_high"], 0)


def questions() -> list[tuple[str, str, str, str]]:
    """Return the rows of a decision chart on whether jobs should span clusters.

    A row has a question, the answer that leads to the advice, the advice, and the value that
    supports it. The last row has no question.
    """
    best = change_in_words("EASY, adaptive", 0.7, 0.2)
    free = change_in_words("EASY", 0.3, 0.0)
    exact, requested = map(booked_over_easy, ("exact", "requested"))
    times = f"{exact.estimate:.2f} [{exact.low:.2f}, {exact.high:.2f}] times"
    guessed = f"{requested.estimate:.0f} [{requested.low:.0f}, {requested.high:.0f}] times"
    in_order, overtaking = (pays_up_to_in_words(rule, 0.7) for rule in ("FCFS", "FPFS(5)"))
    return [
        ("Is a job wider than\nevery cluster?", "yes", "It has to span.",
         _claim("JS-6", "On 4×128, responses are then {} times those of independent pieces "
                "(04, by work).")),
        ("Is the load below\nabout 0.3?", "yes", "Change nothing: few jobs wait.",
         f"At a load of 0.3 under EASY, spanning changes the mean response by {free},\n"
         "even without a penalty (map)."),
        ("May a job overtake\none that waits?", "no", "Span, while the penalty is small.",
         f"At a load of 0.7, it pays up to a penalty of {in_order} under FCFS (map)."),
        ("Is it known how long\njobs will run?", "no", "Span less: overtaking has filled holes.",
         f"At a load of 0.7, it pays up to a penalty of {overtaking} under FPFS(5) (map)."),
        ("Must users know their\nstart at once?", "yes", "Book, if the lengths are exact.",
         f"On the KTH log, jobs then wait {times} as long as under EASY,\n"
         f"and {guessed} as long if they are booked for the times that users requested (05)."),
        ("", "", "Share, backfill, span where that ends sooner.",
         _claim("JS-1", "On 4×128, responses with sharing are {} times as long as at home "
                "(04, by work).")
         + f"\nAt a load of 0.7 and a penalty of 0.2, such spanning changes the mean by {best} "
         "(map)."),
    ]  # fmt: skip


def decision_picture() -> plots.Picture:
    """Draw a decision chart with five questions on whether jobs should span clusters."""
    rows = questions()
    figure, axes = plots.new_figure(0.72 * len(rows) + 0.3)
    box = {"boxstyle": "round,pad=0.5", "facecolor": "#EAF3FA", "edgecolor": plots.STANDARD.colour}
    arrow = {"arrowstyle": "-|>", "color": plots.style.GREY}
    for row, (question, answer, advice, number) in enumerate(rows):
        begin = (0.245, -row) if question else (0.15, -row)
        axes.annotate("", (0.39, -row), begin, arrowprops=arrow)
        axes.text(0.32, 0.1 - row, answer, ha="center", fontsize=8.5)
        axes.text(0.4, 0.17 - row, advice, va="center", fontsize=9.5, weight="bold")
        axes.text(0.4, -0.17 - row, number, va="center", fontsize=8)
        if question:
            axes.text(0.15, -row, question, ha="center", va="center", fontsize=8.5, bbox=box)
        is_last = not rows[min(row + 1, len(rows) - 1)][0]
        if question:
            axes.annotate("", (0.15, -(1.0 if is_last else 0.71) - row), (0.15, -0.29 - row),
                          arrowprops=arrow | {"arrowstyle": "-"} if is_last else arrow)  # fmt: skip
            axes.text(0.165, -0.55 - row, "no" if answer == "yes" else "yes", fontsize=8.5)
    axes.set(xlim=(0, 1), ylim=(0.6 - len(rows), 0.6))
    axes.set_axis_off()
    plots.title_figure(figure, "Should jobs span clusters?")
    words = [f"{q} {a}: {advice} {number}".replace("\n", " ") for q, a, advice, number in rows]
    return plots.Picture(figure, rows=words)
