"""``python -m studies judge``: stored runs judged again, and files that are none."""

import gzip
import json

import pandas as pd
import pytest

from coalloc_lib.statistics import pick
from studies.archive import RUNS
from studies.published import PublishedError
from studies.storage import read_runs, write_runs
from tests.studies.toy import toy

NAME, OTHER = "maximal-utilization", "cluster-configurations"


def never(*_):
    raise AssertionError("it was simulated")


@pytest.fixture
def stored(monkeypatch, tmp_path):
    """A folder of results with the runs of a toy study, which cannot be run again."""
    studies = {name: toy(name) for name in (NAME, OTHER)}
    monkeypatch.setattr("studies.STUDIES", (NAME, OTHER))
    monkeypatch.setattr("studies.commands.STUDIES", (NAME, OTHER))
    monkeypatch.setattr("studies.load_study", studies.__getitem__)
    (tmp_path / "results" / NAME).mkdir(parents=True)
    write_runs(studies[NAME].run(workers=1), tmp_path / "results" / NAME / RUNS)
    for study in studies.values():
        study.measure = never
    return tmp_path / "results"


@pytest.fixture
def change(stored):
    """Write another table where the runs are."""

    def change(make):
        file = stored / NAME / RUNS
        write_runs(make(read_runs(file)), file)
        return file

    return change


def test_stored_runs_are_judged_without_simulating(run, stored, tmp_path):
    out = tmp_path / "judged"
    study, total, where = run("judge", "--runs", stored, "--out", out).splitlines()
    assert study.startswith(f"{NAME}: ")
    assert study.endswith("of 1 printed numbers, 2 claims: 1 holds, 1 does not hold")
    assert "1 does not hold" in total
    assert str(out / "index.html") in where
    items = pd.read_csv(out / "ledger.csv")["item"].tolist()
    assert items == ["Table 1 a", "MU-12", "MU-1"]
    assert {file.name for file in (out / NAME).iterdir()} == {
        RUNS, "means.csv", "means.png", "bare.csv",
    }  # fmt: skip
    assert (out / NAME / RUNS).read_bytes() == (stored / NAME / RUNS).read_bytes()
    printed = run("judge", NAME, "--runs", stored, "--out", out, "--all")
    assert "fails: above 100" in " ".join(printed.split())


def test_it_prints_one_object(run, stored):
    answer = json.loads(run("judge", "--runs", stored, "--out", stored, "--json"))
    assert answer["verdicts"]["holds"] == 1
    assert [row["item"] for row in answer["rows"]] == ["Table 1 a", "MU-12", "MU-1"]
    assert answer["ledger"] == str(stored / "ledger.csv")
    assert answer["figures"] == [str(stored / NAME / "means.png")]


def test_other_runs_give_other_verdicts(run, stored, change):
    change(lambda runs: runs.assign(value=runs["value"].mask(runs["mean"] == 1.0, -9.0)))
    answer = json.loads(run("judge", "--runs", stored, "--out", stored, "--json"))
    verdicts = {row["item"]: row["verdict"] for row in answer["rows"]}
    assert verdicts["MU-12"] == "does not hold"


def test_of_some_settings_there_are_some_figures(run, stored, change, tmp_path):
    change(lambda runs: pick(runs, known=1))
    answer = json.loads(run("judge", "--runs", stored, "--out", tmp_path / "j", "--json"))
    assert {row["item"]: row["verdict"] for row in answer["rows"]} == {
        "MU-12": "cannot be tested",
        "MU-1": "does not hold",
    }
    assert answer["figures"] == []
    assert (tmp_path / "j" / NAME / "bare.csv").is_file()
    assert (tmp_path / "j" / "index.html").is_file()


def without(*columns):
    return lambda runs: runs.drop(columns=list(columns))


TABLES = {
    "a column that a claim reads": (without("value"), ["value is not a column of the runs"]),
    "a column of the setting": (without("place"), ["place is not a column of the runs"]),
    "a column that pandas looks for": (
        without("replication"),
        ["no column replication", f"python -m studies reproduce {NAME}"],
    ),
    "the scale": (without("scale"), [RUNS, "0 values of scale"]),
    "all rows": (lambda runs: runs[:0], [RUNS, "0 values of study"]),
    "one seed": (lambda runs: runs.assign(seed=range(len(runs))), [RUNS, "values of seed"]),
    "a scale there is": (lambda runs: runs.assign(scale="huge"), [RUNS, "'huge'", "quick"]),
    "its own study": (lambda runs: runs.assign(study=OTHER), [RUNS, OTHER, f"give runs of {NAME}"]),
}


@pytest.mark.parametrize(("make", "words"), TABLES.values(), ids=TABLES)
def test_runs_that_lack_something_are_refused_in_one_line(
    refused, stored, change, make, words, tmp_path
):
    change(make)
    line = refused("judge", "--runs", stored, "--out", tmp_path / "j")
    assert all(word in line for word in words), line
    assert not (tmp_path / "j" / "ledger.csv").exists()


@pytest.mark.parametrize("keep", [0, 1, 10, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_refused_in_one_line(refused, stored, keep):
    file = stored / NAME / RUNS
    whole = file.read_bytes()
    file.write_bytes(whole[: keep if keep >= 1 else int(keep * len(whole))])
    assert f"{NAME}/{RUNS}' cannot be read" in refused("judge", "--runs", stored, "--out", stored)


def test_a_table_that_is_cut_off_is_refused_in_one_line(refused, stored):
    file = stored / NAME / RUNS
    text = gzip.decompress(file.read_bytes())
    file.write_bytes(gzip.compress(text[: len(text) // 2]))
    line = refused("judge", "--runs", stored, "--out", stored)
    assert f"{RUNS}', line 34: 7 fields, not 12" in line


def lines_of(file):
    return gzip.decompress(file.read_bytes()).decode().splitlines()


def write_lines(file, lines):
    file.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))


DAMAGED = {
    "a field too many": (lambda line: f"{line},7", "line 12: 13 fields, not 12"),
    "a field is lost": (lambda line: line.rpartition(",")[0], "line 12: 11 fields, not 12"),
    "a word for a number": (lambda line: f"one{line[line.index(',') :]}", "line 12: mean = 'one'"),
    "another study": (lambda line: line.replace(NAME, OTHER), f"line 12: study = '{OTHER}'"),
    "another scale": (lambda line: line.replace("quick", "huge"), "line 12: scale = 'huge'"),
    "a quote": (lambda line: f'"{line}', "unexpected end of data"),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_line_of_runs_is_named(refused, stored, damage, words):
    file = stored / NAME / RUNS
    lines = lines_of(file)
    lines[11] = damage(lines[11])
    write_lines(file, lines)
    line = refused("judge", "--runs", stored, "--out", stored)
    assert f"{NAME}/{RUNS}', line" in line
    assert words in line


def test_damaged_published_data_are_named_alone(refused, stored, monkeypatch):
    def damaged(*_):
        raise PublishedError("published.csv, line 3: published = '0.O33'; give a number")

    monkeypatch.setattr("studies.study.Study.judge", damaged)
    line = refused("judge", "--runs", stored, "--out", stored)
    assert line == "coalloc: error: published.csv, line 3: published = '0.O33'; give a number"


def test_a_line_that_was_removed_is_noticed(run, refused, stored):
    """The number of runs is in made_with.json, which is copied with the runs."""
    file, facts = stored / NAME / RUNS, stored / NAME / "made_with.json"
    lines = lines_of(file)
    facts.write_text(json.dumps({"rows": len(lines) - 1}))
    copy = stored.parent / "copy"
    run("judge", "--runs", stored, "--out", copy)
    assert json.loads((copy / NAME / "made_with.json").read_text())["rows"] == len(lines) - 1
    for folder in (stored, copy):
        write_lines(folder / NAME / RUNS, lines[:20] + lines[21:])
        line = refused("judge", "--runs", folder, "--out", stored.parent / "j")
        assert f"{RUNS} has {len(lines) - 2} runs" in line
        assert f"made_with.json in the same folder says {len(lines) - 1}" in line
    facts.write_text("{")
    assert "made_with.json is damaged" in refused("judge", "--runs", stored, "--out", stored)
    facts.unlink()
    write_lines(file, lines)
    run("judge", "--runs", stored, "--out", copy)
    assert not (copy / NAME / "made_with.json").exists()


def test_folders_and_studies_without_runs_are_refused_in_one_line(refused, stored, tmp_path):
    out = ("--out", tmp_path / "j")
    assert "is not a folder" in refused("judge", "--runs", tmp_path / "gone", *out)
    assert f"has no <study>/{RUNS}" in refused("judge", "--runs", tmp_path, *out)
    line = refused("judge", OTHER, "--runs", stored, *out)
    assert f"has no {OTHER}/{RUNS}" in line
    assert f"python -m studies reproduce {OTHER}" in line
    assert "STUDY = 'weather'" in refused("judge", "weather", "--runs", stored, *out)
    assert not (tmp_path / "j").exists()


def test_a_bug_of_ours_keeps_its_traceback(run, stored, monkeypatch):
    def looked_up(self, runs):
        return {}["value"]

    monkeypatch.setattr("studies.study.Study.judge", looked_up)
    with pytest.raises(KeyError):
        run("judge", "--runs", stored, "--out", stored)


def test_a_name_with_control_characters_is_escaped(refused):
    assert "\x1b" not in refused("judge", "--runs", "\x1b]0;title\x07")
