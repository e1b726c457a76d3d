import os
import stat

import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.files import atomic_path, check_writable


def test_success_puts_the_file_in_place_and_leaves_nothing_else(tmp_path):
    target = tmp_path / "table.swf.gz"
    with atomic_path(target) as beside:
        assert beside.parent == tmp_path
        assert beside.name.endswith(".swf.gz")
        beside.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_crash_keeps_the_old_file_and_leaves_nothing_else(tmp_path, error):
    target = tmp_path / "table.csv"
    target.write_text("old")

    def crash():
        with atomic_path(target) as beside:
            beside.write_text("half of the n")
            raise error

    with pytest.raises(error):
        crash()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_permissions_are_those_of_an_ordinary_new_file(tmp_path):
    (tmp_path / "ordinary").touch()
    with atomic_path(tmp_path / "atomic"):
        pass
    modes = {stat.S_IMODE(os.stat(path).st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_missing_folder_and_folder_in_place_of_a_file_are_named(tmp_path):
    with pytest.raises(InputError, match="nowhere does not exist; make it"):
        atomic_path(tmp_path / "nowhere" / "x.csv").__enter__()
    with pytest.raises(InputError, match="is a folder; give the path of a file"):
        atomic_path(tmp_path).__enter__()


def test_a_path_can_be_tried_before_the_work(tmp_path):
    old = tmp_path / "old.csv"
    old.write_text("old")
    check_writable(old)
    check_writable(tmp_path / "new.csv")
    assert list(tmp_path.iterdir()) == [old]
    assert old.read_text() == "old"
    with pytest.raises(InputError, match="make it first"):
        check_writable(tmp_path / "no" / "s.csv")
