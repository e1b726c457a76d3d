"""Judgements of each conclusion in its own setting, by the mean response time."""

from collections.abc import Callable

import pandas as pd

from coalloc_lib.statistics import NotRunError
from studies.claim import PaperSetting
from studies.columns import column
from studies.ledger import Decision
from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS, Conclusion
from studies.what_survives.effects import CONDITION, change_and_answer, effect_of
from studies.what_survives.runs import own, study

#: Each conclusion is judged as a claim under one policy and by one metric. The note on the claim
#: reports the verdicts for the other policies and metrics. The figure ``matrix`` of the study shows
#: the verdicts under all conditions.
VARIED = ("policy", "metric")


def judging(conclusion: Conclusion) -> Callable[[pd.DataFrame], Decision]:
    """Return a function that judges a conclusion from the runs under one condition."""

    def judge(runs: pd.DataFrame) -> Decision:
        found = effect_of(runs)
        if found.warning:
            raise NotRunError(found.warning)
        change, answer = change_and_answer(conclusion, found)
        if column(runs, "saturated").iloc[0]:
            return Decision(
                None,
                {"the response is not longer": answer},
                note="one of the two ways to run the jobs is saturated",
            )
        return Decision(change, {"the response is not longer": answer})

    return judge


def setting_of(conclusion: Conclusion) -> PaperSetting:
    """Return the condition under which a conclusion is judged as a claim."""
    first = own(conclusion)
    values = {name: getattr(first, name, model.RESPONSE) for name in CONDITION}
    fixed = {name: value for name, value in values.items() if name not in VARIED}
    varied = {name: values[name] for name in VARIED}
    return PaperSetting(varied=varied, fixed={"conclusion": conclusion.item} | fixed)


for conclusion in CONCLUSIONS.values():
    quantity = f"change of the mean response time in percent ({conclusion.name})"
    study.add_claim(conclusion.item, quantity, setting_of(conclusion))(judging(conclusion))
