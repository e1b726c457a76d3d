"""The sharing explorer, without a browser."""

import ipywidgets as ipw
import numpy as np
import pytest

from coalloc_lib import plots, sites, widgets
from coalloc_lib.checks import InputError
from coalloc_lib.scheduling import FCFS
from coalloc_lib.studies.job_sharing import workload_sets
from coalloc_lib.studies.job_sharing.cases import Work
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets import sharing, sharing_picture
from tests.test_widgets import all_widgets, control, notes, source, words

OTHER = {
    "configuration": "m256",
    "policy": "FCFS",
    "overhead p": 0.6,
    "weighted by": "processors",
}
DAY = 86_400


@pytest.fixture
def box():
    return widgets.sharing_explorer()


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn: the tables of the bars and of the timelines, and what is said of the bars."""
    kept = {}

    def keep(name):
        def draw(table, **how):
            kept[name], kept[f"{name} subtitle"] = table, how["subtitle"]
            figure, _ = plots.new_figure()
            plots.title_figure(figure, how["title"], how["subtitle"])
            return figure

        return draw

    sharing._picture.cache_clear()
    monkeypatch.setattr(plots, "bars", keep("bars"))
    monkeypatch.setattr(plots, "timelines", keep("timelines"))
    yield kept
    sharing._picture.cache_clear()


def test_every_slider_has_an_entry_of_its_name(box):
    sliders = [w for w in all_widgets(box) if isinstance(w, ipw.FloatSlider)]
    assert [slider.description for slider in sliders] == ["overhead p"]
    assert control(box, "overhead p") is not sliders[0]


@pytest.mark.parametrize(("label", "value"), OTHER.items())
def test_the_picture_follows_every_control_and_comes_back(box, label, value):
    holder = control(box, label)
    before, first = (words(box), source(box)), holder.value
    holder.value = value
    assert words(box) != before[0]
    assert source(box) != before[1]
    holder.value = first
    assert (words(box), source(box)) == before


def test_each_workload_has_its_picture(box):
    holder = control(box, "workload")
    assert len({(setattr(holder, "value", name), words(box))[1] for name in holder.options}) == len(
        holder.options
    )


def test_one_line_recreates_it_and_one_that_makes_no_sense_is_answered(box):
    control(box, "policy").value = "FCFS"
    control(box, "overhead p").value = 0.4
    again = widgets.sharing_explorer(box.scenario.value)
    assert again.values == box.values
    assert words(again) == words(box)
    box.scenario.value = "overhead=3"
    (said,) = notes(box)
    assert "give a number from 0.0 to 1.0" in said


def test_bars_and_timelines_are_those_of_the_schedules(drawn, monkeypatch):
    first, *_ = workload_sets().values()
    work = Work("late", first.jobs.replace(submit=first.jobs.submit + 100.3 * DAY))
    monkeypatch.setattr(sharing, "workload_sets", lambda: {"late": work})
    sharing_picture("m128", "late", policy="FCFS", overhead=0.35)
    m128, jobs = Multicluster([128] * 4), work.jobs.chopped(128).pieces
    ran = {
        "local": sites.local(m128, jobs, _in_turn(work.jobs, 4), scheduling=FCFS()),
        "sharing": sites.sharing(m128, jobs, scheduling=FCFS()),
        "multi-site": sites.multi_site(m128, jobs, 0.35, scheduling=FCFS()),
        "single machine": sites.single_machine(m128, jobs, scheduling=FCFS()),
    }
    bars = drawn["bars"].set_index("mode")
    for mode, schedule in ran.items():
        hours = schedule.average_weighted_response_time() / 3600
        assert bars["hours"][mode] == pytest.approx(hours, rel=1e-9)
        assert bars["ci95_low"][mode] < hours < bars["ci95_high"][mode]
    third = drawn["timelines"].query("site == 3 and day == 10")
    assert [panel.split(":")[0] for panel in third["panel"]] == list(ran)[:3]
    for share, schedule in zip(third["utilization"], ran.values(), strict=False):
        begin = jobs.submit.min() + 10 * DAY
        overlap = np.minimum(schedule.end, begin + DAY) - np.maximum(schedule.start, begin)
        used = schedule.allocation[:, 2] @ np.maximum(overlap, 0)
        assert share == pytest.approx(used / (128 * DAY))


def _in_turn(jobs, count):
    """Return the site of each piece, for jobs in order of submission."""
    return (np.arange(len(jobs)) % count)[jobs.chopped(128).job]


def test_spanning_without_overhead_is_not_said_to_lose_and_with_much_it_is():
    assert "loses" not in sharing_picture(overhead=0.0).alt
    assert sharing_picture(overhead=1.0).alt.startswith("Spanning sites loses")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"configuration": "m512"}, "configuration"),
        ({"workload": "mine"}, "workload"),
        ({"policy": "LIFO"}, "policy"),
        ({"overhead": -0.1}, "overhead"),
        ({"overhead": float("nan")}, "overhead"),
        ({"weight": "jobs"}, "weight"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(arguments, name):
    with pytest.raises(InputError, match=f"^{name} = ") as error:
        sharing_picture(**arguments)
    assert "\n" not in str(error.value)


def test_the_picture_says_what_it_weighs_by_and_what_it_cuts(drawn):
    for weight in ("processors", "processors × run time"):
        picture = sharing_picture("m64", weight=weight, overhead=0.3)
        assert f"weighted by {weight};" in drawn["bars subtitle"]
        assert "arrow: the bar goes on" in drawn["bars subtitle"]
        assert " h (" in picture.alt
    sharing_picture("m128")
    assert "arrow" not in drawn["bars subtitle"]
