"""The reservation calendar in a browser, with Python behind it and without a network."""

import json

import pytest

from coalloc_lib.widgets import ReservationCalendar, reservation_calendar
from tests.widgets.test_calendar import drawn, empty

pytestmark = pytest.mark.notebook

#: This script takes the place of a Jupyter kernel: it sends messages to Python, and stores the
#: answer as the data of the widget.
MODEL = """
const state = {data: await window.python(null)}, changed = [];
const model = {
  get: (name) => state[name],
  on: (name, act) => changed.push(act), off() {}, save_changes() {},
  send: async (message) => {
    state.data = await window.python(message);
    changed.forEach((act) => act());
  },
};
render({ model, el: document.getElementById("calendar") });
"""


def page_of():
    return f"""<!doctype html><html lang="en"><meta charset="utf-8">
<style>body {{ margin: 0; padding: 8px }} {ReservationCalendar._css}</style>
<div id="calendar"></div><script type="module">{ReservationCalendar._esm}{MODEL}</script>"""


@pytest.fixture
def opened(show):
    def opened(calendar, width=1000):
        def python(message):
            if message is not None:
                calendar._receive(message)
            return json.loads(json.dumps(calendar.data, allow_nan=False))

        page = show(page_of(), [python], viewport={"width": width, "height": 760})
        page.locator(".cc-bands .cp-band").first.wait_for()
        return page

    return opened


def ask(page, start, length, servers):
    form = page.get_by_role("form", name="a request")
    for name, value in (("start", start), ("length", length), ("servers", servers)):
        form.get_by_label(name).fill(str(value))
    form.get_by_role("button", name="submit").click()


def said(page):
    return page.get_by_role("status")


def row_at(page, instant, server=0):
    """Return the pixel of an instant in the row of a server, on a time axis from 7.2 to 37.44."""
    band = page.locator(".cc-bands .cp-band").first.bounding_box()
    x = band["x"] + (instant - 7.2) / (37.44 - 7.2) * band["width"]
    return x, band["y"] + 24 * server + 12


def test_a_request_lands_and_each_attempt_is_drawn(opened):
    page = opened(empty())
    ask(page, 12, 5, 3)
    said(page).get_by_text("request 1 is booked from 12 to 17 h").wait_for()
    ask(page, 12, 4, 2)
    said(page).get_by_text("at attempt 6").wait_for()
    assert page.locator("[data-try].cc-failed").count() == 5
    assert page.locator("[data-try].cc-taken").count() == 1
    assert page.locator("[data-booking]").count() == 2
    place = page.locator(".cc-forms").bounding_box()
    page.get_by_text("submitted at 12, asked for 12, 6 attempts: servers 1 and 2").wait_for()
    ask(page, 12, 5, 5)
    said(page).get_by_text("request 3 is rejected").wait_for()
    assert page.locator(".cc-facts").inner_text() == ""  # no earlier request is described
    assert page.locator(".cp-lit").count() == 0
    search = page.get_by_role("form", name="a search for free servers")
    search.get_by_label("begin").fill("25")
    search.get_by_label("end").fill("27")
    search.get_by_role("button", name="search").press("Enter")
    said(page).get_by_text("from 25 to 27 h, 4 of 4 servers are free").wait_for()
    assert page.locator("[data-try]").count() == 0
    assert page.locator(".cc-forms").bounding_box() == place  # whatever came of a request


def test_of_many_attempts_the_first_and_the_last_are_drawn(opened):
    page = opened(empty())
    for length, servers, words in (
        (12, 4, "1 is booked"),
        (4, 2, "2 is rejected after 12 attempts"),
    ):
        ask(page, 12, length, servers)
        said(page).get_by_text(f"request {words}").wait_for()
    drawn = [each.get_attribute("data-try") for each in page.locator("rect[data-try]").all()]
    assert drawn == ["0", "1", "2", "3", "4", "10", "11"]


def test_enter_submits_and_a_slip_marks_its_field(opened):
    page = opened(empty())
    field = page.get_by_label("servers", exact=True)
    field.fill("1.5")
    field.press("Enter")
    said(page).get_by_text("servers = 1.5; give a whole number of 1 or more").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("")
    field.press("Enter")
    said(page).get_by_text("servers is empty; give a number").wait_for()
    field.fill("2")
    field.press("Enter")
    said(page).get_by_text("request 1 is booked").wait_for()
    assert field.get_attribute("aria-invalid") == "false"


def test_dragging_asks_who_is_free_and_fills_the_form(opened):
    page = opened(empty())
    ask(page, 12, 8, 3)
    said(page).get_by_text("request 1 is booked").wait_for()
    drag(page, 22, 18, 3)
    said(page).get_by_text("from 18 to 22 h, 1 of 4 servers is free").wait_for()
    assert page.locator(".cc-free").count() == 1
    assert page.get_by_label("start", exact=True).input_value() == "18"
    assert page.get_by_label("length", exact=True).input_value() == "4"
    page.get_by_role("button", name="submit").click()
    said(page).get_by_text("request 2 is booked from").wait_for()


def drag(page, start, end, server=0):
    page.mouse.move(*row_at(page, start, server))
    page.mouse.down()
    page.mouse.move(*row_at(page, end, server), steps=5)
    page.mouse.up()


def test_a_drag_is_cut_to_what_is_still_to_come_and_told_where_nothing_is(opened):
    page = opened(empty())
    drag(page, 8, 11)
    said(page).get_by_text("begin = 8 is in the past").wait_for()
    assert page.get_by_label("start", exact=True).input_value() == "12"  # as it was
    assert page.get_by_label("begin").get_attribute("aria-invalid") == "true"
    drag(page, 37, 36.4)
    said(page).get_by_text("begin = 36.4; give an instant before 36").wait_for()
    drag(page, 9, 14)
    said(page).get_by_text("from 12 to 14 h, 4 of 4").wait_for()
    assert page.get_by_label("length", exact=True).input_value() == "2"


@pytest.mark.parametrize(("width", "length"), [(680, 4), (760, 14), (1000, 23), (1300, 10)])
def test_the_words_of_an_attempt_overprint_no_name_and_stay_within(opened, width, length):
    page = opened(empty(max_attempts=20), width)
    ask(page, 12, 24, 1)
    said(page).get_by_text("request 1 is booked").wait_for()
    ask(page, 12, length, 4)
    said(page).get_by_text("request 2 is rejected").wait_for()
    drawing = page.locator(".cc-bands").bounding_box()
    names = [each.bounding_box() for each in page.locator(".cp-small-side").all()]
    words = [each.bounding_box() for each in page.locator(".cc-words").all()]
    assert len(names) == len(words) > 0
    for name, those in zip(names, words, strict=True):
        assert name["x"] + name["width"] <= those["x"]
        assert those["x"] + those["width"] <= drawing["x"] + drawing["width"]


def test_a_click_picks_and_delete_or_the_button_cancels(opened):
    page = opened(empty())
    for start in (12, 20):
        ask(page, start, 4, 2)
        said(page).get_by_text(f"from {start} to").wait_for()
    page.mouse.click(*row_at(page, 14))
    page.get_by_role("button", name="cancel 1").wait_for()
    page.locator(".coalloc-calendar").focus()
    page.keyboard.press("Delete")
    said(page).get_by_text("request 1 is cancelled").wait_for()
    page.locator(".coalloc-calendar").focus()
    page.keyboard.press("n")
    page.get_by_role("button", name="cancel 2").click()
    said(page).get_by_text("request 2 is cancelled").wait_for()
    assert page.locator("[data-booking]").count() == 0
    assert page.get_by_role("button", name="cancel").is_disabled()


def test_delete_leaves_the_requests_of_others_alone(opened, monkeypatch):
    calendar = reservation_calendar([8], requests=3)
    received, receive = [], calendar._receive

    def keep(message):
        received.append(message["do"])
        receive(message)

    monkeypatch.setattr(calendar, "_receive", keep)
    page = opened(calendar)
    page.locator(".coalloc-calendar").focus()
    page.keyboard.press("n")
    words = said(page).inner_text()
    assert words.startswith("of others, ")
    page.keyboard.press("Delete")
    ask(page, 20, 1, 1)  # Python answers in the order of the messages
    said(page).get_by_text("request 1 is booked from").wait_for()
    assert received == ["submit"]


def test_keys_go_through_reservations_and_attempts(opened):
    page = opened(empty())
    ask(page, 12, 5, 3)
    ask(page, 12, 4, 2)
    said(page).get_by_text("at attempt 6").wait_for()
    page.locator(".coalloc-calendar").focus()
    page.keyboard.press("ArrowDown")
    assert (
        said(page).inner_text()
        == "attempt 1, from 12 to 16 h: 1 server idle for all this time, 2 needed"
    )
    assert page.locator(".cc-window").count() == 1
    assert page.locator(".cc-free").count() == 1
    page.set_viewport_size({"width": 800, "height": 700})  # drawn again, in another size
    page.wait_for_function("document.querySelector('.cc-bands').clientWidth < 800")
    assert said(page).inner_text().startswith("attempt 1")
    page.keyboard.press("ArrowUp")
    assert said(page).inner_text().startswith("attempt 6, from 17 to 21 h: 4 servers")
    page.keyboard.press("n")
    assert said(page).inner_text().startswith("request 1, from 12 to 17 h")
    page.keyboard.press("Escape")
    assert page.locator(".cp-lit").count() == 0


def test_sliders_change_what_others_have_booked(opened):
    calendar = reservation_calendar([4], requests=10)
    page = opened(calendar)
    before = calendar.data["bookings"]
    page.get_by_label("share ahead").press("End")
    page.wait_for_function("!document.querySelector('[fill=\"#C4C4C4\"]')")
    assert calendar.data["load"]["share"]["value"] == 1
    assert calendar.data["bookings"] != before
    page.get_by_label("rule").select_option("best-fit")
    page.wait_for_function("document.querySelector('[name=rule]').value === 'best-fit'")


def test_a_slider_that_moves_leaves_values_between_the_steps_as_they_are(opened):
    given = {"share": 0.25, "ahead": 20, "seed": 1234}
    calendar = reservation_calendar([8], **given)
    page = opened(calendar)
    page.get_by_label("requests").press("ArrowRight")
    said(page).get_by_text("others have booked 13 requests").wait_for()
    assert drawn(calendar) == drawn(reservation_calendar([8], requests=13, **given))
    page.get_by_label("rule").select_option("best-fit")
    page.get_by_label("requests").press("ArrowRight")
    said(page).get_by_text("others have booked 14 requests").wait_for()
    again = reservation_calendar([8], requests=14, rule="best-fit", **given)
    assert calendar.data == again.data


def test_every_control_has_a_name(opened):
    page = opened(empty([2, 2]))
    for control in page.locator("input, select, button").all():
        labels = control.evaluate("e => [...(e.labels ?? [])].map((l) => l.innerText).join('')")
        assert (labels or control.inner_text()).strip()


@pytest.mark.parametrize("width", [390, 1366])
def test_nothing_is_wider_than_the_window(opened, width):
    page = opened(reservation_calendar([4, 6]), width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
