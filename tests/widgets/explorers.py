"""Checks that every explorer must pass, and the schedule explorer of a few jobs."""

import ipywidgets as ipw
from matplotlib import pyplot

import coalloc_lib as co
from coalloc_lib import widgets
from coalloc_lib.widgets.inputs import NumberEntry, WholeEntry
from tests.widgets.reading import all_widgets, control, words

FOURS = co.Multicluster([4, 4])
FIVE = co.JobStream([0, 1, 2, 2, 3], [5, 3, 3, 5, 4], [[2, 0], [1, 2], [3, 0], [2, 1], [2, 1]])


def schedule_explorer(state=""):
    return widgets.schedule_explorer(FOURS, FIVE, state=state)


def shown(box):
    return played(box) if isinstance(box.view, widgets.Player) else words(box)


def played(box):
    """Return the name and the start times of the schedule that an explorer's player shows."""
    ((label, schedule),) = box.view._schedules.items()
    return label, schedule.start.tolist()


def check_entries(box):
    """Check that each slider has an entry of the same name and with the same value."""
    kinds = (ipw.IntSlider, ipw.FloatSlider, ipw.SelectionSlider)
    entries = (WholeEntry, NumberEntry, ipw.Dropdown)
    sliders = [w for w in all_widgets(box) if isinstance(w, kinds)]
    assert sliders
    for slider in sliders:
        entry = control(box, slider.description)
        assert isinstance(entry, entries)
        assert entry.value == slider.value
        if not isinstance(entry, ipw.Dropdown):
            assert (entry.min, entry.max) == (slider.min, slider.max)
    first = sliders[0]
    first.value = last = first.options[-1] if hasattr(first, "options") else first.max
    assert control(box, first.description).value == last


def check_following(box, other):
    """Check that what is shown follows each control of `other` to its value and back."""
    before = shown(box)
    for label, value in other.items():
        changed = control(box, label)
        start, changed.value = changed.value, value
        assert shown(box) != before, label
        changed.value = start
        assert shown(box) == before, label
    assert pyplot.get_fignums() == []  # what is drawn is kept by no one else


def check_line(make, box, label, value):
    """Check that the line of an explorer recreates it after a control was changed."""
    control(box, label).value = value
    again = make(state=box.scenario.value)
    assert again.values == box.values
    assert shown(again) == shown(box)
    data = box._repr_mimebundle_()  # without a kernel the picture alone is shown
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "<img alt=" in data["text/html"]
    assert data["text/plain"]
