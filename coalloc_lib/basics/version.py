"""The version of the library, which `coalloc_lib.__version__` repeats."""

VERSION = "1.0.0"
