"""The explorer of options: it agrees with the report, and says what an option would change."""

import html

import pandas as pd
import pytest

from coalloc_lib.basics.checks import InputError
from own_system import explorer as module
from own_system import form as form_module
from own_system.explorer import EXACT, NONE, PLAIN, SHARE, SOONER, SPAN, STAY, Setting
from own_system.options import LARGER, SHARED, span, span_if_sooner
from tests.own_system.conftest import CLUSTERS
from tests.widgets.reading import lettering, notes

TODAY = Setting(STAY, PLAIN, penalty=0.0, widest=None, load=0, more=(0, 0))
COLUMNS = ["grouping", "group", "metric", "value", "change", "change_low", "change_high", "warning"]


@pytest.fixture(scope="module")
def options(report):
    return module._Options(report.sites)


@pytest.fixture
def explorer(report):
    return module.option_explorer(report)


def yours(options, setting):
    table = options.table(setting)
    return table[table["option"] == module.YOURS]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        (SHARED, TODAY._replace(way=SHARE)),
        (span(0.25), TODAY._replace(way=SPAN, penalty=0.25)),
        (span_if_sooner(0.25), TODAY._replace(way=SOONER, penalty=0.25)),
        (LARGER, TODAY._replace(more=(10, 10))),
        ("exact estimates, alone", TODAY._replace(policy=EXACT)),
        ("10 % more load, alone", TODAY._replace(load=10)),
        ("10 % more load, one queue", TODAY._replace(way=SHARE, load=10)),
    ],
)
def test_an_option_that_the_report_has_gets_the_numbers_of_the_report(
    options, report, name, setting
):
    found, expected = yours(options, setting), report.tables["options"]
    expected = expected[expected["option"] == name]
    assert len(expected) == len(found) > 20
    found, expected = (part[COLUMNS].reset_index(drop=True) for part in (found, expected))
    pd.testing.assert_frame_equal(found, expected, rtol=1e-9)


def test_guests_that_may_have_any_width_are_no_limit_and_no_guests_are_one(options, report):
    most = int(report.sites.jobs.processors.max())
    any_width, widest, none = (
        options.table(TODAY._replace(way=SHARE, widest=limit))["value"] for limit in (None, most, 0)
    )
    assert any_width.equals(widest)
    assert not any_width.equals(none)


def test_without_a_change_it_says_that_this_is_today(options):
    assert options._title(TODAY) == "Stay alone: this is today"
    changes = yours(options, TODAY)["change"].dropna()
    assert len(changes) > 10
    assert (changes == 0).all()
    rows = options._waits(TODAY, "site").to_dict("records")
    assert all(module._in_words(row, "s").endswith(" s, unchanged") for row in rows)
    longer = rows[0] | {"change": 0.01, "ci95_low": -0.01, "ci95_high": 0.02}
    assert module._in_words(longer, "s").endswith(" s, +0.0 (−0.0 to +0.0)")


def test_the_title_has_what_is_chosen_and_the_verdict_of_the_rule(options, monkeypatch):
    bought = TODAY._replace(more=(0, 50), load=10, policy=NONE)
    assert options._title(bought).startswith(
        "Stay alone, FCFS (no backfilling), 10 % more load, 50 % more processors at south: "
    )
    enough = TODAY._replace(more=(100, 100))
    assert options.sites.missed  # The waits of the made-up log are not those of the model.
    assert options._title(enough).endswith("the model does not describe the machine")
    monkeypatch.setattr(options, "sites", options.sites._replace(missed={}))
    assert options._title(enough).endswith(": it qualifies")


def test_a_queue_that_grows_to_the_end_has_words_in_the_place_of_numbers(options):
    setting = TODAY._replace(load=50, policy=NONE)
    waits = options._waits(setting, "site")
    assert waits["warning"].str.startswith("saturated: ").any()
    assert "saturated: " in options._title(setting)


def test_controls_without_effect_are_disabled_and_do_not_change_the_option(explorer):
    penalty, guests = explorer._holders["penalty"], explorer._holders["widest"]
    assert (penalty.disabled, guests.disabled) == (True, False)
    title = explorer.view.data["text/plain"]
    penalty.value = 0.9
    explorer._redraw("penalty", coarse=False)
    assert explorer.view.data["text/plain"] == title
    explorer._holders["way"].value = SPAN
    assert (penalty.disabled, guests.disabled) == (False, True)


def test_it_compares_the_groups_that_the_report_has(explorer, report):
    kinds = [kind for kind, _ in report.sites.groups]
    for compare, kind in (("sites", "site"), ("job widths", "width"), ("queues", "partition")):
        explorer._holders["compare"].value = compare
        explorer._redraw("compare", coarse=False)
        assert explorer.view.value.count("<li>") == 1 + kinds.count(kind) > 2
    assert [f"more at {name}" in explorer.values for name in CLUSTERS] == [True, True]


def test_a_line_recreates_it_and_a_wrong_line_is_named(report, explorer):
    line = f"way={SPAN}&penalty=0.5&more at south=20".replace(" ", "+")
    again = module.option_explorer(report, line)
    assert "penalty 0.5, 20 % more processors at south" in again.view.data["text/plain"]
    assert notes(again) == []
    (said,) = notes(module.option_explorer(report, "more+at+nowhere=3"))
    assert "nowhere" in html.unescape(said)


def test_logs_too_short_for_intervals_have_changes_without_a_verdict(unusual_reports):
    explorer = module.option_explorer(unusual_reports["short"])
    assert "less than four weeks" in explorer.view.data["text/plain"]
    assert " → " in explorer.view.value
    assert notes(explorer) == []


def test_sites_that_are_saturated_alone_are_served_by_enough_processors(unusual_reports):
    explorer = module.option_explorer(unusual_reports["saturated"], "way=stay+alone")
    assert "saturated: " in explorer.view.value
    explorer.recreate("way=stay alone&more at north=100&more at south=100")
    assert "it serves the load, which the sites alone cannot" in explorer.view.data["text/plain"]
    assert "; it is saturated if the sites stay alone" in explorer.view.value
    assert notes(explorer) == []


def test_it_follows_the_form(files, monkeypatch):
    sites = tuple((name, str(files[name]), size) for name, size in CLUSTERS.items())
    monkeypatch.setattr(form_module, "SITES", sites)
    form = form_module.OwnSystem()
    explorer = module.FormExplorer(form)
    first = explorer.children[0]
    assert f"16 processors at {next(iter(CLUSTERS))}" in lettering(first)
    assert explorer._repr_mimebundle_()["text/html"] == first._repr_mimebundle_()["text/html"]
    entry = form.sites.children[0].children[2]
    entry.value = 1
    form.buttons["Answer"].click()
    assert explorer.children == (first,)
    assert "coalloc-past" in first.view._dom_classes
    entry.value = 20
    form.buttons["Answer"].click()
    assert "20 processors at north" in lettering(explorer.children[0])


def test_it_needs_a_report():
    with pytest.raises(InputError, match=r"report = .*form\.report"):
        module.option_explorer({"north": 16})
    with pytest.raises(InputError, match=r"form = .* first cell"):
        module.FormExplorer("form")
