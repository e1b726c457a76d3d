"""Progress bars for long runs, in a terminal or in a notebook. By default no bar is shown."""

import builtins
from typing import Any, Self


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
        # The imports are inside this method because they are slow: tqdm.auto tests whether it runs
        # in a notebook.
        from tqdm.auto import tqdm
        from tqdm.notebook import tqdm_notebook

        self.steps = self.found = 0
        is_widget = shown and issubclass(tqdm, tqdm_notebook)
        options = {"display": False} if is_widget else {}
        self._bar = tqdm(
            total=0, unit=unit, leave=False, dynamic_ncols=True, disable=not shown, **options
        )
        self._output = _display(self._bar.container) if is_widget else None
        if (getattr(self._bar, "ncols", None) or 1) < 0:  # the terminal does not report its size
            self._bar.ncols, self._bar.nrows, self._bar.dynamic_ncols = 80, 24, None

    def total(self, steps: int, found: int = 0) -> None:
        """Increase the total number of steps by `steps`, for example for the next part of a run."""
        self.steps += steps
        self.found += found
        self._bar.total = self.steps
        self._bar.refresh()

    def step(self) -> None:
        """Advance the progress bar by one step."""
        self._bar.update()

    def close(self) -> None:
        """Remove the progress bar."""
        self._bar.close()
        if self._output is not None:
            # A notebook file would otherwise keep a reference to the widget that was removed, and
            # JupyterLab would show an error when the file is opened again.
            self._output.update({"text/plain": ""}, raw=True)


def _display(widget: Any) -> Any:
    # Show a widget, and return the handle that can replace it.
    from IPython.display import display

    return display(widget, display_id=True)
