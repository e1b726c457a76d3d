"""The multicluster: its sizes, its names, and what it refuses."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.system import NAMED_SYSTEMS


def test_sizes_and_sums():
    system = co.Multicluster([16, 32, 8])
    assert (len(system), system.processors, system.largest) == (3, 56, 32)
    assert not system.is_equal
    assert str(system) == "16,32,8"
    np.testing.assert_array_equal(system.as_array(), [16, 32, 8])
    assert system.as_array().dtype == np.int64


def test_one_number_is_one_cluster():
    assert co.Multicluster(128) == co.Multicluster([128])
    assert str(co.Multicluster(128)) == "128"


def test_equal_clusters():
    system = co.Multicluster.equal(4, 32)
    assert system == co.Multicluster([32, 32, 32, 32])
    assert system.is_equal
    assert str(system) == "4 × 32"


def test_it_can_be_a_key_and_is_frozen():
    system = co.Multicluster(np.array([4, 8]))
    assert {system: "here"}[co.Multicluster((4, 8))] == "here"
    assert co.Multicluster([8, 4]) != system
    with pytest.raises(AttributeError):
        system.sizes = (1,)
    system.as_array()[0] = 99
    assert system.sizes == (4, 8)


@pytest.mark.parametrize("name", ["m64", "m128", "m256", "m384", "m512"])
def test_machines_of_the_job_sharing_study_have_512_processors(name):
    system = co.Multicluster.named(name)
    assert system.processors == 512
    assert system.largest == int(name[1:])


@pytest.mark.parametrize(
    ("name", "clusters", "processors"),
    [("4x32", 4, 128), ("2x32", 2, 64), ("1x32", 1, 32), ("1x128", 1, 128), ("DAS1", 4, 200)],
)
def test_named_systems(name, clusters, processors):
    system = co.Multicluster.named(name)
    assert (len(system), system.processors) == (clusters, processors)


def test_das2_has_two_processors_a_node():
    assert co.Multicluster.named("DAS2").processors == 2 * (72 + 4 * 32)


def test_an_unknown_name_is_answered_with_all_names():
    with pytest.raises(co.InputError, match="name = 'm65'") as error:
        co.Multicluster.named("m65")
    assert all(name in str(error.value) for name in NAMED_SYSTEMS)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], "sizes is empty"),
        ([32, 0], r"sizes\[1\] = 0; give a whole number of 1 or more"),
        ([-4], r"sizes\[0\] = -4"),
        ([8, 8, 2.5], r"sizes\[2\] = 2\.5"),
        ([8, float("nan")], r"sizes\[1\] = nan"),
        ([float("inf")], r"sizes\[0\] = inf"),
        ([[1, 2], [3]], r"sizes\[0\] = \[1, 2\]; give rows of one length"),
        ([[1, 2], [3, 4]], "sizes has 2 dimensions; give one size a cluster"),
        (None, "sizes = None"),
        ("32", "sizes = '32'"),
        (["32"], r"sizes\[0\] = '32'"),
        ([True, 32], r"sizes\[0\] = True"),
        (np.array([2**64 - 1], np.uint64), r"sizes\[0\] = 18446744073709551615"),
        ([2**30, 2**30], "sizes sum to 2147483648"),
    ],
)
def test_bad_sizes_are_named(sizes, message):
    with pytest.raises(co.InputError, match=message):
        co.Multicluster(sizes)


@pytest.mark.parametrize("name", [None, ["4x32"], np.array(["4x32"])])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(co.InputError, match=r"name = .*; choose one of '4x32'"):
        co.Multicluster.named(name)


def test_bad_number_of_clusters_is_named():
    with pytest.raises(co.InputError, match="clusters = 0"):
        co.Multicluster.equal(0, 8)
