"""Mistakes in the formulas and in the distributions that go into them."""

from tests.mutants.tool import Mutant

BUDGET = "analytic/test_budget.py"
KERNELS = "analytic/test_kernels.py"
UNORDERED = "analytic/test_unordered.py"
UTILIZATION = "analytic/test_utilization.py"
CHAIN = "analytic/test_chain.py"
DISTRIBUTIONS = "test_distributions.py"

COSTS = (
    Mutant(
        "analytic/budget.py",
        "OPERATIONS = 1e9",
        "OPERATIONS = 1e10",
        f"{BUDGET}::test_the_estimate_is_the_bound_over_the_speed",
    ),
    Mutant(
        "analytic/budget.py",
        "float(min(jobs + deviations + 2, capacity // total.minimum))",
        "float(jobs + deviations + 2)",
        f"{BUDGET}::test_about_as_many_convolutions_as_jobs_fill_the_system",
    ),
    Mutant(
        "analytic/budget.py",
        "time.perf_counter() - start > self.seconds",
        "time.perf_counter() < 0",
        f"{BUDGET}::test_the_clock_is_looked_at_between_convolutions",
    ),
    Mutant(
        "analytic/budget.py",
        "start = time.perf_counter() if start is None else start",
        "start = start or 0.0",
        f"{BUDGET}::test_the_clock_is_looked_at_between_convolutions",
    ),
    Mutant(
        "analytic/unordered.py",
        "return steps * number(tried * jobs),",
        "return steps * number(tried * jobs) / 10,",
        f"{BUDGET}::test_no_more_is_done_than_estimated_nor_much_less",
    ),
    Mutant(
        "analytic/unordered.py",
        "return steps * number(tried * len(part.sizes)),",
        "return steps * number(tried * len(part.sizes)) / 10,",
        f"{BUDGET}::test_no_more_is_done_than_estimated_nor_much_less",
    ),
    Mutant(
        "analytic/one_cluster.py",
        "return steps * (CALL + one),",
        "return steps * (CALL + one) / 10,",
        f"{BUDGET}::test_convolutions_cost_about_what_was_estimated",
    ),
    Mutant(
        "analytic/unordered.py",
        "key=lambda cost: (cost[1] > budget.bytes, cost[0])",
        "key=lambda cost: -cost[0]",
        f"{UNORDERED}::test_named_unequal_system_is_computed_by_worst_fit",
    ),
)

FORMULAS = (
    Mutant(
        "analytic/chain.py",
        "(*self._tried(rest, head, freed), alike / len(running))",
        "(*self._tried(rest, head, freed), 1 / len(running))",
        f"{CHAIN}::test_the_chain_equals_the_exact_formulas",
    ),
    Mutant(
        "analytic/chain.py",
        "flow[waiting].sum() / (flow[waiting] / counts[waiting]).sum()",
        "flow[waiting] @ counts[waiting] / flow[waiting].sum()",
        f"{CHAIN}::test_the_chain_equals_the_exact_formulas",
    ),
    Mutant(
        "analytic/chain.py",
        'request != "ordered" and all(part is sizes[0] for part in sizes)',
        "all(part is sizes[0] for part in sizes)",
        f"{CHAIN}::test_the_chain_equals_the_exact_formulas",
    ),
    Mutant(
        "analytic/stationary.py",
        "BALANCE = 1e-13",
        "BALANCE = 1e-3",
        f"{CHAIN}::test_iteration_comes_to_rest_where_the_visits_go_round_in_circles",
    ),
    Mutant(
        "analytic/stationary.py",
        "if closed.sum() != 1:",
        "if closed.sum() < 1:",
        f"{CHAIN}::test_several_ends_are_refused",
    ),
    Mutant(
        "analytic/joint.py",
        "np.outer(self.probabilities, chances)",
        "np.outer(self.probabilities, chances[::-1])",
        "analytic/test_joint.py::test_independent_is_the_sorted_product",
    ),
    Mutant(
        "analytic/joint.py",
        "JointSizes(-np.sort(-self.vectors, axis=1), self.probabilities)",
        "JointSizes(np.sort(self.vectors, axis=1), self.probabilities)",
        "analytic/test_joint.py::test_independent_is_the_sorted_product",
    ),
    Mutant(
        "analytic/kernels.py",
        "entry = used[clusters - 1 - column] + jobs[job, column]",
        "entry = used[untouched + column] + jobs[job, column]",
        f"{KERNELS}::test_the_worked_example_of_a_step",
        interpreted=True,
    ),
    Mutant(
        "analytic/kernels.py",
        "range(first, density.shape[1] - most)",
        "range(first, density.shape[1] - most - 1)",
        f"{KERNELS}::test_the_worked_example_of_a_step",
        interpreted=True,
    ),
    Mutant(
        "analytic/kernels.py",
        "weight *= chance * (components - length + 1) / m",
        "weight *= chance * (components - length + 1)",
        f"{KERNELS}::test_the_worked_example_of_one_size_after_the_other",
        interpreted=True,
    ),
    Mutant(
        "analytic/kernels.py",
        "least = rest[0] + value + 1",
        "least = rest[0] + value + 2",
        f"{UNORDERED}::test_independent_components_equal_the_placements_themselves",
        interpreted=True,
    ),
    Mutant(
        "analytic/kernels.py",
        "if jobs[job, 0] > most:",
        "if jobs[job, 0] >= most:",
        f"{KERNELS}::test_the_worked_example_of_first_fit",
        interpreted=True,
    ),
    Mutant(
        "analytic/kernels.py",
        "(serving[cluster] or idle[cluster] < value)",
        "idle[cluster] < value",
        f"{KERNELS}::test_the_worked_example_of_first_fit",
        interpreted=True,
    ),
    Mutant(
        "analytic/one_cluster.py",
        "NEGLIGIBLE = 1e-16",
        "NEGLIGIBLE = 1e-6",
        f"{UTILIZATION}::test_freer_requests_lose_less",
    ),
    Mutant(
        "analytic/one_cluster.py",
        "density = _convolve(density, step)[: max(capacity + 1 - low, 0)]",
        "density = _convolve(density, step)[: max(capacity - low, 0)]",
        f"{KERNELS}::test_one_cluster",
    ),
    Mutant(
        "analytic/one_cluster.py",
        "count = len(density) + len(step) - 1",
        "count = len(density) + len(step) // 2",
        f"{KERNELS}::test_one_cluster_by_fourier_transform_equals_direct_convolution",
    ),
    Mutant(
        "analytic/ordered.py",
        "np.prod(np.power(row, powers))",
        "np.prod(row)",
        f"{UTILIZATION}::test_freer_requests_lose_less",
    ),
    Mutant(
        "analytic/ordered.py",
        "fft.next_fast_len(int(n) + 1, real=True)",
        "fft.next_fast_len(int(n), real=True)",
        f"{KERNELS}::test_ordered_tables",
    ),
    Mutant(
        "analytic/slotted.py",
        "tail = np.array([f[processors - used + 1 :].sum()",
        "tail = np.array([f[processors - used :].sum()",
        "test_saturation.py::test_slotted_chain_is_the_simulated_one",
    ),
    Mutant(
        "analytic/unordered.py",
        "range(len(system)) if placement.clusters is None else placement.clusters",
        "range(len(system))",
        f"{UNORDERED}::test_a_table_equals_the_placements_themselves",
    ),
    Mutant(
        "analytic/unordered.py",
        "NEGLIGIBLE = 1e-14",
        "NEGLIGIBLE = 1e-3",
        f"{UNORDERED}::test_independent_components_equal_the_placements_themselves",
    ),
    Mutant(
        "analytic/unordered.py",
        "max(part.maximum, int(start[0]))",
        "part.maximum",
        f"{UNORDERED}::test_independent_components_equal_the_placements_themselves",
        interpreted=True,
    ),
    Mutant(
        "analytic/utilization.py",
        "inverse += (previous - fit) / (jobs - 1)",
        "inverse += (previous - fit) / jobs",
        f"{UTILIZATION}::test_pathological_ordered_jobs_tend_to_the_published_limit",
    ),
    Mutant(
        "analytic/utilization.py",
        "PRECISION = 1e-12",
        "PRECISION = 1e-4",
        f"{UTILIZATION}::test_the_sums_end_where_nothing_is_left_of_them",
    ),
    Mutant(
        "analytic/utilization.py",
        'if by_placement or service == "slotted" else',
        "if by_placement else",
        f"{UTILIZATION}::test_ordered_table_of_a_product_equals_independent_columns",
    ),
    Mutant(
        "analytic/utilization.py",
        "check_fits([sum(part.maximum for part in sizes)], system, request)",
        "pass",
        f"{UNORDERED}::test_mistakes_are_refused",
    ),
    Mutant(
        "analytic/arguments.py",
        'if request in ("ordered", "unordered") and components > len(system):',
        'if request == "ordered" and components > len(system):',
        f"{UNORDERED}::test_mistakes_are_refused",
    ),
)

LAWS = (
    Mutant(
        "distributions/sizes.py",
        "np.where(is_power, 3.0, 1.0)",
        "np.where(is_power, 2.0, 1.0)",
        f"{DISTRIBUTIONS}::test_published_means",
    ),
    Mutant(
        "distributions/sizes.py",
        "is_power[1] = one_is_power_of_two",
        "is_power[1] = True",
        f"{DISTRIBUTIONS}::test_published_means",
    ),
    Mutant(
        "distributions/times.py",
        "np.where(rng.random(shape) < p, p, 1 - p)",
        "np.where(rng.random(shape) < p, 1 - p, p)",
        f"{DISTRIBUTIONS}::test_samples_of_times_have_the_stated_moments",
    ),
    Mutant(
        "distributions/sizes.py",
        'rng.random(shape), side="right")',
        'rng.random(shape), side="left")',
        f"{DISTRIBUTIONS}::test_the_outermost_draws_are_possible_sizes",
    ),
    Mutant(
        "distributions/times.py",
        "(self.high - self.low) ** 2 / 12",
        "(self.high - self.low) ** 2 / 6",
        f"{DISTRIBUTIONS}::test_samples_of_times_have_the_stated_moments",
    ),
    Mutant(
        "distributions/times.py",
        "if low >= high:",
        "if low > high:",
        f"{DISTRIBUTIONS}::test_bad_arguments_are_named_with_their_value",
    ),
    Mutant(
        "distributions/times.py",
        "return float(self.values.var())",
        "return float(self.values.var(ddof=1))",
        f"{DISTRIBUTIONS}::test_samples_of_times_have_the_stated_moments",
    ),
    Mutant(
        "distributions/times.py",
        "Exponential(1 / self.rate)",
        "Exponential(self.rate)",
        f"{DISTRIBUTIONS}::test_poisson_arrivals",
    ),
    Mutant(
        "system.py",
        "if sum(clean) >= MOST_PROCESSORS:",
        "if sum(clean) > MOST_PROCESSORS:",
        "test_system.py::test_bad_sizes_are_named",
    ),
)

MUTANTS = (*COSTS, *FORMULAS, *LAWS)
