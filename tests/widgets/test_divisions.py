"""The division explorer: response times for several ways to divide processors into clusters."""

import re

import pytest

import coalloc_lib as co
from coalloc_lib.widgets import divisions

MODEL = co.JobModel(co.uniform(1, 8), 4)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (([32] * 4, MODEL), "system = [32, 32, 32, 32] is not of type Multicluster; give "),
        ((co.Multicluster([32] * 4), "U[1,8]"), "model = 'U[1,8]' is not of type JobModel; give "),
        ((co.Multicluster([32] * 4), MODEL, [1]), "effort = [1] is not of type CurveEffort; give "),
    ],
)
def test_a_wrong_argument_of_the_curves_is_named(given, error):
    with pytest.raises(co.InputError, match=f"^{re.escape(error)}"):
        divisions.division_curves(*given)


def test_a_caller_may_alter_the_curves_that_it_got():
    given = co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), 2), divisions.COARSE
    curves = divisions.division_curves(*given)
    names = [*curves]
    curves.clear()
    assert [*divisions.division_curves(*given)] == names
