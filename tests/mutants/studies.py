"""Mistakes in the studies: verdicts, claims and figures."""

from tests.mutants.tool import Mutant

LEDGER = "studies/test_ledger.py"

PENALTY = "studies/test_penalty_responses.py"
RESPONSES = "studies/communication_penalty/responses.py"

MUTANTS = (
    Mutant(
        RESPONSES,
        "if begin > end:",
        "if begin > end + 1:",
        f"{PENALTY}::test_a_group_that_would_be_empty_is_named",
    ),
    Mutant(
        RESPONSES,
        "(sizes >= least) & (sizes <= most)",
        "(sizes >= least) & (sizes < most)",
        f"{PENALTY}::test_means_by_group",
    ),
    Mutant(
        RESPONSES,
        "kept = slice(int(WARM_UP * jobs), None)",
        "kept = slice(None)",
        f"{PENALTY}::test_means_are_those_of_the_runs_after_the_warm_up",
    ),
    Mutant(
        RESPONSES,
        ">= bears.interval.low:",
        ">= 1:",
        f"{PENALTY}::test_a_load_that_is_not_borne_has_no_means",
    ),
    Mutant(
        RESPONSES,
        "doubt = bears.doubt or (",
        "doubt = (",
        f"{PENALTY}::test_responses_that_still_rise_are_in_doubt",
    ),
    Mutant(
        RESPONSES,
        "less = whole.borne - split.borne",
        "less = split.borne - whole.borne",
        f"{PENALTY}::test_what_is_lost_in_its_three_cases",
    ),
    Mutant(
        RESPONSES,
        "np.full(len(less.values), np.inf), doubt)",
        "np.full(len(less.values), np.inf))",
        f"{PENALTY}::test_what_is_lost_in_its_three_cases",
    ),
    Mutant(
        RESPONSES,
        "less.interval.low <= 0",
        "less.interval.estimate <= 0",
        f"{PENALTY}::test_an_infinite_loss_is_in_doubt_where_the_whole_jobs_may_bear_no_more",
    ),
    Mutant(
        "studies/communication_penalty/thresholds.py",
        "split.with_(span_penalty=psi)",
        "split",
        f"{PENALTY}::test_thresholds_hold_the_loss_at_zero",
    ),
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
)
