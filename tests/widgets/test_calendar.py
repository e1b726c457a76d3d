"""The reservation calendar: what it books, what it says, and the data for the browser."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib import widgets
from coalloc_lib.widgets.booking_session import Others


def empty(clusters=(4,), **how):
    return widgets.reservation_calendar(clusters, **({"requests": 0} | how))


def drawn(calendar):
    return [
        (one["number"], one["start"], one["end"], tuple(one["servers"]))
        for one in calendar.data["bookings"]
    ]


def test_a_request_is_booked_at_the_first_attempt_with_room():
    calendar = empty(step=2)
    now = calendar.now
    calendar.submit(now, 5, 3)
    said = calendar.submit(now, 4, 2)
    assert now == 12
    assert calendar.data["terms"] == "up to 12 attempts, 2 h apart; horizon 24 h ahead"
    assert said == "request 2 is booked from 18 to 22 h, on servers 1 and 2, at attempt 4"
    tried = calendar.data["tried"]
    told = [(one["start"] - now, one["free"], bool(one["why"])) for one in tried]
    assert told == [(ahead, [3], True) for ahead in (0, 2, 4)] + [(6, [0, 1, 2, 3], False)]
    assert tried[0]["said"] == "1 server idle for all this time, 2 needed"
    assert calendar.data["made"] == 2


def test_a_refusal_says_why_and_books_nothing():
    calendar = empty(max_attempts=3)
    calendar.submit(calendar.now, 20, 4)
    before = drawn(calendar)
    said = calendar.submit(calendar.now, 1, 1)
    assert said == "request 2 is rejected after 3 attempts: no room in all attempts"
    assert drawn(calendar) == before
    assert len(calendar.data["tried"]) == 3
    assert calendar.data["said"]["kind"] == "rejected"


def test_what_is_cancelled_is_free_again():
    calendar = empty()
    now = calendar.now
    calendar.submit(now, 5, 3)
    before = drawn(calendar)
    assert calendar.free(now, now + 5) == [3]
    assert drawn(calendar) == before
    assert calendar.data["found"] == {"start": now, "end": now + 5, "free": [3]}
    calendar.cancel(1)
    assert calendar.free(now, now + 5) == [0, 1, 2, 3]
    assert drawn(calendar) == []
    words = "^number = 1 is not a booked request of yours; you have none"
    with pytest.raises(co.InputError, match=words):
        calendar.cancel(1)


def test_the_number_of_a_request_that_was_rejected_is_no_number_of_the_user():
    calendar = widgets.reservation_calendar([2], requests=60, seed=3, share=0.25)
    for number in (-60, -1, 0):
        with pytest.raises(co.InputError, match=rf"^number = {number}; give a whole number of 1 "):
            calendar.cancel(number)


ASKED = {
    "submit": ("start", "length", "servers"), "cancel": ("number",), "free": ("begin", "end"),
    "load": ("requests", "share", "ahead", "seed"), "dance": (),
}  # fmt: skip
#: An action of the reader with its values, the name of the wrong field, and a part of the message.
TYPED = [
    (("submit", None, 2, 1), "start", "start is empty; give a number"),
    (("submit", 12, 2, 1.5), "servers", "servers = 1.5; give a whole"),
    (("submit", 11, 2, 1), "", "is rejected: a start before"),
    (("cancel", 7), "number", "number = 7 is not a booked request of yours; give one of 1"),
    (("free", 8, 11), "begin", "begin = 8 is in the past; give 12 or later"),
    (("free", 36.2, 37), "begin", "begin = 36.2; give an instant before 36, the horizon"),
    (("free", 13, None), "end", "end is empty; give a number"),
    (("free", 13, 13), "end", "by 36, the horizon"),
    (("load", 99, 0, 0, 1), "requests", "at most 60"),
    (("dance",), "do", "do = 'dance'; choose one of 'submit'"),
]


@pytest.mark.parametrize(("asked", "field", "words"), TYPED)
def test_a_slip_is_told_in_the_widget_and_changes_nothing(asked, field, words):
    calendar = empty()
    calendar.submit(12, 5, 2)
    before, free = drawn(calendar), calendar.free(12, 17)
    do, *numbers = asked
    calendar._receive({"do": do} | dict(zip(ASKED[do], numbers, strict=True)))
    said = calendar.data["said"]
    assert words in said["words"]
    assert said["field"] == field
    assert said["kind"] in ("wrong", "rejected")
    assert drawn(calendar) == before
    assert calendar.free(12, 17) == free


def test_a_message_of_the_browser_may_lack_a_field_or_have_a_strange_one():
    calendar = empty()
    calendar.submit(12, 5, 2)
    calendar._receive({"do": "cancel"})
    assert calendar.data["said"]["words"] == "number is empty; give a number"
    calendar._receive({"do": "cancel", "number": 1, "height": 3})
    assert calendar.data["said"]["kind"] == "cancelled"
    calendar._receive({"do": "load", "requests": 0, "share": 0, "ahead": 0, "seed": 1})
    assert calendar.data["said"]["kind"] == ""


def test_a_slider_that_moves_leaves_the_others_as_they_are():
    given = {"share": 0.25, "ahead": 20, "seed": 1234}
    calendar = widgets.reservation_calendar([8], **given)
    calendar._receive({"do": "load", "requests": 13})
    assert drawn(calendar) == drawn(widgets.reservation_calendar([8], requests=13, **given))
    calendar._receive({"do": "load", "rule": "best-fit"})
    again = widgets.reservation_calendar([8], requests=13, rule="best-fit", **given)
    assert drawn(calendar) == drawn(again)
    assert calendar.data["rule"] == "best-fit"
    calendar._receive({"do": "load", "seed": 5})
    assert {name: one["value"] for name, one in calendar.data["load"].items()} == {
        "requests": 13, "share": 0.25, "ahead": 20, "seed": 5,
    }  # fmt: skip
    assert calendar.data["rule"] == "best-fit"


def test_an_error_that_names_no_argument_marks_no_field(monkeypatch):
    def refuse(begin, end):
        raise co.InputError("end of the horizon; give an earlier instant")

    calendar = empty()
    monkeypatch.setattr(calendar, "free", refuse)
    calendar._receive({"do": "free", "begin": 12, "end": 13})
    said = calendar.data["said"]
    assert (said["field"], said["kind"]) == ("", "wrong")


def crowded_out():
    """Return a calendar whose load of others leaves no room for request 1, which had some."""
    calendar = empty(max_attempts=2)
    calendar.submit(12, 3, 4)
    calendar.submit(32, 1, 1)
    for seed in range(20):
        calendar.load(30, 0, 0, seed)
        kept, said = {number for number, *_ in drawn(calendar)}, calendar.data["said"]
        for number in (1, 2):
            assert (number in kept) != (f"your request {number} is rejected" in said["words"])
        if 2 in kept and 1 not in kept:
            assert said["kind"] == "lost"
            assert calendar.data["tried"] == []
            return calendar
    raise AssertionError("no load was heavy enough")


def test_what_others_crowded_out_is_booked_again_when_they_leave_unless_it_is_cancelled():
    calendar = crowded_out()
    calendar.load(30, 0, 0, 99)  # however often others change
    load = {"requests": 0, "share": 0, "ahead": 0, "seed": 1, "rule": "best-fit"}
    calendar._receive({"do": "load"} | load)
    assert calendar.data["rule"] == "best-fit"
    assert drawn(calendar) == [(1, 12, 15, (0, 1, 2, 3)), (2, 32, 33, (0,))]
    assert "your request 2" not in calendar.data["said"]["words"]
    assert calendar.submit(20, 1, 1).startswith("request 3 is booked")
    calendar = crowded_out()
    assert calendar.cancel(1) == "request 1 is withdrawn; it was not booked"
    calendar.cancel(2)
    calendar.load(0, 0, 0, 1)
    assert drawn(calendar) == []


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.integers(0, 40),
    st.floats(0, 1),
    st.integers(0, 5),
    st.lists(st.tuples(st.integers(12, 34), st.integers(1, 9), st.integers(1, 5)), max_size=5),
)
def test_no_server_has_two_at_once_and_the_windows_tell_the_counts(
    clusters, requests, share, seed, mine
):
    calendar = widgets.reservation_calendar(
        clusters, requests=requests, share=share, seed=seed, span_penalty=0.25
    )
    for asked in mine:
        calendar.submit(*asked)
        for tried in calendar.data["tried"]:  # free by the drawing, idle by the book
            if tried["said"].endswith("needed"):
                assert tried["said"].startswith(f"{len(tried['free'])} server")
    taken = [(s, a, b) for _, a, b, servers in drawn(calendar) for s in servers]
    for i, (server, start, end) in enumerate(taken):
        for other, begin, finish in taken[:i]:
            assert other != server or finish <= start or end <= begin
    for one in calendar.data["bookings"]:
        assert one["mine"] == bool(one["label"]) == (one["number"] > 0)
        if not one["mine"]:
            with pytest.raises(co.InputError, match=r"^number = "):
                calendar.cancel(one["number"])
    json.dumps(calendar.data, allow_nan=False)


def test_whole_numbers_may_be_given_as_floats():
    calendars = [
        widgets.reservation_calendar([4], requests=requests, seed=seed)
        for requests, seed in ((3, 1), (3.0, 1.0))
    ]
    assert drawn(calendars[0]) == drawn(calendars[1])


def test_the_share_and_the_look_ahead_move_starts_alone():
    now, horizon = 12.0, 24.0
    shares = [Others(20, share, 8, 3).sample(now, horizon, 8, 0.2) for share in (0, 0.5, 1)]
    for few, some, many in zip(*shares, strict=True):
        assert few.start == few.submit == some.submit == many.submit <= now
        assert few[2:] == some[2:] == many[2:]
        assert some.start in (few.start, many.start)
        assert many.start <= many.submit + 8 + 0.1
    assert 0 < np.mean([one.start > one.submit for one in shares[1]]) < 1


def test_where_there_is_no_widget_a_picture_stands_in():
    calendar = empty([2, 2])
    calendar.submit(12, 5, 3)
    data, _ = calendar._repr_mimebundle_()
    assert data.keys() >= {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert '<img alt="Reservation calendar: request 1 is booked' in data["text/html"]
    axes = calendar.still().axes[0]
    boxes = {(p.get_x(), p.get_width(), p.get_height()) for p in axes.patches}
    assert boxes == {(12, 5, 1)}
    assert len(axes.patches) == 3
    calendar.free(13, 15)
    calendar.still().canvas.draw()
    widgets.reservation_calendar([100, 100], requests=3).still().canvas.draw()


@pytest.mark.parametrize("horizon", [1e-3, 7.77, 24.3, 42, 2_419_200])
def test_a_horizon_of_any_length_has_round_instants(horizon):
    calendar = widgets.reservation_calendar(horizon=horizon, slot=horizon / 28, step=horizon / 28)
    assert 0 < calendar.data["grain"] <= horizon / 79
    assert calendar.data["until"] >= calendar.now + horizon - horizon / 28
    form = calendar.data["form"]
    assert calendar.submit(**form).startswith("request 1 is booked")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"clusters": [150, 51]}, r"^clusters = \[150, 51\] has 201 servers; give 200 servers"),
        ({"horizon": 0}, "^horizon = 0; give"),
        ({"unit": 3600}, "^unit = 3600 is not of type str"),
        ({"rule": "first-found"}, "^rule = 'first-found'"),
        ({"share": 30}, "^share = 30; give a number from 0 to 1"),
        ({"ahead": -1}, "^ahead = -1; give"),
        ({"span_penalty": -1}, "^span_penalty = -1; give"),
    ],
)
def test_wrong_arguments_are_named(how, words):
    with pytest.raises(co.InputError, match=words):
        widgets.reservation_calendar(**how)


def test_instants_in_seconds_keep_their_digits():
    calendar = widgets.reservation_calendar([4], horizon=2_592_000, requests=0, unit="s")
    words = calendar.submit(1_308_345, 1_234, 3)
    assert "booked from 1308345 to 1309579 s" in words
    (booked,) = calendar.data["bookings"]
    assert booked["said"].startswith("request 1, from 1308345 to 1309579 s; submitted at 1296000,")
    calendar.free(1_308_345, 1_309_001)
    assert calendar.data["said"]["words"].startswith("from 1308345 to 1309001 s, 1 of 4 servers")
    with pytest.raises(co.InputError, match=r"^begin = 1295999 is in the past; give 1296000 or"):
        calendar.free(1_295_999, 1_309_001)
