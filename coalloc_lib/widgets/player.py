"""The schedule player, in a notebook or in a page of its own, and the schedule explorer."""

import os
from collections.abc import Callable, Mapping
from itertools import compress
from typing import Any

import anywidget
import numpy as np
import traitlets
from matplotlib.figure import Figure

from coalloc_lib.basics.checks import InputError, finite, instance_of, shown
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture, still
from coalloc_lib.plots.schedules import JOB_COLOURS
from coalloc_lib.policies.names import PLACEMENTS, SCHEDULING, display_name, options_of
from coalloc_lib.schedules.drawing import scenes
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import simulate
from coalloc_lib.widgets import pages
from coalloc_lib.widgets.controls import Explorer, choice, disable, slider_with_entry
from coalloc_lib.widgets.player_data import label_of, player_data, view_of

#: Schedules that fit below each other on a screen.
_MOST_SHOWN = 4
#: Requests that leave a placement nothing to choose: the job names its clusters, or there is one.
NO_CHOICE = ("ordered", "total")
#: Scheduling policies by the names that a reader sees: those that take no number but MaxJumps.
POLICIES = {
    policy.__name__: policy
    for policy in SCHEDULING.values()
    if {*options_of(policy)} <= {"max_jumps", "counted", "adaptive", "order"}
}


class Pictured(anywidget.AnyWidget):
    """A widget whose `picture` is shown, after a hint, where there is no widget."""

    hint = ""
    #: Returns the still picture with its words.
    picture: Callable[[], Picture]

    def boxed(self) -> dict[str, str]:
        """Return the still picture as a notebook keeps it, in the box that `pages` fills."""
        still = self.picture()._repr_mimebundle_()
        # HTML, since an image alone would have no words for those who do not see it.
        html = pages.box(type(self).__name__, self.model_id, still["text/html"])
        return still | {"text/html": html}

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        still = self.boxed()
        return data | still | {"text/html": self.hint + still["text/html"]}, metadata


class Player(Pictured):
    """Play finished schedules: jobs wait, start and end, and what idles meanwhile is hatched.

    Parameters
    ----------
    schedules : Schedule or dict of str to Schedule
        One schedule, or up to four by label, which share one clock and one time axis: two
        policies with the same jobs, for instance.
    bound : float, optional
        A capacity loss to draw as a line, such as `maximal_utilization(...).capacity_loss`.
    unit : str
        Unit of time, such as ``"h"``.
    window : (float, float), optional
        Play from one instant to another, 2,000 jobs at most; else the first 2,000 jobs are played.
    now : float, optional
        The instant to show first; the first at which a job waits where it is not given.
    against : Schedule, optional
        Another schedule of the same jobs: what is done sooner than in it has white lines.
    idle : float, optional
        Where the axis of what is idle ends, such as 0.4, so that players can be compared; else it
        fits.

    Notes
    -----
    `now`, the instant shown, and `playing` can be set. *Idle while a job waits, so far* is the
    processor-time that was idle while the queue was not empty, over all since the first submission;
    in a saturated system it tends to the capacity loss. A dashed line stands at the first start
    promised to the head of the queue; jobs that overtook a head have a dashed outline; a dotted one
    is time that is promised to a job which does not use it.

    Keys: space plays and halts; left and right go one event back and on, Home and End to the first
    and the last; up and down change the speed; `n` and `p` go from job to job, Escape leaves them.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1], runtime=[5, 2], components=[[3, 2], [2, 2]])
    >>> player = co.Player(co.simulate(co.Multicluster([4, 4]), jobs), unit="h")
    >>> player.now
    1.0
    """

    _esm = pages.module("Player")
    _css = pages.style("Player")

    data = traitlets.Dict().tag(sync=True)
    now = traitlets.Float().tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self, schedules: Schedule | Mapping[str, Schedule], *, bound: float | None = None,
        unit: str = "", window: tuple[float, float] | None = None, now: float | None = None,
        against: Schedule | None = None, idle: float | None = None,
    ) -> None:  # fmt: skip
        """Check all and draw up what the browser needs."""
        super().__init__()
        share = "a share between 0 and 1"
        self._bound = None if bound is None else _between("bound", bound, 0, 1, share)
        self._idle = None if idle is None else _between("idle", idle, 0.01, 1, share)
        self._unit = instance_of("unit", unit, str, "a word such as 'h'")
        self._window, self._against = window, against
        self.show(schedules)
        begin, finish = self.data["axis"]["begin"], self.data["axis"]["finish"]
        if now is None:
            films = self.data["films"]
            waits = [t for one in films for t in compress(one["instants"], one["waits"])]
            now = min(waits, default=finish)
        self.now = _between("now", now, begin, finish, f"an instant from {begin} to {finish}")

    def show(
        self, schedules: Schedule | Mapping[str, Schedule], against: Schedule | None = None
    ) -> None:
        """Play others; instant, speed and, if not given, `against` stay; the axis can only grow."""
        named = _named(schedules)
        self._against = self._against if against is None else against
        if any(len(one) != len(self._against or one) for one in named.values()):
            raise InputError("against has other jobs; give a schedule of the same ones")
        films = [
            player_data(one, label, self._window, self._against) for label, one in named.items()
        ]
        axis = self.data.get("axis") or {"begin": np.inf, "finish": -np.inf, "view": view_of(films)}
        ends = {
            "begin": min(axis["begin"], *(one["begin"] for one in films)),
            "finish": max(axis["finish"], *(one["finish"] for one in films)),
        }
        self._schedules = named
        self.data = {
            "films": films, "axis": axis | ends, "unit": self._unit, "bound": self._bound,
            "idle": self._idle,
            "colours": JOB_COLOURS,
        }  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page that plays with neither a kernel nor a network; any browser opens it."""
        state = {"data": self.data, "now": self.now}
        page = pages.player_page(" and ".join(self._schedules), state)
        with atomic_path(path) as beside:
            beside.write_text(page, encoding="utf-8")

    def still(self) -> Figure:
        """Return a picture with the same marks, for where nothing can play."""
        return still(*scenes(self._schedules, self._window, self._against), unit=self._unit)

    def picture(self) -> Picture:
        """Return the still picture with its words."""
        return Picture(self.still(), f"Schedule player of {' and '.join(self._schedules)}")


def _named(schedules):
    if isinstance(schedules, Schedule):
        return {label_of(schedules): schedules}
    if not isinstance(schedules, Mapping) or not 1 <= len(schedules) <= _MOST_SHOWN:
        raise InputError(
            f"schedules = {shown(schedules)}; give what simulate(...) returns, or a dict of one to "
            f"{_MOST_SHOWN} of these by label"
        )
    for label, one in schedules.items():
        instance_of(f"schedules[{label!r}]", one, Schedule, "what simulate(...) returns")
    return {str(label): one for label, one in schedules.items()}


def _between(name, value, least, most, which):
    number = finite(name, value, which=f", {which}")
    if not least <= number <= most:
        raise InputError(f"{name} = {shown(value)}; give {which}")
    return number


def schedule_explorer(
    system: Multicluster, jobs: JobStream, unit: str = "", state: str = ""
) -> Explorer:
    """Return controls of request and policies, and a player; `state` is a line to recreate."""
    instance_of("system", system, Multicluster, "co.Multicluster([4, 4])")
    instance_of("jobs", jobs, JobStream, "co.JobStream(submit=..., runtime=..., components=...)")
    request = choice("request type", REQUESTS, jobs.request)
    placement = choice("placement", map(display_name, PLACEMENTS))
    disable(placement, request, lambda value: value in NO_CHOICE)
    scheduling = choice("scheduling", POLICIES, "FCFS")
    jumps = slider_with_entry("max_jumps", 1, 0, len(jobs))
    disable(jumps, scheduling, lambda name: "max_jumps" not in options_of(POLICIES[name]))
    controls = {"request": request, "placement": placement, "scheduling": scheduling}
    start = {name: each.value for name, each in controls.items()}
    player = Player(_small_schedule(system, jobs, **start, max_jumps=1), unit=unit)

    def draw(**values: Any) -> None:
        player.show(_small_schedule(system, jobs, **values))

    return Explorer(controls | {"max_jumps": jumps}, draw, player, state)


def _small_schedule(system, jobs, request, placement, scheduling, max_jumps):
    """Simulate a few jobs; return their schedule by what it is of: the request and the policies."""
    limit = [max_jumps] * ("max_jumps" in options_of(POLICIES[scheduling]))
    words = [f"{request} requests", placement, scheduling + f"({max_jumps})" * len(limit)]
    if request == "total":
        system = Multicluster([system.processors])
        words[0] += f" on one cluster of {system.processors}"
    if request in NO_CHOICE:
        words.remove(placement)
    rule = None if request in NO_CHOICE else PLACEMENTS[placement.replace(" ", "-")]()
    policy, stream = POLICIES[scheduling](*limit), jobs.replace(request=request)
    schedule = simulate(system, stream, scheduling=policy, placement=rule, engine="reference")
    return {", ".join(words): schedule}
