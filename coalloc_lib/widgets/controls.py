"""Controls beside the picture that follows them: coarsely while one is moved, finely at rest.

Each slider has a text entry beside it, since a slider has no name that a screen reader could read.
"""

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from html import escape
from inspect import signature
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl, urlencode

import ipywidgets as ipw

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.plots import Picture

#: A text entry has its name for screen readers only, since the slider shows it to the eye.
STYLE = """<style>
.coalloc-entry > .widget-label {position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%)}
.coalloc-note {margin: 0 0 4px 8em; line-height: 1.3; color: #A63603}
.coalloc-busy {color: #595959; font-style: italic}
.coalloc-past {opacity: 0.35}
.coalloc-cells td {border-top: 1px solid #CCC; vertical-align: top; line-height: 1.4}
</style>"""
WIDE = {"description_width": "8em"}
#: Controls are as wide as they need to be, and narrower on a phone.
NARROW = {"max_width": "345px"}
#: One of several columns of controls.
COLUMN = {"flex": "1 1 280px", "min_width": "0"} | NARROW
HINT = "<p><i>Run this cell to move the controls.</i></p>"
BUSY = '<span class="coalloc-busy" role="status">refining …</span>'
#: Seconds that controls rest before the picture is refined.
REST = 0.35


class _Ranged:
    """An entry that keeps a number beyond its range, for the explorer to refuse in words."""

    min: float
    max: float
    value: float
    description: str

    def __init__(self, min: float, max: float, **options: Any) -> None:
        super().__init__(**options)
        self.min, self.max = min, max


class WholeEntry(_Ranged, ipw.IntText):
    """An entry of a whole number."""


class NumberEntry(_Ranged, ipw.FloatText):
    """An entry of a number."""


def slider_with_entry(
    label: str, value: float, low: float, high: float, step: float = 1
) -> ipw.HBox:
    """Return a slider and a text entry of the same number, in a row; whole where `step` is."""
    is_whole = isinstance(step, int)
    both = {"value": value, "min": low, "max": high, "step": step, "description": label}
    slider = ipw.IntSlider if is_whole else ipw.FloatSlider
    return _row(slider, WholeEntry if is_whole else NumberEntry, both, "5em", _tidied)


def _tidied(number: float) -> float:
    """Return what a slider means, which adds up steps: 0.86, not 0.8600000000000001."""
    return round(number, 9)


def slider_with_list(label: str, options: Iterable[str], chosen: str) -> ipw.HBox:
    """Return a slider over options, and a list with the same value beside it or below it."""
    options = list(options)
    both = {"options": options, "value": chosen, "description": label}
    width = max(6, 3 + 0.6 * max(map(len, options)))
    return _row(ipw.SelectionSlider, ipw.Dropdown, both, f"{width:.1f}em", _as_it_is)


def _as_it_is(value: Any) -> Any:
    return value


def _row(
    slider: type, entry: type, both: Mapping[str, Any], width: str, tidied: Callable
) -> ipw.HBox:
    stretch = {"flex": "1 1 225px", "min_width": "0", "width": "auto"}
    left = slider(**both, style=WIDE, readout=False, layout=stretch)
    right = entry(**both, tooltip=both["description"], layout={"width": width})
    right.add_class("coalloc-entry")
    ipw.link((left, "value"), (right, "value"), (tidied, _as_it_is))
    # A wide list goes below the slider. Beside it, it would leave no room to drag the handle.
    return ipw.HBox([left, right], layout=NARROW | {"flex_flow": "row wrap"})


def _room_of(control: ipw.Widget) -> dict[str, str]:
    """Return the layout of a control among others: buttons have a row of their own."""
    return {"flex": "1 1 100%"} if isinstance(control, ipw.ToggleButtons) else COLUMN


def choice(label: str, options: Iterable[str], chosen: str | None = None) -> ipw.Dropdown:
    """Return a list to choose one of `options` from; the first where none is chosen yet."""
    options = list(options)
    return ipw.Dropdown(
        options=options, value=options[0] if chosen is None else chosen, description=label,
        style=WIDE, layout={"width": "auto"} | NARROW,
    )  # fmt: skip


def text_entry(label: str, value: str) -> ipw.Text:
    """Return an entry of a text, which counts when the reader leaves it."""
    return ipw.Text(
        value=value, description=label, style=WIDE, layout={"width": "auto"} | NARROW,
        continuous_update=False,
    )  # fmt: skip


def entry_of(control: ipw.Widget) -> ipw.Widget:
    """Return what holds the value of a control: of a row, its entry."""
    return control.children[-1] if isinstance(control, ipw.HBox) else control


def disable(control: ipw.Widget, by: ipw.Widget, when: Callable[[Any], bool]) -> None:
    """Disable a control, or all in a row, while the value of another says so."""
    for widget in control.children if isinstance(control, ipw.HBox) else [control]:
        ipw.dlink((by, "value"), (widget, "disabled"), when)


class View(ipw.HTML):
    """A picture with its caption, and whether it is being refined."""

    #: What is shown, by MIME type.
    data: Mapping[str, str] = {"text/html": "", "text/plain": ""}

    def draw(self, picture: Picture, busy: bool = False) -> None:
        """Show a picture; `busy` says that a finer one is on its way."""
        self.data = picture._repr_mimebundle_()
        self.value = self.data["text/html"] + BUSY * busy

    def boxed(self) -> Mapping[str, str]:
        """Return the picture as a notebook keeps it."""
        return self.data

    def rest(self) -> None:
        """Show the picture without the sign that a finer one is on its way."""
        self.value = self.data["text/html"]


class Explorer(ipw.VBox):
    """Controls beside the view that they fill, and a line that recreates what they say.

    Where no kernel runs, in a notebook that was only opened, the picture alone is shown.

    Parameters
    ----------
    controls : dict of Widget
        By name: a widget with a value, or a row from `slider_with_entry`.
    draw : callable
        Takes the values by name; returns a `Picture`, or None where it has filled `view` itself.
        An `InputError` is shown beside the control that was moved, and the view fades. One that
        takes `before` gets the values of the last picture before these, to draw as a ghost.
    view, state : Widget, str, optional
        What is filled, which has `boxed()` for where no kernel runs, and a line of another explorer
        of this kind.
    simulates : callable, optional
        Takes the values too: does a coarse picture, with ``coarse`` for `draw`, differ from a fine?
    above : sequence of Widget
        What stands above the controls.
    columns : sequence of (Widget, sequence of str)
        Controls in columns, below a widget each, with the view beside them; without columns the
        controls stand in rows, and the view below them, as wide as the page.
    """

    def __init__(
        self, controls: Mapping[str, ipw.Widget], draw: Callable, view: ipw.Widget | None = None,
        state: str = "", simulates: Callable[..., bool] | None = None,
        above: Sequence[ipw.Widget] = (),
        columns: Sequence[tuple[ipw.Widget, Sequence[str]]] = (),
    ) -> None:  # fmt: skip
        self._holders = {name: entry_of(control) for name, control in controls.items()}
        self._notes = {name: ipw.HTML() for name in [*controls, "this scenario"]}
        self._draw, self._simulates = draw, simulates
        self.view = View() if view is None else view
        self.view.add_class("coalloc-view")
        self._takes_before = "before" in signature(draw).parameters
        #: The values of the last picture that was refined, and of that before it.
        self._settled: tuple[dict[str, Any] | None, dict[str, Any] | None] = None, None
        #: The values of what is shown, and whether a finer picture of them is to come.
        self._drawn: tuple[dict[str, Any], bool] | None = None
        self._waiting: asyncio.TimerHandle | None = None
        self._held = True
        #: What lists offer. Where that changes, a list has its first option for a moment.
        self._offered = {n: getattr(h, "options", None) for n, h in self._holders.items()}
        self.scenario = ipw.Text(
            description="this scenario", style=WIDE, layout={"width": "auto"},
            tooltip="copy it to keep it; paste one to see it", continuous_update=False,
        )  # fmt: skip
        rows = {name: (row, self._notes[name]) for name, row in controls.items()}
        parts = [
            ipw.VBox([heading, *chain(*map(rows.pop, names))], layout=COLUMN)
            for heading, names in columns
        ]
        wrapped = {"flex_flow": "row wrap"}
        cells = [ipw.VBox(row, layout=_room_of(row[0])) for row in rows.values()]
        over = [*above, ipw.HBox(cells, layout=wrapped), ipw.HBox(parts, layout=wrapped)]
        left = {"flex": "1 1 100%", "min_width": "0"}
        if parts:
            left = {"flex": "1 1 580px", "min_width": "0", "max_width": "640px"}
        right = {"flex": f"1 1 {'460px' if parts else '100%'}", "min_width": "0"}
        sides = ipw.HBox(
            [ipw.VBox(over, layout=left), ipw.VBox([self.view], layout=right)],
            layout={"flex_flow": "row wrap"},
        )
        super().__init__([ipw.HTML(STYLE), sides, self.scenario, self._notes["this scenario"]])
        for name, holder in self._holders.items():
            holder.observe(lambda _change, name=name: self._moved(name), "value")
            holder.observe(lambda c, n=name: self._offered.update({n: c["new"]}), "options")
        self._held = False
        self._redraw(next(iter(controls)), coarse=False)
        self.scenario.observe(lambda change: self.recreate(change["new"]), "value")
        if state:
            self._settled = None, None  # what the line says has nothing before it
            self.recreate(state)

    @property
    def values(self) -> dict[str, Any]:
        """What the controls say, by name."""
        return {name: holder.value for name, holder in self._holders.items()}

    def recreate(self, line: str, source: str = "") -> None:
        """Set the controls to a line, or answer why it cannot be; `source` begins the answer."""
        before = self.values
        if line == _line(before):
            return
        self._held = True
        try:
            wanted = self._parsed(line)
            self._set(wanted)
            for name, value in wanted.items():
                if self.values[name] != value:  # another has pushed it
                    raise InputError(f"{name} = {value} does not go with the rest; change either")
        except InputError as error:
            self._set(before)
            self.scenario.value = _line(before)
            self._notes["this scenario"].value = note(source + str(error))
            return
        finally:
            self._held = False
        self.scenario.value = _line(self.values)
        name = "this scenario" if source else next(iter(self._holders))
        self._redraw(name, coarse=False, source=source)

    def _set(self, wanted: Mapping[str, Any]) -> None:
        for _ in range(2):  # controls that push each other take their values in the second round
            for name, holder in self._holders.items():
                if name in wanted and hasattr(holder, "options"):  # which others may have changed
                    one_of(name, wanted[name], tuple(holder.options))
                if name in wanted:
                    holder.value = wanted[name]

    def _parsed(self, line: str) -> dict[str, Any]:
        wanted = {}
        for name, text in parse_qsl(line, keep_blank_values=True):
            if name not in self._holders:
                raise InputError(f"{name!r} is no control; {', '.join(self._holders)} are")
            wanted[name] = _value_of(self._holders[name], name, text)
        return wanted

    def _moved(self, name: str) -> None:
        if self._held or (self._drawn and self.values == self._drawn[0]):
            return  # one control has set another, which has redrawn
        if self._offered[name] != getattr(self._holders[name], "options", None):
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._redraw(name, coarse=False)
            return
        if self._waiting is not None:
            self._waiting.cancel()
        self._redraw(name, coarse=True)
        if self._drawn and self._drawn[1]:
            self._waiting = loop.call_later(REST, self._redraw, name, False)

    def _redraw(self, name: str, coarse: bool, source: str = "") -> None:
        values = self.values
        if self._drawn in ((values, coarse), (values, False)):
            return
        self._drawn = values, False
        for beside in self._notes.values():
            beside.value = ""
        self.scenario.value = _line(values)
        try:
            if wrong := self._out_of_range():
                name, words = wrong
                raise InputError(words)
            if self._simulates is None:
                picture = self._draw(**values, **self._before(values))
                coarse = False
            else:
                coarse = coarse and self._simulates(**values)
                picture = self._draw(**values, **self._before(values), coarse=coarse)
                self._drawn = values, coarse
            if not coarse and values != self._settled[0]:
                self._settled = values, self._settled[0]
        except InputError as error:
            self._notes[name].value = note(source + str(error))
            self.view.add_class("coalloc-past")
            if hasattr(self.view, "rest"):
                self.view.rest()  # nothing finer is on its way
            return
        self.view.remove_class("coalloc-past")
        if picture is not None:
            self.view.draw(picture, busy=self._drawn[1])

    def _before(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what `draw` takes besides: the values of the last picture of other ones."""
        last, earlier = self._settled
        return {"before": earlier if values == last else last} if self._takes_before else {}

    def _out_of_range(self) -> tuple[str, str] | None:
        """Return the name of a control whose number is out of its range, and why it is refused."""
        for name, each in self._holders.items():
            if isinstance(each, _Ranged) and not each.min <= each.value <= each.max:
                label = f"{each.description} = {each.value:g}"
                return name, f"{label}; give a number from {each.min:g} to {each.max:g}"
        return None

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        shown, still = super()._repr_mimebundle_(**kwargs), self.view.boxed()
        return shown | still | {"text/html": HINT + still["text/html"]}


def note(words: str) -> str:
    """Return what stands beside a control, such as why it cannot be so."""
    return f'<p class="coalloc-note" role="alert">{escape(words)}</p>'


def _value_of(holder, name, text):
    """Return what a text says for a control; refuse what the control could not show."""
    if hasattr(holder, "options"):
        return text
    if isinstance(holder.value, bool):
        return one_of(name, text, ("True", "False")) == "True"
    if isinstance(holder.value, str):
        return text
    number = math.nan
    with suppress(ValueError):
        number = type(holder.value)(text)
    if not holder.min <= number <= holder.max:
        raise InputError(f"{name} = {text!r}; give a number from {holder.min} to {holder.max}")
    return number


def _line(values):
    return urlencode(values, safe=",()[]")


def push(lower: ipw.Widget, upper: ipw.Widget) -> None:
    """Let one number push another, so that the first never exceeds the second."""
    lower, upper = entry_of(lower), entry_of(upper)
    lower.observe(lambda change: setattr(upper, "value", max(upper.value, change["new"])), "value")
    upper.observe(lambda change: setattr(lower, "value", min(lower.value, change["new"])), "value")
