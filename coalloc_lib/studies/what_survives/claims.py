"""The claims: each conclusion at its own setting, and how often it holds elsewhere."""

from collections.abc import Callable

import pandas as pd

from coalloc_lib.experiments import NotRunError
from coalloc_lib.studies.ledger import Decision
from coalloc_lib.studies.study import PaperSetting
from coalloc_lib.studies.what_survives.conclusions import CONCLUSIONS, Conclusion
from coalloc_lib.studies.what_survives.effects import CONDITION, effect_of, in_percent
from coalloc_lib.studies.what_survives.runs import own, study


def judging(conclusion: Conclusion) -> Callable[[pd.DataFrame], Decision]:
    """Return the function that judges a conclusion from the runs of one condition."""

    def judge(runs: pd.DataFrame) -> Decision:
        found = effect_of(runs)
        if found.warning:
            raise NotRunError(found.warning)
        change = in_percent(found)
        return Decision(change, {"not longer": change.below(100 * conclusion.up_to)})

    return judge


def setting_of(conclusion: Conclusion) -> PaperSetting:
    """Return a conclusion's own setting, of which every part is varied."""
    first = own(conclusion)
    varied = {name: getattr(first, name) for name in CONDITION}
    return PaperSetting(varied=varied, fixed={"conclusion": conclusion.item})


for each in CONCLUSIONS.values():
    quantity = f"{each.name}: change of the mean response, %"
    study.add_claim(each.item, quantity, setting_of(each))(judging(each))
