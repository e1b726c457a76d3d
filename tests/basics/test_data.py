"""Where the data are: within an installed library, or beside that of a checkout."""

from coalloc_lib.basics import data
from coalloc_lib.basics.data import data_folder
from tests.conftest import ROOT


def test_a_checkout_has_the_data_beside_the_library():
    assert data_folder("traces") == ROOT / "data" / "traces"
    assert data_folder("traces").is_dir()


def test_an_installed_library_has_them_within_whatever_lies_beside_it(tmp_path, monkeypatch):
    library = tmp_path / "coalloc_lib"
    monkeypatch.setattr(data, "LIBRARY", library)
    for folder in (library / "data", tmp_path / "data"):
        folder.mkdir(parents=True)
    assert data_folder("traces") == library / "data" / "traces"
    (library / "data").rmdir()
    assert data_folder("traces") == tmp_path / "data" / "traces"
