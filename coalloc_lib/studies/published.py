"""What the papers print, from ``data/published``: cells of their tables, claims of their prose."""

from dataclasses import dataclass
from functools import cache

import pandas as pd

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.data import data_folder

#: What the cells of printed tables are called among the runs of a study.
PRINTED = "printed table"


@dataclass(frozen=True)
class PublishedLoss:
    """A capacity loss in a table of a paper, printed with three decimals; a setting of a study."""

    table: int
    clusters: int
    cluster_size: int
    component_sizes: str
    request: str
    method: str
    published: float
    kind: str = PRINTED

    @property
    def item(self) -> str:
        """How the ledger calls it, for example ``Table 3 U[1,4] ordered exact``."""
        single = " 1 cluster" if self.clusters == 1 else ""
        return f"Table {self.table} {self.component_sizes}{single} {self.request} {self.method}"


@dataclass(frozen=True)
class Claim:
    """What the prose of a paper says, with a sentence for what each verdict of it means."""

    study: str
    item: str
    where: str
    claim: str
    number: str
    holds: str = ""
    does_not_hold: str = ""
    undecided: str = ""

    @property
    def sentences(self) -> dict[str, str]:
        """The sentences, by verdict."""
        said = {"holds": self.holds, "does not hold": self.does_not_hold}
        return said | {"undecided": self.undecided}


def load_published(study: str) -> list[PublishedLoss]:
    """Return the capacity losses in the tables of a study's paper, in their order."""
    return [PublishedLoss(**row) for row in _rows("published.csv", study)]


def load_claims(study: str) -> dict[str, Claim]:
    """Return the claims of a study's paper, by name."""
    return {row["item"]: Claim(study, **row) for row in _rows("claims.csv", study)}


def load_conclusions(study: str) -> dict[str, str]:
    """Return what a study's paper concludes, in clauses, each by the claim that decides it."""
    return {row["item"]: row["conclusion"] for row in _rows("conclusions.csv", study)}


def published_claim(study: str, item: str) -> Claim:
    """Return one claim of a study's paper; an `InputError` says where to add one."""
    claims = load_claims(study)
    if item not in claims:
        raise InputError(
            f"item = {item!r} is no claim of {study}; choose one of {', '.join(claims)}, or add "
            "it to data/published/claims.csv"
        )
    return claims[item]


@cache
def _rows(name, study):
    path = data_folder("published") / name
    try:
        table = pd.read_csv(path, keep_default_na=False, dtype={"number": str})
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist: the papers' numbers come with the library; install it again, "
            "or run the studies in a whole checkout"
        ) from None
    known = table["study"].unique()
    if study not in known:
        raise InputError(
            f"study = {study!r} has no row in data/published/{name}; choose one of "
            f"{', '.join(known)}, or add its rows there"
        )
    return table[table["study"] == study].drop(columns="study").to_dict("records")
