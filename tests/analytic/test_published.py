"""Every analytic cell of the published tables comes out."""

import csv
from pathlib import Path

import pytest

from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.system import Multicluster

PUBLISHED = Path(__file__).parents[2] / "data" / "published" / "published.csv"
with PUBLISHED.open() as lines:
    ROWS = [row for row in csv.DictReader(lines) if row["method"] != "simulation"]
CASES = {}
for row in ROWS:
    key = row["clusters"], row["cluster_size"], row["component_sizes"], row["request"]
    CASES.setdefault(key, set()).add((row["method"], float(row["capacity_loss"])))


def test_all_rows_are_tested():
    assert len(ROWS) == 150


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_cell(case):
    clusters, size, sizes, request = int(case[0]), int(case[1]), parse_sizes(case[2]), case[3]
    one_cluster = Multicluster([clusters * size])
    system = one_cluster if request == "total" else Multicluster.equal(clusters, size)
    bound = maximal_utilization(system, sizes, clusters, request)
    for method, published in CASES[case]:
        assert bound.capacity_loss == pytest.approx(published, abs=0.0006)
        assert bound.method == method
