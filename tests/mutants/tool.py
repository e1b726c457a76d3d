"""Make a mistake in a copy of the library, and run the tests that should notice it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
COPIED = ("coalloc_lib", "notebooks/lessons", "tests", "data", "pyproject.toml")
#: Seconds that the tests of one mistake may take; one that makes a loop endless is noticed.
PATIENCE = 240


@dataclass(frozen=True)
class Mutant:
    """A mistake: in `file` of the library, `old`, which is there once, becomes `new`.

    `tests`, files or single tests in the folder of the tests, should notice. `harmless` says why
    none can: the mistake changes nothing that is promised. `interpreted` runs kernels as Python,
    since a mistake in one of them has all of them compiled anew.
    """

    file: str
    old: str
    new: str
    tests: str
    harmless: str = ""
    interpreted: bool = False

    def __str__(self):
        words = (" ".join(text.split())[:45] for text in (self.old, self.new))
        return f"{self.file}: {' -> '.join(words)}"

    def applied(self, text):
        """Return the text of the file with the mistake."""
        count = text.count(self.old)
        if count != 1:
            raise ValueError(f"{self}: in {count} places, give more of its surroundings")
        return text.replace(self.old, self.new)


def is_noticed(mutant):
    """Whether the tests of a mutant fail on a copy of the library that has it."""
    with _copy() as folder:
        file = folder / "coalloc_lib" / mutant.file
        file.write_text(mutant.applied(file.read_text(encoding="utf-8")), encoding="utf-8")
        try:
            done = _run(folder, mutant.tests.split(), mutant.interpreted, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return True
    if done.returncode not in (0, 1):  # 1: tests failed; else pytest did not get so far
        raise RuntimeError(f"{mutant}: pytest ended with {done.returncode}: {done.stdout[-800:]}")
    return done.returncode == 1


def check_unspoilt(mutants, processes=1):
    """Raise where tests of these mutants fail on a copy without any mistake: they prove nothing."""
    spread = ["-n", str(processes), "--dist", "loadfile"] if processes > 1 else []
    for interpreted in (False, True):
        named = {t for m in mutants if m.interpreted == interpreted for t in m.tests.split()}
        if named:
            with _copy() as folder:
                done = _run(folder, sorted(named), interpreted, spread)
            if done.returncode:
                raise RuntimeError(f"tests fail without any mistake: {done.stdout[-2000:]}")


@contextmanager
def _copy() -> Iterator[Path]:
    """Yield a copy of what the tests need; its times are kept, so that compiled kernels are too."""
    with TemporaryDirectory(prefix="mutant-") as folder:
        for name in COPIED:
            source, target = ROOT / name, Path(folder) / name
            shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)
        yield Path(folder)


def _run(folder, tests, interpreted, options=(), timeout=None):
    # Of an example that fails, no smaller one is sought: that it fails is enough.
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--hypothesis-profile=mutants", *options]
    environment = os.environ | {"PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": str(+interpreted)}
    environment.pop("NUMBA_CACHE_DIR", None)
    return subprocess.run(
        [*command, *(f"tests/{test}" for test in tests)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
    )
