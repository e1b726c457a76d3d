"""Mistakes in where jobs come from: columns, streams, logs, models."""

from tests.mutants.tool import Mutant

JOBS = "test_jobs.py"
SWF = "workloads/test_swf.py"
BLOCKS = "workloads/test_swf_blocks.py"
MODELS = "workloads/test_models.py"
LUBLIN = "workloads/test_lublin.py"
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

MUTANTS = (*COLUMNS, *STREAMS, *LOGS, *MODEL)
