"""What the papers print: the cells of their tables, and the claims of their prose.

Both come with a checkout of the repository, in ``data/published``.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from coalloc_lib.checks import InputError

#: The studies whose papers print tables of numbers.
WITH_TABLES = ("maximal-utilization", "cluster-configurations")


@dataclass(frozen=True)
class PublishedLoss:
    """A capacity loss in a table of a paper.

    Parameters
    ----------
    table : int
        The table's number.
    clusters, cluster_size : int
        The system.
    component_sizes : str
        The distribution, as `coalloc_lib.parse_sizes` takes it.
    request : str
        Type of request.
    method : str
        ``exact``, ``approximation`` or ``simulation``.
    capacity_loss : float
        Printed with three decimals.
    """

    table: int
    clusters: int
    cluster_size: int
    component_sizes: str
    request: str
    method: str
    capacity_loss: float

    @property
    def item(self):
        """How the ledger calls it, for example ``Table 3 U[1,4] ordered exact``."""
        single = " 1 cluster" if self.clusters == 1 else ""
        return f"Table {self.table} {self.component_sizes}{single} {self.request} {self.method}"

    def __str__(self):
        return self.item


@dataclass(frozen=True)
class Claim:
    """What the prose of a paper says that a run can confirm or refute.

    Parameters
    ----------
    study : str
        Name of the study.
    item : str
        The claim's name, for example ``MU-1``.
    where : str
        Section, figure or table.
    claim : str
        The claim in words.
    number : str
        The number that it names, empty where it names none.
    """

    study: str
    item: str
    where: str
    claim: str
    number: str


def load_published(study):
    """Return the capacity losses in the tables of a study's paper, in their order."""
    if study not in WITH_TABLES:
        raise InputError(f"study = {study!r} has no tables; choose one of {', '.join(WITH_TABLES)}")
    rows = _rows("published.csv")
    return [_loss(row) for row in rows if row["study"] == study]


def load_claims(study):
    """Return the claims of a study's paper, by name."""
    claims = [Claim(**row) for row in _rows("claims.csv")]
    known = list(dict.fromkeys(claim.study for claim in claims))
    if study not in known:
        raise InputError(
            f"study = {study!r} has no claims; choose one of {', '.join(known)}, or add its "
            "claims to data/published/claims.csv"
        )
    return {claim.item: claim for claim in claims if claim.study == study}


def published_claim(study, item):
    """Return one claim of a study's paper; an `InputError` says where to add one."""
    claims = load_claims(study)
    if item not in claims:
        raise InputError(
            f"item = {item!r} is no claim of {study}; choose one of {', '.join(claims)}, or add "
            "it to data/published/claims.csv"
        )
    return claims[item]


def _loss(row):
    return PublishedLoss(
        table=int(row["table"]),
        clusters=int(row["clusters"]),
        cluster_size=int(row["cluster_size"]),
        component_sizes=row["component_sizes"],
        request=row["request"],
        method=row["method"],
        capacity_loss=float(row["capacity_loss"]),
    )


def _rows(name):
    path = Path(__file__).parents[2] / "data" / "published" / name
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist: the papers' numbers come with a checkout of the repository, "
            "not with an installed package; run the studies in a checkout"
        ) from None
