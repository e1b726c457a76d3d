"""``coalloc simulate --export``: a schedule for other tools."""

import pandas as pd


def test_a_schedule_is_exported(run, refused, log, tmp_path):
    simulate = ["simulate", "--trace", log, "--clusters", "8", "--scheduling", "easy"]
    files = [tmp_path / "jobs.csv", tmp_path / "out.csv"]
    printed = run(*simulate, "--export", files[0], "--out", files[1])
    assert printed.splitlines()[-2:] == [str(file) for file in files]
    table = pd.read_csv(tmp_path / "jobs.csv")
    wanted = pd.read_csv(tmp_path / "out.csv")
    assert table["job_id"].tolist() == wanted["job"].tolist() == [11, 12, 13, 14]
    assert table["starting_time"].tolist() == wanted["start"].tolist()
    line = refused(*simulate, "--export", tmp_path / "jobs.txt")
    assert "the extension of --export = '.txt'; choose one of .csv" in line
