"""Progress bars for long runs, in a terminal or in a notebook. By default no bar is shown."""

import builtins
from typing import Self


def in_notebook() -> bool:
    """Return whether the code runs in IPython, for example in a Jupyter notebook."""
    return bool(getattr(builtins, "__IPYTHON__", False))


class NullProgress:
    """A progress bar that shows nothing; the base class of `Progress`.

    Several threads may report, but only one at a time.
    """

    def total(self, steps: int, found: int = 0) -> None:
        """Announce `steps` steps still to be done, and `found` steps that are already done."""

    def step(self) -> None:
        """Report that one step is done."""

    def close(self) -> None:
        """Remove the progress bar."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


#: The default value of the argument `progress` of the functions that can show a progress bar.
NO_PROGRESS = NullProgress()


class Progress(NullProgress):
    """A progress bar: text on stderr in a terminal, and a widget in a notebook.

    Parameters
    ----------
    unit : str
        The name of one step, which the bar shows with the speed.
    shown : bool
        Whether to show the bar. The attributes below are counted even if it is not shown.

    Attributes
    ----------
    steps : int
        Number of steps announced so far.
    found : int
        Number of steps that were not necessary, because their results were in a cache.

    Examples
    --------
    >>> with Progress(shown=False) as progress:
    ...     progress.total(2, found=3)
    ...     progress.step()
    >>> progress.steps, progress.found
    (2, 3)
    """

    def __init__(self, unit: str = "run", shown: bool = True) -> None:
        # The import is inside this method because it is slow: tqdm.auto tests whether it runs in a
        # notebook.
        from tqdm.auto import tqdm

        self.steps = self.found = 0
        self._bar = tqdm(total=0, unit=unit, leave=False, dynamic_ncols=True, disable=not shown)
        if (getattr(self._bar, "ncols", None) or 1) < 0:  # the terminal does not report its size
            self._bar.ncols, self._bar.nrows, self._bar.dynamic_ncols = 80, 24, None

    def total(self, steps: int, found: int = 0) -> None:
        """Increase the total number of steps by `steps`, for example for the next part of a run."""
        self.steps += steps
        self.found += found
        self._bar.total = self.steps
        self._bar.refresh()

    def step(self) -> None:
        """Advance the bar by one step."""
        self._bar.update()

    def close(self) -> None:
        """Remove the progress bar."""
        self._bar.close()
