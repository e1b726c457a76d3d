"""Claims over many divisions: the sets, the shares, and verdicts that could say the opposite."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import pick, student
from studies.cluster_configurations import claims_divisions, study
from studies.cluster_configurations.claims_divisions import FOUR_EQUAL
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
    FOUR_COMPONENTS,
    IN_ORDER,
    ORDERED,
    PRINTED,
    PROCESSORS,
    SMALL_FIRST,
    UNORDERED,
    WORST_FIT,
)
from studies.cluster_configurations.runs import AT_LOAD, CURVE
from studies.ledger import judge_claim
from tests.studies.small import SMALL

TINY = SMALL[study.name]
SEED = np.random.SeedSequence(1, spawn_key=(0,))
RUNS = 6


def made_up(value, noise=1e-4, small_first=2.0):
    """Return runs of all divisions that carry ``value(sizes, setting)``, with some noise.

    On one unequal system the mean response is 1, and `small_first` if the small clusters are filled
    first.
    """
    rows = []
    for placement, response in ((FIRST_FIT, 1.0), (SMALL_FIRST, small_first)):
        names = {"kind": CURVE, "measured": AT_LOAD, "system": PRINTED, "placement": placement}
        names |= {"jobs": FOUR_COMPONENTS, "policy": IN_ORDER, "request": UNORDERED, "load": 0.3}
        rows += [
            names | {"replication": i, "response": response + noise * np.sin(i), "warning": ""}
            for i in range(RUNS)
        ]
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


def by_number(few, many, equal=0.9, eight=None):
    """Return what unequal divisions carry that have few clusters, and many."""

    def value(sizes, setting):
        if not is_unequal(sizes):
            return eight if eight and len(sizes) > 4 else equal
        return many if len(sizes) >= 8 else few

    return value


def by_placement(few, many, equal=None):
    """Return divisions on which worst fit gains so much if their clusters are few, and many.

    On four equal clusters it gains `equal`, if that is given.
    """

    def value(sizes, setting):
        gain = many if len(sizes) >= 8 else few
        if equal is not None and sizes == FOUR_EQUAL:
            gain = equal
        return 0.7 + gain * (setting.placement == WORST_FIT)

    return value


def better_if(is_better):
    """Return what divisions carry if unequal clusters lose a little, but some gain a little."""

    def value(sizes, setting):
        distance = max(sizes) - min(sizes)
        return 0.9 - 1e-3 * distance + 0.3 * (is_unequal(sizes) and is_better(sizes))

    return value


def best_number(number):
    """Return what divisions carry that have more if they have about this number of clusters."""
    return lambda sizes, setting: 0.9 - 0.01 * abs(len(sizes) - number)


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
    ("CC-5", by_number(0.5, 0.5), 1e-4, "holds"),  # 'only': many clusters need not do well
    ("CC-5", by_number(0.9, 0.5), 1e-4, "does not hold"),
    ("CC-5", by_number(0.7, 0.7), LOUD, "undecided"),
    ("CC-6", by_number(0.5, 0.8, eight=0.8), 1e-4, "holds"),
    ("CC-6", by_number(0.8, 0.5, eight=0.8), 1e-4, "does not hold"),
    ("CC-6", by_number(0.5, 0.8), 1e-4, "undecided"),  # eight equal clusters do as well as four
    ("CC-6", by_number(0.5, 0.8), LOUD, "undecided"),
    ("CC-7", by_placement(0.01, 0.0, equal=0.1), 1e-6, "holds"),
    ("CC-7", by_placement(0.05, 0.0), 1e-6, "undecided"),
    ("CC-7", by_placement(-0.05, 0.0), 1e-4, "does not hold"),
    ("CC-8", by_placement(0.0, -0.1), 1e-4, "holds"),
    ("CC-8", by_placement(0.0, -0.04), 1e-4, "undecided"),
    ("CC-8", by_placement(0.0, 0.1), 1e-4, "does not hold"),
    ("CC-16", by_count(0.01, worst=0.01), 1e-4, "holds"),
    ("CC-16", by_count(-0.01), 1e-4, "does not hold"),
    ("CC-16", best_number(6), 1e-4, "undecided"),
    ("CC-16", by_count(0.0), LOUD, "undecided"),
    ("CC-19", by_difference(0.01), 1e-4, "holds"),
    ("CC-19", by_difference(-0.001), 1e-4, "does not hold"),
    ("CC-19", better_if(lambda sizes: min(sizes) == 8), 1e-4, "undecided"),
    ("CC-19", by_difference(0.0), LOUD, "undecided"),
    ("CC-20", by_difference(0.01), 1e-4, "holds"),
    ("CC-20", by_difference(-0.001), 1e-4, "does not hold"),
    ("CC-20", better_if(lambda sizes: max(sizes) - min(sizes) == 40), 1e-4, "undecided"),
    ("CC-20", by_difference(0.0), LOUD, "undecided"),
    ("CC-21", by_placement(0.1, -0.1), 1e-4, "holds"),
    ("CC-21", by_placement(-0.1, -0.1), 1e-4, "does not hold"),
    ("CC-21", by_placement(0.1, 0.1), 1e-4, "does not hold"),
    ("CC-21", by_placement(0.1, -0.1, equal=-0.1), 1e-4, "undecided"),
    ("CC-21", by_placement(0.0, 0.0), LOUD, "undecided"),
    ("CC-22", by_number(0.5, 0.8), 1e-4, "holds"),
    ("CC-22", by_number(0.8, 0.5, equal=0.6), 1e-4, "does not hold"),
    ("CC-22", better_if(lambda sizes: sizes == (40, 32, 32, 24)), 1e-4, "undecided"),
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


def test_responses_are_asked_too_if_the_large_clusters_are_filled_first():
    runs = made_up(small_first_gains(-0.1), small_first=0.5)
    assert verdict("CC-4", runs) == "does not hold"
    assert (
        "responds sooner: 0 of 1 comparisons agree"
        in judge_claim(study.claims["CC-4"].decide(runs)).note
    )
    with pytest.raises(co.InputError, match="no run has placement"):
        study.claims["CC-4"].decide(runs[runs["kind"] == DIVISION])


def test_few_against_many_and_any_smaller_number_are_two_readings():
    note = judge_claim(study.claims["CC-16"].decide(made_up(by_count(0.01, worst=0.01)))).note
    assert (
        "Few clusters compared with many, equal clusters: holds (first fit: 2 of 2 pairs agree"
        in note
    )
    any_number = "any number compared with any larger number, equal clusters: holds"
    assert f"{any_number} (first fit: 3 of 3 pairs agree" in note


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


def test_the_figure_has_what_is_carried(result):
    table = result.figure("divisions").data()
    assert len(table) == 2 * len(MOVED) * len(WAYS)
    row = pick(table, family=TWO_AND_TWO, way=ORDERED_WAY, m=16)
    scenario = Division("48+48+16+16", None, ORDERED).scenario
    exact = co.max_utilization_by_simulation(scenario, method="exact").max_utilization
    assert row["max_utilization"].item() == pytest.approx(exact)


def test_worst_fit_gains_what_the_difference_of_its_runs_is():
    gain = claims_divisions.gain_of_worst_fit(
        MaxUtilizations(made_up(by_placement(0.05, 0.0))), FOUR_EQUAL
    )
    assert gain.estimate == pytest.approx(0.05, abs=1e-3)
