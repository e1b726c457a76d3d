"""Mistakes in where jobs come from: columns, streams, logs, models."""

from tests.mutants.tool import Mutant

JOBS = "test_jobs.py"
SWF = "workloads/test_swf.py"
MODELS = "workloads/test_models.py"
LUBLIN = "workloads/test_lublin.py"
CATALOGUE = "workloads/test_catalogue.py"

COLUMNS = (
    Mutant(
        "columns.py", "array = array - array.min()", "array = array - array[0]", "test_columns.py"
    ),
    Mutant(
        "columns.py",
        'return array / np.timedelta64(1, "s")',
        "return array.astype(float)",
        "test_columns.py",
    ),
    Mutant(
        "columns.py",
        "value.astimezone(UTC).replace(tzinfo=None)",
        "value.replace(tzinfo=None)",
        "test_columns.py",
    ),
    Mutant(
        "columns.py",
        'if array.dtype.kind == "M":\n        raise InputError(f"{name} holds datetimes; give',
        'if array.dtype.kind == "?":\n        raise InputError(f"{name} holds datetimes; give',
        "test_columns.py",
    ),
    Mutant(
        "columns.py",
        "bad |= array != np.floor(array)  # NaN too",
        "bad |= np.isnan(array)",
        "test_columns.py",
    ),
    Mutant(
        "columns.py",
        "within = not array.size or -LARGEST_WHOLE <=",
        "within = True or -LARGEST_WHOLE <=",
        "test_columns.py",
    ),
    Mutant("columns.py", "return np.arange(1, jobs + 1)", "return np.arange(jobs)", JOBS),
    Mutant(
        "columns.py",
        "if not index.equals(indexed[first]):",
        "if len(index) != len(indexed[first]):",
        JOBS,
    ),
    Mutant(
        "columns.py",
        "(table < 0).any(axis=1) | ~table.any(axis=1)",
        "(table < 0).any(axis=1)",
        JOBS,
    ),
)

STREAMS = (
    Mutant(
        "splitting.py",
        "(column < rest[:, None])",
        "(column <= rest[:, None])",
        JOBS,
    ),
    Mutant(
        "splitting.py",
        '-(-totals // whole("largest", largest))',
        'totals // whole("largest", largest) + 1',
        JOBS,
    ),
    Mutant(
        "jobs.py",
        "work = self.work.sum() - self.work[last]",
        "work = self.work.sum()",
        JOBS,
    ),
    Mutant(
        "jobs.py",
        "self._requested[rows]",
        "self._requested[: len(rows)]",
        JOBS,
    ),
    Mutant(
        "jobs.py",
        "self._requested * factor",
        "self._requested",
        JOBS,
    ),
    Mutant(
        "jobs.py",
        "estimate = runtime if known is None else np.where(known.mask, runtime, known.data)",
        "estimate = runtime if known is None else known.data",
        JOBS,
    ),
    Mutant(
        "jobs.py",
        'if len(np.unique(joined["number"])) < len(order):',
        "if False:",
        JOBS,
    ),
    Mutant(
        "jobs.py",
        "first._stretched((count - 1) / (span",
        "first._stretched(count / (span",
        JOBS,
    ),
    Mutant(
        "jobs.py",
        "submit=first + (self.submit - first) * factor",
        "submit=self.submit * factor",
        JOBS,
    ),
    Mutant("jobs.py", "random(len(self)) < fraction", "random(len(self)) > fraction", JOBS),
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
        SWF,
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
        f"{SWF}::test_largest_drops_wider_jobs_and_numbers_follow "
        f"{SWF}::test_jobs_keep_order_times_and_estimates",
    ),
    Mutant(
        "workloads/swf.py",
        '"requested_time": jobs.estimate,',
        '"requested_time": jobs.runtime,',
        SWF,
    ),
    Mutant(
        "workloads/_swf_text.py",
        "isinstance(table.index, pd.RangeIndex) and len(table) == rows",
        "len(table) == rows",
        SWF,
    ),
    Mutant("workloads/_swf_text.py", "or (columns[1] < 0).any():", "or False:", SWF),
    Mutant(
        "workloads/_swf_text.py", "        number += lines\n", "        number += len(block)\n", SWF
    ),
    Mutant(
        "workloads/_swf_text.py",
        "if not _NUMBER.fullmatch(word):",
        "if not _NUMBER.match(word):",
        SWF,
    ),
    Mutant(
        "workloads/_swf_blocks.py",
        "if is_packed and length > most:",
        "if is_packed and len(block) > most:",
        SWF,
    ),
    Mutant("workloads/_swf_blocks.py", "rest = source.readline(_LONGEST_LINE)", 'rest = b""', SWF),
    Mutant("workloads/catalogue.py", "    if found != expected:", "    if False:", CATALOGUE),
    Mutant(
        "workloads/catalogue.py",
        'elif entry.archive_sha256 and path.suffix == ".gz":',
        "elif entry.archive_sha256:",
        CATALOGUE,
    ),
    Mutant("workloads/catalogue.py", "        os.remove(file)\n", "", CATALOGUE),
    Mutant(
        "workloads/catalogue.py",
        "for folder in (_named_folder(), cache_folder()):",
        "for folder in (cache_folder(), _named_folder()):",
        CATALOGUE,
    ),
)

MODEL = (
    Mutant(
        "workloads/models.py",
        "for_sizes, for_service, for_arrivals = generators(seed, 3)",
        "for_sizes = for_service = for_arrivals = generators(seed, 3)[0]",
        MODELS,
    ),
    Mutant(
        "workloads/models.py",
        "return self.mean_processors * self.service.mean",
        "return self.sizes.mean * self.service.mean",
        MODELS,
    ),
    Mutant(
        "workloads/models.py",
        "components.reshape(len(components), self.merged_into, -1).sum(axis=2)",
        "components[:, : self.merged_into]",
        MODELS,
    ),
    Mutant(
        "workloads/models.py",
        "components[mine, : stream.components.shape[1]] = stream.components[mine]",
        "components[mine, :1] = stream.components[mine, :1]",
        MODELS,
    ),
    Mutant(
        "workloads/models.py",
        "rate, for_arrivals, count), number=None)",
        "rate, for_arrivals, count))",
        MODELS,
    ),
    Mutant(
        "workloads/models.py",
        "sum(share * part.mean_work for part, share in self.parts.items())",
        "sum(part.mean_work for part in self.parts) / len(self.parts)",
        MODELS,
    ),
    Mutant(
        "workloads/das1.py", "POWER_WEIGHT = 10.0", "POWER_WEIGHT = 1.0", "workloads/test_das1.py"
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
        "workloads/test_das1.py",
    ),
    Mutant(
        "workloads/lublin.py",
        'np.searchsorted(values, runtime, side="left")',
        'np.searchsorted(values, runtime, side="right")',
        LUBLIN,
    ),
    Mutant("workloads/lublin.py", "np.maximum(chosen, runtime)", "chosen", LUBLIN),
    Mutant(
        "workloads/lublin.py",
        "from_cycle_clock(first + np.cumsum(gaps) - gaps[0], cycle)",
        "first + np.cumsum(gaps) - gaps[0]",
        LUBLIN,
    ),
    Mutant(
        "workloads/lublin.py",
        'submit / (positive("rate", rate) * self.gap_mean)',
        'submit * (positive("rate", rate) * self.gap_mean)',
        LUBLIN,
    ),
    Mutant(
        "workloads/_lublin_parts.py",
        "low_stage * first + (1 - low_stage) * second",
        "(1 - low_stage) * first + low_stage * second",
        LUBLIN,
    ),
)

MUTANTS = (*COLUMNS, *STREAMS, *LOGS, *MODEL)
