"""Seeds depend on the parent alone, and children are independent."""

import numpy as np

from coalloc_lib.basics.seeds import generators, parent, spawn


def test_same_seed_same_children_however_often():
    root = np.random.SeedSequence(5)
    first, again = spawn(root, 3), spawn(root, 3)
    assert [s.spawn_key for s in first] == [s.spawn_key for s in again]
    assert spawn(5, 3)[2].spawn_key == first[2].spawn_key


def test_children_are_those_of_numpy():
    ours = generators(11, 4)
    numpys = [np.random.default_rng(s) for s in np.random.SeedSequence(11).spawn(4)]
    assert [g.random() for g in ours] == [g.random() for g in numpys]


def test_grandchildren_differ():
    draws = {g.random() for child in spawn(1, 5) for g in generators(child, 5)}
    assert len(draws) == 25


def test_a_seed_has_the_parent_that_it_was_spawned_from():
    seed = spawn(3, 2)[1]
    again = spawn(parent(spawn(seed, 4)[2]), 4)
    assert [each.spawn_key for each in again] == [each.spawn_key for each in spawn(seed, 4)]
    assert again[0].entropy == 3
