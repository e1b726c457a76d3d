"""Claims over many divisions: the sets, the shares, and verdicts that could say the opposite."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import pick, student
from studies.cluster_configurations import claims_divisions, division_figures, study
from studies.cluster_configurations.claims_divisions import FOUR_EQUAL, Share
from studies.cluster_configurations.divisions import (
    CONSTANT,
    DIVISION,
    MOVED,
    ONE_AND_ONE,
    ORDERED_WAY,
    TWO_AND_TWO,
    WAYS,
    Division,
    MaxUtilizations,
    divisions,
    into_four,
    into_powers_of_two,
    is_unequal,
    measure_division,
    moved,
    name_of,
    sizes_of,
)
from studies.cluster_configurations.model import (
    FIRST_FIT,
    ORDERED,
    PROCESSORS,
    SMALL_FIRST,
    WORST_FIT,
)
from studies.ledger import judge_claim
from tests.studies.small import SMALL

TINY = SMALL[study.name]
SEED = np.random.SeedSequence(1, spawn_key=(0,))
RUNS = 6


def made_up(value, noise=1e-4):
    """Return runs of all divisions that carry ``value(sizes, setting)``, with some noise."""
    rows = []
    for number, setting in enumerate(dict.fromkeys(divisions())):
        names = {"division": setting.division, "request": setting.request, "kind": DIVISION}
        names |= {"placement": setting.placement or "", "service": setting.service}
        waves = np.cos(2 * np.pi * (np.arange(RUNS) / RUNS + 0.618 * number))
        maxima = value(sizes_of(setting.division), setting) + noise * waves
        rows += [
            names | {"replication": i, "max_utilization": each, "warning": ""}
            for i, each in enumerate(maxima)
        ]
    return pd.DataFrame(rows)


def verdict(item, runs):
    return judge_claim(study.claims[item].decide(runs)).verdict


def by_difference(step, equal=0.9):
    """Return what divisions carry that lose `step` for each processor between their clusters."""
    return lambda sizes, setting: equal - step * (max(sizes) - min(sizes))


def by_number(few, many, equal=0.9):
    """Return what unequal divisions carry that have few clusters, and many."""

    def value(sizes, setting):
        if not is_unequal(sizes):
            return equal
        return many if len(sizes) >= 8 else few

    return value


def by_placement(few, many):
    """Return divisions on which worst fit gains so much if their clusters are few, and many."""

    def value(sizes, setting):
        gain = many if len(sizes) >= 8 else few
        return 0.7 + gain * (setting.placement == WORST_FIT)

    return value


def small_first_gains(by):
    return lambda sizes, setting: 0.7 + by * (setting.placement == SMALL_FIRST)


def by_count(step, worst=0.0):
    """Return what divisions carry that lose `step` for each cluster, and `worst` by worst fit."""

    def value(sizes, setting):
        return 0.95 - len(sizes) * (step + worst * (setting.placement == WORST_FIT))

    return value


LOUD = 0.3
VERDICTS = [
    ("CC-4", small_first_gains(-0.1), 1e-4, "holds"),
    ("CC-4", small_first_gains(0.1), 1e-4, "does not hold"),
    ("CC-4", small_first_gains(0.0), LOUD, "undecided"),
    ("CC-5", by_number(0.5, 0.9), 1e-4, "holds"),
    ("CC-5", by_number(0.9, 0.5), 1e-4, "does not hold"),
    ("CC-5", by_number(0.7, 0.7), LOUD, "undecided"),
    ("CC-6", by_count(0.0), 1e-6, "does not hold"),
    ("CC-6", by_number(0.5, 0.8), LOUD, "undecided"),
    ("CC-7", by_placement(0.05, 0.0), 1e-6, "undecided"),
    ("CC-7", by_placement(-0.05, 0.0), 1e-4, "does not hold"),
    ("CC-8", by_placement(0.0, -0.1), 1e-4, "holds"),
    ("CC-8", by_placement(0.0, -0.04), 1e-4, "undecided"),
    ("CC-8", by_placement(0.0, 0.1), 1e-4, "does not hold"),
    ("CC-16", by_count(0.01, worst=0.01), 1e-4, "holds"),
    ("CC-16", by_count(-0.01), 1e-4, "does not hold"),
    ("CC-16", by_count(0.0), LOUD, "undecided"),
    ("CC-19", by_difference(0.01), 1e-4, "holds"),
    ("CC-19", by_difference(-0.001), 1e-4, "does not hold"),
    ("CC-19", by_difference(0.0), LOUD, "undecided"),
    ("CC-20", by_difference(0.01), 1e-4, "holds"),
    ("CC-20", by_difference(-0.001), 1e-4, "does not hold"),
    ("CC-20", by_difference(0.0), LOUD, "undecided"),
    ("CC-21", by_placement(0.1, -0.1), 1e-4, "holds"),
    ("CC-21", by_placement(-0.1, -0.1), 1e-4, "does not hold"),
    ("CC-21", by_placement(0.1, 0.1), 1e-4, "does not hold"),
    ("CC-21", by_placement(0.0, 0.0), LOUD, "undecided"),
    ("CC-22", by_number(0.5, 0.8), 1e-4, "holds"),
    ("CC-22", by_number(0.8, 0.5), 1e-4, "does not hold"),
    ("CC-22", by_number(0.7, 0.7), LOUD, "undecided"),
]


@pytest.mark.parametrize(("item", "value", "noise", "expected"), VERDICTS)
def test_verdicts_follow_what_divisions_carry(item, value, noise, expected):
    assert verdict(item, made_up(value, noise)) == expected


def test_the_sets_are_all_divisions_of_their_kind():
    four, powers = into_four(), into_powers_of_two()
    assert (len(four), len(powers)) == (23, 33)
    assert sum(map(is_unequal, four)) == 22
    assert sum(map(is_unequal, powers)) == 30
    assert {sum(sizes) for sizes in (*four, *powers)} == {PROCESSORS}
    assert (64, 32, 16, 16) in four
    assert len({*four}) == 23
    assert {size for sizes in powers for size in sizes} == {8, 16, 32, 64}
    assert min(map(len, powers)) == 4
    assert moved(TWO_AND_TWO, 12) == (44, 44, 20, 20)
    assert moved(ONE_AND_ONE, 0) == FOUR_EQUAL
    assert sizes_of(name_of((64, 32, 16, 16))) == (64, 32, 16, 16)
    for wrong in ("64+32", "four"):
        with pytest.raises(co.InputError, match=r"^division = ") as caught:
            Division(wrong)
        assert wrong in str(caught.value)
    with pytest.raises(co.InputError, match=r"^m = 32; give"):
        moved(ONE_AND_ONE, 32)
    with pytest.raises(co.InputError, match="with None"):
        Division(name_of(FOUR_EQUAL), FIRST_FIT, ORDERED)


def test_a_share_counts_what_agrees_and_what_is_open():
    share = Share.of([True, False, None])
    assert (share, str(share)) == ((1, 1, 3), "1 of 3, undecided 1")
    assert (share.all_agree, share.most_agree) == (False, None)
    assert Share.of([True, None]).all_agree is None
    assert Share.of([True, True, False]).most_agree is True
    assert Share.of([True, False]).most_agree is False


def test_a_note_says_how_many_divisions_agree():
    """Of the 22 unequal divisions into four, those with a cluster of 8 carry more."""

    def value(sizes, setting):
        return 0.9 + (0.05 if min(sizes) == 8 else -0.05) * is_unequal(sizes)

    note = judge_claim(study.claims["CC-19"].decide(made_up(value))).note
    small = sum(min(sizes) == 8 for sizes in into_four())
    assert f"first fit: {22 - small} of 22" in note


def test_a_division_is_measured_on_the_jobs_of_all_others():
    rows = {
        placement: [row["max_utilization"] for row in
                    measure_division(Division(name_of(FOUR_EQUAL), placement), TINY, SEED)]
        for placement in (FIRST_FIT, WORST_FIT)
    }  # fmt: skip
    assert {len(values) for values in rows.values()} == {TINY.replications}
    assert student(np.subtract(rows[WORST_FIT], rows[FIRST_FIT])).low > 0
    exact = Division(name_of(FOUR_EQUAL), None, ORDERED)
    (row,) = measure_division(exact, TINY, SEED)
    bound = co.max_utilization_by_simulation(exact.scenario, method="exact")
    assert row["max_utilization"] == bound.max_utilization
    constant = Division(name_of((16,) * 8), WORST_FIT, service=CONSTANT)
    assert constant.scenario.workload.service.cv < 1e-6


def test_a_division_that_was_not_run_is_named():
    maxima = MaxUtilizations(made_up(by_difference(0.01)))
    with pytest.raises(co.InputError, match=r"no run has division = '50\+30\+28\+20'"):
        maxima.of((50, 30, 28, 20), FIRST_FIT)


def test_the_figure_and_its_slider_have_what_is_carried(result):
    table = result.figure("divisions").data()
    assert len(table) == 2 * len(MOVED) * len(WAYS)
    row = pick(table, family=TWO_AND_TWO, way=ORDERED_WAY, m=16)
    scenario = Division("48+48+16+16", None, ORDERED).scenario
    exact = co.max_utilization_by_simulation(scenario, method="exact").max_utilization
    assert row["max_utilization"].item() == pytest.approx(exact)
    explorer = division_figures.unequal_explorer()
    assert explorer.values == {"family": TWO_AND_TWO, "m": 8}
    picture = division_figures.unequal_picture(ONE_AND_ONE, 20, coarse=True)
    assert "52+32+32+12" in picture._repr_mimebundle_()["text/html"]


def test_worst_fit_gains_what_the_difference_of_its_runs_is():
    gain = claims_divisions.gain_of_worst_fit(
        MaxUtilizations(made_up(by_placement(0.05, 0.0))), FOUR_EQUAL
    )
    assert gain.estimate == pytest.approx(0.05, abs=1e-3)
