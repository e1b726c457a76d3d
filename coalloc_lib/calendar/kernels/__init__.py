"""Kernels (functions compiled by Numba) that store and search idle periods in arrays."""

from pathlib import Path

from coalloc_lib.basics.compilation import compiler

#: The source files of this package. A kernel that calls these kernels is compiled again when one of
#: these files changes.
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.py")))

#: The decorator that compiles each kernel of this package.
kernel = compiler(SOURCES)
