"""Answers are recorded only on request, and the files of a class become one table."""

import pytest

import coalloc_lib as co
from lessons import answers
from lessons.teaching import checker

check = checker({1: lambda x: "" if x == 5 else "count again", 2: lambda x: ""})


@pytest.fixture(autouse=True)
def nothing_recorded(monkeypatch):
    monkeypatch.setattr(answers, "_record", None)


def test_nothing_is_written_unless_a_record_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check(1, 5)
    assert not list(tmp_path.iterdir())


def test_the_first_right_answer_counts_or_else_the_last_one(tmp_path):
    files = {name: tmp_path / f"{name}.csv" for name in ("ann", "bob")}
    answers.record_answers(files["ann"], " ann ", "01")
    for answer in (4, ..., 5, 6):
        check(1, answer)
    answers.record_answers(files["bob"], "bob", "01")
    for answer in ("five, or\nsix", 7):
        check(1, answer)
    check(2, 1)
    table = answers.collect_answers(files.values())
    rows = table.drop(columns="notebook").to_numpy().tolist()
    assert rows == [
        ["ann", 1, 3, True, "5"],  # the dots are not an answer
        ["bob", 1, 2, False, "7"],
        ["bob", 2, 1, True, "1"],
    ]


@pytest.mark.parametrize("name", ["", "  ", "...", ..., None])
def test_a_name_is_needed(tmp_path, name):
    with pytest.raises(co.InputError, match="put your name in place of the dots"):
        answers.record_answers(tmp_path / "answers.csv", name, "01")


def test_a_file_that_cannot_be_written_is_said_before_the_first_answer(tmp_path):
    with pytest.raises(co.InputError, match="gone does not exist"):
        answers.record_answers(tmp_path / "gone" / "answers.csv", "ann", "01")
    check(1, 5)  # nothing is recorded


def test_the_verdict_is_shown_if_the_answer_cannot_be_recorded(tmp_path):
    path = tmp_path / "answers.csv"
    answers.record_answers(path, "ann", "01")
    path.mkdir()
    shown = check(1, 5).data
    assert "Right: 5." in shown
    assert f"This answer is not recorded, because {path} cannot be written" in shown


def test_answers_are_recorded_in_one_file_if_the_current_folder_changes(tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    answers.record_answers("answers.csv", "ann", "01")
    check(1, 4)
    monkeypatch.chdir(tmp_path / "below")
    check(1, 5)
    (row,) = answers.collect_answers([tmp_path / "answers.csv"]).to_dict("records")
    assert (row["attempts"], row["answer"]) == (2, "5")


def test_the_last_answer_is_the_latest_and_a_file_given_twice_counts_once(tmp_path):
    files = [tmp_path / name for name in ("later.csv", "early.csv")]
    for path, day, answer in zip(files, (2, 1), (7, 6), strict=True):
        row = f"ann,01,1,2026-01-0{day}T10:00:00+00:00,0,{answer}\n"
        path.write_text(",".join(answers.COLUMNS) + "\n" + row)
    (row,) = answers.collect_answers([*files, files[1]]).to_dict("records")
    assert (row["attempts"], row["right"], row["answer"]) == (2, False, "7")


def test_a_class_without_an_answer_is_a_table_without_rows(tmp_path):
    (tmp_path / "empty.csv").write_text(",".join(answers.COLUMNS) + "\n")
    table = answers.collect_answers([tmp_path / "empty.csv"])
    assert [*table] == [*answers.KEY, "attempts", "right", "answer"]
    assert table.empty


def test_what_is_not_a_file_of_answers_is_named(tmp_path):
    with pytest.raises(co.InputError, match="paths is empty"):
        answers.collect_answers([])
    with pytest.raises(co.InputError, match=r"missing\.csv cannot be read"):
        answers.collect_answers([tmp_path / "missing.csv"])
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(co.InputError, match=r"other\.csv has the columns a, b"):
        answers.collect_answers([tmp_path / "other.csv"])
