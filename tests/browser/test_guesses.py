"""The answer of a guess is not visible before a choice, on the stored page without a kernel."""

import pytest

from tests.browser.test_controls import code_cells
from tests.notebooks.test_notebooks import NOTEBOOKS, WIDGET

#: This script returns what a reader sees of the parts that can be unfolded: their texts and images.
SEEN = """() => [...document.querySelectorAll("details > :not(summary)")]
  .filter((each) => each.checkVisibility()).map((each) => each.tagName)"""

pytestmark = pytest.mark.notebook


def stored_guesses(path):
    """Return the HTML of the guesses that a notebook stores."""
    guesses = [cell for cell in code_cells(path) if "guess(" in "".join(cell["source"])]
    data = [output.get("data", {}) for cell in guesses for output in cell["outputs"]]
    return ["".join(each["text/html"]) for each in data if WIDGET in each]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_answer_is_not_visible_before_a_choice(show, path):
    guesses = stored_guesses(path)
    if not guesses:
        pytest.skip("the notebook has no guess")
    page = show(f'<!doctype html><html lang="en"><meta charset="utf-8">{"".join(guesses)}')
    answers = page.locator("details > summary:text-is('What came out') + p")
    assert answers.count() == len(guesses)
    assert all(answers.all_text_contents())
    assert page.locator("img:visible").count() == 0
    assert page.evaluate(SEEN) == []


def test_an_answer_that_is_not_folded_is_noticed(show):
    page = show("<details open><summary>What came out</summary><p>This.</p></details>")
    assert page.evaluate(SEEN) == ["P"]
