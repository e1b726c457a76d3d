"""Progress of long runs: a bar in a terminal and in a notebook alike, and silence by default."""

from typing import Self


class NullProgress:
    """What a long run reports to when nobody watches. Threads may report, one at a time."""

    def total(self, steps: int, found: int = 0) -> None:
        """Announce that `steps` more steps are to come, and that `found` were done before."""

    def step(self) -> None:
        """Report one step as done."""

    def close(self) -> None:
        """Take the bar away."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


#: The default of every function that takes a `progress`.
NO_PROGRESS = NullProgress()


class Progress(NullProgress):
    """A bar on stderr, or a widget in a notebook, and the count of what need not be done again.

    `unit` is what one step is called; the counts are kept even where the bar is not `shown`.
    `steps` have been announced so far, and `found` were done before: those that a sweep had in its
    cache.
    """

    def __init__(self, unit: str = "run", shown: bool = True) -> None:
        # Imported here: tqdm.auto looks for a notebook, which `import coalloc_lib` need not.
        from tqdm.auto import tqdm

        self.steps = self.found = 0
        self._bar = tqdm(total=0, unit=unit, leave=False, dynamic_ncols=True, disable=not shown)
        if (getattr(self._bar, "ncols", None) or 1) < 0:  # the terminal does not tell its size
            self._bar.ncols, self._bar.nrows, self._bar.dynamic_ncols = 80, 24, None

    def total(self, steps: int, found: int = 0) -> None:
        """Make the bar longer by `steps`; several parts of a run may each announce theirs."""
        self.steps += steps
        self.found += found
        self._bar.total = self.steps
        self._bar.refresh()

    def step(self) -> None:
        """Advance the bar by one."""
        self._bar.update()

    def close(self) -> None:
        """Take the bar away."""
        self._bar.close()
