"""All mistakes, by the layer of what they spoil."""

from tests.mutants import (
    answers,
    backfilling,
    bookings,
    desks,
    engines,
    formulas,
    index,
    models,
    online_study,
    rules,
    runs,
    sites,
    studies,
    sweeps,
    use,
    workloads,
)

_MODULES = (
    workloads,
    models,
    sites,
    rules,
    engines,
    backfilling,
    bookings,
    index,
    runs,
    formulas,
    answers,
    sweeps,
    studies,
    desks,
    online_study,
    use,
)
MUTANTS = tuple(mutant for module in _MODULES for mutant in module.MUTANTS)
