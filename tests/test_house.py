"""The house: imports run one way, and modules stay small enough to read.

The library ends where the papers begin: it imports nothing of the notebooks.
"""

import ast
import re
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

import coalloc_lib
from tests.conftest import ROOT

PACKAGE = ROOT / "coalloc_lib"
NOTEBOOKS = ROOT / "notebooks"

#: The folders from the ground up; a module imports from its own folder and from those below it.
LAYERS = [*coalloc_lib._LAYERS, "__main__"]
HEIGHT = {name: height for height, name in enumerate(LAYERS)}
MODULES = sorted(PACKAGE.rglob("*.py"))
STUDIES = sorted(p for n in ("studies", "own_system") for p in (NOTEBOOKS / n).rglob("*.py"))
#: The packages beside the notebooks.
OUTSIDE = {path.parent.name for path in NOTEBOOKS.glob("*/__init__.py")}


def name_of(path):
    """Return the name by which a module of the library or of the notebooks is imported."""
    start = NOTEBOOKS if path.is_relative_to(NOTEBOOKS) else ROOT
    parts = path.relative_to(start).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for path in [*MODULES, *STUDIES]}


def imported(source, package="coalloc_lib"):
    """Return the modules of a package that a source imports, at its top or in a function.

    What is imported for type checkers alone is left out: it is never imported at run time.
    """
    found = set()
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in NAMES else node.module for name in whole}
    return {name for name in found if name.split(".")[0] == package}


@cache
def imports():
    """Return the modules of the library that each of its modules imports."""
    return {name_of(path): imported(path.read_text("utf-8")) for path in MODULES}


def height_of(name):
    """The layer of a module; the package itself, with the public names, is above all."""
    parts = name.split(".")
    return HEIGHT[parts[1]] if len(parts) > 1 else len(LAYERS)


def uphill(name, targets):
    allowed = {"coalloc_lib"} if height_of(name) >= HEIGHT["cli"] else set()
    return {t for t in targets if height_of(t) > height_of(name) and t not in allowed}


def test_folders_are_the_layers_and_nothing_else_lies_at_the_root():
    found = {name.split(".")[1] for name in imports() if "." in name}
    assert found == set(HEIGHT)


def test_every_folder_describes_itself_and_names_where_to_begin():
    for name in coalloc_lib._LAYERS:
        text = ast.get_docstring(ast.parse((PACKAGE / name / "__init__.py").read_text("utf-8")))
        begin = re.search(r"Begin\swith\s+`(\w+)`", text or "")
        assert begin, name
        assert f"coalloc_lib.{name}.{begin[1]}" in NAMES
    shown = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert [name for name in coalloc_lib._LAYERS if f"`{name}/`" not in shown] == []


def drawn():
    """Return the imports by folder as a picture in letters: each row imports what is marked."""
    folders = coalloc_lib._LAYERS
    graph = package_graph(imports())
    lines = []
    for row, folder in enumerate(folders):
        used = graph[f"coalloc_lib.{folder}"]
        marks = "".join("●" if f"coalloc_lib.{each}" in used else "·" for each in folders[:row])
        lines.append(f"{folder:12}{marks}")
    return "\n".join(lines)


def test_the_picture_of_the_imports_is_true():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert f"```text\n{drawn()}\n```" in text, f"put this there:\n{drawn()}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_downhill_is_short_and_has_types(path):
    name, text = name_of(path), path.read_text("utf-8")
    assert not uphill(name, imports()[name])
    assert len(text.splitlines()) <= 600, "more than can be read in one sitting"
    assert name.startswith(UNTYPED) or not untyped(text)


def test_the_library_imports_nothing_that_stands_beside_the_notebooks():
    assert {"studies", "lessons"} <= OUTSIDE
    sources = {name_of(path): path.read_text("utf-8") for path in MODULES}
    found = {name: set().union(*(imported(text, each) for each in OUTSIDE))
             for name, text in sources.items()}  # fmt: skip
    assert {name: modules for name, modules in found.items() if modules} == {}


#: Modules that only a notebook calls.
OF_LESSONS = ("lesson.py", "filling.py", "tree_search.py")


@pytest.mark.parametrize("path", STUDIES, ids=name_of)
def test_a_module_of_the_studies_is_short_and_has_types(path):
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 600, "more than can be read in one sitting"
    assert path.name in OF_LESSONS or not untyped(text)


def package_graph(imports):
    """Return which packages and root modules import which others."""

    def part_of(name):
        return ".".join(name.split(".")[:2])

    graph = defaultdict(set)
    for name, targets in imports.items():
        graph[part_of(name)] |= {part_of(target) for target in targets} - {part_of(name)}
    graph.pop("coalloc_lib", None)  # its public names: above all
    return {part: targets - {"coalloc_lib"} for part, targets in graph.items()}


def in_order(graph):
    return list(TopologicalSorter(graph).static_order())


def test_no_modules_and_no_packages_import_each_other_in_a_circle():
    assert in_order({name: targets - {name} for name, targets in imports().items()})
    assert in_order(package_graph(imports()))
    studies = {name_of(path): imported(path.read_text("utf-8"), "studies") for path in STUDIES}
    assert in_order({name: targets - {name} for name, targets in studies.items()})


def test_pictures_know_intervals_and_nothing_else():
    allowed = {f"coalloc_lib.{name}" for name in ("plots", "intervals", "basics")}
    assert package_graph(imports())["coalloc_lib.plots"] <= allowed


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


def test_what_breaks_the_house_would_be_found():
    targets = imported("def f():\n    from coalloc_lib.simulation.run import simulate\n")
    assert targets == {"coalloc_lib.simulation.run"}
    assert uphill("coalloc_lib.engines.compiled", targets) == targets
    assert uphill("coalloc_lib.model.jobs", imported("import coalloc_lib as co")) == {"coalloc_lib"}
    assert imported("def f():\n    import studies.study\n", "studies") == {"studies.study"}
    assert imported("from coalloc_lib.engines import kernels") == {"coalloc_lib.engines.kernels"}
    circle = {"coalloc_lib.a.x": {"coalloc_lib.b"}, "coalloc_lib.b.y": {"coalloc_lib.a.z"}}
    with pytest.raises(CycleError):
        in_order(package_graph(circle))
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
