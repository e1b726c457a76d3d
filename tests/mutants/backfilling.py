"""Mistakes in EASY and conservative backfilling."""

from tests.mutants.tool import Mutant

BY_HAND = "test_backfilling.py"
TEXTBOOK = f"{BY_HAND}::test_on_one_cluster_both_are_the_textbooks"
RANDOM = f"{BY_HAND}::test_both_engines_agree_on_random_multiclusters"
HOLDS = f"{BY_HAND}::test_a_job_of_no_time_holds_its_instant"
FIRST = f"{BY_HAND}::test_jobs_of_no_time_go_first_at_their_instant"
WHOLE = f"{BY_HAND}::test_a_job_stays_whole_where_it_would_span_on_what_is_idle_at_its_start"
VERIFIED = "test_verified_promises.py"

#: File, what stands there, the mistake, the tests that should notice.
_READABLE = (
    (
        "scheduling/backfilling.py",
        "state.expected_end(job, allocation) > promised:",
        "state.expected_end(job, allocation) >= promised:",
        f"{BY_HAND}::test_a_job_may_end_at_the_very_instant_of_the_promise",
    ),
    (
        "scheduling/backfilling.py",
        "then_idle = left",
        "pass",
        f"{BY_HAND}::test_backfilled_jobs_do_not_delay_the_head",
    ),
    (
        "scheduling/backfilling.py",
        "if new is not None and new.start < old.start else old",
        "if new is not None and new.start <= old.start else old",
        RANDOM,
    ),
    (
        "scheduling/backfilling.py",
        "            self._compress(state)",
        "            pass",
        f"{BY_HAND}::test_an_early_end_moves_reservations_forward_in_order_of_submission",
    ),
    (
        "scheduling/backfilling.py",
        "due.sort(key=lambda job: self.waiting[job].end > state.now)",
        "pass",
        FIRST,
    ),
    (
        "profile.py",
        "if start < instant < end:",
        "if False:",
        HOLDS,
    ),
    (
        "profile.py",
        "(*self.instants, *moments)",
        "self.instants",
        "test_profile.py::test_a_reservation_may_start_once_a_job_of_no_time_has_left",
    ),
    (
        "profile.py",
        "self.moments = [moment for moment in self.moments if moment[0] > now]",
        "self.moments = []",
        HOLDS,
    ),
    (
        "verification.py",
        "stays = end[job] > until[row] if included else end[job] >= until[row]",
        "stays = end[job] >= until[row]",
        f"{VERIFIED}::test_the_right_schedules_are_as_the_tests_below_take_them",
    ),
    (
        "verification.py",
        "EASY: (_instant, _head, _promise_to_head,",
        "EASY: (_instant, _head,",
        f"{VERIFIED}::test_a_backfilled_job_that_delays_the_head_is_noticed",
    ),
    (
        "verification.py",
        "(promised > instants) & exactly & ",
        "(promised > instants) & False & ",
        f"{VERIFIED}::test_another_promise_is_noticed",
    ),
    ("profile.py", "length = job.expected_length(())", "length = 0.0", WHOLE),
    (
        "verification.py",
        "schedule.start > promised,",
        "schedule.start > promised + 1,",
        f"{VERIFIED}::test_a_job_that_starts_after_its_promise_is_noticed",
    ),
)
_KERNELS = (
    ("backfilling", "if job != head and until[job] > shadow:", "if False:", TEXTBOOK),
    ("backfilling", "known = known and not departed", "known = known", TEXTBOOK),
    ("backfilling", "if not (passed and policy.has_choice):", "if True:", RANDOM),
    ("backfilling", "min(beside[i], left)", "min(beside[i], left - 1)", TEXTBOOK),
    ("backfilling", "reach = max(reach, until[gone])", "reach = max(reach, now)", TEXTBOOK),
    ("backfilling", "(until[job] > now) == (takes_time > 0)", "takes_time == 0", FIRST),
    ("backfilling", "if policy.is_fixed else np.inf", "", RANDOM),
    ("passing", "now + least <= shadow", "now + least < shadow", TEXTBOOK),
    ("passing", "or fits(key, beside))", ")", TEXTBOOK),
    ("events", "while i > 0 and plan[i - 1] > end:", "while False:", TEXTBOOK),
    ("events", "while whose[i] != number:", "while False:", TEXTBOOK),
    ("future", "if steps.whole[step] < wanted:", "if steps.whole[step] <= wanted:", TEXTBOOK),
    ("future", "and steps.begin[step] < since:", "and True:", TEXTBOOK),
    ("future", "if needed <= length:", "if True:", RANDOM),
    ("future", "length = expected.alone[job]", "length = 0.0", WHOLE),
    ("future", "stop <= until[own]", "True", RANDOM),
    ("future", "start < instant < end and holder != own", "False", HOLDS),
    ("future", "if begin[step] == instant:", "if False:", TEXTBOOK),
)

MUTANTS = (
    *(Mutant(*mistake) for mistake in _READABLE),
    *(
        Mutant(f"engines/kernels/{module}.py", old, new, tests, interpreted=True)
        for module, old, new, tests in _KERNELS
    ),
)
