"""The class `Explorer`, which redraws a picture when its controls change.

While a control is being moved, an explorer draws a coarse picture. When the control rests, it draws
a fine one. The functions in `coalloc_lib.widgets.inputs` make the controls.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as ipw
import traitlets
from ipywidgets.widgets.widget_string import HTMLStyle

from coalloc_lib.basics.checks import InputError, one_of, shown
from coalloc_lib.plots import Picture
from coalloc_lib.widgets.drawn import Drawn
from coalloc_lib.widgets.inputs import NARROW, WIDE, Ranged, choices_of, entry_of, fold, is_in_range
from coalloc_lib.widgets.scenario_line import line_of, values_in
from coalloc_lib.widgets.view import ExplorerView

#: The folder with the scripts and the style sheets for the browser.
BROWSER = Path(__file__).parent / "browser"
#: The style sheet of explorers (pictures with controls). It hides two labels that screen readers
#: still read: that of a text entry beside a slider, because the slider shows the same label, and
#: that of the options of a guess, which stand below their question. A note on an error has a line
#: of its own below the controls, so that nothing moves.
STYLE = f"<style>\n{(BROWSER / 'explorer.css').read_text(encoding='utf-8')}</style>"
#: The layout of one column of controls, for explorers with several columns.
COLUMN = {"flex": "1 1 280px", "min_width": "0"} | NARROW
#: The message that replaces the controls if the kernel that created them is not running.
GONE = "Run this cell to use it again."
HINT = "<p><i>Run this cell to move the controls.</i></p>"
PLAY_HINT = "<p><i>Run this cell to play the schedules.</i></p>"
BUSY = '<span class="coalloc-busy" role="status">refining …</span>'
#: An explorer draws the fine picture after its controls have not changed for this many seconds.
REST = 0.35


def _cell(row: Sequence[ipw.Widget], column: ipw.Layout) -> ipw.VBox:
    is_wide = isinstance(row[0], ipw.ToggleButtons)
    return ipw.VBox(row, layout={"flex": "1 1 100%"} if is_wide else column)


def styled() -> ipw.HTML:
    """Return an invisible widget with the style sheet of all explorers."""
    return _shared(STYLE, layout={"display": "none"})


def gone() -> ipw.HTML:
    """Return the message that replaces the controls of a widget if its kernel is not running.

    The widget has the class ``coalloc-whole``, and its children that need Python have the class
    ``coalloc-needs-python``. The style sheet of explorers shows the message and hides these
    children. All widgets share the message.
    """
    return _shared(GONE, _dom_classes=("coalloc-gone",))


#: The widgets that all explorers share, by their HTML, because a notebook file stores each widget
#: in full.
_SHARED: dict[str, ipw.HTML] = {}


def _shared(html: str, **how: Any) -> ipw.HTML:
    if html not in _SHARED or _SHARED[html].comm is None:  # A widget without it was closed.
        _SHARED[html] = ipw.HTML(html, **how)
    return _SHARED[html]


class View(ExplorerView, anywidget.AnyWidget):
    """A widget that shows a picture with a text below it.

    When the picture changes, collapsible sections stay open or closed.
    """

    _esm = BROWSER / "view.js"
    #: The picture and the text as HTML.
    value = traitlets.Unicode("").tag(sync=True)

    #: The content of the picture by MIME type.
    data: Mapping[str, str] = {"text/html": "", "text/plain": ""}

    def draw(self, picture: Picture, busy: bool = False) -> None:
        """Show a picture; if `busy` is true, add a note that a finer picture follows."""
        self.show(picture._repr_mimebundle_(), busy)

    def show(self, data: Mapping[str, str], busy: bool = False) -> None:
        """Show content by MIME type; if `busy` is true, add a note that a finer picture follows."""
        self.data = data
        self.value = data["text/html"] + BUSY * busy

    def boxed(self) -> Mapping[str, str]:
        """Return the content by MIME type, which a notebook file can store."""
        return self.data

    def wait(self) -> None:
        """Leave the picture in the view, and say that a finer picture follows."""
        self.show(self.data, busy=True)

    def fade(self) -> None:
        """Remove the message that a more precise picture follows."""
        self.show(self.data)


def _scenario_field() -> ipw.Text:
    return ipw.Text(
        description="this scenario",
        style=WIDE,
        layout={"width": "auto"},
        tooltip="copy it to keep it; paste one to see it",
        continuous_update=False,
    )


def _hidden_notes(names: Iterable[str]) -> dict[str, ipw.HTML]:
    # All notes share one layout object and one style object, because a notebook file stores each of
    # these objects in full.
    shared = {"layout": ipw.Layout(), "style": HTMLStyle()}
    notes = {name: ipw.HTML(**shared) for name in names}
    for hidden in notes.values():
        hidden.add_class("coalloc-said")
    return notes


class Explorer(ipw.VBox):
    """Controls with a picture that is redrawn whenever one of the controls changes.

    Below the view, a text field holds the values of all controls in one line. A user can copy
    this line to keep the values, and paste it to set them again. In a notebook that was opened but
    not run, only the picture is shown.

    Parameters
    ----------
    controls : dict of str to Widget
        The controls by name, at least one. A control is a widget with a ``value``, or a row from
        `slider_with_entry`.
    draw : callable
        The function that draws. It takes the values of the controls as keyword arguments, and
        returns a `Picture`, or None if it has filled `view` itself, or if a coarse picture would
        mislead. In the last case, the previous picture stays until the fine one is ready. If it
        raises an `InputError`, the message is shown above the view, and the view fades. If the
        function has a parameter ``before``, it also gets the values of the previous picture, so
        that it can draw both for comparison.
    view : Widget, optional
        The widget that shows the picture, by default a `View`. It is derived from `ExplorerView`.
    state : str, optional
        The initial values of the controls, as a line from the text field of an explorer.
    simulates : callable, optional
        A function that takes the values of the controls as keyword arguments, and returns whether a
        coarse picture can be drawn faster than a fine one. If this function is given,
        `draw` gets the argument ``coarse``, which is true while a control is being moved.
    above : sequence of Widget
        Widgets above the controls.
    columns : sequence of (Widget, sequence of str)
        For each column of controls, its heading and the names of its controls. All other controls
        fill rows. The view is below them.
    more : sequence of str or Widget
        The names of controls that are hidden until the user presses the button "more". A widget
        in this sequence, such as an explanation, is shown among them.
    below : sequence of Widget
        Widgets between the view and the text field.
    shows_scenario : bool
        Whether the text field is shown.

    Examples
    --------
    >>> from coalloc_lib.widgets import loss_explorer
    >>> explorer = loss_explorer("clusters=2&components=2")
    >>> explorer.values["clusters"], explorer.values["cluster_size"]
    (2, 32)
    """

    def __init__(
        self,
        controls: Mapping[str, ipw.Widget],
        draw: Callable,
        view: ipw.Widget | None = None,
        state: str = "",
        simulates: Callable[..., bool] | None = None,
        above: Sequence[ipw.Widget] = (),
        columns: Sequence[tuple[ipw.Widget, Sequence[str]]] = (),
        more: Sequence[str | ipw.Widget] = (),
        below: Sequence[ipw.Widget] = (),
        shows_scenario: bool = True,
    ) -> None:
        if not controls:
            raise InputError(f"controls = {shown(controls)}; give one control or more by name")
        self._holders = {name: entry_of(control) for name, control in controls.items()}
        self._notes = _hidden_notes([*controls, "this scenario"])
        self._draw, self._simulates = draw, simulates
        self._takes_before = "before" in signature(draw).parameters
        self.view = View() if view is None else view
        self.view.add_class("coalloc-view")
        self._drawn = Drawn()
        self._waiting: asyncio.TimerHandle | None = None
        #: The values of the controls when the last picture was drawn without an error, as a line.
        self._possible = ""
        #: True while the code changes several controls, so that the picture is not redrawn after
        #: every single change.
        self._held = True
        #: The options of each drop-down list. When the options of a list change, ipywidgets briefly
        #: selects the first option, and `_moved` must ignore this change in the value.
        self._offered = {n: getattr(h, "options", None) for n, h in self._holders.items()}
        self.scenario = _scenario_field()
        upper = self._arranged(controls, above, columns, more)
        lower = self._below_view(below, shows_scenario)
        super().__init__([styled(), gone(), upper, self.view, lower])
        self.add_class("coalloc-whole")
        self._observe()
        self._begin(state)

    def _begin(self, state: str) -> None:
        # The controls are set before the first picture is drawn, because drawing can take long.
        fault = self._apply(state)
        self._redraw(next(iter(self._holders)), coarse=False)
        if fault:
            self.reject(fault)
        self.scenario.observe(self._typed, "value")

    def _typed(self, change: Mapping[str, Any]) -> None:
        # The explorer itself shows only the line of values that are possible together.
        if change["new"] != self._possible:
            self.recreate(change["new"])

    def _observe(self) -> None:
        for name, holder in self._holders.items():
            holder.observe(lambda _change, name=name: self._moved(name), "value")
            holder.observe(lambda c, n=name: self._offered.update({n: c["new"]}), "options")

    def _arranged(
        self,
        controls: Mapping[str, ipw.Widget],
        above: Sequence[ipw.Widget],
        columns: Sequence[tuple[ipw.Widget, Sequence[str]]],
        more: Sequence[str | ipw.Widget],
    ) -> ipw.VBox:
        rows = {name: (row, self._notes[name]) for name, row in controls.items()}
        column = ipw.Layout(**COLUMN)  # shared, as the layout of the notes
        parts = [
            ipw.VBox([heading, *chain(*map(rows.pop, names))], layout=column)
            for heading, names in columns
        ]
        hidden = [_cell(rows.pop(item), column) if isinstance(item, str) else item for item in more]
        cells = [_cell(row, column) for row in rows.values()]
        lines = [ipw.HBox(line, layout={"flex_flow": "row wrap"})
                 for line in (parts, cells, hidden) if line]  # fmt: skip
        if hidden:
            lines[-1] = fold("more", lines[-1])
        arranged = ipw.VBox([*above, *lines])
        arranged.add_class("coalloc-controls")
        arranged.add_class("coalloc-needs-python")
        return arranged

    def _below_view(self, below: Sequence[ipw.Widget], shows_scenario: bool) -> ipw.VBox:
        fault = self._notes["this scenario"]
        for needs_python in (self.scenario, fault):
            needs_python.add_class("coalloc-needs-python")
        box = ipw.VBox([*below, *[self.scenario] * shows_scenario, fault])
        box.add_class("coalloc-below")
        return box

    @property
    def values(self) -> dict[str, Any]:
        """The current values of all controls, by the names of the controls."""
        return {name: holder.value for name, holder in self._holders.items()}

    @property
    def is_possible(self) -> bool:
        """Whether a picture of the current values of all controls was drawn without an error."""
        return line_of(self.values) == self._possible

    def recreate(self, line: str, source: str = "") -> None:
        """Set the controls to the values in a string such as ``"clusters=4&q=0.9"``.

        If the string is wrong, the controls keep their values, and a note explains the error.

        Parameters
        ----------
        line : str
            Names and values of controls, such as ``"clusters=4&q=0.9"``. Other controls stay.
        source : str
            The beginning of the note, such as the name of the file that holds the line.
        """
        if line == line_of(self.values):
            return
        fault = self._apply(line)
        self.scenario.value = self._possible
        if fault:
            self.reject(source + fault)
            return
        name = "this scenario" if source else next(iter(self._holders))
        self._redraw(name, coarse=False, source=source)

    def _apply(self, line: str) -> str:
        # If the line is not valid, keep the values of the controls, and return the message.
        before, self._held = self.values, True
        try:
            wanted = values_in(line, self._holders, self._possible)
            self._set(wanted)
            for name, value in wanted.items():
                if str(self.values[name]) != str(value):  # Another control has changed it.
                    raise InputError(
                        f"{name} = {value} contradicts another value in the line; change one of "
                        "the two values"
                    )
        except InputError as error:
            self._set(before)
            return str(error)
        finally:
            self._held = False
            self._take_pushed()  # The text field shows all values of a line.
        return ""

    def reject(self, words: str) -> None:
        """Show a note that says why a scenario was rejected, without changing the controls."""
        self._clear_notes()
        self._notes["this scenario"].value = note(words)

    def _clear_notes(self) -> None:
        for old in self._notes.values():
            old.value = ""

    def _set(self, wanted: Mapping[str, Any]) -> None:
        # The value of one control can limit the value of another control, so all values are set
        # twice. The first pass leaves out a choice that its list offers only after another control
        # is set. The second pass sets it, and corrects values that outdated limits changed.
        holders = {name: self._holders[name] for name in self._holders if name in wanted}
        for name, holder in holders.items():
            if not hasattr(holder, "options"):
                holder.value = wanted[name]
            elif str(wanted[name]) in choices_of(holder):
                _choose(holder, name, wanted[name])
        for name, holder in holders.items():
            if hasattr(holder, "options"):
                _choose(holder, name, wanted[name])
            else:
                holder.value = wanted[name]

    def _moved(self, name: str) -> None:
        if self._held or self.values == self._drawn.values:
            return  # This control has changed another one, which has already redrawn the picture.
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
        if self._drawn.is_coarse:
            self._waiting = loop.call_later(REST, self._redraw, name, False)

    def _redraw(self, name: str, coarse: bool, source: str = "") -> None:
        self._mend_disabled()
        values = self.values
        if self._drawn.suffices(values, coarse):
            return
        if values != self._drawn.values:  # Otherwise the notes on the coarse picture stay.
            self._clear_notes()
            self._tell_pushed()
            # The style sheet makes the view pale after a moment. If the new picture is drawn before
            # this moment, the view never becomes pale.
            self.view.add_class("coalloc-past")
        self._drawn.begin(values)
        wrong = self._out_of_range()
        if wrong is not None:
            self._say(wrong[0], source + wrong[1])
            return
        try:
            picture = self._picture_of(values, coarse)
            if self.values == values:  # Otherwise a control has moved, and its picture follows.
                self._show(picture, values)
        except InputError as error:
            self._say(name, source + str(error))
        except BaseException:  # for example, because the user has interrupted the kernel
            self._drawn.interrupt()
            self._fade()
            raise

    def _tell_pushed(self) -> None:
        # Say which controls changed because the user moved another one.
        reasons = self._take_pushed()
        if reasons:
            self._notes["this scenario"].value = note("; ".join(reasons), "status")

    def _take_pushed(self) -> list[str]:
        entries = [holder for holder in self._holders.values() if isinstance(holder, Ranged)]
        reasons = [entry.pushed for entry in entries if entry.pushed]
        for entry in entries:
            entry.pushed = ""
        return reasons

    def _picture_of(self, values: Mapping[str, Any], coarse: bool) -> Picture | None:
        before = {"before": self._drawn.before(values)} if self._takes_before else {}
        if self._simulates is None:
            picture, coarse = self._draw(**values, **before), False
        else:
            coarse = coarse and self._simulates(**values)
            picture = self._draw(**values, **before, coarse=coarse)
        self._drawn.finish(values, coarse)
        return picture

    def _show(self, picture: Picture | None, values: Mapping[str, Any]) -> None:
        is_coarse = self._drawn.is_coarse
        if picture is not None:
            self.view.draw(picture, busy=is_coarse)
        elif is_coarse:
            self.view.wait()
        # The line is known before the field shows it. Otherwise it would be taken for a line that
        # the user has typed, and would set a control back that has moved in the meantime.
        self._possible = line_of(values)
        self.scenario.value = self._possible
        self.view.remove_class("coalloc-past")

    def _say(self, name: str, words: str) -> None:
        # Say beside a control why the values of the controls cannot be drawn.
        self.scenario.value = self._possible
        self._notes["this scenario"].value = ""  # Both notes have the same place.
        self._notes[name].value = note(words)
        self._fade()

    def _fade(self) -> None:
        # The picture is out of date: it shows earlier values of the controls.
        self.view.add_class("coalloc-past")
        self.view.fade()

    def _mend_disabled(self) -> None:
        # A user cannot correct a number in a disabled entry, so it must not cause an error.
        is_held, self._held = self._held, True
        for holder in self._holders.values():
            if isinstance(holder, Ranged) and holder.disabled:
                holder.value = min(max(holder.value, holder.min), holder.max)
        self._held = is_held

    def _out_of_range(self) -> tuple[str, str] | None:
        for name, holder in self._holders.items():
            if isinstance(holder, Ranged) and not is_in_range(holder):
                label = f"{holder.description} = {holder.value:.10g}"
                return name, f"{label}; give a number from {holder.min:.10g} to {holder.max:.10g}"
        return None

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        shown, still = super()._repr_mimebundle_(**kwargs), self.view.boxed()
        return shown | still | {"text/html": HINT + still["text/html"]}


def _choose(holder: ipw.Widget, name: str, wanted: Any) -> None:
    # In a line, the value of a list is a text, although it may be a number in the list.
    choices = choices_of(holder)
    holder.value = choices[one_of(name, str(wanted), tuple(choices))]


def note(words: str, role: str = "alert") -> str:
    """Return a note beside a control, such as an error message, as HTML."""
    return f'<p class="coalloc-note" role="{role}">{escape(words)}</p>'
