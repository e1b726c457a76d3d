"""Records of one job in exports of Slurm's sacct: states, several runs, and resized jobs."""

import pytest

from own_system.sacct import read_sacct
from tests.own_system.sacct_files import file_of, line, outcomes
from tests.workloads.test_preemption import CASES


def test_components_of_one_job_run_as_one_in_each_of_its_runs(tmp_path):
    rows = [
        line("7+0", "100", "200", "300", "100", "NODE_FAIL", cores="4", limit="10"),
        line("7+1", "101", "200", "290", "90", "NODE_FAIL", cores="16", limit="UNLIMITED"),
        line("7+0", "400", "500", "900", "400", cores="4"),
        line("7+1", "400", "500", "900", "400", cores="16"),
        line("8_3", "400", "500", "900", "400", cores="1"),
        line("9+0", "1000", "1100", "1500", "400", cores="2"),
        line("9+1", "1001", "1101", "1500", "399", cores="4"),
        line("9+1", "3000", "3100", "3500", "400", cores="8"),  # its 9+0 is not in the file
    ]
    table = read_sacct(file_of(tmp_path, *rows)).table
    assert table["allocated_processors"].tolist() == [20, 20, 1, 6, 8]
    assert table["runtime"].tolist() == [100, 400, 400, 400, 400]
    assert table["requested_time"].tolist() == [600, 3600, 3600, 3600, 3600]
    assert table["status"].tolist() == [0, 1, 1, 1, 1]


def test_the_last_line_of_a_submission_that_has_ended_counts(tmp_path):
    rows = [
        line("1", end="Unknown", elapsed="20", state="RUNNING"),
        line("1", end="200", elapsed="40"),
        line("1"),
        line("1", end="Unknown", elapsed="30", state="SUSPENDED"),
        line("1", "500", "560", "600", "40", "REQUEUED"),
    ]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["runtime"].tolist() == [100, 40]
    assert outcomes(log, "left out") == {"still waiting or running": 2, "repeated lines": 1}
    assert outcomes(log, "noted") == {"further runs of requeued jobs": 1}


@pytest.mark.parametrize(
    ("state", "status"),
    [("COMPLETED", 1), ("CANCELLED by 1000", 5), ("CANCELLED+", 5), ("OUT_OF_ME+", 0),
     ("TIMEOUT", 0), ("NODE_FAIL", 0), ("DEADLINE", 0), ("PREEMPTED", 0), ("SOMETHING_NEW", 0)],
)  # fmt: skip
def test_every_end_after_a_start_is_a_job(tmp_path, state, status):
    table = read_sacct(file_of(tmp_path, line(state=state))).table
    assert table["status"].tolist() == [status]


# What happened to a job in its life.
def test_a_resized_job_is_a_closed_segment_and_a_new_one():
    log = read_sacct(CASES / "sacct_resized.txt")
    table = log.table
    assert table["allocated_processors"].tolist() == [256, 128, 64]
    assert table["runtime"].tolist() == [7200, 3600, 14_400]
    assert table["wait"].tolist() == [0, 3600, 0]
    assert table["status"].tolist() == [1, 1, 1]
    assert outcomes(log, "noted") == {"further segments of resized jobs": 1}
    assert outcomes(log, "left out") == {}
    assert "widest job: 256 cores" in log.receipt["what"].tolist()


@pytest.mark.parametrize(("state", "status"), [("RESIZING", 1), ("REQUEUED", 0), ("NODE_FAIL", 0)])
def test_later_runs_with_the_first_submission_begin_to_wait_when_the_one_before_ends(
    tmp_path, state, status
):
    rows = [line("1", "100", "160", "260", "100", state, cores="64"),
            line("1", "100", "300", "500", "200", cores="16"),
            line("2", "110", "160", "170", "10")]  # fmt: skip
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["submit"].tolist() == [0, 10, 160]
    assert log.table["wait"].tolist() == [60, 50, 40]
    assert log.table["allocated_processors"].tolist() == [64, 4, 16]
    assert log.table["status"].tolist() == [status, 1, 1]
    kind = "segments of resized" if state == "RESIZING" else "runs of requeued"
    assert outcomes(log, "noted") == {f"further {kind} jobs": 1}


@pytest.mark.parametrize(
    "state", ["RESIZING", "SUSPENDED", "COMPLETING", "STAGE_OUT", "REQUEUE_HOLD", "SPECIAL_EXIT",
              "RESV_DEL_HOLD", "REQUEUE_FED"],
)  # fmt: skip
def test_a_record_in_passing_states_is_closed_if_it_has_an_end(tmp_path, state):
    rows = [line("1", state=state), line("2", end="Unknown", state=state), line("3")]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["runtime"].tolist() == [100, 100]
    assert outcomes(log, "left out") == {"still waiting or running": 1}


def test_a_resized_job_is_closed_in_an_export_without_ends(tmp_path):
    header = "JobID|Submit|Start|ElapsedRaw|State|AllocCPUS"
    rows = ["1|100|160|50|RESIZING|8", "1|210|210|70|COMPLETED|4", "2|100|160|9|SUSPENDED|4"]
    log = read_sacct(file_of(tmp_path, *rows, header=header))
    assert log.table["runtime"].tolist() == [50, 70]
    assert outcomes(log, "left out") == {"still waiting or running": 1}


def test_a_revoked_job_ran_at_another_cluster(tmp_path):
    log = read_sacct(file_of(tmp_path, line(), line("2", state="REVOKED", cores="0")))
    assert len(log) == 1
    assert outcomes(log, "left out") == {"revoked, because another cluster ran them": 1}


def test_short_and_cut_names_of_states_are_known_and_others_are_noted(tmp_path):
    short = ["CD", "cd", "CA", "CANCELLED+", "OUT_OF_ME+", "TO", "CANCELLED by 1000"]
    log = read_sacct(file_of(tmp_path, *(line(f"{n}", state=s) for n, s in enumerate(short))))
    assert log.table["status"].tolist() == [1, 1, 5, 5, 0, 0, 5]
    assert outcomes(log, "noted") == {}
    log = read_sacct(file_of(tmp_path, line(), line("2", state="R"), line("3", state="EVICTED")))
    assert outcomes(log, "left out") == {"still waiting or running": 1}
    assert outcomes(log, "noted") == {"in an unknown state, read as failed": 1}


@pytest.mark.parametrize("state", ["RE+", "C+", "S+", "COMPLET+", "+"])
def test_a_beginning_of_several_states_is_not_known(tmp_path, state):
    log = read_sacct(file_of(tmp_path, line(state=state)))
    assert log.table["status"].tolist() == [0]
    assert outcomes(log, "noted") == {"in an unknown state, read as failed": 1}
