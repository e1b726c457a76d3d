"""Mistakes in the studies: verdicts, claims and figures."""

from tests.mutants.tool import Mutant

LEDGER = "studies/test_ledger.py"
LINES_DRAWN = "test_plots_of_lines.py"
MAPS_DRAWN = "test_plots_of_maps.py"

PENALTY = "studies/test_penalty_responses.py"
RESPONSES = "studies/communication_penalty/responses.py"
PENALTY_STUDY = "studies/test_communication_penalty.py"
PENALTY_CLAIMS = "studies/communication_penalty/__init__.py"
PENALTY_FIGURES = "studies/communication_penalty/figures.py"
SHARING = "studies/test_job_sharing.py"
SHARING_STUDY = "studies/job_sharing/__init__.py"
SHARING_CASES = "studies/job_sharing/cases.py"
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
        SHARING_STUDY,
        "np.clip([break_even(each) for each in means.reshape(2, -1)], 0, OVERHEADS[-1])",
        "[break_even(each) for each in means.reshape(2, -1)]",
        f"{SHARING}::test_verdicts_follow_the_numbers",
    ),
    Mutant(
        SHARING_STUDY,
        "if one[-1].work is other[-1].work:",
        "if False:",
        f"{SHARING}::test_break_evens_are_compared_in_the_same_weeks",
    ),
    Mutant(
        SHARING_CASES,
        "int((more > 0).argmax())",
        "int((more >= 0).argmax())",
        f"{SHARING}::test_break_even_by_hand",
    ),
    Mutant(
        SHARING_CASES,
        "return dict(_sets_of(found, seed))",
        'return dict(_sets_of("", seed))',
        f"{SHARING}::test_a_stand_in_says_so_and_is_forgotten_when_the_log_is_there",
    ),
    Mutant(
        SHARING_CASES,
        "by_site(getattr(schedule.jobs, w) * schedule.response, at[job])",
        "by_site(getattr(schedule.jobs, w) * schedule.wait, at[job])",
        f"{SHARING}::test_awrts_are_those_of_schedules_made_by_hand",
    ),
    Mutant(
        SHARING_STUDY,
        "{n: sizes == n for n in",
        "{n: sizes != n for n in",
        f"{SHARING}::test_who_loses_by_joining_is_seen_by_size_and_assignment",
    ),
    Mutant(
        SHARING_STUDY,
        "scale, (seed,) = getattr(scale, sizes), spawn(its_own, 1)",
        "scale = getattr(scale, sizes)",
        f"{SHARING}::test_earlier_cases_have_the_seeds_of_their_studies",
    ),
    Mutant(
        RESPONSES,
        "(size >= least) & (size <= most)",
        "(size >= least) & (size < most)",
        f"{PENALTY}::test_means_are_those_of_the_runs_after_the_warm_up",
    ),
    Mutant(
        RESPONSES,
        "kept = slice(int(WARM_UP * jobs), None)",
        "kept = slice(None)",
        f"{PENALTY}::test_means_are_those_of_the_runs_after_the_warm_up",
    ),
    Mutant(
        RESPONSES,
        "(psi >= least) & (psi < most)",
        "(psi >= least)",
        f"{PENALTY}::test_means_are_those_of_the_runs_after_the_warm_up",
    ),
    Mutant(
        RESPONSES,
        ">= borne.interval.low:",
        ">= 1:",
        f"{PENALTY}::test_a_load_that_is_not_borne_has_no_means_and_what_is_borne_does_not_depend_on_it",
    ),
    Mutant(
        RESPONSES,
        "borne.warning or RISING * bool(rises)",
        "RISING * bool(rises)",
        f"{PENALTY}::test_responses_that_still_rise_are_in_doubt",
    ),
    Mutant(
        RESPONSES,
        "less = whole.max_utilization - split.max_utilization",
        "less = split.max_utilization - whole.max_utilization",
        f"{PENALTY}::test_what_is_lost_in_its_three_cases",
    ),
    Mutant(
        RESPONSES,
        "less.interval.low <= 0",
        "less.interval.estimate <= 0",
        f"{PENALTY}::test_what_is_lost_in_its_three_cases",
    ),
    Mutant(
        RESPONSES,
        "parts=PARTS, span_penalty=psi",
        "parts=PARTS",
        f"{PENALTY}::test_thresholds_hold_the_loss_at_zero",
    ),
    Mutant(
        RESPONSES,
        "np.log(found.values)",
        "found.values - 1",
        f"{PENALTY}::test_a_change_is_that_of_the_geometric_mean_run_by_run",
    ),
    Mutant(
        RESPONSES,
        '"split", costs.above(0), None',
        '"split", True, None',
        f"{PENALTY}::test_saturation_is_told_and_not_averaged",
    ),
    Mutant(
        RESPONSES,
        "None, costs.below(0)",
        "None, costs.above(0)",
        f"{PENALTY}::test_saturation_is_told_and_not_averaged",
    ),
    Mutant(
        RESPONSES,
        "mine.warning or theirs.warning",
        "theirs.warning",
        f"{PENALTY}::test_the_interval_decides_and_a_doubt_does_not",
    ),
    Mutant(
        PENALTY_CLAIMS,
        '{"shares of the jobs": jobs >= FEWEST}',
        "{}",
        f"{PENALTY_STUDY}::test_cp1_says_what_a_sample_does_not_explain",
    ),
    Mutant(
        PENALTY_CLAIMS,
        'min(0, apart["S1"])',
        'apart["S1"]',
        f"{PENALTY_STUDY}::test_the_nearest_case_is_found_and_what_is_borne_is_said",
    ),
    Mutant(
        PENALTY_CLAIMS,
        "all_of(rises_in_all, not falls)",
        "rises_in_all",
        f"{PENALTY_STUDY}::test_verdicts_say_what_the_lines_do",
    ),
    Mutant(
        PENALTY_CLAIMS,
        "shared and narrow < 2",
        "shared and narrow < 1",
        f"{PENALTY_STUDY}::test_verdicts_say_what_the_lines_do",
    ),
    Mutant(
        PENALTY_FIGURES,
        'warning=drawn["warning"].mask(gone, open_)',
        'warning=drawn["warning"]',
        f"{PENALTY_STUDY}::test_a_map_marks_what_saturates_and_hatches_what_is_not_certain",
    ),
    Mutant(
        PENALTY_FIGURES,
        "return counts[0] > counts[1]",
        "return counts[0] >= counts[1]",
        f"{PENALTY_STUDY}::test_notices_of_maps_count_cells",
    ),
    Mutant(
        PENALTY_FIGURES,
        "known = paper.ratio(found, theirs, group, to)",
        "known = paper.ratio(found, theirs, group)",
        f"{PENALTY_STUDY}::test_ratios_are_those_of_the_cases_run_by_run",
    ),
    Mutant(
        "compilation.py",
        "if not _announced.isdisjoint({name, what}):",
        "if name in _announced:",
        "test_compilation.py::test_kernels_of_one_name_are_announced_once_whatever_thread_asks",
    ),
    Mutant(
        "plots/intervals.py",
        '":" if one.warning else "-"',
        '"-"',
        f"{LINES_DRAWN}::test_special_intervals_are_hollow_doubtful_ones_dotted_and_words_where_there_is_room",
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
        "if result.half_width > limit:",
        "if False:",
        f"{LEDGER}::test_an_interval_is_met_give_or_take_the_rounding",
    ),
    Mutant(
        "studies/ledger.py",
        "    if result.warning:",
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
        "studies/ledger.py",
        '"undecided" if undecided else "holds"',
        '"holds"',
        f"{LEDGER}::test_a_claim_is_judged_by_its_parts",
    ),
    Mutant(
        "studies/ledger.py",
        "10.0**-decimals + 1e-12",
        "10.0**-decimals",
        f"{LEDGER}::test_an_exact_value_is_judged_by_its_rounding",
    ),
    Mutant(
        "studies/core.py",
        "if self._results is None or any(",
        "if False and any(",
        "studies/test_core.py::test_a_figure_takes_a_case_more_and_measures_only_that",
    ),
    Mutant(
        "studies/response_lines.py",
        "if load < bound.interval.low:\n                found",
        "if load < bound.interval.high:\n                found",
        "studies/test_cluster_configurations.py::test_loads_that_are_not_borne_have_no_response",
    ),
    Mutant(
        "studies/response_lines.py",
        "response_point(line, load / share",
        "response_point(line, load * share",
        "studies/test_cluster_configurations.py::test_a_part_of_the_processors_bears_all_of_the_load",
    ),
    Mutant(
        "studies/losses.py",
        "system = Multicluster([system.processors])",
        "system = Multicluster([system.largest])",
        "studies/test_maximal_utilization.py::test_a_total_request_has_one_cluster_as_large_as_all",
    ),
    Mutant(
        "studies/maximal_utilization.py",
        "all_of(*(each.between(-limit, limit) for",
        "all_of(*(abs(each.estimate) <= limit for",
        "studies/test_maximal_utilization.py::test_verdicts_follow_the_tables",
    ),
    Mutant(
        "studies/cluster_configurations.py",
        "not_(r.above(LIKE)) for r",
        "not_(r.above(0)) for r",
        "studies/test_cluster_configurations.py::test_noise_decides_nothing",
    ),
    Mutant(
        "plots/maps.py",
        "decided = found.above(0) or found.below(0)",
        "decided = True",
        f"{MAPS_DRAWN}::test_maps_number_their_cells_and_hatch_what_is_undecided",
    ),
    Mutant(
        "plots/maps.py",
        "found.estimate > 0\n",
        "found.estimate > 10\n",
        f"{MAPS_DRAWN}::test_maps_have_a_line_where_the_sign_turns",
    ),
    Mutant(
        "widgets/penalties.py",
        "if not each.saturated:",
        "if True:",
        "test_penalty_widget.py::test_what_saturates_is_said_and_has_no_bar",
    ),
    Mutant(
        "widgets/penalties.py",
        "(row.children[-1] for row in (alpha, ratio, psi))",
        "(row.children[-1] for row in (alpha, ratio))",
        "test_penalty_widget.py::test_a_line_that_makes_no_sense_is_answered_beside_it",
    ),
    Mutant(
        "studies/core.py",
        "if case not in known]",
        "]",
        "studies/test_core.py::test_a_figure_takes_a_case_more_and_measures_only_that",
    ),
    Mutant(
        "studies/core.py",
        "if name not in self._tables:",
        "if True:",
        "studies/test_core.py::test_a_table_is_made_once",
    ),
    Mutant(
        "studies/core.py",
        "return replace(self.figures[",
        "return (self.figures[",
        "studies/test_core.py::test_a_readers_case_does_not_reach_the_study",
    ),
    Mutant(
        "studies/pages.py",
        'counts.get("cannot be tested", 0)',
        "0",
        "studies/test_pages.py::test_printed_numbers_and_claims_are_counted_apart",
    ),
    Mutant(
        "plots/lines.py",
        "(places[0] - slack <= ticks) & ",
        "",
        f"{LINES_DRAWN}::test_round_numbers_are_marked_none_beside_the_lines",
    ),
    Mutant(
        "plots/lines.py",
        "<= places[1] + slack)",
        "<= places[1])",
        f"{LINES_DRAWN}::test_round_numbers_are_marked_none_beside_the_lines",
    ),
    Mutant(
        "plots/picture.py",
        "palette.putpalette(areas + rare[: 3 * EDGES])",
        "palette.putpalette(rare[: 3 * EDGES])",
        "test_widgets.py::test_an_image_has_a_palette_and_keeps_its_colours",
    ),
    Mutant(
        "plots/lines.py",
        "len(panels) > WIDE else",
        "len(panels) > 9 * WIDE else",
        f"{LINES_DRAWN}::test_panels_of_long_names_stand_in_rows_of_two_and_grids_in_rows",
    ),
    Mutant(
        "widgets/sharing.py",
        "work, configuration, mode, policy, overhead",
        'work, configuration, mode, "EASY", overhead',
        f"{EXPLORER}::test_bars_and_timelines_are_those_of_the_schedules",
    ),
    Mutant(
        "widgets/sharing.py",
        "edges = submit.min() + DAY",
        "edges = DAY",
        f"{EXPLORER}::test_bars_and_timelines_are_those_of_the_schedules",
    ),
)
