"""What the notebooks teach with: guesses, checked exercises, leaderboards, and a module a notebook.

A kernel works in its notebook's folder, and finds this package wherever Jupyter was started.
"""

from lessons.teaching import checker, guess

__all__ = ["checker", "guess"]
