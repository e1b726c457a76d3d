"""Mistakes in online scheduling: starts that jobs ask for, the calendar and its trees, the desk."""

from tests.mutants.tool import Mutant

BOOKING = "test_booking.py"
VERIFIED = "test_verified_bookings.py"
CALENDAR = "calendar/test_scheduler.py"
TREES = "calendar/test_slot_trees.py"
WISHES = "test_reservations.py"
NAIVE = f"{BOOKING}::test_each_job_gets_the_first_attempt_and_the_servers_of_a_brute_force_calendar"
REASONS = f"{BOOKING}::test_what_cannot_be_booked_is_refused_with_the_reason"
SAME = f"{TREES}::test_trees_give_the_answers_of_the_plain_book_whatever_is_done"
SHAPE = f"{TREES}::test_trees_stay_sorted_balanced_and_counted"
SHARED = f"{CALENDAR}::test_idle_periods_and_bookings_share_out_the_time_of_each_server"

#: File, what stands there, the mistake, the tests that should notice.
_MISTAKES = (
    (
        "reservations.py",
        "return submit + (wish - before)",
        "return wish",
        f"{WISHES}::test_a_wish_stays_as_far_ahead_where_submissions_move",
    ),
    (
        "reservations.py",
        "np.where(chosen < share, ahead * longest, 0.0)",
        "np.where(ahead < share, ahead * longest, 0.0)",
        f"{WISHES}::test_a_share_of_the_jobs_reserves_ahead",
    ),
    (
        "simulation.py",
        "if jobs.has_reservations and not scheduling.takes_reservations:",
        "if False:",
        f"{BOOKING}::test_no_other_policy_passes_a_wish_over_in_silence",
    ),
    (
        "engines/outcome.py",
        "[servers[row] for row in moved(np.arange(len(order)))]",
        "[*servers]",
        f"{BOOKING}::test_attempts_and_servers_keep_to_the_positions_of_the_stream",
    ),
    (
        "sites.py",
        "rows[job] = servers + first",
        "rows[job] = servers",
        f"{BOOKING}::test_each_site_may_book_by_itself",
    ),
    ("calendar/periods.py", "if number * slot > instant:", "if False:", TREES),
    (
        "calendar/periods.py",
        "return -period.start, period.server",
        "return period.start, period.server",
        NAIVE,
    ),
    (
        "calendar/periods.py",
        "return period.end - period.start, -period.start, period.server",
        "return period.end, -period.start, period.server",
        NAIVE,
    ),
    (
        "calendar/terms.py",
        "(slot_of(now, self.slot) + self.slots) * self.slot",
        "now + self.horizon",
        f"{BOOKING}::test_the_horizon_moves_on_by_whole_slots",
    ),
    (
        "calendar/search.py",
        "start = earliest + number * terms.step",
        "start = earliest + (number + 1) * terms.step",
        NAIVE,
    ),
    ("calendar/search.py", "if start > latest:", "if start >= latest:", REASONS),
    ("calendar/search.py", "if start + shortest > until:", "if start > until:", REASONS),
    (
        "calendar/search.py",
        "return Attempt(start, end, (), SPANS_BEYOND), None",
        "pass",
        f"{BOOKING}::test_a_job_whose_longer_booking_ends_beyond_the_horizon_is_tried_on",
    ),
    (
        "calendar/search.py",
        "if needed <= length:",
        "if True:",
        NAIVE,
    ),
    (
        "calendar/plain.py",
        "periods[position].end >= end:",
        "periods[position].end > end:",
        NAIVE,
    ),
    (
        "calendar/plain.py",
        "[piece for piece in pieces if piece.start < piece.end]",
        "pieces",
        SHARED,
    ),
    (
        "calendar/plain.py",
        "if p.end == start > self.now]",
        "if p.end == start and False]",
        SHARED,
    ),
    (
        "calendar/plain.py",
        "if p.end == start > self.now]",
        "if p.end == start]",
        f"{BOOKING}::test_what_is_past_is_not_idle_time_before_a_server_that_comes_free",
    ),
    (
        "calendar/plain.py",
        "while periods and periods[0].end <= self.now:",
        "while False:",
        f"{CALENDAR}::test_a_long_run_through_a_moving_horizon_forgets_what_is_past",
    ),
    ("calendar/trees.py", "if node.median > start:", "if node.median >= start:", SAME),
    ("calendar/trees.py", "if node.median < end:", "if node.median <= end:", SAME),
    ("calendar/trees.py", "node.secondary.insert(period)", "pass", SAME),
    ("calendar/trees.py", "> BALANCE * node.size:", "> node.size:", SHAPE),
    ("calendar/trees.py", "half = (len(periods) + 1) // 2", "half = len(periods) // 2", TREES),
    (
        "calendar/slot_trees.py",
        "for subtree in reversed(candidates):",
        "for subtree in candidates:",
        f"{TREES}::test_the_worked_example_is_searched_step_by_step_as_the_paper_tells",
    ),
    (
        "calendar/slot_trees.py",
        "if number >= enough:",
        "if number > enough:",
        f"{TREES}::test_a_search_ends_with_the_first_of_all_that_it_would_find "
        f"{TREES}::test_the_worked_example_is_searched_step_by_step_as_the_paper_tells",
    ),
    (
        "calendar/slot_trees.py",
        "slot_of(nextafter(end, -inf), self.slot)",
        "slot_of(end, self.slot)",
        SAME,
    ),
    (
        "calendar/slot_trees.py",
        "range(max(first, last + 1), first + self.slots)",
        "range(first, first + self.slots)",
        f"{TREES}::test_the_operations_of_updates_and_of_new_slots_are_counted",
    ),
    ("calendar/slot_trees.py", "self.trees[number].remove(period)", "pass", SAME),
    (
        "calendar/scheduler.py",
        "self.book.give_back(server, at, booking.end)",
        "self.book.give_back(server, booking.start, booking.end)",
        f"{CALENDAR}::test_what_ends_early_can_be_had_at_once",
    ),
    (
        "calendar/scheduler.py",
        "self.bookings.remove(booking)",
        "pass",
        f"{CALENDAR}::test_nothing_is_given_up_twice_or_after_its_end",
    ),
    (
        "calendar/scheduler.py",
        "self.bookings.discard(heapq.heappop(self._ends)[2])",
        "heapq.heappop(self._ends)",
        f"{CALENDAR}::test_a_long_run_through_a_moving_horizon_forgets_what_is_past",
    ),
    ("scheduling/booking.py", "self._release(state)", "pass", NAIVE),
    (
        "scheduling/booking.py",
        "earliest = max(job.submit, job.earliest_start)",
        "earliest = job.submit",
        f"{BOOKING}::test_an_advance_reservation_is_tried_from_its_earliest_start",
    ),
    (
        "scheduling/booking.py",
        "case = (self.policy, earliest, job.latest_start, until)",
        'case = (self.policy, earliest, float("inf"), until)',
        REASONS,
    ),
    (
        "bookings.py",
        "served & (schedule.start != start),",
        "served & (schedule.start < start),",
        f"{VERIFIED}::test_a_start_that_is_no_attempt_is_noticed",
    ),
    (
        "bookings.py",
        "served & (end > until),",
        "served & (schedule.start > until),",
        f"{VERIFIED}::test_a_start_after_the_latest_or_an_end_beyond_the_horizon_is_noticed",
    ),
    (
        "bookings.py",
        "bad[job[1:][(np.diff(servers.ids) <= 0) & (np.diff(job) == 0)]] = True",
        "pass",
        f"{VERIFIED}::test_servers_that_are_not_those_of_the_allocation_are_noticed",
    ),
    (
        "bookings.py",
        "untimely[k] or why != reasons[code[k]]",
        "why not in reasons",
        f"{VERIFIED}::test_another_reason_is_noticed",
    ),
    (
        "rebooking.py",
        "number != (tried - 1 if served else tried)",
        "served and number != tried - 1",
        f"{VERIFIED}::test_a_job_that_was_refused_though_there_was_room_is_noticed",
    ),
    (
        "rebooking.py",
        "enough = since + length <= until",
        "enough = since < until",
        f"{VERIFIED}::test_what_both_engines_book_is_right",
    ),
    (
        "rebooking.py",
        "idle[START, behind] = since",
        "pass",
        f"{VERIFIED}::test_what_both_engines_book_is_right",
    ),
    (
        "calendar/scheduler.py",
        "if taken is None or any(map(gt, taken, idle)):",
        "if taken is None:",
        f"{CALENDAR}::test_an_answer_that_is_no_placement_of_the_request_books_nothing",
    ),
    (
        "calendar/terms.py",
        "return slots - 1 if (slots - 1) * self.slot >= self.horizon else slots",
        "return slots",
        f"{CALENDAR}::test_the_horizon_has_the_least_slots_that_reach_it",
    ),
    (
        "bookings.py",
        "while len(one):",
        "while len(one) and ahead < 1:",
        f"{VERIFIED}::test_a_booking_within_the_freed_time_of_another_hides_no_third",
    ),
    (
        "bookings.py",
        "schedule.end[first] <= schedule.jobs.submit[second]",
        "schedule.end[first] <= schedule.start[second]",
        VERIFIED,
    ),
)

MUTANTS = tuple(Mutant(*mistake) for mistake in _MISTAKES)
