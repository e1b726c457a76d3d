"""Progress of long runs: a bar in a terminal and in a notebook alike, and silence by default."""


class Silent:
    """Takes note of nothing; what a long run reports to when nobody watches."""

    def total(self, steps):
        """Announce that `steps` more steps are to come."""

    def step(self, text=""):
        """Report one step as done; `text` says which."""

    def close(self):
        """Take the bar away."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


#: The default of every function that takes a `progress`.
SILENT = Silent()


class Progress(Silent):
    """A bar on stderr, or a widget in a notebook.

    Parameters
    ----------
    unit : str
        What one step is called.

    Examples
    --------
    >>> with Progress() as progress:  # doctest: +SKIP
    ...     progress.total(2)
    ...     progress.step("first")
    ...     progress.step("second")
    """

    def __init__(self, unit="run"):
        # Imported here: tqdm.auto looks for a notebook, which `import coalloc_lib` need not.
        from tqdm.auto import tqdm

        self._bar = tqdm(total=0, unit=unit, leave=False, dynamic_ncols=True)

    def total(self, steps):
        """Make the bar longer by `steps`; several parts of a run may each announce theirs."""
        self._bar.total += steps
        self._bar.refresh()

    def step(self, text=""):
        """Advance the bar by one and show `text` before it."""
        if text:
            self._bar.set_description(text, refresh=False)
        self._bar.update()

    def close(self):
        """Take the bar away."""
        self._bar.close()
