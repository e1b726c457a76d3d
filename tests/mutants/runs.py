"""Mistakes in what one run is of, what it gives, and in the check of that."""

from tests.mutants.tool import Mutant

CURVES = "test_curves.py"

SCENARIO = (
    Mutant(
        "scenario.py",
        "* self.system.processors / self",
        "* self.system.largest / self",
        "workloads/test_models.py::test_rate_offers_the_load",
    ),
    Mutant(
        "scenario.py",
        '{"name": ""} | changes',
        "changes",
        "test_scenario.py::test_a_change_takes_the_name_away_or_gives_another",
    ),
    Mutant(
        "scenario.py",
        "            engine=self.engine,\n",
        "",
        f"{CURVES}::test_policies_of_ones_own_run_in_the_readable_engine",
    ),
)

SCHEDULE = (
    Mutant(
        "verification.py",
        "(schedule.end != schedule.start + length)",
        "~np.isclose(schedule.end, schedule.start + length, rtol=0, atol=1e-6)",
        "test_verification.py::test_run_times_are_kept_to_the_last_bit",
    ),
    Mutant(
        "verification.py",
        "1 + len(heads) // rows):",
        "1 + len(heads) // rows)[:1]:",
        "test_verification.py::test_the_head_is_looked_at_in_every_chunk",
    ),
    Mutant(
        "verification.py",
        "return total <= (",
        "return total < (",
        "test_verification.py::test_a_head_that_fills_all_that_is_idle_is_noticed",
    ),
    Mutant(
        "verification.py",
        "return (wanted <= free).all(axis=1)",
        "return (wanted < free).all(axis=1)",
        "test_verification.py::test_a_head_that_fills_all_that_is_idle_is_noticed",
    ),
    Mutant(
        "verification.py",
        "split &= (allocation > 0).sum(axis=1) != 1",
        "split &= (allocation < 0).any(axis=1)",
        "test_verification.py::test_a_job_that_may_stay_whole_is_whole_or_in_its_components",
    ),
    Mutant(
        "verification.py",
        'idle) | fits("total", components, idle)',
        "idle)",
        "test_verification.py::test_a_head_that_fits_in_either_way_is_noticed",
    ),
    Mutant(
        "simulation.py",
        "~fits_by(placement, jobs",
        "~fits_by(None, jobs",
        "test_placement.py::test_a_job_that_fits_in_neither_way_can_never_start",
    ),
    Mutant(
        "curves.py",
        "if may_stay_whole(scenario.placement, model.request):",
        "if False:",
        "test_curves.py::test_jobs_that_may_stay_whole_have_no_formula",
    ),
    Mutant(
        "verification.py",
        "if (busy > size).any():",
        "if (busy > size + 1).any():",
        "test_verification.py::test_a_job_moved_anywhere_is_caught_where_it_breaks_a_rule",
    ),
    Mutant(
        "verification.py",
        "        count > limit,\n",
        "        count > limit + 1,\n",
        "test_verification.py::test_fpfs_overtakes_no_job_too_often",
    ),
    Mutant(
        "verification.py",
        "    FPFS: (_instant, _no_overtaking, _head),",
        "    FPFS: (_no_overtaking, _head),",
        "test_verification.py::test_a_job_that_waited_starts_where_something_happened",
    ),
    Mutant(
        "verification.py",
        "if not refusal.instant >= schedule.jobs.submit[job]:",
        "if not refusal.instant >= 0:",
        "engines/test_state.py::test_verify_looks_at_refused_jobs",
    ),
    Mutant(
        "verification.py",
        "bad |= (allocation > 0).sum(axis=1) != 1",
        "bad |= (allocation > 0).sum(axis=1) < 1",
        "test_verification.py::test_a_total_request_stays_on_one_cluster",
    ),
    Mutant(
        "simulation.py",
        "components.max() <= min(clusters)",
        "components.max() <= max(clusters)",
        "test_simulation.py::test_a_job_that_can_never_start_is_named",
    ),
    Mutant(
        "simulation.py",
        "(np.diff(jobs.submit) < 0).any()",
        "np.diff(jobs.submit).sum() < 0",
        "test_simulation.py::test_unsorted_submissions_give_the_same_schedule_in_their_order",
    ),
    Mutant(
        "simulation.py",
        "jobs = jobs.replace(submit=outcome.entered)",
        "pass",
        "test_simulation.py::test_a_backlog_ignores_submissions_and_keeps_the_queue_full",
    ),
    Mutant(
        "simulation.py",
        "        if placement is not None:\n            raise InputError(",
        "        if placement is None:\n            return None\n        if False:\n"
        "            raise InputError(",
        "test_placement.py::test_a_placement_for_ordered_requests_is_refused",
    ),
    Mutant(
        "schedule.py",
        "np.maximum(self.response / length, 1.0)",
        "self.response / length",
        "test_schedule.py::test_slowdown",
    ),
    Mutant(
        "schedule.py",
        "self.end[self.served].max() - self.jobs.submit.min()",
        "self.end[self.served].max()",
        "test_schedule.py::test_the_makespan_begins_with_the_first_submission",
    ),
    Mutant(
        "schedule.py",
        "self.jobs.work if weights",
        "self.jobs.processors * (self.end - self.start) if weights",
        "test_schedule.py::test_response_weighted_by_work",
    ),
    Mutant(
        "schedule.py",
        'np.searchsorted(np.sort(left), instants, side="right")',
        'np.searchsorted(np.sort(left), instants, side="left")',
        "test_schedule.py::test_queue_length",
    ),
    Mutant(
        "schedule.py",
        "left[job] = refusal.instant",
        "left[job] = np.inf",
        "engines/test_state.py::test_a_refused_job_leaves_the_queue_unserved",
    ),
    Mutant(
        "schedule.py",
        "finish = self.jobs.submit.max() if",
        "finish = self.end.max() if",
        "test_schedule.py::test_utilization",
    ),
    Mutant(
        "schedule.py",
        '"job": self.jobs.number,',
        '"job": np.arange(len(self)),',
        "test_schedule.py::test_to_frame",
    ),
)

MUTANTS = (*SCENARIO, *SCHEDULE)
