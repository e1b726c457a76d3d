"""The house: imports run one way, and modules stay small enough to read."""

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "coalloc_lib"

#: From the ground up; a module imports from its own layer and from those below it.
LAYERS = (
    ("checks", "compilation", "display", "intervals", "files", "progress", "seeds"),
    ("system", "distributions", "jobs", "workloads"),
    ("placement", "profile", "calendar", "scheduling", "names"),
    ("engines",),
    (
        "simulation",
        "scenario",
        "metrics",
        "schedule",
        "sites",
        "verification",
        "explain",
        "analytic",
    ),
    ("curves", "saturation", "sweep"),
    ("plots",),
    ("studies",),
    ("widgets", "cli", "__main__", "public"),
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


def part_of(name):
    """Return the package or root module that a module belongs to."""
    return ".".join(name.split(".")[:2])


def package_graph(imports):
    """Return which packages and root modules import which others."""
    graph = defaultdict(set)
    for name, targets in imports.items():
        graph[part_of(name)] |= {part_of(target) for target in targets} - {part_of(name)}
    graph.pop("coalloc_lib", None)  # its public names: above all
    return {part: targets - {"coalloc_lib"} for part, targets in graph.items()}


def test_no_packages_import_each_other_in_a_circle():
    graph = package_graph({name_of(path): imports_of(path) for path in MODULES})
    list(TopologicalSorter(graph).static_order())


def test_a_circle_of_packages_would_be_found():
    graph = package_graph(
        {"coalloc_lib.a.x": {"coalloc_lib.b"}, "coalloc_lib.b.y": {"coalloc_lib.a.z"}}
    )
    with pytest.raises(CycleError):
        list(TopologicalSorter(graph).static_order())


def test_pictures_know_intervals_and_nothing_else():
    imports = {name_of(path): imports_of(path) for path in MODULES}
    allowed = {f"coalloc_lib.{name}" for name in ("plots", "intervals", "checks")}
    assert package_graph(imports)["coalloc_lib.plots"] <= allowed


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_can_be_read_in_one_sitting(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


def test_contributing_names_every_module_of_the_table():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {name for name in HEIGHT if f"`{name}`" in text or f"`{name}/`" in text}
    assert named == set(HEIGHT) - {"__main__"}


#: Kernels and what prepares them branch on whole numbers; their docstrings tell arrays and dtypes.
UNTYPED = (
    "coalloc_lib.engines.kernels",
    "coalloc_lib.analytic.kernels",
    "coalloc_lib.calendar.kernels",
)


def public_functions(tree, inside=""):
    """Yield name and node of each public function and method, special methods among them."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node, f"{inside}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            special = node.name.startswith("__") and inside
            if special or not node.name.startswith("_"):
                yield inside + node.name, node


def untyped(source):
    """Return the public functions that leave a type out: of an argument, or of the result."""
    found = []
    for name, node in public_functions(ast.parse(source)):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        arguments += [each for each in (node.args.vararg, node.args.kwarg) if each]
        typed = [each.annotation for each in arguments if each.arg not in ("self", "cls")]
        if name.split(".")[-1] != "__init__":
            typed.append(node.returns)
        if None in typed:
            found.append(name)
    return found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_public_functions_have_types(path):
    if not name_of(path).startswith(UNTYPED):
        assert not untyped(path.read_text(encoding="utf-8"))


def test_a_function_without_types_would_be_found():
    source = """
def f(a: int, *, b) -> int: ...
def g(a: int): ...
def _h(a): ...
class A:
    def __init__(self, a: int): ...
    def m(self, *rest: int) -> None: ...
    def n(self, **rest) -> None: ...
"""
    assert untyped(source) == ["f", "g", "A.n"]
