"""The fast side of the calendar: idle periods in arrays, and loops over them."""

from pathlib import Path

from coalloc_lib.basics.compilation import compiler

#: The machine code of a kernel that calls these kernels is made of these files too.
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.py")))

#: The decorator of every function of this package.
kernel = compiler(SOURCES)
