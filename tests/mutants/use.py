"""Mistakes in files and on the command line."""

from tests.mutants.tool import Mutant

FILES = "test_files.py"
LOSS = "cli/test_loss.py"
SIMULATE = "cli/test_simulate.py"

MUTANTS = (
    Mutant(
        "files.py",
        "after any exception there is.\n        beside.unlink(missing_ok=True)",
        "after any exception there is.\n        pass",
        f"{FILES}::test_a_crash_keeps_the_old_file_and_leaves_nothing_else",
    ),
    Mutant(
        "files.py",
        "            os.replace(beside, target)\n",
        "            shutil.copyfile(beside, target)\n",
        FILES,
    ),
    Mutant("files.py", "beside.chmod(stat.S_IMODE(target.stat().st_mode))", "pass", FILES),
    Mutant("files.py", "os.path.realpath(path) if os.path.islink(path) else path", "path", FILES),
    Mutant("files.py", "        return target.is_file()\n", "        return True\n", FILES),
    Mutant("files.py", "-{socket.gethostname()}-", "-", FILES),
    Mutant(
        "files.py",
        "    except ProcessLookupError:\n        return True\n",
        "    except ProcessLookupError:\n        return False\n",
        FILES,
    ),
    Mutant(
        "files.py",
        "        with _one_line_if_full(target):\n            _make_empty",
        "        with suppress(OSError):\n            _make_empty",
        FILES,
    ),
    Mutant(
        "checks.py",
        "if not 0 < number < math.inf:",
        "if not 0 <= number < math.inf:",
        "test_columns.py test_jobs.py",
    ),
    Mutant("checks.py", "number == int(number)):", "True):", "test_columns.py test_system.py"),
    Mutant(
        "cli/options.py",
        "for option in sorted(given - set(wanted)):",
        "for option in ():",
        f"{SIMULATE} {LOSS}",
    ),
    Mutant(
        "cli/options.py",
        "value is not None and value < least",
        "value is not None and value <= least",
        f"{SIMULATE} {LOSS}",
    ),
    Mutant("cli/options.py", '    if request == "ordered":', "    if False:", f"{SIMULATE} {LOSS}"),
    Mutant(
        "cli/loss.py",
        '"--service": ("exponential",)',
        '"--service": ("exponential", "deterministic")',
        LOSS,
    ),
    Mutant("cli/loss.py", "or (method is None and by_chain and sampling)", "", LOSS),
    Mutant(
        "cli/loss.py", "0.0 if abs(loss.estimate) < 5e-5 else loss.estimate", "loss.estimate", LOSS
    ),
    Mutant("cli/loss.py", 'else {"backlog": BACKLOG}', "else {}", LOSS),
    Mutant(
        "cli/loss.py", 'print(f"{text}, {method}" if say_method else text)', "print(text)", LOSS
    ),
    Mutant("cli/loss.py", "    for name in sampling:\n", "    for name in ():\n", LOSS),
    Mutant(
        "cli/simulate.py",
        "bisect_left(sizes, True, key=is_impossible)",
        "bisect_left(sizes, True, key=is_impossible) + 1",
        SIMULATE,
    ),
    Mutant("cli/simulate.py", "if waits > STILL_WAITING:", "if waits > 1:", SIMULATE),
    Mutant("cli/simulate.py", "    _check_out(out, as_json)\n    log", "    log", SIMULATE),
    Mutant(
        "cli/simulate.py",
        "job {jobs.number[position]} {reason}",
        "job {position} {reason}",
        SIMULATE,
    ),
)
