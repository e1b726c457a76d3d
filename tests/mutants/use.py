"""Mistakes in files and on the command line."""

from tests.mutants.tool import Mutant

FILES = "test_files.py"
LOSS = "cli/test_loss.py"
SIMULATE = "cli/test_simulate.py"

MUTANTS = (
    Mutant(
        "files.py",
        "after any exception there is.\n            beside.unlink(missing_ok=True)",
        "after any exception there is.\n            pass",
        f"{FILES}::test_a_crash_keeps_the_old_file_and_leaves_nothing_else",
    ),
    Mutant(
        "cli/options.py",
        "if value is not None and option not in wanted:",
        "if False:",
        f"{LOSS}::test_loss_refuses_what_is_wrong_in_one_line",
    ),
    Mutant(
        "cli/loss.py",
        "(obstacle or (by_chain and sampling))",
        "obstacle",
        f"{LOSS}::test_what_no_formula_answers_is_simulated",
    ),
    Mutant(
        "cli/simulate.py",
        "        check_writable(out)\n",
        "        pass\n",
        f"{SIMULATE}::test_the_out_file_is_tried_before_the_run",
    ),
    Mutant(
        "cli/simulate.py",
        "job {jobs.number[error.job]} can never start",
        "job {error.job} can never start",
        f"{SIMULATE}::test_wide_jobs_are_refused_by_their_number_or_left_out",
    ),
    Mutant(
        "files.py",
        "            os.replace(beside, target)\n",
        "            shutil.copyfile(beside, target)\n",
        f"{FILES}::test_who_reads_the_old_file_goes_on_reading_it",
    ),
    Mutant(
        "files.py",
        "beside.chmod(stat.S_IMODE(target.stat().st_mode))",
        "pass",
        f"{FILES}::test_a_link_is_followed_and_the_mode_of_its_target_kept",
    ),
    Mutant(
        "files.py",
        "-{socket.gethostname()}-",
        "-",
        f"{FILES}::test_what_other_hosts_write_is_left_alone",
    ),
    Mutant(
        "files.py",
        "    except ProcessLookupError:\n        return True\n",
        "    except ProcessLookupError:\n        return False\n",
        f"{FILES}::test_what_a_kill_leaves_says_what_it_is_and_goes_with_the_next_run",
    ),
    Mutant(
        "checks.py",
        "if not 0 < number < math.inf:",
        "if not 0 <= number < math.inf:",
        "test_columns.py::test_numbers_of_any_kind_are_numbers",
    ),
    Mutant(
        "checks.py", "number == int(number)):", "True):", "test_scheduling.py::test_fpfs_refuses"
    ),
    Mutant(
        "cli/options.py",
        '    if request == "ordered":',
        "    if False:",
        f"{SIMULATE}::test_simulate_refuses_what_is_wrong_in_one_line",
    ),
    Mutant(
        "cli/loss.py",
        '"--service": ("exponential",)',
        '"--service": ("exponential", "deterministic")',
        f"{LOSS}::test_what_no_formula_answers_is_simulated",
    ),
    Mutant(
        "cli/loss.py",
        "0.0 if abs(loss.estimate) < 5e-5 else loss.estimate",
        "loss.estimate",
        f"{LOSS}::test_a_loss_of_nothing_has_no_sign",
    ),
    Mutant(
        "cli/loss.py",
        'print(f"{text}, {method}" if say_method else text)',
        "print(text)",
        f"{LOSS}::test_components_default_to_one_a_cluster",
    ),
    Mutant(
        "cli/loss.py",
        "    for name in sampling:\n",
        "    for name in ():\n",
        f"{LOSS}::test_loss_refuses_what_is_wrong_in_one_line",
    ),
    Mutant(
        "cli/simulate.py",
        "if waits > STILL_WAITING:",
        "if waits > 1:",
        f"{SIMULATE}::test_work_that_still_waits_at_the_end_is_said",
    ),
    Mutant(
        "columns.py",
        'array = array / np.timedelta64(1, "s")',
        "array = array.astype(float)",
        "test_columns.py::test_lengths_of_time_are_seconds",
    ),
    Mutant(
        "files.py",
        "Path(os.path.realpath(target)) if target.is_symlink() else target",
        "target",
        f"{FILES}::test_a_link_is_followed_and_the_mode_of_its_target_kept",
    ),
    Mutant(
        "saturation.py",
        "return 1 if isinstance(scenario.scheduling, FCFS) else HELD",
        "return 1",
        "test_saturation.py::test_a_policy_that_overtakes_sees_a_queue_without_being_told",
    ),
    Mutant(
        "curves.py",
        "if not (settled or was_settled):",
        "if False:",
        "test_curves.py::test_a_load_that_is_not_borne_leaves_the_point_in_doubt",
    ),
    Mutant(
        "estimates.py",
        "return None if answer is None else not answer",
        "return not answer",
        "test_estimates.py::test_all_of",
    ),
    Mutant(
        "engines/state.py",
        "return iter(self[:])",
        "return list.__iter__(self)",
        "test_scheduling.py::test_a_policy_may_go_through_the_queue_while_it_starts_jobs",
    ),
)
