"""The multicluster: its sizes, its names, and what it refuses."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.model.system import NAMED_SYSTEMS, parse_clusters


def test_sizes_and_sums():
    system = co.Multicluster([16, 32, 8])
    assert (len(system), system.processors, system.largest) == (3, 56, 32)
    assert (str(system), system.is_equal) == ("16,32,8", False)
    assert (system.as_array().dtype, *system.as_array()) == (np.int64, 16, 32, 8)
    assert co.Multicluster(128) == co.Multicluster([128])
    assert str(co.Multicluster(128)) == "128"
    equal = co.Multicluster.equal(4, 32)
    assert equal == co.Multicluster([32, 32, 32, 32])
    assert (str(equal), equal.is_equal) == ("4 × 32", True)


def test_it_can_be_a_key_and_is_frozen():
    system = co.Multicluster(np.array([4, 8]))
    assert {system: "here"}[co.Multicluster((4, 8))] == "here"
    assert co.Multicluster([8, 4]) != system
    with pytest.raises(AttributeError):
        system.sizes = (1,)
    system.as_array()[0] = 99
    assert system.sizes == (4, 8)


@pytest.mark.parametrize(
    ("name", "clusters", "processors", "largest"),
    [
        ("4x32", 4, 128, 32),
        ("2x32", 2, 64, 32),
        ("1x32", 1, 32, 32),
        ("1x128", 1, 128, 128),
        ("DAS1", 4, 200, 128),
        ("DAS2", 5, 2 * (72 + 4 * 32), 2 * 72),  # nodes of two processors
        ("m64", 18, 512, 64),
        ("m128", 4, 512, 128),
        ("m256", 2, 512, 256),
        ("m384", 6, 512, 384),
        ("m512", 1, 512, 512),
    ],
)
def test_named_systems(name, clusters, processors, largest):
    system = co.Multicluster.named(name)
    assert (len(system), system.processors, system.largest) == (clusters, processors, largest)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], "sizes is empty"),
        ([32, 0], r"sizes\[1\] = 0; give a whole number of 1 or more"),
        ([[1, 2], [3, 4]], "sizes has 2 dimensions; give one size for each cluster"),
        ([2**30, 2**30], "sizes sum to 2147483648"),
    ],
)
def test_bad_sizes_are_named(sizes, message):
    with pytest.raises(co.InputError, match=message):
        co.Multicluster(sizes)


def test_bad_names_and_numbers_of_clusters_are_refused():
    with pytest.raises(co.InputError, match=r"name = 'm65'; choose one of .*'4x32'.*'m512'"):
        co.Multicluster.named("m65")
    with pytest.raises(co.InputError, match="clusters = 0"):
        co.Multicluster.equal(0, 8)


def test_a_text_of_sizes_and_a_name_give_a_system():
    assert parse_clusters("64, 32,32").sizes == (64, 32, 32)
    for text in ("64,2x32", "64,2X32", "64,2×32", "64, 2 × 32"):
        assert parse_clusters(text).sizes == (64, 32, 32)
    for name, sizes in NAMED_SYSTEMS.items():
        assert parse_clusters(name).sizes == sizes


@pytest.mark.parametrize("text", ["", "a", "8;8", "8,,8", "8,0", "8,-1", "8.5", None, 8, [32]])
def test_any_other_text_is_refused_alike_on_the_command_line_and_in_a_notebook(text):
    with pytest.raises(co.InputError, match=r"^--clusters = ") as shell:
        parse_clusters(text, "--clusters")
    with pytest.raises(co.InputError, match=r"^sizes = ") as notebook:
        parse_clusters(text)
    assert str(shell.value).removeprefix("--clusters") == str(notebook.value).removeprefix("sizes")


def test_a_text_of_sizes_is_refused_with_the_form_to_give():
    with pytest.raises(co.InputError, match=r"^sizes = '8,8'; give numbers such as \[8, 8\]"):
        co.Multicluster("8,8")
