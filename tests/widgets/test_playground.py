"""The playground: two scenarios with the same jobs, their comparison in words, and files."""

import base64
import html
import io
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib import widgets
from coalloc_lib.basics import compilation
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.statistics import scenario_pairs
from coalloc_lib.statistics.scenario_pairs import ALL, SEED, BreakEven, by_size
from coalloc_lib.widgets import centres, playground, playground_board, playground_files
from coalloc_lib.widgets.centres import scenario_of
from tests.widgets.pairs import EIGHTS, SIZES, SPANNING, WHOLE, few_jobs
from tests.widgets.reading import all_widgets, control, notes


@pytest.fixture(autouse=True, scope="module")
def quick():
    with few_jobs():
        playground_board._picture.cache_clear()
        yield
    playground_board._picture.cache_clear()


@pytest.fixture
def box():
    return widgets.playground_explorer()


def said(box):
    return re.sub("<[^>]+>", "", box.view.words.value)


def code(box):
    (text,) = [w.value for w in all_widgets(box) if "coalloc-code" in str(getattr(w, "value", ""))
               and "<pre" in w.value]  # fmt: skip
    return html.unescape(re.sub("<[^>]+>", "", text))


def side(box, name):
    return scenario_of(box.values, name)


@pytest.mark.parametrize(
    ("change", "low", "high", "words"),
    [
        (-10.0, -12.0, -8.0, "B responds 10.0 % sooner than A [8.0, 12.0]"),
        (10.0, 8.0, 12.0, "B responds 10.0 % later than A [8.0, 12.0]"),
        (1.0, -2.0, 4.0, "Undecided: B changes the response by +1.0 % [-2.0, +4.0]"),
        (0.0, 0.0, 0.0, "A and B have equal response times"),
    ],
)
def test_the_verdict_follows_the_interval(change, low, high, words):
    row = {"size": ALL, "note": "", "change": change, "change_low": low, "change_high": high}
    table = pd.DataFrame([row | {"scenario": name} for name in "AB"])
    assert centres.verdict(table) == words


@pytest.mark.parametrize(
    ("estimate", "low", "high", "words"),
    [
        (0.3, 0.2, 0.4, "0.30 [0.20, 0.40]"),
        (-np.inf, -np.inf, -np.inf, "none: spanning does not pay"),
        (-np.inf, -np.inf, 0.0812, "at most 0.08"),
        (0.04, -np.inf, 0.0812, "0.04 (at most 0.08)"),
        (-np.inf, -np.inf, np.inf, "undecided"),
        (0.5, -np.inf, np.inf, "0.50 (undecided)"),
        (np.inf, -np.inf, np.inf, "undecided"),
        (0.9, 0.8184, np.inf, "0.90 (at least 0.82)"),
        (np.inf, 0.8184, np.inf, "at least 0.82"),
        (np.inf, 0.001, np.inf, "undecided"),
        (np.inf, np.inf, np.inf, "above 1"),
    ],
)
def test_a_break_even_penalty_is_given_with_the_ends_that_were_found(estimate, low, high, words):
    found = BreakEven(Interval(estimate, low, high, 5))
    assert centres.penalty_in_words(found) == words


@pytest.mark.parametrize(
    ("estimate", "words"), [(0.3, "0.30"), (np.inf, "above 1"), (-np.inf, "0.00")]
)
def test_a_warning_stands_in_place_of_the_interval_of_a_break_even_penalty(estimate, words):
    found = BreakEven(Interval(estimate, -np.inf, np.inf, 5, warning="three jobs"))
    assert centres.penalty_in_words(found) == f"{words} (no interval: three jobs)"


def test_jobs_of_a_flexible_scenario_can_span_with_every_placement():
    flexible = SPANNING.with_(placement=co.BestFit())
    split = SPANNING.with_(workload=co.SplitJobs(co.JobModel(SIZES), 4, 3), placement=co.WorstFit())
    single = SPANNING.with_(system=co.Multicluster([24]))
    found = [centres.can_span(one) for one in (WHOLE, SPANNING, flexible, split, single)]
    assert found == [False, True, True, True, False]
    words = "3 × 8 processors, FCFS, jobs may span, at a penalty of 0.25"
    assert playground_board._in_words(flexible) == playground_board._in_words(SPANNING) == words
    assert playground_board._in_words(single).endswith("no job spans")


EXAMPLES = [
    WHOLE,
    SPANNING,
    SPANNING.with_(scheduling=co.EASY(adaptive=True, order="shortest")),
    WHOLE.with_(scheduling=co.Online(slot=1.0, step=0.25, max_attempts=4, horizon=20.0)),
    WHOLE.with_(scheduling=co.FPFS(3), engine="reference", placement=co.FirstFit()),
    SPANNING.with_(workload=co.JobModel(co.power_of_two(0.9, 1, 8), request="flexible")),
    SPANNING.with_(
        workload=co.SplitJobs(co.JobModel(SIZES, estimate=2.0), 3, 3, span_penalty=0.1),
        placement=co.WorstFit(),
    ),
]


@pytest.mark.parametrize("scenario", EXAMPLES)
def test_the_code_of_a_scenario_makes_an_equal_scenario(scenario):
    made, other = {}, scenario.with_(system=co.Multicluster([16, 8]))
    exec(re.sub(r"print.*", "", playground_files.code_of((scenario, other), 0.6)), made)
    assert (made["A"], made["B"]) == (scenario, other)


def test_what_is_copied_makes_what_is_shown(box):
    made = {}
    exec(code(box), made)
    assert (made["A"], made["B"]) == (side(box, "A"), side(box, "B"))
    table = by_size(made["A"], made["B"], 0.7)
    shown = box._repr_mimebundle_()["text/html"]
    for response in table["response"]:
        assert f"{response:.2f}" in shown


def test_what_is_copied_runs_in_a_process_that_has_imported_nothing():
    """In this process, other tests have imported the modules that the code may need."""
    copied = playground_files.code_of((WHOLE, SPANNING), 0.3)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", copied], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split()[:3] == ["load", "size", "scenario"]


@pytest.mark.parametrize("span", centres.SPANS)
@pytest.mark.parametrize("policy", centres.POLICIES)
def test_every_policy_and_way_to_span_can_be_copied_and_run(policy, span):
    policy = "EASY" if span == "adaptive" else policy
    values = {"clusters": "8,8,8", "policy": policy, "max_jumps": 3, "span": span}
    values |= {"penalty": 0.1, "estimate": 2.0}
    values = {f"{name}.{key}": value for name in "AB" for key, value in values.items()}
    values |= {"sizes": "U[1,8]"}
    made, both = {}, tuple(centres.scenario_of(values, side) for side in "AB")
    exec(re.sub(r"print.*", "", playground_files.code_of(both, 0.6)), made)
    assert (made["A"], made["B"]) == both
    schedule = made["A"].simulate(200, load=0.3, seed=SEED)
    assert schedule.spans.any() == (span != "never")
    assert (schedule.jobs.estimate == 2 * schedule.jobs.runtime).all()
    assert schedule.scheduling.max_jumps == (3 if policy == "FPFS" else None)
    schedule.verify()


def centre(**moved):
    values = {"clusters": "8,8,8", "policy": "EASY", "max_jumps": 3, "span": "never"}
    values |= {"penalty": 0.1, "estimate": 2.0} | moved
    return {f"A.{name}": value for name, value in values.items()} | {"sizes": "U[1,8]"}


@pytest.mark.parametrize("policy", sorted(set(centres.POLICIES) - {"EASY"}))
def test_only_easy_spans_adaptively(policy):
    assert scenario_of(centre(span="adaptive"), "A").scheduling == co.EASY(adaptive=True)
    message = rf"^A.span = 'adaptive' is not possible under {policy}; choose EASY as A.policy"
    with pytest.raises(co.InputError, match=message):
        scenario_of(centre(span="adaptive", policy=policy), "A")


@pytest.mark.parametrize(
    ("clusters", "words"),
    [("24", "one cluster"), ("1x24", "one cluster"), ("1x32", "one cluster"), ("8,8", ""),
     ("\u00b2", ""), ("8,x", "")],
)  # fmt: skip
def test_a_single_cluster_is_recognized_as_the_system_is_read(clusters, words):
    assert words in playground._useless(clusters, "EASY", "at need")["span"]
    assert bool(playground._useless(clusters, "EASY", "at need")["span"]) is bool(words)


@pytest.mark.parametrize("policy", centres.POLICIES)
def test_the_estimate_acts_under_policies_that_use_it(policy):
    reason = playground._useless("8,8", policy, "never")["estimate"]
    assert (reason == "") is centres.POLICIES[policy].uses_estimates


def test_what_does_not_act_is_disabled_and_it_is_said_why(box):
    held = box._holders
    assert held["A.penalty"].disabled
    assert held["B.max_jumps"].disabled
    assert not held["B.penalty"].disabled
    words = " ".join(w.value for w in all_widgets(box) if "off:" in str(getattr(w, "value", "")))
    assert "penalty (no job spans)" in words
    assert "adaptive spanning (only EASY has it)" in words
    held["B.policy"].value = "EASY"
    held["B.span"].value = "adaptive"
    assert not held["B.estimate"].disabled
    held["B.policy"].value = "FPFS"  # which cannot
    assert held["B.span"].value == "at need"
    assert not held["B.max_jumps"].disabled
    held["B.clusters"].value = "24"
    assert held["B.span"].disabled
    assert held["B.penalty"].disabled
    assert not notes(box)


@pytest.mark.parametrize("span", centres.SPANS[:3])
def test_another_policy_keeps_the_way_to_span_and_is_drawn_once(box, monkeypatch, span):
    policy, spanning = box._holders["B.policy"], box._holders["B.span"]
    spanning.value = span
    shown, show = [], box.view.show
    monkeypatch.setattr(box.view, "show", lambda *given: (shown.append(given[1]), show(*given)))
    for policy.value in ("EASY", "FCFS"):
        assert spanning.value == span
        assert shown.pop() == side(box, "B")
        assert not shown
    spanning.value = centres.NEVER
    spanning.value = centres.ALWAYS
    assert shown.pop() == side(box, "B")


@pytest.mark.parametrize(("label", "value"), [("sizes", "abc"), ("A.clusters", "8,x")])
def test_what_is_not_of_these_controls_is_faded(box, label, value):
    board, kept = box.view, box.values[label]
    shown = board, board.words, board.table, board.curve, board.code
    box._holders[label].value = value
    assert all("coalloc-past" in each._dom_classes for each in shown)
    box._holders[label].value = kept
    assert not any("coalloc-past" in each._dom_classes for each in shown)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            WHOLE.with_(workload=WHOLE.workload.with_(sizes=co.uniform(1, 4))),
            r"^the scenarios `one` and `other` have different job sizes, U\[1,8\] and U\[1,4\]; ",
        ),
        ([], r"^other = \[\] is not of type Scenario; give a scenario"),
        (
            co.Scenario(EIGHTS, co.JobModel(SIZES, 3)),
            "^other has the workload .*; give a JobModel with one component, or SplitJobs",
        ),
    ],
)
def test_a_picture_of_other_jobs_is_refused(other, message):
    with pytest.raises(co.InputError, match=message):
        widgets.playground_picture(WHOLE, other)


def test_the_player_has_the_same_jobs_on_both_sides(box):
    first, second = (box.view.player._schedules[name] for name in "AB")
    assert (first.jobs.submit == second.jobs.submit).all()
    assert (first.jobs.processors == second.jobs.processors).all()
    box._holders["B.policy"].value = "EASY"
    second = box.view.player._schedules["B"]
    assert str(second.scheduling).startswith("EASY")
    assert box.view.player._against is box.view.player._schedules["A"]


def test_a_coarse_answer_says_that_a_finer_one_comes(box):
    board = box.view
    board.show(WHOLE, SPANNING, 0.6, True)
    assert "refining" in said(box)
    assert '<b class="coalloc-soon">' in board.words.value
    assert "coalloc-past" in board.curve._dom_classes
    board.show(WHOLE, SPANNING, 0.6, False)
    assert "refining" not in said(box)
    assert "coalloc-soon" not in board.words.value
    assert "Break-even penalty ψ* of B: " in said(box)
    assert "coalloc-past" not in board.curve._dom_classes


def test_only_what_must_be_compiled_is_announced(box, monkeypatch, tmp_path):
    words, say = [], box.view._say
    monkeypatch.setattr(box.view, "_say", lambda more: (words.append(more), say(more)))
    box._holders["A.policy"].value = "conservative"
    assert playground_board.FIRST_USE not in words  # the tests run on a warm cache
    monkeypatch.setattr(compilation, "_announced", set())
    kernel = SimpleNamespace(
        py_func=SimpleNamespace(__qualname__="cold"), stats=SimpleNamespace(cache_path=tmp_path)
    )
    by_size = playground_board.by_size

    def compiles(*given):
        compilation._announce(kernel, "kernels")
        return by_size(*given)

    monkeypatch.setattr(playground_board, "by_size", compiles)
    words.clear()
    box._holders["A.policy"].value = "EASY"
    box._holders["A.policy"].value = "FCFS"
    assert words[0] == playground_board.FIRST_USE
    assert words.count(playground_board.FIRST_USE) == 1


def links_of(box):
    return [w.value for w in all_widgets(box) if "download=" in str(getattr(w, "value", ""))]


def files_of(box):
    control(box, "make files").click()
    (links,) = links_of(box)
    found = re.findall(r'download="([^"]+)" href="[^,]+,([^"]+)"', links)
    return {name: base64.b64decode(text) for name, text in found}


def test_files_hold_the_scenarios_the_table_and_the_figure(box):
    files = files_of(box)
    assert json.loads(files["scenario.json"]) == box.values
    assert b"<svg" in files["figure.svg"]
    table = pd.read_csv(io.BytesIO(files["table.csv"]))
    shown = by_size(side(box, "A"), side(box, "B"), box.values["load"])
    assert {*table["load"]} == {*scenario_pairs.LOADS, box.values["load"]}
    assert table["response"][0] == pytest.approx(shown["response"][0])
    box._holders["load"].value = 0.5
    assert not links_of(box)


@pytest.mark.parametrize(("name", "wrong"), [("B.penalty", 9.0), ("A.clusters", "8;8")])
def test_what_the_explorer_refuses_is_not_saved(box, name, wrong):
    right = box.values[name]
    files_of(box)
    box._holders[name].value = wrong
    assert notes(box)
    control(box, "make files").click()
    assert not links_of(box)
    box._holders[name].value = right
    assert json.loads(files_of(box)["scenario.json"])[name] == right


def load(box, content, name="mine.json"):
    file = {"name": name, "type": "", "size": 1, "content": content.encode(), "last_modified": 1}
    control(box, "load scenario").notify_change(
        {"name": "value", "new": (file,), "old": (), "type": "change", "owner": None}
    )


def test_a_file_that_was_saved_brings_everything_back(box):
    box._holders["B.policy"].value = "EASY"
    box._holders["B.span"].value = "adaptive"
    box._holders["B.penalty"].value = 0.4
    kept, shown = json.dumps(box.values), said(box)
    again = widgets.playground_explorer()
    load(again, kept)
    assert json.dumps(again.values) == kept
    assert said(again) == shown
    assert not notes(again)


def test_all_controls_start_again_as_they_were_at_first():
    box = widgets.playground_explorer("B.policy=EASY&B.span=adaptive&load=0.6")
    first, shown = dict(box.values), said(box)
    changes = {"B.policy": "FCFS", "A.clusters": "12,12", "load": 0.5, "sizes": "U[1,4]"}
    for name, value in changes.items():
        box._holders[name].value = value
    assert box.values != first
    control(box, "start again").click()
    assert box.values == first
    assert said(box) == shown
    assert not notes(box)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"load": 3}', "mine.json: load = '3'; give a number from 0.1 to 0.95"),
        ('{"B.penalty": "much"}', "mine.json: B.penalty = 'much'; give a number from 0.0 to 1.0"),
        ('{"B.colour": 1}', "mine.json: 'B.colour' is not the name of a control; give one"),
        ('{"A.policy": "LIFO"}', "mine.json: A.policy = 'LIFO'; choose one of 'FCFS'"),
        ('{"A.span": "adaptive"}', "mine.json: A.span = 'adaptive'; choose one of 'never'"),
        (
            '{"A.clusters": "8;8"}',
            "mine.json: A.clusters = '8;8'; give the number of processors of each",
        ),
        ('{"A.clusters": "600"}', "mine.json: A.clusters = '600'; give 512 processors at most"),
        ('{"sizes": "U[1,9"}', "mine.json: sizes = 'U[1,9'; write U[a,b]"),
        ('{"sizes": "U[1,9]"}', "mine.json: sizes = U[1,9] allow a job that never starts"),
        ("[1]", "mine.json: a file that begins with '[1]' has no scenario; give"),
        ("<svg>", "mine.json: a file that begins with '<svg>' has no scenario; give"),
    ],
)
def test_a_file_that_cannot_be_read_says_which_what_and_how_to_mend_it(box, content, message):
    load(box, content)
    (words,) = notes(box)
    assert message in html.unescape(words)
    order = list(all_widgets(box))
    assert 'role="alert"' in order[order.index(control(box, "load scenario")) + 1].value


def test_the_words_say_what_the_pictures_show(box):
    picture = widgets.playground_picture(WHOLE, SPANNING)
    assert "A at load 0.3: 1." in picture.alt
    assert "B at load 0.9: past saturation: carries 0." in picture.alt
    data = box._repr_mimebundle_()
    assert "<table" in data["text/html"]
    pattern = r'<img alt="(Response over load[^"]*)".*?(<details>.*?</details>)'
    heard = re.search(pattern, data["text/html"], re.DOTALL)
    assert not re.search(r"\d", heard[1])  # a sentence; the numbers fold beneath the picture
    assert "<li>A at load 0.3: 1." in heard[2]
    rows = re.findall(r"<b>run ([\d.]+), wait ([\d.]+)</b>([\d.]+) ±", box.view.table.value)
    assert len(rows) == 2 * 5
    for run, wait, response in rows:
        assert float(run) + float(wait) == pytest.approx(float(response), abs=0.011)


def test_a_state_whose_jobs_do_not_fit_is_explained_without_a_picture():
    box = widgets.playground_explorer("A.clusters=2,2&A.span=never")
    (words,) = notes(box)
    assert "allow a job that never starts" in html.unescape(words)
    assert "<table" not in box._repr_mimebundle_()["text/html"]


def test_an_error_shows_only_the_beginning_of_a_long_division(box):
    control(box, "A: clusters").value = ",".join(["1"] * 600)
    (said,) = notes(box)
    assert said.endswith(
        "give 512 processors at most, because a run has too few jobs for a larger system"
    )
    assert len(said) < 200
