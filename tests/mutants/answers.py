"""Mistakes in intervals, and in the many runs that they come from."""

from tests.mutants.tool import Mutant

SATURATION = "test_saturation.py"
CURVES = "test_curves.py"

INTERVALS = (
    Mutant(
        "estimates.py",
        "return None if self.warning or not (holds or fails)",
        "return None if not (holds or fails)",
        "test_estimates.py::test_an_interval_in_doubt_decides_nothing_and_says_so",
    ),
    Mutant(
        "estimates.py",
        "None if None in answers else True",
        "True",
        "test_estimates.py::test_all_of",
    ),
    Mutant(
        "estimates.py",
        "self.low >= limit",
        "self.low > limit",
        "test_estimates.py::test_an_interval_decides_where_all_of_it_agrees",
    ),
    Mutant(
        "estimates.py",
        "low, high = sorted((self.low * factor, self.high * factor))",
        "low, high = self.low * factor, self.high * factor",
        "test_estimates.py::test_an_interval_in_doubt_decides_nothing_and_says_so",
    ),
    Mutant(
        "inference.py",
        "return student(one - other, confidence, warning)",
        "return student(one - other, warning=warning)",
        "test_inference.py::test_differences_take_their_confidence",
    ),
    Mutant(
        "inference.py",
        "stdtrit(freedom, (1 + confidence) / 2)",
        "stdtrit(freedom, 0.975)",
        "test_inference.py::test_differences_take_their_confidence",
    ),
    Mutant(
        "inference.py",
        "count = min(len(one), len(other))",
        "count = len(one) + len(other)",
        "test_inference.py::test_welchs_count_is_that_of_the_smaller_sample",
    ),
    Mutant(
        "inference.py",
        "spread**2 / (squares**2 / freedoms).sum() if spread > 0 else freedoms.min()",
        "freedoms.sum()",
        "test_inference.py::test_unpaired_difference_is_welchs",
    ),
    Mutant(
        "inference.py",
        "values.std(ddof=1)",
        "values.std()",
        "test_inference.py::test_student_is_scipys",
    ),
    Mutant(
        "inference.py",
        "(1 + confidence) / 2) * error",
        "confidence) * error",
        "test_inference.py::test_student_is_scipys",
    ),
    Mutant(
        "seeds.py", "(*parent.spawn_key, i)", "(i,)", "test_seeds.py::test_grandchildren_differ"
    ),
    Mutant(
        "inference.py",
        "unpaired_difference(self.values, other.values",
        "unpaired_difference(other.values, self.values",
        "studies/test_maximal_utilization.py::test_notices_and_verdicts_are_true_of_the_losses",
    ),
    Mutant(
        "inference.py",
        "Sample(self.values - other.values, self.warning or other.warning)",
        "Sample(self.values - other.values, self.warning)",
        "studies/test_cluster_configurations.py::test_lines_whose_tails_were_not_drawn_are_in_doubt",
    ),
)

INFERENCE = "test_inference.py"

CROSSINGS = (
    Mutant(
        "inference.py",
        "    _refuse_falling(at(low), at(high))\n",
        "",
        f"{INFERENCE}::test_a_difference_that_falls_is_refused_and_not_called_above",
    ),
    Mutant(
        "inference.py",
        "if np.isnan(values).any():",
        "if np.isnan(values).all():",
        f"{INFERENCE}::test_bad_ranges_and_differences_are_named",
    ),
    Mutant(
        "inference.py",
        "if begin <= x <= finish)",
        'if ends["low"] <= x <= ends["high"])',
        f"{INFERENCE}::test_a_crossing_is_in_doubt_where_a_difference_beside_it_is",
    ),
    Mutant(
        "inference.py",
        '        if found.warning:\n            return "undecided"\n',
        "",
        f"{INFERENCE}::test_no_crossing_is_in_doubt_where_the_nearest_end_is",
    ),
    Mutant(
        "inference.py",
        "halvings = (whole(",
        "halvings = 2 + (whole(",
        f"{INFERENCE}::test_no_more_numbers_are_asked_than_the_budget_has",
    ),
    Mutant(
        "inference.py",
        "        if x not in seen:\n            seen[x]",
        "        if True:\n            seen[x]",
        f"{INFERENCE}::test_no_more_numbers_are_asked_than_the_budget_has",
    ),
    Mutant(
        "inference.py",
        "(outwards if line is None else line)",
        "outwards",
        f"{INFERENCE}::test_a_crossing_is_the_root_and_its_ends_those_of_the_interval",
    ),
    Mutant(
        "inference.py",
        '_ROOTS = (("low", "high", 0)',
        '_ROOTS = (("low", "estimate", 0)',
        "theory/test_coverage.py::test_crossings_cover",
    ),
    Mutant(
        "inference.py",
        "has_risen = operator.gt if outwards else operator.ge",
        "has_risen = operator.gt",
        f"{INFERENCE}::test_a_difference_that_is_zero_for_a_while_crosses_all_along",
    ),
    Mutant(
        "inference.py",
        "if not has_risen(above, 0):",
        "if above < 0:",
        f"{INFERENCE}::test_a_difference_that_is_zero_throughout_decides_nothing",
    ),
)

MANY_RUNS = (
    Mutant(
        "schedule.py",
        "weight = weight / (1 + self.jobs.span_penalty * self.spans)",
        "weight = weight / (1 + self.jobs.span_penalty)",
        "test_schedule.py::test_net_utilization_leaves_out_what_spanning_adds",
    ),
    Mutant(
        "saturation.py",
        "    return schedule.utilization_between(edges, net=True)",
        "    return schedule.utilization_between(edges)",
        f"{SATURATION}::test_jobs_that_all_span_bear_less_by_what_spanning_adds",
    ),
    Mutant(
        "saturation.py",
        "busy = schedule.utilization_between(edges, net=True)",
        "busy = schedule.utilization_between(edges)",
        f"{SATURATION}::test_a_load_that_penalties_make_too_high_is_not_averaged",
    ),
    Mutant(
        "saturation.py",
        "WARM_UP = 0.1",
        "WARM_UP = 0.0",
        f"{SATURATION}::test_the_first_tenth_does_not_count",
    ),
    Mutant(
        "saturation.py",
        "grid[most].mean()",
        "grid[most].max()",
        f"{SATURATION}::test_the_middle_of_the_loads_that_do_best_is_taken",
    ),
    Mutant(
        "saturation.py",
        "held = (low + high) // 2",
        "held = low",
        f"{SATURATION}::test_the_queue_begins_half_way_between_the_bounds",
    ),
    Mutant(
        "saturation.py",
        "stream.submit - stream.submit[held]",
        "stream.submit - stream.submit[0]",
        f"{SATURATION}::test_the_queue_begins_half_way_between_the_bounds",
    ),
    Mutant(
        "saturation.py",
        "(queue > low) & (queue < high)",
        "(queue >= low) & (queue < high)",
        f"{SATURATION}::test_the_middle_of_the_loads_that_do_best_is_taken",
    ),
    Mutant(
        "saturation.py",
        "    _refuse_oversize(scenario)\n    if isinstance",
        "    if isinstance",
        f"{SATURATION}::test_what_can_never_start_is_refused_whether_or_not_it_is_drawn",
    ),
    Mutant(
        "saturation.py",
        "FEWEST_ENDS, FEWEST_CARRIERS = 10, 100",
        "FEWEST_ENDS, FEWEST_CARRIERS = 1, 100",
        f"{SATURATION}::test_a_run_of_a_few_jobs_is_in_doubt",
    ),
    Mutant(
        "saturation.py",
        "FEWEST_ENDS, FEWEST_CARRIERS = 10, 100",
        "FEWEST_ENDS, FEWEST_CARRIERS = 10, 1",
        f"{SATURATION}::test_tails_that_were_not_drawn_are_in_doubt",
    ),
    Mutant(
        "saturation.py",
        "        doubtful_work(stream.work, scenario.workload.mean_work),\n",
        "",
        f"{SATURATION}::test_tails_that_were_not_drawn_are_in_doubt",
    ),
    Mutant(
        "saturation.py",
        "if abs(share - 1) > DEVIATIONS",
        "if share - 1 > DEVIATIONS",
        f"{SATURATION}::test_tails_that_were_not_drawn_are_in_doubt",
    ),
    Mutant(
        "saturation.py",
        "        _dependence(busy),\n",
        "",
        f"{SATURATION}::test_batches_that_depend_on_one_another_are_in_doubt",
    ),
    Mutant(
        "saturation.py",
        "DEVIATIONS = 3.3",
        "DEVIATIONS = 2.0",
        f"{SATURATION}::test_runs_that_are_long_enough_are_not_in_doubt",
    ),
    Mutant(
        "saturation.py",
        "(end > edges[0]) & (end <= edges[-1])",
        "end > -1",
        f"{SATURATION}::test_a_run_of_a_few_jobs_is_in_doubt",
    ),
    Mutant(
        "saturation.py",
        "last = schedule.jobs.submit[-1]\n    if last <= 0:",
        "last = schedule.end.max()\n    if last <= 0:",
        f"{SATURATION}::test_a_last_job_that_runs_on_alone_does_not_count",
    ),
    Mutant(
        "saturation.py",
        "schedule.utilization(WARM_UP * last, last)",
        "schedule.utilization(0, last)",
        f"{SATURATION}::test_the_response_is_met_and_the_first_tenth_of_the_time_left_out",
    ),
    Mutant(
        "saturation.py",
        "response.mean()) / target - 1",
        "wait.mean()) / target - 1",
        f"{SATURATION}::test_the_response_is_met_and_the_first_tenth_of_the_time_left_out",
    ),
    Mutant(
        "curves.py",
        ">= maximum.interval.low:\n        raise",
        ">= maximum.interval.high:\n        raise",
        f"{CURVES}::test_a_load_that_is_not_borne_has_no_mean",
    ),
    Mutant(
        "curves.py",
        "schedule.response[-2 * half :]",
        "schedule.response[: 2 * half]",
        f"{CURVES}::test_the_first_tenth_of_the_jobs_does_not_count",
    ),
    Mutant(
        "curves.py",
        "interval.half_width <= precision * interval.estimate",
        "interval.half_width <= 2 * precision * interval.estimate",
        f"{CURVES}::test_the_run_grows_until_it_is_precise",
    ),
    Mutant(
        "curves.py",
        "paired_difference(halves[:, 1], halves[:, 0]).low <= 0",
        "True",
        f"{CURVES}::test_a_run_that_still_slows_down_is_too_short",
    ),
    Mutant(
        "curves.py",
        "for_pilot, for_point = spawn(seed, 2)",
        "for_pilot = for_point = seed",
        f"{CURVES}::test_a_point_has_other_random_numbers_than_its_pilots",
    ),
    Mutant(
        "curves.py",
        "narrow and not interval.warning)",
        "narrow)",
        f"{CURVES}::test_points_that_rest_on_a_few_jobs_are_in_doubt",
    ),
    Mutant(
        "curves.py",
        "if load < maximum.interval.low\n",
        "if load < maximum.interval.high\n",
        f"{CURVES}::test_a_load_that_is_not_borne_has_no_mean",
    ),
    Mutant(
        "curves.py",
        "Point(p.utilization / alpha",
        "Point(p.utilization * alpha",
        f"{CURVES}::test_a_stretched_curve_moves_its_points_and_its_maximum",
    ),
    Mutant(
        "curves.py",
        "if model != known or type(model.service) is not Exponential:",
        "if type(model.service) is not Exponential:",
        f"{CURVES}::test_the_best_method_is_found",
    ),
    Mutant(
        "curves.py",
        "type(scenario.scheduling) is not FCFS or type(model) is not JobModel",
        "not isinstance(scenario.scheduling, FCFS) or type(model) is not JobModel",
        f"{CURVES}::test_a_model_with_more_to_say_has_no_formula",
    ),
)

MUTANTS = (*INTERVALS, *CROSSINGS, *MANY_RUNS)
