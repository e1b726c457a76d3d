"""Records of the answers that students give to the exercises of a notebook.

The student version of a notebook calls `record_answers` in its first cell. After that, each call to
``check`` adds a line to a CSV file, which the student hands in. `collect_answers` reads the files
of a class.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import check_writable

#: The columns of a file of answers.
COLUMNS = ("student", "notebook", "exercise", "time", "right", "answer")
#: The columns that together identify one student's answers to one exercise.
KEY = [*COLUMNS[:3]]
#: The largest number of characters of an answer that is recorded. Longer answers are cut off.
LONGEST = 500


@dataclass
class _Record:
    path: Path
    student: str
    notebook: str


#: This Jupyter kernel records answers in this file. None means that it records no answers.
_record: _Record | None = None


def record_answers(path: str | Path, student: str, notebook: str) -> None:
    """Start recording a student's answers to the exercises of a notebook in a CSV file.

    Parameters
    ----------
    path : path-like
        The CSV file to which answers are added. It is created with the first answer.
    student : str
        The name of the student.
    notebook : str
        The notebook, for example ``"01_maximal_utilization"``.

    Raises
    ------
    InputError
        If the name is empty or still ``"..."``, or if the file cannot be written.
    """
    global _record
    if not isinstance(student, str) or not student.strip(" ."):
        raise InputError(f"student = {student!r}; put your name in place of the dots, in quotes")
    check_writable(path)
    # The notebook may change the current folder later.
    _record = _Record(Path(path).resolve(), student.strip(), notebook)


def note_answer(exercise: int, answer: Any, is_right: bool) -> str:
    """Add an answer to the student's CSV file, if answers are recorded.

    Parameters
    ----------
    exercise : int
        The number of the exercise.
    answer : object
        The answer.
    is_right : bool
        Whether the answer is right.

    Returns
    -------
    str
        A warning that names the file if the answer could not be written to it, and otherwise an
        empty string.
    """
    if _record is None:
        # A restarted kernel has forgotten the record, but the student's file is still there.
        is_student = any(Path().glob("answers-*.csv"))
        return "This answer is not recorded. Run the first cell again." if is_student else ""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    text = " ".join(repr(answer).split())[:LONGEST]
    row = _record.student, _record.notebook, exercise, now, int(is_right), text
    try:
        _add_row(_record.path, row)
    except OSError as error:
        return (
            f"This answer is not recorded, because {_record.path} cannot be written "
            f"({error.strerror}). Run the first cell again with another file."
        )
    return ""


def _add_row(path, row):
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        writer.writerow(row)


def read_answers(path: str | Path) -> pd.DataFrame:
    """Read a file that `record_answers` has written, with a row for each answer.

    Raises
    ------
    InputError
        If the file cannot be read, if its columns are not those of `record_answers`, or if a line
        is damaged, for example because the file was cut off.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a file of answers: {error}") from error
    if tuple(table.columns) != COLUMNS:
        raise InputError(
            f"{path} has the columns {', '.join(table.columns)}; give a file that "
            f"record_answers wrote, with the columns {', '.join(COLUMNS)}"
        )
    is_whole = table["exercise"].str.fullmatch("[0-9]+") & table["right"].isin(["0", "1"])
    if not is_whole.all():
        line = int(np.argmin(is_whole)) + 2
        raise InputError(
            f"{path}, line {line}, has {','.join(table.iloc[line - 2])!r}; give a line with a "
            "number in the column exercise and 0 or 1 in the column right"
        )
    return table.astype({"exercise": int, "right": int})


def collect_answers(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Combine the answer files of a class into a table, with a row per student and exercise.

    Parameters
    ----------
    paths : iterable of path-like
        The files that the students handed in.

    Returns
    -------
    DataFrame
        A row for each student, notebook and exercise: the number of `attempts`, whether one was
        `right`, and the answer that counts: the first right one, or else the last one by `time`.
        Equal lines count once, because a file may be handed in twice.

    Raises
    ------
    InputError
        If there is no file, or if `read_answers` refuses one.
    """
    tables = [read_answers(path) for path in paths]
    if not tables:
        raise InputError("paths is empty; give the files of answers that students handed in")
    answers = pd.concat(tables).drop_duplicates().sort_values("time", kind="stable")
    rows = [(*key, *_attempts_right_and_answer(attempts)) for key, attempts in answers.groupby(KEY)]
    return pd.DataFrame(rows, columns=[*KEY, "attempts", "right", "answer"])


def _attempts_right_and_answer(attempts):
    right = attempts[attempts["right"] == 1]
    counts = right.iloc[0] if len(right) else attempts.iloc[-1]
    return len(attempts), bool(len(right)), counts["answer"]
