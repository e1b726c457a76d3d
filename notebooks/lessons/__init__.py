"""Teaching tools for the notebooks: guesses, checked exercises and leaderboards.

The package also has the code of the notebooks 00 (`tour`) and 06 (`playground`). A kernel runs in
the folder of its notebook, so this package can be imported wherever Jupyter was started.
"""

import pandas as pd

from lessons.teaching import checker, folded, guess

__all__ = ["checker", "folded", "guess"]

# The sentences in some tables are longer than the 50 characters that pandas shows.
pd.options.display.max_colwidth = 200
