"""Tables of component sizes."""

import pytest

from coalloc_lib.analytic import JointSizes
from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import power_of_two, uniform
from tests.analytic import naive


def as_dict(joint):
    return naive.table(joint.vectors, joint.probabilities, joint.components)


def test_independent_is_the_sorted_product():
    sizes = power_of_two(0.8, 1, 5)
    expected = naive.unordered(naive.independent(sizes.probabilities, 3, 3))
    assert as_dict(JointSizes.independent(sizes, 3)) == pytest.approx(expected, abs=1e-14)
    assert as_dict(JointSizes.product([sizes] * 3).unordered()) == pytest.approx(expected)


def test_dependent_splits_in_the_fewest_equal_components():
    joint = JointSizes.dependent(uniform(1, 9), 4)
    assert as_dict(joint)[(3, 3, 3)] == pytest.approx(1 / 9)
    assert as_dict(joint)[(4, 0, 0)] == pytest.approx(1 / 9)
    assert as_dict(joint)[(3, 2, 0)] == pytest.approx(1 / 9)
    assert joint.mean == pytest.approx(5)
    assert joint.total().probabilities == pytest.approx(uniform(1, 9).probabilities)


def test_equal_rows_are_merged_and_those_of_no_chance_dropped():
    joint = JointSizes([[2, 0], [3, 0], [2, 0], [1, 1]], [0.4, 0, 0.3, 0.3])
    assert as_dict(joint) == pytest.approx({(2, 0): 0.7, (1, 1): 0.3})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: JointSizes([[1, -1]], [1]), r"vectors\[0, 1\] = -1"),
        (lambda: JointSizes([[1, 1], [0, 0]], [0.5, 0.5]), r"vectors\[1\]"),
        (lambda: JointSizes([1, 2], [0.5, 0.5]), "shape"),
        (lambda: JointSizes([[1]], [0.9]), "sum to 0.9"),
        (lambda: JointSizes([[1]], [0.5, 0.5]), "shape"),
        (lambda: JointSizes.dependent([1, 2], 4), "SizeDistribution"),
        (lambda: JointSizes.dependent(uniform(1, 4), 0), "largest = 0"),
        (lambda: JointSizes.independent(uniform(1, 4), 0), "components = 0"),
        (lambda: JointSizes.independent(uniform(1, 64), 16), "table of"),
        (lambda: JointSizes.product([]), "empty"),
        (lambda: JointSizes.product([uniform(1, 64)] * 16), "table of"),
    ],
)
def test_mistakes_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
