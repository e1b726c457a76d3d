"""The player: its data for the browser, the page that it saves, and its still picture."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib import widgets
from coalloc_lib.plots import draw_schedules
from coalloc_lib.schedules.drawing import boxes, scenes
from coalloc_lib.widgets.player_data import label_of, player_data
from tests.schedules.test_explain import schedules
from tests.widgets.explorers import FOURS, played, schedule_explorer
from tests.widgets.reading import control

JOBS = co.JobStream([0, 1, 2, 6], [4, 3, 5, 1], [[3, 1], [3, 2], [1, 1], [4, 4]])


def still_of(schedules, **how):
    return draw_schedules(*scenes(schedules), **how)


def outlines(axes):
    return [patch for patch in axes.patches if not (patch.get_fill() or patch.get_hatch())]


def small(**how):
    return co.simulate(co.Multicluster([4, 4]), JOBS, **how)


def long(count, **how):
    jobs = co.JobModel(co.uniform(1, 3), components=2).sample(count, seed=1, rate=3.0)
    return co.simulate(co.Multicluster([4, 4, 4]), jobs, **how)


@given(schedules())
def test_boxes_hold_every_processor_and_never_overlap(schedule):
    drawn = list(boxes(schedule, np.arange(len(schedule))))
    took = np.zeros_like(schedule.allocation)
    for box in drawn:
        assert 0 <= box.first < box.first + box.size <= schedule.system.sizes[box.cluster]
        took[box.job, box.cluster] += box.size
    assert (took == schedule.allocation).all()
    for i, one in enumerate(drawn):
        for other in drawn[i + 1 :]:
            assert (
                one.cluster != other.cluster
                or one.first + one.size <= other.first
                or other.first + other.size <= one.first
                or schedule.end[one.job] <= schedule.start[other.job]
                or schedule.end[other.job] <= schedule.start[one.job]
            )


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_still_picture_fits_a_small_window(count):
    """JupyterLab shows a figure with 100 pixels for an inch, below a line with a hint."""
    busy = long(60, scheduling=co.FPFS(5))
    for schedule in (small(), busy):
        figure = still_of({f"schedule {i}": schedule for i in range(count)})
        assert figure.get_size_inches()[1] * 100 <= 600


def test_what_is_booked_and_not_used_is_outlined_until_it_is_free():
    """The outline is drawn on the processors of the booking, and no other job is drawn there."""
    jobs = co.JobStream(
        [0, 0, 1, 2], [6, 10, 4, 3], [6, 2, 8, 2], request="total", estimate=[9, 10, 4, 3]
    )
    online = co.Online(slot=1, step=1, max_attempts=12, horizon=24)
    for policy, until in ((online, 9), (co.Online(1, 1, 12, 24, release_early=True), 6),
                          (co.EASY(), 6)):  # fmt: skip
        schedule = co.simulate(co.Multicluster([10]), jobs, scheduling=policy)
        sent = player_data(schedule, "", None)["jobs"]
        assert (sent["told"][0], sent["held"][0]) == (9, until)
        figure = still_of({"": schedule})
        assert ("dotted" in figure.axes[-1].get_xlabel()) is (until > 6)
        drawn = {box.job: box for box in boxes(schedule, np.arange(4))}
        late = [job for job in range(1, 4) if 6 <= schedule.start[job] < until]
        assert not [job for job in late if drawn[job].first < drawn[0].first + drawn[0].size
                    and drawn[0].first < drawn[job].first + drawn[job].size]  # fmt: skip


def test_a_box_stays_whole_where_it_can():
    jobs = co.JobStream([0, 0, 0, 3], [2, 9, 2, 1], [2, 2, 2, 4], request="total")
    schedule = co.simulate(co.Multicluster([6]), jobs)
    drawn = {box.job: box for box in boxes(schedule, np.arange(4))}
    assert len(drawn) == 4  # the long one went to a side, so that the last has four neighbours
    assert drawn[1].first in (0, 4)


@given(schedules())
def test_a_film_has_all_jobs_in_order_of_the_queue(schedule):
    sent = player_data(schedule, "", None)
    jobs = sent["jobs"]
    order = np.argsort(schedule.jobs.submit, kind="stable")
    assert jobs["number"] == schedule.jobs.number[order].tolist()
    for name in ("start", "end"):
        assert jobs[name] == getattr(schedule, name)[order].tolist()
    for job, its_boxes in zip(order, jobs["boxes"], strict=True):
        assert sum(size for _, _, size in its_boxes) == schedule.jobs.processors[job]
    happens = np.concatenate([schedule.jobs.submit, schedule.start, schedule.end])
    assert sent["instants"] == np.unique(happens).tolist()
    assert sent["of"] == 0
    json.dumps(sent, allow_nan=False)


@given(schedules())
def test_a_film_says_why_of_those_that_wait_and_of_no_others(schedule):
    sent = player_data(schedule, "", None)
    jobs, words = sent["jobs"], sent["words"]
    for k, start in enumerate(jobs["start"]):
        waited = start > jobs["submit"][k]
        assert bool(words[jobs["came"][k]]) == bool(words[jobs["last"][k]]) == waited
    for instant, waits, head, why in zip(
        *(sent[key] for key in ("instants", "waits", "head", "why")), strict=True
    ):
        queue = [k for k, left in enumerate(jobs["left"]) if jobs["submit"][k] <= instant < left]
        assert waits == len(queue)
        assert head == (queue[0] if queue else -1)
        assert bool(words[why]) == bool(queue)


@settings(max_examples=30)
@given(schedules(), st.floats(0, 10), st.floats(0.5, 10))
def test_a_window_has_all_that_is_there(schedule, begin, length):
    window = begin, begin + length
    sent = player_data(schedule, "", window)
    there = (schedule.jobs.submit < window[1]) & (schedule.end >= begin)
    assert sorted(sent["jobs"]["number"]) == sorted(schedule.jobs.number[there].tolist())
    assert all(begin <= instant <= window[1] for instant in sent["instants"])
    is_all = begin <= schedule.jobs.submit.min() and window[1] >= schedule.end.max()
    assert sent["of"] == (0 if is_all else len(schedule))


def test_of_a_long_schedule_the_first_jobs_are_sent():
    schedule = long(5000)
    sent = player_data(schedule, "", None)
    assert 1900 < len(sent["jobs"]["number"]) <= 2050
    assert sent["of"] == 5000
    assert sent["waits"] == schedule.queue_length(np.array(sent["instants"])).tolist()
    assert set(sent["head"]) > {-1}
    assert -1 not in [
        head for head, waits in zip(sent["head"], sent["waits"], strict=True) if waits
    ]


def test_of_a_queue_that_is_full_from_the_begin_the_first_stand_for_all():
    jobs = JOBS[np.zeros(5000, dtype=int)].replace(number=np.arange(1, 5001))
    sent = player_data(co.simulate(co.Multicluster([4, 4]), jobs), "", None)
    assert len(sent["jobs"]["number"]) == 2050
    assert sent["waits"][0] == 4998  # two run at once


ODD = {
    "one job": ([1], [2], [[1]], [3]),
    "no time at all": ([0, 0], [0, 0], [[2], [3]], [3]),
    "one cluster": ([0, 0, 1], [1, 2, 3], [[2], [3], [1]], [3]),
    "twenty clusters": ([0, 0, 1], [1, 2, 3], [[2] * 20, [1] * 20, [2] * 15], [2] * 20),
    "late begin": ([1e6, 1e6 + 1], [1, 2], [[1], [1]], [1]),
}


@pytest.mark.parametrize(("submit", "runtime", "components", "sizes"), ODD.values(), ids=ODD)
def test_odd_schedules_play_and_are_drawn(submit, runtime, components, sizes, tmp_path):
    components = np.array([np.pad(row, (0, 20 - len(row))) for row in components])[:, : len(sizes)]
    jobs = co.JobStream(submit, runtime, components)
    player = co.Player(co.simulate(co.Multicluster(sizes), jobs))
    axis = player.data["axis"]
    assert axis["begin"] <= player.now <= axis["finish"]
    assert axis["begin"] < axis["finish"]
    assert 0 < axis["view"] < np.inf
    player.save(tmp_path / "player.html")
    player.still().canvas.draw()


def test_it_begins_where_a_job_waits_or_where_it_is_told_to():
    assert co.Player(small()).now == 1
    player = co.Player(small(scheduling=co.FPFS(5), placement=co.BestFit()))
    assert player.data["films"][0]["label"] == "FPFS(5), best fit"
    assert co.Player(small(), now=3).now == 3
    assert co.Player(co.simulate(co.Multicluster([9, 9]), JOBS)).now == 7  # none waits


@pytest.mark.parametrize(
    ("policies", "label"),
    [
        ({"scheduling": co.FCFS()}, "FCFS, worst fit"),
        ({"scheduling": co.EASY()}, "EASY, worst fit"),
        ({"scheduling": co.EASY(order="shortest")}, "EASY(order=shortest), worst fit"),
        ({"scheduling": co.FPFS(2)}, "FPFS(2), worst fit"),
        ({"scheduling": co.FPFS(2, counted="head")}, "FPFS(2, counted=head), worst fit"),
        ({"placement": co.FirstFit((1, 0))}, "FCFS, first fit(clusters=(1, 0))"),
        ({"placement": co.SingleThenSpan()}, "FCFS, single then span"),
        (
            {"placement": co.SingleThenSpan(co.WorstFit())},
            "FCFS, single then span(single=WorstFit())",
        ),
    ],
)
def test_the_label_of_a_schedule_tells_policies_with_different_options_apart(policies, label):
    assert label_of(small(**policies)) == label


SIX = co.JobStream([0, 0, 1, 2, 3, 4], [6, 10, 4, 3, 7, 2], [6, 2, 8, 2, 2, 3], request="total")


def test_a_film_and_the_still_picture_have_the_promise_of_each_head_and_who_passed_it():
    easy = co.simulate(co.Multicluster([10]), SIX, scheduling=co.EASY())
    jobs = player_data(easy, "", None)["jobs"]
    assert jobs["promised"] == [None, None, 6, None, 10, None]  # the heads that had to wait
    assert jobs["passed"] == [None, None, None, 3, None, None]  # 4 slips past 3
    figure = still_of({"EASY": easy})
    promised = [line.get_xdata()[0] for line in figure.axes[1].lines if line.get_marker() == "|"]
    assert promised == [6, 10]
    lines = [line.get_xdata()[0] for line in figure.axes[0].lines]
    assert lines == [6]  # nobody passes job 5
    assert [patch.get_xy() for patch in outlines(figure.axes[0])] == [(2, 6)]  # of job 4
    fpfs = player_data(co.simulate(co.Multicluster([10]), SIX, scheduling=co.FPFS(9)), "", None)
    assert fpfs["jobs"]["promised"] == [None] * 6
    assert fpfs["jobs"]["passed"][3:5] == [3, 3]


@given(schedules())
def test_those_that_pass_start_while_one_before_them_waits(schedule):
    order = np.argsort(schedule.jobs.submit, kind="stable")
    number, start = schedule.jobs.number[order], schedule.start[order]
    for k, passed in enumerate(player_data(schedule, "", None)["jobs"]["passed"]):
        waiting = [number[i] for i in range(k) if start[i] > start[k]]
        assert passed == (waiting[0] if waiting else None)


def test_what_is_done_sooner_than_in_another_schedule_is_marked():
    slow = co.simulate(co.Multicluster([10]), SIX)
    fast = co.simulate(co.Multicluster([10]), SIX, scheduling=co.FPFS(9))
    player = co.Player(fast, against=slow)
    jobs = player.data["films"][0]["jobs"]
    assert jobs["sooner"] == np.clip(slow.start, fast.start, fast.end).tolist()
    gained = [until > start for start, until in zip(jobs["start"], jobs["sooner"], strict=True)]
    assert gained == (fast.start < slow.start).tolist()
    assert any(gained)
    lines = [patch for patch in player.still().axes[0].patches if patch.get_hatch()]
    assert len(lines) == sum(gained)  # on one cluster a job is one box
    with pytest.raises(co.InputError, match=r"^the schedules `against` and .* have different jobs"):
        co.Player(fast, against=small())
    later = co.simulate(co.Multicluster([10]), SIX.replace(runtime=SIX.runtime + 1))
    with pytest.raises(co.InputError, match=r"^the schedules `against` and .* have different jobs"):
        player.show(fast, later)
    assert player._against is slow


def test_jobs_of_other_sizes_are_other_jobs():
    wide, narrow = (
        co.JobStream(submit=[0, 1, 2], runtime=[5, 5, 5], components=[[size]] * 3)
        for size in (4, 1)
    )
    of_wide, of_narrow = (co.simulate(co.Multicluster([4]), jobs) for jobs in (wide, narrow))
    with pytest.raises(co.InputError, match=r"^the schedules `against` and .* have different jobs"):
        co.Player(of_wide, against=of_narrow)


def test_spanning_is_pointed_at_where_it_is_a_choice():
    two = co.Multicluster([6, 6])
    jobs = co.JobStream([0, 0, 1, 2], [4, 6, 4, 2], [4, 3, 5, 2], request="total")
    whole = player_data(co.sites.sharing(two, jobs, scheduling=co.EASY()), "", None)
    several = player_data(co.sites.multi_site(two, jobs, 0.25, scheduling=co.EASY()), "", None)
    assert whole["jobs"]["spans"] == [False] * 4
    assert several["jobs"]["spans"] == [False, False, True, False]
    assert player_data(small(), "", None)["jobs"]["spans"] == [False] * 4  # all are split


def test_other_schedules_keep_the_axis_and_the_instant():
    player = co.Player(small(), now=3)
    before = dict(player.data["axis"])
    player.show(co.simulate(co.Multicluster([9, 9]), JOBS))  # ends earlier
    assert player.data["axis"] == before
    assert player.now == 3
    slow = co.simulate(
        co.Multicluster([4, 4]), JOBS.replace(runtime=2 * JOBS.runtime, estimate=None)
    )
    player.show({"slow": slow})
    assert player.data["axis"] == before | {"finish": slow.end.max()}
    assert [one["label"] for one in player.data["films"]] == ["slow"]


WRONG = {
    "a string": (("no",), {}, r"^schedules = 'no'; give "),
    "too many": (({str(i): None for i in range(5)},), {}, "^schedules = .*; give "),
    "two equal labels": (
        ({1: small(), "1": small()},),
        {},
        "^schedules has the keys 1, '1', and two of them are equal as text; give each schedule",
    ),
    "a bound in percent": ((small(),), {"bound": 30}, "^bound = 30; give a share"),
    "an idle share of 0.005": ((small(),), {"idle": 0.005}, "^idle = 0.005; .* from 0.01 to 1$"),
    "a bound without a curve": (
        (small(),),
        {"idle": 0, "bound": 0.2},
        "^bound = 0.2 is given",
    ),
    "an idle share of False": ((small(),), {"idle": False}, "^idle = False; give a number$"),
    "a number of jobs": ((small(),), {"against": 5}, "^against = 5 is not of type Schedule; give"),
    "a unit that is a number": ((small(),), {"unit": 3600}, "^unit = 3600 is not of type str"),
    "a window": ((small(),), {"window": (2, 1)}, r"^window = \(2, 1\); give"),
    "a window of all": (
        (long(5000),),
        {"window": (0, 1e9)},
        "^window has 5,000 jobs or more; give a shorter",
    ),
    "after the end": ((small(),), {"now": 99}, "^now = 99; give an instant from 0.0 to 10.0"),
    "a window after the last end": (
        (small(),),
        {"window": (10.5, 12)},
        r"^window = \(10.5, 12\) has no job; give two instants .* from 0 to 10$",
    ),
    "a window before the first job": (
        (small(),),
        {"window": (-9, 0)},
        r"^window = \(-9, 0\) has no job; .* from 0 to 10$",
    ),
    "outside the window": ((small(),), {"now": 1, "window": (2, 5)}, "^now = 1; .* 2.0 to 5.0"),
}


@pytest.mark.parametrize(("given", "how", "words"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_named(given, how, words):
    with pytest.raises(co.InputError, match=words):
        co.Player(*given, **how)


@pytest.mark.parametrize("window", [(-5, 0.5), (10, 99), (-5, 99)])
def test_a_window_may_be_partly_outside_of_the_schedule(window):
    (film,) = co.Player(small(), window=window).data["films"]
    assert film["jobs"]["number"]


def test_a_window_may_lie_between_jobs_or_after_the_end_of_one_of_several_schedules():
    jobs = JOBS[[0, 1]].replace(submit=np.array([0.0, 100.0]))
    apart = co.simulate(co.Multicluster([4, 4]), jobs)
    (film,) = co.Player(apart, window=(50, 60)).data["films"]
    assert not film["jobs"]["number"]
    wide = co.simulate(co.Multicluster([9, 9]), JOBS)  # ends at 7
    player = co.Player({"narrow": small(), "wide": wide}, window=(8, 10))
    narrow, ended = player.data["films"]
    assert narrow["jobs"]["number"]
    assert not ended["jobs"]["number"]
    player.still()
    with pytest.raises(co.InputError, match=r"^window = \(8, 10\) has no job; .* from 0 to 7$"):
        player.show(wide)
    assert [film["label"] for film in player.data["films"]] == ["narrow", "wide"]


def test_a_saved_page_is_whole_and_loads_nothing(tmp_path):
    path = tmp_path / "player.html"
    co.Player({"</script><b>": small()}, bound=0.25).save(path)
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json">(.*?)</script>', text)
    assert json.loads(found[1])["data"]["films"][0]["label"] == "</script><b>"
    assert text.count("</script>") == 2
    assert not re.search(r"^(import|export) (?!default)", text, flags=re.MULTILINE)
    outside = [link for link in re.findall(r"https?://[^\"' ]+", text) if "w3.org" not in link]
    assert outside == []
    with pytest.raises(co.InputError, match="does not exist; make it first"):
        co.Player(small()).save(tmp_path / "none" / "player.html")
    assert [file.name for file in tmp_path.iterdir()] == ["player.html"]
    data, _ = co.Player(small())._repr_mimebundle_()
    assert '<img alt="Schedule player of ' in data["text/html"]  # where nothing can play


def test_the_still_picture_has_the_marks_of_the_player():
    one = small()
    figure = still_of({"FCFS": one, "FPFS": small(scheduling=co.FPFS(5))}, unit="h")
    bands, queue, *_ = figure.axes
    boxes = [(p.get_x(), p.get_width(), p.get_height()) for p in bands.patches]
    assert sum(width * height for _, width, height in boxes) == pytest.approx(JOBS.work.sum())
    assert {text.get_text() for text in bands.texts} == {"1", "2", "3", "4"}
    assert (
        figure.axes[-1]
        .get_xlabel()
        .endswith("line: a wait\ndashed outline: overtook the head of the queue")
    )
    assert outlines(figure.axes[2])
    assert not outlines(bands)
    marks = {line.get_xdata()[0] for line in queue.lines if line.get_marker() == "x"}
    assert marks == set(JOBS.submit)
    waits = [line.get_xdata() for line in queue.lines if line.get_marker() != "x"]
    assert sorted(b - a for a, b in waits) == sorted(one.wait)
    hatched = [c for c in bands.collections if c.get_hatch()]
    edges = {tuple(path.get_extents().intervalx) for c in hatched for path in c.get_paths()}
    assert edges == {(1, 4), (6, 9)}  # jobs 2 and 3 wait for job 1, and job 4 for job 3
    assert len({ax.get_xlim() for ax in figure.axes}) == 1
    figure.canvas.draw()


def test_no_two_waits_of_a_lane_touch():
    lanes = {}
    for line in still_of({"many": long(60)}).axes[1].lines:
        if line.get_marker() != "x":
            lanes.setdefault(line.get_ydata()[0], []).append(tuple(line.get_xdata()))
    for waits in lanes.values():
        assert all(one[1] < other[0] for one, other in pairwise(sorted(waits)))
    assert any(len(waits) > 1 for waits in lanes.values())


# The schedule explorer.


def test_jobs_of_another_type_are_named():
    with pytest.raises(co.InputError, match=r"^jobs = .*; give "):
        widgets.schedule_explorer(system=FOURS, jobs=[1])


def test_a_total_request_gets_one_cluster_as_large_as_all():
    """As in the study, total requests run on one cluster. A job of 6 would not fit into 4."""
    wide = co.JobStream([0, 0, 1], [5, 3, 2], [[3, 3], [1, 1], [4, 4]])
    box = widgets.schedule_explorer(co.Multicluster([4, 4]), wide)
    control(box, "request type").value = "total"
    label, start = played(box)
    together = co.simulate(co.Multicluster([8]), wide.replace(request="total"))
    assert start == together.start.tolist()
    assert "one cluster of 8" in label


def test_placement_and_max_jumps_act_where_they_decide_something():
    box = schedule_explorer()
    for request, decides in zip(co.jobs.REQUESTS, (False, True, True, False), strict=True):
        control(box, "request type").value = request
        assert control(box, "placement").disabled is not decides
        assert ("worst fit" in played(box)[0]) is decides
    jumps, before = control(box, "max_jumps"), played(box)[0]
    assert jumps.disabled
    jumps.value = 3
    assert played(box)[0] == before
    control(box, "scheduling").value = "FPFS"
    assert not jumps.disabled
    assert "FPFS(3)" in played(box)[0]
