"""Read what the papers print from ``data/published``: the numbers of their tables, their claims."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from coalloc_lib.basics.checks import InputError, number_in, shown, whole_in
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.jobs import REQUESTS
from studies.archive import DATA

#: The folder of the files with the numbers and claims of the papers.
FOLDER = DATA / "published"
#: The value of the column `kind` for runs that reproduce a cell of a table in a paper.
PRINTED = "printed table"
#: The columns that each file must have.
COLUMNS = {
    "published.csv": ["study", "table", "clusters", "cluster_size", "component_sizes", "request",
                      "method", "published"],
    "claims.csv": ["study", "item", "where", "claim", "number", "holds", "does_not_hold",
                   "undecided", "sentence"],
    "conclusions.csv": ["study", "item", "conclusion"],
}  # fmt: skip
#: The numeric columns of ``published.csv``, each with the function that parses its numbers.
NUMBERS: dict[str, Callable[[str], float]] = {
    "table": whole_in, "clusters": whole_in, "cluster_size": whole_in, "published": number_in,
}  # fmt: skip
#: The words that are allowed in certain columns of ``published.csv``.
WORDS = {"request": REQUESTS, "method": ("exact", "approximation", "simulation")}


class PublishedError(InputError):
    """An error in a file of published data. Its message names the file."""


@dataclass(frozen=True)
class PublishedLoss:
    """One cell of a table in a paper: a capacity loss with three decimals.

    A cell is a setting of a study. The field ``published`` is ignored when cells are compared, so
    existing runs of a cell remain valid when its printed number is corrected in the file.
    """

    table: int
    clusters: int
    cluster_size: int
    component_sizes: str
    request: str
    method: str
    published: float = field(compare=False)
    kind: str = PRINTED

    @property
    def item(self) -> str:
        """The name of this table cell in the ledger, such as ``Table 3 U[1,4] ordered exact``."""
        single = " 1 cluster" if self.clusters == 1 else ""
        return f"Table {self.table} {self.component_sizes}{single} {self.request} {self.method}"


@dataclass(frozen=True)
class PublishedClaim:
    """A claim in the text of a paper, with an explanation of each possible verdict.

    Parameters
    ----------
    study, item : str
        The name of the study, and of the claim in it, such as ``MU-1``.
    where : str
        The section of the paper.
    claim : str
        What is judged, in a few words.
    number : str
        The number that the paper gives; empty if there is none.
    holds, does_not_hold, undecided : str
        For each verdict, a sentence that says what it means for this claim.
    sentence : str
        The sentence of the paper, word for word; empty for a claim of our own.
    """

    study: str
    item: str
    where: str
    claim: str
    number: str
    holds: str = ""
    does_not_hold: str = ""
    undecided: str = ""
    sentence: str = ""

    @property
    def quotation(self) -> str:
        """The paper's sentence in quotation marks, or `claim` if the claim is our own."""
        return f"“{self.sentence}”" if self.sentence else self.claim

    @property
    def sentences(self) -> dict[str, str]:
        """A dict from each possible verdict to the sentence that explains it."""
        return {
            "holds": self.holds,
            "does not hold": self.does_not_hold,
            "undecided": self.undecided,
        }


def load_published(study: str) -> list[PublishedLoss]:
    """Return all capacity losses in the tables of a study's paper, in the order of the file."""
    return [*_losses(study)]


@cache
def _losses(study: str) -> list[PublishedLoss]:
    cells: dict[str, PublishedLoss] = {}
    for line, row in _rows("published.csv", study):
        cell = _loss_of("published.csv", line, row)
        if cell.item in cells:
            _fail("published.csv", line, f"{cell.item} has two lines; remove one of them")
        cells[cell.item] = cell
    return [*cells.values()]


def published_loss(study: str, **names: Any) -> PublishedLoss:
    """Find the cell with the given values in a paper's table, and return it with its printed loss.

    Stored runs have the fields of a cell but not its printed number. If the number is corrected in
    the file, old runs are therefore compared with the corrected number.
    """
    wanted = PublishedLoss(**names, published=0.0)
    for cell in load_published(study):
        if cell == wanted:
            return cell
    raise PublishedError(
        f"{_path('published.csv')} has no line for {wanted.item} of {study}, but there are runs of "
        "it; add the line again"
    )


def _loss_of(name: str, line: int, row: dict[str, str]) -> PublishedLoss:
    values: dict[str, Any] = dict(row)
    for column, read in NUMBERS.items():
        try:
            values[column] = read(row[column])
        except ValueError:
            _fail(name, line, f"{column} = {shown(row[column])}; give a number")
    if not 0 <= values["published"] < 1:
        _fail(name, line, f"published = {row['published']}; give a loss of at least 0 and below 1")
    for column, allowed in WORDS.items():
        if row[column] not in allowed:
            choices = ", ".join(allowed)
            _fail(name, line, f"{column} = {shown(row[column])}; give one of {choices}")
    try:
        parse_sizes(row["component_sizes"])
    except InputError as error:
        _fail(name, line, str(error))
    return PublishedLoss(**values)


def load_claims(study: str) -> dict[str, PublishedClaim]:
    """Return the claims of a study's paper, keyed by their names, such as ``MU-1``."""
    return {
        item: PublishedClaim(study, **row) for item, row in _by_item("claims.csv", study).items()
    }


def load_conclusions(study: str) -> dict[str, str]:
    """Return the conclusions of a study's paper, keyed by the name of the deciding claim."""
    rows = _by_item("conclusions.csv", study)
    claims = load_claims(study)
    for line, row in _rows("conclusions.csv", study):
        if row["item"] not in claims:
            _fail(
                "conclusions.csv",
                line,
                f"{row['item']} is not a claim of {study}; give one that claims.csv has",
            )
    return {item: row["conclusion"] for item, row in rows.items()}


def published_claim(study: str, item: str) -> PublishedClaim:
    """Return one claim of a study's paper; raise `InputError` if ``claims.csv`` lacks it."""
    claims = load_claims(study)
    if item not in claims:
        raise InputError(
            f"item = {item!r} is not a claim of {study}; choose one of {', '.join(claims)}, or "
            "add it to data/published/claims.csv"
        )
    return claims[item]


def _by_item(name: str, study: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for line, row in _rows(name, study):
        if row["item"] in found or not row["item"]:
            _fail(name, line, f"item = {row['item']!r} is empty or occurs twice; give a new name")
        found[row["item"]] = row
    return found


def _rows(name: str, study: str) -> list[tuple[int, dict[str, str]]]:
    rows = _table(name)
    studies = dict.fromkeys(row["study"] for _, row in rows)
    if study not in studies:
        raise InputError(
            f"study = {study!r} has no row in data/published/{name}; choose one of "
            f"{', '.join(studies)}, or add its rows there"
        )
    return [(line, _without_study(row)) for line, row in rows if row["study"] == study]


def _without_study(row: dict[str, str]) -> dict[str, str]:
    return {column: text for column, text in row.items() if column != "study"}


@cache
def _table(name: str) -> list[tuple[int, dict[str, str]]]:
    try:
        with _path(name).open(newline="", encoding="utf-8-sig") as file:
            return list(_lines(name, csv.reader(file, strict=True)))
    except FileNotFoundError:
        raise InputError(
            f"{_path(name)} does not exist: the papers' numbers come with the repository; run the "
            "studies in a complete copy of it"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{_path(name)} is not UTF-8 ({error}); save it as UTF-8") from None


def _lines(name: str, reader: Any) -> Iterator[tuple[int, dict[str, str]]]:
    header = COLUMNS[name]
    try:
        if next(reader, None) != header:
            _fail(name, 1, f"the columns must be {','.join(header)}")
        for fields in filter(None, reader):  # skips empty lines
            if len(fields) != len(header):
                counts = f"{len(fields)} fields instead of {len(header)}"
                _fail(name, reader.line_num, f"{counts}; put a field with a comma in quotes")
            yield reader.line_num, dict(zip(header, fields, strict=True))
    except csv.Error as error:
        _fail(name, reader.line_num, str(error))


def _path(name: str) -> Path:
    return FOLDER / name


def _fail(name: str, line: int, what: str) -> NoReturn:
    raise PublishedError(f"{_path(name)}, line {line}: {what}")
