"""Checks of the columns of a job stream."""

import numpy as np
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model import columns
from tests.basics.test_checks import WRONG


@pytest.mark.parametrize("name", columns.CHECKS)
def test_every_error_begins_with_the_name_of_the_column(name):
    messages = []
    for wrong in WRONG:
        try:
            columns.CHECKS[name](name, wrong, 2)
        except InputError as error:
            messages.append(str(error))
    assert messages
    assert all(message.startswith((f"{name} ", f"{name}[")) for message in messages)


def test_only_a_latest_start_may_be_infinite():
    assert columns.deadlines("x", None, 2).tolist() == [np.inf, np.inf]
    assert columns.deadlines("x", [3.0, np.inf], 2).tolist() == [3.0, np.inf]
    for wrong in ([-np.inf], [np.nan], [-1.0]):
        with pytest.raises(InputError, match=r"^x\[0\] = .*; give a finite number of 0 or more"):
            columns.deadlines("x", wrong, 1)


def test_masked_times_stay_masked_and_are_not_checked():
    assert columns.known_times("x", None) is None
    known = columns.known_times("x", np.ma.array([3.0, np.nan], mask=[False, True]))
    assert known.filled(-1).tolist() == [3.0, -1]
    assert columns.known_times("x", [3, 4]).tolist() == [3.0, 4.0]


def test_a_single_number_is_repeated_for_all_jobs():
    assert columns.per_job("x", 2, 3).tolist() == [2.0, 2.0, 2.0]
    assert columns.per_job("x", [1, 2], 3).tolist() == [1.0, 2.0]  # `JobStream` compares lengths
    with pytest.raises(InputError, match=r"^x has 2 dimensions; give one"):
        columns.per_job("x", [[1, 2]], 2)
