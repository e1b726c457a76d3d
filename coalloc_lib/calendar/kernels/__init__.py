"""The fast side of the calendar: idle periods in arrays, and loops over them.

`rows` keeps periods sorted, in blocks; `periods` searches them, takes from them and gives back.
"""

from pathlib import Path

from coalloc_lib.basics.compilation import compiler

#: What the machine code of whoever calls these kernels is made of, besides its own sources.
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.py")))

#: The decorator of every function of this package.
kernel = compiler(SOURCES)
