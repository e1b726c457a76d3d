"""The claims: each conclusion at its own setting, by the mean response."""

from collections.abc import Callable

import pandas as pd

from coalloc_lib.experiments import NotRunError
from studies.ledger import Decision
from studies.study import PaperSetting
from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS, Conclusion
from studies.what_survives.effects import CONDITION, effect_of, in_percent
from studies.what_survives.runs import own, study

#: The note of a claim says what comes out for other values of these; the matrix has all others.
VARIED = ("policy", "metric")


def judging(conclusion: Conclusion) -> Callable[[pd.DataFrame], Decision]:
    """Return the function that judges a conclusion from the runs of one condition."""

    def judge(runs: pd.DataFrame) -> Decision:
        found = effect_of(runs)
        if found.warning:
            raise NotRunError(found.warning)
        change = in_percent(found)
        answer = change.below(100 * conclusion.up_to)
        if runs["saturated"].iloc[0]:
            return Decision(None, {"not longer": answer}, note="one way is saturated")
        return Decision(change, {"not longer": answer})

    return judge


def setting_of(conclusion: Conclusion) -> PaperSetting:
    """Return a conclusion's own setting, with the columns that its note varies."""
    first = own(conclusion)
    values = {name: getattr(first, name, model.RESPONSE) for name in CONDITION}
    fixed = {name: value for name, value in values.items() if name not in VARIED}
    varied = {name: values[name] for name in VARIED}
    return PaperSetting(varied=varied, fixed={"conclusion": conclusion.item} | fixed)


for each in CONCLUSIONS.values():
    quantity = f"{each.name}: change of the mean response, %"
    study.add_claim(each.item, quantity, setting_of(each))(judging(each))
