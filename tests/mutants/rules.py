"""Mistakes in the rules, the engines and what one run gives."""

from tests.mutants.tool import Mutant

AGREEMENT = "engines/test_agreement.py::test_same_schedule"
WHOLE = f"{AGREEMENT}_of_jobs_that_may_stay_whole"
KERNELS = "engines/test_kernels.py"

SCHEDULING = (
    Mutant(
        "scheduling/in_turn.py",
        "head.overtaken >= self.max_jumps",
        "head.overtaken > self.max_jumps",
        "test_scheduling.py::test_the_head_is_overtaken_so_often_and_no_more",
    ),
    Mutant(
        "scheduling/base.py",
        "expected = max(self.estimate, self.runtime)",
        "expected = self.estimate",
        "engines/test_state.py::test_easy_starts_no_job_later_than_it_promised",
    ),
    Mutant(
        "scheduling/base.py",
        "sum(map(bool, allocation)) > 1",
        "sum(map(bool, allocation)) > 2",
        "test_simulation.py::test_unsorted_submissions_give_the_same_schedule_in_their_order",
    ),
    Mutant(
        "profile.py",
        "return self.idle[bisect_right(self.instants, instant) - 1]",
        "return self.idle[max(bisect_left(self.instants, instant) - 1, 0)]",
        "test_profile.py::test_a_profile_tells_what_is_idle_at_every_instant",
    ),
    Mutant(
        "profile.py",
        "bisect_left(self.instants, end))\n        return",
        "bisect_right(self.instants, end))\n        return",
        "test_profile.py::test_a_profile_tells_what_is_idle_at_every_instant",
    ),
    Mutant(
        "profile.py",
        "if needed <= length:",
        "if needed <= length or length:",
        "test_profile.py::test_a_job_that_comes_to_span_in_its_window_is_looked_at_in_a_longer_one",
    ),
    Mutant(
        "profile.py",
        "if any(took > idle for took, idle in zip(allocation, free, strict=True)):",
        "if any(took >= idle for took, idle in zip(allocation, free, strict=True)):",
        "test_profile.py::test_a_profile_tells_what_is_idle_at_every_instant",
    ),
)

PLACEMENT = (
    Mutant(
        "placement.py",
        "filter(None, components), reverse=True)",
        "filter(None, components))",
        "test_placement.py::test_worst_fit_depends_on_the_order_of_arrival",
    ),
    Mutant(
        "placement.py",
        "if taken[cluster] == 0 and size <= idle[cluster]:",
        "if size <= idle[cluster]:",
        "test_placement.py::test_worst_fit_depends_on_the_order_of_arrival",
    ),
    Mutant(
        "placement.py",
        "sorted(range(len(idle)), key=lambda c: -idle[c])",
        "sorted(range(len(idle)), key=lambda c: (-idle[c], -c))",
        "test_placement.py::test_worst_fit_depends_on_the_order_of_arrival",
    ),
    Mutant(
        "placement.py",
        "sorted(range(len(idle)), key=lambda c: idle[c])",
        "sorted(range(len(idle)), key=lambda c: (idle[c], -c))",
        "test_placement.py::test_ties_go_to_the_lowest_number",
    ),
    Mutant(
        "placement.py",
        "len(order) != len(idle) or {*order} != {*range(len(idle))}:",
        "len(order) != len(idle):",
        "test_placement.py::test_an_order_that_is_none_is_the_placements_fault",
    ),
    Mutant(
        "placement.py",
        "len(order) != len(idle) or {*order} != {*range(len(idle))}:",
        "not {*order} <= {*range(len(idle))}:",
        "test_placement.py::test_an_order_that_is_none_is_the_placements_fault",
    ),
    Mutant(
        "placement.py",
        'if alone is not None or request == "total":',
        'if request == "total":',
        "test_placement.py::test_single_then_span_takes_one_cluster_where_one_can_hold_the_job",
    ),
    Mutant(
        "placement.py",
        "return WorstFit().place(components, request, idle)",
        "return self.single.place(components, request, idle)",
        "test_placement.py::test_flexible_requests_take_all_they_can_in_the_order_of_the_placement",
    ),
    Mutant(
        "placement.py",
        "return WorstFit().place(components, request, idle)",
        'return WorstFit().place(components, "flexible", idle)',
        "test_placement.py::test_a_job_is_split_only_where_no_cluster_can_hold_it_whole",
    ),
    Mutant(
        "placement.py",
        "all(map(operator.le, wanted, idle))",
        "all(map(operator.lt, wanted, idle))",
        "test_placement.py::test_ordered_requests_do_not_ask_the_placement",
    ),
    Mutant(
        "placement.py",
        "if total <= sum(idle) else None",
        "if total < sum(idle) else None",
        "test_placement.py::test_flexible_requests_take_all_they_can_in_the_order_of_the_placement",
    ),
    Mutant(
        "placement.py",
        "runtime * (1 + span_penalty * spans)",
        "runtime + span_penalty * spans",
        "test_simulation.py::test_the_span_penalty_is_paid_by_jobs_that_span_and_no_others",
    ),
)

STATE = (
    Mutant(
        "engines/state.py",
        "self._queue[: self._leave(job)]",
        "self._queue[: self._leave(job) + 1]",
        "test_scheduling.py::test_fpfs_starts_several_in_one_scan_in_order",
    ),
    Mutant(
        "engines/state.py",
        "self.promised.setdefault(job.number, start)",
        "self.promised[job.number] = start",
        "engines/test_state.py::test_the_first_promise_counts",
    ),
    Mutant(
        "engines/state.py",
        "if not self.now <= start < inf:",
        "if not start < inf:",
        "engines/test_faults.py::test_a_policy_that_breaks_a_rule_is_named",
    ),
    Mutant(
        "engines/state.py",
        "if not self.now < later < inf:",
        "if not self.now < later:",
        "engines/test_state.py::test_no_policy_is_called_at_infinity",
    ),
    Mutant(
        "engines/state.py",
        "Refusal(self.now, str(why))",
        "Refusal(job.submit, str(why))",
        "engines/test_state.py::test_a_job_may_be_refused_long_after_it_came",
    ),
    Mutant(
        "engines/state.py",
        "        or min(taken) < 0\n",
        "",
        "engines/test_faults.py::test_no_processors_are_given_below_zero",
    ),
    Mutant(
        "engines/state.py",
        "any(map(gt, taken, self._idle))",
        "not all(map(gt, self._idle, taken))",
        "engines/test_state.py::test_a_policy_by_the_book_runs_as_the_librarys_own",
    ),
    Mutant(
        "engines/reference.py",
        "DEPARTURE, ARRIVAL, SCHEDULER = 1, 2, 3",
        "DEPARTURE, ARRIVAL, SCHEDULER = 1, 3, 2",
        "test_scheduling.py::test_a_policy_sees_all_that_arrive_at_its_instant",
    ),
    Mutant(
        "engines/reference.py",
        "(instant, rank, next(environment._eid), self)",
        "(environment.now + (instant - environment.now), rank, next(environment._eid), self)",
        "engines/test_state.py::test_an_instant_is_met_where_adding_up_misses_it",
    ),
    Mutant(
        "engines/reference.py",
        "while waiting != len(queue):",
        "if waiting != len(queue):",
        "engines/test_state.py::test_a_held_queue_goes_on_past_refused_jobs",
    ),
    Mutant(
        "engines/reference.py",
        "range((self.backlog or 0) - waiting)",
        "range((self.backlog or 0) - waiting - 1)",
        "test_simulation.py::test_a_backlog_ignores_submissions_and_keeps_the_queue_full",
    ),
    Mutant(
        "engines/outcome.py",
        "{int(order[job]): refusal for",
        "{int(job): refusal for",
        "engines/test_state.py::test_refused_jobs_are_named_by_their_position_in_the_stream",
    ),
)

COMPILED = (
    Mutant(
        "engines/compiled.py",
        "single, choice = _CHOICES[type(choice)], WorstFit()",
        "single, choice = placing.NONE, WorstFit()",
        AGREEMENT,
    ),
    Mutant(
        "engines/compiled.py",
        "if searched or whole else parts",
        "if searched else parts",
        WHOLE,
        interpreted=True,
    ),
    Mutant(
        "engines/compiled.py",
        'first_fit = getattr(placement, "single", placement)',
        "first_fit = placement",
        AGREEMENT,
    ),
    Mutant(
        "engines/compiled.py",
        "if started < n:",
        "if started < n - 2:",
        f"{KERNELS}::test_a_job_that_never_fits_ends_the_run_on_both_engines",
    ),
    Mutant(
        "engines/compiled.py",
        "return type(scheduling) in _TRANSLATIONS and",
        "return isinstance(scheduling, tuple(_TRANSLATIONS)) and",
        "test_scheduling.py::test_a_class_derived_from_a_known_policy_is_not_taken_for_it",
    ),
    Mutant(
        "engines/kernels/events.py",
        "if child + 1 < last and ends[child + 1] < ends[child]:",
        "if child + 1 < last and ends[child + 1] > ends[child]:",
        f"{KERNELS}::test_the_heap_gives_the_earliest_end_each_time",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/in_turn.py",
        "while head < arrived and not waiting[head]:",
        "if head < arrived and not waiting[head]:",
        AGREEMENT,
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/in_turn.py",
        "if started - head < policy.max_jumps:",
        "if started - head <= policy.max_jumps:",
        f"{KERNELS}::test_the_example_of_a_run",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/in_turn.py",
        "job = head if departed else fresh",
        "job = fresh",
        f"{KERNELS}::test_the_example_of_a_run",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/in_turn.py",
        "(spanning[job] if clusters > 1 else runtime[job])",
        "(spanning[job] if clusters > 2 else runtime[job])",
        "test_simulation.py::test_the_span_penalty_is_paid_by_jobs_that_span_and_no_others",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/in_turn.py",
        "again = policy.backlog > 0 and",
        "again = policy.backlog > 1 and",
        f"{AGREEMENT}_with_a_backlog",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "if taken[c] > 0 or idle[c] < least:",
        "if idle[c] < least:",
        AGREEMENT,
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "if free > room[width - 1]:",
        "if free >= room[0]:",
        f"{KERNELS}::test_the_example_of_rooms",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "rule == BEST_FIT and idle[c] < idle[best]",
        "rule == BEST_FIT and idle[c] <= idle[best]",
        AGREEMENT,
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "                left, rule, least = size, choice, 1 if",
        "                left, rule, least = size, rule, 1 if",
        AGREEMENT,
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "        if single != NONE:  # it is placed whole\n            return\n",
        "",
        WHOLE,
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "if len(room) - 1 > last and key[last] <= room[last + 1]:",
        "if len(room) - 1 > last and key[last] < room[last + 1]:",
        WHOLE,
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "room[width + 1] = room[0]",
        "room[width + 1] = room[width]",
        WHOLE,
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "            room[i] = 0\n",
        "            room[i] = -1\n",
        "test_placement.py::test_unordered_jobs_are_split_or_not_and_pay_only_if_they_are",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/placing.py",
        "if key[i] > room[i]:",
        "if key[i] >= room[i]:",
        "test_scheduling.py::test_order_of_arrival_decides_who_fits",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/waiting.py",
        "            changed = changed or smallest != tree[node, i]\n",
        "",
        f"{KERNELS}::test_a_scan_in_vain_looks_at_little_of_a_long_queue",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/waiting.py",
        "min(tree[node, i], keys[job, i])\n    node >>= 1\n",
        "min(tree[node, i], keys[job, i])\n    node = 0\n",
        f"{KERNELS}::test_a_scan_in_vain_looks_at_little_of_a_long_queue",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/waiting.py",
        "            if keys[job, i] < tree[node, i]:",
        "            if keys[job, i] > tree[node, i]:",
        f"{KERNELS}::test_the_example_of_a_tree",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/waiting.py",
        "whole = job % BLOCK == 0",
        "whole = True",
        f"{KERNELS}::test_the_first_job_that_fits_is_found",
        interpreted=True,
    ),
    Mutant(
        "compilation.py",
        "digest.update(source.read_bytes())",
        "digest.update(source.name.encode())",
        "test_compilation.py::test_a_change_in_a_file_that_a_kernel_calls_is_seen",
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
        "1 + int(waits.sum()) // rows):",
        "1 + int(waits.sum()) // rows)[:1]:",
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
        "clusters[None, :], whole)",
        "clusters[None, :])",
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

MUTANTS = (*SCHEDULING, *PLACEMENT, *STATE, *COMPILED, *SCHEDULE)
