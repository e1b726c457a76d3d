"""How busy each cluster is over time: a strip a cluster, a panel a way to run."""

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from coalloc_lib.checks import InputError
from coalloc_lib.plots.style import head, new_figure, some, title_figure

#: By how much rounding may take a share below 0 or above 1.
ROUNDING = 1e-9
#: Inches of a strip, of a panel's least height, and of what stands around each.
STRIP, LEAST, AROUND = 0.07, 0.35, 0.3


def timelines(
    panels: Mapping[str, NDArray[np.float64]], until: float, *, title: str, subtitle: str = "",
    xlabel: str, ylabel: str, values: str = "share of the processors busy",
) -> Figure:  # fmt: skip
    """Draw strips whose colour says how busy a cluster is: dark is busy, light is idle.

    Parameters
    ----------
    panels : dict of ndarray, shape (clusters, intervals)
        By heading: shares from 0 to 1, the first cluster on top.
    until : float
        Where the time axis ends; it begins at 0.
    ylabel : str
        What the strips are.
    values : str
        What the colours stand for.

    Raises
    ------
    InputError
        A share is none.
    """
    for heading, shares in some("panels", panels).items():
        wrong = ~(np.abs(np.asarray(shares) - 0.5) <= 0.5 + ROUNDING)
        if wrong.any():
            bad = np.asarray(shares)[wrong][0]
            raise InputError(f"panels[{heading!r}] has {bad:g}; give shares from 0 to 1")
    heights = [max(LEAST, STRIP * len(shares)) + AROUND for shares in panels.values()]
    figure, grid = new_figure(
        sum(heights) + 0.5, len(panels), 1, sharex=True, squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )  # fmt: skip
    for axes, (heading, shares) in zip(grid[:, 0], panels.items(), strict=True):
        drawn = axes.imshow(
            shares, aspect="auto", interpolation="nearest", cmap="cividis_r", norm=Normalize(0, 1),
            extent=(0, until, len(shares) + 0.5, 0.5),
        )  # fmt: skip
        axes.grid(False)
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10], prune=None))
        axes.set_ylim(len(shares) + 0.5, 0.5)
        axes.tick_params(length=2, labelsize=8)
        axes.set_ylabel(ylabel, fontsize=8)
        head(axes, heading)
    grid[-1, 0].set_xlabel(xlabel)
    figure.colorbar(drawn, ax=grid[:, 0], label=values, aspect=30, pad=0.02)
    title_figure(figure, title, subtitle)
    return figure
