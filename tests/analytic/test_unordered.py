"""Unordered and total requests on clusters of any sizes, compared with a plain implementation."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coalloc_lib.analytic import JointSizes, maximal_utilization
from coalloc_lib.analytic.budget import Budget
from coalloc_lib.analytic.unordered import unordered_case
from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import uniform
from coalloc_lib.model.placement import BestFit, FirstFit, WorstFit
from coalloc_lib.model.system import Multicluster
from tests.analytic import naive
from tests.analytic.naive import distributions, tables

STEPS = 6
AMPLE = Budget(1e9, 1e12)


@st.composite
def systems(draw):
    return Multicluster(draw(st.lists(st.integers(1, 6), min_size=2, max_size=4)))


def placements(clusters):
    orders = st.permutations(range(clusters)).map(lambda order: FirstFit(tuple(order)))
    return st.one_of(st.just(WorstFit()), st.just(FirstFit()), orders)


@st.composite
def fitting_tables(draw, system):
    """Return a table of jobs that each fit on the idle system. The rows are in any order, and some
    entries are 0."""
    widths = sorted(system.sizes, reverse=True)[: draw(st.integers(1, len(system)))]
    joint = draw(tables(widths))
    rows = [draw(st.permutations(row)) for row in joint.vectors.tolist()]
    return JointSizes(rows, joint.probabilities)


@given(st.data())
def test_a_table_equals_the_placements_themselves(data):
    system = data.draw(systems())
    placement, joint = data.draw(placements(len(system))), data.draw(fitting_tables(system))
    jobs = naive.table(joint.vectors, joint.probabilities, joint.components)
    fits, least, mean = unordered_case(system, joint, joint.components, placement, AMPLE)
    expected = naive.placed_fits(jobs, system.sizes, placement, STEPS)
    assert list(islice(fits, STEPS)) == pytest.approx(expected, abs=1e-12)
    assert (least, mean) == (min(map(sum, jobs)), pytest.approx(joint.mean))


@pytest.mark.parametrize("free", ["_table_cost", "_nested_cost"])
@given(st.data())
def test_independent_components_equal_the_placements_themselves(free, data):
    """Each of the two methods is tested: it is chosen because its estimated cost is set to 0."""
    system = data.draw(systems())
    placement = data.draw(placements(len(system)))
    components = data.draw(st.integers(1, min(len(system), 3)))
    part = data.draw(distributions(min(sorted(system.sizes)[-components], 4)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"coalloc_lib.analytic.unordered.{free}", lambda *_: (0.0, 0.0))
        fits, _, _ = unordered_case(system, [part] * components, components, placement, AMPLE)
    jobs = naive.independent(part.probabilities, components, components)
    expected = naive.placed_fits(jobs, system.sizes, placement, STEPS)
    assert list(islice(fits, STEPS)) == pytest.approx(expected, abs=1e-12)


@given(st.data())
def test_total_requests_equal_the_placements_themselves(data):
    system = data.draw(systems())
    placement = data.draw(placements(len(system)))
    joint = JointSizes([[1, 0], [system.largest, 0]], [0.75, 0.25])
    bound = maximal_utilization(system, joint, request="total", placement=placement)
    jobs = naive.table(joint.vectors, joint.probabilities, 2)
    most = system.processors
    fitting = naive.placed_fits(jobs, system.sizes, placement, most, "total")
    level = naive.exponential_level(fitting)
    assert bound.multiprogramming_level == pytest.approx(level, abs=1e-10)
    assert bound.max_utilization == pytest.approx(level * joint.mean / most, abs=1e-10)
    assert bound.method == "approximation"


UNEQUAL = Multicluster([6, 4, 2])


@pytest.mark.parametrize(
    ("sizes", "components", "request_type", "placement", "words"),
    [
        (uniform(1, 2), 3, "unordered", BestFit(), "BestFit.* has no formula; give WorstFit"),
        (JointSizes([[2, 1]], [1]), None, "unordered", BestFit(), "BestFit.* has no formula"),
        (uniform(1, 2), 3, "ordered", FirstFit(), "given for ordered requests"),
        (uniform(1, 2), 3, "unordered", FirstFit((0, 1)), r"clusters = \[0, 1\]"),
        (uniform(1, 5), 2, "unordered", None, "reach 5 and cluster number 2 by size has 4"),
        (JointSizes([[1, 5, 5]], [1]), None, "unordered", None, "reach 5 .* number 2 .* has 4"),
        (uniform(1, 3), 3, "total", None, "reach 9 and the largest cluster has 6"),
        (JointSizes([[4, 3]], [1]), None, "total", None, "reach 7 and the largest cluster has 6"),
        (uniform(1, 1), 4, "unordered", None, "more than the 3 clusters"),
    ],
)
def test_mistakes_are_refused(sizes, components, request_type, placement, words):
    with pytest.raises(InputError, match=words):
        maximal_utilization(UNEQUAL, sizes, components, request_type, placement=placement)
