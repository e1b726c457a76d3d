"""All mistakes, by the layer of what they spoil."""

from tests.mutants import (
    answers,
    backfilling,
    engines,
    formulas,
    models,
    patience,
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
    patience,
    runs,
    formulas,
    answers,
    sweeps,
    studies,
    use,
)
MUTANTS = tuple(mutant for module in _MODULES for mutant in module.MUTANTS)
