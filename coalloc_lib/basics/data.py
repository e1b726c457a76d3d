"""Where the data are that come with the library: the papers' numbers, stand-ins, stored runs.

A checkout has them in ``data`` beside the library, an installed package in ``coalloc_lib/data``.
"""

from pathlib import Path

LIBRARY = Path(__file__).parents[1]


def data_folder(name: str) -> Path:
    """Return one of the folders of the data, such as ``published``."""
    installed = LIBRARY / "data"
    return (installed if installed.is_dir() else LIBRARY.parent / "data") / name
