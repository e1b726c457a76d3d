"""The guesses of notebook 07: their answers are those of the report that they are about."""

import re

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import coalloc_lib as co
from coalloc_lib.basics.checks import InputError
from own_system import lesson
from own_system.options import ALONE, SHARED
from own_system.report import sites_report


def with_table(report, name, **columns):
    """Return a report in which a table has other columns."""
    return report._replace(tables=report.tables | {name: report.tables[name].assign(**columns)})


def mean_waits(report, option, grouping):
    table = report.tables["options"].query("metric == 'mean wait'")
    return table[(table["option"] == option) & (table["grouping"] == grouping)]


def test_the_width_that_gains_most_is_that_of_the_largest_fall_in_hours(report):
    asked = lesson.widths_guess(report)
    widths = mean_waits(report, SHARED, "width").set_index("group")
    alone = mean_waits(report, ALONE, "width").set_index("group")["value"]
    then_of_today = widths["value"] / alone
    assert asked._answer() == f"{(alone - widths['value']).idxmax()} wide"
    assert asked._reply.startswith(f"By percent, it is {then_of_today.idxmin()} wide.")
    drawn = lesson.change_by_group_picture(report)._repr_mimebundle_()["text/html"]
    for width, ratio in then_of_today.items():
        (row,) = re.findall(f"<li>{width} wide: ([^<]*)</li>", drawn)
        assert row.endswith(f", {ratio - 1:+.0%}".replace("-", "−"))
    assert set(asked._buttons.options) == {*(widths.index + " wide")}
    with pytest.raises(InputError, match=r"option = 'conservative'; choose .*'share one queue'"):
        lesson.widths_guess(report, "conservative")
    changes = report.tables["options"]["change"].abs()
    waits = report.tables["options"]["value"] + 2 * changes
    longer = with_table(report, "options", change=changes, value=waits)
    assert lesson.widths_guess(longer)._answer() is None
    assert lesson.widths_guess(longer)._reply == "No width gains."


def test_the_worst_week_of_the_busiest_site_is_asked_for(report):
    weeks = report.tables["weeks"]
    busiest = weeks.groupby("site")["load"].mean().idxmax()
    worst = weeks[weeks["site"] == busiest].sort_values("load").iloc[-1]["week"]
    (other,) = weeks[(weeks["site"] != busiest) & (weeks["week"] == worst)]["load"]
    asked = lesson.loads_guess(report)
    assert busiest in asked.question
    assert f"week {worst}," in asked._reply
    assert f"{other:.2f}" in asked._reply
    assert asked._answer == (
        "at most 0.6" if other <= 0.6 else "0.6 to 0.8" if other <= 0.8 else "over 0.8"
    )
    is_other = (weeks["site"] != busiest) & (weeks["week"] == worst)
    for load, answer in ((0.59, "at most 0.6"), (0.7, "0.6 to 0.8"), (1.3, "over 0.8")):
        table = with_table(report, "weeks", load=weeks["load"].mask(is_other, load))
        assert lesson.loads_guess(table)._answer == answer
    alone = report._replace(tables=report.tables | {"weeks": weeks[weeks["site"] == busiest]})
    assert "there is only one site" in lesson.loads_guess(alone).data
    short = report._replace(tables=report.tables | {"weeks": weeks[:0]})
    assert "the logs cover no whole week" in lesson.loads_guess(short).data


def test_the_widths_that_wait_longest_are_those_of_the_site_that_waits_longest(report):
    site = mean_waits(report, ALONE, "site").sort_values("value")["group"].iloc[-1]
    waits = report.tables["waits"].query("grouping == 'width'")
    means = waits[waits["site"] == site].set_index("group")["model_mean"]
    asked = lesson.waits_guess(report)
    assert site in asked.question
    second, longest = sorted(means.dropna())[-2:]
    assert second < 0.95 * longest
    assert asked._answer() == f"{means.idxmax()} wide"
    alike = with_table(
        report,
        "waits",
        model_mean=[1.0 + 0.01 * (i % 2) for i in range(len(report.tables["waits"]))],
    )
    assert lesson.waits_guess(alike)._answer() is None
    assert [*asked._buttons.options] == [f"{width} wide" for width in means.dropna().index]
    nobody = with_table(report, "waits", model_mean=0.0)
    assert "fewer than two widths of jobs wait today" in lesson.waits_guess(nobody).data


def test_a_wrong_option_is_answered_by_one_line(report, capsys):
    shell = InteractiveShell()
    shell.push({"lesson": lesson, "report": report})
    for call in ("widths_guess", "change_by_group_picture"):
        assert not shell.run_cell(f"lesson.{call}(report, 'none')").success
        (said,) = capsys.readouterr().out.splitlines()
        assert said.startswith("InputError: option = 'none'; choose one of 'conservative, alone', ")


def test_an_interval_that_exceeds_the_wait_of_today_is_explained(report):
    waits = report.tables["options"]
    today = waits.query("option == @ALONE").set_index(["grouping", "group", "metric"])["value"]
    mine = waits.set_index(["grouping", "group", "metric"]).index.map(today)
    for factor, explained in ((-0.9, False), (-1.1, True)):
        low = with_table(report, "options", change=-1.0, change_low=factor * mine, change_high=0.0)
        picture = lesson.change_by_group_picture(low)
        drawn = picture.image.decode()
        assert ("depends on few weeks" in drawn) == explained


def test_the_opened_guesses_leave_room_for_the_question(report):
    """Compare the height of each figure with the window, less the question and its answers."""
    pictures = {
        510: lesson.break_even_picture(report), 511: lesson.buy_picture(report),
        450: lesson.change_by_group_picture(report),
    }  # fmt: skip
    for most, picture in pictures.items():
        width, height = map(
            float, re.findall(r'(?:width|height)="([\d.]+)pt"', picture.image[:2000].decode())
        )
        assert height / width * picture.width <= most


def test_where_nothing_can_be_compared_the_reason_stands_in_the_place_of_the_question(report):
    table = report.tables["options"]
    one = report._replace(tables=report.tables | {"options": table.query("grouping != 'width'")})
    assert "fewer than two widths of jobs wait today" in lesson.widths_guess(one).data
    at_once = with_table(report, "options", value=0.0, change=0.0)
    assert "fewer than two widths of jobs wait today" in lesson.widths_guess(at_once).data
    rows = lesson.change_by_group_picture(at_once)._repr_mimebundle_()["text/html"]
    assert "<li>all sites: 0 s → 0 s</li>" in rows
    nothing = {"penalty": np.nan, "processors": np.nan, "warning": "saturated: 9 <"}
    for name, ask in (("break_even", lesson.penalty_guess), ("buy_or_share", lesson.buy_guess)):
        assert "saturated: 9 &lt;." in ask(with_table(report, name, **nothing)).data


@pytest.mark.parametrize(
    ("penalty", "most", "answer"),
    [
        (-np.inf, 0.5, "at no penalty"), (0.0, 0.5, "up to one below 0.1"),
        (0.3, 0.5, "up to one from 0.1 to 0.4"), (0.45, 0.5, "up to one above 0.4"),
        (np.inf, 0.5, "up to one above 0.4"), (np.inf, 0.2, None),
    ],
)  # fmt: skip
def test_the_range_of_the_penalty_is_that_of_the_break_even(report, penalty, most, answer):
    columns = {"penalty": penalty, "most": most, "penalty_low": penalty, "penalty_high": penalty}
    assert lesson.penalty_guess(with_table(report, "break_even", **columns))._answer() == answer
    columns |= {"penalty_low": -np.inf, "penalty_high": np.inf}
    assert lesson.penalty_guess(with_table(report, "break_even", **columns))._answer() is None


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.2, 0.3, "The whole 95 % interval lies in this answer."),
        (0.05, 0.3, "interval leaves “up to one below 0.1”, “up to one from 0.1"),
        (-np.inf, np.inf, "its 95 % interval excludes none of the answers."),
        (np.nan, 0.3, "no interval"),
    ],
)  # fmt: skip
def test_the_reply_names_the_answers_that_the_interval_leaves_open(report, low, high, words):
    columns = {"penalty": 0.25, "most": 0.5, "penalty_low": low, "penalty_high": high}
    assert words in lesson.penalty_guess(with_table(report, "break_even", **columns))._reply
    beyond = with_table(report, "break_even", **columns | {"penalty": np.inf, "most": 0.2})
    assert lesson.penalty_guess(beyond)._reply.startswith("There is no estimate, or it lies beyond")


def test_the_processors_to_buy_are_those_of_the_site_with_the_longest_wait(report):
    busiest = mean_waits(report, ALONE, "site").sort_values("value")["group"].iloc[-1]
    bought = report.tables["buy_or_share"].set_index("site")["today"] * 1.3
    asked_for = np.where(bought.index == busiest, bought, np.inf)
    columns = dict.fromkeys(("processors", "processors_low", "processors_high"), asked_for)
    asked = lesson.buy_guess(with_table(report, "buy_or_share", **columns))
    assert busiest in asked.question
    assert asked._answer() == "20 to 50 %"


def given():
    """Return what the form is given at the start."""
    logs = {name: co.workloads.catalogue.load_stand_in(f"{name}-SP2") for name in ("KTH", "CTC")}
    return {"clusters": {"KTH": 100, "CTC": 338}, "logs": logs, "clock": "weeks", "missing": None}


def test_the_changes_with_other_limits_on_guests_are_those_of_the_folded_answer():
    system, jobs, site, _ = co.statistics.site_comparison.together(**given())
    how = {"system": system, "jobs": jobs, "scheduling": co.EASY()}
    alone = co.sites.local(site=site, **how).wait / 3600
    for widest, change, low, high in (
        (0, -1.4, -2.6, -0.5), (2, -6.4, -13.0, -1.9), (8, -7.8, -14.8, -2.3),
        (32, -8.4, -16.1, -1.8),
    ):  # fmt: skip
        home = np.where(jobs.processors > widest, site, -1)
        waits = np.array([alone, co.sites.sharing(home=home, **how).wait / 3600])
        for number, is_ctc in enumerate((False, True)):
            here, of = waits[:, site == number], jobs.submit[site == number]
            weeks = co.statistics.resample_weeks(here, np.ones_like(here), of)
            found = weeks.difference(one=1, other=0)
            ends = (found.estimate, found.low, found.high)
            if is_ctc:
                assert ends == pytest.approx((change, low, high), abs=0.051)
            else:
                assert ends[1] < 0 < ends[2]


@pytest.mark.parametrize("penalty", [0, 0.1, 0.2, 0.3, 0.4])
def test_adaptive_spanning_surely_helps_kth_at_the_penalties_of_the_folded_answer(penalty):
    table = co.compare_sites(**given(), span_penalty=penalty, scheduling=co.EASY(adaptive=True))
    row = table.query("site == 'KTH' and weight == 'work'").iloc[0]
    ends = {0: (0.80, 0.98), 0.4: (0.81, 0.99)}.get(penalty)
    if ends:
        found = row["spanning_low"], row["spanning_high"]
        assert found == pytest.approx(ends, abs=0.0051)
    else:
        assert row["spanning_low"] < 1 < row["spanning_high"]


@pytest.mark.parametrize(
    ("name", "bought", "shortest", "longest"),
    [
        ("KTH-SP2", 0, 0.7, 6.4), ("KTH-SP2", 34, 0.1, 1.8),
        ("CTC-SP2", 0, 3.3, 12.4), ("CTC-SP2", 34, 1.0, 3.3),
    ],
)  # fmt: skip
def test_the_mean_waits_of_the_weeks_are_those_of_the_folded_answer(
    name, bought, shortest, longest
):
    log = co.workloads.catalogue.load_stand_in(name)
    machine = co.Multicluster([log.processors + bought])
    run = co.simulate(machine, log.jobs(request="total"), scheduling=co.EASY())
    week = ((run.jobs.submit - run.jobs.submit.min()) // co.statistics.WEEK).astype(int)
    waits = [run.wait[week == number].mean() / 3600 for number in range(week.max())]
    assert (min(waits), max(waits)) == pytest.approx((shortest, longest), abs=0.051)


@pytest.mark.parametrize(
    ("north", "south", "answer"),
    [
        (-1, 2, "only at north"), (2, -1, "only at south"), (-1, -1, "at more than one site"),
        (0, 2, "at no site"),
    ],
)  # fmt: skip
def test_the_sites_that_surely_gain_by_sharing_are_asked_for(report, north, south, answer):
    table = report.tables["options"]
    ends = table["group"].map({"north": north, "south": south}).fillna(5)
    asked = lesson.sharing_guess(with_table(report, "options", change_high=ends))
    assert asked._answer == answer
    loads = report.tables["weeks"].groupby("site")["load"].mean()
    assert f"north has 16 processors and a mean load of {loads['north']:.2f};" in asked.question
    unsure = lesson.sharing_guess(with_table(report, "options", warning="too short"))
    assert "Nothing can be compared here: too short." in unsure.data


def test_the_changes_and_the_options_are_those_of_the_solution_of_exercise_7():
    tables, decision = lesson._report().tables, lesson._report().answer.decision
    waits = tables["options"].query("metric == 'mean wait' and option == @SHARED")
    kth = waits.set_index("group").loc["KTH"]
    assert [kth["change_low"] / 3600, kth["change_high"] / 3600] == pytest.approx(
        [-3.8, 1.1], abs=0.05
    )
    pair = tables["pairs"].set_index(["option", "other"]).loc[(SHARED, decision.shortest)]
    hours = pair[["change", "change_low", "change_high"]].astype(float) / 3600
    assert hours.tolist() == pytest.approx([0.3, -0.2, 0.9], abs=0.05)
    assert (decision.option, decision.shortest) == (SHARED, "span only if sooner, penalty 0.25")


def test_with_more_processors_at_kth_another_option_is_recommended():
    logs = {name: co.workloads.catalogue.load_stand_in(f"{name}-SP2") for name in ("KTH", "CTC")}
    answer = sites_report({"KTH": 200, "CTC": 338}, logs).answer
    assert "let jobs span only if they then end sooner" in answer.words
    assert "0.3 h on average instead of 7.2 h" in answer.words
