"""The page: it has what the tables have, needs nothing else, and fits two screens."""

import base64
import io
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from own_system import sites_report
from own_system.options import ALONE
from own_system.page import change_figure, page_of
from own_system.words import changed, duration
from tests.browser.conftest import browser, show  # noqa: F401


@pytest.fixture(scope="module")
def page(report):
    return page_of(report)


def test_it_is_saved_whole_with_the_answer_its_doubts_and_what_it_cannot_say(
    report, page, tmp_path
):
    path = report.save(tmp_path / "report.html")
    assert path.read_text("utf-8") == page
    text = unescape(re.sub(r"<[^>]*>", "", page))
    assert report.answer.words in text
    for why in report.doubts.values():
        assert why in text
    facts = report.tables["logs"]
    for row in facts.itertuples():
        unknown = round(row.without_estimate * row.jobs)
        assert f"{unknown} of {row.jobs} jobs of {row.site} have no estimate" in text
        assert row.sha256 in text
    assert "can be recommended: conservative, alone; share one queue; span only if sooner" in text
    assert "only at the middle one of the penalties above 0" in text
    assert "weeks: a season, a new machine" in text
    assert report.made_by["command"] in text
    assert "joined week by week" not in text
    with pytest.raises(co.InputError, match=r"folder .* does not exist"):
        report.save(tmp_path / "no" / "report.html")


def test_logs_too_short_for_intervals_and_saturated_sites_have_pages(unusual_reports):
    short, saturated = unusual_reports["short"], unusual_reports["saturated"]
    assert short.tables["options"]["change_low"].isna().all()
    assert len(change_figure(short.tables["options"]).axes) == 3
    assert short.answer.words in unescape(page_of(short))
    assert saturated.answer.words in unescape(page_of(saturated))


def cells(html, caption):
    """Return the cells of the table with a caption as texts, in a list for each row."""
    (table,) = re.findall(rf"<caption>{caption}.*?</table>", html, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    texts = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[" ".join(unescape(re.sub(r"<[^>]*>", " ", t)).split()) for t in row] for row in texts]


def test_what_is_printed_is_what_the_tables_have(report, page):
    """The page has the waits, the changes, the marks and the losers that the tables of the report
    have.
    """
    waits = report.tables["waits"].query("grouping == 'all'")
    heads, *rows = cells(page, "Waits as the logs record them")
    assert heads[4:] == [
        "mean recorded",
        "mean in the model",
        "median recorded",
        "median in the model",
    ]
    for shown, row in zip(rows, waits.itertuples(), strict=True):
        times = row.recorded_mean, row.model_mean, row.recorded_median, row.model_median
        assert shown[4:] == [*map(duration, times)]
        assert shown[:3] == [row.site, f"{row.jobs}", f"{row.known}"]
    options = report.tables["options"]
    told = options.query("option == @name and metric == 'mean wait'", local_dict={
        "name": report.answer.option or report.answer.decision.shortest})  # fmt: skip
    heads, *rows = cells(page, "What it would change for your users")
    assert heads == ["jobs of", "jobs", "alone", "then", "change"]
    for shown, row in zip(rows, told.itertuples(), strict=True):
        wide = row.grouping == "width"
        assert shown[0] == row.group + wide * f" processor{'s' * (row.group != '1')}"
        assert shown[1] == f"{row.jobs}"
        assert ("▼" in shown[3]) == (row.change_high < 0)
        assert ("▲" in shown[3]) == (row.change_low > 0)
    heads, *rows = cells(page, "All jobs; below each value")
    assert heads[1:5] == ["mean wait", "p95 wait", "AWRT", "slowdown"]
    lines = {re.sub("<.*?>", "", line).split(": ", 1)[0]: unescape(re.sub("<.*?>", "", line))
             for line in re.findall(r"<li><b>.*?</li>", page, re.DOTALL)}  # fmt: skip
    marked = 0
    for name, *figures, spanned in rows:
        mine = options[options["option"] == name].set_index(["grouping", "group", "metric"])
        assert spanned == f"{mine['spanned'].iloc[0]:.0%}"
        for metric, text in zip(heads[1:5], figures, strict=True):
            row = mine.loc["all", "all sites", metric]
            value = duration(row["value"]) if metric != "slowdown" else f"{row['value']:.1f}"
            mark = "▼ " if row["change_high"] < 0 else "▲ " if row["change_low"] > 0 else ""
            marked += bool(mark)
            if name != ALONE:
                ends = row[["change", "change_low", "change_high"]]
                value = f"{value} {changed(*ends, metric != 'slowdown')}"
            assert text == mark + value
        for site in report.tables["logs"]["site"]:
            row = mine.loc["site", site, "mean wait"]
            said = lines.get(name, "").partition("longer for")
            assert (row["change_low"] > 0) == (f"{site} (+" in said[2] or "all sites" in said[2])
            assert (row["change_high"] < 0) == (f"{site} (−" in said[0] or "all sites" in said[0])
    assert marked > 5


def test_every_table_is_there_to_download(report, page):
    links = dict(
        re.findall(r'download="(\w+)\.csv" href="data:text/csv;[^,]*base64,([^"]*)"', page)
    )
    assert links.keys() == report.tables.keys()
    for name, table in report.tables.items():
        read = pd.read_csv(io.BytesIO(base64.b64decode(unescape(links[name]))), dtype=str)
        assert list(read) == list(table)
        assert len(read) == len(table)


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_it_fits_a_laptop_and_a_phone_and_needs_no_network(show, page, size):  # noqa: F811
    shown = show(page, viewport=dict(zip(("width", "height"), size, strict=True)))
    shown.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert shown.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert shown.locator("svg").count() == 3
    assert shown.locator(".answer").is_visible()
    assert (
        shown.evaluate("document.querySelector('.answer').getBoundingClientRect().bottom") < size[1]
    )


def test_names_are_text_everywhere_and_streams_do():
    """Names of sites may look like HTML or formulas, and job streams have no queues or users."""
    rng = np.random.default_rng(3)
    names = ["<b>north</b>", "$x_1$"]
    streams = {
        name: co.JobStream(np.linspace(0, 3e6, 90), rng.exponential(20_000, 90), [3] * 90)
        for name in names
    }
    report = sites_report(dict.fromkeys(names, 4), streams, penalties=[0.5])
    page = page_of(report)
    assert "<b>north" not in page
    assert "$x_1$" in page
    assert "no recorded waits" in page
    assert "<b>north" not in report._repr_html_()
    assert repr(report).startswith("<SitesReport: ")


@pytest.mark.usefixtures("without_pictures")
def test_a_sure_sentence_hangs_on_an_interval(report):
    """An uncertain result is printed with the ends of its interval, even if its estimate is
    infinite.
    """
    bought = report.tables["buy_or_share"].iloc[:1]
    ends = {"processors": -np.inf, "processors_low": -np.inf, "warning": ""}
    for high, words in (
        (-np.inf, "wait no longer alone, with its 16 processors, than with one shared queue."),
        (17.5, "would need fewer than 16 (95 %: fewer than 16 to 18) processors, in place of 16"),
    ):
        row = bought.assign(**ends, processors_high=high)
        page = page_of(report._replace(tables={**report.tables, "buy_or_share": row}))
        assert words in " ".join(unescape(page).split())
    even = (
        report.tables["break_even"]
        .iloc[:1]
        .assign(group="all sites", metric="mean wait", warning="")
    )
    for low, middle, high, words in (
        (-np.inf, -np.inf, -np.inf, "lowers the mean wait never, not even without a penalty"),
        (-np.inf, -np.inf, 0.1, "lowers the mean wait at best up to a penalty of 0.10"),
        (np.inf, np.inf, np.inf, "at all penalties up to 0.25"),
        (0.1, np.inf, np.inf, "up to a penalty of more than 0.25 (95 %: 0.10 to more than 0.25)"),
    ):
        row = even.assign(penalty=middle, penalty_low=low, penalty_high=high, most=0.25)
        page = page_of(report._replace(tables={**report.tables, "break_even": row}))
        assert words in " ".join(unescape(page).split())


def test_one_very_wide_interval_ends_in_an_arrow_and_does_not_press_the_others():
    rows = [("a", -60.0, -90.0, -30.0), ("b", 120.0, 10.0, 90_000.0)]
    table = pd.DataFrame(rows, columns=["option", "change", "change_low", "change_high"])
    table = table.assign(metric="mean wait", grouping="all", group="all sites")
    (axes,) = change_figure(table).axes
    assert axes.get_xlim()[1] == pytest.approx(3 * 120 / 60)
    tame = table.assign(change_high=table["change_high"].clip(upper=200.0))
    (axes,) = change_figure(tame).axes
    assert axes.get_xlim()[1] > 200 / 60
