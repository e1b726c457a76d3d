"""What a newcomer meets first: the environment, the Makefile, and how long an import takes."""

import inspect
import os
import re
import subprocess
import sys
import tomllib

import pytest
import yaml

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MAKEFILE = (ROOT / "Makefile").read_text()
#: The environment without the variables of a `make` that runs these tests. With MAKELEVEL, another
#: `make` would also print which folder it enters and leaves.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
}
HEAVY = [
    "numba", "scipy", "pandas", "matplotlib", "simpy", "pooch", "IPython", "ipywidgets",
    "jupyterlab",
]  # fmt: skip


def test_environment_and_project_ask_for_the_same():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *conda, by_pip = environment["dependencies"]
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["cli"], *extras["notebooks"][1:], *extras["widgets"]]
    # Without "-base" it brings windows of Qt as well.
    packages = sorted(name.replace("matplotlib>", "matplotlib-base>") for name in asked)
    assert conda == [f"python{PROJECT['requires-python']}", "pip", *packages]
    assert by_pip == {"pip": ["-e ."]}
    assert environment["name"] == "coalloc"


def test_the_library_alone_needs_few_packages_and_nothing_of_jupyter():
    needed = {re.split(r"\W*>=", each)[0] for each in PROJECT["dependencies"]}
    assert len(needed) <= 10
    assert not needed & {"jupyterlab", "ipywidgets", "anywidget", "typer", "rich"}


def test_every_package_of_the_project_has_a_version_in_the_lock_file():
    lock = (ROOT / "constraints.txt").read_text()
    locked = re.findall(r"^([\w.-]+)==[\w.]+$", lock, re.MULTILINE)
    extras = PROJECT["optional-dependencies"].values()
    asked = [*PROJECT["dependencies"], *(each for extra in extras for each in extra)]
    names = {re.split(r"[\[>]", each)[0] for each in asked} - {PROJECT["name"]}
    assert {canonical(name) for name in names} <= {canonical(name) for name in locked}
    assert "--constraint constraints.txt" in make("--dry-run", "--always-make", "install")
    assert "--constraint" not in make("--dry-run", "--always-make", "install", "LATEST=1")


def canonical(name):
    """Return the name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_tests_install_what_builds_the_project():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]
    assert "--editable '.[test]'" in MAKEFILE
    assert set(build["requires"]) <= set(PROJECT["optional-dependencies"]["test"])


def test_the_workflow_runs_what_every_change_must_pass():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    steps = workflow["jobs"]["test"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == [".ci/run"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_versions_agree():
    import coalloc_lib

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert PROJECT["version"] == coalloc_lib.__version__ == citation["version"]
    assert PROJECT["license"] == citation["license"] == "MIT"


def test_every_target_is_documented_and_listed():
    targets = set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.MULTILINE))
    phony = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())
    assert targets == phony == set(re.findall(r"^ +make ([\w-]+)", make(), re.MULTILINE))
    assert "--scale quick" in make("--dry-run", "reproduce")
    assert "--scale paper" in make("--dry-run", "reproduce", "SCALE=paper")
    judge = make("--dry-run", "judge")
    assert f'PYTHONPATH="{ROOT}/notebooks" .venv/bin/python -m studies judge' in judge
    assert "own_system report north=a.swf:8" in make("--dry-run", "report", "LOGS=north=a.swf:8")
    assert "/mypy\n" in make("--dry-run", "lint")


def test_the_folders_of_a_study_are_relative_to_the_root_of_the_project():
    command = make("--dry-run", "reproduce", "OUT=my results", "CACHE=/a/cache")
    assert '--out "my results" --cache "/a/cache"' in command
    assert '--out "results"\n' in make("--dry-run", "judge")
    assert "cd " not in command


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_the_lab_opens_for_root_too_and_asks_for_it_only_then(tmp_path, user, allowed):
    (tmp_path / "id").write_text(f"#!/bin/sh\necho {user}\n")
    (tmp_path / "id").chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    assert ("--allow-root" in make("--dry-run", "lab", PATH=path)) == allowed


@pytest.mark.parametrize("target", ["lab", "dashboard"])
def test_a_home_that_cannot_be_written_is_not_asked_for(tmp_path, target):
    assert "JUPYTER" not in make("--dry-run", target, HOME=str(tmp_path))
    command = make("--dry-run", target, HOME=str(tmp_path / "gone"))
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        assert f'{name}="{ROOT}/.venv/jupyter/' in command


@pytest.mark.long
def test_the_lab_starts_without_a_home():
    """It takes a free port, and is ended as soon as it says where it is."""
    command = make("--dry-run", "lab", HOME="/nonexistent").strip().splitlines()[-1]
    command += " --no-browser --port 0"
    env = ENVIRONMENT | {"HOME": "/nonexistent"}
    lab = subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True
    )
    try:
        assert any("http://" in line for line in lab.stderr)  # it ends if the lab does
    finally:
        lab.terminate()
        lab.stderr.close()
        lab.wait()


def test_a_python_that_is_too_old_is_refused_in_words(tmp_path):
    (tmp_path / "Makefile").write_text(MAKEFILE)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    done = run("make", "test", "PYTHON=false", cwd=tmp_path, env=ENVIRONMENT)
    assert done.returncode == 2
    assert "Python 3.11 or newer is needed" in done.stdout
    assert not (tmp_path / ".venv").exists()


LOGS = "coalloc_lib.workloads.catalogue, coalloc_lib.workloads.das1"


@pytest.mark.parametrize(
    ("use", "numpy"), [("coalloc_lib.cli", False), ("coalloc_lib.model.jobs", True), (LOGS, True)]
)
def test_an_import_leaves_the_heavy_packages_alone(use, numpy):
    code = f"import sys, {use}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    loaded = run(sys.executable, "-c", code, check=True).stdout.split()
    assert ("numpy" in loaded) is numpy
    assert not set(HEAVY) & set(loaded)


def test_every_public_name_is_there():
    import coalloc_lib as co

    assert all(hasattr(co, name) for name in dir(co))
    assert set(co.__all__) <= set(dir(co))
    with pytest.raises(AttributeError, match="No coalloc_lib attribute maximum"):
        _ = co.maximum


@pytest.mark.long
def test_every_public_module_is_there_when_nothing_else_was_imported():
    import coalloc_lib as co

    modules = [name for name in co.__all__ if inspect.ismodule(getattr(co, name))]
    assert {"jobs", "metrics", "sites"} <= set(modules)
    for name in modules:
        done = run(sys.executable, "-c", f"import coalloc_lib as co; co.{name}")
        assert done.returncode == 0, done.stderr


def run(*command, **how):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, **how)


def make(*arguments, **variables):
    return run("make", *arguments, cwd=ROOT, env=ENVIRONMENT | variables, check=True).stdout


@pytest.mark.parametrize("name", ["curves", "jobs", "metrics", "saturation", "sites", "sweep"])
def test_a_module_of_the_public_names_can_be_the_first_that_is_used(name):
    """What another import loads by the way would hide that it is missing."""
    code = f"import coalloc_lib as co; print(co.{name}.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip().endswith(f".{name}"), run.stderr
