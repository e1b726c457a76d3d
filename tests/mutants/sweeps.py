"""Mistakes in sweeps: their keys, their cache and their workers."""

from tests.mutants.tool import Mutant

MUTANTS = (
    Mutant(
        "sweep/keys.py",
        '"co_code", "co_consts", "co_names"',
        '"co_code", "co_names"',
        "sweep/test_following.py::test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again",
    ),
    Mutant(
        "sweep/keys.py",
        "own = (code, function.__defaults__, function.__kwdefaults__, vars(function))",
        "own = (code, function.__kwdefaults__, vars(function))",
        "sweep/test_following.py::test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again",
    ),
    Mutant(
        "sweep/keys.py",
        '("entropy", "spawn_key")',
        '("entropy",)',
        "sweep/test_cache.py::test_other_seeds_and_replications_are_other_points",
    ),
    Mutant(
        "sweep/keys.py",
        'return f"{type(value).__name__} {value!r}"',
        'return f"{value}"',
        "sweep/test_keys.py::test_keys_are_the_same_in_every_process_and_tell_values_apart",
    ),
    Mutant(
        "sweep/keys.py",
        "*inner.named([*cells, *sorted(found.items())])",
        "*inner.named(cells), *found",
        "sweep/test_following.py::test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again",
    ),
    Mutant(
        "sweep/keys.py",
        "            yield from _reached(constant, space)\n",
        "            pass\n",
        "sweep/test_following.py::test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again",
    ),
    Mutant(
        "sweep/keys.py",
        "digest(np.__version__, *names, *texts)",
        "digest(np.__version__, *names)",
        "sweep/test_keys.py::test_the_library_digest_is_of_every_source",
    ),
    Mutant(
        "sweep/store.py",
        "if checksum == _checksum(body):",
        "if len(checksum) == 32:",
        "sweep/test_cache.py::test_a_damaged_record_is_left_out",
    ),
    Mutant(
        "sweep/store.py",
        "digest(describe(function), library_digest())",
        "digest(describe(function))",
        "sweep/test_cache.py::test_another_function_or_another_library_is_computed_anew",
    ),
    Mutant(
        "sweep/points.py",
        "with suppress(Exception):  # what",
        "with suppress(KeyError):  # what",
        "sweep/test_points.py::test_what_cannot_be_read_any_more_is_computed_again",
    ),
    Mutant(
        "sweep/points.py",
        "np.random.SeedSequence(**seed.state)",
        "seed",
        "sweep/test_sweep.py::test_spawning_from_a_seed_does_not_reach_the_next_point",
    ),
    Mutant(
        "sweep/points.py",
        "point, replication = divmod(row, len(self.seeds))\n            yield",
        "replication, point = divmod(row, len(self.points))\n            yield",
        "sweep/test_sweep.py::test_a_row_for_each_point_and_replication_in_the_order_of_the_grid",
    ),
    Mutant(
        "sweep/points.py",
        "dtype=object if any(v is None for v in values) else None",
        "dtype=None",
        "sweep/test_sweep.py::test_objects_are_shown_as_they_print_or_as_they_are_named",
    ),
    Mutant(
        "sweep/points.py",
        "            return row, cloudpickle.dumps(results)\n",
        "            raise\n",
        "sweep/test_points.py::test_a_script_finds_what_it_kept_with_its_own_classes_until_it_is_changed",
    ),
    Mutant(
        "sweep/points.py",
        "self.results[row] = pickle.loads(found[key])",
        "self.results[row] = found.setdefault(key + '!', pickle.loads(found[key]))",
        "sweep/test_points.py::test_the_cache_gives_the_same_objects_and_each_its_own",
    ),
    Mutant(
        "sweep/points.py",
        "(digest(*arguments, seed) for seed in by_seed)",
        "(digest(*arguments) for seed in by_seed)",
        "sweep/test_cache.py::test_other_seeds_and_replications_are_other_points",
    ),
    Mutant(
        "sweep/points.py",
        "if label in shown:",
        "if False:",
        "sweep/test_sweep.py::test_bad_input",
    ),
    Mutant(
        "sweep/pools.py",
        "    if errors:\n        raise errors[0]\n",
        "",
        "sweep/test_backends.py::test_a_worker_that_dies_is_said_and_what_had_finished_is_kept",
    ),
    Mutant(
        "sweep/summary.py",
        'good = (table["error"] == "").to_numpy() if',
        "good = np.ones(len(table), bool) if",
        "sweep/test_summary.py::test_summary_of_one_value_of_none_and_of_what_is_not_finite",
    ),
    Mutant(
        "sweep/summary.py",
        "student(values, confidence)",
        "student(values)",
        "sweep/test_summary.py::test_summary_is_students_interval_of_each_point",
    ),
)
