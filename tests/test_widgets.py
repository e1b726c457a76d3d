"""The widgets without a browser: what is shown follows every control, and comes back with it."""

import asyncio
import html
import re
import time
from io import BytesIO

import ipywidgets as ipw
import numpy as np
import pandas as pd
import pytest
from PIL import Image

import coalloc_lib as co
from coalloc_lib import plots, widgets
from coalloc_lib.widgets import LossQuestion, Picture, capacity_loss, controls, loss_picture
from coalloc_lib.widgets.losses import COARSE_JOBS

FIVE = co.JobStream(
    submit=[0, 1, 2, 2, 3],
    runtime=[5, 3, 3, 5, 4],
    components=[[2, 0], [1, 2], [3, 0], [2, 1], [2, 1]],
)


def bars(title="t", **values):
    """Return a picture of bars, by their names."""
    table = pd.DataFrame({"group": "one", "series": list(values), "loss": list(values.values())})
    return plots.bars(table, value="loss", group="group", series="series", title=title)


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Whether a formula is quick is not for a busy machine to decide."""
    monkeypatch.setattr("coalloc_lib.widgets.losses.BUDGET", 3.0)
    capacity_loss.cache_clear()


def all_widgets(box):
    yield box
    for child in getattr(box, "children", ()):
        yield from all_widgets(child)


def control(box, label):
    """Return the control of this label that a reader would type into or choose from."""
    named = [w for w in all_widgets(box) if getattr(w, "description", None) == label]
    return named[-1]


def words(box):
    return box.view.data["text/plain"]


def source(box):
    return re.search(r'src="([^"]+)"', box.view.value)[1]


def notes(box):
    """Return what is said beside the controls."""
    said = [w.value for w in all_widgets(box) if isinstance(w, ipw.HTML) and "note" in w.value]
    return [re.sub("<[^>]+>", "", text) for text in said if 'role="alert"' in text]


@pytest.fixture
def losses():
    return widgets.loss_explorer()


@pytest.fixture
def schedules():
    return widgets.schedule_explorer(co.Multicluster([4, 4]), FIVE)


def test_every_slider_has_a_text_entry_of_its_name(losses, schedules):
    for box in (losses, schedules):
        sliders = [w for w in all_widgets(box) if isinstance(w, (ipw.IntSlider, ipw.FloatSlider))]
        assert sliders
        for slider in sliders:
            entry = control(box, slider.description)
            assert isinstance(entry, (ipw.BoundedIntText, ipw.BoundedFloatText))
            assert slider.description
            for value in (slider.min, slider.max):
                slider.value = value
                assert entry.value == value
            entry.value = slider.min
            assert slider.value == slider.min


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("clusters", 5),
        ("cluster size", 40),
        ("components", 3),
        ("size distribution", "D(q)"),
        ("smallest size", 2),
        ("largest size", 9),
        ("request type", "ordered"),
        ("placement", "first fit"),
    ],
)
def test_the_loss_follows_every_control_and_comes_back(losses, label, value):
    entry, words_before, picture_before = control(losses, label), words(losses), source(losses)
    before, entry.value = entry.value, value
    assert words(losses) != words_before
    assert source(losses) != picture_before
    entry.value = before
    assert (words(losses), source(losses)) == (words_before, picture_before)


@pytest.mark.parametrize(("label", "value"), [("q", 0.7), ("1 counts as a power of two", True)])
def test_what_belongs_to_dq_acts_there_only(losses, label, value):
    before = source(losses)
    assert control(losses, label).disabled
    control(losses, label).value = value
    assert source(losses) == before
    control(losses, "size distribution").value = "D(q)"
    assert not control(losses, label).disabled
    with_value = words(losses)
    control(losses, label).value = 0.9 if label == "q" else False
    assert words(losses) != with_value


@pytest.mark.parametrize("request_type", ["ordered", "unordered", "total"])
def test_formula_and_simulation_answer_alike(request_type, monkeypatch):
    question = LossQuestion(request=request_type)
    formula = capacity_loss(question)
    monkeypatch.setattr("coalloc_lib.widgets.losses.BUDGET", 1e-12)
    simulated = capacity_loss.__wrapped__(question)
    assert formula.method == ("approximation" if request_type == "unordered" else "exact")
    assert simulated.method == "simulation"
    # The approximation is off by up to 0.0085; a 95 % interval is doubled to be nearly sure.
    off = 0.0085 + 2 * simulated.loss.half_width
    assert simulated.capacity_loss == pytest.approx(formula.capacity_loss, abs=off)


def test_an_answer_while_a_control_moves_costs_about_as_much_as_a_drawing(monkeypatch):
    monkeypatch.setattr("coalloc_lib.widgets.losses.BUDGET", 0.3)

    def seconds(function):
        begin = time.perf_counter()
        function()
        return time.perf_counter() - begin

    questions = [
        LossQuestion(clusters=clusters, cluster_size=size, high=high, placement=placement)
        for clusters, size in ((4, 32), (8, 64))
        for high in (8, 20)
        for placement in ("worst fit", "first fit")
    ]
    loss_picture(questions[0])
    drawing = min(seconds(lambda: Picture(bars(a=0.5, b=0.4))) for _ in "123")
    slowest = max(seconds(lambda q=q: loss_picture(q, COARSE_JOBS)) for q in questions[1:])
    assert slowest < 30 * drawing


def test_an_explorer_of_anything_else_is_refused_in_one_line():
    for system, jobs, name in ((None, FIVE, "system"), (co.Multicluster([4]), [1, 2], "jobs")):
        with pytest.raises(co.InputError, match=rf"^{name} = .*; give ") as error:
            widgets.schedule_explorer(system, jobs)
        assert "\n" not in str(error.value)


def test_no_figure_is_left_in_the_state_of_pyplot(losses):
    from matplotlib import pyplot

    control(losses, "clusters").value = 3
    assert pyplot.get_fignums() == []


def played(box):
    """Return the schedule that the explorer's player has, and what it is called."""
    ((label, schedule),) = box.view._schedules.items()
    return label, schedule


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("request type", "ordered"),
        ("request type", "total"),
        ("placement", "first fit"),
        ("placement", "best fit"),
        ("scheduling", "FPFS"),
    ],
)
def test_the_player_follows_every_control_and_comes_back(schedules, label, value):
    chosen, (before, _) = control(schedules, label), played(schedules)
    axis, start = schedules.view.data["axis"], chosen.value
    chosen.value = value
    assert played(schedules)[0] != before
    assert schedules.view.data["axis"]["begin"] == axis["begin"]
    chosen.value = start
    assert played(schedules)[0] == before


def test_a_total_request_gets_one_cluster_as_large_as_all():
    """As in the study, where total requests lose least; a cluster of 4 could not hold 6."""
    wide = co.JobStream([0, 0, 1], [5, 3, 2], [[3, 3], [1, 1], [4, 4]])
    box = widgets.schedule_explorer(co.Multicluster([4, 4]), wide)
    control(box, "request type").value = "total"
    label, schedule = played(box)
    together = co.simulate(co.Multicluster([8]), wide.replace(request="total"))
    assert schedule.start.tolist() == together.start.tolist()
    assert "one cluster of 8" in label


@pytest.mark.parametrize(
    ("request_type", "decides"),
    [("ordered", False), ("unordered", True), ("flexible", True), ("total", False)],
)
def test_a_placement_can_be_chosen_where_it_decides_something(schedules, request_type, decides):
    control(schedules, "request type").value = request_type
    assert control(schedules, "placement").disabled is not decides
    assert ("worst fit" in played(schedules)[0]) is decides


def test_max_jumps_acts_with_fpfs_only(schedules):
    jumps, before = control(schedules, "max_jumps"), played(schedules)[0]
    assert jumps.disabled
    jumps.value = 3
    assert played(schedules)[0] == before
    control(schedules, "scheduling").value = "FPFS"
    assert not jumps.disabled
    assert "FPFS(3)" in played(schedules)[0]


def test_numbers_push_each_other_so_that_each_job_can_start(losses):
    control(losses, "largest size").value = 40
    assert control(losses, "cluster size").value == 40
    control(losses, "cluster size").value = 5
    assert (control(losses, "largest size").value, control(losses, "smallest size").value) == (5, 1)
    control(losses, "smallest size").value = 9
    assert (control(losses, "largest size").value, control(losses, "cluster size").value) == (9, 9)
    control(losses, "components").value = 6
    assert control(losses, "clusters").value == 6
    assert not notes(losses)


def test_one_line_recreates_an_explorer(losses):
    control(losses, "placement").value = "first fit"
    control(losses, "clusters").value = 6
    line = losses.scenario.value
    assert line.startswith("clusters=6&cluster_size=32&")
    again = widgets.loss_explorer(line)
    assert again.values == losses.values
    assert source(again) == source(losses)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("clusters=six", "clusters = 'six'; give a number from 1 to 8"),
        ("clusters=20", "give a number from 1 to 8"),
        ("clouds=6", "'clouds' is no control"),
        ("clusters=2&components=2&request=none", "choose one of 'ordered'"),
        ("clusters=6&q=", "q = ''; give a number"),
        ("one_is_power_of_two=true", "choose one of 'True', 'False'"),
        ("low=9&high=5", "low = 9 does not go with the rest"),
        ("clusters=2&components=3", "clusters = 2 does not go with the rest"),
    ],
)
def test_a_line_that_cannot_be_read_says_why_and_changes_nothing(losses, line, message):
    before = source(losses), losses.values, losses.scenario.value
    losses.scenario.value = line
    (said,) = notes(losses)
    assert message in html.unescape(said)
    assert (source(losses), losses.values, losses.scenario.value) == before


def test_a_line_that_leaves_numbers_out_keeps_them_and_is_shown_in_full(losses):
    whole = losses.scenario.value
    losses.scenario.value = ""
    assert losses.scenario.value == whole
    losses.scenario.value = "clusters=5"
    assert losses.scenario.value == whole.replace("clusters=4", "clusters=5")
    assert not notes(losses)


def test_a_coarse_picture_before_a_mistake_is_not_called_unfinished(monkeypatch):
    monkeypatch.setattr(controls, "REST", 0.01)

    def draw(number, coarse):
        if number > 5:
            raise co.InputError("number = 6; give less")
        return Picture(bars(a=number / 10))

    slider = ipw.IntSlider(value=1)
    box = controls.Explorer({"number": slider}, draw)

    async def drag():
        for value in (2, 6):
            slider.value = value
        await asyncio.sleep(0.1)

    asyncio.run(drag())
    assert "refining" not in box.view.value
    assert notes(box) == ["number = 6; give less"]


def test_a_moving_control_is_followed_coarsely_and_then_refined(monkeypatch):
    monkeypatch.setattr(controls, "REST", 0.01)
    calls = []

    def draw(number, coarse):
        calls.append((number, coarse))
        return Picture(bars(a=number / 10))

    slider = ipw.IntSlider(value=1)
    box = controls.Explorer({"number": slider}, draw)
    assert calls == [(1, False)]

    async def drag():
        for value in (2, 3, 4):
            slider.value = value
            assert "refining" in box.view.value
        await asyncio.sleep(0.1)

    asyncio.run(drag())
    assert calls[1:] == [(2, True), (3, True), (4, True), (4, False)]
    assert "refining" not in box.view.value


def test_what_is_impossible_is_said_beside_the_control_and_the_picture_stays():
    def draw(one, two, coarse):
        if two > 5:
            raise co.InputError(f"two = {two}; give <5>")
        return Picture(bars(a=one / 10))

    sliders = {name: ipw.IntSlider(value=1, description=name) for name in ("one", "two")}
    box = controls.Explorer(sliders, draw)
    before = box.view.value
    sliders["two"].value = 6
    assert notes(box) == ["two = 6; give &lt;5&gt;"]
    rows = list(box.children[1].children[0].children)
    assert 'role="alert"' in rows[rows.index(sliders["two"]) + 1].value
    assert box.view.value == before
    assert "coalloc-past" in box.view._dom_classes  # it is not what the controls say
    sliders["two"].value = 2
    assert not notes(box)
    assert "coalloc-past" not in box.view._dom_classes


def test_a_control_that_sets_another_redraws_once():
    calls = []
    number, more = ipw.IntSlider(value=1), ipw.ToggleButton(value=True)
    number.observe(lambda _change: setattr(more, "value", False), "value")

    def draw(**values):
        calls.append(values)
        return Picture(bars(a=0.5))

    controls.Explorer({"number": number, "more": more}, draw)
    assert calls == [{"number": 1, "more": True, "coarse": False}]
    number.value = 2
    assert calls[1:] == [{"number": 2, "more": False, "coarse": False}]


def test_the_way_the_loss_was_found_is_said():
    assert re.search(r"unordered, approximation 0\.\d{3};", loss_picture().alt)
    first_fit = loss_picture(LossQuestion(placement="first fit")).alt
    assert re.search(r"unordered, simulation 0\.\d{3} ± 0\.\d{3};", first_fit)


def test_request_types_that_cannot_run_are_named_beside_one_that_can():
    picture = loss_picture(LossQuestion(components=5, request="total"))
    assert "ordered never starts" in picture.alt
    assert "total (1 x 128), exact 0." in picture.alt


def test_without_a_kernel_the_picture_alone_is_shown(losses, schedules):
    data = losses._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert source(losses) in data["text/html"]
    assert data["text/plain"] == words(losses)
    assert "<img alt=" in schedules._repr_mimebundle_()["text/html"]


def test_a_picture_is_a_drawing_with_its_words():
    figure = bars(a=0.25, b=0.5, title="<Title>")
    picture = Picture(figure, caption="1 < 2", below="<p>below</p>")
    data = picture._repr_mimebundle_()
    assert data["text/plain"] == "1 < 2 <Title>"
    assert 'alt="&lt;Title&gt;"' in data["text/html"]
    assert data["text/html"].startswith("<p>1 &lt; 2</p>")
    assert data["text/html"].endswith("<p>below</p>")
    assert (picture.kind, picture.image[:5]) == ("svg+xml", b"<?xml")


def test_a_picture_with_much_in_it_is_an_image_at_twice_the_size(monkeypatch):
    monkeypatch.setattr("coalloc_lib.plots.style.LARGEST_SVG", 1000)
    picture = Picture(bars(a=0.25))
    assert picture.kind == "png"
    assert picture.image.startswith(b"\x89PNG")
    wide = int.from_bytes(picture.image[16:20], "big")
    assert wide > 1.6 * picture.width


def test_an_image_has_a_palette_and_keeps_its_colours():
    cells = pd.DataFrame(
        [(p, i, j, 20 * i - 9 * j) for p in "ABCDEFGH" for i in range(6) for j in range(6)],
        columns=["panel", "row", "column", "change"],
    )  # so much that it is an image
    cells = cells.assign(ci95_low=-99, ci95_high=99)
    columns = {"x": "column", "y": "row", "value": "change", "panel": "panel"}
    figure = plots.maps(cells, **columns, values="change, %")
    image = Image.open(BytesIO(Picture(figure).image))
    assert image.mode == "P"
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=168)
    true = np.asarray(Image.open(drawn).convert("RGB"), dtype=int)
    apart = np.abs(np.asarray(image.convert("RGB"), dtype=int) - true).max(axis=2)
    assert apart.max() < 35
    _, kind, count = np.unique(true.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    assert apart.reshape(-1)[count[kind.reshape(-1)] > 300].max() < 8  # a pale area stays coloured


def test_a_loss_of_nothing_has_its_axis_too():
    axes = bars(a=0.0).axes[0]
    assert axes.get_xlim() == (0, 1)


def test_a_picture_of_anything_else_is_refused_in_one_line():
    with pytest.raises(co.InputError, match="figure = None is no Figure; give "):
        Picture(None)
