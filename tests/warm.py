"""Compiles every kernel into Numba's cache: worker processes that write one cache can crash."""

from coalloc_lib.statistics.sweep import compile_kernels

if __name__ == "__main__":
    compile_kernels()
