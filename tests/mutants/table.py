"""All mistakes."""

from tests.mutants import answers, formulas, rules, use, workloads

MUTANTS = (
    *rules.MUTANTS,
    *formulas.MUTANTS,
    *workloads.MUTANTS,
    *answers.MUTANTS,
    *use.MUTANTS,
)
