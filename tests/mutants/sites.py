"""Mistakes in sites, their metrics, and how a machine is chosen."""

from tests.mutants.tool import Mutant

SITES = (
    Mutant(
        "chopping.py",
        "np.minimum(most[job], processors[job] - before * most[job])",
        "np.minimum(most[job], processors[job] - before)",
        "test_chopping.py::test_pieces_are_as_large_as_they_may_be",
    ),
    Mutant(
        "chopping.py",
        "return self._of_jobs(np.maximum, values)",
        "return np.asarray(values)[np.diff(self.job, append=-1) != 0]",
        "test_chopping.py::test_values_of_pieces_by_job",
    ),
    Mutant(
        "workloads/sites.py",
        'site[np.argsort(jobs.submit, kind="stable")] = np.arange',
        "site[:] = np.arange",
        "workloads/test_assignment.py::test_round_robin_goes_by_submission",
    ),
    Mutant(
        "workloads/sites.py",
        "load + work[job] / sizes[least]",
        "load + work[job]",
        "workloads/test_assignment.py::test_the_site_with_the_least_work_for_its_size_is_next",
    ),
    Mutant(
        "workloads/sites.py",
        "return jobs.chopped(system.as_array()[site])",
        "return jobs.chopped(min(system.sizes))",
        "workloads/test_assignment.py::test_the_three_modifications",
    ),
    Mutant(
        "workloads/extracts.py",
        "usable[first - 1 : last]",
        "usable[first:last]",
        "workloads/test_extracts.py::test_an_extract_counts_the_jobs_that_run_in_order_of_submission",
    ),
    Mutant(
        "workloads/extracts.py",
        "    late &= of_one >= 0\n",
        "",
        "workloads/test_extracts.py::test_flurries_by_definition",
    ),
    Mutant(
        "workloads/extracts.py",
        "(when[most:] - when[:-most] <= within)",
        "(when[most:] - when[:-most] < within)",
        "workloads/test_extracts.py::test_flurries_by_definition",
    ),
    Mutant(
        "sites.py",
        "            schedule.verify()\n",
        "",
        "test_sites.py::test_each_sites_own_rules_are_checked",
    ),
    Mutant(
        "sites.py",
        "            if wrong.any():\n",
        "            if False:\n",
        "test_sites.py::test_what_is_wrongly_joined_is_found",
    ),
    Mutant(
        "sites.py",
        "refused |= {int(mine[job]): refusal",
        "refused |= {job: refusal",
        "test_sites.py::test_refused_jobs_keep_their_positions",
    ),
    Mutant(
        "sites.py",
        "(site >= 0) & (jobs.processors > sizes)",
        "(site >= 0) & (jobs.processors > system.largest)",
        "test_sites.py::test_bad_input_is_named",
    ),
)

METRICS = (
    Mutant(
        "metrics.py",
        "start, end = chopped.first(start), chopped.last(end)",
        "start, end = chopped.last(start), chopped.last(end)",
        "test_metrics.py::test_pieces_and_whole_jobs_by_hand",
    ),
    Mutant(
        "metrics.py",
        "length, spans = chopped.last(length), chopped.last(spans) > 0",
        "length, spans = end - start, chopped.last(spans) > 0",
        "test_metrics.py::test_pieces_and_whole_jobs_by_hand",
    ),
    Mutant(
        "metrics.py",
        'served = jobs[jobs["end"].notna()]',
        "served = jobs",
        "test_metrics.py::test_refused_jobs_are_counted_and_left_out",
    ),
    Mutant(
        "metrics.py",
        "            if not members.any():\n",
        "            if False:\n",
        "test_metrics.py::test_bad_groups_are_named",
    ),
    Mutant(
        "metrics.py",
        "np.maximum(response / np.maximum(length, least), 1.0)",
        "np.maximum(response / (length + 1e-9), 1.0)",
        "test_metrics.py::test_all_jobs_have_the_schedules_own_means",
    ),
    Mutant(
        "metrics.py",
        "np.searchsorted(edges, jobs.processors)",
        'np.searchsorted(edges, jobs.processors, side="right") % len(edges)',
        "test_metrics.py::test_width_groups_by_hand",
    ),
)

MACHINES = (
    Mutant(
        "machines.py",
        "-Fraction(int(idle[c]), sizes[c])",
        "-idle[c] / sizes[c]",
        "test_machines.py::test_the_least_loaded_has_the_largest_share_idle",
    ),
    Mutant(
        "machines.py",
        "        if system != self.system:\n",
        "        if False:\n",
        "test_machines.py::test_least_loaded_is_for_one_system",
    ),
    Mutant(
        "machines.py",
        "pow(state + drawn[c], 5, PRIME)",
        "(state + drawn[c]) % PRIME",
        "test_machines.py::test_neighbouring_states_have_choices_that_know_nothing_of_each_other",
    ),
    Mutant(
        "engines/kernels/placing.py",
        "idle[c] * order[best] > idle[best] * order[c]",
        "idle[c] * order[best] >= idle[best] * order[c]",
        "test_machines.py::test_both_engines_choose_the_same",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "state = (state + number) % PRIME",
        "state = (state * number) % PRIME",
        "test_machines.py::test_both_engines_choose_the_same",
        interpreted=True,
    ),
)

STAYING = (
    Mutant(
        "verification.py",
        "bad |= home.any(axis=1) & (home != allocation).any(axis=1)",
        "pass",
        "test_sites.py::test_a_job_that_left_its_site_or_was_held_there_is_found",
    ),
    Mutant(
        "verification.py",
        "np.where(home.any(axis=1), (home <= idle).all(axis=1), free)",
        "np.where(home.any(axis=1), (home <= idle).all(axis=1), False)",
        "test_sites.py::test_a_job_that_left_its_site_or_was_held_there_is_found",
    ),
    Mutant(
        "machines.py",
        "in_place(home, idle) if any(home) else",
        "in_place(home, idle) if sum(home) > 1 else",
        "test_sites.py::test_jobs_that_stay_beside_jobs_that_may_leave",
    ),
    Mutant(
        "engines/kernels/placing.py",
        "room[i] = idle[i - 1]",
        "room[i] = idle.max()",
        "test_sites.py::test_a_job_waits_for_its_site_though_another_is_idle",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "room[0] = idle.sum() if request == FLEXIBLE + OR_STAYS else idle.max()",
        "room[0] = idle.max()",
        "test_sites.py::test_jobs_that_stay_beside_jobs_that_may_leave",
        interpreted=True,
    ),
    Mutant(
        "workloads/sites.py",
        "rng.random(len(numbers)) < mine",
        "rng.random(len(numbers)) > mine",
        "workloads/test_assignment.py::test_a_share_of_each_sites_jobs_stays",
    ),
)

JOINING = (
    Mutant(
        "joining.py",
        "begin = max(",
        "begin = min(",
        "test_joining.py::test_what_sites_gain_by_hand",
    ),
    Mutant(
        "joining.py",
        "submit=jobs.submit + log.epoch",
        "submit=jobs.submit",
        "test_joining.py::test_logs_count_from_their_own_beginnings",
    ),
    Mutant(
        "joining.py",
        "stream.submit.min() // WEEK * WEEK",
        "stream.submit.min()",
        "test_joining.py::test_logs_of_different_years_are_moved_by_whole_weeks_only_if_asked",
    ),
    Mutant(
        "joining.py",
        'np.concatenate([s.submit for s in ordered]), kind="stable"',
        "number",
        "test_joining.py::test_it_is_what_the_ways_to_run_give_of_each_sites_jobs",
    ),
    Mutant(
        "plots/maps.py",
        "> 0.5 + ROUNDING",
        "> 0.5",
        "test_plots_of_maps.py::test_timelines_have_a_strip_a_cluster_and_refuse_what_is_no_share",
    ),
)

MUTANTS = (*SITES, *METRICS, *MACHINES, *STAYING, *JOINING)
