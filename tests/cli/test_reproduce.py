import json

import pytest

from coalloc_lib.studies import ledger
from coalloc_lib.sweep import Failure, SweepError

ROWS = [
    ledger.Row("maximal-utilization", "MU-1", "limit", 0.5, 0.51, 0.5, 0.52, "holds", "[a,b] fine"),
    ledger.Row("maximal-utilization", "T", "loss", "", None, None, None, "close", "off"),
]


@pytest.fixture
def quick_study(monkeypatch):
    """A study that takes no time in the place of the first one."""
    calls = []

    def reproduce(scale, seed=1, **how):
        calls.append((scale, seed, how["workers"], how["cache"]))
        return ledger.StudyResult(ROWS)

    module = type("Module", (), {"reproduce": staticmethod(reproduce)})
    monkeypatch.setattr("coalloc_lib.studies.import_module", lambda name: module)
    monkeypatch.setattr("coalloc_lib.studies.STUDIES", {"maximal-utilization": "module"})
    return calls


def test_reproduce_shows_the_ledger_and_where_it_is(run, quick_study, tmp_path):
    printed = run("reproduce", "maximal-utilization", "--out", tmp_path / "r", "--seed", 5)
    assert quick_study == [("quick", 5, -1, None)]
    assert "0.51 ± 0.01" in printed
    assert "[a,b] fine" in printed
    assert "1 close, 1 holds" in printed
    assert str(tmp_path / "r" / "ledger.csv") in printed
    assert [row.item for row in ledger.read_ledger(tmp_path / "r" / "ledger.csv")] == ["MU-1", "T"]


def test_reproduce_prints_one_object(run, quick_study, tmp_path):
    answer = json.loads(run("reproduce", "--scale", "paper", "--out", tmp_path, "--json"))
    assert quick_study[0][0] == "paper"
    assert answer["verdicts"] == {"close": 1, "holds": 1}
    assert answer["rows"][0]["item"] == "MU-1"
    assert answer["ledger"] == str(tmp_path / "ledger.csv")


def test_reproduce_passes_on_workers_and_cache(run, quick_study, tmp_path):
    run("reproduce", "--workers", 2, "--cache", tmp_path / "c", "--out", tmp_path / "r")
    assert quick_study == [("quick", 1, 2, str(tmp_path / "c"))]


def test_a_full_disk_is_said_in_one_line(refused, tmp_path, monkeypatch):
    def full(**_):
        raise SweepError("cache folder c takes no more results (No space left)", [], None)

    module = type("Module", (), {"reproduce": staticmethod(full)})
    monkeypatch.setattr("coalloc_lib.studies.import_module", lambda name: module)
    assert "takes no more results" in refused("reproduce", "--out", tmp_path / "r")


def test_a_bug_of_ours_shows_its_traceback(run, tmp_path, monkeypatch):
    def broken(**_):
        raise SweepError("1 of 9 points failed", [Failure({"x": 1}, "ZeroDivisionError")], None)

    module = type("Module", (), {"reproduce": staticmethod(broken)})
    monkeypatch.setattr("coalloc_lib.studies.import_module", lambda name: module)
    with pytest.raises(SweepError):
        run("reproduce", "--out", tmp_path / "r")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["weather"], ["STUDY = 'weather'", "maximal-utilization"]),
        (["--scale", "huge"], ["--scale = 'huge'", "quick, paper"]),
        (["--seed", "-3"], ["--seed = -3"]),
        (["--workers", "0"], ["--workers = 0"]),
    ],
)
def test_reproduce_refuses_what_is_wrong_in_one_line(refused, tmp_path, arguments, words):
    line = refused("reproduce", *arguments, "--out", tmp_path / "results")
    assert all(word in line for word in words), line
    assert not (tmp_path / "results").exists()
