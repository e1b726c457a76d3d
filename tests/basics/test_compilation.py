"""Kernels in Numba's cache: of the present version, and read or compiled again."""

import builtins
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from coalloc_lib.basics import compilation
from tests.conftest import ROOT

#: A process that has loaded Numba and compiled a function, but no kernel of these tests. For each
#: line it forks, and its child does what a new process does: it imports the kernels and calls one.
#: Only the first process then takes the two seconds in which Numba is loaded.
SERVER = """
import json, os, sys
from numba import njit
from numba.core import config
from coalloc_lib.basics.compilation import call
njit(lambda x: 7 // (x - 1) + 10)(3)
for line in sys.stdin:
    folder, variables = json.loads(line)
    process = os.fork()
    if process == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
else:
    sys.exit()
os.chdir(folder)
os.environ.update(variables)
config.reload_config()  # Numba read its variables before
sys.path.insert(0, folder)
for name, stream in (("output", 1), ("errors", 2)):
    os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
import kernels_here
print(call(kernels_here.outer, 1, what="toys"), sum(kernels_here.outer.stats.cache_hits.values()))
"""
OUTER = """
from pathlib import Path
from coalloc_lib.basics.compilation import compiler
kernel = compiler(Path(__file__).parent.glob("*here.py"))
from inner_here import inner
@kernel
def outer(x):
    return inner(x) + 10
"""
INNER = """
import kernels_here
@kernels_here.kernel
def inner(x):
    return x * {factor}
"""


@pytest.fixture
def toys(tmp_path):
    """Make two small kernels in two files, one of which calls the other."""
    (tmp_path / "kernels_here.py").write_text(OUTER)
    (tmp_path / "inner_here.py").write_text(INNER.format(factor=2))
    return tmp_path


@pytest.fixture(scope="module")
def server():
    """Start a process that forks a new process for each run."""
    env = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command, pipe = [sys.executable, "-c", SERVER], subprocess.PIPE
    # Bytecode is not written, because it is told from a change by whole seconds only.
    with subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True) as server:
        yield server


@pytest.fixture
def run(server):
    """Return a function that calls the outer kernel in a new process.

    It returns the result, the number of cache hits, and the messages.
    """

    def run(folder, **variables):
        variables = {"NUMBA_CACHE_DIR": str(folder / "cache")} | variables
        server.stdin.write(json.dumps([str(folder), variables]) + "\n")
        server.stdin.flush()
        status = server.stdout.readline()
        output, errors = (folder / name for name in ("output", "errors"))
        told = errors.read_text()
        assert status == "0\n", told
        numbers = map(int, output.read_text().split())
        output.unlink()
        errors.unlink()
        return (*numbers, told)

    return run


def cached(folder, suffix):
    return sorted(Path(folder / "cache").rglob(f"*.{suffix}"))


@pytest.mark.parametrize("notebook", [False, True])
def test_compilation_is_announced_once_per_process(tmp_path, monkeypatch, capsys, notebook):
    """This holds for all threads; in a notebook, the message is printed on standard output."""
    monkeypatch.setattr(compilation, "_announced", set())
    monkeypatch.setattr(builtins, "__IPYTHON__", notebook, raising=False)
    stats = SimpleNamespace(cache_path=str(tmp_path))
    kernels = [SimpleNamespace(py_func=SimpleNamespace(__qualname__=n), stats=stats) for n in "ab"]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda kernel: compilation._announce(kernel, "toys"), kernels * 4))
    output, errors = capsys.readouterr()
    assert (output if notebook else errors).count("compiling the toys, once") == 1
    assert (errors if notebook else output) == ""


def test_who_listens_is_told_of_each_kernel_in_place_of_a_print(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(compilation, "_announced", set())
    stats = SimpleNamespace(cache_path=str(tmp_path))
    kernels = [SimpleNamespace(py_func=SimpleNamespace(__qualname__=n), stats=stats) for n in "aab"]
    told = []
    with compilation.compilation_messages_to(told.append):
        for kernel in kernels:
            compilation._announce(kernel, "toys")
    assert len(told) == 2
    assert not any(capsys.readouterr())
    compilation._announce(
        SimpleNamespace(py_func=SimpleNamespace(__qualname__="c"), stats=stats), "x"
    )
    assert "compiling the x" in capsys.readouterr().err


def test_a_change_in_a_file_that_a_kernel_calls_is_seen(toys, run):
    """Numba compares only the file of the outer kernel, which does not change here."""
    assert run(toys) == (12, 0, "coalloc: compiling the toys, once (about 10 s) ...\n")
    (toys / "inner_here.py").write_text(INNER.format(factor=3))
    assert run(toys)[:2] == (13, 0)
    (toys / "inner_here.py").write_text(INNER.format(factor=2))
    assert run(toys) == (12, 1, "")


DAMAGES = [("nbi", b"\x80\x05K\x01.")]
MORE = [("nbc", None), ("nbi", None), ("nbc", b"\x80\x05K\x01."), ("nbi", b""), ("nbc", b"junk")]


@pytest.mark.parametrize(
    ("suffix", "content"),
    [*DAMAGES, *(pytest.param(*each, marks=pytest.mark.long) for each in MORE)],
)
def test_a_damaged_cache_is_reported_and_made_again(toys, run, suffix, content):
    """A cached file is replaced by nothing, text, another pickle, or its first half (None)."""
    run(toys)
    files = cached(toys, suffix)
    assert files
    for file in files:
        old = file.read_bytes()
        file.write_bytes(old[: len(old) // 2] if content is None else content)
    answer, _, output = run(toys)
    assert answer == 12
    if content != b"\x80\x05K\x01." or suffix == "nbc":
        assert "Numba's cache in" in output
        assert "is damaged" in output
        assert output.count("\n") <= 2
    assert run(toys) == (12, 1, "")


def test_damage_in_the_cache_of_a_kernel_in_another_folder_is_mended_too(toys, run):
    """Numba reads the cached inner kernel only if the outer kernel is not cached."""
    deep = toys / "deep"
    deep.mkdir()
    (toys / "inner_here.py").rename(deep / "inner_here.py")
    outer = OUTER.replace("from inner_here", "from deep.inner_here")
    (toys / "kernels_here.py").write_text(outer)
    run(toys)
    for file in cached(toys, "nbi"):
        if "inner" in file.name:
            file.write_bytes(b"junk")
        else:
            file.unlink()
    answer, _, told = run(toys)
    assert answer == 12
    assert told.count("is damaged") == 1
    assert re.search(r"cache in .*/deep_\w+ and .*_\w+ is damaged .* and was removed; compil", told)
    assert run(toys) == (12, 1, "")


@pytest.mark.long
def test_where_no_folder_can_be_written_each_process_compiles(toys, run):
    """A file has the name of the cache folder, so that even root cannot create the folder."""
    file = toys / "__pycache__"
    file.touch()
    for _ in range(2):
        answer, hits, told = run(toys, NUMBA_CACHE_DIR=str(file), HOME=str(file))
        assert (answer, hits) == (12, 0)
        assert told.startswith("coalloc: compiling the toys (about 10 s), again in each process")
        assert "NUMBA_CACHE_DIR" in told
        assert told.count("\n") == 1
    assert sorted(path.name for path in toys.iterdir()) == [
        "__pycache__", "inner_here.py", "kernels_here.py",
    ]  # fmt: skip


@pytest.mark.long
def test_an_error_of_the_kernel_itself_is_no_damage(toys, run):
    (toys / "inner_here.py").write_text(
        "import kernels_here\n@kernels_here.kernel\ndef inner(x):\n    return 7 // (x - 1)\n"
    )
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run(toys)
    assert cached(toys, "nbi")
