"""A study is data: settings measured once, one table of runs, what reads it, and its captions."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
import studies
from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import NotRunError, keys_of, pick
from studies.columns import column
from studies.ledger import Decision
from studies.results import Caption, ShownFigure, StudyFigure
from studies.storage import read_runs, write_runs
from studies.study import Study, scales
from tests.studies.toy import Draw, measure, settings, toy

KEYS = ["mean", "place", "load", "known", "part"]


@pytest.fixture
def runs():
    return toy().run(workers=1)


def rows_by_item(study, runs):
    return {row.item: row for row in study.judge(runs).rows}


def test_the_table_has_fields_parts_replications_and_what_it_was_made_with(runs):
    assert keys_of(runs) == KEYS
    rest = ["replication", "value", "warning", "study", "scale", "seed", "missing_logs"]
    assert list(runs.columns) == KEYS + rest
    # Means at two places and two loads, in two parts, of four runs each; and what is known.
    assert len(runs) == 2 * 2 * 2 * 2 * 4 + 2
    assert set(runs["study"]) == {"maximal-utilization"}
    assert set(runs["scale"]) == {"quick"}
    assert set(runs["seed"]) == {7}
    assert pick(runs, known=1)["replication"].isna().all()
    here, there = (pick(runs, mean=1.0, place=at, load=None)["value"] for at in ("here", "there"))
    assert here.tolist() == there.tolist()  # common random numbers


def test_stored_runs_are_read_as_they_were_and_judged_alike(tmp_path):
    study = toy()
    runs = study.run("paper", seed=3, workers=1)
    files = [tmp_path / "runs.csv.gz", tmp_path / "again.csv.gz"]
    write_runs(runs, files[0])
    stored = read_runs(files[0])
    pd.testing.assert_frame_equal(stored, runs)
    assert study.judge(stored).rows == study.judge(runs).rows
    again = study.run("paper", seed=3, workers=2)
    pd.testing.assert_frame_equal(again, runs)
    write_runs(again, files[1])
    assert files[0].read_bytes() == files[1].read_bytes()


def test_what_is_no_table_of_runs_is_refused(tmp_path, runs):
    study, file = toy(), tmp_path / "runs.csv.gz"
    file.write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"runs\.csv\.gz"):
        read_runs(file)
    with pytest.raises(InputError, match="0 values of scale"):
        study.judge(runs.drop(columns="scale"))
    with pytest.raises(InputError, match="2 values of seed"):
        study.judge(runs.assign(seed=np.arange(len(runs)) % 2))


def test_each_setting_is_measured_once_and_only_what_is_added_later():
    seen = []

    def counted(setting, scale, seed):
        seen.append(setting)
        yield from measure(setting, scale, seed)

    study = toy(measured=counted)
    runs = study.run(workers=1)
    assert len(seen) == len(set(seen)) == 9
    seen.clear()
    more = study.add(runs, Draw(5.0), Draw(5.0), Draw(1.0), workers=1)
    assert seen == [Draw(5.0)]
    assert len(more) == len(runs) + 8
    pd.testing.assert_frame_equal(more[: len(runs)], runs)
    assert study.add(more, Draw(5.0)) is more
    table = study.judge(more).figure("means").data()
    assert table.query("place == 'here'")["mean"].tolist() == [1.0, 5.0]


def test_a_cache_never_gives_points_of_another_log(tmp_path, monkeypatch):
    """Runs on a stand-in and runs on the log that was fetched later do not mix in one cache."""
    seen = []

    def counted(setting, scale, seed):
        seen.append(setting)
        yield from measure(setting, scale, seed)

    study = toy(measured=counted)
    study.logs = ("KTH-SP2",)
    how = {"workers": 1, "cache": tmp_path}
    for checksum, measured in [("missing", 9), ("1f", 9), ("2e", 9), ("1f", 0), ("missing", 0)]:
        checksums = {"KTH-SP2": checksum}
        monkeypatch.setattr("studies.study.content_checksum", checksums.__getitem__)
        seen.clear()
        study.run(**how)
        assert len(seen) == measured


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"value": 1.0}], "no 'replication'"),
        ([{"mean": 1.0, "replication": 0}], r"'mean' for .*, but a field of a setting"),
        ([], "no setting has a run"),
    ],
)
def test_rows_that_make_no_table_are_refused(rows, words):
    with pytest.raises(InputError, match=words):
        toy(measured=lambda setting, scale, seed: rows).run(workers=1)


def test_a_row_has_no_name_of_a_field_of_another_kind_of_setting():
    @dataclass(frozen=True)
    class Other:
        kind: str = "other"

    def measured(setting, scale, seed):
        if isinstance(setting, Other):
            yield {"mean": 1.0, "replication": 0, "value": 2.0}
        else:
            yield from measure(setting, scale, seed)

    study = toy(measured=measured)
    study.settings = lambda scale: [Draw(1.0), Other()]
    with pytest.raises(InputError, match=r"'mean' for .*other.*, but a field of a setting"):
        study.run(workers=1)


@dataclass(frozen=True)
class OfAnother:
    mean: float = 1.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ([], r"settings = \[\]; give one or more"),
        (Draw(1.0), r"settings = Draw\(.*is one setting; give a list"),
        ([[Draw(1.0)]], "give its settings one by one"),
        ([OfAnother()], "OfAnother.* is not a setting of maximal-utilization; .* the class Draw"),
    ],
    ids=["none", "one", "a list in a list", "of another study"],
)
def test_settings_that_are_none_of_the_study_are_refused_before_any_run(settings, words):
    def measured(setting, scale, seed):
        raise AssertionError("it was run")

    with pytest.raises(InputError, match=words):
        toy(measured=measured).run(settings=settings, workers=1)


def test_values_are_worded_in_notes_as_the_study_says(runs):
    study = toy()
    study.claims = {
        item: replace(claim, words={"load": lambda load: "light" if load < 0.6 else "heavy"})
        for item, claim in study.claims.items()
    }
    asked = study.ask("MU-12", runs, load=0.5)
    assert asked.quantity.endswith("asked at load light")


@pytest.mark.parametrize("setting", [3, Draw, Draw([1.0])])
def test_a_setting_is_a_frozen_dataclass(setting, runs):
    with pytest.raises(InputError, match="frozen dataclass"):
        toy().add(runs, setting)


def test_a_claim_is_asked_at_the_papers_setting_and_noted_elsewhere(runs):
    study = toy()
    row = rows_by_item(study, runs)["MU-12"]
    assert row.verdict == "holds"
    assert row.reproduced == pytest.approx(1.0)  # in pairs: the noise is the same
    assert "It also holds at all 3 other settings" in row.note
    is_there = (runs["place"] == "there") & (runs["mean"] == 1.0)
    worse = runs.assign(value=runs["value"].mask(is_there, 0.0))
    row = rows_by_item(study, worse)["MU-12"]
    assert row.verdict == "holds"
    assert "Of 3 other settings, it holds at 1 and is undecided at 2." in row.note
    assert "there; there, load 0.5" in row.note
    less = runs.assign(value=runs["value"].mask(runs["mean"] == 1.0, 0.0))
    assert rows_by_item(study, less)["MU-12"].verdict != "holds"


def test_a_claim_can_be_asked_at_another_setting(runs):
    study = toy()
    is_loaded = (runs["load"] == 0.5) & (runs["mean"] == 1.0)
    worse = runs.assign(value=runs["value"].mask(is_loaded, -50.0))
    own, elsewhere = study.ask("MU-12", worse), study.ask("MU-12", worse, load=0.5)
    assert own.verdict == "holds"
    assert own == rows_by_item(study, worse)["MU-12"]
    assert elsewhere.verdict == "does not hold"
    assert elsewhere.quantity == f"{own.quantity}; asked at load 0.5"
    assert study.ask("MU-12", worse, place="there", load=0.5).verdict == "does not hold"
    no_run = study.ask("MU-12", worse, place=co.Multicluster([8, 8]))  # by its text
    assert "no run has place = '2 × 8'" in no_run.note
    with pytest.raises(InputError, match="column"):
        study.ask("MU-12", worse, lode=0.5)


def test_known_figures_have_no_interval_and_parts_are_listed(runs):
    row = rows_by_item(toy(), runs)["MU-1"]
    assert (row.reproduced, row.ci95_low, row.ci95_high) == (3.5, None, None)
    assert row.verdict == "does not hold"
    assert row.note.endswith("| fails: above 100")


def test_what_was_not_run_cannot_be_tested(runs):
    study = toy()
    row = rows_by_item(study, pick(runs, place="there"))["MU-12"]
    assert row.verdict == "cannot be tested"
    assert "no run has place = 'here'" in row.note
    assert row.reproduced is None
    of_another_kind = pick(runs, mean=1.0).drop(columns="part")  # which has no such column
    assert study.ask("MU-12", of_another_kind).verdict == "cannot be tested"
    without = runs.assign(missing_logs="CTC-SP2")
    row = rows_by_item(study, pick(without, place="there"))["MU-12"]
    assert "coalloc traces fetch CTC-SP2" in row.note


def test_a_setting_that_was_not_run_is_not_said_to_be_replaced_by_a_synthetic_log(runs):
    study = toy()
    there = pick(runs, place="there").assign(missing_logs="CTC-SP2")
    for logs in ((), ("CTC-SP2",)):
        claim = study.claims["MU-12"]
        study.claims["MU-12"] = replace(claim, at=replace(claim.at, logs=logs))
        row = rows_by_item(study, there)["MU-12"]
        assert row.verdict == "cannot be tested"
        assert row.note == (
            "no run has place = 'here'; the runs were made without the log CTC-SP2; to download "
            "it, run: coalloc traces fetch CTC-SP2"
        )


def test_runs_of_a_few_settings_are_judged_as_far_as_they_go(runs):
    study = toy()

    def loads(runs):
        return runs.groupby(column(runs, "rate"))["value"].mean().reset_index()

    study.add_figure("loads", "by load")(loads)
    few = pick(runs, mean=1.0, place="here")
    with pytest.raises(NotRunError, match="rate"):
        study.judge(few).figure("loads").data()
    with pytest.raises(InputError, match="damaged"):
        study.judge(runs).figure("loads").data()


@pytest.mark.parametrize("error", [KeyError, IndexError])
def test_a_mistake_in_a_claim_is_raised_even_if_some_settings_were_not_run(runs, error):
    study = toy()

    def mistaken(runs):
        raise error("lode")

    study.add_claim("MU-2", "a typo")(mistaken)
    for part in (runs, pick(runs, mean=1.0, place="here")):
        with pytest.raises(error):
            study.judge(part)


def test_a_number_that_rests_on_a_log_is_not_tested_without(runs):
    study = toy()
    claim = study.claims["MU-1"]
    study.claims["MU-1"] = replace(claim, at=replace(claim.at, logs=("CTC-SP2",)))
    assert rows_by_item(study, runs)["MU-1"].verdict == "does not hold"
    row = rows_by_item(study, runs.assign(missing_logs="CTC-SP2 KTH-SP2"))["MU-1"]
    assert row.verdict == "cannot be tested"
    assert "coalloc traces fetch CTC-SP2" in row.note


def test_the_finding_stands_over_the_runs_it_was_written_for_alone():
    study = toy()
    quick = study.run(workers=1)

    def title(runs):
        return study.judge(runs).figure("means").title

    assert title(quick) == "The last is largest"
    assert title(study.run("paper", workers=1)) == "The last is largest"
    neutral = "Means, less that of 0"
    assert title(study.run(seed=8, workers=1)) == neutral
    assert title(study.add(quick, Draw(-3.0), workers=1)) == neutral
    assert title(pick(quick, load=None)) == neutral
    assert title(quick.assign(missing_logs="CTC-SP2")) == neutral
    study.scales["mine"] = study.scales["quick"]
    assert title(study.run("mine", workers=1)) == neutral


def test_a_caption_begins_with_a_capital_letter_where_it_is_the_title():
    figure = StudyFigure("means", Caption("means of U[1,m]; m is 4"), lambda runs: runs)
    shown = ShownFigure(figure, pd.DataFrame())
    assert shown.title == "Means of U[1,m]; m is 4"
    assert shown.words() == "Means of U[1,m]; m is 4."
    found = ShownFigure(figure, pd.DataFrame(), finding="The last is largest")
    assert found.words() == "The last is largest. Means of U[1,m]; m is 4."


def test_a_figure_shows_itself_with_its_verdicts(runs):
    result = toy().judge(runs)
    shown = result.figure("means")._repr_mimebundle_()
    assert 'alt="The last is largest. Means, less that of 0."' in shown["text/html"]
    assert shown["text/plain"].endswith("MU-12 holds.")
    assert "<table" in result.figure("bare")._repr_mimebundle_()["text/html"]
    assert "MU-12" in result.claims()._repr_html_()
    with pytest.raises(InputError, match="choose one of 'means', 'bare'"):
        result.figure("x")
    nothing = toy().judge(pick(runs, known=1)).figure("means")
    with pytest.raises(NotRunError):
        nothing.data()
    assert "no run has mean = 0" in nothing._repr_mimebundle_()["text/html"]


def test_a_study_whose_figures_and_claims_were_not_imported_is_refused_before_it_is_run():
    size = scales(runs=(4, 8), most=(1, 3))
    bare = Study("x-y", "Why?", 7, size, settings, lambda *_: pytest.fail("it was run"))
    with pytest.raises(InputError, match=r"studies/x_y/__init__\.py"):
        bare.reproduce()
    bare.add_figure("means", "Means")(lambda runs: runs)
    with pytest.raises(InputError, match=r"'x-y' has no row in data/published/claims\.csv"):
        bare.reproduce()


def test_two_of_one_name_and_unknown_claims_are_refused_before_anything_is_run():
    study = toy(measured=lambda *_: pytest.fail("it was run"))
    with pytest.raises(InputError, match="means"):
        study.add_figure("means", "again")
    with pytest.raises(InputError, match="MU-12"):
        study.add_claim("MU-12", "again")
    study.add_claim("MU-99", "mean")(lambda runs: Decision(0.0, {"a": True}))
    with pytest.raises(InputError, match="MU-99"):
        study.reproduce()


def test_stored_runs_give_the_ledger_the_page_and_the_figures_again(tmp_path, monkeypatch):
    """Old studies and new ones stand in one ledger; what is judged again is the same."""
    study = toy()
    monkeypatch.setattr(studies, "STUDIES", (study.name,))
    monkeypatch.setattr(studies, "load_study", lambda name: study)
    first = studies.reproduce(out=tmp_path / "first", workers=1)
    study.measure = lambda *_: pytest.fail("it was simulated")
    second = studies.judge(tmp_path / "first", out=tmp_path / "second")
    assert second.rows == first.rows
    files = [
        sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        for folder in (tmp_path / "first", tmp_path / "second")
    ]
    assert files[0] == files[1]
    for name in (name for name in files[1] if name.suffix != ".png"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    with pytest.raises(InputError, match="runs"):
        studies.judge(tmp_path, out=tmp_path / "third")


def test_truths_are_numbers_also_beside_empty_cells_and_after_more_runs():
    def measured(setting, scale, seed):
        for row in measure(setting, scale, seed):
            yield row | ({} if setting.load else {"calm": setting.mean > 0})

    study = toy(measured=measured)
    more = study.add(study.run(workers=1), Draw(9.0), workers=1)
    assert set(pick(more, load=None, mean=0.0)["calm"]) == {0}
    assert set(pick(more, load=None, mean=(1.0, 9.0))["calm"]) == {1}
    assert more["calm"].dtype == float
