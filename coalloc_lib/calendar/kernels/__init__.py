"""Kernels (functions compiled by Numba) that store and search idle periods in arrays."""

from pathlib import Path

from coalloc_lib.basics.compilation import compiler

#: The source files of this package. If one of them changes, the kernels of this package and the
#: kernels that call them are compiled again.
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.py")))

#: The decorator that compiles the kernels of this package.
kernel = compiler(SOURCES)
