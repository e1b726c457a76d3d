"""Find the folders of data that the studies read: the papers' numbers and the stored runs."""

from pathlib import Path

#: The folder ``data`` of the repository.
DATA = Path(__file__).resolve().parents[2] / "data"


def data_folder(name: str) -> Path:
    """Return a folder inside ``data``, such as ``published``."""
    return DATA / name
