import json
import re


def test_traces_are_listed_and_found(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(tmp_path))
    (tmp_path / "KTH-SP2-1996-2.1-cln.swf").touch()
    printed = run("traces", "list")
    assert re.search(r"KTH-SP2 .* here .* Lars Malinowsky\n", printed)
    assert re.search(r"CTC-SP2 .* not here .* Dan Dwyer and Steve Hotovy\n", printed)
    assert printed.endswith(f"here: in {tmp_path}\n")
    assert max(map(len, printed.splitlines()[:-1])) <= 80
    found = {
        log["name"]: log["found"] for log in json.loads(run("traces", "list", "--json"))["traces"]
    }
    assert found["KTH-SP2"] == str(tmp_path / "KTH-SP2-1996-2.1-cln.swf")
    assert run("traces", "fetch", "kth-sp2") == found["KTH-SP2"] + "\n"
    assert json.loads(run("traces", "fetch", "KTH", "--json")) == {"files": [found["KTH-SP2"]]}


def test_traces_refuse_what_is_wrong_in_one_line(refused, monkeypatch, tmp_path):
    assert "KTH-SP2" in refused("traces", "fetch", "weather")
    assert "Missing argument 'NAME" in refused("traces", "fetch")
    assert "No such command 'burn'" in refused("traces", "burn")
    monkeypatch.setenv("COALLOC_TRACES", str(tmp_path / "gone"))
    assert "is not a folder" in refused("traces", "list")
