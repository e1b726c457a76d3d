"""Find the data of the studies: the papers' numbers and the stored runs, beside the notebooks."""

from pathlib import Path

#: The folder of the data in a checkout.
DATA = Path(__file__).resolve().parents[2] / "data"


def data_folder(name: str) -> Path:
    """Return one of the folders of the data, such as ``published``."""
    return DATA / name
