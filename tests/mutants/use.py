"""Mistakes in files and on the command line."""

from tests.mutants.tool import Mutant

FILES = "test_files.py"
LOSS = "cli/test_loss.py"
SIMULATE = "cli/test_simulate.py"

MUTANTS = (
    Mutant(
        "files.py",
        "            os.replace(beside, target)\n",
        "            shutil.copyfile(beside, target)\n",
        FILES,
    ),
    Mutant("files.py", "beside.chmod(stat.S_IMODE(target.stat().st_mode))", "pass", FILES),
    Mutant("files.py", "-{socket.gethostname()}-", "-", FILES),
    Mutant(
        "files.py",
        "    except ProcessLookupError:\n        return True\n",
        "    except ProcessLookupError:\n        return False\n",
        FILES,
    ),
    Mutant(
        "checks.py",
        "if not 0 < number < math.inf:",
        "if not 0 <= number < math.inf:",
        "test_columns.py test_jobs.py",
    ),
    Mutant("checks.py", "number == int(number)):", "True):", "test_columns.py test_system.py"),
    Mutant("cli/options.py", '    if request == "ordered":', "    if False:", f"{SIMULATE} {LOSS}"),
    Mutant(
        "cli/loss.py",
        '"--service": ("exponential",)',
        '"--service": ("exponential", "deterministic")',
        LOSS,
    ),
    Mutant(
        "cli/loss.py", "0.0 if abs(loss.estimate) < 5e-5 else loss.estimate", "loss.estimate", LOSS
    ),
    Mutant(
        "cli/loss.py", 'print(f"{text}, {method}" if say_method else text)', "print(text)", LOSS
    ),
    Mutant("cli/loss.py", "    for name in sampling:\n", "    for name in ():\n", LOSS),
    Mutant("cli/simulate.py", "if waits > STILL_WAITING:", "if waits > 1:", SIMULATE),
    Mutant(
        "columns.py",
        'array = array / np.timedelta64(1, "s")',
        "array = array.astype(float)",
        "test_columns.py",
    ),
    Mutant(
        "files.py",
        "Path(os.path.realpath(target)) if target.is_symlink() else target",
        "target",
        "test_files.py",
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
