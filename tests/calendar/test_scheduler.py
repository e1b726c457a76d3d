"""The scheduler by hand: what it books, what it refuses, and that a refusal changes nothing."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import inf, nan
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.calendar import Booking, BookingRules, Calendar, Rejection, SlotTrees

TERMS = {"slot": 10, "step": 5, "max_attempts": 8, "horizon": 100}


def calendar_of(sizes, book="lists", rule="latest-start", **terms):
    """Return a calendar; with ``book="trees"``, its idle periods are stored in slot trees."""
    if book == "lists":
        return Calendar(sizes, **terms, rule=rule)
    calendar = Calendar(sizes, **terms)
    calendar.idle = SlotTrees(calendar.system.sizes, calendar.terms.slot, calendar.terms.slots)
    calendar.rule = rule
    return calendar


def answers(calendar):
    """Return the visible state of a calendar, without the operations that slot trees count."""
    idle = [calendar.idle.periods(server) for server in range(calendar.system.processors)]
    asked = [calendar.free(calendar.now + a, calendar.now + b) for a, b in ((0, 1), (3, 30))]
    return calendar.now, idle, asked, {*calendar.bookings}


@pytest.fixture(params=["lists", "trees"])
def calendar(request):
    """Return a calendar of 4 processors at 20: 3 are reserved until 30, and 2 from 40 to 60."""
    calendar = calendar_of(4, request.param, **TERMS)
    calendar.advance(20)
    calendar.now_running = calendar.submit(20, 10, 3)
    calendar.to_come = calendar.submit(40, 20, 2)
    return calendar


def test_every_attempt_tells_why_it_failed(calendar):
    booking = calendar.submit(22, 6, 2)
    assert (booking.start, booking.end, booking.submit) == (32, 38, 20)
    tried = [(attempt.start, attempt.idle, bool(attempt.why)) for attempt in booking.attempts]
    assert tried == [(22, (1,), True), (27, (1,), True), (32, (4,), False)]
    refused = calendar.submit(20, 6, 4, latest=29)
    assert refused.why == "past its latest start"
    assert [attempt.idle for attempt in refused.attempts] == [(1,), (1,)]


def test_a_range_search_books_nothing(calendar):
    before = answers(calendar)
    assert [period.server for period in calendar.free(20, 40)] == [3]
    assert len(calendar.free(30, 40)) == 4
    assert len(calendar.free(30, 41)) == 2
    assert len(calendar.free(500, 900)) == 4  # beyond the horizon
    assert answers(calendar) == before


def test_what_is_given_up_can_be_had_again(calendar):
    assert calendar.submit(40, 20, 4).start == 60
    calendar.cancel(calendar.to_come)
    assert calendar.submit(40, 20, 4).start == 40


def test_what_is_cancelled_as_it_starts_is_idle_from_now_on(calendar):
    """Processors of a booking that is cancelled at its start are idle from this instant on.

    The rule "latest-start" therefore chooses them first.
    """
    calendar.advance(40)
    calendar.cancel(calendar.to_come)
    since = {period.server: period.start for period in calendar.free(40, 41)}
    servers = calendar.to_come.servers
    assert [since[server] for server in servers] == [40, 40]
    assert max(start for server, start in since.items() if server not in servers) < 40
    assert calendar.submit(40, 5, 2).servers == servers


def why(call, *arguments):
    """Return why a call fails: the reason of a rejected request, or the message of an error."""
    try:
        answer = call(*arguments)
    except co.InputError as error:
        return str(error)
    assert isinstance(answer, Rejection)
    return answer.why


#: Wrong requests, and words of the reason for their rejection or of the error.
WRONG_REQUESTS = [
    ((20, 5, 5), "more servers than there are"),
    ((20, 0, 1), "no length"),
    ((20, -5, 1), "no length"),
    ((19, 5, 1), "a start before its submission"),
    ((20, 101, 1), "beyond the horizon"),
    ((116, 5, 1), "beyond the horizon"),
    ((22, 60, 4), "no room in all attempts"),
    ((20, 5, 4, 29), "past its latest start"),
    ((20, 5, 0), "servers = 0"),
    ((20, np.nan, 1), "length = nan"),
    ((20, 5, 1, np.array([1.0, 2.0])), "latest = [1.0, 2.0]"),
    ((20, 5, 1, inf, -1), "span_penalty = -1"),
]


@pytest.mark.parametrize(("request_", "words"), WRONG_REQUESTS)
def test_a_wrong_request_changes_no_answer(calendar, request_, words):
    before = answers(calendar)
    assert words in why(calendar.submit, *request_)
    assert answers(calendar) == before


def test_a_negative_length_is_not_a_short_one():
    calendar = Calendar([4], **(TERMS | {"min_length": 10}))
    assert why(calendar.submit, 0, -5, 1) == "no length"
    assert calendar.submit(0, 0, 4).end == 10


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda c: c.cancel(c.now_running),
            "started at 20 and the current time is 25; cancel a",
        ),
        (lambda c: c.cancel(Calendar(4).submit(25, 5, 1)), "is not a current booking of this"),
        (lambda c: c.cancel(3), "is not a current booking of this"),
        (lambda c: c.advance(24), "now = 24 comes before the current time 25; give"),
        (lambda c: c.advance(1e308), "the instant 1e+308 is more than 9,007,199,254,740,992 slots"),
        (
            lambda c: c.free(24, 30),
            "start = 24 and end = 30; give a start at or after the current time 25",
        ),
        (lambda c: c.free(30, 30), "start = 30 and end = 30"),
    ],
)
def test_a_wrong_call_changes_no_answer(calendar, call, words):
    calendar.advance(25)
    before = answers(calendar)
    assert words in why(call, calendar)
    assert answers(calendar) == before


def test_nothing_is_given_up_twice_or_after_its_end(calendar):
    calendar.cancel(calendar.to_come)
    before = answers(calendar)
    assert "is not a current booking of this calendar; give" in why(
        calendar.cancel, calendar.to_come
    )
    assert answers(calendar) == before
    calendar.advance(30)
    assert calendar.bookings == set()
    assert "is not a current booking of this calendar" in why(calendar.cancel, calendar.now_running)


#: A placement that supports only total requests.
WHOLE = type("Whole", (co.Placement,), {"requests": ("total",)})()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"rule": "first-found"}, "rule = 'first-found'; choose one of 'latest-start', 'best-fit'"),
        ({"placement": "any"}, "placement = 'any' is not of type Placement; give"),
        ({"placement": co.FirstFit([1])}, r"clusters = \[1\]; name each"),
        ({"placement": WHOLE}, "placement = .*Whole.* cannot place flexible requests"),
        ({"slot": 1e-300}, r"horizon / slot = 9.99\d*e\+301; give at most 9,007,199,254,740,992"),
        ({"horizon": 1e308}, r"horizon = 1e\+308; give at most 9,007,199,254,740,992"),
        ({"max_attempts": 10**20}, "max_attempts = 1000.*0; give at most 9,007,199,254,740,992"),
    ],
)
def test_a_calendar_that_makes_no_sense_is_refused(how, words):
    with pytest.raises(co.InputError, match=f"^{words}"):
        Calendar(4, **(TERMS | how))


@pytest.mark.parametrize("kind", ["lists", "trees"])
def test_an_interval_that_ends_before_it_starts_is_refused(kind):
    book = calendar_of(2, kind, **TERMS).idle
    (period, _) = book.feasible(0, 1)
    for start, end, message in ((5, 3, "^end = 3; give an instant of 5 or later"), (0, nan, "^end"),
                                (nan, 5, "^start = nan"), ("a", 5, "^start = 'a'"),
                                (0, "a", "^end = 'a'; give an instant of 0")):  # fmt: skip
        for search in (
            book.feasible, book.counts, partial(book.take, period), partial(book.give_back, 0)
        ):  # fmt: skip
            with pytest.raises(co.InputError, match=message):
                search(start, end)


@pytest.mark.parametrize("kind", ["lists", "trees"])
def test_a_book_takes_and_gives_only_what_is_there(kind):
    book = calendar_of(2, kind, **TERMS).idle
    (period, _) = book.feasible(5, 10)
    book.take(period, 5.0, 10.0)
    for again in ((5, 10), (9, 12)):
        with pytest.raises(co.InputError, match="is not an idle period that contains"):
            book.take(period, *map(float, again))
    for start, end in ((4, 6), (5, 11), (7, 7), (20, 30), (-5, 0)):
        with pytest.raises(co.InputError, match=f"processor {period.server} is not reserved from"):
            book.give_back(period.server, float(start), float(end))
    with pytest.raises(co.InputError, match=r"allocation = \[2\]; give .* at most \[1\]"):
        book.choose(6, 8, [2], "latest-start")
    for wrong in ([-1], [0.5], [1, 0], 1):
        with pytest.raises(co.InputError, match=r"^allocation = "):
            book.choose(6, 8, wrong, "latest-start")
    for server in (-1, 2, 0.5):
        with pytest.raises(
            co.InputError, match=f"^server = {server}; give the number of a processor, from 0 to 1"
        ):
            book.give_back(server, 4.0, 9.0)
    for now in (-1.0, np.nan, inf):
        with pytest.raises(co.InputError, match=r"^now = "):
            book.advance(now)
    book.give_back(period.server, 5.0, 7.0)
    assert book.periods(period.server) == [(period.server, 0, 7), (period.server, 10, inf)]


def test_a_placement_chooses_the_clusters_and_spanning_takes_longer():
    one = Calendar([3, 3], **TERMS, placement=co.SingleThenSpan())
    assert one.submit(0, 20, 2).allocation == (2, 0)
    assert one.submit(0, 20, 2).allocation == (0, 2)
    spanning = one.submit(0, 20, 2, span_penalty=0.5)
    assert (spanning.allocation, spanning.end) == ((1, 1), 30)
    assert spanning.servers == (2, 5)


@dataclass(frozen=True)
class Fixed(co.Placement):
    """A user-defined placement that gives every job the same answer."""

    answer: object
    requests: ClassVar[tuple[str, ...]] = ("flexible",)

    def place(self, components, request, idle):
        return self.answer


@pytest.mark.parametrize("answer", [[1, 0], [0, 0], [-1, 3], [2], [2, 0, 0], [1.5, 0.5], "20", 2])
def test_an_answer_that_is_no_placement_of_the_request_books_nothing(answer):
    calendar = Calendar([3, 3], **TERMS, placement=Fixed(answer))
    before = answers(calendar)
    with pytest.raises(
        co.InputError, match=r"^placement = .* placed a request for 2 processors as "
    ):
        calendar.submit(0, 5, 2)
    assert answers(calendar) == before
    full = Calendar([3, 1], **TERMS, placement=Fixed([0, 2]))
    with pytest.raises(co.InputError, match=r"as \[0, 2\] with \[3, 1\] idle processors in the"):
        full.submit(0, 5, 2)


@st.composite
def requests(draw, most=40):
    """Sample the sizes of clusters, the parameters of a calendar, and requests.

    A request is a tuple of the time since the request before, the time until its earliest start,
    its length, its number of processors, the time until its latest start, and whether it is
    cancelled.
    """
    row = st.tuples(
        st.sampled_from([0, 0, 1, 3, 11]),
        st.sampled_from([0, 0, 0.5, 4, 30]),
        st.integers(-1, 40),
        st.integers(1, 9),
        st.sampled_from([inf, inf, 0, 12]),
        st.sampled_from(["stay", "stay", "cancel", "cancel later"]),
    )
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    slot, step = (draw(st.sampled_from([1, 2.5, 7, 1 / 3])) for _ in range(2))
    terms = {"slot": slot, "step": step, "max_attempts": 7, "horizon": draw(st.integers(5, 70))}
    return sizes, terms, draw(st.lists(row, max_size=most))


def serve(calendar, rows):
    """Submit sampled requests to a calendar, and yield the answer to each."""
    later = []
    for leap, ahead, length, servers, patience, then in rows:
        calendar.advance(calendar.now + leap)
        if leap and later and later[-1].start >= calendar.now:
            calendar.cancel(later.pop())
        start = calendar.now + ahead
        answer = calendar.submit(start, length, servers, latest=start + patience)
        if isinstance(answer, Booking):
            if then == "cancel":
                calendar.cancel(answer)
            elif then == "cancel later":
                later.append(answer)
        yield answer


@settings(max_examples=100)
@given(requests(), st.sampled_from([("lists", "best-fit"), ("trees", "first-found")]))
def test_idle_periods_and_bookings_share_out_the_time_of_each_server(case, how):
    """Each later instant of each processor is in exactly one idle period or booking."""
    sizes, terms, rows = case
    sizes = [sum(sizes)] if how[0] == "trees" else sizes
    calendar = calendar_of(sizes, *how, **terms)
    for _ in serve(calendar, rows):
        for server in range(sum(sizes)):
            idle = [(start, end) for _, start, end in calendar.idle.periods(server)]
            busy = [(b.start, b.end) for b in calendar.bookings if server in b.servers]
            pieces = sorted(idle + busy)
            assert pieces[0][0] <= calendar.now
            assert pieces[-1][1] == inf
            assert all(one[1] == other[0] for one, other in pairwise(pieces))
            assert all(one[1] < other[0] for one, other in pairwise(sorted(idle)))


@pytest.mark.parametrize("how", [("lists", "latest-start"), ("trees", "first-found")])
def test_a_long_run_through_a_moving_horizon_forgets_what_is_past(how):
    """A calendar stores no more periods than its processors and current bookings need.

    The run lasts for more than 140 times the horizon.
    """
    rng = np.random.default_rng(7)
    calendar = calendar_of(8, *how, slot=5, step=1, horizon=20)
    served = 0
    for leap, length, servers in zip(
        rng.exponential(2, 1500), rng.uniform(0.5, 6, 1500), rng.integers(1, 6, 1500), strict=True
    ):
        calendar.advance(calendar.now + leap)
        served += isinstance(calendar.submit(calendar.now, length, int(servers)), Booking)
        live = sum(len(booking.servers) for booking in calendar.bookings)
        periods = sum(len(calendar.idle.periods(server)) for server in range(8))
        assert periods <= 8 + live
        assert len(calendar.bookings) <= 8 * 25 / 0.5
        kept = sum(map(len, calendar.idle._idle))
        assert kept <= 2 * (8 + 8 * 25 / 0.5)
        if how[0] == "trees":
            assert len(calendar.idle.trees) == 4
            assert max(map(len, calendar.idle.trees.values())) <= 8 * (2 + 5 / 0.5)
    assert calendar.now > 140 * 20
    assert 750 < served < 1500


@settings(max_examples=300)
@given(st.floats(1e-3, 1e3), st.integers(1, 5000))
def test_so_many_slots_are_so_many(slot, count):
    assert BookingRules(slot, horizon=count * slot).slots == count


def test_a_calendar_and_the_online_policy_have_the_same_slots_and_steps_of_15_minutes():
    terms, policy = Calendar([4]).terms, co.Online()
    assert (terms.slot, terms.step) == (policy.slot, policy.step) == (15 * 60, 15 * 60)
    assert terms.horizon == policy.horizon
