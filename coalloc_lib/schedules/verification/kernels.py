"""The loops that replay a schedule of FCFS, FPFS or EASY, decision by decision.

They share no code with the engines and are written to be read, not to be fast: at every instant at
which a job comes or leaves, the policy is asked which of the waiting jobs start, and where; each
decision is held against the schedule. The first that differs ends the replay.

Jobs are numbered as they stand in the queue, whatever the order of their submissions. A tree over
the queue (`Tree`) keeps of each range of jobs the least that they need, so that jobs that surely do
not start are passed over.
"""

from collections import namedtuple
from functools import partial
from pathlib import Path

import numpy as np

from coalloc_lib.basics.compilation import compiler
from coalloc_lib.model.placement import FACTOR, PRIME

kernel = partial(compiler([Path(__file__)]), makes_arrays=True)

#: The jobs in the order of the queue: float64 (n,) submissions; `coming`, the jobs in order of
#: submission; `parts`, int64 (n, k), what is placed of each: its components (ordered), these by
#: decreasing size (unordered), or their sum, and where jobs may be bound to a cluster what each
#: cluster has to give; `needs`, int64 (n, w), what has to be idle at least: see `set_room`;
#: `total`, int64 (n,), all processors; `lengths`, float64 (n, m), as expected on 1, 2, ...
#: clusters.
Jobs = namedtuple("Jobs", "submit coming parts needs total lengths")
#: The schedule, in the same order: start, end, allocation, promised; the jobs by start, and those
#: that run for a time by end.
Given = namedtuple("Given", "start end allocation promised by_start by_end")
#: How often a job may be overtaken, whether that counts at the head of the queue alone, whether
#: jobs backfill (EASY), whether they then wait for one cluster, and the length at which the queue
#: is held (0: it is not).
Policy = namedtuple("Policy", "max_jumps counts_at_head backfills is_adaptive backlog")
#: The request type; whether parts bind jobs to clusters; the order in which clusters are tried; the
#: order for one cluster that holds all (NONE: none is sought first); a number of each cluster.
Rule = namedtuple("Rule", "request may_stay order single numbers")
ORDERED, UNORDERED, FLEXIBLE, TOTAL = range(4)
FIRST_FIT, WORST_FIT, BEST_FIT, LEAST_LOADED, RANDOM_FIT = range(5)
NONE = -1

#: What goes on: idle processors; whether each job waits, has started, was promised a start; the
#: running jobs in order of their expected ends, `plan` and `whose`; those that leave in the next
#: round of this instant; counts; and what is written by the way.
State = namedtuple(
    "State",
    "idle waits started promised plan whose momentary count taken other order later score room",
)
#: Entries of `State.count`.
ARRIVED, STARTED, RUNNING, HEAD, JUMPED, GONE, MOMENTARY, DUE = range(8)
#: Of each range of waiting jobs the least needs, (nodes, w), processors and length, (nodes,).
Tree = namedtuple("Tree", "needs total length")
NEVER = np.iinfo(np.int64).max

#: What differs first: nothing, a start that is too late, one that is too early, the allocation, the
#: first promise, or when a job entered a held queue.
NOTHING, LATE, EARLY, ELSEWHERE, PROMISE, ENTERED = range(6)
#: What is said of it: the kind, the job, and the head of the queue; the instant, and the promise.
Fault = namedtuple("Fault", "numbers instants")


@kernel
def enter(tree, job, jobs):
    """Enter a job into the tree."""
    node = len(tree.total) // 2 + job
    while node > 0:
        for i in range(jobs.needs.shape[1]):
            tree.needs[node, i] = min(tree.needs[node, i], jobs.needs[job, i])
        tree.total[node] = min(tree.total[node], jobs.total[job])
        tree.length[node] = min(tree.length[node], jobs.lengths[job, 0])
        node >>= 1


@kernel
def take_out(tree, job):
    """Take a job out of the tree."""
    node = len(tree.total) // 2 + job
    tree.needs[node, :], tree.total[node], tree.length[node] = NEVER, NEVER, np.inf
    node >>= 1
    while node > 0:
        left, right = 2 * node, 2 * node + 1
        for i in range(tree.needs.shape[1]):
            tree.needs[node, i] = min(tree.needs[left, i], tree.needs[right, i])
        tree.total[node] = min(tree.total[left], tree.total[right])
        tree.length[node] = min(tree.length[left], tree.length[right])
        node >>= 1


@kernel
def set_room(rule, idle, room):
    """Write what the needs of a job are compared with: idle processors, all or of clusters.

    They are those of each cluster (ordered), the largest numbers, decreasing (unordered), all
    (flexible), or the largest (total).
    """
    if rule.request == ORDERED:
        room[:] = idle[: len(room)]
    elif rule.request == FLEXIBLE:
        room[0] = idle.sum()
    elif rule.request == TOTAL:
        room[0] = idle.max()
    else:
        room[:] = np.sort(idle)[::-1][: len(room)]


@kernel
def might_start(tree, node, rule, room, widest, longest, spare):
    """Whether some job of a range might start, as far as the least of all tells."""
    if tree.length[node] > longest and tree.total[node] > spare:
        return False
    if rule.single != NONE and tree.total[node] <= widest:  # whole on one cluster
        return True
    for i in range(len(room)):  # noqa: SIM110  (a loop compiles to less than all() does)
        if tree.needs[node, i] > room[i]:
            return False
    return True


@kernel
def next_candidate(tree, begin, rule, room, widest, longest, spare):
    """Return the first waiting job from `begin` on that might start; -1 if there is none.

    It fits into `room`, or whole into a cluster of which `widest` are idle, and it is expected to
    run no `longest`-er or has at most `spare` processors.
    """
    leaves = len(tree.total) // 2
    if begin >= leaves:
        return -1
    node = leaves + begin
    while node > 0:
        if might_start(tree, node, rule, room, widest, longest, spare):
            if node >= leaves:
                return node - leaves
            node *= 2
            continue
        while node & 1:  # what is right of a right child hangs on a node above
            node >>= 1
        if node > 0:
            node += 1
    return -1


@kernel
def first_waiting(tree):
    """Return the first job in the tree; -1 if there is none."""
    leaves, node = len(tree.total) // 2, 1
    if tree.total[node] == NEVER:
        return -1
    while node < leaves:
        node *= 2
        node += tree.total[node] == NEVER
    return node - leaves


@kernel
def order_clusters(rule, numbers, idle, order, score):
    """Sort `order` as a placement tries the clusters, ties by number.

    What `order` holds is where the sorting begins, so that it should be the last answer: after few
    changes of `idle` few clusters are moved.
    """
    if rule == FIRST_FIT:
        order[:] = numbers
        return
    write_scores(rule, numbers, idle, score)
    for place in range(1, len(order)):
        c, i = order[place], place
        while i > 0 and comes_before(score, c, order[i - 1]):
            order[i] = order[i - 1]
            i -= 1
        order[i] = c


@kernel
def comes_before(score, one, other):
    """Return whether a cluster is tried before another one."""
    return score[one] < score[other] or (score[one] == score[other] and one < other)


@kernel
def write_scores(rule, numbers, idle, score):
    """Write the number of each cluster by which a placement orders them."""
    state = 0
    if rule == RANDOM_FIT:
        for free in idle:
            state = (state * FACTOR + free) % PRIME
    for c in range(len(idle)):
        if rule == WORST_FIT:
            score[c] = -float(idle[c])
        elif rule == BEST_FIT:
            score[c] = float(idle[c])
        elif rule == LEAST_LOADED:
            score[c] = -idle[c] / numbers[c]
        else:
            base = (state + numbers[c]) % PRIME
            square = base * base % PRIME
            score[c] = float(square * square % PRIME * base % PRIME)


@kernel
def allocate(parts, rule, idle, order, score, taken):
    """Write into `taken` what a job gets of each cluster; return whether it fits.

    The rows of `order` are the last orders of the clusters: by the rule, and for one cluster.
    """
    taken[:] = 0
    if rule.request == ORDERED or (rule.may_stay and parts[0] == 0):
        first = 0 if rule.request == ORDERED else 1
        for c in range(len(parts) - first):
            if parts[c + first] > idle[c]:
                return False
            taken[c] = parts[c + first]
        return True
    total = parts[0] if rule.may_stay else parts.sum()
    if rule.single != NONE:
        order_clusters(rule.single, rule.numbers, idle, order[1], score)
        for c in order[1]:
            if total <= idle[c]:
                taken[c] = total
                return True
    order_clusters(rule.order, rule.numbers, idle, order[0], score)
    if rule.request == FLEXIBLE:
        left = total
        for c in order[0]:
            taken[c] = min(left, idle[c])
            left -= taken[c]
        return left == 0
    sizes = parts[:1] if rule.may_stay else parts
    for size in sizes:
        if size == 0:
            continue
        found = NONE
        for c in order[0]:
            if taken[c] == 0 and size <= idle[c]:
                found = c
                break
        if found == NONE:
            return False
        taken[found] = size
    return True


@kernel
def length_on(jobs, job, taken):
    """Return how long a job is expected to run on an allocation."""
    clusters = np.count_nonzero(taken)
    return jobs.lengths[job, min(max(clusters, 1), jobs.lengths.shape[1]) - 1]


@kernel
def patience(jobs, job):
    """Return how much longer a job is expected to run on two clusters than on one."""
    return jobs.lengths[job, min(1, jobs.lengths.shape[1] - 1)] - jobs.lengths[job, 0]


@kernel
def find_head(tree, state):
    """Note which job heads the queue; the number of jobs where none waits."""
    head = first_waiting(tree)
    state.count[HEAD] = len(state.waits) if head < 0 else head
    state.count[JUMPED] = 0


@kernel
def report(fault, kind, job, head, instant):
    """Note what differs."""
    fault.numbers[0], fault.numbers[1], fault.numbers[2] = kind, job, head
    fault.instants[0] = instant


@kernel
def start(job, now, jobs, given, state, tree, fault):
    """Start a job as the policy does, on `state.taken`; note where the schedule differs."""
    head = state.count[HEAD]
    if given.start[job] != now:
        kind = LATE if given.start[job] > now else EARLY
        report(fault, kind, job, head, min(now, given.start[job]))
        return
    for c in range(len(state.idle)):
        if given.allocation[job, c] != state.taken[c]:
            report(fault, ELSEWHERE, job, head, now)
            return
    state.idle[:] -= state.taken
    end, i = now + length_on(jobs, job, state.taken), state.count[RUNNING]
    while i > 0 and state.plan[i - 1] > end:
        state.plan[i], state.whose[i] = state.plan[i - 1], state.whose[i - 1]
        i -= 1
    state.plan[i], state.whose[i] = end, job
    state.count[RUNNING] += 1
    state.count[STARTED] += 1
    state.count[JUMPED] += 1
    state.waits[job], state.started[job] = False, True
    take_out(tree, job)
    if given.end[job] <= now:
        state.momentary[state.count[MOMENTARY]] = job
        state.count[MOMENTARY] += 1
    if job == head:
        find_head(tree, state)


@kernel
def leave(job, given, state):
    """Take a running job off its processors."""
    for c in range(len(state.idle)):
        state.idle[c] += given.allocation[job, c]
    i = 0
    while state.whose[i] != job:
        i += 1
    state.count[RUNNING] -= 1
    for j in range(i, state.count[RUNNING]):
        state.plan[j], state.whose[j] = state.plan[j + 1], state.whose[j + 1]


@kernel
def let_leave(now, given, state, fault):
    """Take off who has left by now, and who ran for no time in the round before."""
    while state.count[GONE] < len(given.by_end):
        job = given.by_end[state.count[GONE]]
        if given.end[job] > now:
            break
        if not state.started[job]:
            report(fault, EARLY, job, state.count[HEAD], given.start[job])
            return
        leave(job, given, state)
        state.count[GONE] += 1
    for i in range(state.count[MOMENTARY]):
        leave(state.momentary[i], given, state)
    state.count[MOMENTARY] = 0


@kernel
def let_come(now, jobs, policy, state, tree, fault):
    """Let those into the queue who are submitted by now, or whom a held queue lacks."""
    while state.count[ARRIVED] < len(jobs.submit):
        job = jobs.coming[state.count[ARRIVED]]
        if policy.backlog:
            if state.count[ARRIVED] - state.count[STARTED] >= policy.backlog:
                return
            if jobs.submit[job] != now:
                report(fault, ENTERED, job, state.count[HEAD], now)
                return
        elif jobs.submit[job] > now:
            return
        state.waits[job] = True
        enter(tree, job, jobs)
        if job < state.count[HEAD]:
            state.count[HEAD], state.count[JUMPED] = job, 0
        state.count[ARRIVED] += 1


@kernel
def serve_in_turn(now, jobs, given, policy, rule, state, tree, fault):
    """Start, from head to tail, who fits and may overtake those before it: FCFS and FPFS."""
    idle, job = state.idle, state.count[HEAD]
    while fault.numbers[0] == NOTHING:
        set_room(rule, idle, state.room)
        job = next_candidate(tree, job, rule, state.room, idle.max(), np.inf, 0)
        if job < 0:
            return
        head = state.count[HEAD]
        jumps = state.count[JUMPED] if policy.counts_at_head else state.count[STARTED] - head
        if job != head and jumps >= policy.max_jumps:
            return
        if allocate(jobs.parts[job], rule, idle, state.order, state.score, state.taken):
            start(job, now, jobs, given, state, tree, fault)
        job += 1


@kernel
def release_next(i, given, state, held):
    """Add to `held` what the jobs from entry `i` of the plan that end together leave; go on."""
    end = state.plan[i]
    while i < state.count[RUNNING] and state.plan[i] == end:
        for c in range(len(held)):
            held[c] += given.allocation[state.whose[i], c]
        i += 1
    return i


@kernel
def may_start(job, now, jobs, given, policy, rule, state):
    """Whether a job fits and, under adaptive spanning, waits for no one cluster; write `taken`."""
    parts, idle = jobs.parts[job], state.idle
    if not allocate(parts, rule, idle, state.order, state.score, state.taken):
        return False
    if not policy.is_adaptive or np.count_nonzero(state.taken) < 2:
        return True
    held, until, i = idle.copy(), now + patience(jobs, job), 0
    while i < state.count[RUNNING] and state.plan[i] <= until:
        i = release_next(i, given, state, held)
        allocate(parts, rule, held, state.later, state.score, state.other)
        if np.count_nonzero(state.other) == 1:
            return False
    return True


@kernel
def plan_head(now, jobs, given, policy, rule, state, then_idle):
    """Return when the head is to start (infinity: never) and whether it may span then."""
    head, held, i = state.count[HEAD], state.idle.copy(), 0
    parts, first = jobs.parts[head], np.inf
    if policy.is_adaptive and allocate(parts, rule, held, state.later, state.score, state.other):
        first = now
        then_idle[:] = held
    while i < state.count[RUNNING]:
        instant = state.plan[i]
        if instant > first + patience(jobs, head):
            break
        i = release_next(i, given, state, held)
        if allocate(parts, rule, held, state.later, state.score, state.other):
            if not policy.is_adaptive or np.count_nonzero(state.other) == 1:
                then_idle[:] = held
                return instant, not policy.is_adaptive or patience(jobs, head) == 0
            if first == np.inf:
                first = instant
                then_idle[:] = held
    return first, True


@kernel
def serve_backfilling(now, jobs, given, policy, rule, state, tree, fault):
    """Start the head while it fits, then who delays it not, until none does: EASY."""
    idle, then_idle, n = state.idle, np.empty_like(state.idle), len(jobs.submit)
    again = True
    while again:
        again = False
        while state.count[HEAD] < n and may_start(
            state.count[HEAD], now, jobs, given, policy, rule, state
        ):
            start(state.count[HEAD], now, jobs, given, state, tree, fault)
            if fault.numbers[0] != NOTHING:
                return
        head = state.count[HEAD]
        if head == n:
            return
        planned, may_span = plan_head(now, jobs, given, policy, rule, state, then_idle)
        if planned == np.inf:
            return
        more = patience(jobs, head) if policy.is_adaptive and may_span else 0.0
        fault.instants[1] = planned + more
        if not state.promised[head]:
            state.promised[head] = True
            if given.promised[head] != planned + more:
                report(fault, PROMISE, head, head, now)
                return
        job = head + 1
        # One too many rather than one too few: what follows looks at the very lengths.
        longest = (planned - now) * (1 + 1e-9) + 1e-9 * abs(now)
        spare = then_idle.sum() - jobs.total[head]
        set_room(rule, idle, state.room)
        while True:
            job = next_candidate(tree, job, rule, state.room, idle.max(), longest, spare)
            if job < 0:
                break
            if may_start(job, now, jobs, given, policy, rule, state):
                keeps = True
                if now + length_on(jobs, job, state.taken) > planned:
                    left = then_idle - state.taken
                    keeps = allocate(
                        jobs.parts[head], rule, left, state.later, state.score, state.other
                    ) and (may_span or np.count_nonzero(state.other) == 1)
                    if keeps:
                        then_idle = left
                if keeps:
                    start(job, now, jobs, given, state, tree, fault)
                    if fault.numbers[0] != NOTHING:
                        return
                    again = True
                    spare = then_idle.sum() - jobs.total[head]
                    set_room(rule, idle, state.room)
            job += 1


@kernel
def none_else_started(now, given, state, fault):
    """Note the first job that the schedule starts by now and the policy does not."""
    while state.count[DUE] < len(given.by_start):
        job = given.by_start[state.count[DUE]]
        if given.start[job] > now:
            return
        if not state.started[job]:
            report(fault, EARLY, job, state.count[HEAD], given.start[job])
            return
        state.count[DUE] += 1


@kernel
def next_instant(jobs, given, policy, state):
    """Return when a job is submitted or leaves next; infinity where none does."""
    now = np.inf
    if state.count[GONE] < len(given.by_end):
        now = given.end[given.by_end[state.count[GONE]]]
    if policy.backlog:
        return now if state.count[STARTED] else 0.0
    if state.count[ARRIVED] < len(jobs.submit):
        now = min(now, jobs.submit[jobs.coming[state.count[ARRIVED]]])
    return now


@kernel
def replay(jobs, given, policy, rule, state, tree, fault, instants):
    """Replay a schedule for some more instants; note in `fault` what differs first.

    Return whether there is more to replay. It begins with idle clusters and an empty queue; all
    that it knows between two calls is in `state` and `tree`.
    """
    n = len(jobs.submit)
    for _ in range(instants):
        if state.count[STARTED] == n:
            return False
        now = next_instant(jobs, given, policy, state)
        again = True
        while again:
            let_leave(now, given, state, fault)
            let_come(now, jobs, policy, state, tree, fault)
            if fault.numbers[0] != NOTHING:
                return False
            before = state.count[STARTED]
            if policy.backfills:
                serve_backfilling(now, jobs, given, policy, rule, state, tree, fault)
            else:
                serve_in_turn(now, jobs, given, policy, rule, state, tree, fault)
            if fault.numbers[0] != NOTHING:
                return False
            tops_up = policy.backlog > 0 and state.count[ARRIVED] < n
            again = state.count[MOMENTARY] > 0 or (tops_up and state.count[STARTED] > before)
        none_else_started(now, given, state, fault)
        if fault.numbers[0] != NOTHING:
            return False
    return True
