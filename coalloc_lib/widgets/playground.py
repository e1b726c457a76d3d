"""The playground: two computing centres with the same jobs, changed in any way, side by side."""

import json
import re
from base64 import b64encode
from collections import namedtuple
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import lru_cache
from html import escape
from typing import Any
from urllib.parse import urlencode

import ipywidgets as ipw
import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of
from coalloc_lib.basics.compilation import announced_to
from coalloc_lib.basics.files import csv_of
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.placement import BestFit, SingleThenSpan, WorstFit
from coalloc_lib.plots import Picture
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.policies.names import parse_clusters
from coalloc_lib.schedules.metrics import by_width
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.inference import Replications, crossing, replicate, student
from coalloc_lib.statistics.saturation import replicated_traffic
from coalloc_lib.statistics.settling import halves, is_rising, warm_up_jobs
from coalloc_lib.widgets import controls as ui
from coalloc_lib.widgets import pages
from coalloc_lib.widgets.player import Player
from coalloc_lib.workloads.models import JobModel, SplitJobs

SIDES, LOOK = ("A", "B"), {"A": plots.STANDARD, "B": plots.MEANINGS["ordered"]}
NEVER, ALWAYS, AT_NEED, ADAPTIVE = SPANS = ("never", "always", "at need", "adaptive")
#: Times are in mean run times, which the player calls hours.
POLICIES: dict[str, Scheduling] = {
    "FCFS": FCFS(), "FPFS": FPFS(5), "EASY": EASY(), "conservative": Conservative(),
    "online": Online(slot=1.0, step=0.25, max_attempts=400, horizon=200.0),
}  # fmt: skip
#: What each side has, and by what its controls are called.
CONTROLS = {
    "clusters": "clusters", "policy": "policy", "max_jumps": "MaxJumps", "span": "span",
    "penalty": "penalty", "estimate": "users ask for ×",
}  # fmt: skip
#: Processors of a side; with more, nearly all jobs of a run would find an empty system.
MOST, ALL, SEED = 512, "all jobs", 21
#: Jobs that the player shows, and the seed that they are drawn by: one with which many wait.
SHOWN, SHOWN_SEED = 24, 90
LOADS, PENALTIES = (0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9), (0.0, 1.0)
#: Jobs that wait in a full system; nearer to what that carries than this share, runs are too short
#: for a mean; the load of a full system that books; how sure it must be that responses rise.
HELD, NEAR, OVERLOAD, SURE = 50, 0.95, 1.5, 0.998
FIRST_USE = "A policy is being compiled, once: 10 to 30 s, online a minute …"
STYLE = f"<style>\n{pages.sheet('playground')}</style>"
for _side, _sign in LOOK.items():
    STYLE = STYLE.replace(f"colour-of-{_side}", _sign.colour)


#: Jobs of a run and runs, jobs of a full system, evaluations of a search, threads.
Effort = namedtuple("Effort", "jobs runs full budget workers")
#: While a control moves and at rest; and both where a policy plans for every job.
EFFORTS = (Effort(300, 4, 1_200, 5, 1), Effort(4_000, 8, 12_000, 14, -1))
PLANNED = (Effort(200, 4, 600, 5, 1), Effort(1_500, 8, 6_000, 14, -1))


def scenario_of(values: Mapping[str, Any], side: str) -> Scenario:
    """Return the scenario of a side, ``"A"`` or ``"B"``, by the values of the controls."""
    clusters, policy, jumps, span, penalty, estimate = (values[f"{side}.{n}"] for n in CONTROLS)
    system = parse_clusters(clusters, f"{side}.clusters")
    if system.processors > MOST:
        text = f"{side}.clusters = {clusters!r}; give {MOST} processors at most: runs are short"
        raise InputError(text)
    jobs = JobModel(parse_sizes(values["sizes"]), estimate=estimate)
    scheduling = FPFS(jumps) if policy == "FPFS" else POLICIES[policy]
    if span == NEVER:
        return Scenario(system, jobs.with_(request="total"), scheduling, BestFit())
    if span == ALWAYS:
        options: dict[str, Any] = {"rounding": "even", "span_penalty": penalty}
        split = SplitJobs(jobs, jobs.sizes.minimum - 1, len(system), **options)
        return Scenario(system, split, scheduling, WorstFit())
    scheduling = EASY(adaptive=True) if span == ADAPTIVE else scheduling
    free = jobs.with_(request="flexible", span_penalty=penalty)
    return Scenario(system, free, scheduling, SingleThenSpan())


@lru_cache(maxsize=512)
def capacity(scenario: Scenario, jobs: int) -> float:
    """Return the share of the processors that a full system keeps busy, without the penalty."""
    if not scenario.scheduling.takes_backlog:
        schedule = scenario.simulate(jobs // 2, load=OVERLOAD, seed=SEED)
        last = schedule.jobs.submit[-1]
        return float(schedule.utilization_between([0.3 * last, last], net=True)[0])
    held = HELD if scenario.scheduling.overtakes else None
    options: dict[str, Any] = {"jobs": jobs // 4, "replications": 4, "seed": SEED, "backlog": held}
    return float(replicated_traffic(scenario, **options)[0].mean())


@lru_cache(maxsize=2048)
def measure(scenario: Scenario, load: float, effort: Effort) -> np.ndarray | str:
    """Return mean waits and runs, shape (2, runs, sizes), all jobs first, or why there are none."""
    carried = capacity(scenario, effort.full)
    if load > NEAR * carried:
        return f"{'past' if load > carried else 'near'} saturation: carries {carried:.2f}"
    edges, kept = _edges(scenario), slice(warm_up_jobs(effort.jobs), None)

    def one(seed):
        schedule = scenario.simulate(effort.jobs, load=load, seed=seed)
        times = np.column_stack([schedule.wait, schedule.end - schedule.start])[kept]
        size = np.searchsorted(edges, schedule.jobs.processors[kept])
        by = np.full((len(edges), 2), np.nan)
        for i in np.unique(size):
            by[i] = times[size == i].mean(axis=0)
        return np.vstack([halves(schedule.response[kept]), times.mean(axis=0), by])

    runs = replicate(one, effort.runs, SEED, workers=effort.workers)
    if not np.isfinite(runs[:, 0]).all():
        return "past saturation: jobs are refused"
    if is_rising(runs[:, 0, 0], runs[:, 0, 1], SURE):
        return "near saturation: responses still rise"
    return np.moveaxis(runs[:, 1:], 2, 0)


def _edges(scenario):
    """Return the largest size of each group: powers of two."""
    return 2 ** np.arange((scenario.workload.sizes.maximum - 1).bit_length() + 1)


def _loads(one, other, load):
    """Return the load of each: the same jobs come to both, and `load` is what they bring to one."""
    return load, load * one.system.processors / other.system.processors


def _effort(*scenarios, coarse=False):
    plans = any(each.scheduling.promises_all for each in scenarios)
    return (PLANNED if plans else EFFORTS)[not coarse]


def by_size(one: Scenario, other: Scenario, load: float, coarse: bool = False) -> pd.DataFrame:
    """Return a row a size and side at a load of A: times, change in percent, why there is none."""
    pairs = zip((one, other), _loads(one, other, load), strict=True)
    both = [measure(*each, _effort(one, other, coarse=coarse)) for each in pairs]
    rows = []
    groups = by_width(one.sample(1), _edges(one)).categories
    for i, size in enumerate([ALL, *groups]):
        total: list[Any] = [
            None if isinstance(each, str) else each[:, :, i].sum(axis=0) for each in both
        ]
        for side, each, response in zip(SIDES, both, total, strict=True):
            row = {"load": load, "size": size, "scenario": side, "note": ""}
            if isinstance(each, str):
                rows.append(row | {"note": each})
            elif np.isfinite(response).all():
                row |= dict(zip(("wait", "run"), each[:, :, i].mean(axis=1), strict=True))
                rows.append(row | _ends(student(response), "response", "ci95_low", "ci95_high"))
        if all(each is not None and np.isfinite(each).all() for each in total):
            changes = student(np.log(total[1] / total[0])).in_percent()
            rows[-1] |= _ends(changes, "change", "change_low", "change_high")
    names = "load size scenario wait run response ci95_low ci95_high change change_low change_high"
    return pd.DataFrame(rows).reindex(columns=[*names.split(), "note"])


def _ends(interval, *names):
    return dict(zip(names, (interval.estimate, interval.low, interval.high), strict=True))


@lru_cache(maxsize=256)
def over_load(one: Scenario, other: Scenario) -> pd.DataFrame:
    """Return the rows of `by_size` at each of `LOADS`."""
    return pd.concat([by_size(one, other, load) for load in LOADS])


@lru_cache(maxsize=256)
def break_even(scenario: Scenario, load: float) -> str:
    """Say up to which penalty spanning pays: where jobs respond as the same jobs whole do."""
    jobs: Any = scenario.workload
    kept = getattr(jobs, "model", jobs).with_(request="total", span_penalty=0.0)
    policy = EASY() if scenario.scheduling.adaptive else scenario.scheduling
    effort = _effort(scenario)._replace(jobs=_effort(scenario).jobs // 2)
    try:
        whole = measure(Scenario(scenario.system, kept, policy, BestFit()), load, effort)
    except InputError:
        return "none, since some jobs must span"

    def difference(penalty: float) -> Replications:
        paying = scenario.with_(workload=jobs.with_(span_penalty=penalty))
        split = measure(paying, load, effort)
        if isinstance(split, str) or isinstance(whole, str):
            return Replications(np.full(effort.runs, np.inf if isinstance(split, str) else -np.inf))
        return Replications((split - whole)[:, :, 0].sum(axis=0))

    if isinstance(whole, str) and difference(0.0).mean > 0:
        return "unknown past saturation"
    found = crossing(difference, *PENALTIES, budget=effort.budget).interval
    if max(found.estimate, found.high) < 0.005:
        return "none: spanning does not pay"
    if np.isinf(found.estimate):
        return f"above {PENALTIES[1]:g}"
    return f"{found.estimate:.2f} [{max(found.low, 0):.2f}, {min(found.high, PENALTIES[1]):.2f}]"


def verdict(table: pd.DataFrame) -> str:
    """Say of a table of `by_size` which side responds sooner, where the interval tells."""
    rows = table[table["size"] == ALL].set_index("scenario")
    if (rows["note"] != "").any():
        return "; ".join(f"{side} is {note}" for side, note in rows["note"].items() if note)
    change, low, high = rows.loc["B", ["change", "change_low", "change_high"]]
    if low == high == 0:
        return "A and B serve these jobs alike"
    if low <= 0 <= high:
        return f"Undecided: B changes the response by {change:+.1f} % [{low:+.1f}, {high:+.1f}]"
    near, far = sorted((abs(low), abs(high)))
    how = "sooner" if high < 0 else "later"
    return f"B responds {abs(change):.1f} % {how} than A [{near:.1f}, {far:.1f}]"


def playground_picture(one: Scenario, other: Scenario) -> Picture:
    """Draw response over load of two scenarios with the same jobs, and what each can carry.

    `one` and `other` have a `JobModel` of one component, or `SplitJobs`; the load is that of `one`.
    A unit of their times is called an hour.
    """
    for name, each in (("one", one), ("other", other)):
        jobs: Any = instance_of(name, each, Scenario, "a scenario").workload
        if not isinstance(jobs, JobModel | SplitJobs) or getattr(jobs, "components", 1) > 1:
            raise InputError(f"{name} has {jobs}; give a JobModel of one component, or SplitJobs")
    first, second = one.workload.sizes, other.workload.sizes  # type: ignore[attr-defined]
    if first != second:
        text = f"one and other have jobs of different sizes, {first} and {second}"
        raise InputError(f"{text}; give both the same jobs")
    return _picture(one, other)


@lru_cache(maxsize=64)
def _picture(one: Scenario, other: Scenario) -> Picture:
    table = over_load(one, other)
    table = table[table["size"] == ALL]
    figure, axes = plots.new_figure(2.1, width=3.7)
    most, effort = 1.15 * np.nanmax([table["ci95_high"].max(), 2.0]), _effort(one, other)
    for side, each, scale in zip(SIDES, (one, other), _loads(one, other, 1.0), strict=True):
        points, sign = table[table["scenario"] == side], LOOK[side]
        line, carried = points[points["note"] == ""], capacity(each, effort.full) / scale
        style: Any = {"color": sign.colour, "marker": sign.marker, "markersize": 4}
        axes.plot(line["load"], line["response"], label=f"{side} carries {carried:.2f}", **style)
        ends = line["ci95_low"], line["ci95_high"]
        axes.fill_between(line["load"], *ends, color=sign.colour, alpha=0.2)
        axes.axvline(carried, color=sign.colour, linestyle=":", linewidth=1.2)
        gone = points.loc[points["note"] != "", "load"]
        height = (0.96 if side == "A" else 0.9) * most
        axes.plot(gone, [height] * len(gone), "x", color=sign.colour, markersize=5)
    axes.set(xlim=(0, 1), ylim=(0, most), xlabel="load (of A's system)")
    axes.set_ylabel("mean response, hours")
    axes.legend(loc="center left", frameon=False, fontsize=8)
    note = "bands: 95 %; ×: full, or too near it for a number"
    plots.title_figure(figure, "Response over load", note)
    rows = [
        f"{row.scenario} at load {row.load:g}: "
        + (row.note or f"{row.response:.2f} ({row.ci95_low:.2f} to {row.ci95_high:.2f})")
        for row in table.itertuples()
    ]
    return Picture(figure, rows=rows)


def _bars(table):
    """Return a table of `by_size` as HTML, with bars of run and wait."""
    most, rows = table["response"].max(), []
    for size, part in table.groupby("size", sort=False):
        bars = ""
        for row in part.itertuples():
            half = (row.ci95_high - row.ci95_low) / 2
            words = f"<b>run {row.run:.2f}, wait {row.wait:.2f}</b>{row.response:.2f} ± {half:.2f}"
            parts = [f'<i style="width: {60 * x / most:.1f}%"></i>' for x in (row.run, row.wait)]
            shown = row.note if row.note else f"{''.join(parts)}<small>{words}</small>"
            bars += f'<div class="{row.scenario}">{row.scenario} {shown}</div>'
        last, change = part.iloc[-1], ""
        if pd.notna(last["change"]):
            ends = f"[{last['change_low']:+.0f}, {last['change_high']:+.0f}]"
            change = f"{last['change']:+.0f} %<br><small>{ends}</small>"
        rows.append(f"<tr><th scope=row>{size}<td>{bars}<td>{change}")
    head = "<tr><th>size<th>hours run, and (pale) waited<th>change"
    return f'<table class="coalloc-sizes">{head}{"".join(rows)}</table>'


class Board(ipw.VBox):
    """What the playground shows: the player; beside it `words` and a `table`, and the `curve`."""

    def __init__(self) -> None:
        self.words, self.table, self.curve = ipw.HTML(), ipw.HTML(), ui.View()
        self._said = self._pay = ""
        super().__init__([ipw.HTML(STYLE)])

    def show(self, one: Scenario, other: Scenario, load: float, coarse: bool) -> None:
        """Simulate both sides and show what comes out, roughly or in full."""
        with announced_to(lambda _: self._say(FIRST_USE)):
            table = by_size(one, other, load, coarse)
        jobs = [e.workload.sample(SHOWN, SHOWN_SEED, one.rate(load)) for e in (one, other)]
        first, second = (e.run(j) for e, j in zip((one, other), jobs, strict=True))
        if len(self.children) == 1:
            now = {"now": jobs[0].submit[-1], "against": first}
            self.children += (Player({"A": first, "B": second}, unit="h", **now),)
        else:
            self.children[1].show({"A": first, "B": second}, first)
        self.table.value, self._said = _bars(table), f"<b>{escape(verdict(table))}.</b> "
        self.words.remove_class("coalloc-past")
        self.table.remove_class("coalloc-past")
        if coarse:
            self.curve.add_class("coalloc-past")
            self._say(ui.BUSY)
            return
        spanning = [
            f"Break-even penalty ψ* of {side}: {break_even(each, at)}."
            for side, each, at in zip(SIDES, (one, other), _loads(one, other, load), strict=True)
            if len(each.system) > 1 and getattr(each.workload, "request", "") != "total"
        ]
        self._pay = " ".join(spanning)
        self._shown = one, other
        self.curve.draw(playground_picture(one, other))
        self.curve.remove_class("coalloc-past")
        self._say(self._pay)

    def _say(self, more):
        self.words.value = f'<div class="coalloc-words">{self._said}{more}</div>'

    def rest(self) -> None:
        """Fade what is shown: it is not what the controls say, and nothing finer will come."""
        self._say(self._pay)
        for each in (self.words, self.table, self.curve):
            each.add_class("coalloc-past")

    def boxed(self) -> dict[str, str]:
        """Return the player, the curve and below it the table, for where nothing moves."""
        picture = copy(playground_picture(*self._shown))
        picture.below += STYLE + self.words.value + self.table.value
        data, player = picture._repr_mimebundle_(), self.children[1].boxed()
        sides = "".join(
            f"<p><b>{side}</b>: {_told(each)}.</p>"
            for side, each in zip(SIDES, self._shown, strict=True)
        )
        return data | {"text/html": sides + player["text/html"] + data["text/html"]}


def _told(scenario: Scenario) -> str:
    """Return a side in words."""
    jobs: Any = scenario.workload
    spans = scenario.placement is not None and not isinstance(scenario.placement, BestFit)
    how = f"jobs may span, at a penalty of {jobs.span_penalty:g}" if spans else "no job spans"
    return escape(f"{scenario.system} processors, {scenario.scheduling.title}, {how}")


def _controls(side: str, span: str) -> tuple[dict[str, ipw.Widget], ipw.HTML]:
    """Return the controls of a side, and its heading, which says what is disabled and why."""
    rows = dict(zip(CONTROLS, (
        ui.text_entry(CONTROLS["clusters"], "8,8,8"), ui.choice(CONTROLS["policy"], POLICIES),
        ui.slider_with_entry(CONTROLS["max_jumps"], 5, 0, 50), ui.choice("span", SPANS[:3], span),
        ui.slider_with_entry("penalty", 0.25, *PENALTIES, 0.05),
        ui.slider_with_entry(CONTROLS["estimate"], 1.0, 1.0, 10.0, 0.5),
    ), strict=True))  # fmt: skip
    leaves = {name: getattr(row, "children", (row,)) for name, row in rows.items()}
    for name, words in CONTROLS.items():
        for each in leaves[name]:
            each.tooltip = f"{words} of {side}"
    clusters, policy, spanning, heading = rows["clusters"], rows["policy"], rows["span"], ipw.HTML()

    def settle(_change: Any = None) -> None:
        offered = SPANS if policy.value == "EASY" else SPANS[:3]
        if spanning.options != offered:
            kept = spanning.value if spanning.value in offered else AT_NEED
            spanning.options, spanning.value = offered, kept  # options alone choose their first
        alone = clusters.value.strip().isdigit()
        off = {
            "max_jumps": "FPFS alone counts jumps" * (policy.value != "FPFS"),
            "span": "there is one cluster" * alone,
            "penalty": "no job spans" * (alone or spanning.value == NEVER),
            "estimate": f"{policy.value} asks for none" * (policy.value in ("FCFS", "FPFS")),
        }
        for name, why in off.items():
            for each in leaves[name]:
                each.disabled = bool(why)
        why_not = [f"{CONTROLS[n].removesuffix(' ×')} ({why})" for n, why in off.items() if why]
        why_not += ["adaptive (EASY alone can)"] * (policy.value != "EASY")
        words = f"<small>off: {', '.join(why_not)}</small>" * bool(why_not)
        name = f'<b style="color: {LOOK[side].colour}">{side}</b>'
        heading.value = f'<div class="coalloc-words">{name} {words}</div>'

    for each in (policy, spanning, clusters):
        each.observe(settle, "value")
    settle()
    return {f"{side}.{name}": row for name, row in rows.items()}, heading


def _code(scenarios: Sequence[Scenario], load: float) -> str:
    """Return Python that makes both scenarios and runs them."""
    text = "import coalloc_lib as co\n"
    for side, each, at in zip(
        SIDES, scenarios, _loads(scenarios[0], scenarios[1], load), strict=True
    ):
        sizes: Any = each.workload.sizes  # type: ignore[attr-defined]
        code = repr(each).replace(repr(sizes), f"parse_sizes({str(sizes)!r})")
        code = re.sub(r", \w+=(None|'')(?=[,)])", "", code)  # what is so anyway
        code = re.sub(r"\b(?=[A-Z]\w*\(|parse_sizes)", "co.", code)
        code = re.sub(r"(?:, )?(system|workload|scheduling|placement|engine)=", r",\n    \1=", code)
        text += f"\n{side} = {code}".replace("(,", "(")
        text += f"\n{side}.simulate(20_000, load={at:.6g}, seed={SEED})"
    return text


def _links(values, scenarios):
    """Return links that save the scenarios, the table and the figure."""
    table = pd.concat([by_size(*scenarios, values["load"]), over_load(*scenarios)])
    files = {
        "scenario.json": json.dumps(values, indent=1).encode(),
        "table.csv": csv_of(table).encode(),
        "figure.svg": playground_picture(*scenarios).image,
    }
    address = "data:application/octet-stream;base64,"
    return " ".join(
        f'<a download="{name}" href="{address}{b64encode(data).decode()}">{name}</a>'
        for name, data in files.items()
    )


def playground_explorer(state: str = "") -> ui.Explorer:
    """Return two centres with the same jobs, and what differs; `state` is a line to recreate."""
    board, code, links = Board(), ipw.HTML(), ipw.HTML()
    controls = {
        "sizes": ui.text_entry("mix of sizes", "U[1,8]"),
        "load": ui.slider_with_entry("load", 0.7, 0.1, 0.95, 0.01),
    }
    bounds = "<small>load of A's system: 0.1 to 0.95</small>"
    columns = [(ipw.HTML("<b>jobs of both</b>"), ["sizes"]), (ipw.HTML(bounds), ["load"])]
    for side, span in zip(SIDES, (NEVER, AT_NEED), strict=True):
        rows, heading = _controls(side, span)
        columns.append((heading, [*rows]))
        controls |= rows

    def draw(coarse: bool, **values: Any) -> None:
        load, one, other = values["load"], *(scenario_of(values, side) for side in SIDES)
        board.show(one, other, load, coarse)
        text = escape(_code([one, other], load))
        code.value, links.value = f'<pre class="coalloc-code" tabindex="0">{text}</pre>', ""

    def fill(_button: Any) -> None:
        with suppress(InputError):  # it is shown beside its control
            links.value = _links(box.values, [scenario_of(box.values, side) for side in SIDES])

    def read(change: Mapping[str, Any]) -> None:
        for file in change["new"]:
            content, given = bytes(file["content"]), None
            with suppress(ValueError):
                given = json.loads(content)
            if not isinstance(given, dict):  # a line that cannot be read says so
                given = {str(content[:30], "utf-8", "replace"): 0}
            box.recreate(urlencode(given), f"{file['name']}: ")
        load.value = ()  # so that the same file can be given again

    files = ipw.Button(description="make files", tooltip="scenario, table and figure to save")
    load = ipw.FileUpload(accept=".json", description="load scenario")
    links.add_class("coalloc-files")
    files.on_click(fill)
    load.observe(read, "value")
    copied = ipw.Accordion([code], titles=["Copy this scenario: a click marks it"])
    words = ipw.VBox([board.words, board.table])
    kept = ipw.VBox([ipw.HBox([files, load]), links])
    columns += [(each, []) for each in (words, board.curve, copied, kept)]
    box = ui.Explorer(controls, draw, board, state, simulates=lambda **_: True, columns=columns)
    box.scenario.layout.display = "none"  # code and files say the same, readably
    *box.children, note = box.children
    kept.children = kept.children[0], note, links
    return box
