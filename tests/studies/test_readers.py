"""What a reader adds to a figure is run and drawn beside the rest, or refused."""

import pytest

import coalloc_lib as co
from coalloc_lib.studies import communication_penalty as cp
from coalloc_lib.studies import load_study
from coalloc_lib.studies.communication_penalty import figures

FOUR, PENALTY = co.Multicluster.equal(4, 32), "communication-penalty"
IN_TWO = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4, merged_into=2)


def served(jumps, above=5, **split):
    return cp.served(jumps, 0.5, above=above, **split)


@pytest.mark.parametrize(
    ("study", "name", "label", "case"),
    [
        (PENALTY, "figure1", (7, "mine", 0.1), served(7, span_penalty=0.1)),
        (PENALTY, "figure6", (5, "mine", 5), served(5, span_penalty=figures.SPREAD)),
        (PENALTY, "adaptive", ("FCFS", "above 4", "0.15"), served(0, 4, span_penalty=0.15)),
        (PENALTY, "thresholds", "mine", cp.BreakEven(0.5, 20)),
    ],
)
def test_what_is_added_is_run_and_drawn_beside_the_rest(study, name, label, case, run_small):
    figure = run_small(study).figure(name)
    before = figure.data()
    after = figure.add(label, case).run(workers=1).data()
    assert len(after) > len(before)
    assert after[before.columns][: len(before)].astype(str).equals(before.astype(str))
    figure.plot()


@pytest.mark.parametrize(
    ("study", "name", "label", "case", "words"),
    [
        (PENALTY, "figure1", (5, "S1", 0.1), served(5), "line = 'S1' is a group of jobs"),
        (PENALTY, "figure1", (5, "mine", 0.1), served(20), "jumps = 5 and the scenario has FPFS"),
        (PENALTY, "figure1", (20, "mine", "0.1"), served(20), "give jumps, a line in words"),
        (PENALTY, "figure6", (5, "mine", 3), served(5, span_penalty=0.1), "draw one for each"),
        (PENALTY, "viability-8", ("FCFS", "0%"), served(0), "panel, row and column"),
        (PENALTY, "thresholds", (0.5, 20), served(20), "BreakEven"),
    ],
)
def test_a_label_or_a_case_that_has_no_place_is_refused(study, name, label, case, words):
    with pytest.raises(co.InputError, match=words):
        load_study(study).figure(name).add(label, case)
