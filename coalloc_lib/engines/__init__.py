"""The engines: one readable (SimPy), one compiled (Numba), the same schedules."""
