"""Real processes that the tests start, watch and stop."""

import os
import signal
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass

import psutil

from tests.conftest import ROOT

#: The longest time, in seconds, that a test waits for something that should happen.
DEADLINE = 600
#: The longest time, in seconds, that a process may take to end after Ctrl-C.
FEW_SECONDS = 20
#: The environment variable that marks a process and all processes that it starts.
MARK = "COALLOC_FAULT_TEST"


def coalloc(*arguments):
    """Return the command line of a ``coalloc`` command."""
    return [sys.executable, "-m", "coalloc_lib", *map(str, arguments)]


def own_system(*arguments):
    """Return the command line of a command of ``own_system``."""
    return [sys.executable, "-m", "own_system", *map(str, arguments)]


def python(code, *arguments):
    """Return the command line of a program in Python."""
    return [sys.executable, "-c", code, *map(str, arguments)]


def environment(**variables):
    """Return the environment of a process that imports the library and the tests from here."""
    paths = [str(ROOT), str(ROOT / "notebooks"), os.environ.get("PYTHONPATH", "")]
    known = {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    return os.environ | known | {name: str(value) for name, value in variables.items()}


@dataclass
class Ended:
    """What a process left behind."""

    status: int
    output: bytes
    errors: str

    @property
    def last_line(self):
        """The last line on stderr."""
        return self.errors.splitlines()[-1]


def run(command, stdout=subprocess.PIPE, preexec_fn=None, cwd=ROOT, **variables):
    """Run a command to its end."""
    done = subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, cwd=cwd, env=environment(**variables),
        timeout=DEADLINE, preexec_fn=preexec_fn,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr.decode())


def wait_until(condition, what, seconds=DEADLINE):
    """Wait until a condition holds; fail after that number of seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"after {seconds} seconds still not: {what}"
        time.sleep(0.002)


def _unignore():
    """Let Ctrl-C raise an error even if the tests run in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Running:
    """A command in a process group of its own, with its output in two files of a folder."""

    def __init__(self, command, folder, **variables):
        self.mark = uuid.uuid4().hex
        folder.mkdir(exist_ok=True)
        self.output, self.errors = folder / f"{self.mark}.out", folder / f"{self.mark}.err"
        with self.output.open("wb") as output, self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=errors, cwd=ROOT, start_new_session=True,
                env=environment(**{MARK: self.mark}, **variables), preexec_fn=_unignore,
            )  # fmt: skip

    def wait_until(self, condition, what):
        """Wait until a condition holds while the process is alive."""

        def is_over():
            return condition() or self.process.poll() is not None

        wait_until(is_over, what)
        assert self.process.poll() is None, f"it ended before: {what}\n{self.errors.read_text()}"

    def send(self, number):
        """Send a signal to the whole process group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def end(self, seconds=DEADLINE):
        """Wait for the end; fail if it takes longer."""
        self.process.wait(seconds)
        return Ended(self.process.returncode, self.output.read_bytes(), self.errors.read_text())

    def seconds(self):
        """Return the processor time that the process has used."""
        return sum(psutil.Process(self.process.pid).cpu_times()[:2])

    def alive(self):
        """Return the living processes that this command started, and the command itself."""
        return [each for each in psutil.process_iter() if _mark_of(each) == self.mark]

    def assert_nothing_lives(self):
        """Wait until no process that it started is alive."""
        wait_until(lambda: not self.alive(), f"all its processes ended: {self.alive()}", 30)

    def stop(self):
        """Kill what is still alive, so that a test that fails leaves no process behind."""
        for each in self.alive():
            each.kill()
        self.process.wait()


def _mark_of(process):
    """Return the mark of a process, and None if it has none or has just ended."""
    try:
        return process.environ().get(MARK)
    except psutil.Error:
        return None
