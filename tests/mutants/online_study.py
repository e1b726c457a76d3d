"""Mistakes in the study of online and batch scheduling."""

from tests.mutants.tool import Mutant

STUDY = "studies/test_online_batch.py"
CLAIMS = "studies/test_online_claims.py"
FORCED = f"{CLAIMS}::test_each_verdict_comes_from_results_that_force_it"
FOLDER = "studies/online_batch/"

MUTANTS = (
    Mutant(
        f"{FOLDER}runs.py",
        "one * (wait > h)",
        "one * (wait >= 0)",
        f"{STUDY}::test_sums_by_hand",
    ),
    Mutant(
        f"{FOLDER}runs.py",
        'np.searchsorted(ends, of, side="left") - 1',
        'np.searchsorted(ends, of, side="right") - 1',
        f"{STUDY}::test_sums_by_hand",
    ),
    Mutant(
        f"{FOLDER}runs.py",
        "jobs.work[~served]",
        "jobs.work[served]",
        f"{STUDY}::test_refused_work_and_told_waits_by_hand",
    ),
    Mutant(
        f"{FOLDER}runs.py",
        "_mean(queued[ran])",
        "_mean(queued)",
        f"{STUDY}::test_a_centre_sees_what_schedules_say",
    ),
    Mutant(
        f"{FOLDER}claims.py",
        "None if case.log.is_stand_in else longer\n        elif",
        "longer\n        elif",
        FORCED,
    ),
    Mutant(
        f"{FOLDER}runs.py",
        "np.where((waits < 0) | log.is_stand_in, np.nan, waits)",
        "np.where(log.is_stand_in, np.nan, waits)",
        f"{STUDY}::test_a_log_keeps_its_waits_and_a_stand_in_has_none",
    ),
    Mutant(
        f"{FOLDER}runs.py",
        "spawn(seed, self.draw + 1)[self.draw]",
        "spawn(seed, self.draw + 1)[0]",
        f"{STUDY}::test_reservations_are_those_of_the_stream",
    ),
    Mutant(
        f"{FOLDER}runs.py",
        "earliest + k * step",
        "submit + k * step",
        f"{STUDY}::test_the_trees_book_what_the_scheduler_books",
    ),
    Mutant(
        f"{FOLDER}claims.py",
        "middle = batch and online.over(batch,",
        "middle = batch and batch.over(online,",
        FORCED,
    ),
    Mutant(
        f"{FOLDER}claims.py",
        "longer = bool(longest > results[",
        "longer = bool(longest > 0 * results[",
        FORCED,
    ),
    Mutant(
        f"{FOLDER}claims.py",
        "zip(cycle(one), two, strict=False)",
        "zip(two, cycle(one), strict=False)",
        FORCED,
    ),
    Mutant(
        f"{FOLDER}claims.py",
        "stand_in=case.log.name * case.log.is_stand_in",
        'stand_in=""',
        f"{CLAIMS}::test_printed_numbers_stand_beside_what_came_out",
    ),
)
