"""Online scheduling as plainly as it can be, to compare with: a `Profile` with an entry a server.

Of the library it uses `Profile`, the placements, and nothing that knows of idle periods or slots.
"""

from fractions import Fraction
from math import ceil, floor, inf
from typing import NamedTuple

from coalloc_lib.model.placement import WorstFit
from coalloc_lib.policies.profile import Profile


class Booked(NamedTuple):
    start: float
    attempts: int
    servers: list
    why: str


class Naive:
    """The bookings of one run."""

    def __init__(self, sizes, policy, chosen=None):
        self.sizes, self.policy, self.chosen = sizes, policy, chosen
        self.future = Profile([1] * sum(sizes))
        self.cluster = [c for c, size in enumerate(sizes) for _ in range(size)]
        self.leaving = []  # (start, end, booked end, servers)
        self.cuts = set()  # (server, instant): what was idle before is past

    def idle(self, start, end):
        """The servers that are idle over an interval."""
        return [s for s, idle in enumerate(self.future.between(start, end)) if idle]

    def period(self, server, start, end):
        """The idle period of a server around an interval in which it is idle."""
        steps, idle = [*self.future.instants, inf], self.future.idle
        within = [i for i, step in enumerate(idle) if step[server]]
        first = last = max(i for i in within if steps[i] <= start)
        while first - 1 in within:
            first -= 1
        while last + 1 in within:
            last += 1
        cuts = [instant for number, instant in self.cuts if number == server]
        begins = max([steps[first], *(cut for cut in cuts if cut <= start)])
        ends = min([steps[last + 1], *(cut for cut in cuts if cut > start)])
        assert begins <= start <= end <= ends
        return begins, ends

    def key(self, server, start, end):
        begins, ends = self.period(server, start, end)
        if self.policy.rule == "best-fit":
            return ends - begins, -begins, server
        return -begins, server

    def release(self, now):
        """Give back what jobs that have ended by now leave of their time."""
        for entry in [*self.leaving]:
            start, end, until, servers = entry
            if self.policy.release_early and (end < now or end == now > start):
                self.leaving.remove(entry)
                if end < until:
                    self.future.give_back(end, until, self.column(servers))
                    self.cuts |= {(server, end) for server in servers if end == start}

    def column(self, servers):
        """Return 1 for each of these processors, and 0 for all other processors."""
        return [int(server in servers) for server in range(len(self.cluster))]

    def book(self, now, earliest, latest, placement, components, request, expected, runs):
        """Book one job; `expected` and `runs` tell its length alone and where it spans."""
        slot, most = self.policy.slot, self.policy.max_attempts
        near = 1e-9 * (2 * slot % 1 != 0)  # thirds are rounded, and what ends with them may be
        ends = (floor(now / slot + near) + ceil(self.policy.horizon / slot - near)) * slot + near
        self.release(now)
        for k in range(most):
            start = earliest + k * self.policy.step
            if Fraction(expected[0]) * 2**53 <= Fraction(start):
                return Booked(inf, k, [], "no length")
            if start > latest:
                return Booked(inf, k, [], "past its latest start")
            if start + expected[0] > ends:
                return Booked(inf, k, [], "beyond the horizon")
            length = expected[0]
            while start + length <= ends:
                free = self.idle(start, start + length)
                counts = [sum(self.cluster[s] == c for s in free) for c in range(len(self.sizes))]
                found = placement.place(components, request, counts)
                if found is None:
                    break
                spans = sum(map(bool, found)) > 1
                if expected[spans] <= length:
                    return self.accept(start, k + 1, found, expected[spans], runs[spans])
                length = expected[spans]
        return Booked(inf, most, [], "no room in all attempts")

    def accept(self, start, attempts, allocation, length, runs):
        end, servers = start + length, []
        free = self.idle(start, end)
        if self.chosen is None:
            free.sort(key=lambda server: self.key(server, start, end))
        else:
            taken = next(self.chosen)
            free = [server for server in free if server in taken]
        for cluster, wanted in enumerate(allocation):
            servers += [s for s in free if self.cluster[s] == cluster][:wanted]
        self.future.take(start, end, self.column(servers))
        self.leaving.append((start, start + runs, end, servers))
        return Booked(start, attempts, sorted(servers), "")


def online(system, jobs, policy, placement=None, chosen=None):
    """Book the jobs of a stream in order of submission; return a `Booked` for each, by position.

    Servers are taken by the rule of the policy or, where given, those that were `chosen` for each
    job, which must be idle.
    """
    order = sorted(range(len(jobs)), key=lambda job: jobs.submit[job])
    in_turn = None
    if chosen is not None:
        in_turn = iter([chosen[job] for job in order if len(chosen[job])])
    naive, placement = Naive(system.sizes, policy, in_turn), placement or WorstFit()
    answers = {}
    for job in order:
        runtime, share = float(jobs.runtime[job]), 1 + float(jobs.span_penalty[job])
        expected = max(float(jobs.estimate[job]), runtime)
        least = policy.min_length
        answers[job] = naive.book(
            float(jobs.submit[job]),
            float(jobs.earliest_start[job]),
            float(jobs.latest_start[job]),
            placement,
            tuple(jobs.components[job].tolist()),
            jobs.request,
            (max(expected, least), max(expected * share, least)),
            (runtime, runtime * share),
        )
    return [answers[job] for job in range(len(jobs))]
