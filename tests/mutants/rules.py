"""Mistakes in the rules: scheduling policies, profiles and placements."""

from tests.mutants.tool import Mutant

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

MUTANTS = (*SCHEDULING, *PLACEMENT)
