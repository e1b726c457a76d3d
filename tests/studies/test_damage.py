"""Tables of runs that another program changed: what is wrong is named with its line."""

import gzip

import pandas as pd
import pytest

import coalloc_lib as co
from studies.storage import read_runs, write_runs

RUNS = pd.DataFrame(
    {
        "load": [0.5] * 20,
        "replication": range(20),
        "wait": [0.25 + each for each in range(20)],
        "study": ["toy"] * 20,
    }
)


def changed(folder, old, new):
    """Write the table, change its text once, and return the path of the changed file."""
    path = folder / "runs.csv.gz"
    write_runs(RUNS, path)
    text = gzip.decompress(path.read_bytes()).decode()
    assert old in text
    path.write_bytes(gzip.compress(text.replace(old, new, 1).encode()))
    return path


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("0.5,3,3.25,toy", "0.5,3,3.2S,toy", "line 5: wait = '3.2S', not a number"),
        ("0.5,3,3.25,toy", "0.5,3,3.25", "line 5: 3 fields, not 4"),
        ("0.5,3,3.25,toy", "0.5,3,3.25,toy,", "line 5: 5 fields, not 4"),
        ("0.5,3,3.25,toy", "0.5,3,3.25,tow", "line 5: study = 'tow', not 'toy'"),
        ("0.5,3,3.25,toy", '0.5,3,3.25,"toy', "unexpected end of data"),
    ],
)
def test_a_damaged_cell_or_line_is_named(tmp_path, old, new, why):
    path = changed(tmp_path, old, new)
    with pytest.raises(co.InputError) as caught:
        read_runs(path)
    assert why in str(caught.value)
    assert "the file is damaged" in str(caught.value)


def test_a_file_that_another_program_only_compressed_again_is_read(tmp_path):
    read = read_runs(changed(tmp_path, "toy", "toy"))
    assert read.to_dict("list") == RUNS.to_dict("list")


def test_many_words_make_a_column_of_words(tmp_path):
    """A column in which every fifth cell is a word holds words, such as labels of settings."""
    runs = RUNS.assign(load=["0.5", "0.6", "0.7", "0.8", "most"] * 4)
    write_runs(runs, tmp_path / "runs.csv.gz")
    text = gzip.decompress((tmp_path / "runs.csv.gz").read_bytes())
    (tmp_path / "again.csv.gz").write_bytes(gzip.compress(text))
    assert read_runs(tmp_path / "again.csv.gz")["load"].tolist() == runs["load"].tolist()
