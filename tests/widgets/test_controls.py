"""Explorers: a control redraws the picture, a line sets the controls, wrong values are rejected."""

import asyncio
import html
import math

import ipywidgets as ipw
import pytest

import coalloc_lib as co
from coalloc_lib import widgets
from coalloc_lib.widgets import Picture, controls
from coalloc_lib.widgets.inputs import slider_with_entry
from tests.widgets.reading import all_widgets, bars, control, notes, source


@pytest.fixture
def losses():
    return widgets.loss_explorer()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("clusters=six", "clusters = 'six'; give a whole number from 1 to 8"),
        ("clusters=20", "give a whole number from 1 to 8"),
        ("clusters=2.5", "clusters = '2.5'; give a whole number from 1 to 8"),
        ("q=2", "q = '2'; give a number from 0.5 to 1.0"),
        ("clouds=6", "'clouds' is not the name of a control"),
        ("clusters=2&components=2&placement=none", "choose one of 'worst fit'"),
        ("one_is_power_of_two=true", "choose one of 'True', 'False'"),
        ("low=9&high=5", "low = 9 contradicts another value"),
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


def test_a_control_that_moves_while_another_picture_is_drawn_stays_where_it_is():
    """A kernel can handle a second move before the picture of the first one is finished."""
    calls, slider = [], ipw.IntSlider(1, min=1, max=9)

    def draw(number):
        calls.append(number)
        if number == 2:
            slider.value = 4
        return Picture(bars(a=number / 10, title=f"{number} tenths"))

    box = controls.Explorer({"number": slider}, draw)
    slider.value = 2
    assert calls == [1, 2, 4]
    assert box.values == {"number": 4}
    assert box.scenario.value == "number=4"
    assert "4 tenths" in box.view.boxed()["text/plain"]


def test_a_control_that_moves_while_a_fine_picture_is_drawn_gets_a_fine_picture_too(monkeypatch):
    monkeypatch.setattr(controls, "REST", 0.01)
    calls, slider = [], ipw.IntSlider(1, min=1, max=9)

    def draw(number, coarse):
        calls.append((number, coarse))
        if (number, coarse) == (2, False):
            slider.value = 4
        return Picture(bars(a=number / 10))

    box = controls.Explorer({"number": slider}, draw, simulates=lambda number: True)

    async def move():
        slider.value = 2
        await asyncio.sleep(0.2)

    asyncio.run(move())
    assert calls[1:] == [(2, True), (2, False), (4, True), (4, False)]
    assert "refining" not in box.view.value


def test_a_moving_control_is_followed_coarsely_and_then_refined(monkeypatch):
    monkeypatch.setattr(controls, "REST", 0.01)
    calls = []

    def draw(number, coarse):
        if number == 6:
            raise co.InputError("number = 6; give less")
        calls.append((number, coarse))
        return Picture(bars(a=number / 10))

    slider = ipw.IntSlider(value=1)
    box = controls.Explorer({"number": slider}, draw, simulates=lambda number: number < 9)
    assert calls == [(1, False)]

    async def drag(refining):
        for slider.value, is_coarse in refining.items():
            assert ("refining" in box.view.value) is is_coarse
        await asyncio.sleep(0.1)
        assert "refining" not in box.view.value

    asyncio.run(drag({2: True, 3: True, 4: True}))
    assert calls[1:] == [(2, True), (3, True), (4, True), (4, False)]
    asyncio.run(drag({9: False}))  # nothing of it is simulated: it is drawn once
    assert calls[5:] == [(9, False)]
    asyncio.run(drag({2: True, 6: False}))  # what was coarse before a mistake stays so
    assert calls[6:] == [(2, True)]
    assert notes(box) == ["number = 6; give less"]


def test_what_is_impossible_is_said_beside_the_control_and_the_picture_stays():
    def draw(one, two):
        if two > 5:
            raise co.InputError(f"two = {two}; give <5>")
        return Picture(bars(a=one / 10))

    sliders = {name: ipw.IntSlider(value=1, description=name) for name in ("one", "two")}
    box = controls.Explorer(sliders, draw)
    before = box.view.value
    assert box.is_possible
    sliders["two"].value = 6
    assert not box.is_possible
    assert notes(box) == ["two = 6; give &lt;5&gt;"]
    (cell,) = [w for w in all_widgets(box) if sliders["two"] in getattr(w, "children", ())]
    assert 'role="alert"' in cell.children[1].value
    assert box.view.value == before
    assert box.scenario.value == "one=1&two=1"  # the last scenario that is possible
    assert box.values == {"one": 1, "two": 6}
    assert "coalloc-past" in box.view._dom_classes  # it is not what the controls say
    box.scenario.value = "one=2&two=7"
    assert notes(box) == ["two = 7; give &lt;5&gt;"]
    assert box.scenario.value == "one=1&two=1"
    sliders["two"].value = 2
    assert box.is_possible
    assert not notes(box)
    assert "coalloc-past" not in box.view._dom_classes


def test_a_view_is_past_while_the_picture_of_new_values_is_drawn():
    views, was_past = [], []

    def draw(number):
        was_past.extend("coalloc-past" in view._dom_classes for view in views)
        return Picture(bars(a=number / 10))

    slider = ipw.IntSlider(value=1)
    box = controls.Explorer({"number": slider}, draw)
    views.append(box.view)
    slider.value = 2
    assert was_past == [True]
    assert "coalloc-past" not in box.view._dom_classes


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_an_interrupted_picture_fades_and_is_drawn_when_it_is_asked_for_again(error):
    numbers = []

    def draw(number):
        numbers.append(number)
        if numbers == [1, 2]:
            raise error
        return Picture(bars(a=number / 10))

    slider = ipw.IntSlider(value=1)
    box = controls.Explorer({"number": slider}, draw)
    before = box.view.value
    with pytest.raises(error):
        slider.value = 2
    assert box.view.value == before
    assert "coalloc-past" in box.view._dom_classes
    slider.value = 1
    assert box.view.value == before
    assert "coalloc-past" not in box.view._dom_classes
    slider.value = 2
    assert box.view.value != before
    assert numbers == [1, 2, 1, 2]


def test_a_line_without_a_name_is_told_the_name_of_the_only_control():
    listed = ipw.Dropdown(options=["32,32", "64,16"], description="sizes")
    box = controls.Explorer({"sizes": listed}, lambda sizes: Picture(bars(a=0.1, title=sizes)))
    box.scenario.value = "64, 16"
    assert notes(box) == ["&#x27;64, 16&#x27; names no control; give sizes=64,16"]
    box.scenario.value = "sizes=64,16"
    assert not notes(box)
    assert box.values == {"sizes": "64,16"}


def test_a_coarse_picture_that_would_mislead_is_not_drawn(monkeypatch):
    monkeypatch.setattr(controls, "REST", 0.01)

    def draw(number, coarse):
        return None if coarse else Picture(bars(a=number / 10))

    slider = ipw.IntSlider(value=1)
    box = controls.Explorer({"number": slider}, draw, simulates=lambda number: True)
    before = box.view.value

    async def move():
        slider.value = 2
        assert box.view.value == before + controls.BUSY
        await asyncio.sleep(0.1)

    asyncio.run(move())
    assert controls.BUSY not in box.view.value
    assert source(box) not in before


def test_an_impossible_number_pushes_no_other_control(losses):
    before = losses.values
    for label, wrong in (("components", 9), ("clusters", 0), ("smallest size", 129)):
        entry = control(losses, label)
        right, entry.value = entry.value, wrong
        (said,) = notes(losses)
        assert said.startswith(f"{label} = {wrong}; give a number from ")
        entry.value = right
        assert losses.values == before
        assert not notes(losses)


def test_the_error_on_a_large_number_has_all_its_digits():
    row = slider_with_entry("jobs", 1_000_000, 1, 1_234_567)
    box = controls.Explorer({"jobs": row}, lambda jobs: Picture(bars(a=0.1)))
    control(box, "jobs").value = 1_234_568
    assert notes(box) == ["jobs = 1234568; give a number from 1 to 1234567"]


def test_a_control_that_becomes_disabled_takes_its_error_with_it(losses):
    kind, q = (control(losses, label) for label in ("size distribution", "q"))
    kind.value, q.value = "D(q)", 7.0
    assert notes(losses) == ["q = 7; give a number from 0.5 to 1"]
    kind.value = "U"  # The user cannot correct `q` now.
    assert not notes(losses)
    assert q.value == 1.0


@pytest.mark.parametrize("line", [f"clusters={'4,' * 500}", f"{'cluster' * 200}=4"])
def test_an_error_shows_only_the_beginning_of_a_long_text(losses, line):
    losses.scenario.value = line
    (said,) = notes(losses)
    assert len(said) < 300


def test_a_state_is_drawn_at_once_and_without_a_predecessor():
    calls = []

    def draw(number, before):
        calls.append((number, before))
        return Picture(bars(a=number / 10))

    box = controls.Explorer({"number": ipw.IntSlider(value=1)}, draw, state="number=5")
    assert calls == [(5, None)]
    assert box.scenario.value == "number=5"
    wrong = controls.Explorer({"number": ipw.IntSlider(value=1)}, draw, state="number=five")
    assert calls[1:] == [(1, None)]
    assert notes(wrong) == ["number = &#x27;five&#x27;; give a whole number from 0 to 100"]
    assert wrong.scenario.value == "number=1"


def test_a_rejected_line_leaves_no_other_note():
    def draw(number):
        if number > 5:
            raise co.InputError(f"number = {number}; give less")
        return Picture(bars(a=number / 10))

    slider = ipw.IntSlider(value=1)
    box = controls.Explorer({"number": slider}, draw)
    slider.value = 6
    box.scenario.value = "digit=3"
    assert notes(box) == ["&#x27;digit&#x27; is not the name of a control; give one of number"]


def test_widgets_below_the_picture_stand_before_the_note_on_the_scenario():
    button = ipw.Button(description="save")
    for is_shown in (True, False):
        box = controls.Explorer(
            {"number": ipw.IntSlider(value=1)}, lambda number: Picture(bars(a=number / 10)),
            below=[button], shows_scenario=is_shown,
        )  # fmt: skip
        below = box.children[-1].children
        assert below[:-1] == (button, *[box.scenario] * is_shown)
        box.recreate("digit=3")
        assert 'role="alert"' in below[-1].value


def test_a_control_that_sets_another_redraws_once():
    calls = []
    number, more = ipw.IntSlider(value=1), ipw.ToggleButton(value=True)
    number.observe(lambda _change: setattr(more, "value", False), "value")

    def draw(**values):
        calls.append(values)
        return Picture(bars(a=0.5))

    controls.Explorer({"number": number, "more": more}, draw)
    assert calls == [{"number": 1, "more": True}]
    number.value = 2
    assert calls[1:] == [{"number": 2, "more": False}]


def test_a_wrong_line_keeps_the_choice_of_a_list_whose_options_another_control_sets():
    """The list of kinds stands before the control that decides which kinds there are."""
    kind = ipw.Dropdown(options=["p"])
    policy = ipw.Dropdown(options=["LITE", "FULL"])
    ipw.dlink((policy, "value"), (kind, "options"), {"LITE": ["p"], "FULL": ["p", "r"]}.get)
    box = controls.Explorer({"kind": kind, "policy": policy}, lambda **_: Picture(bars(a=0.1)))
    box.recreate("kind=r&policy=FULL")
    assert box.values == {"kind": "r", "policy": "FULL"}
    assert not notes(box)
    box.recreate("policy=LITE&kind=r")
    assert notes(box) == ["kind = &#x27;r&#x27;; choose one of &#x27;p&#x27;"]
    assert box.values == {"kind": "r", "policy": "FULL"}


@pytest.mark.parametrize(
    "options",
    [
        [0.5, 0.8, 1.0],
        [1, 2, 3],
        [False, True, "both"],
        [("few", 10), ("many", 1000), ("all", math.inf)],
        {"few": 10, "many": 1000},
        [("(a, b)", "a"), ("(c, d)", "c & d")],
    ],
)
@pytest.mark.parametrize("kind", [ipw.Dropdown, ipw.SelectionSlider, ipw.ToggleButtons])
def test_the_line_of_a_list_sets_every_choice_again(kind, options):
    first, *others = options.values() if isinstance(options, dict) else options
    first = first[1] if isinstance(first, tuple) else first
    listed = kind(options=options, value=first)
    box = controls.Explorer({"list": listed}, lambda list: Picture(bars(a=0.1, title=str(list))))
    line = box.scenario.value
    for other in others:
        listed.value = other[1] if isinstance(other, tuple) else other
        chosen, copied = box.values, box.scenario.value
        box.scenario.value = line
        assert box.values == {"list": first}
        box.scenario.value = copied
        assert box.values == chosen
        assert not notes(box)


def test_a_number_that_a_list_does_not_have_is_refused():
    listed = ipw.Dropdown(options=[("few", 10), ("many", 1000)])
    box = controls.Explorer({"jobs": listed}, lambda jobs: Picture(bars(a=jobs / 1000)))
    box.scenario.value = "jobs=11"
    assert notes(box) == ["jobs = &#x27;11&#x27;; choose one of &#x27;10&#x27;, &#x27;1000&#x27;"]
    assert box.values == {"jobs": 10}


def test_an_explorer_without_controls_is_refused():
    with pytest.raises(co.InputError, match=r"^controls = \{\}; give one control or more by name$"):
        controls.Explorer({}, lambda: Picture(bars(a=0.1)))


def test_widgets_share_their_style_sheet_until_it_is_closed():
    first = controls.styled()
    assert controls.styled() is first
    first.close()
    second = controls.styled()
    assert second is not first
    assert second.value == controls.STYLE
    assert "coalloc-gone" in controls.gone()._dom_classes
