import shlex

import pytest

import coalloc_lib as co
from coalloc_lib import cli
from coalloc_lib.workloads.swf_writer import write_swf

LOSS = ["loss", "--clusters", "8,8", "--sizes", "U[1,4]", "--components", "2"]


def rows(table):
    """Parse a table of test cases, with lines of the form "arguments -> words & more words"."""
    lines = (line.split(" -> ") for line in table.strip().splitlines())
    return [(shlex.split(arguments), words.split(" & ")) for arguments, words in lines]


def over(defaults, arguments):
    """Return arguments after the default options that they do not override."""
    pairs = zip(defaults[::2], defaults[1::2], strict=True)
    kept = [word for pair in pairs if pair[0] not in arguments for word in pair]
    return [*kept, *arguments]


def runner(main, capsys):
    """Return a function that runs a command line with `main` and checks its exit status."""

    def run(*arguments, status=0):
        capsys.readouterr()
        assert main([str(a) for a in arguments]) == status
        captured = capsys.readouterr()
        return captured.err if status else captured.out

    return run


def refuser(run):
    """Return a function that runs a wrong command line and returns its one line of error."""

    def refused(*arguments):
        (line,) = run(*arguments, status=2).splitlines()
        assert line.startswith("coalloc: error: ")
        return line

    return refused


@pytest.fixture
def run(capsys):
    """Return a function that runs a command line of `coalloc` and returns its output."""
    return runner(cli.main, capsys)


@pytest.fixture
def refused(run):
    """Return a function that runs a wrong command line and returns its error message."""
    return refuser(run)


@pytest.fixture
def log(tmp_path):
    """A log of four jobs, numbered from 11, on a machine of 8 processors."""
    jobs = co.JobStream([0, 0.5, 1, 2], [10, 10, 3, 4], [6, 4, 2, 8], [20, 20, 20, 20])
    write_swf(tmp_path / "small.swf", jobs.replace(number=[11, 12, 13, 14]))
    return tmp_path / "small.swf"
