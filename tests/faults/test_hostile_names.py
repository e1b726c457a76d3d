"""Names of sites, files and folders are text in pages and tables, whatever they contain."""

import csv
import re
from html.parser import HTMLParser

import pytest

from own_system import commands
from tests.own_system.conftest import files  # noqa: F401

pytestmark = pytest.mark.long

#: A name that would be a script, an attribute, another line and an entity.
FILE = '<script>alert(1)<|script> "onload=x" \n &amp; \''
#: The same for a site. The first equals sign ends its name, and a line feed is refused in it.
SITE = FILE.replace("=", " ").replace("\n", " ")


class Page(HTMLParser):
    """The tags and the attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def names_in(folder):
    """Return all cells of the tables in a folder."""
    cells = set()
    for path in folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            cells |= {cell for row in csv.reader(file) for cell in row}
    return cells


def sites(files, tmp_path, site, folder, log):  # noqa: F811
    """Report on two sites, with a log in such a folder; return the page and all cells of tables."""
    (tmp_path / folder).mkdir()
    path = tmp_path / folder / log
    path.write_bytes(files["north"].read_bytes())
    out, tables = tmp_path / folder / "page.html", tmp_path / "tables"
    how = ["--penalty", "0.2", "--out", str(out), "--tables", str(tables)]
    south = f"south={files['south']}:8"
    assert commands.main(["report", f"{site}={path}:16", south, *how]) == 0
    return out.read_text("utf-8"), names_in(tables)


def test_names_of_sites_and_files_add_no_element_to_a_page(files, tmp_path):  # noqa: F811
    plain, _ = sites(files, tmp_path, "north", "plain", "north.swf.gz")
    page, cells = sites(files, tmp_path, SITE, FILE, f"{FILE}.swf.gz")
    known, found = Page(plain), Page(page)
    assert (found.tags, found.attributes) == (known.tags, known.attributes)
    assert "script" not in found.tags
    assert not re.search(r"<script|<\|script", page)
    assert "&lt;script&gt;alert(1)" in page
    assert SITE in cells, "a table has the name as it is"
