"""The house: imports run one way, and modules stay small enough to read."""

import ast
from graphlib import TopologicalSorter

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "coalloc_lib"

#: From the ground up; a module imports from its own layer and from those below it.
LAYERS = (
    ("cards", "checks", "columns", "compilation", "estimates", "files", "progress", "seeds"),
    ("system", "distributions", "jobs", "splitting", "workloads"),
    ("placement", "profile", "scheduling", "names"),
    ("engines",),
    ("simulation", "scenario", "schedule", "verification", "waiting", "analytic"),
    ("curves", "inference", "saturation", "sweep", "plots"),
    ("studies", "widgets", "cli", "__main__"),
)
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for path in MODULES}


def imports_of(path):
    """Return the modules of this package that a module imports, at its top or in a function."""
    return imported(path.read_text(encoding="utf-8"))


def imported(source):
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in NAMES else node.module for name in whole}
    return {name for name in found if name.split(".")[0] == "coalloc_lib"}


def height_of(name):
    """The layer of a module; the package itself, with the public names, is above all."""
    parts = name.split(".")
    return HEIGHT[parts[1]] if len(parts) > 1 else len(LAYERS)


def uphill(name, targets):
    top = len(LAYERS) - 1
    allowed = {"coalloc_lib"} if height_of(name) >= top else set()
    return {t for t in targets if height_of(t) > height_of(name) and t not in allowed}


def test_every_module_has_a_layer():
    parts = {name.split(".")[1] for name in NAMES if "." in name}
    assert parts <= set(HEIGHT), "give the new module a layer here and in CONTRIBUTING.md"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_run_one_way(path):
    assert not uphill(name_of(path), imports_of(path))


def test_an_import_uphill_would_be_found():
    targets = imported("def f():\n    from coalloc_lib.simulation import simulate\n")
    assert targets == {"coalloc_lib.simulation"}
    assert uphill("coalloc_lib.engines.compiled", targets) == targets
    assert uphill("coalloc_lib.jobs", imported("import coalloc_lib as co")) == {"coalloc_lib"}
    assert imported("from coalloc_lib.engines import kernels") == {"coalloc_lib.engines.kernels"}


def test_no_modules_import_each_other_in_a_circle():
    graph = {name_of(path): imports_of(path) - {name_of(path)} for path in MODULES}
    list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_can_be_read_in_one_sitting(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_contributing_names_every_module_of_the_table():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {name for name in HEIGHT if f"`{name}`" in text or f"`{name}/`" in text}
    assert named == set(HEIGHT) - {"__main__"}
