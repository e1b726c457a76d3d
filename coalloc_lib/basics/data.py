"""Find the data files that come with the library: the synthetic logs, in the folder ``traces``.

In a checkout of the repository they are in the folder ``data`` beside the library. In an installed
package they are in ``coalloc_lib/data``.
"""

from pathlib import Path

LIBRARY = Path(__file__).parents[1]


def data_folder(name: str) -> Path:
    """Return the path of a folder of data files that come with the library, such as ``traces``."""
    installed = LIBRARY / "data"
    return (installed if installed.is_dir() else LIBRARY.parent / "data") / name
