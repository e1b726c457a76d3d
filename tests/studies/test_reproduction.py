"""What a run of studies leaves behind, also when it fails half way."""

import errno
import os
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

import studies
from coalloc_lib.basics.checks import InputError
from studies import reproduce
from tests.studies.toy import toy

NAMES = ("maximal-utilization", "cluster-configurations")
FILES = ["bare.csv", "made_with.json", "means.csv", "means.png", "runs.csv.gz"]


@pytest.fixture
def toys(monkeypatch):
    """Two studies that take no time, in the place of all; the second knows the claims of both."""
    made = {"maximal-utilization": toy(), "cluster-configurations": toy("cluster-configurations")}
    made["cluster-configurations"].claims.clear()
    figures = made["cluster-configurations"].figures
    figures["means"] = replace(figures["means"], claims=())
    monkeypatch.setattr(studies, "STUDIES", NAMES)
    modules = {name.replace("-", "_"): SimpleNamespace(study=each) for name, each in made.items()}
    monkeypatch.setattr(studies, "import_module", lambda name: modules[name.rpartition(".")[2]])
    return made


def files_in(folder):
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())


def contents(folder):
    return {file: (folder / file).read_bytes() for file in files_in(folder)}


def test_one_ledger_one_page_and_a_folder_of_figures_each(toys, tmp_path):
    result = reproduce(out=tmp_path / "new" / "results", scale="paper", seed=3)
    found = [f"results/{name}/{file}" for name in sorted(NAMES) for file in FILES]
    assert set(files_in(tmp_path / "new")) == {*found, "results/index.html", "results/ledger.csv"}
    assert len(result.ledger.read_text().splitlines()) == 1 + len(result.rows)
    assert [row.study for row in result.rows] == [NAMES[0]] * 3 + [NAMES[1]]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in result.figures)
    table = pd.read_csv(tmp_path / "new/results/maximal-utilization/means.csv")
    assert len(table) == 3 * 2  # means but that of 0, at two places


@pytest.mark.parametrize("part", ["measure", "draw"])
def test_a_study_that_fails_leaves_what_was_there(toys, tmp_path, part):
    def broken(*_, **__):
        raise RuntimeError("half way")

    reproduce(out=tmp_path)
    before, first = contents(tmp_path), toys[NAMES[0]]
    if part == "measure":
        first.measure = broken
    else:
        first.figures["means"] = replace(first.figures["means"], draw=broken)
    with pytest.raises(Exception, match="half way"):
        reproduce(out=tmp_path)
    assert contents(tmp_path) == before


def test_a_full_disk_costs_the_files_of_one_study(toys, tmp_path, monkeypatch):
    def full(rows, path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    reproduce([NAMES[0]], out=tmp_path)
    before = contents(tmp_path)
    monkeypatch.setattr("studies.output.write_ledger", full)
    with pytest.raises(InputError, match=r"files of cluster.*cannot be written.*No space left"):
        reproduce([NAMES[1]], out=tmp_path)
    assert contents(tmp_path) == before


def test_bad_arguments_are_refused_before_anything_is_made(toys, tmp_path):
    for bad in ({"names": ["three"]}, {"scale": "huge"}):
        with pytest.raises(InputError, match="choose one of"):
            reproduce(**bad, out=tmp_path / "results")
    assert not (tmp_path / "results").exists()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be created"):
        reproduce(out=tmp_path / "file")


def test_a_study_is_reported_when_its_files_are_there(toys, tmp_path):
    """A reader of the report may leave, and a terminal may go away: the files do not wait."""
    seen = []

    def report(result):
        seen.append(contents(out))

    out = tmp_path / "made"
    made = reproduce(out=out, report=report)
    assert [len(files) for files in seen] == [2 + len(FILES), 2 + 2 * len(FILES)]
    seen.clear()
    out = tmp_path / "judged"
    studies.judge(tmp_path / "made", out=out, report=report, workers=1)
    assert [len(files) for files in seen] == [2 + 2 * len(FILES)] * 2
    assert made.ledger.read_bytes() == (tmp_path / "judged" / "ledger.csv").read_bytes()


@pytest.mark.parametrize("again", ["reproduce", "judge"])
def test_one_study_again_keeps_the_others_in_ledger_and_page(toys, tmp_path, again):
    whole, runs = tmp_path / "whole", tmp_path / "runs"
    reproduce(out=whole)
    reproduce(out=runs)
    for name in NAMES:
        before = contents(whole)
        if again == "reproduce":
            result = reproduce([name], out=whole)
        else:
            result = studies.judge(runs, [name], out=whole)
        assert {row.study for row in result.rows} == {name}
        after = contents(whole)
        times = {file for file in before if file.endswith("made_with.json")}
        assert {f: after[f] for f in after if f not in times} == {
            f: before[f] for f in before if f not in times
        }
        page = (whole / "index.html").read_text("utf-8")
        assert [f'id="{each}"' in page for each in NAMES] == [True, True]


def test_other_studies_that_cannot_be_kept_are_named_before_any_run(toys, tmp_path):
    reproduce(out=tmp_path)
    toys[NAMES[0]].measure = lambda *_: pytest.fail("it was simulated")
    (tmp_path / NAMES[1] / "means.png").unlink()
    with pytest.raises(
        InputError, match=rf"means\.png is missing.*python -m studies judge {NAMES[1]} --runs"
    ):
        reproduce([NAMES[0]], out=tmp_path)
    (tmp_path / NAMES[1] / "runs.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match=rf"{NAMES[1]}/runs\.csv\.gz' cannot be read"):
        reproduce([NAMES[0]], out=tmp_path)
