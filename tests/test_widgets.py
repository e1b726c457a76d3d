"""The widgets without a browser: what is shown follows every control, and comes back with it."""

import re
import time

import ipywidgets as ipw
import pytest

import coalloc_lib as co
from coalloc_lib import plots, widgets
from coalloc_lib.widgets import LossQuestion, Picture, capacity_loss, loss_picture
from coalloc_lib.widgets.controls import explorer

FIVE = co.JobStream(
    submit=[0, 1, 2, 2, 3],
    runtime=[5, 3, 3, 5, 4],
    components=[[2, 0], [1, 2], [3, 0], [2, 1], [2, 1]],
)


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


def shown(box):
    (output,) = [w for w in all_widgets(box) if isinstance(w, ipw.Output)]
    (only,) = output.outputs
    assert only["data"] is box.shown
    return box.shown


def words(box):
    return shown(box)["text/plain"]


def source(box):
    return re.search(r'src="([^"]+)"', shown(box)["text/html"])[1]


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


def test_no_slider_redraws_while_it_is_dragged(losses, schedules):
    sliders = [w for b in (losses, schedules) for w in all_widgets(b) if hasattr(w, "readout")]
    assert not any(slider.continuous_update for slider in sliders)


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"largest size": 40}, "can never start"),
        ({"components": 5}, "can never start"),
        ({"smallest size": 9}, "is above high"),
    ],
)
def test_what_is_impossible_says_so_in_one_line(losses, changes, message):
    before = source(losses)
    kept = {label: control(losses, label).value for label in changes}
    for label, value in changes.items():
        control(losses, label).value = value
    assert message in words(losses)
    assert "\n" not in words(losses)
    assert "<img" not in shown(losses)["text/html"]
    assert 'role="alert"' in shown(losses)["text/html"]
    for label, value in kept.items():
        control(losses, label).value = value
    assert source(losses) == before


def test_request_types_that_cannot_run_are_named_beside_one_that_can():
    picture = loss_picture(LossQuestion(components=5, request="total"))
    assert "ordered never starts" in picture.alt
    assert "total 0." in picture.alt


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


def test_the_way_the_loss_was_found_is_said():
    assert re.search(r"unordered 0\.\d{3}, approximation;", loss_picture().alt)
    first_fit = loss_picture(LossQuestion(placement="first fit")).alt
    assert re.search(r"unordered 0\.\d{3} ± 0\.\d{3} \(95 %\), simulation;", first_fit)


def test_an_answer_costs_about_as_much_as_a_drawing():
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
    bars = {"one": {"a": 0.5, "b": 0.4}}
    drawing = min(seconds(lambda: Picture(plots.bars(bars, title="t", ylabel="y"))) for _ in "123")
    slowest = max(seconds(lambda q=q: loss_picture(q)) for q in questions[1:])
    assert slowest < 30 * drawing


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
def test_the_schedule_follows_every_control_and_comes_back(schedules, label, value):
    chosen, before = control(schedules, label), source(schedules)
    start, chosen.value = chosen.value, value
    assert source(schedules) != before
    chosen.value = start
    assert source(schedules) == before


def test_a_total_request_gets_one_cluster_as_large_as_all(schedules):
    """As in the study, where total requests lose least; a cluster of 4 could not hold 6."""
    wide = co.JobStream([0, 0, 1], [5, 3, 2], [[3, 3], [1, 1], [4, 4]])
    box = widgets.schedule_explorer(co.Multicluster([4, 4]), wide)
    control(box, "request type").value = "total"
    together = co.simulate(co.Multicluster([8]), wide.replace(request="total"))
    shown_runs = re.findall(r"job \d runs (\S+) to (\S+?)(?:;|$)", words(box))
    assert [(float(a), float(b)) for a, b in shown_runs] == [
        *zip(together.start, together.end, strict=True)
    ]
    assert "one cluster of 8" in words(box)


@pytest.mark.parametrize(
    ("request_type", "decides"),
    [("ordered", False), ("unordered", True), ("flexible", True), ("total", False)],
)
def test_a_placement_can_be_chosen_where_it_decides_something(schedules, request_type, decides):
    control(schedules, "request type").value = request_type
    assert control(schedules, "placement").disabled is not decides
    assert ("worst fit" in words(schedules)) is decides


def test_an_explorer_of_anything_else_is_refused_in_one_line():
    for system, jobs, name in ((None, FIVE, "system"), (co.Multicluster([4]), [1, 2], "jobs")):
        with pytest.raises(co.InputError, match=rf"^{name} = .*; give ") as error:
            widgets.schedule_explorer(system, jobs)
        assert "\n" not in str(error.value)


def test_max_jumps_acts_with_fpfs_only(schedules):
    jumps, before = control(schedules, "max_jumps"), source(schedules)
    assert jumps.disabled
    jumps.value = 3
    assert source(schedules) == before
    control(schedules, "scheduling").value = "FPFS"
    assert not jumps.disabled
    with_three = source(schedules)
    jumps.value = 0
    assert source(schedules) != with_three


def test_a_schedule_says_what_it_shows():
    schedule = co.simulate(co.Multicluster([4, 4]), FIVE)
    picture = widgets.schedule_picture(schedule, "Five jobs", unit="hours")
    assert "job 1 runs 0 to 5" in picture.alt
    assert f"ends at {schedule.end.max():g}" in picture.caption


def test_a_long_schedule_is_told_of_by_its_first_jobs():
    jobs = co.JobStream(range(3000), [9] * 3000, [1] * 3000)
    picture = widgets.schedule_picture(co.simulate(co.Multicluster([4, 4]), jobs))
    assert "job 1 runs 0 to 9" in picture.alt
    assert picture.alt.endswith("and 2,970 jobs more")
    with pytest.raises(co.InputError, match="schedule = None"):
        widgets.schedule_picture(None)


def test_without_a_kernel_the_picture_alone_is_shown(losses):
    data = losses._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert source(losses) in data["text/html"]
    assert data["text/plain"] == words(losses)


def test_a_picture_is_a_png_with_its_bars_in_words():
    figure = plots.bars({"loss": {"a": 0.25, "b": 0.5}}, title="<Title>", ylabel="y")
    data = Picture(figure)._repr_mimebundle_()
    assert data["text/plain"] == "<Title>; loss: a 0.250, b 0.500"
    assert 'alt="&lt;Title&gt;; loss: a 0.250, b 0.500"' in data["text/html"]
    assert Picture(figure).png.startswith(b"\x89PNG")


@pytest.mark.parametrize("make", [Picture, widgets.describe])
def test_a_picture_of_anything_else_is_refused_in_one_line(make):
    with pytest.raises(co.InputError, match="figure = None is no Figure; give "):
        make(None)


def test_no_figure_is_left_in_the_state_of_pyplot(losses):
    from matplotlib import pyplot

    control(losses, "clusters").value = 3
    assert pyplot.get_fignums() == []


def test_a_control_that_sets_another_redraws_once():
    calls = []
    number, more = ipw.IntSlider(value=1), ipw.ToggleButton(value=True)
    number.observe(lambda _change: setattr(more, "value", False), "value")

    def show(**values):
        calls.append(values)
        return Picture(plots.bars({"one": {"a": 0.5}}, title="t", ylabel="y"))

    explorer({"number": number, "more": more}, show)
    assert calls == [{"number": 1, "more": True}]
    number.value = 2
    assert calls[1:] == [{"number": 2, "more": False}]
