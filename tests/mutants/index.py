"""Mistakes in the index: the rows of idle periods, the searches in them, and the loop of requests.

All are in kernels, which run as Python here, some of them with blocks so small that they split.
"""

from tests.mutants.tool import Mutant

ROWS = "calendar/kernels/rows.py"
PERIODS = "calendar/kernels/periods.py"
LOOP = "engines/kernels/booking.py"
INDEX = "calendar/test_index.py"
PLAIN = f"{INDEX}::test_its_answers_are_those_of_the_plain_book"
SMALL = f"{INDEX}::test_blocks_of_four_give_the_same_answers"
SAME = "engines/test_agreement.py::test_same_bookings"
SHORTER = (
    "engines/test_agreement.py::"
    "test_a_job_that_need_not_span_in_the_longer_window_is_booked_for_the_shorter_time"
)
MOMENT = (
    "engines/test_agreement.py::"
    "test_what_runs_for_no_time_frees_its_servers_after_the_arrivals_of_its_instant"
)

#: File, what stands there, the mistake, the tests that should notice.
_MISTAKES = (
    (ROWS, "END, i] > now:", "END, i] >= 0:", f"{INDEX}::test_what_is_past_is_forgotten"),
    (ROWS, "    summarise(book, row, position + 1)\n", "", SMALL),
    (ROWS, "FIRST, middle] <= server", "FIRST, middle] < server - 1", SMALL),
    (
        ROWS,
        "longest = max(latest, end), max(longest, length_of(start, end))\n                new",
        "longest = latest, longest\n                new",
        PLAIN,
    ),
    (ROWS, "        spare[spare[0]] = block\n", "", SMALL),
    (
        PERIODS,
        "directory[row, BEGIN, position] < since",
        "directory[row, BEGIN, position] > 0",
        SMALL,
    ),
    (PERIODS, "            or blocks[one, START, i] > since\n", "", PLAIN),
    (PERIODS, 'kind="mergesort")[:ended]', 'kind="mergesort")[::-1][:ended]', PLAIN),
    (PERIODS, "        if start > now:\n", "        if False:\n", SAME),
    (
        PERIODS,
        "            if periods[END, k] > end:\n",
        "            if periods[END, k] == np.inf:\n",
        SAME,
    ),
    (PERIODS, "end if np.isnan(until) else until", "end", SAME),
    (LOOP, "attempt + 1, last)", "attempt + 2, last)", SAME),
    (
        LOOP,
        "return attempt + 1, BOOKED, begin + needed",
        "return attempt + 1, BOOKED, begin + length",
        SHORTER,
    ),
    (LOOP, "(lacking + clusters - 1) // clusters", "lacking", SAME),
    (LOOP, "else np.nextafter(begin, np.inf)", "else begin", MOMENT),
    (LOOP, "PAST_LATEST if last == in_time", "PAST_LATEST if last < in_time", SAME),
)

MUTANTS = tuple(Mutant(*mistake, interpreted=True) for mistake in _MISTAKES)
