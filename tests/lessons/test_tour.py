"""The tour: its twenty jobs, its map and law, and the numbers of its decision chart."""

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import Interval
from lessons import tour, tour_decision, tour_map


def test_every_scheduler_serves_the_twenty_jobs_and_tells_the_story():
    wait = {name: tour.schedule(name).wait.mean() for name in tour.NAMES}
    assert wait["at home"] > wait["whole"] > wait["split"] > wait["overtaking"]
    assert wait["backfilling"] == min(wait.values())
    response = {name: tour.schedule(name).response.mean() for name in tour.NAMES}
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
    assert table["run_time"].tolist() == ends


def test_players_of_the_tour_have_one_clock(monkeypatch):
    monkeypatch.setattr(tour, "_last_player", None)
    one, other = tour.player("whole"), tour.player("split")
    assert one.data["axis"] == other.data["axis"]
    assert one.data["axis"]["finish"] >= max(
        tour.schedule(name).end.max() for name in tour.SCHEDULERS
    )
    assert other._against is tour.schedule("whole")
    assert tour._last_player is other
    at_home = tour.player("at home").data["films"]
    assert [film["clusters"] for film in at_home] == [[8]] * 3  # three queues
    assert sum(len(film["jobs"]["number"]) for film in at_home) == 20


def test_sharing_shortens_the_mean_response_of_the_users_of_two_clusters():
    table = tour.separate_or_shared()
    assert table["separate"].tolist() == [11.09, 8.8, 2.5]
    assert table["shared"].tolist() == [5.64, 7.8, 5.25]
    by_hand = [
        tour.schedule("at home").response[np.array(tour.HOME) == at].mean() for at in range(3)
    ]
    assert table["separate"].tolist() == pytest.approx(by_hand, abs=0.005)


def test_exercises_know_right_from_wrong_and_hint_at_why():
    assert tour.where_spanning_helps() == "only in the first case"
    for number, right, wrongs in (
        (1, [8, 7, 4, 2, 1], {"jobs of 3 processors gain": [1, 3], "some are missing": [1, 2]}),
        (2, 2.0, {"too low": 0.5, "too high": 2.5, "at least 0": -1}),
        (2, "200 %", {"too low": "50 %", "such as 0.5": float("nan")}),
        (3, 3 / 2 - 1, {"subtract 1": 1.5, "three clusters": 0, "of whole": 0.333, "how many": 2}),
        (
            4,
            (0.92 / 0.8 - 1) / 0.6,
            {
                "if all work": 0.15,
                "do not subtract": 0.2,
                "do not multiply": 0.09,
                "percent": 25,
                "before you divide": 1.917,
                "formula": 0.5,
            },
        ),
    ):
        assert "Right" in tour.check(number, right).data
        for hint, wrong in wrongs.items():
            assert hint in tour.check(number, wrong).data


def test_the_sentences_that_follow_are_found_from_the_results(monkeypatch):
    high, low = Interval(0.3, 0.28, 0.32, 9), Interval(0.2, 0.18, 0.22, 9)
    found = {"FCFS": high, "FPFS(5)": low, "EASY": low}
    monkeypatch.setattr(tour, "break_even", lambda policy, load: found[policy])
    assert "Right" in tour.check(5, "be").data
    assert "not all that follows" in tour.check(5, "b").data
    hints = {"a": "thousands of other jobs", "c": "other systems", "d": "overlap"}
    for letter, hint in hints.items():
        assert hint in tour.check(5, letter).data
    found["EASY"] = high  # now the intervals of FCFS and EASY overlap
    assert "Right" in tour.check(5, "e").data
    found["EASY"] = Interval(-0.1, -0.2, 0.0, 9)  # now spanning pays nowhere
    assert "Right" in tour.check(5, "abde").data
    cells = tour_decision.elsewhere().loc["adaptive spanning loses at most 1 %"]
    assert (cells["holds in"], cells["clear comparisons"]) == (39, 49)  # as solution 5 says


@pytest.fixture(scope="module")
def small():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"LENGTH": 3_000, "RUNS": 4, "LOADS": (0.3, 0.7)}.items():
            patch.setattr(tour_map, name, value)
        for cached in (tour_map.limit, tour_map.responses):
            cached.cache_clear()
        yield
    for cached in (tour_map.limit, tour_map.responses):
        cached.cache_clear()


def test_the_map_and_the_law_agree_on_who_leaves_room_for_spanning(small):
    law = tour.law()
    table, pays = tour_map.where_spanning_pays(), law["law: ψ*"]
    assert abs(pays - law["simulated: ψ*"]).max() < 0.01  # as the text says
    assert pays["EASY"] < pays["FPFS(5)"] < pays["FCFS"]
    fcfs, easy = (tour_map.break_even(policy, 0.7) for policy in ("FCFS", "EASY"))
    assert fcfs.low > easy.high
    assert fcfs.contains(pays["FCFS"])
    known = table[table["mark"] == ""]
    assert (known["ci95_low"] <= known["change"]).all()
    assert (known["change"] <= known["ci95_high"]).all()
    gone = table[
        (table["policy"] == "FCFS") & (table["load"] == "0.7") & (table["penalty"] == "0.5")
    ]
    assert gone["mark"].tolist() == ["longer"]  # more than it can carry: no number
    adaptive = known[known["policy"] == "EASY, adaptive"]
    assert (adaptive["ci95_low"] < 1).all()


def test_the_policies_under_which_spanning_pays_are_those_of_the_map():
    rows = [("FCFS", -2.0), ("FPFS(5)", 1.0), ("EASY", 2.0), (tour_map.ADAPTIVE, -3.0)]
    table = pd.DataFrame(rows, columns=["policy", "ci95_high"]).assign(load="0.5", penalty="0.3")
    assert tour_map.pays_under(table, 0.5, 0.3) == "under FCFS only"
    table["ci95_high"] = [-2.0, 1.0, -1.0, -3.0]  # no option has FCFS and EASY without FPFS(5)
    assert tour_map.pays_under(table, 0.5, 0.3) is None


def test_the_six_schedulers_are_compared_by_their_schedules():
    table = tour.six_schedulers()
    # The numbers that the text names:
    means = table["mean response (h)"]
    assert (means.idxmax(), means.max()) == ("separate clusters", 8.8)
    assert (means.idxmin(), means.min()) == ("backfilling", 4.3)
    assert table["last job ends at (h)"].max() == tour.schedule("at home").end.max()


def test_the_decision_chart_has_the_numbers_of_the_ledger_and_of_the_map(small):
    words = tour_decision.decision_picture().alt
    for item in ("JS-6", "JS-1"):
        assert f"{tour_decision.archived_claim(item).reproduced:.2f}" in words
    booked = tour_decision.booked_over_easy("exact")
    assert booked.low > 1  # so booking is no rival, and the chart says by how much
    assert f"{booked.estimate:.2f} [{booked.low:.2f}, {booked.high:.2f}] times" in words
    requested = tour_decision.booked_over_easy("requested")
    interval = f"{requested.estimate:.0f} [{requested.low:.0f}, {requested.high:.0f}] times"
    assert f"and {interval} as long if they are booked for the times that users requested" in words
    for policy in ("FCFS", "FPFS(5)"):
        found = tour_map.break_even(policy, 0.7)
        assert f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}] under {policy}" in words
    assert np.isnan(tour_map.break_even("EASY, adaptive", 0.7).estimate)


def test_a_break_even_is_no_number_where_the_map_does_not_hold_one(small, monkeypatch):
    assert tour_map.pays_up_to_in_words("EASY, adaptive", 0.7) == "0.5 at least"
    known = {None: [10.0, 20.0], 0.0: [9.0, 18.0], 0.1: [9.5, 19.0], 0.2: None}
    monkeypatch.setattr(tour_map, "PENALTIES", (0.0, 0.1, 0.2))
    monkeypatch.setattr(
        tour_map, "responses", lambda _, load, p=None: known[p] and np.array(known[p])
    )
    assert np.isnan(tour_map.break_even("FCFS", 0.7).estimate)  # beyond 0.1 it cannot be carried
    assert tour_map.pays_up_to_in_words("FCFS", 0.7) == "0.1 at least"
    known[0.2] = [11.0, 22.0]
    assert 0.1 < tour_map.break_even("FCFS", 0.7).estimate < 0.2
    known[None] = None
    assert "since whole jobs cannot" in tour_map.pays_up_to_in_words("FCFS", 0.7)


def test_a_claim_that_the_archived_ledger_lacks_is_named():
    with pytest.raises(InputError, match="no claim JS-999; run `make front-door` to write"):
        tour_decision.archived_claim("JS-999")


@pytest.mark.parametrize("answer", ["12478", ["1", "2"], [0], [9, 1]])
def test_what_is_no_list_of_sizes_is_not_said_to_gain(answer):
    assert "sizes from 1 to 8" in tour._gain_nothing(answer)


def test_a_player_that_is_not_there_is_refused_by_name():
    with pytest.raises(InputError, match="choose one of"):
        tour.player("splitt")


def test_cutting_every_job_pays_up_to_a_third_and_cutting_at_need_beyond_one():
    table = tour.jobs_served_at_once((0.0, 1 / 3, 1.0, 1.5))
    assert table["all whole"].tolist() == pytest.approx([3.0] * 4, abs=0.02)
    penalties = np.array([0.0, 1 / 3, 1.0, 1.5])
    assert table["all cut"].to_numpy() == pytest.approx(4 / (1 + penalties), abs=0.03)
    # Three jobs run in one cluster each. The fourth job spans clusters and runs 1 + penalty times
    # as long.
    assert table["cut at need"].to_numpy() == pytest.approx(3 + 1 / (1 + penalties), abs=0.03)
    assert table["share that spans at need"].iloc[0] == pytest.approx(1 / 4, abs=0.02)
    spanning = 1 / (1 + penalties)
    shares = (spanning / (3 + spanning)).tolist()
    assert table["share that spans at need"].tolist() == pytest.approx(shares, abs=0.02)


def test_what_the_tour_says_of_other_systems_is_what_the_archive_has():
    table = tour_decision.elsewhere()
    share = table["holds in"] / table["clear comparisons"]
    assert share["FCFS gains more by spanning"] == 1
    assert share["adaptive spanning loses at most 1 %"] < 1
    assert share["spanning pays at penalty 0.25"] < share["spanning pays at penalty 0.1"] < 0.9


@pytest.mark.parametrize(
    ("penalty", "where"),
    [(0.25, "only under FCFS"),
     (0.1, "only under FCFS and overtaking")],
)  # fmt: skip
def test_the_picture_of_twenty_jobs_names_the_policies_under_which_spanning_pays(penalty, where):
    picture = tour.twenty_picture(penalty)
    title = f"Spanning shortens the mean response of these jobs {where}: "
    assert picture.alt.startswith(title)
    means = tour.schedule("overtaking, split", penalty).response.mean(), 4.5
    assert (means[0] < means[1]) == ("overtaking" in where)


def test_what_the_tour_says_about_other_penalties_of_the_twenty_jobs():
    means = {
        name: [tour.schedule(f"{name}, split", p).response.mean() for p in (0, 0.1, 0.4, 0.5)]
        for name in ("overtaking", "backfilling")
    }
    assert means["overtaking"][1] == pytest.approx(4.48, abs=0.005)
    assert all(later < earlier for *_, earlier, later in means.values())
    assert tour.schedule("backfilling").response.mean() < means["backfilling"][0]
    spans = [tour.schedule("backfilling, split", p).spans[16] for p in (0.4, 0.5)]
    assert spans == [True, False]


def test_a_simulated_break_even_far_from_the_law_is_not_made_up(monkeypatch):
    real = tour.limit
    # With a penalty, the system carries as much as without, so the simulation never breaks even.
    monkeypatch.setattr(tour, "limit", lambda rule, p=None: real(rule, p if p is None else 0.0))
    assert np.isnan(tour.law(["FCFS"])["simulated: ψ*"].item())
