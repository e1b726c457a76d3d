"""The earlier studies with EASY: what they were, but for the policy."""

import pytest

import coalloc_lib as co
from coalloc_lib.studies import communication_penalty as penalty
from coalloc_lib.studies import job_sharing as study
from coalloc_lib.studies.cluster_configurations.scenarios import LINES
from coalloc_lib.studies.job_sharing.earlier import EARLIER, losses, penalties, responses
from coalloc_lib.studies.maximal_utilization import figure as first_study
from coalloc_lib.studies.measurements import scales


def tiny(figure):
    """Run a figure at a small scale."""
    small = scales(
        jobs=(6_000, 0), replications=(3, 0), precision=(0.5, 0), most_jobs=(4_000, 0)
    )  # fmt: skip
    figure.scales = small
    return figure.run("quick", workers=2)


def test_the_first_studys_losses_are_those_of_its_figure_5_and_easy_beside():
    figure, printed = losses(), first_study("figure5")
    for name, series in figure.entries:
        entry = figure.entries[name, series]
        if series == "FCFS":
            assert entry == printed.entries[name, series]
        elif series != "EASY":
            assert entry == printed.entries[name, f"{series}, queue held at 500"]
        else:
            held = figure.entries[name, "FPFS(50)"]
            assert entry.backlog == held.backlog
            assert entry.scenario.with_(scheduling=co.FPFS(50)) == held.scenario


def test_the_second_studys_lines_differ_in_the_policy_alone():
    for label, scenario in responses().entries.items():
        line, policy = label.split(", ")
        fcfs = scenario.with_(scheduling=co.FCFS(), name=LINES[line].name)
        assert fcfs == LINES[line]
        assert policy.startswith(type(scenario.scheduling).__name__)


def test_the_third_studys_jobs_are_those_of_its_figure_1():
    printed = penalty.figure("figure1").entries
    for at, entry in penalties().entries.items():
        policy = co.EASY() if at.panel == "EASY" else co.FPFS(20)
        assert entry.scenario.scheduling == policy
        same = printed[20, "", at.place]
        assert (entry.jobs, entry.load) == (same.jobs, same.load)
        assert entry.scenario.with_(scheduling=co.FPFS(20)) == same.scenario


@pytest.mark.parametrize("name", EARLIER)
def test_each_says_what_easy_is_told_and_is_drawn(name):
    assert name in study.FIGURE_NAMES
    figure = tiny(study.figure(name))
    assert "EASY is told the exact run times" in figure.subtitle
    assert "EASY" in figure.title
    assert set(figure.data()["scheduling" if name != "earlier-responses" else "label"].map(
        lambda words: "EASY" in words
    )) == {True, False}  # fmt: skip
    figure.plot().canvas.draw()


def test_headlines_follow_the_numbers():
    figure = tiny(losses())
    means = [sample.mean for (_, s), sample in (
        (label, figure.result(label)) for label in figure.entries) if s == "EASY"]  # fmt: skip
    assert f"{100 * min(means):.0f} to {100 * max(means):.0f} % (EASY)" in figure.title
    ratios = tiny(penalties())
    paying = [psi for psi, pays in ratios.pays("EASY", "stream").items() if pays]
    assert ("at no ψ under EASY" in ratios.title) == (0.0 not in paying)
