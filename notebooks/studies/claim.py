"""Define a claim of a paper, and the setting of the paper that it is about."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from coalloc_lib.basics.checks import one_of, shown
from coalloc_lib.statistics import NotRunError, groups_of, pick
from studies.ledger import Decision


@dataclass(frozen=True)
class PaperSetting:
    """The simulation setting to which a claim of a paper refers.

    Parameters
    ----------
    varied : dict
        The paper's own value for each column in which the runs may differ. A claim is tested at
        these values; it is also tested at all other values in the runs, but only the note of the
        verdict reports that.
    fixed : dict
        Values of further columns. All tests of the claim use only runs with these values.
    logs : tuple of str
        The logs that the claim needs. It cannot be tested if stand-ins replaced them.
    reading : str
        How the setting differs from what the paper prints; every note on the claim says it.
    """

    varied: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    logs: tuple[str, ...] = ()
    reading: str = ""

    @property
    def values(self) -> dict[str, Any]:
        """The column values that select the runs of this setting from a table of runs."""
        return {**self.varied, **self.fixed}

    def with_(self, **values: Any) -> "PaperSetting":
        """Return a copy of the setting with new values for the given columns."""
        for name in values:
            one_of("column", name, tuple(self.values))
        varied = {name: values.get(name, value) for name, value in self.varied.items()}
        fixed = {name: values.get(name, value) for name, value in self.fixed.items()}
        return replace(self, varied=varied, fixed=fixed)

    def without(self, *names: str) -> "PaperSetting":
        """Return a copy of the setting without some columns, whose values the claim compares."""
        for name in names:
            one_of("column", name, tuple(self.values))
        return replace(self, varied=without(self.varied, *names), fixed=without(self.fixed, *names))

    def fixing(self, *names: str) -> "PaperSetting":
        """Return a copy of the setting in which the given columns must have the paper's values."""
        fixed = {**self.fixed, **{name: self.varied[name] for name in names}}
        return replace(self, varied=without(self.varied, *names), fixed=fixed)


def without(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return a copy of a dict without the given keys."""
    return {name: value for name, value in values.items() if name not in names}


#: A setting that selects all runs, for claims that are tested on all runs together.
EVERYWHERE = PaperSetting()


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim of a paper, with the function that judges it.

    Parameters
    ----------
    item : str
        The name of the claim, such as ``MU-1``.
    quantity : str
        The quantity that decides the claim, in words.
    judge : callable
        ``judge(runs)`` returns the `Decision` from the runs of one setting.
    at : PaperSetting
        The setting that the claim is about.
    words : dict of callable
        How notes write the values of some columns; see `Study`.
    """

    item: str
    quantity: str
    judge: Callable[[pd.DataFrame], Decision]
    at: PaperSetting
    words: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)

    def decide(self, runs: pd.DataFrame) -> Decision:
        """Test the claim at the paper's setting, and also at every other setting in the runs.

        Raises `NotRunError` if no run has the paper's own setting.
        """
        own = pick(runs, **self.at.values)
        if own.empty:
            raise NotRunError(f"no run has {_lacking(runs, self.at.values)}")
        decision = self.judge(own)
        others = {self.named(changed): answer for changed, answer in self._elsewhere(runs)}
        note = "; ".join(text for text in (decision.note, self.at.reading) if text)
        return decision._replace(note=note, elsewhere={**decision.elsewhere, **others})

    def named(self, values: Mapping[str, Any]) -> str:
        """Return column values as a string, such as ``worst fit, load 0.6``."""
        return ", ".join(self._named(name, value) for name, value in values.items())

    def _named(self, name: str, value: Any) -> str:
        label = name.replace("_", " ")
        if value is None:
            return f"no {label}"
        if name in self.words:
            return f"{label} {self.words[name](value)}"
        return value if isinstance(value, str) else f"{label} {value:g}"

    def _elsewhere(self, runs: pd.DataFrame) -> Iterator[tuple[dict[str, Any], bool | None]]:
        varied = self.at.varied
        for setting, part in groups_of(pick(runs, **self.at.fixed), list(varied)):
            changed = {name: value for name, value in setting.items() if value != varied[name]}
            if not changed:
                continue
            try:
                decision = self.judge(part)
            except NotRunError:
                continue
            if not decision.lost:
                yield changed, decision.answer


def _lacking(runs: pd.DataFrame, values: Mapping[str, Any]) -> str:
    # If each value of the setting occurs in some run, but no run has all of them, return all
    # values.
    lacking = {name: value for name, value in values.items() if pick(runs, **{name: value}).empty}
    return ", ".join(f"{name} = {shown(value)}" for name, value in (lacking or values).items())
