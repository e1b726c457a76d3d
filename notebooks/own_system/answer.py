"""The recommendation to operators in words; the module `decision` chooses the option."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from coalloc_lib.basics.display import listed
from coalloc_lib.statistics import Interval
from own_system.decision import Changes, Decision, Verdict, decide, falls, rises
from own_system.words import changed, duration, in_a_row


class Answer(NamedTuple):
    """A recommendation to the operators of several sites, as data and as text."""

    decision: Decision
    words: str
    change: Interval | None = None

    @property
    def option(self) -> str | None:
        """The name of the recommended option, or None if nothing should change."""
        return self.decision.option


def recommend(
    options: pd.DataFrame,
    pairs: pd.DataFrame,
    advice: Mapping[str, str],
    missed: Mapping[str, str] | None = None,
) -> Answer:
    """Return a recommendation to the operators of several sites, given a table of changes.

    Parameters
    ----------
    options, pairs : DataFrame
        The tables of changes that `own_system.decision.Changes` takes.
    advice : dict of str to str
        The advice to take each option that can be recommended.
    missed : dict of str to str, optional
        A text for each site whose recorded waits the model does not reproduce.

    Returns
    -------
    Answer
        The decision and its text.
    """
    changes = Changes(options, pairs)
    decision = decide(changes, missed)
    words = _WORDS[decision.verdict](decision, changes)
    if decision.option:
        words = f"{advice[decision.option]}{words}"
    return Answer(decision, words, _supporting_change(decision, changes))


def _supporting_change(decision, changes):
    name = decision.option or decision.shortest
    if name is None or changes.today["warning"]:
        return None
    row = changes.wait[name]
    ends = row["change_low"], row["change_high"]
    return Interval(row["change"], *ends, int(row["blocks"]), warning=row["warning"])


def _model_fails(decision, changes):
    words = f"Nothing can be recommended: {decision.why}."
    best = decision.shortest
    if best is None:
        return words
    named = f"'{best}'" if changes.today["warning"] else _named_change(best, changes)
    return f"{words} In the model the best option is {named}."


def _nothing_sure(decision, changes):
    return f"Change nothing yet, because no change is sure: {decision.why}."


def _no_wait(decision, changes):
    now = duration(changes.today["value"])
    return f"Change nothing: in the model a job waits {now} on average today."


def _add_processors(decision, changes):
    return (
        f"Add processors, because no option can serve this load: if the sites stay alone, it is "
        f"{decision.why}."
    )


def _serve(decision, changes):
    agreed = ", but only if the sites that lose agree" if decision.losers else ""
    wait = duration(changes.wait[decision.option]["value"])
    return (
        f"{agreed}: a job then waits {wait} on average. "
        f"If the sites stay alone, it is {decision.why}.{_losses(decision, changes)}"
    )


def _take(decision, changes):
    gainers = decision.gainers
    everywhere = len(gainers) == len(changes.sites)
    where = "each site" if everywhere else listed(gainers) or "no site"
    words = f". {_gain(decision, changes)}. The wait surely falls at {where}"
    if not everywhere:
        others = [site for site in changes.sites if site not in gainers]
        words += f"; whether it rises or falls at {listed(others)} is not sure"
    if decision.shortest != decision.option:
        return f"{words}. '{decision.shortest}' is not surely better than this."
    return f"{words}."


def _ask_losers(decision, changes):
    return (
        ", but only if the sites that lose agree. "
        f"{_gain(decision, changes)}.{_losses(decision, changes)}"
    )


def _accept_unknown(decision, changes):
    unknown = listed(decision.unknown)
    return (
        f", but only if {unknown} can accept an unknown change. "
        f"{_gain(decision, changes)}. The change at {unknown} is not known: {decision.why}."
    )


def _too_small(decision, changes):
    now = duration(changes.today["value"])
    return (
        f"Change nothing: a job waits {now} on average, and no option surely shortens that by a "
        f"minute. The largest change is {_named_change(decision.shortest, changes)}."
    )


def _not_better(decision, changes):
    differ = any(rises(row) or falls(row) for row in changes.wait.values())
    than = "is surely better than" if differ else "differs from"
    return (
        f"Change nothing: no option {than} what you have. The option with the shortest mean wait "
        f"is {_named_change(decision.shortest, changes)}."
    )


#: The functions that write verdicts in words, by verdict. If an option is recommended, these words
#: follow the advice to take the option.
_WORDS: dict[Verdict, Callable[[Decision, Changes], str]] = {
    Verdict.TAKE: _take,
    Verdict.ASK_LOSERS: _ask_losers,
    Verdict.ACCEPT_UNKNOWN: _accept_unknown,
    Verdict.SERVE: _serve,
    Verdict.ADD_PROCESSORS: _add_processors,
    Verdict.MODEL_FAILS: _model_fails,
    Verdict.NOTHING_SURE: _nothing_sure,
    Verdict.NO_WAIT: _no_wait,
    Verdict.TOO_SMALL: _too_small,
    Verdict.NOT_BETTER: _not_better,
}


def _losses(decision, changes):
    if not decision.losers:
        return ""
    rows = [changes.at[decision.option][site] for site in decision.losers]
    lost = [duration(row["change"]) for row in rows]
    return f" Jobs of {listed(decision.losers)} wait {listed(lost)} longer."


def _gain(decision, changes):
    row = changes.wait[decision.option]
    ends = [row[name] for name in ("value", "change", "change_low", "change_high")]
    now, then, change = in_a_row(changes.today["value"], *ends)
    return f"A job then waits {then} on average instead of {now}: {change.replace('(', '(95 %: ')}"


def _named_change(name, changes):
    change = changed(*changes.wait[name][["change", "change_low", "change_high"]])
    return f"'{name}': {change.replace('(', '(95 %: ')}"
