"""Find the data that come with the library: the synthetic logs, in the folder ``traces``.

A checkout has them in ``data`` beside the library, an installed package in ``coalloc_lib/data``.
"""

from pathlib import Path

LIBRARY = Path(__file__).parents[1]


def data_folder(name: str) -> Path:
    """Return a folder of the library's data, such as ``traces``."""
    installed = LIBRARY / "data"
    return (installed if installed.is_dir() else LIBRARY.parent / "data") / name
