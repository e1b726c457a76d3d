"""The tour: its twenty jobs, its map and law, and the numbers of its decision chart."""

import numpy as np
import pytest

from lessons import tour


def test_every_scheduler_serves_the_twenty_jobs_and_tells_the_story():
    wait = {name: tour.schedule(name).wait.mean() for name in tour.SCHEDULERS}
    assert wait["at home"] > wait["whole"] > wait["split"] > wait["overtaking"]
    assert wait["backfilling"] == min(wait.values())
    response = {name: tour.schedule(name).response.mean() for name in tour.SCHEDULERS}
    assert response["split"] < response["whole"]  # spanning fills holes that nothing else fills
    for name in ("overtaking", "backfilling"):
        assert response[f"{name}, split"] > response[name]  # and loses where they are filled
    start = {name: tour.schedule(name).start[[7, 16]] for name in ("whole", "split", "backfilling")}
    assert start["whole"][0] - start["split"][0] == 4
    assert start["whole"][1] - start["backfilling"][1] == 5


def test_the_table_of_the_jobs_is_what_is_scheduled():
    table = tour.jobs_table()
    assert table.loc[8].tolist() == [4, 2, 8, "cluster 2"]
    ends = (tour.schedule("whole").end - tour.schedule("whole").start).tolist()
    assert table["runs"].tolist() == ends


def test_players_of_the_tour_have_one_clock():
    tour._players.clear()
    one, other = tour.player("whole"), tour.player("split")
    axis = [player.data["axis"] for player in (one, other)]
    assert axis[0]["begin"] == axis[1]["begin"]
    assert other._against is tour.schedule("whole")
    assert tour._players == [one, other]


@pytest.fixture(scope="module")
def small():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"LENGTH": 3_000, "RUNS": 4, "LOADS": (0.3, 0.7)}.items():
            patch.setattr(tour, name, value)
        for cached in (tour.limit, tour.responses):
            cached.cache_clear()
        yield
    for cached in (tour.limit, tour.responses):
        cached.cache_clear()


def test_the_map_and_the_law_agree_on_who_leaves_room_for_spanning(small):
    law, table = tour.law(), tour.where_spanning_pays()
    assert law["break-even"]["EASY"] < law["break-even"]["FPFS(5)"] < law["break-even"]["FCFS"]
    fcfs, easy = (tour.break_even(policy, 0.7) for policy in ("FCFS", "EASY"))
    assert fcfs.low > easy.high
    assert fcfs.contains(law["break-even"]["FCFS"])
    known = table[table["mark"] == ""]
    assert (known["ci95_low"] <= known["change"]).all()
    assert (known["change"] <= known["ci95_high"]).all()
    gone = table[
        (table["policy"] == "FCFS") & (table["load"] == "0.7") & (table["penalty"] == "0.5")
    ]
    assert gone["mark"].tolist() == ["longer"]  # more than it can carry: no number
    adaptive = known[known["policy"] == "EASY, adaptive"]
    assert (adaptive["ci95_low"] < 1).all()


def test_the_decision_chart_has_the_numbers_of_the_ledger_and_of_the_map(small):
    words = tour.decision_picture().alt
    for item in ("JS-12", "CP-2", "OB-6", "JS-1"):
        assert f"{tour.ledger().loc[item, 'reproduced']:.2f}" in words
    found = tour.break_even("FCFS", 0.7)
    assert f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]" in words
    assert np.isnan(tour.break_even("EASY, adaptive", 0.7).estimate)
