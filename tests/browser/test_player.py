"""The player in a browser: a page that it saved, opened without a network."""

import json
import re

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.schedules.explain import idle_while_waiting
from tests.widgets.test_player import JOBS, SIX

pytestmark = pytest.mark.notebook

#: Job 2 is submitted at 1 and job 3 at 2. Both must wait until 4.
INSTANTS = [0, 1, 2, 4, 6, 7, 9, 10]


@pytest.fixture
def opened(show, tmp_path):
    def opened(player, **how):
        player.save(tmp_path / "player.html")
        page = show((tmp_path / "player.html").read_text(encoding="utf-8"), **how)
        page.locator(".coalloc-player").focus()
        return page

    return opened


def schedule(scheduling=None):
    return co.simulate(co.Multicluster([4, 4]), JOBS, scheduling=scheduling)


def now(page):
    return float(page.get_by_role("slider", name="time").input_value())


def box(page, job, film=0):
    of_job = f'.cp-box:not(.cp-rest)[data-job="{job - 1}"]'
    return page.locator(f'svg[data-film="{film}"] {of_job}').first


def test_the_head_has_its_promise_drawn_and_who_passes_is_marked(opened):
    easy = co.simulate(co.Multicluster([10]), SIX, scheduling=co.EASY())
    page = opened(co.Player(easy, now=0))
    assert page.locator(".cp-promise").count() == 0  # no one waits
    page.keyboard.press("ArrowRight")
    assert page.locator(".cp-why").text_content().endswith("it was promised a start at 6.0")
    promise = page.locator(".cp-promise")
    while now(page) < 5:
        page.keyboard.press("ArrowRight")
    passes = page.locator(".cp-passes")
    edges = [each.bounding_box() for each in (passes.first, promise)]
    assert edges[0]["x"] + edges[0]["width"] < edges[1]["x"]  # job 4 ends at 5, before 6
    assert page.locator("text", has_text="4 passes 3").count() == 1
    while now(page) < 6:
        page.keyboard.press("ArrowRight")
    assert page.locator("text", has_text="promise to 3").count() == 0
    assert page.locator("text", has_text="promise to 5").count() == 1


def test_jobs_of_one_instant_share_a_label_at_their_submission(opened):
    jobs = co.JobStream([0, 0, 0, 5, 8, 8], [1] * 6, [1] * 6)
    page = opened(co.Player(co.simulate(co.Multicluster([4]), jobs), now=9))
    marks = page.locator(".cp-mark")
    assert marks.count() == 6
    below = marks.first.bounding_box()["y"] + 8
    labels = [each for each in page.locator(".cp-small").all() if each.text_content() != ""]
    shown = [each.text_content() for each in labels if 0 < each.bounding_box()["y"] - below < 20]
    assert shown == ["1–3", "4", "5–6"]


def test_keys_step_from_event_to_event(opened):
    page = opened(co.Player(schedule(), now=0))
    seen = [now(page)]
    for _ in range(len(INSTANTS)):
        page.keyboard.press("ArrowRight")
        seen.append(now(page))
    assert seen == [*INSTANTS, INSTANTS[-1]]
    page.keyboard.press("ArrowLeft")
    assert now(page) == INSTANTS[-2]
    page.keyboard.press("Home")
    assert now(page) == INSTANTS[0]
    page.keyboard.press("End")
    assert now(page) == INSTANTS[-1]
    page.get_by_role("slider", name="time").fill("4.5")
    early = box(page, 2).bounding_box()["width"]
    page.get_by_role("slider", name="time").fill("5")
    # Half a unit of time, then one.
    assert box(page, 2).bounding_box()["width"] == pytest.approx(2 * early, rel=0.1)
    page.get_by_role("button", name="one event back").click()
    assert now(page) == 4
    page.get_by_role("button", name="one event on").click()
    assert now(page) == 6
    assert "job 4 is submitted" in page.locator(".cp-live").text_content()


def test_space_plays_and_halts(opened):
    page = opened(co.Player(schedule(), now=1))
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('input').valueAsNumber > 1.2")
    page.keyboard.press("Space")
    halted = now(page)
    page.wait_for_timeout(200)
    assert now(page) == halted < INSTANTS[-1]
    assert page.get_by_role("button", name="play", exact=True).count() == 1


def test_a_button_plays_to_the_end_and_from_the_begin_again(opened):
    page = opened(co.Player(schedule(), now=9.9))
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    assert page.get_by_label("speed").input_value() == "5"
    page.get_by_role("button", name="play").click()
    page.wait_for_function("document.querySelector('input').valueAsNumber === 10")
    page.get_by_role("button", name="play").click()
    page.wait_for_function("document.querySelector('input').valueAsNumber < 9")


def test_motion_that_is_unwelcome_is_not_made(opened):
    page = opened(co.Player(schedule(), now=1), reduced_motion="reduce")
    for _ in range(4):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('input').valueAsNumber > 1")
    page.keyboard.press("Space")
    assert now(page) in INSTANTS


def test_the_head_of_the_queue_says_what_it_lacks(opened):
    page = opened(co.Player(schedule(), now=2))
    assert page.locator(".cp-why").text_content() == (
        "job 2 needs 3 and 2 on two clusters; 1 and 3 are idle"
    )
    assert page.locator(".cp-first").count() == 2
    waits = {node.get_attribute("data-job") for node in page.locator(".cp-waits").all()}
    assert waits == {"1", "2"}


def test_a_job_that_is_pointed_at_says_why_it_waited(opened):
    page = opened(co.Player(schedule(), unit="h", now=5))
    box(page, 3).hover()
    tip = page.locator(".cp-tip")
    for words in ("job 3", "1 and 1 on two clusters", "2.0 h", "4.0 h", "1 on cluster 1 and"):
        assert words in tip.inner_text()
    assert "it would have fitted, but waited behind job 2." in tip.inner_text()
    assert page.locator(".cp-lit").count() == 2
    page.mouse.move(5, 690)
    assert tip.is_hidden()


def test_keys_go_from_job_to_job_and_only_known_things_are_told(opened):
    page = opened(co.Player(schedule(), now=2))
    told = []
    for _ in range(3):
        page.keyboard.press("n")
        told.append(page.locator(".cp-tip").inner_text())
    assert ["job 1" in told[0], "job 2" in told[1], "job 3" in told[2]] == [True] * 3
    assert "has waited" in told[1]
    assert "Now it needs 3 and 2" in told[1]
    assert "started" not in told[1]
    page.keyboard.press("Escape")
    assert page.locator(".cp-tip").is_hidden()


def test_two_schedules_share_the_clock(opened):
    two = {"FCFS": schedule(), "FPFS": schedule(co.FPFS(5))}
    page = opened(co.Player(two, now=3))
    assert page.get_by_role("slider", name="time").count() == 1
    assert box(page, 3, film=0).count() == 0  # it waits behind job 2
    assert box(page, 3, film=1).count() == 1  # it overtook
    page.keyboard.press("ArrowRight")
    assert box(page, 3, film=0).count() == 1
    box(page, 1, film=1).hover()
    assert page.locator('svg[data-film="0"] .cp-lit').count() == 2


#: The names of the schedules of a player; the long names are above the axis of the idle share.
LONG_NAMES = [f"cluster {i}, for its own users" for i in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("names", "sizes"),
    [(["A", "B", "C"], [12]), (LONG_NAMES[:2], [4, 4, 4]), (LONG_NAMES[:3], [4, 4, 4]),
     (LONG_NAMES, [12])],
)  # fmt: skip
def test_all_schedules_and_the_buttons_fit_a_small_window(opened, names, sizes):
    one = co.simulate(co.Multicluster(sizes), JOBS.replace(request="flexible"))
    page = opened(co.Player(dict.fromkeys(names, one), now=2))
    assert page.locator(".coalloc-player").bounding_box()["height"] <= 630
    buttons = page.locator(".cp-buttons").bounding_box()["y"]
    svgs = [page.locator(f'svg[data-film="{i}"]').bounding_box() for i in range(len(names))]
    ends = [svg["y"] + svg["height"] for svg in svgs]
    assert ends == sorted(ends)
    assert ends[-1] < buttons
    assert all(why.is_visible() for why in page.locator(".cp-why").all())


def test_the_running_figure_is_that_of_the_library(opened):
    one = schedule()
    page = opened(co.Player(one, now=0))
    for instant in (1.5, 3.1, 4, 5, 6.5, 10):
        page.get_by_role("slider", name="time").fill(str(instant))
        share = 100 * float(idle_while_waiting(one).share(instant))
        shown = f"{share:.0f} %" if share >= 9.95 else f"{share:.1f} %"
        assert page.locator(".cp-figure").text_content().strip() == shown


def test_a_player_without_the_curve_keeps_its_time_axis_and_needs_less_height(opened):
    both = {"A": schedule(), "B": schedule(co.EASY())}
    heights = []
    for idle, figures in ((None, 2), (0, 0)):
        page = opened(co.Player(both, now=4, idle=idle))
        assert page.locator(".cp-figure").count() == figures
        assert page.locator(".cp-axis").count() > 3
        heights.append(page.locator(".coalloc-player").bounding_box()["height"])
    assert heights[1] < heights[0] - 40


def test_low_boxes_have_small_numbers_and_the_lowest_none(opened):
    jobs = co.JobStream([0, 0, 0], [9, 9, 9], [[1, 0, 0], [0, 2, 0], [0, 0, 4]])
    one = co.simulate(co.Multicluster([8, 8, 8]), jobs.replace(request="ordered"))
    page = opened(co.Player({"A": one, "B": one}, now=8, idle=0))
    numbers = page.locator('svg[data-film="0"] .cp-number').all()
    sizes = {each.text_content(): "cp-low" in each.get_attribute("class") for each in numbers}
    assert sizes == {"2": True, "3": False}


@pytest.mark.parametrize("width", [390, 1366])
def test_nothing_is_wider_than_the_window(opened, width):
    page = opened(co.Player(schedule(), now=4), viewport={"width": width, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


#: This script takes the place of a Jupyter kernel, from which a player gets other schedules.
MODEL = """
const state = {now: 0, playing: false};
const changes = {};
const model = {
  get: (name) => state[name], set: (name, value) => (state[name] = value),
  on: (name, act) => (changes[name] = act), off() {}, save_changes() {},
};
window.take = (data) => { state.data = data; changes["change:data"]?.(); };
"""


@pytest.mark.parametrize(
    ("key", "instants"), [("Home", [0, 0, 0]), ("End", [10, 20, 10]), ("ArrowRight", [1, 1, 1])]
)
def test_with_other_schedules_the_instant_or_the_end_stays(show, key, instants):
    jobs = [JOBS.replace(runtime=factor * JOBS.runtime) for factor in (1, 2)]
    once, twice = (co.Player(co.simulate(co.Multicluster([4, 4]), each)) for each in jobs)
    page = show(
        f'<div id="player"></div><script type="module">{co.Player._esm}{MODEL}'
        f"take({json.dumps(once.data)}); render({{model, el: player}});</script>"
    )
    page.locator(".coalloc-player").focus()
    page.keyboard.press(key)
    seen = [now(page)]
    for other in (twice, once):
        page.evaluate("(data) => take(data)", json.loads(json.dumps(other.data)))
        seen.append(now(page))
    assert seen == instants


def test_a_long_schedule_shows_a_window_around_now(opened):
    rng = np.random.default_rng(1)
    jobs = co.JobStream(np.arange(400.0), rng.uniform(1, 3, 400), rng.integers(1, 4, (400, 2)))
    page = opened(co.Player(co.simulate(co.Multicluster([4, 4]), jobs), now=200))
    drawn = {int(node.get_attribute("data-job")) for node in page.locator(".cp-box").all()}
    assert 5 < len(drawn) < 200
    page.get_by_role("slider", name="time").fill("100")
    other = {int(node.get_attribute("data-job")) for node in page.locator(".cp-box").all()}
    assert max(other) < min(drawn) + len(drawn)
    assert re.search(r"\d", page.locator(".cp-event").text_content())
