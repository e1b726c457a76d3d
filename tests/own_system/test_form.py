"""The form for an operator's sites: what is given, answered, refused and saved."""

import html

import pytest

from coalloc_lib.basics.checks import InputError
from own_system import form as form_module
from own_system.form import OwnSystem
from own_system.report import sites_report
from tests.own_system.conftest import CLUSTERS
from tests.widgets.reading import notes


def give(form, row, **values):
    """Set the name, the log or the processors of a site."""
    for at, name in enumerate(("site", "log", "processors")):
        if name in values:
            form.sites.children[row].children[at].value = values[name]


@pytest.fixture(scope="module")
def form(files):
    """Return a form with two small logs, in place of the synthetic logs that it has at first."""
    with pytest.MonkeyPatch.context() as patched:
        sites = tuple((name, str(files[name]), size) for name, size in CLUSTERS.items())
        patched.setattr(form_module, "SITES", sites)
        form = OwnSystem()
    return form


def refusal(form, button="Answer"):
    form.buttons[button].click()
    return [html.unescape(note) for note in notes(form)]


def test_it_answers_as_the_report_does(form, report):
    form.penalties.value = "0, 0.25"
    form.clock.value = "calendar"
    assert refusal(form) == []
    assert form.report.answer == report.answer
    again = sites_report(**form.given, penalties=[0, 0.25])
    assert again.tables["options"].equals(form.report.tables["options"])
    assert html.escape(report.answer.words) in form._repr_mimebundle_()["text/html"]
    assert form._bar.value == form._bar.max > 10
    assert form._bar.layout.display == "none"
    for name, size in CLUSTERS.items():
        assert f"{name}: {name} on {size} processors" in form.view.value
    shown = form_module.options_table(form.report).set_index("option")
    mean = report.tables["options"].query("metric == 'mean wait' and grouping != 'all'")
    assert shown.index.tolist() == mean["option"].unique().tolist()
    moved = {"longer for": mean["change_low"] > 0, "shorter for": mean["change_high"] < 0}
    for column, chosen in moved.items():
        for (option, kind), part in mean.groupby(["option", "grouping"]):
            said, who = shown.loc[option, column].split(", "), chosen[part.index]
            named = {*part["group"][who], *(part["group"][who] + " wide")} & {*said}
            assert (f"all {kind}s" in said) == (who.all() and len(part) > 1)
            assert len(named) == (0 if f"all {kind}s" in said else who.sum())


def test_what_cannot_be_is_said_in_one_sentence_and_fades_the_answer(form, files, tmp_path):
    before, shown, name = form.report.answer, form.view.value, next(iter(CLUSTERS))
    broken = tmp_path / "broken.swf"
    broken.write_text("1 2 three\n")
    table = tmp_path / "table.txt"
    table.write_text("JobID|Submit\n1|0\n")
    for wrong, right, words in (
        ({"log": "nowhere.swf"}, {"log": str(files[name])}, "nowhere.swf"),
        ({"log": ""}, {"log": str(files[name])}, f"{name} has no log file"),
        ({"log": str(broken)}, {"log": str(files[name])}, "broken.swf"),
        ({"log": str(table)}, {"log": str(files[name])}, "txt, line 1: the header has no column"),
        ({"processors": 1}, {"processors": CLUSTERS[name]}, "report ... --largest 1"),
        (
            {"site": "", "log": "", "processors": 0},
            {"site": name, "log": str(files[name]), "processors": CLUSTERS[name]},
            "sites = south; give two or more",
        ),
        ({"processors": 0}, {"processors": CLUSTERS[name]}, f"processors of {name} = 0; give"),
        ({"processors": -5}, {"processors": CLUSTERS[name]}, f"processors of {name} = -5; give"),
        ({"site": "south"}, {"site": name}, "'south'; give each site"),
        ({"site": ""}, {"site": name}, "''; give each site"),
    ):
        give(form, 0, **wrong)
        (said,) = refusal(form)
        assert words in said
        assert "\n" not in said
        assert_no_report(form, shown, said)
        give(form, 0, **right)
    for control, text, named in (
        (form.penalties, "0, abc", "'0, abc'; give numbers"),
        (form.missing, "-3", "missing = -10800"),
    ):
        kept, control.value = control.value, text
        (said,) = refusal(form)
        assert named in said
        assert_no_report(form, shown, said)
        control.value = kept
    assert refusal(form) == []
    assert form.report.answer == before


def assert_no_report(form, shown, said):
    """Assert that the old answer is pale and in its place, but that nothing else shows it."""
    assert form.view.value == shown
    assert "coalloc-past" in form.view._dom_classes
    still = form._repr_mimebundle_()
    assert "<img" not in still["text/html"] + still["text/plain"]
    expected = f"an entry of the form is wrong ({said}); correct it, then press Answer"
    assert refusal(form, "Save the page") == [expected]
    for name in ("report", "given"):
        with pytest.raises(InputError) as raised:
            getattr(form, name)
        assert str(raised.value) == expected


def test_after_an_interrupted_run_there_is_no_report(form, monkeypatch):
    def interrupted(*_given, **_how):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(form_module, "sites_report", interrupted)
        with pytest.raises(KeyboardInterrupt):
            form.answer()
    with pytest.raises(InputError, match=r"was interrupted; press Answer again"):
        _ = form.report
    assert refusal(form) == []


def test_what_is_shown_fades_with_a_change_of_the_form_and_stays_while_it_runs(form, monkeypatch):
    seen, run = [], form_module.sites_report

    def sites_report(*given, progress, **how):
        report = run(*given, progress=progress, **how)
        bar, buttons = form._bar, form.buttons.values()
        assert form.view.value == shown
        assert "coalloc-past" in form.view._dom_classes
        with pytest.raises(InputError, match="press Answer"):
            _ = form.report
        seen.append((bar.layout.display, bar.description, bar.max - bar.value))
        assert all(button.disabled for button in buttons)
        return report

    monkeypatch.setattr(form_module, "sites_report", sites_report)
    changes = []
    form.view.observe(lambda change: changes.append(change["new"]), "value")
    shown = form.view.value
    give(form, 0, site="first")
    assert "coalloc-past" in form.view._dom_classes
    assert form.view.value == shown
    assert refusal(form) == []
    bar = form._bar
    assert seen == [("", f"simulating, step {bar.max - 1}", 1)]
    (new,) = changes  # headline, picture and table together, once
    assert "first: north on 16 processors" in new
    assert html.escape(form.report.answer.words) in new
    assert "<img" in new
    assert "<table" in new
    assert "coalloc-past" not in form.view._dom_classes
    assert not any(button.disabled for button in form.buttons.values())
    form.view.unobserve_all("value")
    give(form, 0, site="north")


def test_what_sacct_printed_is_read_with_its_receipt_in_the_time_zone_of_the_form(
    form, files, tmp_path
):
    begin, export = form_module.pd.Timestamp("2024-07-08"), tmp_path / "export.txt"
    lines = ["\ufeffSubmit|Start|JobID|ElapsedRaw|State|AllocCPUS"]
    for number, state in enumerate(["COMPLETED", "PENDING"] * 40):
        at = (begin + form_module.pd.Timedelta(hours=12 * number)).isoformat()
        lines.append(f"{at}|{at}|{number}|36000|{state}|8")
    export.write_text("\n".join(lines))
    give(form, 0, log=str(export))
    assert refusal(form) == []
    assert f"{export}: 40 jobs, and what was left out or noted</summary>" in form.view.value
    assert "read as UTC" in form.view.value
    assert "still waiting or running" in form.view.value
    first = form.report.tables["logs"].set_index("site").loc["north"]
    assert first["jobs"] == 40
    form.zone.value = "Europe/Stockholm"
    assert refusal(form) == []
    assert "read as UTC" not in form.view.value
    form.zone.value = "Mars/Phobos"
    assert "time_zone = 'Mars/Phobos'" in refusal(form)[0]
    form.zone.value = ""
    give(form, 0, log=str(files["north"]))
    assert refusal(form) == []


def test_the_page_and_the_tables_are_saved(form, tmp_path):
    form.path.value = str(tmp_path / "mine.html")
    assert str(tmp_path / "mine.html") in refusal(form, "Save the page")[0]
    assert form.report.answer.words in html.unescape((tmp_path / "mine.html").read_text())
    refusal(form, "Save the tables")
    saved = {file.stem for file in (tmp_path / "mine").iterdir()}
    assert saved == {*form.report.tables}
    form.path.value = str(tmp_path / "north")
    assert str(tmp_path / "north") in refusal(form, "Save the page")[0]
    assert str(tmp_path / "north-tables") in refusal(form, "Save the tables")[0]
    assert {file.stem for file in (tmp_path / "north-tables").iterdir()} == saved
    form.path.value = str(tmp_path / "nowhere" / "mine.html")
    assert "nowhere does not exist" in refusal(form, "Save the page")[0]
    form.path.value = ""
    for button in ("Save the page", "Save the tables"):
        assert len(refusal(form, button)) == 1
    assert form.report.answer.words in html.unescape(form.view.value)
    form.path.value = "report.html"


def test_a_third_site_needs_a_log_or_is_left_out_where_all_of_it_is_empty(form):
    form.buttons["One more site"].click()
    assert refusal(form) == []  # Nothing was entered yet.
    give(form, 2, site="west")
    assert "processors of west = 0" in refusal(form)[0]
    give(form, 2, site="site 3", processors=8)
    assert "site 3 has no log file" in refusal(form)[0]
    give(form, 2, site="", processors=0)
    assert refusal(form) == []
    assert form.report.made_by["command"].count("16") == 1
    form.sites.children[2].remove.click()
    assert len(form.sites.children) == 2


def test_a_site_can_be_removed_but_not_the_last_one(form):
    assert refusal(form) == []
    first, second = form.sites.children
    form.buttons["One more site"].click()
    form.buttons["One more site"].click()
    third, fourth = form.sites.children[2:]
    third.remove.click()
    assert form.sites.children == (first, second, fourth)
    assert "coalloc-past" not in form.view._dom_classes  # Nothing was entered in the row.
    form.buttons["One more site"].click()
    names = [row.children[0].value for row in form.sites.children]
    assert names == [*CLUSTERS, "site 4", "site 5"]
    for row in form.sites.children[2:]:
        row.remove.click()
    assert refusal(form) == []
    assert not first.remove.disabled
    second.remove.click()
    assert "coalloc-past" in form.view._dom_classes
    assert first.remove.disabled
    with pytest.raises(InputError, match="the form needs a site"):
        form.remove_site(first)
    assert "sites = north; give two or more" in refusal(form)[0]
    form.add_site("south", second.children[1].value, CLUSTERS["south"])
    assert not first.remove.disabled
    assert refusal(form) == []


def test_the_first_picture_has_the_options_that_answer_the_question(form, report):
    rows = report.tables["options"]
    shown = {*rows.loc[form_module._is_main(rows), "option"]}
    spanning = "span if no site has room, penalty 0"
    assert {"share one queue", "conservative, alone", spanning} <= shown
    assert "10 % more processors, alone" not in shown  # notebook 07 asks about it later
    assert not any("estimates" in name or "more load" in name for name in shown)
    html = form._repr_mimebundle_()["text/html"]
    assert html.count("<img ") == 2
    assert "<summary>all options in a picture</summary>" in html


def test_a_doubt_about_several_sites_is_said_once(report):
    doubted = report._replace(doubts={"north": "no waits", "south": "no waits", "east": "no jobs"})
    html = form_module._report_by_type(doubted, {}, {})["text/html"]
    assert "<b>Read with care.</b> north, south: no waits; east: no jobs.</p>" in html
