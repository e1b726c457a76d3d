"""Make small mistakes in a copy of parts of the library, and count those that the tests notice.

A mutant is the library with one changed operator, number or constant, for example ``<`` in place of
``<=``. Mutants are sampled until the time is over: one of the policies, one of the engines, one of
the formulas, and so on, in turn. A mutant is killed if a test fails on it. The others are either
explained in `EXPLAINED`, because no test could notice them, or they show what no test checks.

Run it by ``python benchmarks/mutants.py MINUTES SEED PAGE``.
"""

import ast
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parent / "peers"))

import page

ROOT = Path(__file__).resolve().parents[1]
#: Surviving mutants that change nothing that a caller could see, with the reason.
EXPLAINED = ROOT / "benchmarks" / "mutants_explained.csv"
#: The longest processor time, in seconds, that the tests of one mutant may take. A mutant whose
#: tests take longer, for example because a loop does not end, is killed. A limit on the time by the
#: clock would also kill mutants that no test notices, if the machine is busy.
LONGEST = 300
#: The longest time by the clock, as a multiple of the longest processor time.
PATIENCE = 10
#: The longest time, in seconds, for compiling all kernels again.
COMPILING = 900
#: The test of the examples in the docstrings of a module.
EXAMPLES = "test_the_examples_of_a_module_come_out_as_shown"
#: Exit statuses of pytest for wrong arguments and for no tests.
USAGE, NO_TESTS = 4, 5
WORKERS = 2
#: One failing test is enough, so Hypothesis need not look for a smaller example.
PROFILE = ("--hypothesis-profile=unshrunk",)

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Tests(NamedTuple):
    """Arguments of pytest, and whether the kernels run as plain Python, without compilation."""

    arguments: tuple[str, ...]
    uncompiled: bool = False


class Area(NamedTuple):
    """Modules of the library, and the tests that must notice a mistake in them, in order."""

    modules: tuple[str, ...]
    tests: tuple[Tests, ...]


_AGREEMENT = ("tests/engines/test_agreement.py", "-k", "both_engines_agree")
AREAS = {
    "model": Area(("model/*.py",), (Tests(("tests/model",)), Tests(("tests/simulation",)))),
    "policies": Area(("policies/*.py",), (Tests(("tests/policies",)), Tests(_AGREEMENT))),
    "engines": Area(
        ("engines/*.py", "engines/kernels/*.py"),
        (
            Tests(_AGREEMENT, uncompiled=True),
            Tests(("tests/engines", "tests/policies")),
        ),
    ),
    "calendar": Area(
        ("calendar/*.py", "calendar/kernels/*.py"),
        (
            # Without compilation, an index beyond the end of an array is an error.
            Tests((*_AGREEMENT[:-1], "both_engines_agree and Online"), uncompiled=True),
            Tests(("tests/calendar", "tests/policies/test_booking.py")),
        ),
    ),
    "simulation": Area(("simulation/*.py",), (Tests(("tests/simulation",)),)),
    "formulas": Area(("analytic/*.py",), (Tests(("tests/analytic", "tests/cli/test_loss.py")),)),
    "statistics": Area(("statistics/*.py",), (Tests(("tests/statistics",)),)),
    "verification": Area(
        ("schedules/verification/*.py",), (Tests(("tests/schedules", "tests/cli/test_verify.py")),)
    ),
    "readers": Area(("workloads/*.py",), (Tests(("tests/workloads", "tests/cli")),)),
}


class Mutant(NamedTuple):
    """A module of the library with one change."""

    area: str
    module: str
    line: int
    code: str
    occurrence: int
    before: str
    after: str
    number: int

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """The module, the line of code, how often it has this change before, and the change."""
        return self.module, self.code, str(self.occurrence), self.before, self.after


def changes(tree: ast.Module) -> Iterator[tuple[ast.AST, Callable[[], None], Callable[[], None]]]:
    """Yield each node that can be changed, with functions that change it and change it back."""
    for node in _code(tree):
        if isinstance(node, ast.Compare):
            for place, op in enumerate(node.ops):
                changed = [*node.ops[:place], SWAPS[type(op)](), *node.ops[place + 1 :]]
                yield node, *_setting(node, "ops", changed)
        elif isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign) and type(node.op) in SWAPS:
            yield node, *_setting(node, "op", SWAPS[type(node.op)]())
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield node, *_setting(node, "id", NAMES[node.id])
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node, *_setting(node, "value", not node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield node, *_setting(node, "value", node.value + 1)


def _setting(node, name, value):
    """Return functions that set an attribute of a node and that set it back."""
    old = getattr(node, name)
    return lambda: setattr(node, name, value), lambda: setattr(node, name, old)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node whose change would change what the program computes.

    Errors, annotations and decorators are left out.
    """
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue  # a check of `zip`, which changes no result
            if isinstance(child, ast.AST):
                yield child
                yield from _code(child)


@cache
def mutants_of(area: str) -> tuple[Mutant, ...]:
    """Return all mutants of the modules of an area."""
    mutants = []
    library = ROOT / "coalloc_lib"
    for path in sorted(each for glob in AREAS[area].modules for each in library.glob(glob)):
        right, module = path.read_text("utf-8"), str(path.relative_to(ROOT))
        lines, seen = right.splitlines(), Counter()
        for number, (node, change, change_back) in enumerate(changes(ast.parse(right))):
            before = ast.unparse(node)
            change()
            after = ast.unparse(node)
            change_back()
            same = lines[node.lineno - 1].strip(), before, after
            place = node.lineno, same[0], seen[same]
            seen[same] += 1
            mutants.append(Mutant(area, module, *place, before, after, number))
    return tuple(mutants)


def text_of(mutant: Mutant) -> str:
    """Return the text of the changed module."""
    tree = ast.parse((ROOT / mutant.module).read_text("utf-8"))
    for number, (_, change, _) in enumerate(changes(tree)):
        if number == mutant.number:
            change()
            break
    return ast.unparse(tree)


def sampled(seed: int) -> Iterator[Mutant]:
    """Yield mutants in random order, one of each area in turn."""
    rng = random.Random(seed)
    left = {area: [*mutants_of(area)] for area in AREAS}
    for mutants in left.values():
        rng.shuffle(mutants)
    while any(left.values()):
        yield from (mutants.pop() for mutants in left.values() if mutants)


def copied(folder: Path) -> Path:
    """Copy the files under version control and the compiled kernels into a folder."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    files = [ROOT / name for name in names.stdout.decode().split("\0")]
    files += ROOT.glob("coalloc_lib/**/__pycache__/*.nb[ci]")
    for file in files:
        if file.is_file():
            target = folder / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)  # keeps the time of the last change, which Numba compares
    return folder


def notice(copy: Path, area: str, module: str = "") -> bool:
    """Return whether a test of an area fails in a copy of the project.

    The tests of the changed module and the examples of its docstrings run first, because they
    notice most mistakes.
    """
    folder, _, name = module.removeprefix("coalloc_lib/").rpartition("/")
    own = f"tests/{folder}/test_{name}"
    first = [Tests((own,))] if module and (copy / own).is_file() else []
    if module:
        name = module.removesuffix(".py").replace("/", ".")
        first.append(Tests((f"tests/test_docs.py::{EXAMPLES}[{name}]",)))
    for tests in (*first, *AREAS[area].tests):
        if not tests.uncompiled and "kernels" in module:
            # A change to a kernel makes all kernels compile again, which is not test time.
            _run(copy, "-m", "tests.warm", seconds=COMPILING)
        status = _run(
            copy, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
            *PROFILE, *tests.arguments, uncompiled=tests.uncompiled,
        )  # fmt: skip
        if not module and status in (NO_TESTS, USAGE):
            raise SystemExit(f"pytest cannot run {' '.join(tests.arguments)} in {copy}")
        # A mistake that stops `conftest.py` from being imported also has the status `USAGE`, and so
        # has a module without examples. A file may have long tests only, which do not run here.
        if status not in (0, NO_TESTS) and not (status == USAGE and EXAMPLES in str(tests)):
            return True
    return False


def _run(copy: Path, *arguments: str, uncompiled: bool = False, seconds: float = LONGEST) -> int:
    """Run Python in a copy, and return its exit status; a run that takes too long is killed."""
    places = os.pathsep.join([str(copy), str(copy / "notebooks")])
    variables = {key: value for key, value in os.environ.items() if key != "COALLOC_TRACES"}
    variables |= {"PYTHONPATH": places, "NUMBA_DISABLE_JIT": str(int(uncompiled))}
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    limited = ["sh", "-c", f'ulimit -t {seconds:.0f}; exec "$@"', "sh", sys.executable, *arguments]
    process = subprocess.Popen(limited, cwd=copy, env=variables, start_new_session=True, **silent)
    try:
        return process.wait(PATIENCE * seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with its worker processes
        return process.wait()


class Bench:
    """Copies of the project, one for each worker, in which mutants are tested."""

    def __init__(self, folder: Path) -> None:
        self.free = [copied(folder / str(number)) for number in range(WORKERS)]

    def check(self, area: str) -> None:
        """Raise an error if a test of an area fails without a mistake."""
        copy = self.free.pop()
        if notice(copy, area):
            raise SystemExit(f"the tests of {area} fail in a copy without any mutant")
        self.free.append(copy)

    def kills(self, mutant: Mutant, deadline: float) -> bool | None:
        """Return whether the tests notice a mutant; None if there was no time to test it."""
        if time.monotonic() > deadline:
            return None
        copy = self.free.pop()
        path = copy / mutant.module
        right, stamp = path.read_bytes(), path.stat()
        try:
            path.write_text(text_of(mutant), "utf-8")
            return notice(copy, mutant.area, mutant.module)
        finally:
            path.write_bytes(right)
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # for the cache of Numba
            self.free.append(copy)


def explained() -> dict[tuple[str, ...], str]:
    """Return the reason for each explained mutant, by its key."""
    names = ("module", "code", "occurrence", "before", "after")
    with EXPLAINED.open(newline="", encoding="utf-8") as file:
        return {tuple(row[name] for name in names): row["why"] for row in csv.DictReader(file)}


def report(results: list[tuple[Mutant, bool]], minutes: float, seed: int) -> str:
    """Return a table of the areas and a table of the mutants that survived."""
    reasons = explained()
    lines = [
        f"{page.measured_on()}Mutants were sampled for {minutes:g} minutes (seed {seed}).\n",
        "| area | mutants | sampled | killed | explained | not noticed |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    survivors = [mutant for mutant, is_killed in results if not is_killed]
    why = {mutant: reasons.get(mutant.key) for mutant in survivors}
    for area in AREAS:
        mine = [(mutant, is_killed) for mutant, is_killed in results if mutant.area == area]
        killed = sum(is_killed for _, is_killed in mine)
        known = sum(why[mutant] is not None for mutant, is_killed in mine if not is_killed)
        counts = len(mutants_of(area)), len(mine), killed, known, len(mine) - killed - known
        lines.append(f"| {area} | {' | '.join(map(str, counts))} |")
    noticed = 1 - sum(why[mutant] is None for mutant in survivors) / max(1, len(results))
    lines += [f"\n{noticed:.1%} of {len(results)} sampled mutants are killed or explained.\n"]
    lines += ["| survivor | change | reason |", "| --- | --- | --- |"]
    for mutant in survivors:
        place = f"`{mutant.module.removeprefix('coalloc_lib/')}:{mutant.line}`"
        change = f"`{mutant.before}` became `{mutant.after}`".replace("|", "\\|")
        lines.append(f"| {place} | {change} | {why[mutant] or 'no test notices it'} |")
    return "\n".join(lines) + "\n"


def tested(bench: Bench, seed: int, minutes: float) -> Iterator[tuple[Mutant, bool]]:
    """Yield sampled mutants until the time is over, and whether the tests killed each of them."""
    deadline = time.monotonic() + 60 * minutes
    with ThreadPoolExecutor(WORKERS) as pool:
        waiting: deque = deque()
        for mutant in sampled(seed):
            waiting.append((mutant, pool.submit(bench.kills, mutant, deadline)))
            if len(waiting) == WORKERS:
                first, future = waiting.popleft()
                if (is_killed := future.result()) is None:
                    break  # the time is over
                yield first, is_killed
        for mutant, future in waiting:
            if (is_killed := future.result()) is not None:
                yield mutant, is_killed


def main(minutes: float, seed: int, target: str) -> None:
    """Test sampled mutants until the time is over, and write the page."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(bench.check, AREAS))
        for mutant, is_killed in tested(bench, seed, minutes):
            results.append((mutant, is_killed))
            outcome = "killed" if is_killed else "SURVIVED"
            print(
                outcome, mutant.module, mutant.line, mutant.before, "->", mutant.after, flush=True
            )
    page.fill(target, "mutants", report(results, minutes, seed))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
