"""The loss explorer: its controls, its picture, and how it finds the losses."""

import asyncio
import re

import ipywidgets as ipw
import pytest

import coalloc_lib as co
from coalloc_lib import widgets
from coalloc_lib.widgets import LossQuestion, controls, max_utilization_of
from coalloc_lib.widgets.losses import SIMULATED_JOBS, _max_utilization_of
from tests.widgets.reading import all_widgets, control, notes, source, words

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.parametrize(
    ("make", "arguments", "name"),
    [
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


PUSHES = [  # each job can start
    ("largest size", 40, {"cluster size": 40}),
    ("cluster size", 5, {"largest size": 5, "smallest size": 1}),
    ("smallest size", 9, {"largest size": 9, "cluster size": 9}),
    ("components", 6, {"clusters": 6}),
]


@pytest.mark.usefixtures("without_images")
def test_numbers_push_each_other():
    box = widgets.loss_explorer()
    for label, value, pushed in PUSHES:
        control(box, label).value = value
        assert {other: control(box, other).value for other in pushed} == pushed
    assert not notes(box)


@pytest.mark.usefixtures("without_images")
def test_a_control_that_follows_another_is_told_until_the_next_move():
    box = widgets.loss_explorer()
    for label, value, told in (
        ("components", 6, ["clusters was raised to 6, because components is 6"]),
        ("components", 5, []),
        ("clusters", 3, ["components was reduced to 3, because clusters is 3"]),
        ("clusters", 9, []),
        ("clusters", 4, []),
    ):
        control(box, label).value = value
        assert notes(box, "status") == told
    control(box, "smallest size").value = 40
    (words,) = notes(box, "status")
    assert "largest size was raised to 40, because smallest size is 40" in words
    assert "cluster size was raised to 40, because largest size is 40" in words
    box.scenario.value = "components=2&clusters=2"
    assert notes(box, "status") == notes(box) == []


def test_a_finer_picture_keeps_the_note_on_a_control_that_follows(monkeypatch):
    monkeypatch.setattr(controls, "REST", 0.01)
    box = widgets.loss_explorer("components=3&placement=first fit")

    async def move():
        control(box, "clusters").value = 2
        assert "refining" in box.view.value
        await asyncio.sleep(0.1)
        assert "refining" not in box.view.value

    asyncio.run(move())
    assert notes(box, "status") == ["components was reduced to 2, because clusters is 2"]


@pytest.mark.usefixtures("without_images")
@pytest.mark.parametrize(("label", "value"), [("q", 0.7), ("1 counts as a power of two", True)])
def test_what_belongs_to_dq_acts_there_only(label, value):
    losses = widgets.loss_explorer()
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


def test_the_way_the_loss_was_found_is_named_and_what_cannot_run(tables):
    widgets.loss_picture(LossQuestion(placement="first fit"))
    picture = widgets.loss_picture(LossQuestion(components=5, request="total"))
    names = [list(table["request"]) for table in tables]
    assert "unordered, simulation" in names[0]
    assert names[1] == ["total (1 x 128), exact"]
    assert picture.alt.endswith("; ordered never starts; unordered never starts")


def test_the_alternative_names_every_bar_with_its_value(tables):
    alt = widgets.loss_picture().alt
    for _, row in tables[0].iterrows():
        assert " ".join(row[["request", "words"]]) in alt


def test_a_loss_by_formulas_alone_is_drawn_once():
    losses = widgets.loss_explorer()

    async def refines(label, value):
        control(losses, label).value = value
        return "refining" in losses.view.value

    assert not asyncio.run(refines("cluster size", 40))
    # The approximation is too high if jobs have fewer components than there are clusters.
    assert asyncio.run(refines("clusters", 6))
    assert not asyncio.run(refines("clusters", 4))
    assert asyncio.run(refines("placement", "first fit"))


def test_what_a_reader_types_beyond_a_range_is_refused_under_its_field():
    box = widgets.loss_explorer()
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
