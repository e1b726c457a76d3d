"""The penalty explorer and the slider over maps, without a browser."""

import time

import ipywidgets as ipw
import pytest

from coalloc_lib import plots, widgets
from coalloc_lib.checks import InputError
from coalloc_lib.studies.communication_penalty import WHOLE, scenario, study
from coalloc_lib.studies.communication_penalty.responses import NAMES, NO_LIMIT, respond
from coalloc_lib.widgets import map_explorer, penalties, penalty_picture
from tests.studies.small import SMALL
from tests.test_widgets import all_widgets, control, notes, source, words

START = {
    "penalty given by": "psi",
    "α": 0.5,
    "λ": 0.2,
    "ψ": 0.1,
    "split above": 10,
    "components": 4,
    "load": 0.6,
    "MaxJumps": "20",
    "placement": "always split",
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(penalties, "FINE", (1_500, 4))
    monkeypatch.setattr(penalties, "COARSE", (500, 3))


@pytest.fixture
def box():
    box = widgets.penalty_explorer()
    for label, value in START.items():
        control(box, label).value = value
    return box


def test_every_slider_has_an_entry_of_its_name(box):
    kinds = (ipw.IntSlider, ipw.FloatSlider, ipw.SelectionSlider)
    sliders = [w for w in all_widgets(box) if isinstance(w, kinds)]
    assert len(sliders) == 7
    for slider in sliders:
        entry = control(box, slider.description)
        assert entry is not slider
        assert entry.value == slider.value


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("ψ", 0.3),
        ("split above", 5),
        ("components", 3),
        ("load", 0.65),
        ("MaxJumps", "0"),
        ("MaxJumps", "no limit"),
        ("placement", "split at need"),
    ],
)
def test_the_picture_follows_every_control_and_comes_back(box, label, value):
    before = words(box), source(box)
    control(box, label).value = value
    assert words(box) != before[0]
    assert source(box) != before[1]
    control(box, label).value = START[label]
    assert (words(box), source(box)) == before


def test_the_penalty_is_the_product_or_said_directly(box):
    psi = control(box, "ψ")
    assert not psi.disabled
    assert control(box, "α").disabled
    control(box, "α").value = 1.0
    assert psi.value == 0.1
    control(box, "penalty given by").value = "alpha and lambda"
    assert psi.disabled
    assert not control(box, "λ").disabled
    assert psi.value == 0.2
    said = words(box)
    control(box, "λ").value = 0.7
    assert psi.value == pytest.approx(0.7)
    assert words(box) != said
    control(box, "α").value = 0.15
    assert psi.value == 0.105
    highest = control(box, "α").max * control(box, "λ").max
    assert psi.max >= highest


def test_one_line_recreates_it(box):
    control(box, "penalty given by").value = "alpha and lambda"
    control(box, "MaxJumps").value = "no limit"
    control(box, "split above").value = 7
    again = widgets.penalty_explorer(box.scenario.value)
    assert again.values == box.values
    assert words(again) == words(box)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("above=25", "give a number from 0 to 19"),
        ("max_jumps=7", "choose one of"),
        ("given_by=alpha+and+lambda&alpha=0.5&ratio=0.2&psi=0.4", "psi = 0.4 does not go with"),
    ],
)
def test_a_line_that_makes_no_sense_is_answered_beside_it(box, line, message):
    before = words(box), box.values
    box.scenario.value = line
    (said,) = notes(box)
    assert message in said
    assert (words(box), box.values) == before


@pytest.fixture
def bars(monkeypatch):
    """The tables that are drawn as bars."""
    tables, draw = [], plots.bars
    monkeypatch.setattr(
        plots, "bars", lambda table, **how: tables.append(table) or draw(table, **how)
    )
    return tables


def test_the_bars_are_the_responses_of_the_study(bars):
    penalty_picture(psi=0.3, above=5, components=3, load=0.6, max_jumps=NO_LIMIT)
    drawn = bars[0].set_index(["group", "series"])
    jobs = WHOLE.with_(above=5, parts=3, span_penalty=0.3)
    for name, mine in ((penalties.SPLIT, jobs), (penalties.KEPT, WHOLE)):
        found = respond(scenario(NO_LIMIT, mine), 0.6, penalties.FINE, study.seed)
        for group in NAMES:
            shown = drawn.loc["all jobs" if group == "stream" else group, name]
            known = found.means[group].interval
            ends = known.estimate, known.low, known.high
            assert (shown["response"], shown["ci95_low"], shown["ci95_high"]) == ends


def test_at_a_vanishing_load_splitting_at_need_changes_nothing():
    need = penalty_picture(psi=0.5, load=0.02, placement="split at need").alt
    always = penalty_picture(psi=0.5, load=0.02).alt
    assert always.startswith("All jobs: splitting loses")
    assert "loses" in always[always.index("S4 split") :]
    assert "loses" not in need


@pytest.mark.parametrize(
    ("load", "psi", "said"),
    [
        (1.0, 0.1, "whole jobs (0.8"),
        (0.8, 1.5, "borne by split jobs (0."),
        (0.839, 0.0, "borne by whole jobs (0."),
    ],
)
def test_what_saturates_is_said_and_has_no_bar(load, psi, said, bars):
    picture = penalty_picture(psi=psi, above=3, load=load, max_jumps=0 if psi == 0 else 20)
    assert picture.alt.startswith(f"Saturated: load {load:g} is not certain to be borne by")
    assert said in picture.alt
    if load == 1.0:
        assert set(bars[0]["group"]) == {"load"}
    else:
        gone = penalties.KEPT if psi == 0 else penalties.SPLIT
        assert gone not in set(bars[0]["series"])
        assert len(bars[0]) == len(NAMES)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"psi": -0.1}, "span_penalty"),
        ({"psi": float("nan")}, "span_penalty"),
        ({"above": 30}, "above"),
        ({"components": 6}, "never start"),
        ({"load": 0}, "load"),
        ({"max_jumps": -1}, "max_jumps"),
        ({"placement": "best fit"}, "placement"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(arguments, name):
    with pytest.raises(InputError, match=name) as error:
        penalty_picture(**arguments)
    assert "\n" not in str(error.value)


def test_an_undecided_group_is_called_so():
    told = [
        penalties._verdict({"saturated": saturated, "verdict": verdict, "change": -3.2})
        for saturated, verdict in (("", "undecided"), ("", "gains"), ("whole", "gains"))
    ]
    assert told == ["undecided", "gains 3.2 %", "gains"]


def test_a_coarse_answer_costs_about_as_much_as_a_few_drawings(monkeypatch):
    monkeypatch.undo()

    def seconds(psi):
        begin = time.perf_counter()
        penalty_picture(psi=psi, coarse=True)
        return time.perf_counter() - begin

    seconds(0.11)
    for psi in (0.12, 0.13):
        answer = seconds(psi)
        assert answer < 15 * min(seconds(psi) for _ in "123")


def test_a_slider_picks_the_map_of_a_max_jumps_and_a_group(monkeypatch):
    monkeypatch.setitem(study.scales, "quick", SMALL[study.name])
    maps = {name: study.figure(f"viability-{name}").run(workers=1) for name in ("20", "no-limit")}
    box = map_explorer(maps)
    first = words(box)
    assert "FPFS(20)" in first
    control(box, "MaxJumps").value = "no-limit"
    control(box, "group").value = "S4"
    assert "S4, MaxJumps no-limit" in words(box)
    table = maps["no-limit"].data()
    gains = ((table["group"] == "S4") & (table["verdict"] == "gains")).sum()
    assert f"gains {gains}" in words(box) or not gains
    again = map_explorer(maps, box.scenario.value)
    assert words(again) == words(box)
    with pytest.raises(InputError, match="maps is empty"):
        map_explorer({})
