"""Mistakes at the desk of the reservation calendar."""

from tests.mutants.tool import Mutant

CALENDAR = "test_calendar_widget.py"

MUTANTS = (
    Mutant(
        "widgets/reservations/desk.py",
        "reserved.booking.start < end and",
        "reserved.booking.start <= end and",
        f"{CALENDAR}::test_no_server_has_two_at_once_and_the_windows_tell_the_counts",
    ),
    Mutant(
        "widgets/reservations/desk.py",
        "                self.calendar.cancel(reserved.booking)\n",
        "",
        f"{CALENDAR}::test_what_is_cancelled_is_free_again",
    ),
    Mutant(
        "widgets/reservations/desk.py",
        "if not begin < end <= self.until:",
        "if not begin < end:",
        f"{CALENDAR}::test_other_gestures_that_go_wrong_are_told_too",
    ),
    Mutant(
        "widgets/reservations/desk.py",
        "if begin >= self.until:",
        "if begin > self.until + 1:",
        f"{CALENDAR}::test_other_gestures_that_go_wrong_are_told_too",
    ),
    Mutant(
        "widgets/reservations/desk.py",
        "for number, request in before._kept.items():",
        "for number, request in [(one.number, one.asked) for one in before.mine]:",
        f"{CALENDAR}::test_what_others_crowded_out_is_booked_again_when_they_leave",
    ),
    Mutant(
        "widgets/reservations/desk.py",
        "                del self._kept[number]\n",
        "",
        f"{CALENDAR}::test_what_was_crowded_out_or_booked_stays_away_once_it_is_cancelled",
    ),
    Mutant(
        "widgets/reservations/others.py",
        "submit = np.minimum(_rounded(submit, grain), now)",
        "submit = _rounded(submit, grain) + grain",
        f"{CALENDAR}::test_the_share_and_the_look_ahead_move_starts_alone",
    ),
    Mutant(
        "widgets/reservations/widget.py",
        'desk.tried if kind in ("booked", "refused") else []',
        'desk.tried if kind == "booked" else []',
        f"{CALENDAR}::test_a_refusal_says_why_and_books_nothing",
    ),
)
