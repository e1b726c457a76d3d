"""Mistakes in intervals, the many runs that they come from, and sweeps."""

from tests.mutants.tool import Mutant

SATURATION = "test_saturation.py"
CURVES = "test_curves.py"
LEDGER = "studies/test_ledger.py"

INTERVALS = (
    Mutant(
        "estimates.py",
        "return None if self.doubt or not (holds or fails)",
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
        "return student(one - other, confidence, doubt)",
        "return student(one - other, doubt=doubt)",
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
)

MANY_RUNS = (
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
        "narrow and not interval.doubt)",
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

SWEEPS = (
    Mutant(
        "sweep/keys.py",
        '"co_code", "co_consts", "co_names"',
        '"co_code", "co_names"',
        "sweep/test_following.py::test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again",
    ),
    Mutant(
        "sweep/keys.py",
        "own = (code, function.__defaults__, function.__kwdefaults__, vars(function))",
        "own = (code, function.__kwdefaults__, vars(function))",
        "sweep/test_following.py::test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again",
    ),
    Mutant(
        "sweep/keys.py",
        '("entropy", "spawn_key")',
        '("entropy",)',
        "sweep/test_cache.py::test_other_seeds_and_replications_are_other_points",
    ),
    Mutant(
        "sweep/keys.py",
        'return f"{type(value).__name__} {value!r}"',
        'return f"{value}"',
        "sweep/test_keys.py::test_keys_are_the_same_in_every_process_and_tell_values_apart",
    ),
    Mutant(
        "sweep/keys.py",
        "*inner.named([*cells, *sorted(found.items())])",
        "*inner.named(cells), *found",
        "sweep/test_following.py::test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again",
    ),
    Mutant(
        "sweep/keys.py",
        "            yield from _reached(constant, space)\n",
        "            pass\n",
        "sweep/test_following.py::test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again",
    ),
    Mutant(
        "sweep/keys.py",
        "digest(np.__version__, *names, *texts)",
        "digest(np.__version__, *names)",
        "sweep/test_keys.py::test_the_library_digest_is_of_every_source",
    ),
    Mutant(
        "sweep/store.py",
        'if checksum != b"%08x" % zlib.crc32(body):',
        "if len(checksum) != 8:",
        "sweep/test_cache.py::test_a_damaged_record_is_left_out",
    ),
    Mutant(
        "sweep/store.py",
        "digest(describe(function), library_digest())",
        "digest(describe(function))",
        "sweep/test_cache.py::test_another_function_or_another_library_is_computed_anew",
    ),
    Mutant(
        "sweep/store.py",
        "if isinstance(results, dict) and all(",
        "if True or all(",
        "sweep/test_cache.py::test_a_whole_record_that_holds_no_results_is_not_believed",
    ),
    Mutant(
        "sweep/execution.py",
        "np.random.SeedSequence(**seed.state)",
        "seed",
        "sweep/test_sweep.py::test_spawning_from_a_seed_does_not_reach_the_next_point",
    ),
    Mutant(
        "sweep/execution.py",
        "point, replication = divmod(row, len(self.seeds))\n            yield",
        "replication, point = divmod(row, len(self.points.values))\n            yield",
        "sweep/test_sweep.py::test_a_row_for_each_point_and_replication_in_the_order_of_the_grid",
    ),
    Mutant(
        "sweep/execution.py",
        "dtype=object if mixed else None",
        "dtype=None",
        "sweep/test_sweep.py::test_objects_are_shown_as_they_print_or_as_they_are_named",
    ),
    Mutant(
        "sweep/points.py",
        "(digest(*arguments, seed) for seed in by_seed)",
        "(digest(*arguments) for seed in by_seed)",
        "sweep/test_cache.py::test_other_seeds_and_replications_are_other_points",
    ),
    Mutant(
        "sweep/points.py",
        "if first.setdefault(label, i) != i:",
        "if False:",
        "sweep/test_sweep.py::test_bad_input",
    ),
    Mutant(
        "sweep/pools.py",
        "    if errors:\n        raise errors[0]\n",
        "",
        "sweep/test_backends.py::test_a_worker_that_dies_is_said_and_what_had_finished_is_kept",
    ),
    Mutant(
        "sweep/summary.py",
        'good = (table["error"] == "").to_numpy() if',
        "good = np.ones(len(table), bool) if",
        "sweep/test_summary.py::test_summary_of_one_value_of_none_and_of_what_is_not_finite",
    ),
    Mutant(
        "sweep/summary.py",
        "student(values, confidence)",
        "student(values)",
        "sweep/test_summary.py::test_summary_is_students_interval_of_each_point",
    ),
)

STUDIES = (
    Mutant(
        "studies/ledger.py",
        "0.02 * abs(published)",
        "0.03 * abs(published)",
        f"{LEDGER}::test_an_exact_value_is_judged_by_its_rounding",
    ),
    Mutant(
        "studies/ledger.py",
        "3 * 10.0**-decimals",
        "4 * 10.0**-decimals",
        f"{LEDGER}::test_an_exact_value_is_judged_by_its_rounding",
    ),
    Mutant(
        "studies/ledger.py",
        "if found.half_width > limit:",
        "if False:",
        f"{LEDGER}::test_an_interval_is_met_give_or_take_the_rounding",
    ),
    Mutant(
        "studies/ledger.py",
        "    if found.doubt:",
        "    if False:",
        f"{LEDGER}::test_an_interval_in_doubt_tests_nothing",
    ),
    Mutant(
        "studies/ledger.py",
        "if outside > half:",
        "if outside > 0:",
        f"{LEDGER}::test_an_interval_is_met_give_or_take_the_rounding",
    ),
    Mutant(
        "studies/claims.py",
        'if failed or undecided else "holds"',
        'if failed else "holds"',
        f"{LEDGER}::test_a_claim_is_judged_by_its_parts",
    ),
    Mutant(
        "studies/ledger.py",
        "10.0**-decimals + 1e-12",
        "10.0**-decimals",
        f"{LEDGER}::test_an_exact_value_is_judged_by_its_rounding",
    ),
    Mutant(
        "studies/figure.py",
        "if entry not in self.found:",
        "if False:",
        "studies/test_maximal_utilization.py::test_a_bar_of_ones_own_joins_a_figure",
    ),
    Mutant(
        "studies/curve_figures.py",
        "if load < bound.interval.low",
        "if load < bound.interval.high",
        "studies/test_cluster_configurations.py::test_loads_that_are_not_borne_have_no_response",
    ),
    Mutant(
        "studies/curve_figures.py",
        "utilization / share(scenario, processors)",
        "utilization * share(scenario, processors)",
        "studies/test_cluster_configurations.py::test_a_part_of_the_processors_bears_all_of_the_load",
    ),
    Mutant(
        "studies/loss_tables.py",
        "system = Multicluster([system.processors])",
        "system = Multicluster([system.largest])",
        "studies/test_maximal_utilization.py::test_a_total_request_has_one_cluster_as_large_as_all",
    ),
    Mutant(
        "inference.py",
        "unpaired_difference(self.values, other.values",
        "unpaired_difference(other.values, self.values",
        "studies/test_maximal_utilization.py::test_a_gain_is_the_loss_that_overtaking_takes_away",
    ),
    Mutant(
        "studies/maximal_utilization/claims.py",
        "[difference.between(-limit, limit) for",
        "[abs(difference.estimate) <= limit for",
        "studies/test_maximal_utilization.py::test_cells_that_noise_may_have_moved_are_undecided",
    ),
    Mutant(
        "studies/cluster_configurations/claims.py",
        "not_(r.above(LIKE)) for r",
        "not_(r.above(0)) for r",
        "studies/test_cluster_configurations.py::test_noise_decides_nothing",
    ),
    Mutant(
        "inference.py",
        "Sample(self.values - other.values, self.doubt or other.doubt)",
        "Sample(self.values - other.values, self.doubt)",
        "studies/test_cluster_configurations.py::test_lines_whose_tails_were_not_drawn_are_in_doubt",
    ),
)

MUTANTS = (*INTERVALS, *MANY_RUNS, *SWEEPS, *STUDIES)
