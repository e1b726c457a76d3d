import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coalloc_lib import plots, studies
from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.files import folder_beside
from coalloc_lib.studies import StudyResult, published, reproduce
from coalloc_lib.studies.claims import Claims, judge_claim
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.ledger import (
    HEADER,
    VERDICTS,
    Row,
    count_verdicts,
    judge_number,
    write_ledger,
)
from coalloc_lib.studies.measurements import scales
from coalloc_lib.studies.published import load_claims
from coalloc_lib.studies.styled import claims_table
from coalloc_lib.widgets.lessons import verdict_lines
from tests.conftest import ROOT


def interval(low, high, doubt=""):
    return Interval((low + high) / 2, low, high, 30, doubt=doubt)


ROW = Row("a-study", "Table 1 U[1,4]", "loss", 0.397, 0.3981, 0.397, 0.3992, "reproduced", "a, b")


@pytest.mark.parametrize(
    ("published", "value", "decimals", "verdict"),
    [
        (0.397, 0.397, 3, "reproduced"),
        (0.397, 0.3974, 3, "reproduced"),
        (0.397, 0.3975, 3, "reproduced"),
        (0.397, 0.3965, 3, "reproduced"),
        (0.397, 0.39751, 3, "close"),
        (0.397, 0.3964, 3, "close"),
        (0.4, 0.3964, 1, "reproduced"),
        (0.397, 0.3974, 4, "close"),
        (0.397, 0.4053, 3, "close"),  # 2 % of the printed number beyond its rounding
        (0.397, 0.4056, 3, "differs"),
        (0.397, 0.3885, 3, "differs"),
        (0.05, 0.0534, 3, "close"),  # three units beyond its rounding
        (0.05, 0.0536, 3, "differs"),
    ],
)
def test_an_exact_value_is_judged_by_its_rounding(published, value, decimals, verdict):
    assert judge_number(published, Interval.exact(value), decimals).verdict == verdict


def test_the_note_states_the_difference():
    assert judge_number(0.053, Interval.exact(0.0502)).note == "differs by -0.0028"
    assert judge_number(0.053, Interval.exact(0.053)).note == ""
    note = judge_number(0.053, interval(0.058, 0.06)).note
    assert note == "differs by +0.0060, 0.0050 outside the interval"


@pytest.mark.parametrize(
    ("published", "low", "high", "verdict"),
    [
        (0.397, 0.396, 0.398, "reproduced"),
        (0.397, 0.3974, 0.3990, "reproduced"),
        (0.397, 0.3976, 0.3990, "close"),
        (0.397, 0.3950, 0.3966, "reproduced"),
        (0.397, 0.3950, 0.3964, "close"),
        (0.397, 0.4049, 0.4060, "close"),
        (0.397, 0.4051, 0.4060, "differs"),
        (0.397, 0.3891, 0.4049, "reproduced"),
        (0.397, 0.3870, 0.4070, "cannot be tested"),  # a number far off would lie in it as well
        (0.05, 0.0475, 0.0545, "cannot be tested"),
        (0.5, 0.495, 0.515, "reproduced"),  # just as wide as may be
    ],
)
def test_an_interval_is_met_give_or_take_the_rounding(published, low, high, verdict):
    assert judge_number(published, interval(low, high)).verdict == verdict


def test_an_interval_in_doubt_tests_nothing():
    found = judge_number(0.397, interval(0.396, 0.398, doubt="three jobs"))
    assert found == ("cannot be tested", "the interval is in doubt: three jobs")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_gets_no_verdict(value):
    with pytest.raises(InputError, match="published = "):
        judge_number(value, interval(0.0, 0.1))
    with pytest.raises(InputError, match="estimate = "):
        judge_number(0.1, interval(0.0, value))
    with pytest.raises(InputError, match="above its high end"):
        judge_number(0.1, interval(0.2, 0.1))


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        ([True], "holds"),
        ([True, True], "holds"),
        ([False], "does not hold"),
        ([False, None], "does not hold"),
        ([True, False], "holds in part"),
        ([True, None], "holds in part"),
        ([None, None], "cannot be tested"),
        ([np.True_, np.False_], "holds in part"),
    ],
)
def test_a_claim_is_judged_by_its_parts(answers, verdict):
    parts = {f"part {i}": answer for i, answer in enumerate(answers)}
    assert judge_claim(parts).verdict == verdict


def test_the_note_of_a_claim_lists_what_fails_and_what_is_undecided():
    parts = {"fine": True, "worse": False, "worst": False, "unknown": None}
    assert judge_claim(parts, why="small sample").note == (
        "fails: worse, worst; undecided: unknown; small sample"
    )


def test_a_study_may_list_parts_in_its_own_way():
    claim = Claims("maximal-utilization", "/".join)
    claim("MU-1", "loss")(lambda runs: (0.5, {"a": False, "b": True, "c": False, "d": None}))
    assert claim.row("MU-1", None).note == "fails: a/c; undecided: d"


def test_a_study_may_count_parts_and_a_page_folds_their_lists():
    claim = Claims("maximal-utilization", counted=True)
    claim("MU-1", "loss")(lambda runs: (0.5, {"a": False, "b": True, "c": None, "d": None}, "<2"))
    row = claim.row("MU-1", None)
    said, lists = "holds 1, fails 1, undecided 2 of 4; <2", "fails: a; undecided: c, d"
    assert row.note == f"{said} | {lists}"
    below = verdict_lines([row], load_claims("maximal-utilization"))
    assert "undecided 2 of 4; &lt;2.<details><summary>Which</summary>fails: a;" in below
    assert below.startswith("<div")
    assert below.endswith("</div>")
    assert f"<summary>which</summary>{lists}</details>" in claims_table([row])._repr_html_()
    claim("MU-2", "loss")(lambda runs: (0.5, {"a": True}, "so"))
    assert claim.row("MU-2", None).note == "so"


def test_a_claim_without_parts_or_with_a_number_for_an_answer_is_refused():
    with pytest.raises(InputError, match="empty"):
        judge_claim({})
    with pytest.raises(InputError, match=r"0\.3"):
        judge_claim({"a": 0.3})


def test_a_row_has_the_fields_of_the_contract_and_one_of_the_verdicts():
    assert ",".join(HEADER) == (
        "study,item,quantity,published,reproduced,ci95_low,ci95_high,verdict,note"
    )
    with pytest.raises(InputError, match="verdict = 'fine'"):
        replace(ROW, verdict="fine")


def test_a_ledger_is_written_as_csv_with_six_digits_and_empty_where_there_is_nothing(tmp_path):
    claim = Row("a-study", "MU-1", "limit", "(2C-1)/(2C)", None, None, None, "holds", 'say "so"')
    write_ledger([replace(ROW, reproduced=0.39812345), claim], tmp_path / "ledger.csv")
    header, number, text = (tmp_path / "ledger.csv").read_text().splitlines()
    assert header == ",".join(HEADER)
    assert number == 'a-study,"Table 1 U[1,4]",loss,0.397,0.398123,0.397,0.3992,reproduced,"a, b"'
    assert text == 'a-study,MU-1,limit,(2C-1)/(2C),,,,holds,"say ""so"""'
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.csv"]


def test_verdicts_are_counted_in_their_order():
    rows = [replace(ROW, verdict=verdict) for verdict in ("holds", "close", "holds")]
    assert list(count_verdicts(rows).items()) == [("close", 1), ("holds", 2)]
    assert set(count_verdicts(rows)) < set(VERDICTS)


def test_the_published_numbers_are_all_there():
    losses = published.load_published("maximal-utilization")
    assert len(losses) == 140
    assert len({loss.item for loss in losses}) == 140
    assert {loss.table for loss in losses} == {3, 4}
    chosen = {loss.item: loss.capacity_loss for loss in losses}
    assert chosen["Table 3 U[1,4] ordered exact"] == 0.149
    assert len(published.load_claims("maximal-utilization")) == 12
    assert published.load_claims("online-batch")["OB-1"].where == "fig. 1, 2"


def test_unknown_studies_and_a_lone_package_are_named(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="maximal-utilization"):
        published.load_published("job-sharing")
    with pytest.raises(InputError, match=r"claims\.csv; choose one of .*online-batch.*, or add"):
        published.load_claims("weather")
    with pytest.raises(InputError, match=r"MU-99.*or add it to .*claims\.csv"):
        published.published_claim("maximal-utilization", "MU-99")
    monkeypatch.setattr(published, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    with pytest.raises(InputError, match="checkout"):
        published.load_claims("online-batch")


class FakeFigure(Figure):
    """A figure that draws a blank, or fails."""

    def __init__(self, fails=False):
        super().__init__("figure-1", "A blank")
        self.fails = fails

    @property
    def title(self):
        return "A blank"

    def data(self):
        return pd.DataFrame({"x": [1.5]})

    def plot(self):
        if self.fails:
            raise RuntimeError("cannot draw")
        return plots.new_figure()[0]


class FakeStudy:
    """Stands for a study's module."""

    def __init__(self, name, fails=False):
        self.name, self.fails, self.calls = name, fails, []

    def reproduce(self, scale, seed=7, **_):
        self.calls.append((scale, seed))
        if self.fails:
            raise RuntimeError("half way")
        return StudyResult([replace(ROW, study=self.name)], [FakeFigure()])


@pytest.fixture
def fakes(monkeypatch):
    modules = {name: FakeStudy(name) for name in ("one", "two")}
    monkeypatch.setattr(studies, "STUDIES", tuple(modules))
    monkeypatch.setattr(studies, "import_module", lambda path: modules[path.rpartition(".")[2]])
    return modules


def files_in(folder):
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())


def test_reproducing_writes_one_ledger_and_a_folder_of_figures_each(fakes, tmp_path):
    result = reproduce(out=tmp_path / "new" / "results", scale="paper", seed=3)
    assert files_in(tmp_path / "new") == [
        "results/ledger.csv",
        "results/one/figure-1.csv",
        "results/one/figure-1.png",
        "results/two/figure-1.csv",
        "results/two/figure-1.png",
    ]
    assert len(result.ledger.read_text().splitlines()) == 1 + len(result.rows)
    assert [row.study for row in result.rows] == ["one", "two"]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in result.figures)
    assert (tmp_path / "new/results/one/figure-1.csv").read_text() == "x\n1.5\n"
    assert fakes["one"].calls == [("paper", 3)]


def test_only_the_named_studies_run_with_their_own_seed(fakes, tmp_path):
    reproduce(["two", "two"], out=tmp_path)
    assert files_in(tmp_path) == ["ledger.csv", "two/figure-1.csv", "two/figure-1.png"]
    assert fakes["one"].calls == []
    assert fakes["two"].calls == [("quick", 7)]


def test_a_run_that_fails_leaves_the_old_results(fakes, tmp_path):
    reproduce(["one"], out=tmp_path)
    before = {file: (tmp_path / file).read_bytes() for file in files_in(tmp_path)}
    fakes["two"].fails = True
    with pytest.raises(RuntimeError, match="half way"):
        reproduce(out=tmp_path)
    assert {file: (tmp_path / file).read_bytes() for file in files_in(tmp_path)} == before


def test_a_figure_that_fails_leaves_the_old_results(fakes, tmp_path, monkeypatch):
    reproduce(["one"], out=tmp_path)
    before = (tmp_path / "ledger.csv").read_bytes()
    result = StudyResult([replace(ROW, study="two")], [FakeFigure(fails=True)])
    monkeypatch.setattr(fakes["two"], "reproduce", lambda **how: result)
    with pytest.raises(RuntimeError, match="cannot draw"):
        reproduce(out=tmp_path)
    assert (tmp_path / "ledger.csv").read_bytes() == before
    assert files_in(tmp_path) == ["ledger.csv", "one/figure-1.csv", "one/figure-1.png"]


def test_what_a_killed_run_leaves_says_what_it_is_and_goes_with_the_next_run(fakes, tmp_path):
    """One is killed when its files are drawn but not yet in place; another still lives."""
    code = """
import os, signal, sys
from pathlib import Path
from coalloc_lib import studies
from coalloc_lib.studies import StudyResult
def die(rows, path):
    path.touch()
    os.kill(os.getpid(), signal.SIGKILL)
studies.write_ledger = die
studies._write("one", StudyResult([], []), [], Path(sys.argv[1]))
"""
    dead = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=False)
    assert dead.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".reproduce.coalloc-partial-")
    assert files_in(left) == ["ledger.csv"]
    with folder_beside(tmp_path / "reproduce") as living:
        assert not left.exists()
        reproduce(["one"], out=tmp_path)
        assert set(tmp_path.iterdir()) == {living, tmp_path / "one", tmp_path / "ledger.csv"}
    assert not living.exists()


def test_bad_arguments_are_refused_before_anything_is_made(fakes, tmp_path):
    for bad in ({"names": ["three"]}, {"scale": "huge"}):
        with pytest.raises(InputError, match="choose one of"):
            reproduce(**bad, out=tmp_path / "results")
    assert not (tmp_path / "results").exists()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be made"):
        reproduce(out=tmp_path / "file")


def test_a_claim_has_one_judge():
    claim = Claims("maximal-utilization")
    claim("MU-1", "a")(lambda runs: (0.0, {"p": True}))
    with pytest.raises(InputError, match="'MU-1' has a judge already"):
        claim("MU-1", "b")(lambda runs: (0.0, {"p": False}))


def test_a_scale_names_the_number_that_a_figure_asks_for_and_it_lacks():
    quick = scales(jobs=(1, 2), replications=(3, 4), precision=(0.1, 0.2))["quick"]
    assert quick.asked("jobs", "precision") == [1, 0.1]
    with pytest.raises(InputError, match="scales have no most_jobs; add it"):
        quick.asked("precision", "most_jobs")
