"""Twenty jobs that splitting helps, and twenty that it hurts, to be played."""

from dataclasses import dataclass

import numpy as np

from coalloc_lib.checks import one_of
from coalloc_lib.schedule import Schedule
from coalloc_lib.studies.communication_penalty.parameters import ABOVE, PARTS, WHOLE, scenario

#: Jobs of a case, and its penalty: near the threshold of the whole stream.
JOBS, PENALTY = 20, 0.2
#: Offered: more than is borne, so that twenty jobs get to wait.
LOAD = 1.5
#: Seeds that were looked through, and what came of it; `search` finds them again.
SEEDS = range(400)
FOUND = {"helps": 196, "hurts": 106}


@dataclass(frozen=True)
class Case:
    """The same jobs, whole and with the large ones split, under first come, first served.

    Parameters
    ----------
    seed : int
        Of the jobs.
    """

    seed: int

    @property
    def whole(self) -> Schedule:
        """Nothing is split."""
        return scenario(0).simulate(JOBS, load=LOAD, seed=self.seed)

    @property
    def split(self) -> Schedule:
        """Large jobs are, and pay."""
        jobs = WHOLE.with_(above=ABOVE, parts=PARTS, span_penalty=PENALTY)
        return scenario(0, jobs).simulate(JOBS, load=LOAD, seed=self.seed)

    @property
    def ratio(self) -> float:
        """Mean response time of the split jobs over that of the whole ones."""
        return float(self.split.response.mean() / self.whole.response.mean())

    @property
    def schedules(self) -> dict[str, Schedule]:
        """Both, by labels that say what to look for: how many are split, and the mean responses."""
        split = np.count_nonzero(np.count_nonzero(self.split.allocation, axis=1) > 1)
        names = {"no co-allocation": self.whole, f"{split} jobs split, ψ = {PENALTY}": self.split}
        return {
            f"{name}: mean response {schedule.response.mean():.1f}": schedule
            for name, schedule in names.items()
        }

    @property
    def words(self) -> str:
        """What the viewer should see."""
        whole, split = self.whole, self.split
        sooner, later = (
            np.count_nonzero(sign * (split.end - whole.end) > 1e-9) for sign in (-1, 1)
        )
        change = 100 * (self.ratio - 1)
        waits = [f"{schedule.wait.mean():.1f}" for schedule in (whole, split)]
        return (
            f"Mean response {whole.response.mean():.1f} whole and {split.response.mean():.1f} "
            f"split ({change:+.0f} %): {sooner} of {JOBS} jobs end sooner, {later} later; the mean "
            f"wait goes from {waits[0]} to {waits[1]}".replace("-", "−")
        )


def splitting_case(kind: str) -> Case:
    """Return the case in which splitting ``"helps"``, or ``"hurts"``."""
    return Case(FOUND[one_of("kind", kind, tuple(FOUND))])


def splitting_cases() -> dict[str, dict[str, Schedule]]:
    """Return the schedules of both cases, ``"helps"`` and ``"hurts"``, each for `co.Player`.

    Examples
    --------
    >>> sorted(splitting_cases())
    ['helps', 'hurts']
    """
    return {kind: Case(seed).schedules for kind, seed in FOUND.items()}


def search() -> dict[str, int]:
    """Return the seeds of `SEEDS` whose jobs splitting helps most, and hurts most."""
    ratios = [Case(seed).ratio for seed in SEEDS]
    return {"helps": SEEDS[int(np.argmin(ratios))], "hurts": SEEDS[int(np.argmax(ratios))]}
