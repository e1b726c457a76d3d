"""Mistakes in the studies: verdicts, claims and figures."""

from tests.mutants.tool import Mutant

LEDGER = "studies/test_ledger.py"
LINES_DRAWN = "test_plots_of_lines.py"
MAPS_DRAWN = "test_plots_of_maps.py"
VIABILITY = "studies/test_viability.py"
CHANGE_MAPS = "studies/test_change_maps.py"
EXERCISES = "studies/test_penalty_exercises.py"

PENALTY = "studies/test_penalty_responses.py"
RESPONSES = "studies/communication_penalty/responses.py"
PENALTY_STUDY = "studies/test_communication_penalty.py"
VERDICTS = "studies/test_penalty_claims.py"
DISPERSION = "studies/communication_penalty/dispersion.py"
SHARING = "studies/test_job_sharing.py"
SHARING_CLAIMS = "studies/test_sharing_claims.py"
AWRT = "studies/job_sharing/awrt_lines.py"
WEEKS = "test_bootstrap.py"
EXPLORER = "test_sharing_widget.py"

MUTANTS = (
    Mutant(
        "bootstrap.py",
        "np.sqrt(self.blocks / free)",
        "np.sqrt(self.blocks / free) / 3",
        f"{WEEKS}::test_95_of_100_intervals_have_the_mean_of_the_queue",
    ),
    Mutant(
        "bootstrap.py",
        "other.drawn[::-1][:count]",
        "other.drawn[:count]",
        f"{WEEKS}::test_logs_beside_one_another_are_drawn_independently",
    ),
    Mutant(
        AWRT,
        "np.clip(ends, overheads[0], overheads[-1])",
        "ends",
        f"{SHARING_CLAIMS}::test_js4_needs_lower_awrts_and_larger_overheads_of_equal_machines",
    ),
    Mutant(
        AWRT,
        "if one[1].work is other[1].work:",
        "if False:",
        f"{SHARING_CLAIMS}::test_break_evens_are_compared_in_the_same_weeks",
    ),
    Mutant(
        AWRT,
        "np.flatnonzero(values > 0)",
        "np.flatnonzero(values >= 0)",
        f"{SHARING_CLAIMS}::test_first_rise_by_hand",
    ),
    Mutant(
        "studies/job_sharing/workloads.py",
        "return dict(_sets_of(found, seed))",
        'return dict(_sets_of("", seed))',
        f"{SHARING}::test_what_a_stand_in_was_is_forgotten_when_the_log_is_there",
    ),
    Mutant(
        DISPERSION,
        "if each.load < borne[each.scenario].interval.low",
        "if each.load",
        f"{PENALTY_STUDY}::test_split_jobs_past_saturation_have_no_means",
    ),
    Mutant(
        DISPERSION,
        "Sample(mine[name].to_numpy(), doubt)",
        "Sample(mine[name].to_numpy())",
        f"{PENALTY_STUDY}::test_split_jobs_whose_responses_rise_are_in_doubt",
    ),
    Mutant(
        "studies/communication_penalty/claims.py",
        'parts = {"shares of the jobs": runs.shares.likely}',
        "parts = {}",
        f"{VERDICTS}::test_cp1_doubts_shares_of_jobs_that_no_likely_sample_has",
    ),
    Mutant(
        "studies/communication_penalty/headlines.py",
        "for end in (ratio.low, ratio.high)",
        "for end in [ratio.estimate]",
        f"{VERDICTS}::test_titles_claim_no_more_than_the_intervals",
    ),
    Mutant(
        "studies/communication_penalty/headlines.py",
        "seen = any(each.above(0) or each.below(0) for each in waits)",
        "seen = any(each.above(0) for each in waits)",
        f"{VERDICTS}::test_titles_claim_no_more_than_the_intervals",
    ),
    Mutant(
        "compilation.py",
        "if not _announced.isdisjoint({name, what}):",
        "if name in _announced:",
        "test_compilation.py::test_kernels_of_one_name_are_announced_once_whatever_thread_asks",
    ),
    Mutant(
        "plots/ranges.py",
        '":" if found.doubt else "-"',
        '"-"',
        "test_ranges.py::test_what_is_in_doubt_is_dotted_and_said",
    ),
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
        "doubt = bears.doubt or rising(",
        "doubt = rising(",
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
        "jobs.with_(span_penalty=psi)",
        "jobs",
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
    Mutant(
        "studies/communication_penalty/changes.py",
        "np.log(one.values / other.values)",
        "one.values / other.values - 1",
        f"{VIABILITY}::test_a_change_is_that_of_the_geometric_mean_run_by_run",
    ),
    Mutant(
        "studies/communication_penalty/changes.py",
        'return Change(_endless(np.inf), "split", bears.above(0) or None)',
        'return Change(_endless(np.inf), "split", True)',
        f"{VIABILITY}::test_saturation_is_told_and_not_averaged",
    ),
    Mutant(
        "studies/communication_penalty/changes.py",
        "not_(bears.below(0) or None)",
        "not_(bears.above(0) or None)",
        f"{VIABILITY}::test_saturation_is_told_and_not_averaged",
    ),
    Mutant(
        "studies/communication_penalty/changes.py",
        "one.doubt or other.doubt).interval",
        "other.doubt).interval",
        f"{VIABILITY}::test_what_is_noisy_or_in_doubt_is_undecided",
    ),
    Mutant(
        "studies/communication_penalty/responses.py",
        "split = spans.sum() / max(could.sum(), 1)",
        "split = spans.mean()",
        f"{VIABILITY}::test_at_a_vanishing_load_a_split_job_pays_its_penalty_and_nobody_else_changes",
    ),
    Mutant(
        "studies/communication_penalty/viability.py",
        "2 * gains[i] > cells[i]",
        "gains[i]",
        f"{CHANGE_MAPS}::test_the_title_of_a_map_says_up_to_where_most_gain",
    ),
    Mutant(
        "studies/communication_penalty/viability.py",
        'for kind in ("S1 gains, S4 loses", "S1 loses, S4 gains")',
        'for kind in ("S1 loses, S4 gains", "S1 gains, S4 loses")',
        f"{CHANGE_MAPS}::test_who_pays_counts_small_gains_beside_large_losses_and_the_reverse",
    ),
    Mutant(
        "studies/communication_penalty/adaptive.py",
        "some.values - share * full.values",
        "some.values - full.values",
        f"{CHANGE_MAPS}::test_what_is_kept_whole_takes_its_part_of_the_gain",
    ),
    Mutant(
        "studies/communication_penalty/adaptive.py",
        "if share is not None and label[1].endswith(AT_NEED)",
        "if share is not None",
        f"{CHANGE_MAPS}::test_the_share_split_is_drawn_at_need_only_and_ends_where_it_saturates",
    ),
    Mutant(
        "studies/communication_penalty/need_thresholds.py",
        '"" if found.answer == "crossing" else "?"',
        '""',
        f"{VIABILITY}::test_the_title_of_thresholds_tells_each_way_and_what_is_not_certain",
    ),
    Mutant(
        "studies/communication_penalty/cases.py",
        'schedule.response.mean():.1f}": schedule',
        'schedule.wait.mean():.1f}": schedule',
        f"{VIABILITY}::test_a_case_shows_the_same_jobs_whole_and_split",
    ),
    Mutant(
        "plots/maps.py",
        "decided = cell.above(0) or cell.below(0)",
        "decided = True",
        f"{MAPS_DRAWN}::test_maps_number_their_cells_and_hatch_what_is_undecided",
    ),
    Mutant(
        "plots/maps.py",
        "cell.longer if isinstance(cell, Mark) else cell.estimate > 0",
        "cell.longer if isinstance(cell, Mark) else cell.estimate > 10",
        f"{MAPS_DRAWN}::test_maps_have_a_line_where_the_sign_turns",
    ),
    Mutant(
        "widgets/penalties.py",
        "borne = {name: each for name, each in found.items() if not each.saturated}",
        "borne = {SPLIT: whole}",
        "test_penalty_widget.py::test_what_saturates_is_said_and_has_no_bar",
    ),
    Mutant(
        "widgets/penalties.py",
        "(row.children[-1] for row in (alpha, ratio, psi))",
        "(row.children[-1] for row in (alpha, ratio))",
        "test_penalty_widget.py::test_a_line_that_makes_no_sense_is_answered_beside_it",
    ),
    Mutant(
        "studies/communication_penalty/exercises.py",
        "split / whole - 1",
        "split / whole",
        f"{EXERCISES}::test_right_answers_are_taken",
    ),
    Mutant(
        "studies/communication_penalty/exercises.py",
        "(above, rule) in KNOWN.items()}",
        "(_, rule) in KNOWN.items() for above in [MAY_BE_SPLIT]}",
        f"{EXERCISES}::test_the_leaderboard_takes_own_rules_and_orders_by_what_is_borne",
    ),
    Mutant(
        "studies/claims.py",
        "*why, listed=self.listed, ",
        "*why, ",
        f"{LEDGER}::test_a_study_may_list_parts_in_its_own_way",
    ),
    Mutant(
        "plots/ratios.py",
        "if least - slack <= mark <= most + slack]",
        "if mark <= most + slack]",
        f"{LINES_DRAWN}::test_ratios_are_marked_where_their_lines_are_and_name_what_is_dashed",
    ),
    Mutant(
        "plots/ratios.py",
        "mark <= most + slack]",
        "mark <= most]",
        f"{LINES_DRAWN}::test_the_last_place_of_ratios_is_marked_where_it_is_round",
    ),
    Mutant(
        "widgets/picture.py",
        "palette.putpalette(areas + rare[: 3 * EDGES])",
        "palette.putpalette(rare[: 3 * EDGES])",
        "test_widgets.py::test_an_image_has_a_palette_and_keeps_its_colours",
    ),
    Mutant(
        "plots/ratios.py",
        "or len(panels) < 3 else 2",
        "or len(panels) < 3 else len(panels)",
        f"{EXPLORER}::test_many_panels_of_long_names_stand_in_rows_of_two",
    ),
    Mutant(
        "widgets/sharing.py",
        "Case(work, configuration, LOCAL, policy, wide=OF_SITE)",
        "Case(work, configuration, LOCAL, wide=OF_SITE)",
        f"{EXPLORER}::test_bars_and_timelines_are_those_of_the_schedules",
    ),
    Mutant(
        "widgets/sharing.py",
        "edges = submit.min() + DAY",
        "edges = DAY",
        f"{EXPLORER}::test_bars_and_timelines_are_those_of_the_schedules",
    ),
    Mutant(
        "studies/job_sharing/exercises.py",
        'mode, "FCFS", overhead',
        'mode, "EASY", overhead',
        "studies/test_sharing_exercises.py::test_right_answers_are_taken",
    ),
)
