"""Mistakes in the study of online and batch scheduling."""

from tests.mutants.tool import Mutant

STUDY = "studies/test_online_batch.py"
CLAIMS = "studies/test_online_batch_claims.py"
FOLDER = "studies/online_batch/"

MUTANTS = (
    Mutant(
        f"{FOLDER}summary.py",
        "one * (wait > h)",
        "one * (wait >= 0)",
        f"{STUDY}::test_sums_by_hand",
    ),
    Mutant(
        f"{FOLDER}summary.py",
        'np.searchsorted(ends, values, side="left") - 1',
        'np.searchsorted(ends, values, side="right") - 1',
        f"{STUDY}::test_sums_by_hand",
    ),
    Mutant(
        f"{FOLDER}summary.py",
        "jobs.work[~schedule.served]",
        "jobs.work[schedule.served]",
        f"{STUDY}::test_refused_work_and_told_waits_by_hand",
    ),
    Mutant(
        f"{FOLDER}centre.py",
        "_mean(queued[ran])",
        "_mean(queued)",
        f"{STUDY}::test_a_centre_sees_what_schedules_say",
    ),
    Mutant(
        f"{FOLDER}claims.py",
        "verdict = _longest_verdict(printed, value) if real else None",
        "verdict = _longest_verdict(printed, value)",
        f"{CLAIMS}::test_ob4_is_not_asked_of_logs_that_are_not_there",
    ),
    Mutant(
        f"{FOLDER}traces.py",
        "np.where(waits < 0, np.nan, waits)",
        "np.where(waits < 0, 0.0, waits)",
        f"{STUDY}::test_a_log_keeps_its_waits_and_a_stand_in_has_none",
    ),
    Mutant(
        f"{FOLDER}runs.py",
        "spawn(seed, self.draw + 1)[self.draw]",
        "spawn(seed, self.draw + 1)[0]",
        f"{STUDY}::test_reservations_are_those_of_the_stream",
    ),
    Mutant(
        f"{FOLDER}trees.py",
        "start = request.start + k * step",
        "start = request.submit + k * step",
        f"{STUDY}::test_the_trees_book_what_the_scheduler_books",
    ),
    Mutant(
        f"{FOLDER}claims.py",
        'one, other = pair if name == "small" else pair[::-1]',
        "one, other = pair",
        f"{CLAIMS}::test_ob3_needs_ten_times_and_longer_in_the_middle",
    ),
    Mutant(
        f"{FOLDER}claims.py",
        "bool(value > online)",
        "bool(value >= 0)",
        f"{CLAIMS}::test_ob4_needs_the_printed_waits",
    ),
    Mutant(
        f"{FOLDER}claims_ahead.py",
        "zip(cycle(one), two, strict=False)",
        "zip(two, cycle(one), strict=False)",
        f"{CLAIMS}::test_ob9_needs_waits_that_grow_at_each_step",
    ),
)
