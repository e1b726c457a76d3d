"""The classes of settings of the study, and the settings that its figures and claims need."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from coalloc_lib.basics.checks import one_of, positive
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Scheduling
from studies.inputs import named
from studies.online_batch import model
from studies.online_batch.model import (
    ALL,
    BESIDE,
    BOOKED_AS,
    CTC,
    CUTS,
    EXACT,
    FURTHER_JOBS,
    KTH,
    LEAST,
    LENGTHS,
    LOGS,
    NOT_OF_PAPER,
    OF_READINGS,
    ONLINE,
    OWN_BATCH,
    OWN_SERVERS,
    POLICIES,
    READ_JOBS,
    READ_SERVERS,
    RECORDED,
    SMALLER_STEP,
    TREE_DRAWS,
)
from studies.study import Scale

#: The values of the column `kind` in the table of runs. Each class of settings has its own value.
SCHEDULE, LOG, BESIDE_QUEUE = "schedule", "log", "booking beside a queue"
TREES, GROWTH, OVERLOAD = "trees", "growth", "overload"
#: The values of the column `grouping` in the table of runs, which say what a row contains:
#:
#: - `ALL_JOBS`: totals of one week, such as the sum of the waits, over all jobs
#: - `BY_LENGTH`, `BY_SERVERS`: the same totals by range of lengths, or of requested servers
#: - `WHOLE`: totals of the whole run
#: - `BY_FIFTY`: the attempts of the jobs that request 1 to 50 servers, 51 to 100 servers, and so on
#: - `BY_WAIT`: the share of the jobs that wait longer than a number of hours
#: - `BUSY`: the server-hours used in one week
ALL_JOBS, BY_LENGTH, BY_SERVERS = "all jobs", "by length", "by servers"
WHOLE, BY_FIFTY, BY_WAIT, BUSY = "whole", "by fifty", "by wait", "busy servers"


@dataclass(frozen=True)
class Setting:
    """The parameters of a run, which schedules a log's jobs or evaluates the recorded waits.

    Parameters
    ----------
    log : str
        The name of the log.
    servers : int
        The number of servers.
    policy : str or Scheduling
        A policy of `model.POLICIES`, ``"recorded"``, or any other policy.
    length : {"exact", "requested"}
        The length that the policy knows of each job.
    kept : str
        The jobs that are kept: ``"all jobs"`` or the name of a cut of `model.CUTS`.
    share : float
        The share of the jobs that reserve ahead.
    draw : int
        The number of the sample of these jobs.
    """

    log: str
    servers: int
    policy: str | Scheduling = ONLINE
    length: str = EXACT
    kept: str = ALL
    share: float = 0.0
    draw: int = 0
    kind: str = field(default=SCHEDULE, init=False)

    def __post_init__(self) -> None:
        one_of("log", self.log, LOGS)
        one_of("length", self.length, LENGTHS)
        one_of("kept", self.kept, (ALL, *CUTS))
        if not isinstance(self.policy, Scheduling):
            one_of("policy", self.policy, (*POLICIES, RECORDED))

    @property
    def system(self) -> Multicluster:
        """The servers as a multicluster with one cluster."""
        return Multicluster([self.servers])

    @property
    def scheduling(self) -> Scheduling:
        """The policy object, which is looked up if `policy` is a name."""
        return named(self.policy, POLICIES)

    @property
    def is_a_reading(self) -> bool:
        """Whether the policy has another minimum length of bookings than the one that we use."""
        return self.policy in OF_READINGS

    @property
    def is_plain(self) -> bool:
        """Whether lengths are exact, no job reserves ahead, and Figures 3 to 5 show the policy."""
        plain = Setting(self.log, self.servers, self.policy, kept=self.kept)
        return self == plain and self.policy not in NOT_OF_PAPER

    @property
    def is_as_read(self) -> bool:
        """Whether the setting has the servers and jobs that we believe the paper used."""
        return model.has_read_machine(self.log, self.servers, self.kept)

    @property
    def is_grouped(self) -> bool:
        """Whether figures or claims need the jobs grouped by length or by requested servers."""
        on_its_own = (self.servers, self.kept) == (OWN_SERVERS[self.log], ALL)
        return self.is_plain and (self.is_as_read or on_its_own or self.log == KTH)


@dataclass(frozen=True)
class LogItself:
    """A setting without scheduling, which describes a log for Table 1 and Figure 4(b)."""

    log: str
    kept: str = ALL
    kind: str = field(default=LOG, init=False)


@dataclass(frozen=True)
class BesideQueue:
    """A setting in which some of the jobs in a log are booked ahead and the others backfilled."""

    log: str
    length: str
    share: float
    kind: str = field(default=BESIDE_QUEUE, init=False)


@dataclass(frozen=True)
class Overload:
    """A setting in which a log's jobs are submitted faster, so that the offered load exceeds 1."""

    log: str
    servers: int
    policy: str
    length: str = EXACT
    kept: str = ALL
    load: float = model.TOO_MUCH
    kind: str = field(default=OVERLOAD, init=False)

    def __post_init__(self) -> None:
        one_of("log", self.log, LOGS)
        one_of("policy", self.policy, tuple(POLICIES))
        one_of("length", self.length, LENGTHS)
        positive("load", self.load)


@dataclass(frozen=True)
class OnTrees:
    """A setting that books some jobs of a log on trees that already hold all earlier jobs."""

    log: str
    servers: int
    share: float
    draw: int = 0
    kept: str = ALL
    kind: str = field(default=TREES, init=False)


@dataclass(frozen=True)
class Growth:
    """Random requests for `wanted` servers each, on trees with `servers` servers and `slots` slots.

    The offered load is the same for all values of these parameters.
    """

    servers: int
    slots: int
    wanted: int
    kind: str = field(default=GROWTH, init=False)


# --- all runs ---


def settings(scale: Scale) -> Iterator[Any]:
    """Yield all settings that the figures and claims need."""
    for log in LOGS:
        yield LogItself(log)
    for cut in CUTS:
        yield LogItself(CTC, cut)
    for log in (CTC, KTH):
        yield from online_and_batch(log)
        yield from reserved_online(scale, log)
        yield from readings(log)
    for log in scale.logs:
        yield as_read(log)
        yield as_read(log, RECORDED)
        yield from all_policies(log)
    for log in scale.dear_logs:
        yield from reservations(scale, log)
        yield from beside_a_queue(log)
        yield from on_trees(scale, log)
    yield smaller_step()
    yield from overloads()
    yield from growth(scale)


def as_read(log: str, policy: str = LEAST) -> Setting:
    """Return the setting with the servers and jobs that we believe the paper used."""
    return Setting(log, READ_SERVERS[log], policy, kept=READ_JOBS[log])


def online_and_batch(log: str) -> Iterator[Setting]:
    """Yield the settings of Figures 3 to 5: online, recorded and simulated batch scheduling."""
    for policy in (LEAST, RECORDED, *OWN_BATCH):
        yield as_read(log, policy)


def all_policies(log: str) -> Iterator[Setting]:
    """Yield settings with every policy, for exact and for requested job lengths."""
    for length in LENGTHS:
        for policy in (ONLINE, "FCFS", "FPFS(50)", "EASY", "conservative", RECORDED):
            yield Setting(log, OWN_SERVERS[log], policy, length)


def readings(log: str) -> Iterator[Setting]:
    """Yield a setting for each choice of servers, jobs and minimum length of bookings."""
    for servers in model.servers_of(log):
        for kept in (READ_JOBS[log], *FURTHER_JOBS[log]):
            for policy in (*BOOKED_AS, RECORDED):
                yield Setting(log, servers, policy, kept=kept)


def reserved_online(scale: Scale, log: str) -> Iterator[Setting]:
    """Yield settings of Figures 6 and 7: online scheduling, by share of jobs that reserve ahead."""
    yield from with_shares(scale.online_shares, scale.draws, as_read(log))


def reservations(scale: Scale, log: str) -> Iterator[Setting]:
    """Yield settings of online scheduling and backfilling, by share of jobs that reserve ahead."""
    for policy in (LEAST, "conservative"):
        yield from with_shares(scale.shares, scale.draws, as_read(log, policy))


def with_shares(shares: Iterable[float], draws: int, plain: Setting) -> Iterator[Setting]:
    """Yield a setting at each share of jobs that reserve ahead, with several random samples."""
    for share in shares:
        for draw in range(draws if share else 1):
            yield replace(plain, share=share, draw=draw)


def beside_a_queue(log: str) -> Iterator[BesideQueue]:
    """Yield settings in which some jobs of a log book and all other jobs are backfilled."""
    for length in LENGTHS:
        for share in BESIDE:
            yield BesideQueue(log, length, share)


def smaller_step() -> Setting:
    """Return a setting of online scheduling whose possible starts are 5 minutes apart, not 15."""
    return Setting(KTH, OWN_SERVERS[KTH], SMALLER_STEP)


def overloads() -> Iterator[Overload]:
    """Yield settings with online and with batch scheduling at an offered load above 1."""
    for policy in (LEAST, *OWN_BATCH):
        for length in LENGTHS:
            yield Overload(KTH, READ_SERVERS[KTH], policy, length, load=model.TOO_MUCH)
        of_ctc = Overload(CTC, READ_SERVERS[CTC], policy, kept=READ_JOBS[CTC])
        yield replace(of_ctc, load=model.TOO_MUCH)


def on_trees(scale: Scale, log: str) -> Iterator[OnTrees]:
    """Yield settings for Figure 7(b): the paper's slot trees, at several shares of reservations."""
    for share in scale.tree_shares:
        for draw in range(TREE_DRAWS if share else 1):
            yield OnTrees(log, READ_SERVERS[log], share, draw, READ_JOBS[log])


def growth(scale: Scale) -> Iterator[Growth]:
    """Yield settings that measure how the work of random requests grows on trees (section 4.3)."""
    for servers in scale.tree_servers:
        yield Growth(**model.GROWTH_AT | {"servers": servers})
    for slots in scale.tree_slots:
        yield Growth(**model.GROWTH_AT | {"slots": slots})
    for wanted in scale.tree_wanted:
        yield Growth(**model.GROWTH_AT | {"wanted": wanted})
