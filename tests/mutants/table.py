"""All mistakes, by the layer of what they spoil."""

from tests.mutants import (
    answers,
    backfilling,
    engines,
    formulas,
    rules,
    runs,
    studies,
    sweeps,
    use,
    workloads,
)

_MODULES = (workloads, rules, engines, backfilling, runs, formulas, answers, sweeps, studies, use)
MUTANTS = tuple(mutant for module in _MODULES for mutant in module.MUTANTS)
