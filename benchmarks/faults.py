"""Run the tests of faults and of places, and write a table of them: ``python faults.py PAGE``.

The name of each test says what must be true after the fault. `make faults` calls this program.
"""

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

sys.path.append(str(Path(__file__).resolve().parent / "peers"))

import page

ROOT = Path(__file__).resolve().parents[1]

#: The modules of tests, and what goes wrong in them or where they run.
MODULES = {
    "tests.faults.test_kills": "a process is killed",
    "tests.faults.test_interrupts": "Ctrl-C",
    "tests.faults.test_full_disk": "the disk is full",
    "tests.faults.test_cold_kernels": "no compiled kernels, or damaged ones",
    "tests.faults.test_hostile_names": "names with HTML, formulas or escapes",
    "tests.faults.test_determinism": "other workers, hashes and seeds",
    "tests.faults.test_places": "another user, no home, no network, odd paths",
    "tests.faults.test_pythons": "other versions of Python",
    "tests.test_wheel": "the wheel, without a clone",
    "tests.test_lowest_versions": "the lowest versions of all packages",
}


def run_tests(report):
    """Run the tests, and let pytest write a report in XML."""
    files = [f"{module.replace('.', '/')}.py" for module in MODULES]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "", f"--junitxml={report}", *files]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def rows(report):
    """Yield a row for each test function: its worst result, and the seconds of all its cases."""
    results, seconds = defaultdict(set), defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        key = case.get("classname"), case.get("name").partition("[")[0]
        bad = {child.tag for child in case} & {"failure", "error", "skipped"}
        results[key] |= bad or {"passed"}
        seconds[key] += float(case.get("time"))
    for (module, name), found in results.items():
        worst = next(each for each in ("error", "failure", "skipped", "passed") if each in found)
        words = name.removeprefix("test_").replace("_", " ")
        yield MODULES[module], words, worst, f"{seconds[module, name]:.0f}"


def main(target):
    """Run the tests and write the table into the page; fail if a test fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        status = run_tests(report)
        table = page.table(("fault or place", "what is true then", "result", "s"), rows(report))
    page.fill(target, "faults", page.measured_on() + "\n" + table)
    sys.exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
