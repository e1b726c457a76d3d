"""Mistakes in job streams and logs."""

from tests.mutants.tool import Mutant

JOBS = "test_jobs.py"
SWF = "workloads/test_swf.py"
BLOCKS = "workloads/test_swf_blocks.py"
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
        'if array.dtype.kind == "M":\n',
        'if array.dtype.kind == "?":\n',
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
        "merging.py",
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

MUTANTS = (*COLUMNS, *STREAMS, *LOGS)
