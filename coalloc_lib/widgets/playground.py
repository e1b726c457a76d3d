"""The playground: an explorer that compares two computing centres with the same jobs.

The module `coalloc_lib.statistics.scenario_pairs` simulates and compares the centres,
`playground_board` shows the results, and `playground_files` makes code and files. This module has
the controls.
"""

from collections.abc import Mapping
from contextlib import suppress
from html import escape
from typing import Any

import ipywidgets as ipw

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.display import badge
from coalloc_lib.model.system import parse_clusters
from coalloc_lib.statistics.scenario_pairs import PENALTIES, SIDES
from coalloc_lib.widgets import controls as ui
from coalloc_lib.widgets import inputs
from coalloc_lib.widgets.centres import AT_NEED, CONTROLS, NEVER, POLICIES, SPANS, scenario_of
from coalloc_lib.widgets.playground_board import LOOK, Board
from coalloc_lib.widgets.playground_files import code_of, file_buttons, start_button

#: The controls of a computing centre that are always visible. The button "more" shows the others.
FIRST = ("policy", "span", "penalty")
#: The layout of a box of full width among the controls that appear behind the button "more".
WHOLE_LINE = {"flex": "1 1 100%", "flex_flow": "row wrap"}


def _controls(side: str, span: str) -> tuple[dict[str, ipw.Widget], ipw.HTML]:
    # Return the controls of a centre by name, and the text that says which of them have no effect.
    made = (
        inputs.text_entry(CONTROLS["clusters"], "8,8,8"),
        inputs.choice(CONTROLS["policy"], POLICIES),
        inputs.slider_with_entry(CONTROLS["max_jumps"], 5, 0, 50),
        inputs.choice("span", SPANS[:3], span),
        inputs.slider_with_entry("penalty", 0.25, *PENALTIES, 0.05),
        inputs.slider_with_entry(CONTROLS["estimate"], 1.0, 1.0, 10.0, 0.5),
    )
    rows: dict[str, ipw.Widget] = dict(zip(CONTROLS, made, strict=True))
    reason_why = ipw.HTML(layout={"flex": "1 1 430px"})
    reason_why.add_class("coalloc-off")
    _label(side, rows)

    def react(_change: Any = None) -> None:
        _offer_spans(rows["policy"].value, rows["span"])
        reason_why.value = _disable_useless(side, rows)

    for name in ("policy", "span", "clusters"):
        rows[name].observe(react, "value")
    react()
    return {f"{side}.{name}": row for name, row in rows.items()}, reason_why


def _label(side: str, rows: Mapping[str, ipw.Widget]) -> None:
    # The labels of the controls that the button "more" reveals begin with the centre, A or B.
    for name, words in CONTROLS.items():
        for widget in inputs.parts_of(rows[name]):
            widget.tooltip = f"{words} of {side}"
            if name not in FIRST:
                # A longer label would be cut off.
                widget.description = f"{side}: {words.removesuffix(' factor')}"


def _offer_spans(policy: str, spanning: ipw.Dropdown) -> None:
    offered = SPANS if policy == "EASY" else SPANS[:3]
    if spanning.options != offered:
        kept = spanning.value if spanning.value in offered else AT_NEED
        # When the options of a drop-down list change, ipywidgets selects the first option, so the
        # previous choice is set again.
        spanning.options, spanning.value = offered, kept


def _disable_useless(side: str, rows: Mapping[str, ipw.Widget]) -> str:
    # Disable the controls that have no effect, and return a text as HTML that says why.
    policy = rows["policy"].value
    reasons = _useless(rows["clusters"].value, policy, rows["span"].value)
    for name, reason in reasons.items():
        for widget in inputs.parts_of(rows[name]):
            widget.disabled = reason != ""
    off = [f"{CONTROLS[name]} ({why})" for name, why in reasons.items() if why]
    off += ["adaptive spanning (only EASY has it)"] * (policy != "EASY")
    return f"<small>{side}, off: {', '.join(off)}</small>" * bool(off)


def _useless(clusters: str, policy: str, span: str) -> dict[str, str]:
    # For each control, return the reason why it has no effect, or an empty string if it has one.
    is_single = _is_single(clusters)
    never_spans, uses_estimates = is_single or span == NEVER, POLICIES[policy].uses_estimates
    return {
        "max_jumps": "only FPFS has it" if policy != "FPFS" else "",
        "span": "there is one cluster" if is_single else "",
        "penalty": "no job spans" if never_spans else "",
        "estimate": "" if uses_estimates else f"{policy} does not use estimates",
    }


def _is_single(clusters: str) -> bool:
    with suppress(InputError):  # A wrong text is explained by the error of the drawing.
        return len(parse_clusters(clusters)) == 1
    return False


def _arranged_controls() -> tuple[dict[str, ipw.Widget], list, list]:
    # Return all controls by name, the columns of those that are always visible, and what the button
    # "more" shows.
    controls = {
        "sizes": inputs.text_entry("mix of sizes", "U[1,8]"),
        "load": inputs.slider_with_entry("load", 0.7, 0.1, 0.95, 0.01),
    }
    jobs = "<b>jobs of both</b> <small>(load of A's system)</small>"
    columns: list = [(ipw.HTML(jobs), [*controls])]
    more: list = []
    reasons = []
    for side, span in zip(SIDES, (NEVER, AT_NEED), strict=True):
        rows, reason_why = _controls(side, span)
        heading = ipw.HTML(badge(side, LOOK[side].colour))
        columns.append((heading, [f"{side}.{name}" for name in FIRST]))
        more += [name for name in rows if name.split(".")[1] not in FIRST]
        more.append(ipw.Box(layout=WHOLE_LINE))  # The other centre begins a new line.
        reasons.append(reason_why)
        controls |= rows
    return controls, columns, [*more, ipw.HBox(reasons, layout=WHOLE_LINE)]


def _row_of_buttons(board: Board, files: ipw.HBox) -> ipw.HBox:
    copied = inputs.fold("copy this scenario as code: a click marks it", board.code)
    files.add_class("coalloc-needs-python")
    buttons = ipw.HBox([board.watched, copied, files], layout={"flex_flow": "row wrap"})
    buttons.add_class("coalloc-buttons")
    return buttons


def playground_explorer(state: str = "") -> ui.Explorer:
    """Return a widget that compares two computing centres, A and B, with the same jobs.

    Its controls choose the clusters, the policies and the spanning rule of each centre. It shows
    a player, the mean times by job size, the response time over the load, and Python code that
    repeats the comparison.

    Parameters
    ----------
    state : str
        The initial values of controls, in a string such as ``"A.policy=EASY&load=0.6"``.

    Returns
    -------
    Explorer
        The widget.
    """
    board, links, files = Board(), ipw.HTML(), ipw.HBox()
    controls, columns, more = _arranged_controls()

    def draw(coarse: bool, **values: Any) -> None:
        load, one, other = values["load"], *(scenario_of(values, side) for side in SIDES)
        board.show(one, other, load, coarse)
        text = escape(code_of([one, other], load))
        board.code.value, links.value = f'<pre class="coalloc-code" tabindex="0">{text}</pre>', ""

    # The text field is not shown, because the Python code and the saved files show the same values
    # in a more readable form.
    box = ui.Explorer(
        controls, draw, board, state, simulates=lambda **_: True, columns=columns,
        more=more, below=[_row_of_buttons(board, files)], shows_scenario=False,
    )  # fmt: skip
    box.add_class("coalloc-playground")
    save, load = file_buttons(box, links)
    files.children = start_button(box), save, links, load
    return box
