"""All explorers without a browser: each picture follows its controls and can be recreated."""

import asyncio
import re

import ipywidgets as ipw
import numpy as np
import pytest
from matplotlib import pyplot

import coalloc_lib as co
from coalloc_lib import plots, widgets
from coalloc_lib.plots.curves import TOP
from coalloc_lib.simulation import sites
from coalloc_lib.widgets import LossQuestion, controls, divisions, max_utilization_of
from coalloc_lib.widgets.inputs import NumberEntry, WholeEntry
from coalloc_lib.widgets.losses import SIMULATED_JOBS, _max_utilization_of
from studies.communication_penalty import WHOLE, scenario, study
from studies.communication_penalty import explorer as penalties
from studies.communication_penalty.model import NAMES, NO_LIMIT
from studies.communication_penalty.responses import respond
from studies.job_sharing import explorer as sharing
from studies.job_sharing import workloads
from tests.plots.test_curves import RESPONSES
from tests.widgets.reading import all_widgets, control, lettering, notes, source, words

FOURS = co.Multicluster([4, 4])
FIVE = co.JobStream([0, 1, 2, 2, 3], [5, 3, 3, 5, 4], [[2, 0], [1, 2], [3, 0], [2, 1], [2, 1]])
DAY = 86_400
MAKERS = {
    "loss": widgets.loss_explorer,
    "schedule": lambda state="": widgets.schedule_explorer(FOURS, FIVE, state=state),
    "division": widgets.division_explorer,
    "penalty": penalties.penalty_explorer,
    "sharing": sharing.sharing_explorer,
}
#: Another value for each control. A control that has no effect comes after the control that gives
#: it an effect.
OTHER = {
    "loss": {
        "clusters": 5, "cluster size": 40, "components": 3, "size distribution": "D(q)",
        "smallest size": 2, "largest size": 9, "request type": "ordered", "placement": "first fit",
    },
    "schedule": {"request type": "ordered", "placement": "best fit", "scheduling": "FPFS"},
    "division": {"clusters": "64,32,2x16", "components": 2, "or your own": "5x20,28"},
    "penalty": {
        "penalty": 0.3, "split above": 5, "components": 3, "load": 0.65, "MaxJumps": "no limit",
        "placement": "split at need",
    },
    "sharing": {
        "configuration": "m256", "policy": "FCFS", "penalty": 0.6, "weighted by": "processors",
        "load": "0.8", "picture": "how busy each site is",
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Give formulas more time, because the machine may be busy, and simulate few jobs."""
    monkeypatch.setattr("coalloc_lib.widgets.losses.BUDGET", 3.0)
    monkeypatch.setattr(penalties, "FINE", (1_500, 4))
    monkeypatch.setattr(penalties, "COARSE", (500, 3))
    # The other tests in this folder replace the workloads of this study by small ones.
    monkeypatch.setattr(sharing.model, "workloads", workloads)
    _max_utilization_of.cache_clear()


@pytest.fixture
def without_images(monkeypatch):
    """Draw each figure, but do not turn it into an image, for tests of words and controls."""
    sharing._picture.cache_clear()
    monkeypatch.setattr("coalloc_lib.plots.picture._image", lambda figure: ("svg+xml", b"<svg/>"))
    yield
    sharing._picture.cache_clear()


def made(name):
    box = MAKERS[name]()
    if name == "penalty":
        for label, value in {"penalty given by": "itself", "load": 0.6}.items():
            control(box, label).value = value
    return box


def shown(box):
    return played(box) if isinstance(box.view, widgets.Player) else words(box)


def played(box):
    """Return the name and the start times of the schedule that an explorer's player shows."""
    ((label, schedule),) = box.view._schedules.items()
    return label, schedule.start.tolist()


@pytest.mark.usefixtures("without_images")
@pytest.mark.parametrize("name", MAKERS)
def test_every_slider_has_an_entry_of_its_name(name):
    box = made(name)
    kinds = (ipw.IntSlider, ipw.FloatSlider, ipw.SelectionSlider)
    entries = (WholeEntry, NumberEntry, ipw.Dropdown)
    sliders = [w for w in all_widgets(box) if isinstance(w, kinds)]
    assert sliders
    for slider in sliders:
        entry = control(box, slider.description)
        assert isinstance(entry, entries)
        assert entry.value == slider.value
        if not isinstance(entry, ipw.Dropdown):
            assert (entry.min, entry.max) == (slider.min, slider.max)
    first = sliders[0]
    first.value = last = first.options[-1] if hasattr(first, "options") else first.max
    assert control(box, first.description).value == last


#: With these explorers, this test simulates for half a minute.
SLOW = ("penalty", "sharing")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.notebook] * (name in SLOW)) for name in MAKERS],
)
def test_what_is_shown_follows_every_control_and_comes_back(name):
    box = made(name)
    before = shown(box)
    for label, value in OTHER[name].items():
        changed = control(box, label)
        start, changed.value = changed.value, value
        assert shown(box) != before, label
        changed.value = start
        assert shown(box) == before, label
    assert pyplot.get_fignums() == []  # what is drawn is kept by no one else


@pytest.mark.usefixtures("without_images")
@pytest.mark.parametrize("name", MAKERS)
def test_one_line_recreates_an_explorer(name):
    box = made(name)
    label = "placement" if name == "loss" else next(reversed(OTHER[name]))
    control(box, label).value = OTHER[name][label]
    again = MAKERS[name](state=box.scenario.value)
    assert again.values == box.values
    assert shown(again) == shown(box)
    data = box._repr_mimebundle_()  # without a kernel the picture alone is shown
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "<img alt=" in data["text/html"]
    assert data["text/plain"]


@pytest.mark.parametrize(
    ("make", "arguments", "name"),
    [
        (penalties.penalty_picture, {"psi": -0.1}, "span_penalty"),
        (penalties.penalty_picture, {"placement": "best fit"}, "placement"),
        (penalties.penalty_picture, {"components": 99}, "^components = 99; give at most 5"),
        (penalties.penalty_picture, {"above": -1}, "^above = -1; give "),
        (
            widgets.loss_picture,
            {"question": "x"},
            "^question = 'x' is not of type LossQuestion; give ",
        ),
        (widgets.loss_picture, {"jobs": 0}, "^jobs = 0; give "),
        (widgets.loss_picture, {"before": 5}, "^before = 5 is not of type LossQuestion; give "),
        (LossQuestion, {"clusters": "x"}, "^clusters = 'x'; give a number"),
        (LossQuestion, {"cluster_size": 0}, "^cluster_size = 0; give "),
        (LossQuestion, {"components": 0}, "^components = 0; give "),
        (LossQuestion, {"q": "a"}, "^q = 'a'; give a number"),
        (LossQuestion, {"q": [1]}, r"^q = \[1\]; give a number"),
        (LossQuestion, {"q": 0.0}, "^q = 0.0; give a finite number above 0"),
        (LossQuestion, {"q": 1.5}, "^q = 1.5; give a number above 0 and at most 1"),
        (LossQuestion, {"one_is_power_of_two": "no"}, "^one_is_power_of_two = 'no'; give True"),
        (LossQuestion, {"kind": "D"}, "^kind = 'D'; choose one of 'U'"),
        (LossQuestion, {"request": "flexible"}, "^request = 'flexible'; choose one of "),
        (LossQuestion, {"placement": "worst-fit"}, "^placement = 'worst-fit'; choose one of "),
        (sharing.sharing_picture, {"configuration": "m512"}, "^configuration = "),
        (sharing.sharing_picture, {"workload": "mine"}, "^workload = "),
        (sharing.sharing_picture, {"policy": "LIFO"}, "^policy = "),
        (sharing.sharing_picture, {"penalty": -0.1}, "^penalty = "),
        (sharing.sharing_picture, {"load": "2"}, "^load = "),
        (sharing.sharing_picture, {"weight": "jobs"}, "^weight = "),
        (sharing.sharing_picture, {"picture": "a map"}, "^picture = "),
        (widgets.division_picture, {"penalty": -0.1}, "^penalty = -0.1"),
        (widgets.division_picture, {"sizes": "64;64"}, "^sizes.*; "),
        (widgets.division_explorer, {"divisions": "64,64"}, "^divisions = .*; give a non-empty"),
        (widgets.division_explorer, {"divisions": []}, "^divisions = .*; give a non-empty"),
        (widgets.division_explorer, {"divisions": 5}, "^divisions = 5; give a non-empty"),
        (widgets.division_explorer, {"divisions": [[32, 32]]}, r"^divisions\[0\] = \[32.*; give"),
        (widgets.division_explorer, {"divisions": ["8,8", 2]}, r"^divisions\[1\] = 2; give"),
        (
            widgets.division_explorer,
            {"divisions": ["8,8", "8;8"]},
            r"^divisions\[1\] = '8;8'; give",
        ),
        (widgets.division_explorer, {"components": "x"}, "^components = 'x'; give "),
        (widgets.division_explorer, {"component_sizes": "x"}, "^sizes = 'x'; write "),
        (widgets.division_explorer, {"penalty": -1}, "^penalty = -1; give "),
        (widgets.schedule_explorer, {"system": FOURS, "jobs": [1]}, "^jobs = .*; give "),
    ],
)
def test_what_makes_no_sense_is_named(make, arguments, name):
    with pytest.raises(co.InputError, match=name):
        make(**arguments)


def test_the_numbers_of_a_question_may_be_floats():
    wholes = {"clusters": 2, "cluster_size": 8, "low": 1, "high": 4, "components": 2}
    question = LossQuestion(**{name: float(number) for name, number in wholes.items()})
    assert "total (1 x 16), exact" in widgets.loss_picture(question, jobs=1000.0).alt
    assert question == LossQuestion(**wholes)


PUSHES = {
    "loss": [  # each job can start
        ("largest size", 40, {"cluster size": 40}),
        ("cluster size", 5, {"largest size": 5, "smallest size": 1}),
        ("smallest size", 9, {"largest size": 9, "cluster size": 9}),
        ("components", 6, {"clusters": 6}),
    ],
}


@pytest.mark.usefixtures("without_images")
@pytest.mark.parametrize("name", PUSHES)
def test_numbers_push_each_other(name):
    box = made(name)
    for label, value, pushed in PUSHES[name]:
        control(box, label).value = value
        assert {other: control(box, other).value for other in pushed} == pushed
    assert not notes(box)


# The loss explorer.


@pytest.mark.usefixtures("without_images")
@pytest.mark.parametrize(("label", "value"), [("q", 0.7), ("1 counts as a power of two", True)])
def test_what_belongs_to_dq_acts_there_only(label, value):
    losses = made("loss")
    before = words(losses)
    assert control(losses, label).disabled
    control(losses, label).value = value
    assert words(losses) == before
    control(losses, "size distribution").value = "D(q)"
    assert not control(losses, label).disabled
    with_value = words(losses)
    control(losses, label).value = 0.9 if label == "q" else False
    assert words(losses) != with_value


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ((None,), "question = None is not of type LossQuestion; give a LossQuestion"),
        (({"clusters": 2},), "question = {'clusters': 2} is not of type LossQuestion"),
        ((LossQuestion(), "many"), "jobs = 'many'; give a number"),
        ((LossQuestion(), [500]), "jobs = [500]; give a number"),
    ],
)
def test_what_is_no_question_about_losses_is_named(given, error):
    with pytest.raises(co.InputError, match=f"^{re.escape(error)}"):
        max_utilization_of(*given)


@pytest.mark.parametrize("request_type", ["ordered", "unordered", "total"])
def test_formula_and_simulation_answer_alike(request_type, monkeypatch):
    question = LossQuestion(request=request_type)
    formula = max_utilization_of(question)
    monkeypatch.setattr("coalloc_lib.widgets.losses.BUDGET", 1e-12)
    simulated = _max_utilization_of.__wrapped__(question, SIMULATED_JOBS)
    assert formula.method == ("approximation" if request_type == "unordered" else "exact")
    assert simulated.method == "simulation"
    # The approximation is off by up to 0.0085. The 95 % interval is doubled, so that nearly no
    # correct result fails.
    off = 0.0085 + 2 * simulated.loss.half_width
    assert simulated.capacity_loss == pytest.approx(formula.capacity_loss, abs=off)


@pytest.fixture
def tables(monkeypatch):
    """The tables from which bars and intervals are drawn."""
    kept = []

    def keeping(draw):
        return lambda table, **how: kept.append(table) or draw(table, **how)

    for name in ("bars", "intervals"):
        monkeypatch.setattr(plots, name, keeping(getattr(plots, name)))
    return kept


def test_the_way_the_loss_was_found_is_named_and_what_cannot_run(tables):
    widgets.loss_picture(LossQuestion(placement="first fit"))
    picture = widgets.loss_picture(LossQuestion(components=5, request="total"))
    names = [list(table["request"]) for table in tables]
    assert "unordered, simulation" in names[0]
    assert names[1] == ["total (1 x 128), exact"]
    assert picture.alt.endswith("; ordered never starts; unordered never starts")


@pytest.mark.parametrize(
    ("make", "labels"),
    [
        (widgets.loss_picture, ["request"]),
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


def test_a_loss_by_formulas_alone_is_drawn_once():
    losses = made("loss")

    async def refines(label, value):
        control(losses, label).value = value
        return "refining" in losses.view.value

    assert not asyncio.run(refines("cluster size", 40))
    # The approximation is too high if jobs have fewer components than there are clusters.
    assert asyncio.run(refines("clusters", 6))
    assert not asyncio.run(refines("clusters", 4))
    assert asyncio.run(refines("placement", "first fit"))


# The schedule explorer.


def test_a_total_request_gets_one_cluster_as_large_as_all():
    """As in the study, total requests run on one cluster. A job of 6 would not fit into 4."""
    wide = co.JobStream([0, 0, 1], [5, 3, 2], [[3, 3], [1, 1], [4, 4]])
    box = widgets.schedule_explorer(co.Multicluster([4, 4]), wide)
    control(box, "request type").value = "total"
    label, start = played(box)
    together = co.simulate(co.Multicluster([8]), wide.replace(request="total"))
    assert start == together.start.tolist()
    assert "one cluster of 8" in label


def test_placement_and_max_jumps_act_where_they_decide_something():
    box = made("schedule")
    for request, decides in zip(co.jobs.REQUESTS, (False, True, True, False), strict=True):
        control(box, "request type").value = request
        assert control(box, "placement").disabled is not decides
        assert ("worst fit" in played(box)[0]) is decides
    jumps, before = control(box, "max_jumps"), played(box)[0]
    assert jumps.disabled
    jumps.value = 3
    assert played(box)[0] == before
    control(box, "scheduling").value = "FPFS"
    assert not jumps.disabled
    assert "FPFS(3)" in played(box)[0]


# The division explorer.


@pytest.mark.usefixtures("without_images")
def test_the_divisions_may_be_an_array_of_texts():
    box = widgets.division_explorer(np.array(["8,8", "12,4"]), components=2)
    assert control(box, "clusters").options == ("8,8", "12,4")
    assert not notes(box)


def test_a_penalty_moves_the_points_by_its_rule_without_a_new_simulation(monkeypatch):
    picture = widgets.division_picture("32,32,32,32")
    sizes = divisions.parse_sizes("D(0.9)[1,8]")
    curves = divisions.division_curves(co.Multicluster([32] * 4), co.JobModel(sizes, 4))
    monkeypatch.setattr(divisions, "response_curve", None)
    assert picture.image == widgets.division_picture((32, 32, 32, 32)).image
    assert picture.alt.startswith("Worst fit carries 89 %")
    points = [point for curve in curves.values() for point in curve.points]
    # At low load, the interval ends at the mean run time, so it is not symmetric about the
    # estimate.
    assert all(point.response.text(2) in picture.alt for point in points)
    assert widgets.division_picture(penalty=0.6).alt.startswith("Worst fit carries 56 %")


def test_what_was_before_is_a_ghost_and_the_axes_stay():
    box = made("division")
    first = source(box)
    control(box, "clusters").value = "64,32,2x16"
    assert "dashed: before, 4 × 32, 4 components" in lettering(box)
    control(box, "clusters").value = "4x32"
    assert "dashed: before, 64" in lettering(box)
    assert source(box) != first  # which had nothing before it
    control(box, "components").value = 2
    assert "4 × 32, 2 components of D(0.9)[1,8]" in lettering(box)
    assert "dashed: before, 4 × 32, 4 components" in lettering(box)
    figures = [plots.curves(RESPONSES, whole=True), plots.curves(RESPONSES[:6], whole=True)]
    ends = {(a.get_xlim(), b.get_xlim(), a.get_ylim()) for a, b in (f.axes for f in figures)}
    assert ends == {((0, 1), (0, 1), (0.93, TOP))}


def test_a_division_that_is_typed_replaces_the_one_of_the_slider():
    box = made("division")
    control(box, "or your own").value = "4x20,48"
    assert control(box, "clusters").disabled
    assert "20,20,20,20,48, 4 components" in lettering(box)
    control(box, "or your own").value = "128"
    (note,) = notes(box)
    assert "components" in note
    control(box, "or your own").value = ""
    assert not control(box, "clusters").disabled
    assert notes(box) == []


def test_what_a_reader_types_beyond_a_range_is_refused_under_its_field():
    box = made("loss")
    before = source(box)
    control(box, "clusters").value = 1000
    (note,) = notes(box)
    assert "clusters = 1000; give a number from 1 to 8" in note
    assert source(box) == before
    control(box, "clusters").value = 4
    assert notes(box) == []
    rows = [w for w in all_widgets(box) if isinstance(w, ipw.HBox)]
    (q,) = [w for w in rows if w.children and getattr(w.children[0], "description", "") == "q"]
    q.children[0].value = 0.5 + 36 * 0.01  # as a browser adds steps up
    assert repr(q.children[1].value) == "0.86"


def test_a_coarse_picture_has_its_axes_under_its_titles_and_inside():
    figure = plots.curves(RESPONSES, title="A title " * 20, subtitle="words " * 30)
    divisions._place_axes(figure)
    figure.canvas.draw()
    titles = min(text.get_window_extent().y0 for text in [figure._suptitle, *figure.texts])
    for box in (axes.get_tightbbox() for axes in figure.axes):
        assert 0 <= box.x0 < box.x1 <= figure.bbox.width
        assert 0 <= box.y0 < box.y1 < titles


# The penalty explorer and the slider over maps.


def test_the_penalty_is_the_product_or_given_directly():
    box = made("penalty")
    given, alpha, ratio, psi = (control(box, n) for n in ("penalty given by", "α", "λ", "penalty"))
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
    """The tables from which intervals and timelines are drawn, and the subtitles of both."""
    kept = {}

    def keep(name):
        def draw(table, **how):
            kept[name], kept[f"{name} subtitle"] = table, how["subtitle"]
            figure, axes = plots.new_figure()
            axes.set_xscale("log")
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
    for picture in sharing.PICTURES:
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
    for mode, schedule in ran.items():
        hours = schedule.average_weighted_response_time() / 3600
        assert dots["hours"][mode] == pytest.approx(hours, rel=1e-9)
        assert dots["ci95_low"][mode] < hours < dots["ci95_high"][mode]
    third = drawn["timelines"].query("site == 3 and day == 10")
    assert [panel.split(":")[0] for panel in third["panel"]] == list(ran)[:3]
    for share, schedule in zip(third["utilization"], ran.values(), strict=False):
        begin = jobs.submit.min() + 10 * DAY
        overlap = np.minimum(schedule.end, begin + DAY) - np.maximum(schedule.start, begin)
        used = schedule.allocation[:, 2] @ np.maximum(overlap, 0)
        assert share == pytest.approx(used / (128 * DAY))


def test_each_workload_has_its_picture_and_a_slow_policy_runs_its_first_jobs_alone(drawn):
    names = [*sharing.streams()][::3]
    assert len({sharing.sharing_picture(workload=name).alt for name in names}) == len(names)
    for how, first in [({}, ""), ({"coarse": True}, "500"), ({"policy": "conservative"}, "3,000")]:
        sharing.sharing_picture(**how)
        assert re.findall(r"first ([\d,]+) jobs", drawn["dots subtitle"]) == [first] * bool(first)


def test_jobs_come_at_the_load_that_is_chosen(drawn):
    jobs = sharing.streams()["synthetic, 1"]
    for picture in sharing.PICTURES:
        sharing.sharing_picture(workload="synthetic, 1", load="0.8", picture=picture)
    slower = jobs.offered_load(co.Multicluster([128] * 4)) / 0.8
    days = np.ptp(jobs.submit) * slower / DAY
    assert drawn["timelines"]["day"].max() == int(days) - 1  # from 0, whole days
    for name in ("dots", "timelines"):
        assert "load 0.8" in drawn[f"{name} subtitle"]
