"""Sliders with names, and the loop from controls to a picture.

Each slider has a text entry beside it, since a slider has no name that a screen reader could read
out.
"""

from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

import ipywidgets as ipw

from coalloc_lib.checks import InputError

#: Hides the name of a text entry from the eye, which has the slider's, but not from readers.
STYLE = (
    "<style>.coalloc-entry > .widget-label {position: absolute; width: 1px; height: 1px; "
    "overflow: hidden; clip-path: inset(50%)}</style>"
)
WIDE = {"description_width": "9em"}
HINT = "<p><i>Run this cell to move the controls.</i></p>"


class Explorer(ipw.VBox):
    """Controls, and last of all the `Output` that they fill.

    Where no kernel runs, in a notebook that was only opened, the picture alone is shown.
    """

    @property
    def shown(self) -> dict[str, str]:
        """What is shown at present, by MIME type."""
        return self.children[-1].outputs[0]["data"]

    def _repr_mimebundle_(self, **kwargs):
        still = {"text/html": f"{HINT}{self.shown['text/html']}"}
        return super()._repr_mimebundle_(**kwargs) | self.shown | still


def slider_with_entry(
    label: str, value: float, low: float, high: float, step: float = 1
) -> ipw.HBox:
    """Return a slider and a text entry that hold the same number, in a row.

    Both are called `label`; the entry, last in the row, shows it to screen readers only. Numbers
    are whole where `step` is.
    """
    is_whole = isinstance(step, int)
    both = {"value": value, "min": low, "max": high, "step": step, "description": label}
    slider = (ipw.IntSlider if is_whole else ipw.FloatSlider)(
        **both, style=WIDE, readout=False, continuous_update=False
    )
    entry = (ipw.BoundedIntText if is_whole else ipw.BoundedFloatText)(
        **both, tooltip=label, layout={"width": "6em"}
    )
    entry.add_class("coalloc-entry")
    ipw.link((slider, "value"), (entry, "value"))
    return ipw.HBox([slider, entry])


def explorer(controls: Mapping[str, ipw.Widget], show: Callable) -> Explorer:
    """Return an `Explorer`: controls above the picture that they make.

    Parameters
    ----------
    controls : dict of Widget
        By the name of the argument of `show` that each sets: a widget with a value, or a row
        from `slider_with_entry`.
    show : callable
        Takes the values, returns a `Picture`. An `InputError` is shown as its one line.
    """
    holders = {name: row.children[-1] if isinstance(row, ipw.HBox) else row
               for name, row in controls.items()}  # fmt: skip
    output, drawn = ipw.Output(), dict[str, Any]()

    def redraw(_change=None):
        values = {name: holder.value for name, holder in holders.items()}
        if values == drawn:  # one control has set another, which has redrawn
            return
        drawn.update(values)
        # What an Output captures in a callback can get lost; what it is given is always shown.
        output.outputs = (_shown(show, values),)

    for holder in holders.values():
        holder.observe(redraw, "value")
    redraw()
    return Explorer([ipw.HTML(STYLE), *controls.values(), output])


def _shown(show, values):
    try:
        data = show(**values)._repr_mimebundle_()
        del data["image/png"]
    except InputError as error:
        data = {
            "text/html": f'<p role="alert"><b>Not possible:</b> {escape(str(error))}</p>',
            "text/plain": f"Not possible: {error}",
        }
    return {"output_type": "display_data", "data": data, "metadata": {}}


def choice(label: str, options: Iterable[str], chosen: str | None = None) -> ipw.Dropdown:
    """Return a list to choose one of `options` from; the first where none is chosen yet."""
    options = list(options)
    chosen = options[0] if chosen is None else chosen
    return ipw.Dropdown(options=options, value=chosen, description=label, style=WIDE)
