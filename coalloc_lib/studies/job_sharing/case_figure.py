"""What the study's figures have in common: they show cases beside others of the same jobs."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import Figure, SimulatedFigure
from coalloc_lib.studies.job_sharing.parameters import SCALES, Scale
from coalloc_lib.studies.job_sharing.runs import Case, run_cases


class CaseFigure(SimulatedFigure):
    """A figure of cases.

    Attributes
    ----------
    needed : dict of sequence of Case
        By label: all that has to be run to show it, its entry and what that is held against.
    """

    needed: Mapping[Any, Sequence[Case]]

    def add(self, label: Any, scenario: Any = None) -> Self:
        """Refuse what is not the figure's own: nothing says what it would be held against."""
        if len(self.entries) == len(self.needed):
            return Figure.add(self, label, scenario)
        return super().add(label, scenario)

    @property
    def size(self) -> Scale:
        """The scale that was run."""
        return self.ran[0] if self.ran else SCALES["quick"]

    @property
    def cases(self) -> list[Case]:
        """All cases that the figure needs, each once."""
        return self.needed_by(self.needed)

    def needed_by(self, labels: Any) -> list[Case]:
        """Return all cases that some labels need, each once."""
        return list(dict.fromkeys(case for label in labels for case in self.needed[label]))

    def measure(self, entries: dict, scale: Any, seed: Seed, **how: Any) -> dict:
        """Run entries and what they are held against."""
        return dict(run_cases(self.needed_by(entries), seed, **how))
