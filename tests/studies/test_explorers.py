"""The explorers of the studies without a browser: a picture follows its controls and comes back."""

import asyncio
import re

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.schedules.metrics import STILL_WAITING
from coalloc_lib.simulation import sites
from coalloc_lib.widgets import controls
from lessons import tour
from studies.cluster_configurations import (
    break_even_explorer,
    division_explorer,
    spanning_explorer,
)
from studies.cluster_configurations import study as configurations
from studies.communication_penalty import WHOLE, scenario, study
from studies.communication_penalty import explorer as penalties
from studies.communication_penalty.model import NAMES, NO_LIMIT
from studies.communication_penalty.responses import respond
from studies.job_sharing import explorer as sharing
from studies.job_sharing import workloads
from tests.widgets.explorers import check_entries, check_following, check_line
from tests.widgets.reading import control, source

DAY = 86_400
MAKERS = {
    "penalty": penalties.penalty_explorer, "sharing": sharing.sharing_explorer,
    "break-even": break_even_explorer.break_even_explorer,
    "division": division_explorer.division_explorer, "twenty": tour.twenty_explorer,
}  # fmt: skip
#: Another value for each control. A control that has no effect comes after the control that gives
#: it an effect.
OTHER = {
    "penalty": {
        "penalty": 0.3, "split above": 5, "components": 3, "load": 0.65, "MaxJumps": "no limit",
        "large jobs": "split at need",
    },
    "sharing": {
        "configuration": "m256", "policy": "FCFS", "penalty": 0.6, "weighted by": "processors",
        "load": "0.8", "picture": "how busy each site is",
    },
    "break-even": {
        "penalty": 0.7, "b of U[1,b]": 5, "clusters of 32": 3, "policy": "FPFS(50)",
        "placement": "first fit",
    },
    "division": {
        "clusters": "64,32,2x16", "components": 2, "show": "idle processors",
        "or your own": "5x20,28",
    },
    "twenty": {"penalty": 0.5},
}  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Simulate few jobs."""
    monkeypatch.setattr(penalties, "FINE", (1_500, 4))
    monkeypatch.setattr(penalties, "COARSE", (500, 3))
    monkeypatch.setattr(break_even_explorer, "FINE", (1_000, 3))
    monkeypatch.setattr(division_explorer, "FINE", division_explorer.COARSE)
    # The other tests in this folder replace the workloads of this study by small ones.
    monkeypatch.setattr(sharing.model, "workloads", workloads)


@pytest.fixture
def without_images(without_images):
    """Draw each figure, but keep no picture that has no image."""
    sharing._picture.cache_clear()
    yield
    sharing._picture.cache_clear()


def made(name):
    box = MAKERS[name]()
    if name == "penalty":
        for label, value in {"penalty by": "itself", "load": 0.6}.items():
            control(box, label).value = value
    return box


@pytest.mark.usefixtures("without_images")
@pytest.mark.parametrize("name", MAKERS)
def test_every_slider_has_an_entry_of_its_name(name):
    check_entries(made(name))


@pytest.mark.notebook  # This test simulates for half a minute.
@pytest.mark.parametrize("name", MAKERS)
def test_what_is_shown_follows_every_control_and_comes_back(name):
    check_following(made(name), OTHER[name])


@pytest.mark.usefixtures("without_images")
@pytest.mark.parametrize("name", MAKERS)
def test_one_line_recreates_an_explorer(name):
    label = next(reversed(OTHER[name]))
    check_line(MAKERS[name], made(name), label, OTHER[name][label])


def spanning(**arguments):
    usual = {"penalty": 0.25, "division": "2 + 1", "clusters": "5 and 5"}
    return spanning_explorer.whole_and_spanning([2, 3], **usual | arguments)


@pytest.mark.parametrize(
    ("make", "arguments", "name"),
    [
        (penalties.penalty_picture, {"psi": -0.1}, "span_penalty"),
        (penalties.penalty_picture, {"placement": "best fit"}, "placement"),
        (penalties.penalty_picture, {"components": 99}, "^components = 99; give at most 5"),
        (penalties.penalty_picture, {"above": -1}, "^above = -1; give "),
        (spanning, {"penalty": -0.1}, "^penalty = -0.1"),
        (spanning, {"division": "3 + 0"}, r"^division = '3 \+ 0'"),
        (spanning, {"clusters": "5+5"}, r"^clusters = '5\+5'"),
        (sharing.sharing_picture, {"configuration": "m512"}, "^configuration = "),
        (sharing.sharing_picture, {"workload": "mine"}, "^workload = "),
        (sharing.sharing_picture, {"policy": "LIFO"}, "^policy = "),
        (sharing.sharing_picture, {"penalty": -0.1}, "^penalty = "),
        (sharing.sharing_picture, {"load": "2"}, "^load = "),
        (sharing.sharing_picture, {"weight": "jobs"}, "^weight = "),
        (sharing.sharing_picture, {"picture": "a map"}, "^picture = "),
    ],
)
def test_what_makes_no_sense_is_named(make, arguments, name):
    with pytest.raises(co.InputError, match=name):
        make(**arguments)


@pytest.mark.parametrize(
    ("make", "labels"),
    [
        (penalties.penalty_picture, ["group", "series"]),
        (sharing.sharing_picture, ["mode"]),
    ],
)
def test_the_alternative_names_every_bar_with_its_value(make, labels, tables):
    if make is sharing.sharing_picture:
        sharing._picture.cache_clear()
    alt = make().alt
    for _, row in tables[0].iterrows():
        assert " ".join(row[[*labels, "words"]]) in alt


# The spanning explorer.

LASTS = [2, 3, 4, 4, 3, 2] * 2


def ends_of(box):
    """Return the last end in each schedule of the player."""
    return {film["label"]: max(film["jobs"]["end"]) for film in box.view.data["films"]}


def test_the_player_shows_the_jobs_whole_and_spanning_after_each_move():
    box = spanning_explorer.spanning_explorer(LASTS)
    seen = {"penalty": 0.6, "spanning job": "3 + 1", "clusters of": "7 and 3"}
    ends = [ends_of(box)]
    for label, value in seen.items():
        control(box, label).value = value
        ends.append(ends_of(box))
    assert ends == [
        {f"whole: ends at {whole}": whole, f"spanning: ends at {spans}": pytest.approx(spans)}
        for whole, spans in ((18, 15), (18, 19.2), (18, 28.8), (36, 28.8))
    ]
    check_entries(spanning_explorer.spanning_explorer(LASTS))
    again = spanning_explorer.spanning_explorer(LASTS, "penalty=0.6&division=3 %2B 1")
    assert again.values == {"penalty": 0.6, "division": "3 + 1", "clusters": "5 and 5"}


@pytest.mark.parametrize(
    ("penalty", "division", "clusters", "ends"),
    [
        (0.6, "2 + 1", "5 and 5", [18, 19.2]),
        (0.25, "2 + 1", "6 and 6", [9, 11.25]),
        (0.25, "2 + 2", "6 and 6", [18, 15]),
        (0.25, "3 + 1", "7 and 3", [36, 22.5]),
        (1.0, "3 + 1", "7 and 3", [36, 36]),
    ],
)
def test_the_jobs_of_the_first_stop_end_when_its_text_says(penalty, division, clusters, ends):
    found = spanning_explorer.whole_and_spanning(LASTS, penalty, division, clusters)
    assert [schedule.verify().end.max() for schedule in found.values()] == pytest.approx(ends)


# The penalty explorer and the slider over maps.


def test_the_penalty_is_the_product_or_given_directly():
    box = made("penalty")
    given, alpha, ratio, psi = (control(box, n) for n in ("penalty by", "α", "λ", "penalty"))
    assert [alpha.disabled, ratio.disabled, psi.disabled] == [True, True, False]
    alpha.value = 1.0
    assert psi.value == 0.1
    given.value = "alpha and lambda"
    assert [alpha.disabled, ratio.disabled, psi.disabled] == [False, False, True]
    assert psi.value == 0.2
    before, ratio.value = source(box), 0.7
    assert psi.value == pytest.approx(0.7)
    assert source(box) != before
    alpha.value = 0.15
    assert psi.value == 0.105
    assert psi.max >= alpha.max * ratio.max


@pytest.mark.usefixtures("without_images")
def test_the_bars_are_the_responses_of_the_study(tables):
    penalties.penalty_picture(psi=0.3, above=5, components=3, load=0.6, max_jumps=NO_LIMIT)
    drawn = tables[0].set_index(["group", "series"])
    jobs = WHOLE.with_(above=5, parts=3, span_penalty=0.3)
    for name, mine in ((penalties.SPLIT, jobs), (penalties.KEPT, WHOLE)):
        responses = respond(scenario(NO_LIMIT, mine), 0.6, penalties.FINE, study.seed)
        for group in NAMES:
            bar = drawn.loc["all jobs" if group == "stream" else group, name]
            mean = responses.response[group].interval
            ends = [mean.estimate, mean.low, mean.high]
            assert bar[["response", "ci95_low", "ci95_high"]].tolist() == ends


@pytest.mark.usefixtures("without_images")
def test_at_a_vanishing_load_splitting_at_need_changes_nothing(tables):
    always = penalties.penalty_picture(psi=0.5, load=0.02)
    assert always.alt.startswith("All jobs: splitting loses")
    penalties.penalty_picture(psi=0.5, load=0.02, placement="split at need")
    always, need = (table.set_index(["group", "series"])["words"] for table in tables)
    assert "loses" in always["S4", penalties.SPLIT]
    assert not need.str.contains("loses").any()


@pytest.mark.parametrize(
    ("load", "psi", "saturated"),
    [
        (1.0, 0.1, r"whole jobs \(0\.9.* and of split jobs"),
        (0.8, 1.5, r"split jobs \(0\."),
        (0.839, 0.0, r"whole jobs \(0\."),
    ],
)
def test_what_saturates_is_named_and_has_no_bar(load, psi, saturated, tables):
    picture = penalties.penalty_picture(
        psi=psi, above=3, load=load, max_jumps=0 if psi == 0 else 20
    )
    words = f"^No mean: load {load:g} is above or too near the maximal utilization of "
    assert re.match(words + saturated, picture.alt)
    if load == 1.0:
        assert set(tables[0]["group"]) == {"load"}
    else:
        gone = penalties.KEPT if psi == 0 else penalties.SPLIT
        assert gone not in set(tables[0]["series"])
        assert len(tables[0]) == len(NAMES)


def test_a_coarse_run_without_means_leaves_the_picture_until_it_is_refined(monkeypatch):
    """At this load, the few jobs of the coarse run of whole jobs have no mean."""
    monkeypatch.setattr(controls, "REST", 0.01)
    box = penalties.penalty_explorer()
    before = box.view.value

    async def move():
        control(box, "α").value = 0.4
        assert box.view.value == before + controls.BUSY
        await asyncio.sleep(0.1)

    asyncio.run(move())
    assert "No mean" not in box.view.value
    assert source(box) not in before


# The sharing explorer.


@pytest.fixture
def drawn(monkeypatch, without_images):
    """The tables from which intervals and timelines are drawn, with their titles and subtitles."""
    kept = {}

    def keep(name):
        def draw(table, **how):
            kept[name], kept[f"{name} title"] = table, how["title"]
            kept[f"{name} subtitle"] = how["subtitle"]
            figure, axes = plots.new_figure()
            axes.set_xscale("log" if how.get("log") else "linear")
            if "row" in how:
                axes.set_yticks(range(table[how["row"]].nunique()))
            plots.title_figure(figure, how["title"], how["subtitle"])
            return figure

        return draw

    monkeypatch.setattr(plots, "intervals", keep("dots"))
    monkeypatch.setattr(plots, "timelines", keep("timelines"))
    return kept


def test_dots_and_timelines_are_those_of_the_schedules(drawn, monkeypatch):
    first = next(iter(workloads(1).values()))[0]
    late = first.replace(submit=first.submit + 100.3 * DAY)
    monkeypatch.setattr(sharing, "streams", lambda: {"late": late})
    for picture in (sharing.TIMES, sharing.BUSY):
        sharing.sharing_picture("m128", "late", policy="FCFS", penalty=0.35, picture=picture)
    m128, chopped, fcfs = co.Multicluster([128] * 4), late.chopped(128), co.FCFS()
    jobs, home = chopped.subjobs, (np.arange(len(late)) % 4)[chopped.job]
    ran = {
        "local": sites.local(m128, jobs, home, scheduling=fcfs),
        "sharing": sites.sharing(m128, jobs, scheduling=fcfs),
        "multi-site": sites.multi_site(m128, jobs, 0.35, scheduling=fcfs),
        "single machine": sites.single_machine(m128, late, scheduling=fcfs),
    }
    dots = drawn["dots"].set_index("mode")
    awrt = {mode: way.average_weighted_response_time() for mode, way in ran.items()}
    for mode in ran:
        assert dots["hours"][mode] == f"{awrt[mode] / 3600:,.1f} h"
        ratio = awrt[mode] / awrt["sharing"]
        assert dots["ratio"][mode] == pytest.approx(ratio, rel=1e-9)
        assert dots["ci95_low"][mode] <= ratio <= dots["ci95_high"][mode]
        assert (dots["ci95_low"][mode] == dots["ci95_high"][mode]) == (mode == "sharing")
    used = drawn["timelines"].groupby(["panel", "site"], sort=False)["utilization"].mean()
    local, shared = (100 * np.ptp(part) for _, part in list(used.groupby(level=0, sort=False))[:2])
    words = f"by {local:.0f} points locally, and by {shared:.0f} with sharing"
    assert drawn["timelines title"].endswith(words)
    third = drawn["timelines"].query("site == 3 and day == 10")
    assert [panel.split(":")[0] for panel in third["panel"]] == list(ran)[:3]
    for share, schedule in zip(third["utilization"], ran.values(), strict=False):
        begin = jobs.submit.min() + 10 * DAY
        overlap = np.minimum(schedule.end, begin + DAY) - np.maximum(schedule.start, begin)
        used = schedule.allocation[:, 2] @ np.maximum(overlap, 0)
        assert share == pytest.approx(used / (128 * DAY))


def test_the_ratio_by_the_penalty_is_that_of_the_schedules(without_images):
    first = next(iter(workloads(1).values()))[0]
    picture = sharing.sharing_picture(policy="FCFS", penalty=0.35, picture=sharing.BY_PENALTY)
    jobs, m128 = first.chopped(128).subjobs, co.Multicluster([128] * 4)
    shared = sites.sharing(m128, jobs, scheduling=co.FCFS())
    base = shared.average_weighted_response_time()
    for penalty in (0.0, 0.6, 0.35):
        spanning = sites.multi_site(m128, jobs, penalty, scheduling=co.FCFS())
        ratio = spanning.average_weighted_response_time() / base
        assert f"penalty {penalty:g}: {ratio:.3f} (" in picture.alt


def test_the_title_names_the_penalties_that_surely_pay_or_lose(without_images):
    titles = set()
    for how in (
        {},
        {"policy": "FCFS"},
        {"workload": "synthetic workload 1"},
        {"configuration": "m64"},
    ):
        alt = sharing.sharing_picture(**how, penalty=0.35, picture=sharing.BY_PENALTY).alt
        numbers = re.findall(r"penalty ([\d.]+): [\d.]+ \(([\d.]+) to ([\d.]+)\)", alt)
        assert len(numbers) == 9
        pays = ", ".join(penalty for penalty, _, high in numbers if float(high) < 1)
        loses = ", ".join(penalty for penalty, low, _ in numbers if float(low) > 1)
        words = [f"pays at {pays}"] * bool(pays) + [f"loses at {loses}"] * bool(loses)
        title = f"Spanning surely {' and '.join(words)}" if words else "No penalty decides it"
        assert alt.startswith((f"{title}: penalty 0:", f"{title}; from "))
        titles.add(title)
    assert any("pays" in title and "loses" in title for title in titles)


def test_who_gains_by_spanning_is_told_by_the_widths_of_the_jobs(drawn):
    first = next(iter(workloads(1).values()))[0]
    picture = sharing.sharing_picture("m64", policy="EASY", penalty=0.35, picture=sharing.WHO)
    jobs, m64 = first.chopped(64).subjobs, co.Multicluster.named("m64")
    shared = sites.sharing(m64, jobs, scheduling=co.EASY())
    spanning = sites.multi_site(m64, jobs, 0.35, scheduling=co.EASY())
    change = (spanning.response - shared.response) / 3600
    rows = drawn["dots"].set_index("row")
    assert [*rows.index] == ["1", "2-4", "5-16", "17-64"]  # No piece is wider than a machine.
    width = jobs.processors
    for row, low, high in (("1", 1, 1), ("2-4", 2, 4), ("5-16", 5, 16), ("17-64", 17, 64)):
        chosen = (low <= width) & (width <= high)
        assert rows["change"][row] == pytest.approx(change[chosen].mean(), rel=1e-9)
        assert f"processors {row}: {change[chosen].mean():+.2f} h (" in picture.alt


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ([(-2, -1), (-1, 1), (1, 2), (3, 4)],
         "With spanning, responses are shorter at widths of 1; longer at widths of 5-16, 17-64"),
        ([(-2, 0), (-1, 1), (0, 2), (-3, 4)], "No width surely gains or loses by spanning"),
    ],
)  # fmt: skip
def test_the_title_names_the_widths_that_surely_gain_or_lose(drawn, monkeypatch, ends, words):
    found = pd.DataFrame({"row": ["1", "2-4", "5-16", "17-64"], "words": "", "change": 0.0})
    found[["ci95_low", "ci95_high"]] = ends
    monkeypatch.setattr(sharing, "_changes_by_width", lambda ran: found)
    first = next(iter(workloads(1).values()))[0]
    monkeypatch.setattr(sharing, "streams", lambda: {"few": first[np.arange(400)]})
    how = {"policy": "FCFS", "picture": sharing.WHO, "penalty": 0.0, "load": "0.3"}
    assert sharing.sharing_picture("m128", "few", **how).alt.startswith(f"{words}: processors 1")


def test_the_lines_cross_at_the_break_even_penalty_of_the_study(monkeypatch):
    monkeypatch.setattr(break_even_explorer, "FINE", (5_000, 8))
    table = configurations.judge(configurations.archived()).figure("break-even").data()
    for largest, policy in ((8, "FCFS"), (4, "FPFS(50)")):
        stored = table.query("line == '4×32' and policy == @policy").set_index("sizes")
        penalty = stored.loc[f"U[1,{largest}]", "penalty"]
        how = {"largest": largest, "policy": policy}
        before, after = (
            break_even_explorer.break_even_picture(**how, penalty=max(0.0, penalty + by)).alt
            for by in (-0.02, 0.02)
        )
        assert "spanning pays" in before
        assert "spanning loses" in after
        span, whole = break_even_explorer._carried(4, largest, policy, "worst fit", (5_000, 8))
        lines = break_even_explorer._lines(span, whole).query("penalty == 0.5").set_index("line")
        assert lines.loc["all jobs span", "carried"] == pytest.approx(span.mean / 1.5)
        assert lines.loc["all jobs whole", "carried"] == whole.mean
        assert span.mean / whole.mean - 1 == pytest.approx(penalty, abs=0.01)


def test_jobs_that_fit_into_no_cluster_are_named():
    with pytest.raises(co.InputError, match=r"^b = 8; give at most 6, so that"):
        break_even_explorer.break_even_picture(clusters=5, largest=8)


def test_spanning_may_lose_without_a_penalty():
    span, whole = co.statistics.Replications([0.6, 0.61]), co.statistics.Replications([0.7, 0.71])
    assert break_even_explorer._break_even(span, whole).startswith("none, because")
    doubtful = co.statistics.Replications([0.8, 0.81], "too short")
    assert break_even_explorer._break_even(doubtful, whole).endswith("in doubt: too short")


def test_where_the_queue_grows_to_the_end_there_is_no_verdict(without_images):
    first = next(iter(workloads(1).values()))[0]
    how = {"configuration": "m128", "policy": "FCFS", "penalty": 1.0}
    m128, jobs = co.Multicluster([128] * 4), first.chopped(128).subjobs
    said = {}
    for load in ("0.3", "0.9"):
        at_load = jobs.with_load(m128, float(load))
        shared = sites.sharing(m128, at_load, scheduling=co.FCFS())
        spanning = sites.multi_site(m128, at_load, 1.0, scheduling=co.FCFS())
        late = [
            jobs.work[ran.start > at_load.submit.max()].sum() / jobs.work.sum()
            for ran in (shared, spanning)
        ]
        for picture in (sharing.TIMES, sharing.BY_PENALTY):
            alt = sharing.sharing_picture(**how, load=load, picture=picture).alt
            said[load, picture] = alt
        assert (min(late) > STILL_WAITING) == (load == "0.9")
    for (load, _), alt in said.items():
        words = "With sharing and with multi-site, the queue grows to the end: no verdict"
        assert alt.startswith(words) == (load == "0.9")


def test_ratios_are_in_doubt_if_the_queue_grows_to_the_end(drawn):
    for load, doubtful in (("0.3", ""), ("0.9", "the queue grows to the end")):
        sharing.sharing_picture("m128", policy="FCFS", penalty=1.0, load=load)
        dots = drawn["dots"].set_index("mode")
        assert dots.loc[["sharing", "multi-site"], "warning"].tolist() == [doubtful] * 2


def test_rings_mark_the_ratios_before_except_that_of_sharing(drawn):
    usual = {"configuration": "m128", "policy": "EASY", "penalty": 0.25, "load": "as they came"}
    usual |= {"workload": "synthetic workload 1", "weight": "processors", "picture": sharing.TIMES}
    sharing.sharing_picture(**usual)
    ratios = drawn["dots"].set_index("mode")["ratio"]
    sharing.sharing_picture(**usual | {"penalty": 0.5}, before=usual)
    before = drawn["dots"].set_index("mode")["before"]
    assert before["multi-site"] == pytest.approx(ratios["multi-site"])
    assert before["local"] == pytest.approx(ratios["local"])
    assert np.isnan(before["sharing"])


def test_each_workload_has_its_picture_and_a_slow_policy_runs_its_first_jobs_alone(drawn):
    names = [*sharing.streams()][::3]
    assert len({sharing.sharing_picture(workload=name).alt for name in names}) == len(names)
    for how, first in [({}, ""), ({"coarse": True}, "500"), ({"policy": "conservative"}, "3,000")]:
        sharing.sharing_picture(**how)
        assert re.findall(r"first ([\d,]+) jobs", drawn["dots subtitle"]) == [first] * bool(first)


def test_jobs_come_at_the_load_that_is_chosen(drawn):
    jobs = sharing.streams()["synthetic workload 1"]
    for picture in sharing.PICTURES:
        sharing.sharing_picture(workload="synthetic workload 1", load="0.8", picture=picture)
    slower = jobs.offered_load(co.Multicluster([128] * 4)) / 0.8
    days = np.ptp(jobs.submit) * slower / DAY
    assert drawn["timelines"]["day"].max() == int(days) - 1  # from 0, whole days
    for name in ("dots", "timelines"):
        assert "load 0.8" in drawn[f"{name} subtitle"]
