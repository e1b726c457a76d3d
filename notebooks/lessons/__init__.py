"""What the notebooks teach with: guesses, checked exercises, leaderboards, and a module a notebook.

A notebook's kernel works in the notebook's folder, so ``from lessons import guess`` finds this
package wherever Jupyter was started.
"""

from lessons.teaching import checker, guess

__all__ = ["checker", "guess"]
