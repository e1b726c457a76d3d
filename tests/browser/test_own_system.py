"""The form of notebook 07 in JupyterLab: its answer, a wrong file, and output of sacct."""

import pytest

from tests.browser.test_lab import running
from tests.own_system.conftest import CLUSTERS, files

__all__ = ["files"]
NOTEBOOK = "07_your_own_system.ipynb"

pytestmark = [pytest.mark.timeout(600), pytest.mark.notebook]


@pytest.fixture(scope="module")
def page(browser, files, tmp_path_factory):
    """The form of notebook 07 in the browser, with two small logs."""
    sites = tuple((name, str(files[name]), size) for name, size in CLUSTERS.items())
    before = "from own_system import form\n", f"form.SITES = {sites}\n"
    folder = tmp_path_factory.mktemp("lab")
    with running(browser, folder, NOTEBOOK, ["OwnSystem()", "form  # It has"], before) as page:
        yield page


def fill(page, label, text):
    entry = page.locator(f".widget-inline-hbox:has(> .widget-label:text-is('{label}')) input").first
    entry.fill(text)
    entry.press("Tab")


#: This script presses a button, and waits until the button was disabled and can be pressed again.
PRESS = """button => new Promise(done => {
  let seen = 0;
  new MutationObserver((changes, observer) => {
    seen += changes.length;
    if (seen > 1 && !button.disabled) { observer.disconnect(); done(); }
  }).observe(button, {attributeFilter: ["disabled"]});
  button.click();
})"""


def press(page, name):
    """Press a button of the form; return the messages and the results that are shown then.

    A pale result is out of date, and is left out.
    """
    page.get_by_role("button", name=name).evaluate(PRESS)
    said = page.locator(".jp-OutputArea").get_by_role("alert").all_inner_texts()
    return said, page.locator(".coalloc-view:not(.coalloc-past):has(img)").all_inner_texts()


def test_it_answers_and_the_answer_fades_in_its_place_when_a_file_is_wrong(page, files, tmp_path):
    assert page.all_cells_ran is True
    assert press(page, "Answer")[1][0].startswith("Nothing can be recommended")
    page.get_by_text("the logs", exact=True).click()
    assert "north: north on 16 processors" in press(page, "Answer")[1][0]  # The part stays open.
    page.get_by_role("button", name="more", exact=True).click()
    fill(page, "save as", "/nowhere/report.html")
    (said,), shown = press(page, "Save the page")
    assert "/nowhere does not exist" in said
    assert len(shown) == 1
    fill(page, "save as", str(tmp_path / "report.html"))
    assert str(tmp_path / "report.html") in press(page, "Save the page")[0][0]
    assert (tmp_path / "report.html").stat().st_size > 10_000
    fill(page, "log file", "nowhere.swf")
    pale = page.locator(".coalloc-past")
    pale.wait_for()
    height = pale.bounding_box()["height"]
    (said,), shown = press(page, "Answer")
    assert "nowhere.swf" in said
    assert shown == []
    assert pale.bounding_box()["height"] == height > 200
    fill(page, "log file", str(files["north"]))
    fill(page, "processors", "0")
    assert press(page, "Answer") == (
        ["processors of north = 0; give a whole number of 1 or more"],
        [],
    )
    fill(page, "processors", "16")
    said, shown = press(page, "Answer")
    assert (said, len(shown)) == ([], 1)


#: This script returns the height of the form, and whether its answer has a scrollbar.
SIZE = """() => {
  const view = document.querySelector(".coalloc-view:has(img)");
  const form = view.closest(".jp-OutputArea-child");
  return [form.getBoundingClientRect().height, view.scrollHeight > view.clientHeight];
}"""


def test_it_fits_into_the_window_with_more_entries_and_with_more_sites(page):
    page.set_default_timeout(60_000)
    page.set_viewport_size({"width": 1366, "height": 768})
    more, add = (page.get_by_role("button", name=n, exact=True) for n in ("more", "One more site"))
    if page.get_by_text("save as").first.is_hidden():
        more.click()
    # A part that an earlier test has unfolded is shown in full; the form is then higher.
    logs = page.get_by_text("the logs", exact=True)
    if logs.evaluate("title => title.parentElement.open"):
        assert page.evaluate(SIZE)[1] is False
        logs.click()
    add.click()
    page.get_by_role("button", name="Remove").nth(2).wait_for()
    height, scrolls = page.evaluate(SIZE)
    assert height <= 640
    # The buttons are disabled for a moment after each click, so the next click waits for the row.
    removes = page.get_by_role("button", name="Remove")
    for row in range(3, 8):
        add.click()
        removes.nth(row).wait_for()
    assert page.evaluate(SIZE)[0] <= 640
    for row in range(7, 1, -1):
        removes.last.click()
        removes.nth(row).wait_for(state="detached")
    more.click()
    page.get_by_text("save as").first.wait_for(state="hidden")
    page.wait_for_timeout(500)  # The answer takes the room of the hidden entries.
    height, scrolls = page.evaluate(SIZE)
    assert height <= 640
    assert not scrolls
