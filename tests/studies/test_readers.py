"""What a reader adds to a figure is run and drawn beside the rest, or refused."""

import pytest

import coalloc_lib as co
from coalloc_lib.studies import load_study
from coalloc_lib.studies.online_batch import standard
from tests.studies.small_logs import made_up

FOUR = co.Multicluster.equal(4, 32)
MU, CC, OB = "maximal-utilization", "cluster-configurations", "online-batch"
IN_TWO = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4, merged_into=2)
WIDE = co.JobModel(co.parse_sizes("U[1,9]"), 4)


@pytest.mark.parametrize(
    ("study", "name", "label", "case"),
    [
        (MU, "figure8", ("4 × 32", "two components"), co.Scenario(FOUR, IN_TWO)),
        (MU, "figure6", "U[1,10]", None),
        (CC, "figure4", "mine", co.Scenario(FOUR, IN_TWO)),
        (OB, "figure5", "mine", standard(made_up("KTH-SP2", 1), "mine", scheduling=co.FPFS(7))),
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
        (MU, "figure8", (4, "x"), co.Scenario(FOUR, IN_TWO), "give a pair of texts"),
        (MU, "figure8", ("4 × 32", "mine"), co.FCFS(), "give a Scenario"),
        (CC, "break-even", "mine", co.Scenario(FOUR, WIDE), "up to 36 processors, too wide"),
        (CC, "break-even", "mine", "a guess", "is no Scenario"),
        (OB, "figure5", "mine", co.FPFS(7), "give a text and a Case: "),
    ],
)
def test_a_label_or_a_case_that_has_no_place_is_refused(study, name, label, case, words):
    with pytest.raises(co.InputError, match=words):
        load_study(study).figure(name).add(label, case)
