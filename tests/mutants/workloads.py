"""Mistakes in where jobs come from: columns, streams, logs, models."""

from tests.mutants.tool import Mutant

JOBS = "test_jobs.py"
SWF = "workloads/test_swf.py"
BLOCKS = "workloads/test_swf_blocks.py"
MODELS = "workloads/test_models.py"
LUBLIN = "workloads/test_lublin.py"
PUBLISHED_LUBLIN = "workloads/test_lublin_feitelson.py"
JANN = "workloads/test_jann.py"
CATALOGUE = "workloads/test_catalogue.py"

COLUMNS = (
    Mutant(
        "columns.py",
        "array - np.fmin.reduce(array, axis=None)",
        "array - array[0]",
        "test_columns.py::test_moments_are_seconds_since_the_first",
    ),
    Mutant(
        "columns.py",
        "-LARGEST_WHOLE <= array.min() <= array.max() <= LARGEST_WHOLE:",
        "True:",
        "test_columns.py::test_what_is_no_time_is_refused_in_one_line",
    ),
    Mutant(
        "columns.py",
        "if table.min() == 0 and not table.any(axis=1).all():",
        "if False:",
        f"{JOBS}::test_bad_components_are_named_with_their_job",
    ),
    Mutant(
        "columns.py",
        "value.astimezone(UTC).replace(tzinfo=None)",
        "value.replace(tzinfo=None)",
        "test_columns.py::test_moments_are_seconds_since_the_first",
    ),
    Mutant(
        "columns.py",
        'if array.dtype.kind == "M":\n        raise InputError(f"{name} holds datetimes; give',
        'if array.dtype.kind == "?":\n        raise InputError(f"{name} holds datetimes; give',
        "test_columns.py::test_moments_are_seconds_since_the_first",
    ),
    Mutant(
        "columns.py",
        "bad |= array != np.floor(array)  # NaN too",
        "bad |= np.isnan(array)",
        "test_columns.py::test_whole_numbers_are_whole_and_named_by_their_place",
    ),
    Mutant(
        "columns.py",
        "return np.arange(1, jobs + 1)",
        "return np.arange(jobs)",
        f"{JOBS}::test_defaults",
    ),
    Mutant(
        "columns.py",
        "if not index.equals(indexed[first]):",
        "if len(index) != len(indexed[first]):",
        f"{JOBS}::test_columns_of_pandas_go_by_position_and_must_agree_on_it",
    ),
)

STREAMS = (
    Mutant(
        "splitting.py",
        "share + (column < rest)",
        "share + (column <= rest)",
        "test_splitting.py::test_split_into_is_even",
    ),
    Mutant(
        "splitting.py",
        "np.where(column == 0, rest, 0)",
        "np.where(column < rest, 1, 0)",
        "test_splitting.py::test_four_components_by_hand",
    ),
    Mutant(
        "splitting.py",
        "most = share + (rest > 0)",
        "most = share + 1",
        "test_splitting.py::test_split_into_is_the_printed_formula_where_that_is_a_split",
    ),
    Mutant(
        "jobs.py",
        "split = self.processors > whole(",
        "split = self.processors >= whole(",
        "test_splitting.py::test_jobs_up_to_a_size_stay_whole",
    ),
    Mutant(
        "jobs.py",
        'if above or rounding != "even":',
        "if above:",
        "test_splitting.py::test_bad_splits_are_refused",
    ),
    Mutant(
        "splitting.py",
        '-(-totals // whole("largest", largest))',
        'totals // whole("largest", largest) + 1',
        "test_splitting.py::test_split_smallest_uses_as_few_components_as_fit",
    ),
    Mutant(
        "jobs.py",
        "work = self.work.sum() - self.work[last]",
        "work = self.work.sum()",
        f"{JOBS}::test_offered_load_by_hand",
    ),
    Mutant(
        "jobs.py",
        "self._requested[rows]",
        "self._requested[: len(rows)]",
        f"{JOBS}::test_selections_take_the_same_rows_of_every_column",
    ),
    Mutant(
        "jobs.py",
        "estimate = runtime if known is None else np.where(known.mask, runtime, known.data)",
        "estimate = runtime if known is None else known.data",
        f"{JOBS}::test_where_no_estimate_was_given_it_is_the_run_time_for_good",
    ),
    Mutant(
        "jobs.py",
        'if len(np.unique(joined["number"])) < len(order):',
        "if False:",
        f"{JOBS}::test_merged_jobs_keep_their_numbers_where_these_tell_them_apart",
    ),
    Mutant(
        "jobs.py",
        "first._stretched((count - 1) / (span",
        "first._stretched(count / (span",
        f"{JOBS}::test_the_first_jobs_of_a_stream",
    ),
    Mutant(
        "jobs.py",
        "submit=first + (self.submit - first) * factor",
        "submit=self.submit * factor",
        f"{JOBS}::test_the_first_jobs_of_a_stream",
    ),
)

LOGS = (
    Mutant(
        "workloads/swf.py",
        'np.ma.masked_less_equal(column["requested_time"], 0)',
        'np.ma.masked_less(column["requested_time"], 0)',
        f"{SWF}::test_nobody_requests_a_time_of_zero",
    ),
    Mutant(
        "workloads/swf.py",
        "np.where(allocated > 0, allocated, requested)",
        "np.where(requested > 0, requested, allocated)",
        f"{SWF}::test_usable_jobs_have_run_time_and_processors",
    ),
    Mutant(
        "workloads/swf.py",
        "(runtime > 0) & (processors > 0)",
        "(runtime >= 0) & (processors > 0)",
        f"{SWF}::test_usable_jobs_have_run_time_and_processors",
    ),
    Mutant(
        "workloads/swf.py",
        '            number=column["job"],\n',
        "",
        f"{SWF}::test_largest_drops_wider_jobs_and_numbers_follow",
    ),
    Mutant(
        "workloads/swf.py",
        '"requested_time": jobs.estimate,',
        '"requested_time": jobs.runtime,',
        "workloads/test_swf_written.py::test_what_is_written_is_read",
    ),
    Mutant(
        "workloads/_swf_text.py",
        "isinstance(table.index, pd.RangeIndex) and len(table) == rows",
        "len(table) == rows",
        f"{SWF}::test_fields_too_many_on_every_line_do_not_shift_the_others",
    ),
    Mutant(
        "workloads/_swf_text.py",
        "or (columns[1] < 0).any():",
        "or False:",
        f"{SWF}::test_a_bad_line_is_reported_by_file_line_and_cause",
    ),
    Mutant(
        "workloads/_swf_text.py",
        "        number += lines\n",
        "        number += len(block)\n",
        f"{BLOCKS}::test_blocks_make_no_difference",
    ),
    Mutant(
        "workloads/_swf_text.py",
        "if not _NUMBER.fullmatch(word):",
        "if not _NUMBER.match(word):",
        f"{SWF}::test_a_bad_line_is_reported_by_file_line_and_cause",
    ),
    Mutant(
        "workloads/_swf_blocks.py",
        "if is_packed and length > most:",
        "if is_packed and len(block) > most:",
        f"{BLOCKS}::test_all_blocks_together_are_bounded",
    ),
    Mutant(
        "workloads/_swf_blocks.py",
        "rest = source.readline(_LONGEST_LINE)",
        'rest = b""',
        f"{BLOCKS}::test_blocks_make_no_difference",
    ),
    Mutant(
        "workloads/catalogue.py",
        "    if digest.hexdigest() != expected:",
        "    if False:",
        f"{CATALOGUE}::test_another_checksum_is_refused_with_both_named",
    ),
    Mutant(
        "workloads/catalogue.py",
        'elif entry.archive_sha256 and path.suffix == ".gz":',
        "elif entry.archive_sha256:",
        f"{CATALOGUE}::test_an_unpacked_copy_that_cannot_be_checked_is_not_used",
    ),
    Mutant(
        "workloads/catalogue.py",
        "        os.remove(file)\n",
        "",
        f"{CATALOGUE}::test_what_is_not_the_log_is_not_kept",
    ),
    Mutant(
        "workloads/catalogue.py",
        "for folder in (_named_folder(), cache_folder()):",
        "for folder in (cache_folder(), _named_folder()):",
        f"{CATALOGUE}::test_the_folder_comes_first_packed_anew_or_not",
    ),
)

MODEL = (
    Mutant(
        "workloads/models.py",
        "for_sizes, for_service, for_arrivals = generators(seed, 3)",
        "for_sizes = for_service = for_arrivals = generators(seed, 3)[0]",
        f"{MODELS}::test_changing_one_part_keeps_the_draws_of_the_others",
    ),
    Mutant(
        "workloads/models.py",
        "return self.mean_processors * self.service.mean",
        "return self.sizes.mean * self.service.mean",
        f"{MODELS}::test_moments_of_a_sample",
    ),
    Mutant(
        "workloads/models.py",
        "components.reshape(len(components), self.merged_into, -1).sum(axis=2)",
        "components[:, : self.merged_into]",
        f"{MODELS}::test_merging_keeps_the_total_of_every_job",
    ),
    Mutant(
        "workloads/models.py",
        "components[mine, : stream.components.shape[1]] = stream.components[mine]",
        "components[mine, :1] = stream.components[mine, :1]",
        f"{MODELS}::test_a_mixture_shares_the_jobs_of_its_parts",
    ),
    Mutant(
        "workloads/models.py",
        "*_, for_penalty, for_kept = generators(seed, 6)",
        "*_, for_penalty, for_kept = generators(seed, 5)",
        f"{MODELS}::test_penalties_do_not_depend_on_the_kinds_of_a_mixture",
    ),
    Mutant(
        "workloads/models.py",
        "*_, for_penalty, for_kept = generators(seed, 6)",
        "for_penalty = for_kept = generators(seed, 6)[4]",
        f"{MODELS}::test_penalties_are_drawn_by_a_generator_of_their_own",
    ),
    Mutant(
        "workloads/models.py",
        "            components[kept] = 0\n",
        "",
        f"{MODELS}::test_the_jobs_are_those_of_the_model_however_they_are_split",
    ),
    Mutant(
        "workloads/models.py",
        "*[whole] * bool(self.kept_whole)",
        "",
        f"{MODELS}::test_what_can_never_start_is_refused_drawn_or_not",
    ),
    Mutant(
        "workloads/models.py",
        "sizes = self.sizes.sizes\n",
        "sizes = self.sizes.sizes[-1:]\n",
        f"{MODELS}::test_what_can_never_start_is_refused_drawn_or_not",
    ),
    Mutant(
        "workloads/models.py",
        "rate, for_arrivals, count), number=None)",
        "rate, for_arrivals, count))",
        f"{MODELS}::test_resampled_jobs_keep_their_pairs",
    ),
    Mutant(
        "workloads/models.py",
        "sum(share * part.mean_work for part, share in self.parts.items())",
        "sum(part.mean_work for part in self.parts) / len(self.parts)",
        f"{MODELS}::test_a_mixture_of_unequal_works",
    ),
    Mutant(
        "workloads/das1.py",
        "POWER_WEIGHT = 10.0",
        "POWER_WEIGHT = 1.0",
        "workloads/test_das1.py::test_sizes_prefer_powers_of_two_and_small_numbers",
    ),
    Mutant(
        "workloads/das1.py",
        "2 / rate**2 - (limit**2 + 2 * limit / rate) * odds",
        "2 / rate**2 - limit**2 * odds",
        "workloads/test_das1.py::test_moments_are_the_integrals_of_the_densities",
    ),
    Mutant(
        "workloads/das1.py",
        "reach = 1 - (self.limit / self.longest) ** self.exponent",
        "reach = 1.0",
        "workloads/test_das1.py::test_samples_of_service_times_agree_with_the_moments",
    ),
    Mutant(
        "workloads/lublin.py",
        "to_cycle_clock(first + np.cumsum(gaps) - gaps[0], cycle, back=True)",
        "first + np.cumsum(gaps) - gaps[0]",
        f"{LUBLIN}::test_arrivals_follow_the_daily_cycle_and_keep_the_mean",
    ),
    Mutant(
        "workloads/lublin.py",
        "low_stage * first + (1 - low_stage) * second",
        "(1 - low_stage) * first + low_stage * second",
        f"{LUBLIN}::test_sizes_are_those_of_the_two_stages",
    ),
    Mutant(
        "workloads/lublin.py",
        'np.searchsorted(values, runtime, side="left")',
        'np.searchsorted(values, runtime, side="right")',
        f"{LUBLIN}::test_a_request_may_equal_the_run_time",
    ),
    Mutant(
        "workloads/lublin.py",
        "np.maximum(chosen, runtime)",
        "chosen",
        f"{LUBLIN}::test_requested_times_are_popular_values_that_suffice",
    ),
    Mutant(
        "workloads/lublin.py",
        'submit / (positive("rate", rate) * self.gap_mean)',
        'submit * (positive("rate", rate) * self.gap_mean)',
        f"{LUBLIN}::test_a_rate_stretches_the_arrivals_and_nothing_else",
    ),
)

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

FITTED = (
    Mutant(
        "distributions/erlang.py",
        "bound = max(1 / (c2 - 1), (2 * c2**2 - c3) / (c3 - c2**2))",
        "bound = 2 + max(1 / (c2 - 1), (2 * c2**2 - c3) / (c3 - c2**2))",
        f"{JANN}::test_a_fit_has_the_first_three_moments_and_the_least_order",
    ),
    Mutant(
        "distributions/erlang.py",
        "b = (m3 - m1 * m2) / spread, (m1 * m3 - m2**2) / spread",
        "b = (m3 - m1 * m2) / spread, (m1 * m3 + m2**2) / spread / 9",
        f"{JANN}::test_a_fit_has_the_first_three_moments_and_the_least_order",
    ),
    Mutant(
        "distributions/erlang.py",
        "rng.random() * self.mean < self.order * self.share / first",
        "rng.random() < self.share",
        f"{JANN}::test_the_time_to_the_next_event_is_the_residual_one",
    ),
    Mutant(
        "distributions/erlang.py",
        "stages = rng.integers(1, self.order, endpoint=True)",
        "stages = self.order",
        f"{JANN}::test_the_time_to_the_next_event_is_the_residual_one",
    ),
    Mutant(
        "workloads/jann.py",
        "first = one.gaps.residual(rng)",
        "first = 0.0",
        f"{JANN}::test_arrivals_begin_in_the_steady_state",
    ),
    Mutant(
        "workloads/jann.py",
        "np.minimum(runtime * ratio, np.maximum(runtime, self.longest_estimate))",
        "runtime * ratio",
        f"{JANN}::test_estimates_are_ratios_of_the_class_and_not_above_the_logs_longest",
    ),
    Mutant(
        "workloads/jann.py",
        "    kept[-1] = edges[-1]  # the rest, if there is any, goes with the last\n",
        "",
        f"{JANN}::test_small_classes_are_joined_with_the_next",
    ),
    Mutant(
        "workloads/jann.py",
        "return sum(work) / self.rate",
        "return sum(work) / len(self.classes)",
        f"{JANN}::test_samples_have_the_means_of_the_workload",
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

PUBLISHED = (
    Mutant(
        "workloads/lublin_feitelson.py",
        "rounded = POWER_OF_TWO / (1 - SERIAL)",
        "rounded = POWER_OF_TWO",
        f"{PUBLISHED_LUBLIN}::test_sizes_and_run_times_are_drawn_as_the_authors_do",
    ),
    Mutant(
        "workloads/lublin_feitelson.py",
        "cycle[(half_hours - 1) % HALF_HOURS]",
        "cycle[half_hours % HALF_HOURS]",
        f"{PUBLISHED_LUBLIN}::test_arrivals_follow_the_daily_cycle",
    ),
    Mutant(
        "workloads/lublin_feitelson.py",
        "tilted * (1 - scale) ** -shape",
        "(1 - scale) ** -shape",
        f"{PUBLISHED_LUBLIN}::test_the_rate_and_the_mean_work_are_those_of_the_densities",
    ),
)

MUTANTS = (
    *COLUMNS,
    *STREAMS,
    *LOGS,
    *MODEL,
    *SITES,
    *FITTED,
    *METRICS,
    *MACHINES,
    *STAYING,
    *PUBLISHED,
)
