"""Do the tests bite? Small mistakes are made in a copy of the library, and tests must notice.

``python -m tests.mutants`` tries all of them, ``python -m tests.mutants WORD`` those whose file or
change has the word. Each mistake names the tests that should notice it; one that none can notice
says why.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
COPIED = ("coalloc_lib", "tests", "data", "pyproject.toml")
#: Seconds that the tests of one mistake may take; a mistake that makes a loop endless is noticed.
PATIENCE = 300


@dataclass(frozen=True)
class Mutant:
    """A mistake: in `file`, `old` becomes `new`; `tests` should notice.

    `harmless` says why no test can: the mistake changes nothing that is promised.
    """

    file: str
    old: str
    new: str
    tests: str
    harmless: str = ""

    def __str__(self):
        return f"{self.file}: {self.old.strip()[:40]} -> {self.new.strip()[:40]}"

    def applied(self, text):
        """Return the text with the mistake; it must occur exactly once."""
        count = text.count(self.old)
        if count != 1:
            raise ValueError(f"{self}: {count} places, give more of its surroundings")
        return text.replace(self.old, self.new)


def is_noticed(mutant):
    """Whether the tests of a mutant fail on a copy of the library that has it."""
    with TemporaryDirectory(prefix="mutant-") as folder:
        for name in COPIED:
            source, target = ROOT / name, Path(folder) / name
            shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)
        file = Path(folder) / "coalloc_lib" / mutant.file
        file.write_text(mutant.applied(file.read_text(encoding="utf-8")), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        environment = os.environ | {"PYTHONPATH": folder}
        try:
            done = subprocess.run(
                [*command, *mutant.tests.split()],
                cwd=folder,
                env=environment,
                capture_output=True,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return True
        if done.returncode not in (0, 1):
            raise RuntimeError(
                f"{mutant}: pytest ended with {done.returncode}: {done.stdout[-400:]}"
            )
        return done.returncode == 1


def main(words):
    """Try the mutants that have one of the words; return how many were not noticed."""
    chosen = [m for m in MUTANTS if not words or any(word in str(m) for word in words)]
    missed = 0
    for mutant in chosen:
        noticed = is_noticed(mutant)
        missed += not noticed and not mutant.harmless
        print("noticed " if noticed else "harmless" if mutant.harmless else "MISSED  ", mutant)
    print(f"{len(chosen)} mutants, {missed} missed")
    return missed


MUTANTS = ()


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
