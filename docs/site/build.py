"""Make the site: the notebooks, the guides and the library's reference, as pages from a disk.

    python docs/site/build.py build/site      (make docs)

Sphinx makes it, with MyST for the texts. Tools that know widgets show them by scripts from a
network, so `coalloc_lib.widgets.pages` has players play by a script of the site. A page that names
what is not there, or loads anything from elsewhere, stops the build.
"""

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from sphinx.cmd.build import build_main

import coalloc_lib
from coalloc_lib.widgets import pages

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: Texts of the site, where they stand in the repository, so that their links hold.
TEXTS = (
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/archive/*.md",
    "docs/*.svg", "notebooks/*.md",
    "data/*/*.md", "benchmarks/README.md",
)  # fmt: skip
MOST_BYTES = 15_000_000
#: The parts of the reference: a title, and the modules in which its names are defined.
PARTS = {
    "Jobs and systems": ("model.jobs", "model.merging", "model.system", "model.distributions"),
    "Policies": ("policies", "model.placement"),
    "Simulation": (
        "simulation.run", "simulation.scenario", "statistics.site_comparison",
        "schedules.schedule", "schedules.exchange",
    ),
    "Formulas and statistics": (
        "analytic", "statistics.curves", "statistics.maximum", "statistics.saturation",
        "statistics.inference",
    ),
    "Logs and models of jobs": (
        "workloads.batsim", "workloads.catalogue", "workloads.swf", "workloads.swf_writer",
        "workloads.models",
    ),
    "Pictures": ("widgets.player", "basics.checks", "basics.progress"),
}  # fmt: skip
#: What a page loads, in contrast to where it links to.
LOADED = re.compile(
    r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']([^\"']+)|<link[^>]*\shref=[\"']([^\"']+)"
)


def gather(source: Path) -> None:
    """Put all that Sphinx reads into a folder."""
    for pattern in TEXTS:
        for path in ROOT.glob(pattern):
            place = source / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    for path in ROOT.glob("notebooks/*.ipynb"):
        notebook = pages.without_kernel(json.loads(path.read_text("utf-8")))
        notebook["metadata"]["hide-toc"] = True  # pictures need the room
        (source / "notebooks" / path.name).write_text(json.dumps(notebook), "utf-8")
    for name in ("conf.py", "index.md"):
        shutil.copy(HERE / name, source)
    static = source / "_static"
    static.mkdir()
    (static / "coalloc.js").write_text(pages.script(*pages.ALONE), "utf-8")
    (static / "coalloc.css").write_text(
        pages.style(*pages.ALONE) + (HERE / "style.css").read_text("utf-8"), "utf-8"
    )
    write_reference(source / "api")


def write_reference(folder: Path) -> None:
    """Write a page for each part of the library, of all that it offers by name."""
    folder.mkdir()
    public = {name: getattr(coalloc_lib, name) for name in coalloc_lib.__all__}
    modules = {
        name: value.__module__.removeprefix("coalloc_lib.")
        for name, value in public.items()
        if not isinstance(value, ModuleType)
    }
    told = [module for part in PARTS.values() for module in part]
    missing = {module for module in modules.values() if not stands_in(module, told)}
    if missing:
        raise SystemExit(f"no part of the reference has {sorted(missing)}; add them to PARTS")
    contents = ["# The library", "", "`import coalloc_lib as co` offers all of these by name.", ""]
    for title, part in PARTS.items():
        names = [name for name, module in modules.items() if stands_in(module, part)]
        stem = title.lower().replace(" ", "-")
        (folder / f"{stem}.rst").write_text(page_of(title, names), "utf-8")
        contents += [f"- [{title}]({stem}.rst): " + ", ".join(f"`{name}`" for name in names)]
    contents += ["", "```{toctree}", ":hidden:", "", *(t.lower().replace(" ", "-") for t in PARTS)]
    (folder / "index.md").write_text("\n".join([*contents, "```", ""]), "utf-8")


def stands_in(module: str, part: Iterable[str]) -> bool:
    """Return whether a module is one of a part of the reference, or within one."""
    return any(f"{module}.".startswith(f"{each}.") for each in part)


def page_of(title: str, names: list[str]) -> str:
    """Return a page of the reference as reStructuredText."""
    lines = [title, "=" * len(title), "", ".. currentmodule:: coalloc_lib", ""]
    for name in names:
        lines += [name, "-" * len(name), ""]
        if isinstance(getattr(coalloc_lib, name), type):
            lines += [f".. autoclass:: {name}", "   :members:", ""]
        else:
            lines += [f".. autofunction:: {name}", ""]
    return "\n".join(lines)


def check(site: Path) -> list[str]:
    """Return what is wrong with the pages: what is loaded from elsewhere, or is not there."""
    wrong = []
    for page in site.rglob("*.html"):
        for found in LOADED.finditer(page.read_text("utf-8")):
            target = (found[1] or found[2]).partition("?")[0].partition("#")[0]
            if target.startswith("data:"):
                continue
            if re.match(r"(?:[a-z]+:)?//", target) or not (page.parent / target).exists():
                wrong.append(f"{page.relative_to(site)} loads {target}")
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    print(f"{len([*site.rglob('*.html')])} pages, {size / 1e6:.1f} MB")
    return wrong + [f"{size:,} bytes, more than {MOST_BYTES:,}"] * (size > MOST_BYTES)


def main(out: Path) -> None:
    """Make the site in a folder, which is made anew."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "source"), Path(folder, "site")
        source.mkdir()
        gather(source)
        status = build_main(["-q", "-W", "--keep-going", "-j", "2", str(source), str(made)])
        if status:
            raise SystemExit("the site was not made: mend what is named above")
        for left in (".doctrees", ".buildinfo", "objects.inv"):
            path = made / left
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(
                missing_ok=True
            )
        if wrong := check(made):
            raise SystemExit("\n".join(wrong))
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, out)
    print(f"{out}/index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
