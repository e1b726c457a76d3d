"""Mistakes in models of job streams."""

from tests.mutants.tool import Mutant

MODELS = "workloads/test_models.py"
LUBLIN = "workloads/test_lublin.py"
PUBLISHED_LUBLIN = "workloads/test_lublin_feitelson.py"
JANN = "workloads/test_jann.py"

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
        "return merge(split, whole) if self.kept_whole else split",
        "return split",
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

MUTANTS = (*MODEL, *FITTED, *PUBLISHED)
