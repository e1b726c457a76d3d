"""The naive oracles of the tests, completed for all cases of the kit, and their mistakes.

The classes extend `tests.naive_multicluster` and are written from the definitions of the policies.
The attribute `wrong` is the name of a mistake, and an empty text for the right oracle. The module
uses no policy, engine or placement of the library, except that online booking is computed by
`tests.naive_booking`.
"""

from dataclasses import replace
from math import inf
from operator import sub

import numpy as np
import pytest

import coalloc_lib as co
from tests import naive_booking
from tests import naive_multicluster as naive


def stream(case):
    """Return the jobs of a case as a stream; only its columns are used."""
    _, submit, runtime, estimate, components, earliest, latest = zip(*case.jobs, strict=True)
    about = case.about
    penalty = about.get("span_penalty", 0.0)
    jobs = co.JobStream(submit, runtime, components, estimate, about["request"], penalty)
    return jobs.replace(earliest_start=earliest, latest_start=latest)


class Place:
    """A placement, written again from its definition."""

    def __init__(self, rule, wrong=""):
        self.rule, self.wrong = rule, wrong

    def place(self, components, request, idle):
        """Return the processors to take from each cluster, or None."""
        if request == "ordered":
            return self.in_place([*components], [*idle])
        if self.wrong == "one pool of processors":
            return self.fill(sum(components), idle)
        if self.rule == "single-then-span" and self.wrong != "spans although one cluster suffices":
            alone = self.distinct([sum(components)], idle, "best-fit")
            if alone is not None:
                return alone
        if request == "flexible":
            return self.fill(sum(components), idle)
        parts = [sum(components)] if request == "total" else [*filter(None, components)]
        return self.distinct(parts, idle, self.rule)

    def in_place(self, components, idle):
        if self.wrong == "components of zero are dropped":
            components = [*filter(None, components)]
        wanted = components + [0] * (len(idle) - len(components))
        if self.wrong == "a component of zero needs an idle processor":
            fits = all(max(each, 1) <= free for each, free in zip(wanted, idle, strict=True))
        else:
            fits = all(each <= free for each, free in zip(wanted, idle, strict=True))
        return wanted if fits else None

    def order(self, idle, rule):
        """Return the clusters in the order in which they are tried."""
        last = -1 if self.wrong == "ties go to the last cluster" else 1
        sign = {"best-fit": 1, "first-fit": 0}.get(rule, -1)
        if self.wrong == "spans although one cluster suffices":
            sign = 1
        return sorted(range(len(idle)), key=lambda c: (sign * idle[c], last * c))

    def distinct(self, parts, idle, rule):
        """Place each part on a cluster of its own."""
        if self.wrong != "components are placed by position":
            parts = sorted(parts, reverse=True)
        taken = [0] * len(idle)
        for part in parts:
            shares = self.wrong == "two components share a cluster"
            can = [c for c in self.order(idle, rule) if part + taken[c] <= idle[c]]
            can = can if shares else [c for c in can if not taken[c]]
            if not can:
                return None
            taken[can[0]] += part
        return taken

    def fill(self, wanted, idle):
        """Take as many processors as possible from each cluster in turn."""
        if wanted > sum(idle):
            return None
        taken = [0] * len(idle)
        while self.wrong == "a flexible job is spread evenly" and sum(taken) < wanted:
            free = [c for c in range(len(idle)) if taken[c] < idle[c]]
            taken[min(free, key=lambda c: taken[c])] += 1
        for cluster in self.order(idle, self.rule):
            taken[cluster] += min(wanted - sum(taken), idle[cluster] - taken[cluster])
        return taken


class Run(naive.Run):
    """A run, with the mistakes in the order of events and in the lengths of jobs."""

    wrong = ""

    def place_in_queue(self, job):
        if self.wrong == "jobs of one instant are queued in reverse":
            return self.key[job], self.jobs.submit[job], -job
        if self.wrong == "the queue is in order of size":
            return self.jobs.processors[job], job
        return super().place_in_queue(job)

    def run_an_instant(self, to_come):
        if self.wrong == "arrivals are served before departures":
            self.take_arrivals(to_come)
            self.schedule(False, [])
        if self.wrong == "the machine is scheduled after each departure":
            for job in [job for job, end in self.end.items() if end <= self.now]:
                del self.end[job]
                self.schedule(True, [])
        if self.wrong == "a job without length needs no processors":
            self.skip_jobs_without_length(to_come)
        if self.wrong == "a job as wide as the machine is rejected":
            wide = [job for job in to_come if self.jobs.processors[job] >= sum(self.sizes)]
            to_come[:] = [job for job in to_come if job not in wide]
        super().run_an_instant(to_come)

    def take_arrivals(self, to_come):
        while to_come and self.jobs.submit[to_come[0]] <= self.now:
            self.queue.append(to_come.pop(0))

    def skip_jobs_without_length(self, to_come):
        for job in [*to_come]:
            if self.jobs.submit[job] <= self.now and not self.jobs.runtime[job]:
                to_come.remove(job)
                self.start[job] = self.now
                self.allocation[job] = self.place(job, self.sizes)

    def length(self, job, allocation, time):
        if self.wrong == "a job without length takes one second":
            time = max(time, 1)
        if self.wrong == "the span penalty is ignored":
            return float(time)
        spans = np.count_nonzero(allocation) > 1
        if self.wrong == "every job pays the span penalty":
            spans = True
        if self.wrong == "components of zero count as clusters":
            spans = self.jobs.components.shape[1] > 1
        return float(time * (1 + self.jobs.span_penalty[job] * spans))

    def begin(self, job, allocation):
        super().begin(job, allocation)
        runtime, estimate = self.jobs.runtime[job], self.jobs.estimate[job]
        if self.wrong == "a job runs for its estimate":
            self.end[job] = self.now + self.length(job, allocation, max(runtime, estimate))
        if self.wrong == "a job is ended at its estimate":
            self.end[job] = self.now + self.length(job, allocation, min(runtime, estimate))

    def expected(self, job, allocation):
        if self.wrong in (
            "the estimate is believed although the job runs longer",
            "a job is ended at its estimate",
        ):
            return self.length(job, allocation, self.jobs.estimate[job])
        if self.wrong == "the plan knows the run times":
            return self.length(job, allocation, self.jobs.runtime[job])
        if self.wrong == "the plan forgets the span penalty":
            return float(max(self.jobs.estimate[job], self.jobs.runtime[job]))
        return super().expected(job, allocation)


class FCFS(Run):
    """Jobs start in order of the queue."""

    def schedule(self, _departed, _arrived):
        overtakes = self.wrong == "any job that fits starts"
        for job in [*self.queue]:
            found = self.place(job, self.idle())
            if found is not None:
                self.begin(job, found)
            elif not overtakes:
                break


class FPFS(Run):
    """Any job that fits starts, unless the head has been overtaken `most` times."""

    most, counted = 0, "waiting"

    def schedule(self, _departed, _arrived):
        self.overtaken = getattr(self, "overtaken", {})
        while self.sweep():
            pass

    def sweep(self):
        before = len(self.queue)
        first = self.queue[0] if self.queue else None
        for job in [*self.queue]:
            stays = self.wrong == "the first head of a pass stays the head"
            head = first if stays else self.queue[0]
            if job != head and self.jumps(head) >= self.limit():
                break
            found = self.place(job, self.idle())
            if found is not None:
                for place, other in enumerate(self.queue[: self.queue.index(job)]):
                    self.overtaken.setdefault(other, []).append(place == 0)
                self.begin(job, found)
            elif self.wrong == "only the second job may overtake" and job != head:
                break
        return len(self.queue) < before

    def jumps(self, head):
        """Return how often the head was overtaken, as the policy counts it."""
        at_head = self.counted == "head"
        if self.wrong in ("jumps count at the head only", "jumps count over the whole wait"):
            at_head = not at_head
        jumps = self.overtaken.get(head, [])
        return sum(jumps) if at_head else len(jumps)

    def limit(self):
        if self.wrong == "the limit of jumps is ignored":
            return inf
        if self.wrong == "a limit of zero means no limit":
            return self.most or inf
        return self.most + (self.wrong == "one jump too many is allowed")


#: The mistakes that a second examination of the queue at the same instant would repair.
ONE_SWEEP = ("one examination of the queue", "a job that ends in time uses up extra nodes")


class EASY(Run, naive.EASY):
    """EASY backfilling; the right one is that of `tests.naive_multicluster`."""

    def schedule(self, departed, arrived):
        if self.wrong in ONE_SWEEP:
            self.sweep()
        else:
            super().schedule(departed, arrived)

    def place_in_queue(self, job):
        usual = super().place_in_queue(job)
        if self.wrong == "the head keeps its place":
            return not self.waits_as_head(job), *usual
        return usual

    def waits_as_head(self, job):
        return not np.isnan(self.promised[job])

    def sweep(self):
        if not self.wrong:
            return super().sweep()
        waiting = len(self.queue)
        while self.queue and (found := self.place(self.queue[0], self.idle())) is not None:
            if self.waits_for_promise(self.queue[0]):
                break
            self.begin(self.queue[0], found)
            if self.wrong == "one head starts at an instant":
                break
        if not self.queue:
            return False
        head, *others = self.queue
        if self.place(head, self.idle()) is not None and not self.waits_for_promise(head):
            return False
        shadow = self.shadow(head)
        self.promised[head] = shadow if np.isnan(self.promised[head]) else self.promised[head]
        then = self.room(head, shadow)
        for job in self.candidates(others):
            found = self.place(job, self.idle())
            if found is None or not self.may_pass(head, job, found, shadow, then):
                continue
            in_time = self.now + self.expected(job, found) <= shadow
            if self.wrong == "a job that ends in time uses up extra nodes" or not in_time:
                then = [*map(sub, then, found)]
            if self.wrong == "extra nodes are given twice":
                then = self.room(head, shadow)
            self.begin(job, found)
        return len(self.queue) < waiting

    def waits_for_promise(self, head):
        """Return whether the head waits for its first promise, and be called again then."""
        if self.wrong != "the head waits for its first promise" or np.isnan(self.promised[head]):
            return False
        waits = self.promised[head] > self.now
        self.reserved = {head: (self.promised[head], None, None)} if waits else {}
        return waits

    def candidates(self, others):
        if self.wrong == "the shortest job is backfilled first":
            return sorted(others, key=lambda job: (self.expected(job, [1]), job))
        if self.wrong == "the widest job is backfilled first":
            return sorted(others, key=lambda job: (-self.jobs.processors[job], job))
        if self.wrong == "only the second job is examined":
            return others[:1]
        return others

    def shadow(self, head):
        """Return the instant that the head is promised."""
        ends = sorted({self.expected_end(job) for job in self.end})
        is_first = self.wrong in (
            "the promise is that of the first computation",
            "the head waits for its first promise",
        )
        if is_first and not np.isnan(self.promised[head]):
            return self.promised[head]
        if self.wrong == "the promise is the next end":
            return ends[0]
        others = [job for job in self.queue if job != head and self.waits_as_head(job)]
        if self.wrong == "a new head has the promise of the head before it" and others:
            return self.promised[others[0]]
        if self.wrong == "running jobs are sorted by their length":
            return self.shadow_by_length(head)
        return next((end for end in ends if self.place(head, self.then(end)) is not None), inf)

    def shadow_by_length(self, head):
        idle = self.idle()
        for job in sorted(self.end, key=lambda job: self.expected(job, self.allocation[job])):
            idle = [a + b for a, b in zip(idle, self.allocation[job], strict=True)]
            if self.place(head, idle) is not None:
                return self.expected_end(job)
        raise AssertionError("the head never fits")

    def room(self, head, shadow):
        """Return the processors that are expected to be idle at the promised start."""
        if self.wrong != "extra nodes ignore the other jobs that end then":
            return self.then(shadow)
        idle = self.idle()
        for job in sorted(self.end, key=lambda job: (self.expected_end(job), job)):
            if self.place(head, idle) is not None:
                break
            idle = [a + b for a, b in zip(idle, self.allocation[job], strict=True)]
        return idle

    def may_pass(self, head, job, found, shadow, then):
        """Return whether a job may pass the head."""
        end = self.now + self.expected(job, found)
        in_time, left = end <= shadow, [*map(sub, then, found)]
        if self.wrong == "the head is not protected":
            return True
        if self.wrong == "a job must end before the promise":
            in_time = end < shadow
        if self.wrong == "there are no extra nodes":
            return in_time
        if self.wrong == "all idle nodes are extra nodes":
            return in_time or min(left) >= 0
        if self.wrong == "a job must end in time and leave room":
            return in_time and self.place(head, left) is not None
        return in_time or self.place(head, left) is not None


class Conservative(Run, naive.Conservative):
    """Conservative backfilling; the right one is that of `tests.naive_multicluster`."""

    def schedule(self, departed, arrived):
        if not self.wrong:
            super().schedule(departed, arrived)
            return
        for job in arrived if self.wrong == "arrivals reserve before the compression" else ():
            self.reserve(job)
        if departed:
            self.compress(arrived)
        for job in arrived:
            if job not in self.reserved:
                self.reserve(job)
        self.start_due()

    def reserve(self, job):
        self.reserved[job] = self.earliest(job)
        self.promised[job] = self.reserved[job][0]

    def compress(self, arrived):
        """Offer the waiting jobs earlier starts."""
        jobs = [job for job in self.queue if job in self.reserved and job not in arrived]
        jobs = [job for job in jobs if self.reserved[job][0] > self.now]
        if self.wrong == "reservations are never moved":
            return
        if self.wrong == "reservations move at early ends only" and not self.early:
            return
        if self.wrong == "all reservations are given up and made again":
            for job in jobs:
                del self.reserved[job]
        if self.wrong == "reservations are moved in order of their starts":
            jobs.sort(key=lambda job: (self.reserved[job][0], job))
        moved = True
        while moved:
            moved = False
            for job in jobs:
                if moved and self.wrong == "only one reservation moves at an end":
                    break
                old = self.reserved.pop(job, (inf,))
                new = self.earliest(job)
                moved |= new[0] < old[0]
                self.reserved[job] = new if new[0] < old[0] else old
            moved &= self.wrong == "reservations are moved until none moves"

    def run_an_instant(self, to_come):
        gone = [job for job, end in self.end.items() if end <= self.now]
        self.early = any(self.expected_end(job) > self.now for job in gone)
        super().run_an_instant(to_come)

    def start_due(self):
        due = [job for job in self.queue if self.reserved[job][0] <= self.now]
        for job in sorted(due, key=lambda job: self.reserved[job][1] > self.now):
            allocation = self.reserved[job][2]
            if self.wrong == "reserved processors are chosen again at the start":
                allocation = self.place(job, self.idle())
            if allocation is None or any(np.greater(allocation, self.idle())):
                if self.wrong != "a reservation without length is forgotten":
                    break
                self.reserved[job] = naive.Conservative.earliest(self, job)
                continue
            del self.reserved[job]
            self.begin(job, allocation)

    def earliest(self, job):
        if self.wrong == "a reservation without length is forgotten":
            everything = self.reserved
            self.reserved = {each: r for each, r in everything.items() if r[0] < r[1]}
            answer = super().earliest(job)
            self.reserved = everything
            return answer
        start, end, found = super().earliest(job)
        if self.wrong == "a job is planned behind all others":
            others = [reserved[0] for reserved in self.reserved.values()]
            return self.not_before(job, max([self.now, *others]))
        if self.wrong == "a reservation may not begin when another ends":
            return self.strictly_between(job)
        return start, end, found

    def not_before(self, job, instant):
        """Return the earliest reservation at or after an instant."""
        now, self.now = self.now, instant
        answer = naive.Conservative.earliest(self, job)
        self.now = now
        return answer

    def strictly_between(self, job):
        """Return the earliest reservation that touches no other one at its end."""
        instant = self.now
        while True:
            start, end, found = self.not_before(job, instant)
            begins = [begin for begin, _, _ in self.reserved.values()]
            touching = [begin for begin in begins if begin == end]
            if not touching:
                return start, end, found
            instant = min(until for begin, until, _ in self.reserved.values() if begin == end)


QUEUES = {"fcfs": FCFS, "fpfs": FPFS, "easy": EASY, "conservative": Conservative}


def answer(case, wrong=""):
    """Return [start, end, allocation] of each job of a case, from the oracle or its mistake."""
    policy = case.about["policy"]
    if policy["name"] == "online":
        return _booked(case, wrong)
    jobs = stream(case)
    kind = QUEUES[policy["name"]]
    if wrong == "a later start is asked for at that instant":
        jobs = jobs.replace(submit=jobs.earliest_start, earliest_start=None)
    if wrong in ("only the head is protected", "a job spans as soon as it fits"):
        kind, wrong = EASY, ""
    if wrong == "the latest start is ignored":
        jobs, wrong = jobs.replace(latest_start=None), ""
    options = {"wrong": wrong, "most": policy.get("max_jumps"), "counted": policy.get("counted")}
    run = type(kind.__name__, (kind,), options)(
        case.about["clusters"],
        jobs,
        Place(case.about["placement"], wrong),
        queue_keys(policy, jobs),
    )
    rows = []
    for job, start in enumerate(run.start):
        if np.isnan(start):
            rows.append([None, None, None])
            continue
        end = start + run.length(job, run.allocation[job], jobs.runtime[job])
        if wrong == "a job is ended at its estimate":
            end = start + min(jobs.runtime[job], jobs.estimate[job])
        rows.append([start, end, [*map(int, run.allocation[job])]])
    return rows


def queue_keys(policy, jobs):
    expected = np.maximum(jobs.estimate, jobs.runtime)
    return {"shortest": expected, "smallest": expected * jobs.processors}.get(policy.get("order"))


def online_policy(case):
    """Return the policy object that `tests.naive_booking` reads."""
    options = {name: value for name, value in case.about["policy"].items() if name != "name"}
    return co.Online(**options)


class LongerPeriods(naive_booking.Naive):
    """A calendar in which a period that ends with a job is too short for it."""

    def idle(self, start, end):
        return super().idle(start, np.nextafter(end, inf))


def _booked(case, wrong):
    """Return the rows of online booking; most mistakes are another parameter."""
    policy, jobs = online_policy(case), stream(case)
    if wrong == "processors are counted and not numbered":
        return _counted(case, jobs, policy)
    changes = {
        "": {},
        "the horizon is one slot short": {"horizon": policy.horizon - policy.slot},
        "the horizon moves with the clock": {"slot": 1},
        "one attempt too many is made": {"max_attempts": policy.most_attempts + 1},
        "jobs start between the attempts": {"step": 1, "max_attempts": 1000},
        "processors are released at the real end": {"release_early": True},
        "processors stay booked after an early end": {"release_early": False},
        "the latest start is ignored": {},
        "an idle period must be longer than the job": {},
    }
    if wrong == "the latest start is ignored":
        jobs = jobs.replace(latest_start=None)
    sizes = case.about["clusters"]
    with pytest.MonkeyPatch.context() as patch:
        if wrong == "an idle period must be longer than the job":
            patch.setattr(naive_booking, "Naive", LongerPeriods)
        booked = naive_booking.online(
            co.Multicluster(sizes),
            jobs,
            replace(policy, **changes[wrong]),
            Place(case.about["placement"]),
        )
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    rows = []
    for each, runtime in zip(booked, jobs.runtime, strict=True):
        counts = np.bincount(cluster[each.servers], minlength=len(sizes)).tolist()
        rows.append([None] * 3 if each.why else [each.start, each.start + runtime, counts])
    return rows


def _counted(case, jobs, policy):
    """Book on one cluster by the number of idle processors at each instant."""
    (size,), held, rows = case.about["clusters"], [], []
    for job, wanted in enumerate(jobs.processors.tolist()):
        length = max(jobs.estimate[job], jobs.runtime[job])
        for attempt in range(policy.most_attempts):
            start = jobs.earliest_start[job] + attempt * policy.step
            instants = [start, *(s for s, _, _ in held if start < s < start + length)]
            used = max(sum(n for s, e, n in held if s <= i < e) for i in instants)
            if used + wanted <= size:
                held.append((start, start + length, wanted))
                rows.append([start, start + jobs.runtime[job], [wanted]])
                break
        else:
            rows.append([None] * 3)
    return rows
