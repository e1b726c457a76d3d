"""``python -m own_system report``: a page and its tables, or one line on what is wrong."""

import csv
import errno
import fcntl
import io
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
from base64 import b64decode
from html import unescape

import pandas as pd
import pytest

import coalloc_lib as co
from own_system import commands, sites_report
from tests.conftest import NOTEBOOKS
from tests.own_system.conftest import files  # noqa: F401


@pytest.fixture
def given(files):  # noqa: F811
    return [f"north={files['north']}:16", f"south={files['south']}:8"]


def test_it_writes_the_page_and_the_tables_and_prints_the_answer(run, given, tmp_path):
    out, folder = tmp_path / "report.html", tmp_path / "tables"
    how = ("--penalty", "0.2", "--penalty", "0.4", "--out", out, "--tables", folder)
    answer = json.loads(run("report", *given, *how, "--json"))
    assert answer["answer"] in out.read_text("utf-8").replace("&#39;", "'")
    options = pd.read_csv(folder / "options.csv")
    assert {f"span if no site has room, penalty {p}" for p in (0.2, 0.4)} < {*options["option"]}
    assert "span if no site has room, penalty 0.1" not in {*options["option"]}
    assert f"{given[0]} {given[1]} --out {out}" in out.read_text("utf-8")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"report.html", "tables"}


@pytest.mark.usefixtures("without_pictures")
def test_every_option_reaches_the_report(run, given, files, tmp_path):  # noqa: F811
    how = ("--missing", 7200, "--seed", 3, "--penalty", 0.2, "--node", 4, "--clock", "weeks")
    run("report", *given, *how, "--out", tmp_path / "r.html", "--tables", tmp_path)
    logs = {name: co.read_swf(path) for name, path in files.items()}
    made = {"missing": 7200.0, "seed": 3, "penalties": [0.2], "node": 4, "clock": "weeks"}
    tables = sites_report({"north": 16, "south": 8}, logs, **made).tables
    for name in ("options", "break_even", "logs"):
        read = pd.read_csv(tmp_path / f"{name}.csv", keep_default_na=False, dtype=str)
        tables[name].to_csv(tmp_path / "mine.csv", index=False)
        text = pd.read_csv(tmp_path / "mine.csv", keep_default_na=False, dtype=str)
        pd.testing.assert_frame_equal(read, text)
    (seed,) = (
        sites_report({"north": 16, "south": 8}, logs, **made | {"seed": 4})
        .tables["options"]
        .query("option == '10 % more load, alone' and grouping == 'all' and metric == 'AWRT'")[
            "value"
        ]
    )
    assert seed not in {*tables["options"]["value"]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {0: "north.swf.gz:16"},
            "'north.swf.gz:16' does not begin with the name of a site; write NAME=FILE",
        ),
        (
            {0: "north=north.swf.gz"},
            "does not end in a number of processors (1 or more); write NAME=FILE:PROCESSORS",
        ),
        ({0: "north=north.swf.gz:0"}, "does not end in a number of processors"),
        (
            {0: "north=k.swf:0"},
            "processors (1 or more); write NAME=FILE:PROCESSORS, such as north=k",
        ),
        ({0: "north=k.swf:-5"}, "such as north=k.swf:2048"),
        ({0: "north=C:/k.swf"}, "such as north=C:/k.swf:2048"),
        ({0: "north=:5"}, "such as north=FILE:2048"),
        ({2: "--tables=/no/such/folder"}, "folder /no/such does not exist; make it first"),
        ({2: f"--tables={__file__}"}, "test_commands.py is a file; give the path of a folder"),
        ({0: "north=none.swf:16"}, "none.swf"),
        ({0: "south=none.swf:16"}, "site 'south' is given twice"),
        ({0: "--clock=days"}, "only one site; give at least two"),
        ({2: "--clock=days"}, "--clock = 'days'; choose one of calendar, weeks"),
        ({3: "--out=/no/such/report.html"}, "/no/such does not exist"),
        ({3: "--out=-"}, "--out - means standard output, where"),
        ({2: "--penalty=0"}, "penalties = [0.0]; give at least one penalty above 0"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(refused, given, change, words, tmp_path):
    out = f"--out={tmp_path / 'report.html'}"
    arguments = {**dict(enumerate(given)), 3: out, **change}
    assert words in refused("report", *(arguments[at] for at in sorted(arguments, reverse=True)))
    assert not [*tmp_path.iterdir()]


def test_a_log_is_not_overwritten_by_the_page(refused, given, tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "sites_report", None)
    log, out = tmp_path / "north.swf.gz", tmp_path / "report.html"
    shutil.copy(given[0].split("=")[1].removesuffix(":16"), log)
    out.symlink_to(log)
    before = log.read_bytes()
    for path in (log, out):
        words = f"--out {path} would overwrite the log of north; give the name of another file"
        assert words in refused("report", f"north={log}:16", given[1], "--out", path)
    assert log.read_bytes() == before


@pytest.mark.usefixtures("without_pictures")
def test_jobs_wider_than_their_machine_are_named_and_left_out(refused, given, tmp_path, capsys):
    narrow, out = [given[0].replace(":16", ":14"), given[1]], tmp_path / "report.html"
    words = r": \d+ of \d+ jobs .* 14 processors; job \d+ needs 16; .*: --largest 14$"
    assert re.search(words, refused("report", *narrow))
    assert commands.main(["report", *narrow, "--largest", "14", "--out", str(out)]) == 0
    log = co.read_swf(given[0].split("=")[1].removesuffix(":16"))
    wide, every = (log.usable["processors"] > 14).sum(), len(log.usable)
    said = capsys.readouterr().err
    assert f"north: {wide} of {every} jobs are left out, because they need more" in said
    assert "south: 0 of" in said
    assert "--largest 14" in out.read_text("utf-8")


def test_logs_of_other_years_are_refused_with_the_option_that_moves_them(refused, given, tmp_path):
    one, later = (tmp_path / name for name in ("one.swf", "later.swf"))
    jobs = co.read_swf(given[0].split("=")[1].removesuffix(":16")).jobs()
    for path, start in ((one, 0), (later, 900_000_000)):
        co.write_swf(path, jobs, {"UnixStartTime": start})
    error = refused("report", f"one={one}:16", f"later={later}:16")
    assert error.strip().endswith("give logs of the same period, or --clock weeks")


@pytest.mark.parametrize("columns", [100, 0])
def test_a_terminal_shows_the_bar_before_a_log_is_read(tmp_path, columns):
    """The logs are pipes into which nobody writes, so the program waits when it reads the first
    one.
    """
    pipes = [tmp_path / name for name in ("a.swf", "b.swf")]
    for pipe in pipes:
        os.mkfifo(pipe)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24 * bool(columns), columns, 0, 0))
    command = [sys.executable, "-m", "own_system", "report", f"a={pipes[0]}:8", f"b={pipes[1]}:8",
               f"--out={tmp_path / 'report.html'}"]  # fmt: skip
    with subprocess.Popen(
        command, stderr=theirs, stdout=subprocess.DEVNULL, cwd=NOTEBOOKS
    ) as process:
        try:
            shown = b""
            while b"0/2" not in shown and select.select([ours], [], [], 60)[0]:
                shown += os.read(ours, 9999)
        finally:
            process.kill()
            os.close(ours)
            os.close(theirs)
    assert b"0/2" in shown


@pytest.mark.usefixtures("without_pictures")
def test_a_site_that_is_called_as_a_formula_is_a_word_in_the_tables(run, given, files, tmp_path):  # noqa: F811
    """Spreadsheets must not read a name as a formula, in the written tables and in those of the
    page.
    """
    name, page = "@SUM(1)", tmp_path / "r.html"
    how = ("--penalty", 0.2, "--out", page, "--tables", tmp_path)
    run("report", f"{name}={files['north']}:16", given[1], *how)
    links = re.findall('data:text/csv;charset=utf-8;base64,([^"]+)', page.read_text("utf-8"))
    texts = [b64decode(unescape(link)).decode() for link in links]
    texts += [path.read_text("utf-8") for path in tmp_path.glob("*.csv")]
    cells = [cell for text in texts for row in csv.reader(io.StringIO(text)) for cell in row]
    assert len(links) > 0
    assert f"'{name}" in cells
    assert not [cell for cell in cells if cell[:1] in ("=", "@", "+")]
    assert "-" in {cell[:1] for cell in cells}, "what is below 0 stays a number"


def test_a_folder_of_tables_that_takes_none_is_said_at_once(refused, given, tmp_path, monkeypatch):
    def denied(*_args, **_options):
        raise PermissionError(errno.EACCES, "Permission denied", "/an/inner/path")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "tables").mkdir()
    monkeypatch.setattr("tempfile.TemporaryFile", denied)
    line = refused("report", *given, "--tables", "tables")
    assert (
        line == "coalloc: error: tables cannot be written (Permission denied); choose another path"
    )


def test_the_help_says_at_which_penalty_spanning_can_be_recommended(run):
    words = " ".join(run("report", "--help").split())
    assert "Spanning is recommended only at the middle one of those above 0." in words
    assert "[default: 0, 0.1, 0.25, 0.5]" in words


def test_each_of_several_numbers_is_in_plain_digits(refused, given):
    line = refused("report", *given, "--penalty", "0.1", "--penalty", "1_0")
    assert "--penalty = '1_0'; give a number in plain digits" in line


@pytest.mark.usefixtures("without_pictures")
def test_how_logs_were_read_is_on_the_page_and_on_stderr(files, tmp_path, capsys):  # noqa: F811
    zones = {"north": "CEST", "south": "Mars/Olympus"}
    given = []
    for name, file in files.items():
        log, path = co.read_swf(file), tmp_path / f"{name}.swf"
        co.write_swf(path, log.table, log.header | {"TimeZoneString": zones[name]})
        given.append(f"{name}={path}:{16 if name == 'north' else 8}")
    out = tmp_path / "report.html"
    assert commands.main(["report", *given, "--penalty", "0.2", "--out", str(out)]) == 0
    told = capsys.readouterr().err
    page = " ".join(unescape(re.sub(r"<[^>]*>", " ", out.read_text("utf-8"))).split())
    assert "time zone Europe/Berlin UTC, because Mars/Olympus is not known" in page
    for name, note in (
        ("north", "TimeZoneString is CEST; it is read as Europe/Berlin"),
        (
            "south",
            "TimeZoneString is 'Mars/Olympus', which is not a known time zone; it is read as UTC",
        ),
    ):
        assert f"How the log of {name} was read: {note}." in page
        assert f"coalloc: {name}: {note}" in told


@pytest.mark.usefixtures("without_pictures")
def test_a_file_whose_name_is_not_utf8_is_shown_on_the_page(run, given, files, tmp_path):  # noqa: F811
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.swf.gz")
    shutil.copy(files["north"], odd)
    out = tmp_path / "r.html"
    how = ("--penalty", 0.2, "--out", out, "--tables", tmp_path)
    run("report", f"north={odd}:16", given[1], *how)
    page = out.read_text("utf-8")
    assert r"north=" in page
    assert r"caf\udce9.swf.gz:16" in page
    assert r"caf\udce9" in (tmp_path / "logs.csv").read_text("utf-8")


@pytest.mark.parametrize("name", [os.fsdecode(b"caf\xe9"), "\x1b[31m"])
def test_a_site_that_cannot_be_written_is_refused_before_any_run(
    refused, given, tmp_path, monkeypatch, name
):
    monkeypatch.setattr("own_system.report.run_all", None)
    out = tmp_path / "r.html"
    line = refused("report", given[0].replace("north=", f"{name}="), given[1], "--out", out)
    assert f"clusters has a site {name!r}, a name with characters that cannot be printed" in line
    assert not out.exists()
