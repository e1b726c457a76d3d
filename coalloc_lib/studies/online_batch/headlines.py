"""What is seen in each figure, from its own numbers; each could say the opposite."""

from typing import Any

from coalloc_lib.studies.online_batch.parameters import (
    EXACT,
    FEATURES,
    ONLINE,
    RECORDED,
    REQUESTED,
)

#: How many times as long wide jobs wait where they wait longer, at least.
WIDER = 1.5


def _times(number: float) -> str:
    """Return how many times as much, in words.

    Examples
    --------
    >>> _times(0.123), _times(1.96), _times(31.2), _times(612.3)
    ('0.12', '2', '31', '612')
    """
    return f"{number:.0f}" if number >= 100 else f"{number:.2g}"


def features(figure: Any) -> str:
    """Table 1: how far the mean run times are from print."""
    told = [
        f"{name} {figure.length(name):.2f} ({FEATURES[name][2]:.2f} printed)"
        for name in figure.logs
    ]
    return f"Mean run times in hours: {', '.join(told)}"


def waits(figure: Any) -> str:
    """How online and EASY compare, by what they are told of lengths."""
    told = []
    for length in (EXACT, REQUESTED):
        ratios = [
            online.estimate / easy.estimate
            for (*machine, its, policy) in figure.entries
            if (its, policy) == (length, ONLINE)
            and (online := figure.wait((*machine, its, ONLINE))) is not None
            and (easy := figure.wait((*machine, its, "EASY"))) is not None
            and easy.estimate > 0
        ]
        told.append(f"{_times(min(ratios))} to {_times(max(ratios))} times with {length} lengths")
    return f"Mean waits online over those of EASY: {', '.join(told)}"


def penalties(figure: Any) -> str:
    """Figure 3: the temporal penalty of small and of middle jobs, online over the others."""
    told = []
    for policy in (RECORDED, "EASY"):
        ratios = [
            [
                one.estimate / other.estimate
                for (_, one), (_, other) in zip(lines[ONLINE], lines[policy], strict=True)
                if other.estimate > 0
            ]
            for lines in figure.drawn().values()
            if policy in lines
        ]
        if ratios:
            ends = f"{_times(min(ratios[-1]))} to {_times(max(ratios[-1]))}"
            name = "what was recorded" if policy == RECORDED else f"our {policy}"
            small = f"under a minute {_times(ratios[0][0])}, small {_times(figure.small(policy))}"
            told.append(f"{name}: {small}, 2 to 10 h {ends}")
    return f"Penalty online over that of {'; of '.join(told)}"


def tails(figure: Any) -> str:
    """Figure 4: the longest waits of each log, online, by EASY, and as recorded."""
    told: dict[str, list[str]] = {}
    for label, case in figure.entries.items():
        longest = f"{figure.result(label).number('longest'):.0f} h"
        own = case.servers == case.log.servers
        if case.policy == ONLINE:
            told.setdefault(case.log.name, []).append(f"{longest} on {case.servers} servers")
        elif own and case.policy in (RECORDED, "EASY"):
            told[case.log.name].append(f"{case.policy} {longest}")
    return "Longest waits online: " + "; ".join(
        f"{name} {', '.join(each)}" for name, each in told.items()
    )


def lengths(figure: Any) -> str:
    """Figure 4(b): which share of the jobs is shorter than two hours."""
    told = [f"{100 * figure.share(label, 2.0):.0f} % ({label[1]})" for label in figure.entries]
    return f"Jobs shorter than two hours: {', '.join(told)}"


def by_servers(figure: Any) -> str:
    """Figure 5: under which policies the widest jobs wait longer than the narrowest."""
    rises: dict[str, list[float]] = {}
    for lines in figure.drawn().values():
        for policy, points in lines.items():
            if points[0][1].estimate > 0:
                rise = points[-1][1].estimate / points[0][1].estimate
                rises.setdefault(policy, []).append(rise)
    grown = [policy for policy, each in rises.items() if min(each) > WIDER]
    others = [policy for policy in rises if policy not in grown]
    if not grown:
        return "Wide jobs do not wait much longer than narrow ones under any policy"
    least = _times(min(min(rises[policy]) for policy in grown))
    told = f"Wide jobs wait longer, at least {least} times, whoever schedules"
    return told + (f", but for {' and '.join(others)}" if others else "")


def attempts(figure: Any) -> str:
    """Table 2: attempts a request of the smallest group and of the largest, of printed logs."""
    told = []
    for label, case in figure.entries.items():
        points = figure.points([label])
        if case.length == EXACT and points and label[0] in figure.printed:
            ends = " to ".join(f"{points[i][1].estimate:.3g}" for i in (0, -1))
            told.append(f"{ends} ({case.log.name}, {case.servers})")
    return f"Attempts from up to 50 servers to the widest requests: {', '.join(told)}"


def reservations(figure: Any) -> str:
    """Figure 6: the 99th percentile of waits, without and with most reservations."""
    told = []
    for panel in dict.fromkeys(label[0] for label in figure.entries):
        tails = {
            label[1]: figure.result(label).number("p99")
            for label in figure.entries
            if label[0] == panel and label[1].startswith(ONLINE)
        }
        first, *_, last = tails.items()
        told.append(f"{panel}: {first[1]:.0f} to {last[1]:.0f} h")
    shares = f"from {first[0].split('ρ')[1].strip(' =')} to {last[0].split('ρ')[1].strip(' =')}"
    return f"With ρ {shares}, the 99th percentile of waits goes: {'; '.join(told)}"


def mean_waits(figure: Any) -> str:
    """Figure 7(a): the mean wait without reservations and with reservations alone."""
    (lines,) = figure.drawn().values()
    told = [
        f"{points[0][1].estimate:.2f} to {points[-1][1].estimate:.2f} h ({line})"
        for line, points in lines.items()
    ]
    return f"From no reservations to reservations alone, the mean wait goes {', '.join(told)}"


def operations(figure: Any) -> str:
    """Figure 7(b): by how much the operations a request change at most."""
    told = []
    for line, points in figure.lines().items():
        base = points[0][1].estimate
        change = max(abs(found.estimate / base - 1) for _, found in points)
        told.append(f"{100 * change:.0f} % ({line})")
    return f"Operations a request change with reservations by at most {', '.join(told)}"


def growth(figure: Any) -> str:
    """Say how many times as much each part takes where N, Q or n doubles."""
    told = []
    for panel in figure.VARIED:
        *phases, update = (2 ** figure.exponent(panel, part).estimate for part in figure.PARTS)
        told.append(f"{panel[-1]}: update × {update:.2g}, a phase × {max(phases):.2g} at most")
    return f"Operations where one number doubles, {'; '.join(told)}"


def policies(figure: Any) -> str:
    """Which policy has the shortest mean wait on each log."""
    told = []
    for length in (EXACT, REQUESTED):
        best: dict[str, dict[str, float]] = {}
        for name, servers, its, policy in figure.entries:
            wait = figure.wait((name, servers, its, policy))
            if its == length and wait is not None:
                best.setdefault(name, {})[policy] = wait.estimate
        shortest = {name: min(each, key=each.__getitem__) for name, each in best.items()}
        first, *others = dict.fromkeys(shortest.values())
        each_log = ", ".join(f"{policy} ({name})" for name, policy in shortest.items())
        told.append(f"{each_log if others else f'{first} on every log'}, lengths {length}")
    return f"Shortest mean wait: {'; '.join(told)}"


def certainty(figure: Any) -> str:
    """Say what the mean wait is over that of EASY, by policy and lengths."""
    told: dict[str, list[float]] = {}
    for cell, found in figure.intervals().items():
        told.setdefault(f"{cell.series}, {cell.panel}", []).append(found.estimate)
    each = [f"{_times(min(all_))} to {_times(max(all_))} ({name})" for name, all_ in told.items()]
    return f"A start told at submission makes the mean wait that of EASY times {', '.join(each)}"


def sensitivity(figure: Any) -> str:
    """Say which change moves the mean wait most, by lengths, and what it refuses."""
    told = []
    for panel in dict.fromkeys(cell.panel for cell in figure.bases):
        ratios = {c: each for c, each in figure.intervals().items() if c.panel == panel}
        cell = max(ratios, key=lambda c: max(ratios[c].estimate, 1 / ratios[c].estimate))
        words = [panel, f"{cell.series}: × {_times(ratios[cell].estimate)}"]
        words += filter(None, [figure.refusals(cell)])
        told.append(f"{cell.row} ({', '.join(words)})")
    return f"What changes the mean wait most: {'; '.join(told)}"


def clusters(figure: Any) -> str:
    """How much longer waits are where jobs are spread at once, at the largest penalty."""
    most = max(label[2] for label in figure.entries)
    told = []
    for panel in dict.fromkeys(label[0] for label in figure.entries):
        found = figure.against(panel, most)
        if found is not None:
            ends = f"{found.low:.2f} to {found.high:.2f}"
            told.append(f"× {found.estimate:.2g} ({panel.split(',')[0]}, 95 %: {ends})")
    said = ", ".join(told)
    return f"Mean wait spreading at once, over one cluster first, at penalty {most:g}: {said}"
