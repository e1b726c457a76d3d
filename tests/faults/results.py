"""What commands leave in a folder, so that two runs can be compared."""

import json
from contextlib import suppress


def written(folder):
    """Return the content of the files under their final names; hidden files are unfinished."""
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    shown = {name: path for name, path in files.items() if not _is_hidden(name)}
    return {str(name): _content(path) for name, path in sorted(shown.items())}


def _is_hidden(name):
    return any(part.startswith(".") for part in name.parts)


def _content(path):
    """Return the content of a file, without the minutes that a run took."""
    if path.name != "made_with.json":
        return path.read_bytes()
    facts = json.loads(path.read_text())
    assert facts.pop("minutes") >= 0
    return facts


def unfinished(folder):
    """Return the unfinished files in a folder that have some content."""
    return [path for path in folder.rglob("*") if "coalloc-partial-" in str(path) and _size(path)]


def points_in(cache):
    """Return the number of finished points in a cache."""
    return sum(1 for _ in cache.rglob("output.pkl"))  # joblib writes one file for each point


def _size(path):
    """Return the size of a file; that of a folder, and of a file that has just gone, is 0."""
    with suppress(FileNotFoundError):
        return path.stat().st_size if path.is_file() else 0
    return 0
