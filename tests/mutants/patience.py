"""Mistakes in waiting for one cluster, and in what the player shows of promises."""

from tests.mutants.tool import Mutant

PATIENT = "scheduling/patience.py"
FILM = "widgets/player/film.py"
INSTANT = "test_patience.py::test_a_job_spans_at_the_instant_at_which_its_patience_ends"
SHARED = "studies/test_patience.py"

MUTANTS = (
    Mutant(PATIENT, "state.now >= job.submit", "state.now > job.submit", INSTANT),
    Mutant(PATIENT, "            state.wake(soonest)\n", "            pass\n", INSTANT),
    Mutant(
        PATIENT,
        "alone is not None and not spans(alone)",
        "True",
        "test_patience.py::test_a_job_that_no_cluster_holds_has_nothing_to_wait_for",
    ),
    Mutant(
        PATIENT,
        "return None if patient and answer is not None and spans(answer) else answer",
        "return answer",
        "test_patience.py::test_a_patient_job_waits_until_the_placement_itself_has_it_on_one_cluster",
    ),
    Mutant(
        "studies/job_sharing/runs.py",
        "if value and self.mode != MULTI_SITE:",
        "if False:",
        f"{SHARED}::test_what_no_job_would_notice_is_refused",
    ),
    Mutant(
        "studies/job_sharing/runs.py",
        "return Patient(policy, self.patience) if self.patience else policy",
        "return policy",
        f"{SHARED}::test_patience_reaches_from_spanning_at_once_to_job_sharing",
    ),
    Mutant(
        "studies/job_sharing/earlier.py",
        "Saturated(unordered.with_(scheduling=EASY()), HELD)",
        "Saturated(unordered.with_(scheduling=EASY()), 1)",
        "studies/test_earlier.py::test_the_first_studys_losses_are_those_of_its_figure_5_and_easy_beside",
    ),
    Mutant(
        FILM,
        "(place[head] < place[jobs])",
        "(place[head] != place[jobs])",
        "test_player.py::test_those_that_pass_start_while_one_before_them_waits",
    ),
    Mutant(
        FILM,
        "schedule.placement.keeps_whole\n",
        "True\n",
        "test_player.py::test_spanning_is_pointed_at_where_it_is_a_choice",
    ),
)
