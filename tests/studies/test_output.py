"""The folder in which the files of a study are made before they appear together."""

import errno

import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import atomic_path
from studies.output import folder_beside


def test_a_folder_of_files_that_appear_together_goes_with_the_block(tmp_path):
    with folder_beside(tmp_path / "results") as folder:
        (folder / "table.csv").write_text("half")
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_made_is_named_in_the_folder_of_the_results(tmp_path, monkeypatch):
    def denied(*_args, **_options):
        raise PermissionError(errno.EACCES, "Permission denied", "/an/inner/path")

    monkeypatch.setattr(type(tmp_path), "open", denied)
    fault = r"cannot be written \(Permission denied\); choose another path$"
    with (
        pytest.raises(InputError, match=f"^{tmp_path}/ledger.csv {fault}"),
        folder_beside(tmp_path / "results") as folder,
        atomic_path(folder / "ledger.csv") as beside,
    ):
        beside.open("w")
