"""Runs of the second study with other numbers, to see what follows them."""

from dataclasses import replace

from coalloc_lib.inference import Sample
from coalloc_lib.studies.cluster_configurations import figures
from tests.studies.cells import TINY


def shifted(found, change):
    """Runs whose maximal utilizations `change` makes; a line that bears less is slower too."""
    borne = {name: Sample(change(name, sample.values)) for name, sample in found.borne.items()}
    less = {name for name, sample in borne.items() if sample.mean < found.borne[name].mean}
    slow = {k: Sample(3 * v.values) for k, v in found.responses.items() if k[0] in less}
    return replace(found, borne=borne, responses=found.responses | slow)


def moved(part, by):
    return lambda name, values: values + by * (part in name)


def placed_otherwise(name, values):
    """Worst fit does what it should not: harms four components, helps one."""
    if "worst fit" not in name:
        return values
    return values + (-0.3 if name.startswith(("same size: 4", "same size: 25%")) else 0.3)


def drawn(found, name):
    """Return a figure with what `found` has of it."""
    return next(f for f in figures.all_figures(found, TINY, 1) if f.name == name)
