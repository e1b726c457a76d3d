"""Make what a teacher hands out: student and teacher versions, and the sheet of the tour.

``make course`` calls ``python -m lessons.course make build/course``.
"""

import re
import sys
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Annotated

import nbformat
import typer
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coalloc_lib.basics.checks import InputError
from coalloc_lib.cli.framework import OnceEach, run_app
from lessons import tour
from lessons.answers import collect_answers, read_answers

#: The beginning of every command that teachers type in the folder ``notebooks/``.
PROGRAM = "python -m lessons.course"
NOTEBOOKS = Path(__file__).resolve().parents[1]
#: Regular expressions for a collapsed solution in a text cell, for a next step of a project, and
#: for the sentence that says where the solutions are.
SOLUTION = re.compile(
    r"\s*<details>\s*<summary>(?:Solution \d+|A next step).*?</details>\s*", re.DOTALL
)
WHERE_SOLUTIONS_ARE = re.compile(r" *(?:A hidden solution|The solutions? [^.]*hidden)[^.]*\.")
#: A regular expression for the opening tags of a collapsed solution.
FOLDED = re.compile(r"<details>(\s*<summary>Solution)")
#: The source code of the first code cell in a notebook for students.
FIRST = """from lessons.answers import record_answers

student = "..."  # Put your name in place of the dots.
record_answers(f"answers-{name}-{{student}}.csv", student=student, notebook="{name}")"""
#: The sheets of squared paper that are printed for students: the width and height of an A4 page in
#: inches, the side of a square in inches, and the number of hours on a time axis.
PAGE, SQUARE, HOURS = (11.69, 8.27), 0.24, 28

app = typer.Typer(name=PROGRAM, help=__doc__, add_completion=False, rich_markup_mode=None)


def student_version(notebook: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    """Return a copy of a notebook for students, without outputs and without solutions.

    Its new first cell records the answers of a student.

    Parameters
    ----------
    notebook : NotebookNode
        A notebook of the project.
    name : str
        Its name, which the file of answers gets.
    """
    made = deepcopy(notebook)
    made.metadata.pop("widgets", None)
    cells = []
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        else:
            cell.source = WHERE_SOLUTIONS_ARE.sub("", SOLUTION.sub("", cell.source))
        if cell.source.strip():
            cells.append(cell)
    first = nbformat.v4.new_code_cell(FIRST.format(name=name), id="record-answers")
    made.cells = [cells[0], first, *cells[1:]]
    return made


def teacher_version(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a copy of a notebook for teachers, in which all solutions are expanded."""
    made = deepcopy(notebook)
    for cell in made.cells:
        if cell.cell_type == "markdown":
            cell.source = FOLDED.sub(r"<details open>\1", cell.source)
    return made


def draw_jobs_sheet() -> Figure:
    """Draw the twenty example jobs of notebook 00 on squared paper, for students to cut out.

    A square is one processor for one hour. Each job has its number, and when it is submitted.
    """
    jobs = tour.jobs_table()
    figure, axes = _paper("The twenty jobs of the tour. Height: processors. Length: hours.")
    left, top, deepest = 0, 0, 0
    for number, job in jobs.iterrows():
        if left + job["run_time"] > PAGE[0] / SQUARE - 6:
            left, top, deepest = 0, top + deepest + 1, 0
        corner = left, -top - job["processors"]
        axes.add_patch(Rectangle(corner, job["run_time"], job["processors"], fill=False, lw=1.5))
        middle = left + job["run_time"] / 2, -top - job["processors"] / 2
        words = f"{number}\nat {job['submitted']}"
        axes.text(*middle, words, ha="center", va="center", fontsize=6)
        left, deepest = left + job["run_time"] + 1, max(deepest, job["processors"])
    return figure


def draw_strips_sheet() -> Figure:
    """Draw three empty time axes on squared paper, one for each cluster of notebook 00."""
    figure, axes = _paper("Schedule: ____________    Names: ________________________")
    for cluster in range(3):
        low = -10 * (cluster + 1)
        axes.add_patch(Rectangle((0, low), HOURS, 8, fill=False, lw=1.5))
        axes.text(-0.5, low + 4, f"cluster {cluster + 1}", ha="right", va="center", fontsize=7)
        for hour in range(HOURS):
            axes.text(hour + 0.5, low - 0.8, hour + 1, ha="center", fontsize=5)
    return figure


def _paper(title):
    figure = Figure(figsize=PAGE)
    axes = figure.add_axes((0.08, 0.04, 0.9, 0.88))
    width, height = 0.9 * PAGE[0] / SQUARE, 0.88 * PAGE[1] / SQUARE
    axes.set(xlim=(-1, width - 1), ylim=(1 - height, 1), aspect="equal", xticks=[], yticks=[])
    for x in range(int(width)):
        axes.axvline(x, color="0.85", lw=0.4, zorder=0)
    for y in range(int(height)):
        axes.axhline(-y, color="0.85", lw=0.4, zorder=0)
    axes.set_title(title, fontsize=10, loc="left")
    for side in axes.spines.values():
        side.set_visible(False)
    return figure, axes


def make(folder: Path) -> list[Path]:
    """Write notebooks for students and for teachers, and sheets to print, into a folder.

    The paths of the files are returned.
    """
    made = []
    for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        versions = {
            "student": student_version(notebook, path.stem),
            "teacher": teacher_version(notebook),
        }
        for version, changed in versions.items():
            made.append(folder / version / path.name)
            made[-1].parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(changed, made[-1])
    sheets = {"twenty-jobs": draw_jobs_sheet(), "strips": draw_strips_sheet()}
    for name, figure in sheets.items():
        for kind in ("svg", "pdf"):
            made.append(folder / f"{name}.{kind}")
            figure.savefig(made[-1])
    return made


@app.command(name="make", cls=OnceEach)
def make_command(folder: Annotated[Path, typer.Argument(metavar="FOLDER")]) -> None:
    """Write notebooks for students and for teachers, and sheets to print, into a folder."""
    for path in make(folder):
        print(path)


@app.command(name="collect", cls=OnceEach)
def collect_command(files: Annotated[list[Path], typer.Argument(metavar="FILE...")]) -> None:
    """Print as CSV the answers from the files that the students of a course handed in.

    Files that cannot be read are left out and named.
    """
    readable, faults = [], []
    for path in files:
        try:
            read_answers(path)
            readable.append(path)
        except InputError as error:
            faults.append(str(error))
    if readable:
        sys.stdout.write(collect_answers(readable).to_csv(index=False))
    if faults:
        left_out = "\n  ".join(faults)
        raise InputError(f"{len(faults)} of {len(files)} files are left out:\n  {left_out}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of a teacher, ``make`` or ``collect``, and return the exit status."""
    return run_app(app, PROGRAM, arguments)


if __name__ == "__main__":
    sys.exit(main())
