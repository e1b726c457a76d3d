"""Two engines run a stream under its policies: a readable one (SimPy), a compiled one (Numba).

Arguments are checked before, in `simulation`; results are read after, in `schedules`. Begin with
`reference`, which defines what `compiled` must do.
"""
