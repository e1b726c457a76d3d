"""What the papers print, from ``data/published``: cells of their tables, claims of their prose."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from coalloc_lib.basics.checks import InputError, number_in, shown, whole_in
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.jobs import REQUESTS
from studies.data import data_folder

#: What the cells of printed tables are called among the runs of a study.
PRINTED = "printed table"
#: The columns of each file.
COLUMNS = {
    "published.csv": ["study", "table", "clusters", "cluster_size", "component_sizes", "request",
                      "method", "published"],
    "claims.csv": ["study", "item", "where", "claim", "number", "holds", "does_not_hold",
                   "undecided", "sentence"],
    "conclusions.csv": ["study", "item", "conclusion"],
}  # fmt: skip
#: The columns of numbers of published.csv, and those that have one of a few words.
NUMBERS: dict[str, Callable[[str], float]] = {
    "table": whole_in, "clusters": whole_in, "cluster_size": whole_in, "published": number_in,
}  # fmt: skip
WORDS = {"request": REQUESTS, "method": ("exact", "approximation", "simulation")}


class PublishedError(InputError):
    """The files of published data are damaged; the error names the file."""


@dataclass(frozen=True)
class PublishedLoss:
    """A capacity loss in a table of a paper, printed with three decimals; a setting of a study.

    The printed number is no part of the setting: a run of a cell stays valid if it is corrected.
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
        """How the ledger calls it, for example ``Table 3 U[1,4] ordered exact``."""
        single = " 1 cluster" if self.clusters == 1 else ""
        return f"Table {self.table} {self.component_sizes}{single} {self.request} {self.method}"


@dataclass(frozen=True)
class Claim:
    """What the prose of a paper says, with a sentence for what each verdict of it means.

    `sentence` is the sentence of the paper, word for word; it is empty for a claim of our own.
    `claim` says in a few words what is judged.
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
        """What the paper says: its sentence in quotation marks, or what is judged without one."""
        return f"“{self.sentence}”" if self.sentence else self.claim

    @property
    def sentences(self) -> dict[str, str]:
        """The sentences, by verdict."""
        said = {"holds": self.holds, "does not hold": self.does_not_hold}
        return said | {"undecided": self.undecided}


def load_published(study: str) -> list[PublishedLoss]:
    """Return the capacity losses in the tables of a study's paper, in their order."""
    cells: dict[str, PublishedLoss] = {}
    for line, row in _rows("published.csv", study):
        cell = _loss_of("published.csv", line, row)
        if cell.item in cells:
            _refuse("published.csv", line, f"{cell.item} is there twice; remove one of the lines")
        cells[cell.item] = cell
    return [*cells.values()]


def published_loss(study: str, **names: Any) -> PublishedLoss:
    """Return the printed cell with these names, as the file has it now.

    Stored runs have such names, so that a number that is corrected in the file counts for them too.
    """
    wanted = PublishedLoss(**names, published=0.0)
    for cell in load_published(study):
        if cell == wanted:
            return cell
    raise PublishedError(
        f"{_path('published.csv')} has no line for {wanted.item} of {study}, which was run; add "
        "the line again"
    )


def _loss_of(name: str, line: int, row: dict[str, str]) -> PublishedLoss:
    """Return the cell of a line; an `InputError` names the line and what is wrong in it."""
    values: dict[str, Any] = dict(row)
    for column, read in NUMBERS.items():
        try:
            values[column] = read(row[column])
        except ValueError:
            _refuse(name, line, f"{column} = {shown(row[column])}; give a number")
    if not 0 <= values["published"] < 1:
        _refuse(name, line, f"published = {row['published']}; give a loss from 0 to below 1")
    for column, known in WORDS.items():
        if row[column] not in known:
            choices = ", ".join(known)
            _refuse(name, line, f"{column} = {shown(row[column])}; give one of {choices}")
    try:
        parse_sizes(row["component_sizes"])
    except InputError as error:
        _refuse(name, line, str(error))
    return PublishedLoss(**values)


def load_claims(study: str) -> dict[str, Claim]:
    """Return the claims of a study's paper, by name."""
    return {item: Claim(study, **row) for item, row in _by_item("claims.csv", study).items()}


def load_conclusions(study: str) -> dict[str, str]:
    """Return what a study's paper concludes, in clauses, each by the claim that decides it."""
    rows = _by_item("conclusions.csv", study)
    claims = load_claims(study)
    for line, row in _rows("conclusions.csv", study):
        if row["item"] not in claims:
            _refuse("conclusions.csv", line, f"{row['item']} is no claim of {study}")
    return {item: row["conclusion"] for item, row in rows.items()}


def published_claim(study: str, item: str) -> Claim:
    """Return one claim of a study's paper; an `InputError` says where to add one."""
    claims = load_claims(study)
    if item not in claims:
        raise InputError(
            f"item = {item!r} is no claim of {study}; choose one of {', '.join(claims)}, or add "
            "it to data/published/claims.csv"
        )
    return claims[item]


def _by_item(name: str, study: str) -> dict[str, dict[str, str]]:
    """Return the lines of a study by their item, of which none is there twice or empty."""
    found: dict[str, dict[str, str]] = {}
    for line, row in _rows(name, study):
        if row["item"] in found or not row["item"]:
            _refuse(name, line, f"item = {row['item']!r} is empty, or there twice; give one name")
        found[row["item"]] = row
    return found


def _rows(name: str, study: str) -> list[tuple[int, dict[str, str]]]:
    """Return the lines of a study, each with its number in the file, without the study."""
    rows = _table(name)
    known = dict.fromkeys(row["study"] for _, row in rows)
    if study not in known:
        raise InputError(
            f"study = {study!r} has no row in data/published/{name}; choose one of "
            f"{', '.join(known)}, or add its rows there"
        )
    return [(line, _without_study(row)) for line, row in rows if row["study"] == study]


def _without_study(row: dict[str, str]) -> dict[str, str]:
    return {column: text for column, text in row.items() if column != "study"}


@cache
def _table(name: str) -> list[tuple[int, dict[str, str]]]:
    """Return all lines of a file after its header, each with its number in the file."""
    try:
        with _path(name).open(newline="", encoding="utf-8-sig") as file:
            return list(_lines(name, csv.reader(file, strict=True)))
    except FileNotFoundError:
        raise InputError(
            f"{_path(name)} does not exist: the papers' numbers come with the repository; run the "
            "studies in a whole checkout"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{_path(name)} is not UTF-8 ({error}); save it as UTF-8") from None


def _lines(name: str, reader: Any) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the lines after the header; refuse one that does not have the columns of the file."""
    header = COLUMNS[name]
    try:
        if next(reader, None) != header:
            _refuse(name, 1, f"the columns are others than {','.join(header)}")
        for fields in filter(None, reader):  # without empty lines
            if len(fields) != len(header):
                told = f"{len(fields)} fields, not {len(header)}"
                _refuse(name, reader.line_num, f"{told}; quote a text that has a comma in it")
            yield reader.line_num, dict(zip(header, fields, strict=True))
    except csv.Error as error:
        _refuse(name, reader.line_num, str(error))


def _path(name: str) -> Path:
    return data_folder("published") / name


def _refuse(name: str, line: int, what: str) -> NoReturn:
    raise PublishedError(f"{_path(name)}, line {line}: {what}")
