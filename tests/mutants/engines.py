"""Mistakes in both engines: the readable one and the compiled one."""

from tests.mutants.tool import Mutant

AGREEMENT = "engines/test_agreement.py::test_same_schedule"
WHOLE = f"{AGREEMENT}_of_jobs_that_may_stay_whole"
KERNELS = "engines/test_kernels.py"

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
        "placement.py",
        " or min(taken) < 0\n",
        "\n",
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
        'getattr(placement, "single", placement), clusters',
        "placement, clusters",
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
        "engines/kernels/queue_order.py",
        "while head < arrived and not waiting[head]:",
        "if head < arrived and not waiting[head]:",
        AGREEMENT,
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/queue_order.py",
        "if started - head < policy.max_jumps:",
        "if started - head <= policy.max_jumps:",
        f"{KERNELS}::test_the_example_of_a_run",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/queue_order.py",
        "job = head if departed else fresh",
        "job = fresh",
        f"{KERNELS}::test_the_example_of_a_run",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/queue_order.py",
        "(spanning[job] if clusters > 1 else runtime[job])",
        "(spanning[job] if clusters > 2 else runtime[job])",
        "test_simulation.py::test_the_span_penalty_is_paid_by_jobs_that_span_and_no_others",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/queue_order.py",
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
        "engines/kernels/queue_tree.py",
        "            changed = changed or smallest != tree[node, i]\n",
        "",
        f"{KERNELS}::test_a_scan_in_vain_looks_at_little_of_a_long_queue",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/queue_tree.py",
        "min(tree[node, i], keys[job, i])\n    node >>= 1\n",
        "min(tree[node, i], keys[job, i])\n    node = 0\n",
        f"{KERNELS}::test_a_scan_in_vain_looks_at_little_of_a_long_queue",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/queue_tree.py",
        "            if keys[job, i] < tree[node, i]:",
        "            if keys[job, i] > tree[node, i]:",
        f"{KERNELS}::test_the_example_of_a_tree",
        interpreted=True,
    ),
    Mutant(
        "engines/kernels/queue_tree.py",
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

MUTANTS = (*STATE, *COMPILED)
