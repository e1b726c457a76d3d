"""The leaderboard of the second notebook."""

import json
import re
from dataclasses import dataclass

import pytest

import coalloc_lib as co
from studies.cluster_configurations.lesson import check, leaderboard
from tests.conftest import ROOT


@dataclass(frozen=True)
class LikeBestFit(co.Placement):
    def order(self, idle):
        return sorted(range(len(idle)), key=lambda c: idle[c])


@dataclass(frozen=True)
class ByClusters(co.Placement):
    def order(self, idle):
        return sorted(range(len(idle)), key=lambda c: idle[c] if len(idle) > 6 else -idle[c])


def test_the_leaderboard_orders_by_loss_and_judges_by_differences_on_the_same_jobs():
    table = leaderboard({"by clusters": ByClusters(), "like best fit": LikeBestFit()})
    assert table.index.tolist() == [1, 2, 3, 4, 5]
    assert table["mean loss"].is_monotonic_increasing
    assert table.loc[1, "placement"] == "by clusters"
    lines = table.set_index("placement")
    # The same rule, run by the other engine on the same jobs.
    losses = ["mean loss", "minus first fit", "4 × 32", "8 × 16", "16 × 8"]
    assert lines.loc["like best fit", losses].equals(lines.loc["best fit", losses])
    assert lines.loc["by clusters", "beats the three"] == "yes"
    # What differs in nothing from a rule does not beat it. Only the entries are held against rules.
    for name, answer in (("like best fit", "no"), ("best fit", "")):
        assert lines.loc[name, "beats them on 16 × 8"] == answer
    with pytest.raises(co.InputError, match=r"entries\['mine'\]"):
        leaderboard({"mine": LikeBestFit})


@pytest.mark.parametrize(("penalty", "end"), [(0.0, 12), (0.25, 15), (0.5, 18), (0.6, 19.2)])
def test_the_twelve_jobs_of_the_first_stop_break_even_where_the_text_says(penalty, end):
    lasts, pair = [2, 3, 4, 4, 3, 2] * 2, co.Multicluster([5, 5])
    whole = co.JobStream(submit=[0] * 12, runtime=lasts, components=[[3, 0]] * 12)
    apart = whole.replace(components=[[2, 1]] * 12, span_penalty=penalty)
    assert co.simulate(pair, whole).end.max() == 18
    assert co.simulate(pair, apart).end.max() == pytest.approx(end)


def test_the_rule_of_the_next_step_beats_the_three_on_average():
    """The rule is read from notebook 02, which says what it gains."""
    notebook = json.loads(
        (ROOT / "notebooks" / "02_cluster_configurations.ipynb").read_text(encoding="utf-8")
    )
    (text,) = (
        source
        for cell in notebook["cells"]
        if "<summary>A next step</summary>" in (source := "".join(cell["source"]))
    )
    block = text.split("A next step</summary>")[1].split("```python\n")[1].split("```")[0]
    code, call = block.split("\n\n\nleaderboard(")
    assert call == '{"keep slots": KeepSlots()})\n'
    names = {"co": co}
    exec(code, names)
    table = leaderboard({"keep slots": names["KeepSlots"]()}).set_index("placement")
    row = table.loc["keep slots"]
    assert row["beats the three"] == "yes"
    assert f"{row['mean loss']:.3f}" == "0.144"
    assert row["minus first fit"].startswith("-0.0116 ± 0.0026")
    assert (row["4 × 32"], table.loc["worst fit", "4 × 32"]) == (0.128, 0.107)


def test_overtaking_on_both_systems_or_on_neither_has_a_hint_of_its_own():
    for answer in (0.191, 0.194):
        said = re.sub("<[^>]*>", "", check(6, answer).data)
        assert "only on the unequal clusters may jobs overtake" in said
