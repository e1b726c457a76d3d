"""How Sphinx makes the site; `build.py` beside it gathers the pages and calls it."""

import re

from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

import coalloc_lib

project = "Coalloc Workbench"
author = copyright = "Coalloc Workbench contributors"
release = version = coalloc_lib.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
nb_execution_mode = "off"  # the notebooks' own outputs are shown
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
# Notebooks and the log of changes begin sections where they need them.
suppress_warnings = ["myst.header"]

autodoc_typehints = "none"  # the docstrings tell them in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
autosummary_generate = False

html_theme = "furo"
html_title = "Coalloc Workbench"
html_static_path = ["_static"]
html_css_files = ["coalloc.css"]
# Pictures have a white background, so pages begin light. Sphinx's own scripts come from the site.
html_js_files = [
    (None, {"body": "localStorage.theme ??= 'light';", "priority": 100}),
    ("coalloc.js", {"defer": "defer"}),
]
html_show_sourcelink = html_copy_source = False


def inline(writer, node):
    """Write a formula in a line as MathML, which browsers show without a script."""
    writer.body.append(tex2mathml(node.astext()))
    raise_skip()


def block(writer, node):
    """Write a formula of its own as MathML."""
    formula = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="math-block">{formula}</div>')
    raise_skip()


def raise_skip():
    """Leave out what stands within the formula: it is written."""
    from docutils import nodes

    raise nodes.SkipNode


def name_references(app, what, name, thing, options, lines):
    """Name the references of a docstring after its object, since a page shows several objects.

    Each docstring numbers its references from 1. On one page these numbers would be the same
    targets several times, which is an error.
    """
    label = name.replace(".", "-")
    lines[:] = [
        re.sub(r"(?<![\w\]])\[(\d+)\](?=_)|(?<=^\.\. )\[(\d+)\]", rf"[#{label}-\1\2]", line)
        for line in lines
    ]


def setup(app: Sphinx) -> None:
    """Let formulas be MathML, and let every docstring number its references for itself."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.connect("autodoc-process-docstring", name_references)


html_math_renderer = "mathml"
