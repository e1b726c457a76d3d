"""The form for an operator's sites: what is given, answered, refused and saved."""

import html

import pytest

from coalloc_lib import widgets
from coalloc_lib.widgets import own_system
from tests.report.conftest import CLUSTERS
from tests.widgets.reading import notes


def give(form, row, **values):
    """Set the name, the log, the file sent or the processors of a site."""
    for at, name in enumerate(("site", "log", "sent", "processors")):
        if name in values:
            form.sites.children[row].children[at].value = values[name]


@pytest.fixture(scope="module")
def form(files):
    """Return a form for two small logs, in place of the made-up ones."""
    with pytest.MonkeyPatch.context() as patched:
        sites = tuple((name, str(files[name]), size) for name, size in CLUSTERS.items())
        patched.setattr(own_system, "SITES", sites)
        form = widgets.OwnSystem()
    return form


def refusal(form, button="Answer"):
    form.buttons[button].click()
    return [html.unescape(note) for note in notes(form)]


def test_it_answers_as_the_report_does(form, report):
    form.penalties.value = "0, 0.25"
    form.clock.value = "calendar"
    assert refusal(form) == []
    assert form.report.answer == report.answer
    assert html.escape(report.answer.words) in form._repr_mimebundle_()["text/html"]
    assert form._bar.value == form._bar.max > 10
    shown = own_system.options_table(form.report).set_index("option")
    mean = report.tables["options"].query("metric == 'mean wait' and grouping != 'all'")
    assert shown.index.tolist() == mean["option"].unique().tolist()
    for option, group in mean[mean["change_low"] > 0][["option", "group"]].to_numpy():
        assert group in shown.loc[option, "longer for"]
    for option, group in mean[mean["change_high"] < 0][["option", "group"]].to_numpy():
        assert group in shown.loc[option, "shorter for"]


def test_what_cannot_be_is_said_in_one_sentence_and_mended(form, files, tmp_path):
    before, name = form.report, next(iter(CLUSTERS))
    broken = tmp_path / "broken.swf"
    broken.write_text("1 2 three\n")
    sent = [{"name": "sent.swf", "type": "", "size": 10, "content": broken.read_bytes()}]
    sent[0]["last_modified"] = own_system.pd.Timestamp(0, tz="UTC").to_pydatetime()
    for wrong, right, words in (
        ({"log": "nowhere.swf"}, {"log": str(files[name])}, "nowhere.swf"),
        ({"log": ""}, {"log": str(files[name])}, "log is empty"),
        ({"log": str(broken)}, {"log": str(files[name])}, "broken.swf"),
        ({"sent": sent}, {"sent": ()}, "sent.swf"),
        ({"processors": 1}, {"processors": CLUSTERS[name]}, "cluster 1"),
        ({"site": "south"}, {"site": name}, "'south'; give each site"),
    ):
        give(form, 0, **wrong)
        (said,) = refusal(form)
        assert words in said
        assert "\n" not in said
        assert str(tmp_path.parent) not in said or "sent" not in wrong
        give(form, 0, **right)
    for control, text, named in (
        (form.penalties, "a half", "'a half'; give numbers"),
        (form.missing, "-3", "missing = -10800"),
    ):
        kept, control.value = control.value, text
        (said,) = refusal(form)
        assert named in said
        control.value = kept
    assert form.report is before
    assert refusal(form) == []


def test_a_file_that_is_sent_is_read_as_one_on_disk_is(form, files):
    name = next(iter(CLUSTERS))
    content = files[name].read_bytes()
    made = own_system.pd.Timestamp(0, tz="UTC").to_pydatetime()
    sent = {"name": "mine.swf.gz", "type": "", "size": len(content), "content": content}
    give(form, 0, sent=[sent | {"last_modified": made}], log="")
    before = form.report.answer
    assert refusal(form) == []
    assert form.report.answer == before
    give(form, 0, sent=(), log=str(files[name]))


def test_the_page_and_the_tables_are_saved(form, tmp_path):
    form.path.value = str(tmp_path / "mine.html")
    assert "mine.html" in refusal(form, "Save the page")[0]
    assert form.report.answer.words in html.unescape((tmp_path / "mine.html").read_text())
    refusal(form, "Save the tables")
    saved = {file.stem for file in (tmp_path / "mine").iterdir()}
    assert saved == {*form.report.tables}
    form.path.value = str(tmp_path / "nowhere" / "mine.html")
    assert len(refusal(form, "Save the page")) == 1
    form.path.value = "report.html"


def test_a_third_site_needs_a_log(form):
    form.buttons["One more site"].click()
    assert "log is empty" in refusal(form)[0]
    form.sites.children = form.sites.children[:-1]
