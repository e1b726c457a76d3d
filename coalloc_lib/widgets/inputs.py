"""The controls of explorers: sliders, lists and text entries, and how one control limits another.

Each slider has a text entry beside it, because a screen reader cannot read the name of a slider.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ipywidgets as ipw

WIDE = {"description_width": "8em"}
#: The layout of a control with a maximum width. The control is narrower on a phone.
NARROW = {"max_width": "345px"}


class Ranged:
    """A text entry for a number that also accepts a number outside its range.

    A note can then explain the error.
    """

    min: float
    max: float
    value: float
    description: str
    disabled: bool
    #: Why another control has changed the number since the last note, or an empty string.
    pushed: str = ""

    def __init__(self, min: float, max: float, **options: Any) -> None:
        super().__init__(**options)
        self.min, self.max = min, max


class WholeEntry(Ranged, ipw.IntText):
    """A text entry for a whole number."""


class NumberEntry(Ranged, ipw.FloatText):
    """A text entry for a number."""


def slider_with_entry(
    label: str, value: float, low: float, high: float, step: float = 1
) -> ipw.HBox:
    """Return a slider and a text entry that always show the same number.

    Parameters
    ----------
    label : str
        The label of the slider, which is also the name of the entry.
    value, low, high : float
        The initial number, and the smallest and the largest allowed number.
    step : float
        The step of the slider. If it is an ``int``, the number is a whole number.

    Returns
    -------
    HBox
        The slider and the entry, in this order.
    """
    is_whole = isinstance(step, int)
    both: dict[str, Any] = {
        "value": value, "min": low, "max": high, "step": step, "description": label,
    }  # fmt: skip
    stretch = {"flex": "1 1 205px", "min_width": "0", "width": "auto"}
    slider = (ipw.IntSlider if is_whole else ipw.FloatSlider)(
        **both, style=WIDE, readout=False, layout=stretch
    )
    entry = (WholeEntry if is_whole else NumberEntry)(
        **both, tooltip=label, layout={"width": "5em"}
    )
    entry.add_class("coalloc-entry")
    ipw.link((slider, "value"), (entry, "value"), (_rounded, _unchanged))
    # In a narrow column, the entry is placed below its slider.
    return ipw.HBox([slider, entry], layout=NARROW | {"flex_flow": "row wrap"})


def _rounded(number: float) -> float:
    return round(number, 9)  # for example, 0.8600000000000001 becomes 0.86


def _unchanged(number: float) -> float:
    return number


def choice(label: str, options: Iterable[str], chosen: str | None = None) -> ipw.Dropdown:
    """Return a drop-down list of strings, in which `chosen` or the first string is selected."""
    options = list(options)
    return ipw.Dropdown(
        options=options,
        value=options[0] if chosen is None else chosen,
        description=label,
        style=WIDE,
        layout={"width": "auto"} | NARROW,
    )


def text_entry(label: str, value: str) -> ipw.Text:
    """Return a text entry whose value changes only when the user leaves the text field."""
    return ipw.Text(
        value=value,
        description=label,
        style=WIDE,
        layout={"width": "auto"} | NARROW,
        continuous_update=False,
    )


def parts_of(control: ipw.Widget) -> tuple[ipw.Widget, ...]:
    """Return the widgets of a control: those of a row, or the control itself."""
    return control.children if isinstance(control, ipw.HBox) else (control,)


def entry_of(control: ipw.Widget) -> ipw.Widget:
    """Return the widget that holds the value of a control.

    A slider with an entry is a row of two widgets, and the entry holds the value.
    """
    return parts_of(control)[-1]


def choices_of(holder: ipw.Widget) -> dict[str, Any]:
    """Return the values of a list by their texts in the line of an explorer.

    As in ipywidgets, the options are values, pairs of a label and a value, or a dict from labels to
    values.
    """
    options = holder.options
    if isinstance(options, Mapping):
        options = options.items()
    is_labelled = all(isinstance(each, list | tuple) and len(each) == 2 for each in options)
    values = [each[1] for each in options] if is_labelled else options
    return {str(value): value for value in values}


def disable(control: ipw.Widget, by: ipw.Widget, when: Callable[[Any], bool]) -> None:
    """Disable a control whenever the value of another control meets a condition.

    Parameters
    ----------
    control : Widget
        The control to disable, or a row of widgets that are all disabled.
    by : Widget
        The control whose value decides.
    when : callable
        A function of that value that returns whether `control` is disabled.
    """
    for widget in parts_of(control):
        ipw.dlink((by, "value"), (widget, "disabled"), when)


def fold(title: str, *content: ipw.Widget) -> ipw.VBox:
    """Return a button that shows or hides the given widgets, which are hidden at first.

    The browser does this without Python. Widgets stay shown or hidden when a control moves.
    """
    box = ipw.VBox([ipw.ToggleButton(description=title), ipw.VBox(content)])
    box.add_class("coalloc-fold")
    return box


def push(lower: ipw.Widget, upper: ipw.Widget) -> None:
    """Keep the number of one control from exceeding the number of another control.

    If a user moves one of the two controls too far, the other one moves with it. A number outside
    the range of its own control does not move the other control. The attribute `pushed` of the
    control that follows says why it has moved, and the explorer shows this reason.
    """
    lower, upper = entry_of(lower), entry_of(upper)

    def raise_upper(change: Mapping[str, Any]) -> None:
        if is_in_range(lower) and change["new"] > upper.value:
            _follow(upper, lower, "raised")

    def reduce_lower(change: Mapping[str, Any]) -> None:
        if is_in_range(upper) and change["new"] < lower.value:
            _follow(lower, upper, "reduced")

    lower.observe(raise_upper, "value")
    upper.observe(reduce_lower, "value")


def _follow(follower: Any, leader: Any, verb: str) -> None:
    number = f"{leader.value:.10g}"
    reason = f"because {leader.description} is {number}"
    follower.pushed = f"{follower.description} was {verb} to {number}, {reason}"
    follower.value = leader.value


def is_in_range(entry: Any) -> bool:
    """Return whether the number in a text entry is in the range of the entry."""
    return entry.min <= entry.value <= entry.max
