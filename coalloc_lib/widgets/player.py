"""The schedule player, which replays finished schedules, and the schedule explorer."""

import os
from collections.abc import Mapping
from itertools import compress
from typing import Any

import numpy as np
import traitlets
from matplotlib.figure import Figure

from coalloc_lib.basics.checks import InputError, finite, instance_of, shown
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture, draw_schedules
from coalloc_lib.plots.schedules import JOB_COLOURS
from coalloc_lib.policies.names import PLACEMENTS, SCHEDULING, display_name, options_of
from coalloc_lib.schedules.drawing import scenes
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import simulate
from coalloc_lib.widgets import pages
from coalloc_lib.widgets.controls import PLAY_HINT, Explorer
from coalloc_lib.widgets.inputs import choice, disable, slider_with_entry
from coalloc_lib.widgets.pictured import Pictured
from coalloc_lib.widgets.player_data import label_of, player_data, view_of

#: The maximum number of schedules in a player. More schedules would not fit on a screen.
_MOST_SHOWN = 4
#: The request types that leave no choice to a placement policy: an ordered request names its
#: clusters, and a total request runs on a single cluster.
NO_CHOICE = ("ordered", "total")
#: The scheduling policies that the schedule explorer offers, by name. Policies with numeric options
#: other than MaxJumps are left out.
FOLLOWED_POLICIES = {
    policy.__name__: policy
    for policy in SCHEDULING.values()
    if {*options_of(policy)} <= {"max_jumps", "counted", "adaptive", "order"}
}


class Player(Pictured):
    """A widget that replays finished schedules and shows how jobs wait, start and end.

    Parameters
    ----------
    schedules : Schedule or dict of str to Schedule
        One schedule, or up to four schedules by name. They share one clock and one time axis. For
        example, they can be schedules of the same jobs under different policies.
    bound : float, optional
        A capacity loss to draw as a line, such as `maximal_utilization(...).capacity_loss`.
    unit : str
        The unit of time, such as ``"h"``.
    window : (float, float), optional
        The first and the last instant to show, with at most 2,000 jobs between them. By default
        the first 2,000 jobs are shown.
    now : float, optional
        The instant to show at first, by default the first instant at which a job waits.
    against : Schedule, optional
        Another schedule of the same jobs, with which the schedules are compared. White lines mark
        the time in which a job already runs here but still waits in the other schedule.
    idle : float, optional
        The upper end of the axis for the fraction of idle processors, from 0.01 to 1. Give the same
        number to several players to make them comparable. By default, the axis ends at the largest
        value. If it is 0, the player has no curve of this fraction, and `bound` cannot be given.

    Raises
    ------
    InputError
        If an argument is wrong, if the window has more than 2,000 jobs or lies before or after all
        jobs, or if the jobs of `against` differ from those of the schedules.

    Attributes
    ----------
    now : float
        The instant that is shown. It can be set.
    playing : bool
        Whether the player runs. It can be set.

    Notes
    -----
    Processors that are idle while a job waits are hatched. The number *Idle while a job waits, so
    far* is the processor-time that was idle while the queue was not empty, divided by all
    processor-time since the first submission. In a saturated system it tends to the capacity loss.

    A dashed line is at the first start that was promised to the head of the queue. A job that
    overtook the head of the queue has a dashed outline. A dotted outline shows time that was booked
    for a job, but that the job does not use.

    The space bar starts and stops the player. Left and right go to the previous and the next event,
    Home and End to the first and the last one. Up and down change the speed. The keys ``n`` and
    ``p`` select the next and the previous job, and Escape ends the selection.

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
    hint = PLAY_HINT

    data = traitlets.Dict().tag(sync=True)
    now = traitlets.Float().tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        schedules: Schedule | Mapping[str, Schedule],
        *,
        bound: float | None = None,
        unit: str = "",
        window: tuple[float, float] | None = None,
        now: float | None = None,
        against: Schedule | None = None,
        idle: float | None = None,
    ) -> None:
        super().__init__()
        share = "a share from {} to 1"
        self._bound = None if bound is None else _between("bound", bound, 0, 1, share.format(0))
        self._idle = None if idle is None else _end_of_axis(idle)
        if self._idle == 0 and bound is not None:
            raise InputError(
                f"bound = {bound} is given with idle = 0; leave out one of the two, because a "
                "player without the curve has no place for a bound"
            )
        self._unit = instance_of("unit", unit, str, "a word such as 'h'")
        self._window = window
        self._against: Schedule | None = None
        self.show(schedules, against)
        begin, finish = self.data["axis"]["begin"], self.data["axis"]["finish"]
        if now is None:
            films = self.data["films"]
            waits = [t for film in films for t in compress(film["instants"], film["waits"])]
            now = min(waits, default=finish)
        self.now = _between("now", now, begin, finish, f"an instant from {begin} to {finish}")

    def show(
        self, schedules: Schedule | Mapping[str, Schedule], against: Schedule | None = None
    ) -> None:
        """Replace the schedules that the player shows.

        The current instant and the speed do not change. The time axis becomes longer if the new
        schedules need it.

        Parameters
        ----------
        schedules : Schedule or dict of str to Schedule
            The schedules, as in the constructor.
        against : Schedule, optional
            Another schedule of the same jobs, by default the one given before.

        Raises
        ------
        InputError
            If the window of the player lies before or after all jobs, or if the jobs of `against`
            differ from those of the schedules.
        """
        named = _named(schedules)
        against = self._against if against is None else against
        if against is not None:
            _check_same_jobs(against, named)
        films = [
            player_data(schedule, label, self._window, against) for label, schedule in named.items()
        ]
        _check_overlap(self._window, named)
        axis = self.data.get("axis") or {"begin": np.inf, "finish": -np.inf, "view": view_of(films)}
        ends = {
            "begin": min(axis["begin"], *(film["begin"] for film in films)),
            "finish": max(axis["finish"], *(film["finish"] for film in films)),
        }
        self._schedules, self._against = named, against
        self.data = {
            "films": films, "axis": axis | ends, "unit": self._unit, "bound": self._bound,
            "idle": self._idle, "colours": JOB_COLOURS,
        }  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the player as an HTML page that works without Python and without a network.

        Parameters
        ----------
        path : str or path-like
            The file to write, such as ``"player.html"``.
        """
        state = {"data": self.data, "now": self.now}
        page = pages.player_page(" and ".join(self._schedules), state)
        with atomic_path(path) as beside:
            beside.write_text(page, encoding="utf-8")

    def still(self) -> Figure:
        """Return a still picture of the schedules with the same marks as in the player."""
        return draw_schedules(
            *scenes(self._schedules, self._window, self._against), unit=self._unit
        )

    def picture(self) -> Picture:
        """Return a still picture of the schedules, with a description for screen readers."""
        return Picture(self.still(), f"Schedule player of {' and '.join(self._schedules)}")


def _named(schedules):
    if isinstance(schedules, Schedule):
        return {label_of(schedules): schedules}
    if not isinstance(schedules, Mapping) or not 1 <= len(schedules) <= _MOST_SHOWN:
        raise InputError(
            f"schedules = {shown(schedules)}; give a result of simulate(...), or a dict that "
            f"maps names to 1 to {_MOST_SHOWN} results of simulate(...)"
        )
    for label, schedule in schedules.items():
        instance_of(f"schedules[{label!r}]", schedule, Schedule, "the result of simulate(...)")
    named = {str(label): schedule for label, schedule in schedules.items()}
    if len(named) < len(schedules):
        raise InputError(
            f"schedules has the keys {', '.join(map(repr, schedules))}, and two of them are equal "
            "as text; give each schedule a name of its own"
        )
    return named


def _check_same_jobs(against, schedules):
    instance_of("against", against, Schedule, "the result of simulate(...)")
    for label, schedule in schedules.items():
        for column in ("submit", "runtime", "processors"):
            if not np.array_equal(getattr(against.jobs, column), getattr(schedule.jobs, column)):
                raise InputError(
                    f"the schedules `against` and {label!r} have different jobs; give schedules "
                    "of the same jobs"
                )


def _check_overlap(window, schedules):
    if window is None:
        return
    first = min(one.jobs.submit.min() for one in schedules.values())
    # A rejected job has no end, and `fmax` takes the instant at which it left the queue instead.
    last = max(np.fmax(one.end, one.left_queue).max() for one in schedules.values())
    if window[1] <= first or window[0] > last:
        raise InputError(
            f"window = {shown(window)} has no job; give two instants between which the schedules "
            f"have jobs, from {first:,.15g} to {last:,.15g}"
        )


def _end_of_axis(idle):
    least = 0 if finite("idle", idle) == 0 else 0.01
    return _between("idle", idle, least, 1, "0 for no curve, or a share from 0.01 to 1")


def _between(name, value, least, most, description):
    number = finite(name, value, range_text=f", {description}")
    if not least <= number <= most:
        raise InputError(f"{name} = {shown(value)}; give {description}")
    return number


def schedule_explorer(
    system: Multicluster, jobs: JobStream, unit: str = "", state: str = ""
) -> Explorer:
    """Return a widget that schedules the same jobs under policies that the user selects.

    Its controls choose the request type, the placement policy and the scheduling policy, and its
    view is a `Player`.

    Parameters
    ----------
    system : Multicluster
        The system.
    jobs : JobStream
        The jobs. A few dozen jobs are easy to follow.
    unit : str
        The unit of time, such as ``"h"``.
    state : str
        The initial values of the controls, as a line from the text field of such an explorer.

    Returns
    -------
    Explorer
        The widget.

    Raises
    ------
    InputError
        If an argument is of the wrong type, or if a job does not fit into the system.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1], runtime=[5, 2], components=[[3, 2], [2, 2]])
    >>> schedule_explorer(co.Multicluster([4, 4]), jobs).values["scheduling"]
    'FCFS'
    """
    instance_of("system", system, Multicluster, "co.Multicluster([4, 4])")
    instance_of("jobs", jobs, JobStream, "co.JobStream(submit=..., runtime=..., components=...)")
    request = choice("request type", REQUESTS, jobs.request)
    placement = choice("placement", map(display_name, PLACEMENTS))
    disable(placement, request, lambda value: value in NO_CHOICE)
    scheduling = choice("scheduling", FOLLOWED_POLICIES, "FCFS")
    jumps = slider_with_entry("max_jumps", 1, 0, len(jobs))
    disable(jumps, scheduling, lambda name: "max_jumps" not in options_of(FOLLOWED_POLICIES[name]))
    controls = {"request": request, "placement": placement, "scheduling": scheduling}
    start = {name: control.value for name, control in controls.items()}
    player = Player(_named_schedule(system, jobs, **start, max_jumps=1), unit=unit)

    def draw(**values: Any) -> None:
        player.show(_named_schedule(system, jobs, **values))

    return Explorer(controls | {"max_jumps": jumps}, draw, player, state)


def _named_schedule(system, jobs, request, placement, scheduling, max_jumps):
    limit = [max_jumps] * ("max_jumps" in options_of(FOLLOWED_POLICIES[scheduling]))
    words = [f"{request} requests", placement, scheduling + f"({max_jumps})" * len(limit)]
    if request == "total":
        system = Multicluster([system.processors])
        words[0] += f" on one cluster of {system.processors}"
    if request in NO_CHOICE:
        words.remove(placement)
    rule = None if request in NO_CHOICE else PLACEMENTS[placement.replace(" ", "-")]()
    policy, stream = FOLLOWED_POLICIES[scheduling](*limit), jobs.replace(request=request)
    schedule = simulate(system, stream, scheduling=policy, placement=rule, engine="reference")
    return {", ".join(words): schedule}
