"""The browser for the tests, and pages that are opened in it."""

from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")  # it keeps an event loop running, which explorers would join
def browser():
    if not CHROMIUM.exists():
        pytest.skip("needs Debian's chromium in /usr/bin")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), headless=True, args=FLAGS
        )
        yield browser
        browser.close()


@pytest.fixture
def show(browser, tmp_path):
    """Return a function that opens a page offline. Any message in the console fails the test."""
    errors, contexts = [], []

    def show(html, functions=(), **how):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        how = {"viewport": {"width": 1000, "height": 760}} | how
        contexts.append(browser.new_context(offline=True, **how))
        page = contexts[-1].new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: errors.append(request.url))
        for function in functions:
            page.expose_function(function.__name__, function)
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()
    assert [text for text in errors if not text.endswith("/page.html")] == []
