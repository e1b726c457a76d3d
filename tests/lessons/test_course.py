"""What a teacher hands out: student versions have no solution, and teacher versions have all."""

import re

import nbformat
import pytest

from lessons import answers, course
from tests.conftest import NOTEBOOKS

PATHS = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_versions_differ_by_outputs_and_solutions_alone(path):
    notebook = nbformat.read(path, as_version=4)
    student = course.student_version(notebook, path.stem)
    teacher = course.teacher_version(notebook)
    nbformat.validate(student)
    assert not any(cell.get("outputs") for cell in student.cells)
    words = re.compile("Solution|solutions? .*hidden|<summary>A next step")
    assert not any(words.search(cell.source) for cell in student.cells)
    solutions = sum("<summary>Solution" in cell.source for cell in notebook.cells)
    unfolded = re.compile(r"<details open>\s*<summary>Solution")
    assert sum(bool(unfolded.search(cell.source)) for cell in teacher.cells) == solutions > 0
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert [c.source for c in student.cells if c.cell_type == "code"][1:] == code
    texts = "".join(cell.source for cell in student.cells)
    checks = re.findall(r"^check\((\d+)", "".join(f"{cell}\n" for cell in code), re.MULTILINE)
    assert all(f"check({number}" in texts for number in checks)


def test_the_first_cell_asks_for_a_name_and_records_answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(answers, "_record", None)
    first = course.FIRST.format(name="00_tour")
    with pytest.raises(ValueError, match="put your name"):
        exec(first, {})
    exec(first.replace("...", "ann"), {})
    answers.note_answer(3, 0.5, True)
    assert "ann,00_tour,3," in (tmp_path / "answers-00_tour-ann.csv").read_text()


def test_after_a_restart_an_answer_says_that_it_is_not_recorded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(answers, "_record", None)
    assert answers.note_answer(3, 0.5, True) == ""  # no student version
    exec(course.FIRST.format(name="00_tour").replace("...", "ann"), {})
    answers.note_answer(3, 0.5, True)
    monkeypatch.setattr(answers, "_record", None)
    assert "not recorded. Run the first cell" in answers.note_answer(3, 0.5, True)


def test_files_that_cannot_be_read_are_left_out_and_named(tmp_path, capsys):
    head = ",".join(answers.COLUMNS) + "\n"
    row = "ann,01,1,2026-01-01T10:00:00+00:00,1,5\n"
    texts = {
        "good": head + row, "empty": "", "cut": head + row + "ann,01,2,2026-01-0",
        "semicolons": (head + row).replace(",", ";"), "words": head + row.replace(",1,5", ",yes,5"),
    }  # fmt: skip
    files = [tmp_path / f"{name}.csv" for name in (*texts, "latin")]
    for path, text in zip(files, texts.values(), strict=False):
        path.write_text(text, encoding="utf-8")
    files[-1].write_bytes((head + row.replace("ann", "Zoë")).encode("latin-1"))
    assert course.main(["collect", *map(str, files)]) != 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1:] == ["ann,01,1,1,True,5"]
    assert "5 of 6 files are left out" in printed.err
    assert "cut.csv, line 3, has" in printed.err
    assert "words.csv, line 2, has" in printed.err
    assert all(f"{name}.csv" in printed.err for name in ("empty", "semicolons", "latin"))


def test_every_job_of_the_tour_is_on_its_sheet_at_its_size():
    (axes,) = course.draw_jobs_sheet().axes
    jobs = course.tour.jobs_table()
    boxes = [(box.get_width(), box.get_height()) for box in axes.patches]
    assert boxes == list(zip(jobs["run_time"], jobs["processors"], strict=True))
    low, high = axes.get_ylim()
    assert all(
        low <= box.get_y() and box.get_y() + box.get_height() <= high for box in axes.patches
    )
    left, right = axes.get_xlim()
    assert all(
        left <= box.get_x() and box.get_x() + box.get_width() <= right for box in axes.patches
    )


def test_the_command_writes_all_and_collects(tmp_path, capsys):
    assert course.main(["make", str(tmp_path / "course")]) == 0
    files = [str(path) for path in (tmp_path / "course").rglob("*.*")]
    assert len(files) == 2 * len(PATHS) + 4
    capsys.readouterr()
    assert course.main(["collect", str(tmp_path / "missing.csv")]) == 2
    assert "missing.csv cannot be read" in capsys.readouterr().err
